//! `ply perft GAME --depth N`: counts of move sequences.

use std::io::Write;
use std::time::Instant;

use plyground_session::open;
use serde_json::json;

use plyground_args::{Global, PerftArgs};
use plyground_terminal::print_json;

pub fn run(args: &PerftArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let session = open(&args.place.game, args.place.position.as_deref())?;
    let begin = Instant::now();
    let mut counts = Vec::new();
    if !global.json {
        writeln!(out, "{:>5}  {:>20}  {:>10}  {:>14}", "depth", "sequences", "seconds", "per second")?;
    }
    for depth in 1..=args.depth {
        let depth_begin = Instant::now();
        let count = session.perft(depth);
        counts.push(count);
        if !global.json {
            let seconds = depth_begin.elapsed().as_secs_f64();
            let rate = count as f64 / seconds.max(1e-9);
            writeln!(out, "{depth:>5}  {count:>20}  {seconds:>10.3}  {rate:>14.0}")?;
            out.flush()?;
        }
    }
    let divided = args.divide.then(|| session.divide(args.depth));
    if global.json {
        let mut page = json!({"perft": counts, "seconds": begin.elapsed().as_secs_f64()});
        if let Some(divided) = divided {
            page["divide"] = divided.into_iter().map(|(mv, count)| (mv, json!(count))).collect();
        }
        return print_json(out, &page);
    }
    for (mv, count) in divided.into_iter().flatten() {
        writeln!(out, "{mv}: {count}")?;
    }
    Ok(())
}
