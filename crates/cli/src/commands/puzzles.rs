//! `ply puzzles GAME`: positions with one move that keeps the win or the draw.

use std::io::Write;

use anyhow::bail;
use plyground_judge::puzzles::{Puzzle, PuzzleSettings, find, to_text};
use serde_json::json;

use crate::store::{typed, write_whole};
use plyground_args::{Global, PuzzlesArgs};
use plyground_terminal::{ShareBar, print_json};

/// Without a seed, the same puzzles every time: a file can be made again by its command.
const SEED: u64 = 1;

pub fn run(args: &PuzzlesArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let seed = global.seed.unwrap_or(SEED);
    let settings = PuzzleSettings { boards: args.games.clone(), count: args.count as usize, seed, nodes: args.nodes };
    let mut progress = ShareBar::new(global.quiet || global.json);
    let puzzles = find(&settings, &mut |done, of| progress.show(done as u64, of as u64))?;
    progress.finish();
    if puzzles.is_empty() {
        bail!("no puzzle was found in {}: a larger number of --nodes may help", args.games.join(" "));
    }
    let text = to_text(&settings, &puzzles)?;
    let Some(path) = &args.out else {
        write!(out, "{text}")?;
        return Ok(());
    };
    write_whole(path, text.as_bytes())?;
    if global.json {
        return print_json(out, &json!({"file": path, "puzzles": puzzles.len(), "levels": levels(&puzzles)}));
    }
    if !global.quiet {
        let counts: Vec<String> = levels(&puzzles).iter().map(ToString::to_string).collect();
        writeln!(out, "{}: {} puzzles, from level 1 on: {}", typed(path), puzzles.len(), counts.join(" "))?;
    }
    Ok(())
}

/// How many puzzles there are of each level, from level 1 on.
fn levels(puzzles: &[Puzzle]) -> Vec<usize> {
    let hardest = puzzles.iter().map(|puzzle| puzzle.level).max().unwrap_or(0);
    (1..=hardest).map(|level| puzzles.iter().filter(|puzzle| puzzle.level == level).count()).collect()
}
