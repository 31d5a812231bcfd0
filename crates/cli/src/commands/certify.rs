//! `ply certify GAME`: the proof of who wins, for another program to check.

use std::io::Write;

use plyground_session::{CertificateOptions, certify, open};
use serde_json::json;

use crate::engines::CommandResources;
use crate::store::{knowledge_file, typed, write_whole};
use plyground_args::{CertifyArgs, Global};
use plyground_terminal::{SolverView, print_json};

pub fn run(args: &CertifyArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let session = open(&args.game, None)?;
    let regions = knowledge_file(global, session.info().name).ok().filter(|path| path.exists());
    let regions = regions.map(|path| path.display().to_string());
    let options = CertificateOptions { limit: args.limit, split: args.split };
    let mut view = SolverView::new(args.time, global.quiet || global.json)?;
    let proof = certify(&args.game, args.memory as usize, regions.as_deref(), options, &CommandResources, &mut view)?;
    let seconds = view.elapsed().as_secs_f64();
    view.finish();
    write_whole(&args.out, &proof.bytes)?;
    let (bytes, positions, searches) = (proof.bytes.len(), proof.positions, proof.searches);
    if global.json {
        let sections = proof.sections;
        let page = json!({"file": args.out, "bytes": bytes, "positions": positions, "searches": searches, "sections": sections, "seconds": seconds});
        return print_json(out, &page);
    }
    if !global.quiet {
        let file = typed(&args.out);
        writeln!(out, "{file}: {bytes} bytes, {positions} positions, {searches} of them left to small searches, {seconds:.1} s")?;
        writeln!(out, "check it with: cargo run --release -p plyground-verify -- {file}")?;
    }
    Ok(())
}
