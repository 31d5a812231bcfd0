//! What was uploaded: a file or a zip, unpacked within bounds, and the language it is in.

use std::io::{Cursor, Read as _};

use zip::ZipArchive;

/// The most files of a zip, and the most bytes of all of them.
const FILES: usize = 300;
const BYTES: u64 = 32 * 1024 * 1024;
/// The longest name of a file with its folders, and the most folders.
const NAME: usize = 120;
const DEPTH: usize = 6;

/// The language of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python 3.
    Python,
    /// Java, compiled here.
    Java,
    /// Rust without libraries, compiled here.
    Rust,
    /// C++, compiled here.
    Cpp,
    /// A program for Linux.
    Program,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Python, Self::Java, Self::Rust, Self::Cpp, Self::Program];

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::Java => "Java",
            Self::Rust => "Rust",
            Self::Cpp => "C++",
            Self::Program => "Linux program",
        }
    }

    fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Python => &["py"],
            Self::Java => &["java"],
            Self::Rust => &["rs"],
            Self::Cpp => &["cpp", "cc", "cxx"],
            Self::Program => &[],
        }
    }

    /// The names of the file that is begun with, in their order.
    fn main_files(self) -> &'static [&'static str] {
        match self {
            Self::Python => &["main.py", "bot.py", "__main__.py"],
            Self::Java => &["Main.java", "Bot.java"],
            Self::Rust => &["main.rs", "src/main.rs", "bot.rs"],
            Self::Cpp => &["main.cpp", "bot.cpp", "main.cc"],
            Self::Program => &["bot", "program", "main"],
        }
    }
}

/// A file of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name with its folders: letters, digits, `.`, `-`, `_` and `/`.
    pub name: String,
    /// What is in it.
    pub contents: Vec<u8>,
}

/// The files of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Their language.
    pub language: Language,
    /// The file that is begun with.
    pub main: String,
    /// All of them.
    pub files: Vec<SourceFile>,
}

impl Source {
    /// Unpacks an upload. The error is a sentence for its author.
    pub fn unpack(name: &str, contents: Vec<u8>) -> Result<Self, String> {
        if contents.is_empty() {
            return Err("expected a file, found an empty one".to_owned());
        }
        let files = if contents.starts_with(b"PK\x03\x04") || contents.starts_with(b"PK\x05\x06") {
            without_common_folder(unzip(&contents)?)
        } else {
            let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
            let name: String = name.chars().map(|c| if is_plain(c) && c != '/' { c } else { '_' }).collect();
            let name = name.trim_start_matches('-').to_owned();
            let name = if name.trim_matches(['.', '_']).is_empty() || name.len() > NAME { "bot".to_owned() } else { name };
            vec![SourceFile { name, contents }]
        };
        let (language, main) = recognised(&files)?;
        Ok(Self { language, main, files })
    }

    /// The file that is begun with.
    pub fn main_file(&self) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.name == self.main)
    }

    /// The names of the files in its language, with that which is begun with first.
    pub fn names(&self) -> Vec<&str> {
        let others = self.files.iter().map(|file| file.name.as_str()).filter(|name| *name != self.main);
        let is_source = |name: &&str| self.language.endings().contains(&ending(name));
        std::iter::once(self.main.as_str()).chain(others.filter(is_source)).collect()
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._-/".contains(c)
}

fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

fn unzip(contents: &[u8]) -> Result<Vec<SourceFile>, String> {
    let unreadable = |error: zip::result::ZipError| format!("the zip cannot be read: {error}");
    let mut archive = ZipArchive::new(Cursor::new(contents)).map_err(unreadable)?;
    if archive.len() > FILES {
        return Err(format!("expected a zip of at most {FILES} files, found {}", archive.len()));
    }
    let (mut files, mut left): (Vec<SourceFile>, u64) = (Vec::new(), BYTES);
    for index in 0..archive.len() {
        let file = archive.by_index(index).map_err(unreadable)?;
        let name = file.name().map_err(unreadable)?.into_owned();
        if file.is_dir() || name.starts_with("__MACOSX/") || name.ends_with(".DS_Store") {
            continue;
        }
        let shown: String = name.chars().take(60).map(|c| if is_plain(c) { c } else { '?' }).collect();
        let is_safe = name.chars().all(is_plain)
            && name.len() <= NAME
            && name.split('/').count() <= DEPTH
            && name.split('/').all(|part| !part.is_empty() && part != "." && part != ".." && !part.starts_with('-'));
        if !is_safe {
            return Err(format!(
                "expected names of letters, digits, '.', '-' and '_' within the zip, in at most {DEPTH} folders, found '{shown}'"
            ));
        }
        if file.is_symlink() || file.encrypted() {
            return Err(format!("expected plain files in the zip, found a link or an encrypted file: '{shown}'"));
        }
        if files.iter().any(|other| other.name == name) {
            return Err(format!("'{shown}' is in the zip twice"));
        }
        let mut contents = Vec::new();
        // What the zip says of the size of a file may be a lie: what comes out is counted.
        file.take(left + 1)
            .read_to_end(&mut contents)
            .map_err(|error| format!("'{shown}' in the zip cannot be read: {error}"))?;
        let size = contents.len() as u64;
        left = left.checked_sub(size).ok_or_else(|| format!("expected at most {} MB in the zip, found more", BYTES >> 20))?;
        files.push(SourceFile { name, contents });
    }
    if files.is_empty() {
        return Err("expected files in the zip, found none".to_owned());
    }
    let is_folder = |name: &str| files.iter().any(|file| file.name.starts_with(&format!("{name}/")));
    if let Some(both) = files.iter().find(|file| is_folder(&file.name)) {
        return Err(format!("'{}' is a file and a folder in the zip", both.name));
    }
    Ok(files)
}

/// A zip of a folder has that folder around all files.
fn without_common_folder(mut files: Vec<SourceFile>) -> Vec<SourceFile> {
    let folder = files.first().and_then(|file| file.name.split_once('/')).map(|(folder, _)| format!("{folder}/"));
    if let Some(folder) = folder.filter(|folder| folder != "src/" && files.iter().all(|file| file.name.starts_with(folder))) {
        for file in &mut files {
            file.name = file.name[folder.len()..].to_owned();
        }
    }
    files
}

/// The language of files, and the one that is begun with.
fn recognised(files: &[SourceFile]) -> Result<(Language, String), String> {
    let is_program = |file: &&SourceFile| file.contents.starts_with(b"\x7fELF");
    let names = |language: Language| -> Vec<&str> {
        if language == Language::Program {
            return files.iter().filter(is_program).map(|file| file.name.as_str()).collect();
        }
        files.iter().map(|file| file.name.as_str()).filter(|name| language.endings().contains(&ending(name))).collect()
    };
    let found: Vec<(Language, Vec<&str>)> =
        Language::ALL.into_iter().map(|language| (language, names(language))).filter(|(_, names)| !names.is_empty()).collect();
    let (language, names) = match found.as_slice() {
        [] => {
            return Err(
                "expected a bot in Python (.py), Java (.java), Rust (.rs), C++ (.cpp) or a program for Linux; found none \
                        of them"
                    .to_owned(),
            );
        }
        [one] => one.clone(),
        // A program in a zip may come with files in other languages.
        many => many
            .iter()
            .find(|(language, names)| language.main_files().iter().any(|main| names.contains(main)))
            .cloned()
            .ok_or_else(|| {
                let titles: Vec<&str> = many.iter().map(|(language, _)| language.title()).collect();
                format!("found {} together; expected one language, or a file main.* to begin with", titles.join(" and "))
            })?,
    };
    let usual = language.main_files().iter().find(|main| names.contains(main));
    let main = match (usual, names.as_slice()) {
        (Some(main), _) => (*main).to_owned(),
        (None, [only]) => (*only).to_owned(),
        (None, many) => main_by_contents(language, files, many).ok_or_else(|| {
            format!("found {} files in {}; expected one called {}", many.len(), language.title(), language.main_files()[0])
        })?,
    };
    Ok((language, main))
}

/// The only file with the function that a program begins with.
fn main_by_contents(language: Language, files: &[SourceFile], names: &[&str]) -> Option<String> {
    let mark: &[u8] = match language {
        Language::Java => b"static void main(",
        Language::Cpp => b"int main(",
        Language::Rust => b"fn main(",
        Language::Python => b"__main__",
        Language::Program => return None,
    };
    let has_mark = |file: &&SourceFile| file.contents.windows(mark.len()).any(|window| window == mark);
    let mut having = files.iter().filter(|file| names.contains(&file.name.as_str())).filter(has_mark);
    having.next().filter(|_| having.next().is_none()).map(|file| file.name.clone())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, contents) in files {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(contents).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn refusal(name: &str, contents: Vec<u8>) -> String {
        Source::unpack(name, contents).unwrap_err()
    }

    #[test]
    fn a_file_is_known_by_its_ending_and_a_program_by_its_beginning() {
        for (name, contents, language) in [
            ("my bot.py", &b"print()"[..], Language::Python),
            ("RandomBot.java", b"class", Language::Java),
            ("a.rs", b"fn", Language::Rust),
            ("../../etc/a.cpp", b"int", Language::Cpp),
            ("bot", b"\x7fELF...", Language::Program),
        ] {
            let source = Source::unpack(name, contents.to_vec()).unwrap();
            assert_eq!(source.language, language, "{name}");
            assert!(!source.main.contains('/') && source.main.chars().all(is_plain), "{}", source.main);
        }
        assert!(refusal("notes.txt", b"hello".to_vec()).contains("expected a bot in Python"));
        assert!(refusal("a.py", Vec::new()).contains("an empty one"));
    }

    #[test]
    fn a_zip_of_a_folder_is_unpacked_and_its_main_file_found() {
        let source =
            Source::unpack("x.zip", zipped(&[("team/helper.py", b"x = 1"), ("team/main.py", b"import helper")])).unwrap();
        assert_eq!((source.language, source.main.as_str()), (Language::Python, "main.py"));
        assert_eq!(source.names(), ["main.py", "helper.py"]);
        let found =
            Source::unpack("x.zip", zipped(&[("A.java", b"class A {}"), ("B.java", b"public static void main(String[] a)")]));
        assert_eq!(found.unwrap().main, "B.java");
        assert!(refusal("x.zip", zipped(&[("a.py", b""), ("b.py", b"")])).contains("expected one called main.py"));
        assert!(refusal("x.zip", zipped(&[("a.py", b""), ("b.rs", b"")])).contains("Python and Rust together"));
    }

    #[test]
    fn names_that_lead_out_of_the_zip_are_refused() {
        for name in
            ["../bot.py", "/etc/bot.py", "a/../../bot.py", "a\\..\\bot.py", "-o.py", "a//b.py", "<b>.py", "a/b/c/d/e/f/g.py"]
        {
            assert!(refusal("x.zip", zipped(&[(name, b"")])).contains("expected names of letters"), "{name}");
        }
    }

    #[test]
    fn zips_that_grow_are_not_unpacked() {
        let bomb = vec![0; (BYTES + 1) as usize];
        let packed = zipped(&[("main.py", &bomb)]);
        assert!(packed.len() < 100_000);
        assert!(refusal("x.zip", packed).contains("expected at most 32 MB"));
        let names: Vec<String> = (0..=FILES).map(|number| format!("f{number}.py")).collect();
        let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
        assert!(refusal("x.zip", zipped(&many)).contains("at most 300 files"));
    }

    #[test]
    fn a_zip_that_is_cut_off_or_has_links_is_refused() {
        let whole = zipped(&[("main.py", b"print()")]);
        assert!(refusal("x.zip", whole[..whole.len() / 2].to_vec()).contains("cannot be read"));
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        writer.add_symlink("main.py", "/etc/passwd", SimpleFileOptions::default()).unwrap();
        assert!(refusal("x.zip", writer.finish().unwrap().into_inner()).contains("a link"));
        assert!(refusal("x.zip", zipped(&[("a", b"1"), ("a/main.py", b"2")])).contains("a file and a folder"));
    }
}
