//! `ply convert`: records from one format into another.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};
use plyground_session::{InputError, JSON_LINES, RecordFormat, format_named, formats, read_any, replay, write_as};
use serde_json::json;

use crate::store::{read_text, typed, write_whole};
use plyground_args::{ConvertArgs, Global};
use plyground_terminal::print_json;

pub fn run(args: &ConvertArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let output = args.out.as_deref().unwrap_or(&args.output);
    let target = target_format(args, output)?;
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
    let converted = write_as(&target, &records).with_context(|| format!("as {}", target.name))?;
    if output == Path::new("-") {
        write!(out, "{converted}")?;
        return Ok(());
    }
    write_whole(output, &converted)?;
    if global.json {
        return print_json(out, &json!({"games": records.len(), "format": target.name}));
    }
    if !global.quiet {
        let games = if records.len() == 1 { "1 game".to_owned() } else { format!("{} games", records.len()) };
        writeln!(out, "{}: {games} as {}", output.display(), target.name)?;
    }
    Ok(())
}

fn target_format(args: &ConvertArgs, output: &Path) -> anyhow::Result<RecordFormat> {
    if let Some(name) = &args.to {
        return Ok(format_named(name)?);
    }
    let Some(ending) = output.extension().map(|ending| ending.to_string_lossy()) else { return Ok(JSON_LINES) };
    let known = formats();
    let endings = || known.iter().map(|format| format.extension);
    if ["csv", "parquet"].contains(&ending.as_ref()) {
        bail!("a table ({ending}) is made of a run, not of records: ply runs games RUN --{ending} --out {}", typed(output));
    }
    let unknown = || InputError::unknown("ending of a file name (say --to FORMAT)", &ending, endings());
    Ok(known.iter().find(|format| format.extension == ending).copied().ok_or_else(unknown)?)
}
