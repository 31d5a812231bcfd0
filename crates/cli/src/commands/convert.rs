//! `ply convert`: records from one format into another.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use plyground_table::{Format, JSON_LINES, format_named, formats, read_any, replay};
use serde_json::json;

use crate::args::{Convert, Global};
use crate::store::{read_text, write_whole};
use crate::terminal::print_json;

pub fn run(args: &Convert, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let target = target_format(args)?;
    let text = read_text(&args.input)?;
    let from = || args.input.display().to_string();
    let records = match &args.from {
        Some(name) => (format_named(name)?.read)(&text).with_context(from)?,
        None => read_any(&text).with_context(from)?,
    };
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
        writeln!(out, "{}: {} games as {}", args.output.display(), records.len(), target.name)?;
    }
    Ok(())
}

fn target_format(args: &Convert) -> anyhow::Result<Format> {
    if let Some(name) = &args.to {
        return Ok(format_named(name)?);
    }
    let ending = args.output.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    Ok(formats().into_iter().find(|format| format.extension == ending).unwrap_or(JSON_LINES))
}
