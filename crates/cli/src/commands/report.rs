//! `ply report RUN`: a run as a page that can be handed in.

use std::io::Write;

use plyground_lab::report::{html, markdown};

use crate::args::{Global, ReportOn};
use crate::experiments::open_store;
use crate::store::{typed, write_whole};

pub fn run(args: &ReportOn, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let store = open_store(global)?;
    let row = store.find(&args.run)?;
    let write = if args.md { markdown } else { html };
    let page = write(&store, &row, args.title.as_deref())?;
    match &args.out {
        None => out.write_all(page.as_bytes())?,
        Some(file) => {
            write_whole(file, page)?;
            if !global.quiet {
                writeln!(out, "the report on run {} is in {}", row.run.id, typed(file))?;
            }
        }
    }
    Ok(())
}
