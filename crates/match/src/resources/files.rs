//! Files that agent specs and options name.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use plyground_core::sync::lock;
use plyground_core::{Engine, InputError, Resources};

use crate::{NETWORKS, RunError, built_in};

/// The most bytes of a file that an agent reads: a tablebase of a hundred million positions.
const LARGEST: u64 = 1 << 30;

/// The contents of a file of at most so many bytes.
pub fn read_bounded(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    bounded(fs::File::open(path)?, most)
}

/// The bytes of a source of at most so many. No more than that is ever in memory, also of sources that never end.
pub fn bounded(source: impl io::Read, most: u64) -> io::Result<Vec<u8>> {
    let mut contents = Vec::new();
    source.take(most.saturating_add(1)).read_to_end(&mut contents)?;
    if contents.len() as u64 > most {
        return Err(io::Error::new(ErrorKind::FileTooLarge, format!("expected at most {most} bytes, found more")));
    }
    Ok(contents)
}

/// The files that agent specs name: networks that come with the program by their names, and paths, looked for where the program was
/// started.
pub struct FileResources;

impl Resources for FileResources {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        if let Some(network) = built_in(name) {
            return Ok(network.file.to_vec());
        }
        read_bounded(Path::new(name), LARGEST).map_err(|error| {
            let why = match error.kind() {
                ErrorKind::NotFound => missing(name, NETWORKS.iter().map(|network| network.name)),
                _ => None,
            };
            InputError::malformed("file", name, why.unwrap_or_else(|| format!("it cannot be read: {error}")))
        })
    }
}

/// Resources that keep account of what was read.
pub(crate) struct Reader<'a> {
    resources: &'a dyn Resources,
    hashes: RefCell<BTreeMap<String, String>>,
}

impl<'a> Reader<'a> {
    pub fn new(resources: &'a dyn Resources) -> Self {
        Self { resources, hashes: RefCell::default() }
    }

    /// The hash of each file that was read, by its name.
    pub fn hashes(self) -> BTreeMap<String, String> {
        self.hashes.into_inner()
    }
}

impl Resources for Reader<'_> {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        let contents = self.resources.read(name)?;
        self.hashes.borrow_mut().insert(name.to_owned(), hash(&contents));
        Ok(contents)
    }

    fn engine(&self, command: &str) -> Result<Box<dyn Engine>, InputError> {
        let engine = self.resources.engine(command)?;
        for (name, path) in engine.files() {
            let hash = hash_of(&name, &path)?;
            self.hashes.borrow_mut().insert(name, hash);
        }
        Ok(engine)
    }
}

/// Resources that refuse a file that has changed since its hash was taken.
pub struct UnchangedFiles<'a> {
    resources: &'a (dyn Resources + Sync),
    hashes: &'a BTreeMap<String, String>,
    /// The commands whose programs were looked at: they are large, and asked for in every game.
    seen: Mutex<BTreeSet<String>>,
}

impl<'a> UnchangedFiles<'a> {
    /// Resources whose files are checked against these hashes.
    pub fn new(resources: &'a (dyn Resources + Sync), hashes: &'a BTreeMap<String, String>) -> Self {
        Self { resources, hashes, seen: Mutex::default() }
    }

    /// Resources that are not checked.
    pub fn unchecked(resources: &'a (dyn Resources + Sync)) -> Self {
        static NONE: BTreeMap<String, String> = BTreeMap::new();
        Self::new(resources, &NONE)
    }

    fn check(&self, name: &str, hash: &str) -> Result<(), InputError> {
        if self.hashes.get(name).is_some_and(|wanted| hash != *wanted) {
            return Err(InputError::malformed("file", name, "it is not what it was when this run began; ask for a new run"));
        }
        Ok(())
    }
}

impl Resources for UnchangedFiles<'_> {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        let contents = self.resources.read(name)?;
        self.check(name, &hash(&contents))?;
        Ok(contents)
    }

    fn engine(&self, command: &str) -> Result<Box<dyn Engine>, InputError> {
        let engine = self.resources.engine(command)?;
        let seen = || lock(&self.seen);
        if !seen().contains(command) {
            for (name, path) in engine.files() {
                self.check(&name, &hash_of(&name, &path)?)?;
            }
            seen().insert(command.to_owned());
        }
        Ok(engine)
    }
}

/// The hash of a file that a command names.
fn hash_of(name: &str, path: &Path) -> Result<String, InputError> {
    let contents = read_bounded(path, LARGEST)
        .map_err(|error| InputError::malformed("file", name, format!("it cannot be read: {error}")))?;
    Ok(hash(&contents))
}

/// The hash of a file's contents (BLAKE3), in hexadecimal digits.
pub fn hash(contents: &[u8]) -> String {
    blake3::hash(contents).to_hex().to_string()
}

/// The message for a name that is no file, where it may have been meant for a network.
fn missing<'a>(name: &str, networks: impl Iterator<Item = &'a str>) -> Option<String> {
    let networks: Vec<&str> = networks.collect();
    let is_path = name.contains(['/', '\\', '.']);
    (!is_path && !networks.is_empty())
        .then(|| format!("there is no such file, and the networks that come with the program are {}", networks.join(", ")))
}

/// Writes a file so that it is there whole or not at all. Links are followed, and what is no ordinary file (a pipe, a device) is
/// written to, not replaced.
pub fn write_whole(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), RunError> {
    let refused = |error| RunError::Write { file: path.to_owned(), error };
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = fs::metadata(&target).ok();
    if before.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        return fs::OpenOptions::new()
            .write(true)
            .open(&target)
            .and_then(|mut file| file.write_all(contents.as_ref()))
            .map_err(refused);
    }
    let mut part = target.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let written = fs::File::create(&part).and_then(|mut file| {
        file.write_all(contents.as_ref())?;
        if let Some(metadata) = before {
            file.set_permissions(metadata.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&part, &target)
    });
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written.map_err(refused)
}

/// A word as one would type it in a shell.
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+~:=,".contains(c);
    if text.chars().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_neither_file_nor_network_is_answered_with_the_networks() {
        let there = || ["clobber-8x8", "crosphere-8x8"].into_iter();
        let said = missing("clober-8x8", there()).unwrap();
        assert_eq!(said, "there is no such file, and the networks that come with the program are clobber-8x8, crosphere-8x8");
        assert_eq!(missing("nets/my.safetensors", there()), None);
        assert_eq!(missing("clober-8x8", std::iter::empty()), None);
        assert!(FileResources.read("no such file").unwrap_err().to_string().starts_with("malformed file 'no such file': "));
    }

    #[test]
    #[cfg(unix)]
    fn a_file_that_never_ends_is_refused() {
        let error = read_bounded(Path::new("/dev/zero"), 1_000).unwrap_err();
        assert_eq!(error.to_string(), "expected at most 1000 bytes, found more");
        let error = FileResources.read("/dev/zero").unwrap_err().to_string();
        assert!(error.contains("it cannot be read: expected at most 1073741824 bytes, found more"), "{error}");
    }

    #[test]
    fn a_file_as_large_as_it_may_be_is_read() {
        let file = std::env::temp_dir().join(format!("plyground-bounded-{}", std::process::id()));
        fs::write(&file, "12345").unwrap();
        assert_eq!(read_bounded(&file, 5).unwrap(), b"12345");
        assert!(read_bounded(&file, 4).is_err());
        fs::remove_file(file).unwrap();
    }

    #[test]
    fn every_network_that_comes_with_the_program_is_found_by_its_name_and_is_small() {
        for network in NETWORKS {
            assert_eq!(FileResources.read(network.name).unwrap(), network.file);
            assert!(network.file.len() < 2_000_000, "{}", network.name);
        }
    }
}
