//! Files: game records, and what agents read.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
pub use plyground_match::write_whole;
use plyground_match::{bounded, date_text, machine, read_bounded, seconds_now, shell_word};
use plyground_session::{GameRecord, JSON_LINES, read_any};

use plyground_args::Global;

/// The data directory, in which played games are kept.
pub fn data_dir(global: &Global) -> anyhow::Result<PathBuf> {
    match (&global.data, dirs::data_dir()) {
        (Some(dir), _) => Ok(dir.clone()),
        (None, Some(dir)) => Ok(dir.join("plyground")),
        (None, None) => bail!("no home directory is known to keep games in: say where with --data DIR"),
    }
}

/// The file of the values that a game's own solver begins with.
pub fn knowledge_file(global: &Global, game: &str) -> anyhow::Result<PathBuf> {
    Ok(data_dir(global)?.join("solved").join(format!("{game}.regions")))
}

/// The most bytes of a file with records or openings.
const LARGEST_RECORDS: u64 = 1 << 28;
/// The most bytes of a file of settings: a study, a competition, the description of a network.
const LARGEST_SETTINGS: u64 = 1 << 22;

/// Reads a file of settings; `-` is standard input.
pub fn read_settings(path: &Path) -> anyhow::Result<String> {
    read_at_most(path, LARGEST_SETTINGS)
}

/// Reads a file with records or openings; `-` is standard input.
pub fn read_text(path: &Path) -> anyhow::Result<String> {
    read_at_most(path, LARGEST_RECORDS)
}

fn read_at_most(path: &Path, most: u64) -> anyhow::Result<String> {
    let read = if path == Path::new("-") { bounded(io::stdin().lock(), most) } else { read_bounded(path, most) };
    let bytes = read.with_context(|| format!("cannot read {}", path.display()))?;
    String::from_utf8(bytes).with_context(|| format!("{}: expected text (UTF-8)", path.display()))
}

/// Reads the records of a file in any format; a file without any is an error.
pub fn read_file(path: &Path) -> anyhow::Result<Vec<GameRecord>> {
    let records = read_any(&read_text(path)?).with_context(|| path.display().to_string())?;
    if records.is_empty() {
        bail!("{}: expected at least one game, found none", path.display());
    }
    Ok(records)
}

/// A path as one would type it in a shell.
pub fn typed(path: &Path) -> String {
    shell_word(&path.display().to_string())
}

/// Was this file made by [`reserve_unfinished`] in this directory? Only such a file holds one game and may be written again.
pub fn is_unfinished(dir: &Path, file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    file.parent() == Some(dir) && name.starts_with("unfinished-")
}

/// A new file for an unfinished game. Its name is taken at once: two games at the same time do not overwrite each other.
pub fn reserve_unfinished(dir: &Path) -> anyhow::Result<PathBuf> {
    for number in 1.. {
        let path = dir.join(format!("unfinished-{number}.jsonl"));
        match fs::File::create_new(&path) {
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| format!("cannot write {}", path.display())),
        }
    }
    unreachable!("the numbers do not end")
}

/// The tag that says on what a game was played, as in the records of the Crosphere thesis.
const DEVICE: &str = "Device";

/// The date and the device of a game, where they are known. A game that goes on keeps the time at which it began.
pub struct Origin {
    date: Option<String>,
    device: Option<String>,
}

impl Origin {
    /// The origin at a time, in seconds since 1970, on a machine.
    pub fn new(seconds: Option<i64>, device: &str) -> Self {
        Self { date: seconds.map(date_text), device: (!device.is_empty()).then(|| device.to_owned()) }
    }

    /// The origin of a game that is played on this computer and begins now, or began as its record says.
    pub fn here(begun: Option<&GameRecord>) -> Self {
        let now = Self::new(Some(seconds_now()), &machine());
        let date = begun.and_then(|record| record.date.clone());
        let device = begun.and_then(|record| record.tags.get(DEVICE).cloned());
        Self { date: date.or(now.date), device: device.or(now.device) }
    }

    /// Writes it into a record.
    pub fn stamp(&self, mut record: GameRecord) -> GameRecord {
        record.date.clone_from(&self.date);
        record.tags.extend(self.device.iter().map(|device| (DEVICE.to_owned(), device.clone())));
        record
    }
}

/// One record as a file of its own.
pub fn write_record(path: &Path, record: &GameRecord) -> anyhow::Result<()> {
    Ok(write_whole(path, (JSON_LINES.write)(std::slice::from_ref(record))?)?)
}

/// Adds a record to the end of a file.
pub fn append_record(path: &Path, record: &GameRecord) -> anyhow::Result<()> {
    let text = (JSON_LINES.write)(std::slice::from_ref(record))?;
    let appended = fs::OpenOptions::new().read(true).append(true).create(true).open(path).and_then(|mut file| {
        // A line that was cut off must not swallow the next one.
        let mut last = [b'\n'];
        if file.seek(SeekFrom::End(0))? > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        let gap = if last == *b"\n" { "" } else { "\n" };
        file.write_all(format!("{gap}{text}").as_bytes())?;
        file.sync_all()
    });
    appended.with_context(|| format!("cannot write {}", path.display()))
}
