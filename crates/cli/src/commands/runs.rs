//! `ply runs`: what was played.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};
use plyground_match::{Results, RunPrefix, RunRow, Seats, Store, StoreCheck, results_json};
use plyground_session::{JSON_LINES, RecordFormat, format_named, write_as};
use plyground_train::positions::{Counts, PARTS, write_positions};
use serde_json::{Value, json};

use crate::args::{Global, RunsAction, RunsArgs};
use crate::commands::tournament::matches;
use crate::runs::{find_run, open_store};
use crate::store::{Origin, typed, write_whole};
use plyground_terminal::LiveText;
use plyground_terminal::{Lean, columns, count, print_json};
use plyground_terminal::{footer, standings};

pub fn run(args: &RunsArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let store = open_store(global)?;
    match &args.action {
        None => list(&store, global, out),
        Some(RunsAction::Show { run }) => show(&store, run, global, out),
        Some(RunsAction::Games { run, csv, parquet, to, out: file }) => {
            let format = to.as_deref().map_or(Ok(JSON_LINES), format_named)?;
            let row = find_run(&store, run)?;
            let bytes = if *csv {
                plyground_match::csv(&store, &row.run)?.into_bytes()
            } else if *parquet {
                plyground_match::parquet(&store, &row.run)?
            } else {
                records(&store, &row, format)?.into_bytes()
            };
            match file {
                Some(file) => Ok(write_whole(file, bytes)?),
                None => Ok(out.write_all(&bytes)?),
            }
        }
        Some(RunsAction::Positions { run, out: file, planes }) => positions(&store, run, file, planes, global, out),
        Some(RunsAction::Check { repair }) => check(&store, *repair, global, out),
        Some(RunsAction::Rm { run }) => {
            let row = match find_run(&store, run) {
                // A run whose settings are damaged is not found, but its name is known from `ply runs check`.
                Err(_) if store.remove(run)? => return Ok(writeln!(out, "run {run} with its games is gone")?),
                found => found?,
            };
            store.remove(&row.run.id)?;
            if !global.quiet {
                writeln!(out, "run {} with {} games is gone", row.run.id, count(row.games))?;
            }
            Ok(())
        }
    }
}

/// Says what is damaged. That is an error, and what is left after a repair, too.
fn check(store: &Store, repair: bool, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let found = store.check()?;
    let left = if repair && !found.is_intact() { store.repair()? } else { found.clone() };
    if global.json {
        let damage: Vec<String> = found.damage.iter().map(ToString::to_string).collect();
        let page = json!({"runs": found.runs, "jobs": found.jobs, "games": found.games, "damage": damage,
            "structure": found.structure, "left": left.damage.len() + left.structure.len()});
        print_json(out, &page)?;
    } else {
        let [runs, jobs, games] = [found.runs, found.jobs, found.games].map(count);
        writeln!(out, "read: runs {runs}, jobs {jobs}, games {games}")?;
        found.structure.iter().try_for_each(|line| writeln!(out, "damaged: the file: {line}"))?;
        found.damage.iter().try_for_each(|damage| writeln!(out, "damaged: {damage}"))?;
        if found.is_intact() {
            writeln!(out, "nothing is damaged")?;
        } else if left.is_intact() {
            writeln!(out, "repaired: the same commands play again what was removed")?;
        }
    }
    let number = left.damage.len() + left.structure.len();
    match (left.is_intact(), repair) {
        (true, _) => Ok(()),
        (false, false) => bail!("the store is damaged in {number} places; repair it with: ply runs check --repair"),
        (false, true) => bail!("the store is still damaged in {number} places: {}", remaining(&left)),
    }
}

/// What could not be repaired.
fn remaining(left: &StoreCheck) -> String {
    let lines = left.structure.iter().cloned().chain(left.damage.iter().map(ToString::to_string));
    lines.take(5).collect::<Vec<_>>().join("; ")
}

fn list(store: &Store, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let runs = store.runs()?;
    if global.json {
        let page: Vec<Value> = runs
            .iter()
            .map(|row| {
                json!({"run": row.run.id, "settings": row.run.experiment, "command": row.command, "begun": row.begun,
                    "pairs": row.pairs, "done": row.done, "games": row.games})
            })
            .collect();
        return print_json(out, &page.into());
    }
    if runs.is_empty() && !global.quiet {
        writeln!(out, "nothing was played yet; begin with: ply match clobber mcts:sims=100 mcts:sims=1000")?;
        return Ok(());
    }
    let mut rows = vec![["run", "pairs", "done", "games", "command"].map(str::to_owned)];
    rows.extend(runs.into_iter().map(|row| [row.run.id, count(row.pairs), count(row.done), count(row.games), row.command]));
    write!(out, "{}", columns([Lean::Left, Lean::Right, Lean::Right, Lean::Right, Lean::Left], &rows))?;
    Ok(())
}

fn show(store: &Store, name: &str, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let RunRow { run, command, pairs, done, .. } = find_run(store, name)?;
    let results = Results::read(store, run.experiment.seats, RunPrefix::all(&run.id))?;
    if global.json {
        return print_json(out, &results_json(&run, &results));
    }
    let unit = match run.experiment.seats {
        Seats::Swapped => "pairs",
        Seats::Fixed => "games",
    };
    writeln!(out, "{}: run {}, {} of {} {unit}\n{command}\n", run.experiment.game, run.id, count(done), count(pairs))?;
    writeln!(out, "{}", standings(&run, &results))?;
    writeln!(out, "{}", matches(&run, &results))?;
    write!(out, "{}", footer(&run, &results))?;
    Ok(())
}

fn positions(store: &Store, name: &str, file: &Path, planes: &str, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let RunRow { run, games, .. } = find_run(store, name)?;
    let mut live = LiveText::new(global.quiet || global.json);
    let counts = write_positions(store, &run, planes, global.seed.unwrap_or(0), file, &mut |done| {
        let line = || format!("{} of {} games", count(done), count(games));
        live.show(line, line);
    })?;
    drop(live);
    let parts = || PARTS.iter().map(|part| part.0).zip(counts);
    if global.json {
        let part =
            |(name, counts): (&str, Counts)| (name.to_owned(), json!({"games": counts.games, "positions": counts.positions}));
        let parts: serde_json::Map<String, Value> = parts().map(part).collect();
        return print_json(out, &json!({"run": run.id, "encoding": planes, "parts": parts}));
    }
    if !global.quiet {
        let part =
            |(name, counts): (&str, Counts)| format!("{name} {} of {} games", count(counts.positions), count(counts.games));
        writeln!(out, "{}: positions for {}", typed(file), parts().map(part).collect::<Vec<_>>().join(", "))?;
    }
    Ok(())
}

/// All games in a format of records, with their dates and the device of the run.
fn records(store: &Store, RunRow { run, machine, .. }: &RunRow, format: RecordFormat) -> anyhow::Result<String> {
    let mut records = Vec::new();
    store.games(RunPrefix::all(&run.id), |game| {
        // An imported game has no time if its record had none.
        let date = (game.ended != 0).then_some(game.ended);
        records.push(Origin::new(date, machine).stamp(game.record(&run.experiment)));
    })?;
    write_as(&format, &records).with_context(|| format!("run {} as {}", run.id, format.name))
}
