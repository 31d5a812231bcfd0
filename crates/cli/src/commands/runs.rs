//! `ply runs`: what was played.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use plyground_match::{Results, Run, RunPrefix, RunRow, Store, results_json};
use plyground_session::{JSON_LINES, RecordFormat, format_named};
use plyground_train::positions::{Counts, PARTS, write_positions};
use serde_json::{Value, json};

use crate::args::{Global, RunsAction, RunsArgs};
use crate::commands::tournament::matches;
use crate::runs::open_store;
use crate::store::{typed, write_whole};
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
            let run = store.find(run)?.run;
            let bytes = if *csv {
                plyground_match::csv(&store, &run)?.into_bytes()
            } else if *parquet {
                plyground_match::parquet(&store, &run)?
            } else {
                records(&store, &run, format)?.into_bytes()
            };
            match file {
                Some(file) => Ok(write_whole(file, bytes)?),
                None => Ok(out.write_all(&bytes)?),
            }
        }
        Some(RunsAction::Positions { run, out: file, planes }) => positions(&store, run, file, planes, global, out),
        Some(RunsAction::Rm { run }) => {
            let row = store.find(run)?;
            store.remove(&row.run.id)?;
            if !global.quiet {
                writeln!(out, "run {} with {} games is gone", row.run.id, count(row.games))?;
            }
            Ok(())
        }
    }
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
    let RunRow { run, command, pairs, done, .. } = store.find(name)?;
    let results = Results::read(store, run.experiment.seats, RunPrefix::all(&run.id))?;
    if global.json {
        return print_json(out, &results_json(&run, &results));
    }
    writeln!(out, "{}: run {}, {} of {} pairs\n{command}\n", run.experiment.game, run.id, count(done), count(pairs))?;
    writeln!(out, "{}", standings(&run, &results))?;
    writeln!(out, "{}", matches(&run, &results))?;
    write!(out, "{}", footer(&run, &results))?;
    Ok(())
}

fn positions(store: &Store, name: &str, file: &Path, planes: &str, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let RunRow { run, games, .. } = store.find(name)?;
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

/// All games in a format of records.
fn records(store: &Store, run: &Run, format: RecordFormat) -> anyhow::Result<String> {
    let mut records = Vec::new();
    store.games(RunPrefix::all(&run.id), |game| records.push(game.record(&run.experiment)))?;
    (format.write)(&records).with_context(|| format!("run {} as {}", run.id, format.name))
}
