//! The studies that come with the program, with their networks: the folder `studies` of the repository.

use std::path::Path;

use include_dir::{Dir, DirEntry, File, include_dir};
use plyground_session::InputError;

static STUDIES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../studies");

/// How specs write the folder of the studies.
const FOLDER: &str = "studies";

/// The studies, by name.
pub fn studies() -> Vec<PublishedStudy> {
    let mut studies: Vec<PublishedStudy> = STUDIES.files().filter_map(PublishedStudy::of).collect();
    studies.sort_by_key(|study| study.name);
    studies
}

/// The text of a study that comes with the program.
pub struct PublishedStudy {
    /// The name of its file, without the ending.
    pub name: &'static str,
    /// What is in the file.
    pub text: &'static str,
}

impl PublishedStudy {
    fn of(file: &'static File<'static>) -> Option<Self> {
        let is_study = file.path().extension().is_some_and(|ending| ending == "toml");
        let name = file.path().file_stem()?.to_str()?;
        is_study.then(|| file.contents_utf8()).flatten().map(|text| Self { name, text })
    }

    /// The study with this name, or that of its file: `e-pawn-table`, `studies/e-pawn-table.toml`.
    pub fn named(name: &str) -> Result<Self, InputError> {
        let word = name.strip_prefix("studies/").unwrap_or(name);
        let word = word.strip_suffix(".toml").unwrap_or(word);
        let mut known = studies();
        let unknown = InputError::unknown("study", name, known.iter().map(|study| study.name));
        known.iter().position(|study| study.name == word).map(|place| known.swap_remove(place)).ok_or(unknown)
    }
}

/// A file of the folder by the name that specs give it: `studies/nets/NAME.safetensors`.
pub fn file(name: &str) -> Option<&'static [u8]> {
    let inside = Path::new(name).strip_prefix(FOLDER).ok()?;
    match STUDIES.get_entry(inside)? {
        DirEntry::File(file) => Some(file.contents()),
        DirEntry::Dir(_) => None,
    }
}
