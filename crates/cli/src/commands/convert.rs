//! `ply convert`: records from one format into another.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};
use plyground_session::{InputError, JSON_LINES, RecordFormat, format_named, formats, read_any, replay};
use serde_json::json;

use crate::args::{ConvertArgs, Global};
use crate::store::{read_text, write_whole};
use plyground_terminal::print_json;

pub fn run(args: &ConvertArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let target = target_format(args)?;
    let text = read_text(&args.input)?;
    let from = || args.input.display().to_string();
    let records = match &args.from {
        Some(name) => (format_named(name)?.read)(&text).with_context(from)?,
        None => read_any(&text).with_context(from)?,
    };
    if records.is_empty() {
        bail!("{}: expected at least one game, found none", args.input.display());
    }
    // Nothing is written before every game has been played through.
    for (index, record) in records.iter().enumerate() {
        replay(record).with_context(|| format!("{}: game {}", args.input.display(), index + 1))?;
    }
    let converted = (target.write)(&records).with_context(|| format!("as {}", target.name))?;
    if args.output == Path::new("-") {
        write!(out, "{converted}")?;
        return Ok(());
    }
    write_whole(&args.output, &converted)?;
    if global.json {
        return print_json(out, &json!({"games": records.len(), "format": target.name}));
    }
    if !global.quiet {
        let games = if records.len() == 1 { "1 game".to_owned() } else { format!("{} games", records.len()) };
        writeln!(out, "{}: {games} as {}", args.output.display(), target.name)?;
    }
    Ok(())
}

fn target_format(args: &ConvertArgs) -> anyhow::Result<RecordFormat> {
    if let Some(name) = &args.to {
        return Ok(format_named(name)?);
    }
    let Some(ending) = args.output.extension().map(|ending| ending.to_string_lossy()) else { return Ok(JSON_LINES) };
    let known = formats();
    let endings = || known.iter().map(|format| format.extension);
    let unknown = || InputError::unknown("ending of a file name (say --to FORMAT)", &ending, endings());
    Ok(known.iter().find(|format| format.extension == ending).copied().ok_or_else(unknown)?)
}
