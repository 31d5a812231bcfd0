//! `ply regions GAME`: the values of all small regions, computed once and for all.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::time::Instant;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use plyground_session::{open, solver_database};
use serde_json::json;

use crate::store::{knowledge_file, typed, write_whole};
use plyground_args::{Global, RegionsArgs};
use plyground_terminal::print_json;

pub fn run(args: &RegionsArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let session = open(&args.game, None)?;
    let path = match &args.out {
        Some(path) => path.clone(),
        None => knowledge_file(global, session.info().name)?,
    };
    let begin = Instant::now();
    let mut progress = Progress::new(global.quiet || global.json);
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

/// A bar on a terminal, a line for every tenth in a pipe.
struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
    tenths: u64,
}

impl Progress {
    fn new(quiet: bool) -> Self {
        let style = || ProgressStyle::with_template("{bar:30} {percent:>3} %  {elapsed} gone, {eta} left");
        let bar = (!quiet && io::stderr().is_terminal())
            .then(|| ProgressBar::new(1_000).with_style(style().expect("the template is well-formed")));
        Self { bar, quiet, tenths: 0 }
    }

    fn show(&mut self, done: u64, total: u64) {
        match &self.bar {
            Some(bar) => bar.set_position(done * 1_000 / total.max(1)),
            None if !self.quiet && done * 10 / total.max(1) > self.tenths => {
                self.tenths = done * 10 / total.max(1);
                // Where not even this can be written, the file still counts.
                let _ = writeln!(io::stderr(), "{} % done", self.tenths * 10);
            }
            None => {}
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
