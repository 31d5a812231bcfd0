//! Game records in files.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use plyground_table::{GameRecord, JSON_LINES, read_any};

use crate::args::Global;

/// Where played games are kept.
pub fn data_dir(global: &Global) -> anyhow::Result<PathBuf> {
    match (&global.data, dirs::data_dir()) {
        (Some(dir), _) => Ok(dir.clone()),
        (None, Some(dir)) => Ok(dir.join("plyground")),
        (None, None) => bail!("no home directory is known to keep games in: say where with --data DIR"),
    }
}

/// Reads a whole text file; `-` is standard input.
pub fn read_text(path: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().read_to_end(&mut bytes)
    } else {
        fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    read.with_context(|| format!("cannot read {}", path.display()))?;
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

/// Writes a file so that it is there whole or not at all.
pub fn write_whole(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let written = fs::File::create(&part).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&part, path)
    });
    written.with_context(|| format!("cannot write {}", path.display()))
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

/// One record as a file of its own.
pub fn write_record(path: &Path, record: &GameRecord) -> anyhow::Result<()> {
    write_whole(path, &(JSON_LINES.write)(std::slice::from_ref(record))?)
}

/// Adds a record to the end of a file.
pub fn append_record(path: &Path, record: &GameRecord) -> anyhow::Result<()> {
    let text = (JSON_LINES.write)(std::slice::from_ref(record))?;
    let appended = fs::OpenOptions::new().append(true).create(true).open(path).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    appended.with_context(|| format!("cannot write {}", path.display()))
}
