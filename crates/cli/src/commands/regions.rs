//! `ply regions GAME`: the values of all small regions, computed once and for all.

use std::fs;
use std::io::Write;
use std::time::Instant;

use anyhow::{Context, bail};
use plyground_session::{open, solver_database};
use serde_json::json;

use crate::store::{knowledge_file, typed, write_whole};
use plyground_args::{Global, RegionsArgs};
use plyground_terminal::{ShareBar, print_json};

pub fn run(args: &RegionsArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let session = open(&args.game, None)?;
    let path = match &args.out {
        Some(path) => path.clone(),
        None => knowledge_file(global, session.info().name)?,
    };
    let begin = Instant::now();
    let mut progress = ShareBar::new(global.quiet || global.json);
    let Some(bytes) = solver_database(&args.game, args.stones, &mut |done, total| progress.show(done, total))? else {
        bail!("{} has no regions with values of their own", session.spec());
    };
    progress.finish();
    if let (None, Some(parent)) = (&args.out, path.parent()) {
        fs::create_dir_all(parent).with_context(|| format!("cannot make the directory {}", parent.display()))?;
    }
    write_whole(&path, &bytes)?;
    let seconds = begin.elapsed().as_secs_f64();
    if global.json {
        return print_json(out, &json!({"file": path, "bytes": bytes.len(), "stones": args.stones, "seconds": seconds}));
    }
    if !global.quiet {
        writeln!(out, "{}: regions of up to {} stones, {} bytes, {seconds:.1} s", typed(&path), args.stones, bytes.len())?;
    }
    Ok(())
}
