//! `ply import FILE`: games that were played elsewhere, as runs.

use std::io::Write;

use anyhow::{Context, bail};
use plyground_match::{ImportedGame, ImportedRun, hash, import};
use plyground_session::{InputError, format_named, format_of, read_each};
use serde_json::{Value, json};

use crate::runs::{command, open_store};
use crate::store::read_text;
use plyground_args::{Global, ImportArgs};
use plyground_terminal::{LiveText, count, interrupt, print_json};

/// Games that are named where they cannot be imported; how many more there are is said.
const NAMED: usize = 10;

pub fn run(args: &ImportArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let text = read_text(&args.file)?;
    let place = || args.file.display().to_string();
    let format = match &args.from {
        Some(name) => format_named(name)?,
        None => format_of(&text).with_context(place)?,
    };
    interrupt::catch()?;
    let (mut games, mut bad, mut devices) = (Vec::new(), Vec::new(), Vec::new());
    let mut live = LiveText::new(global.quiet || global.json);
    let read = read_each(&format, &text);
    if read.is_empty() {
        bail!("{}: expected at least one game, found none", args.file.display());
    }
    for (number, (line, record)) in read.iter().enumerate() {
        let words = || format!("{} of {} games", count(number as u64), count(read.len() as u64));
        live.show(words, words);
        if interrupt::asked() {
            bail!("stopped before anything was imported");
        }
        let played = record.as_ref().map_err(InputError::to_string).and_then(|record| {
            devices.push(record.tags.get("Device").cloned());
            ImportedGame::of(record).map_err(|error| error.to_string())
        });
        match played {
            Ok(game) => games.push(game),
            Err(error) => bad.push((*line, error)),
        }
    }
    drop(live);
    // A device is that of all games, or it is not known.
    let device = devices.pop().flatten().filter(|last| devices.iter().all(|device| device.as_ref() == Some(last)));
    let runs = import(&open_store(global)?, games, &hash(text.as_bytes()), command(), device.as_deref().unwrap_or_default())?;
    print(&runs, &bad, global, out)?;
    if bad.is_empty() {
        return Ok(());
    }
    let mut words: Vec<String> = bad.iter().take(NAMED).map(|(line, error)| bad_game(*line, error)).collect();
    words.extend((bad.len() > NAMED).then(|| format!("and {} more", count((bad.len() - NAMED) as u64))));
    let games = if bad.len() == 1 { "1 game was".to_owned() } else { format!("{} games were", count(bad.len() as u64)) };
    bail!("{}: {games} not imported:\n  {}", args.file.display(), words.join("\n  "));
}

/// What is wrong with the game that begins on a line. A reader names the line itself.
fn bad_game(line: usize, error: &str) -> String {
    if error.contains(": line ") { format!("the game of line {line}: {error}") } else { format!("line {line}: {error}") }
}

fn print(runs: &[ImportedRun], bad: &[(usize, String)], global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    if global.json {
        let run = |run: &ImportedRun| {
            json!({"run": run.run.id, "game": run.run.experiment.game, "players": run.run.experiment.agents, "games": run.games,
                "new": run.new})
        };
        let refused = |(line, error): &(usize, String)| json!({"line": line, "error": error});
        let runs: Vec<Value> = runs.iter().map(run).collect();
        let named: Vec<Value> = bad.iter().take(NAMED).map(refused).collect();
        return print_json(out, &json!({"runs": runs, "refused": bad.len(), "first_refused": named}));
    }
    for run in runs {
        let there = if run.new < run.games { format!(", {} of them new", count(run.new)) } else { String::new() };
        let games = if run.games == 1 { "1 game".to_owned() } else { format!("{} games", count(run.games)) };
        writeln!(out, "run {}: {games} of {}{there}", run.run.id, run.run.experiment.game)?;
        if run.merged && !global.quiet {
            writeln!(
                out,
                "players that differ in numbers only are one player of the run: {}",
                run.run.experiment.agents.join("; ")
            )?;
        }
        if !global.quiet {
            let positions = format!("ply runs positions {} --out positions", run.run.id);
            writeln!(out, "see it with: ply runs show {0}, ply report {0}, {positions}", run.run.id)?;
        }
    }
    Ok(())
}
