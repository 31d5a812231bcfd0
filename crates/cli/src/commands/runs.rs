//! `ply runs`: what was played.

use std::io::Write;

use plyground_lab::{Lot, Results, Run, RunRow, Store};
use plyground_table::JSON_LINES;
use serde_json::{Value, json};

use crate::args::{Global, Runs, RunsAction};
use crate::commands::tournament::{matches, page};
use crate::experiments::{footer, open_store, standings};
use crate::store::write_whole;
use crate::terminal::{Lean, columns, count, print_json};

pub fn run(args: &Runs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let store = open_store(global)?;
    match &args.action {
        None => list(&store, global, out),
        Some(RunsAction::Show { run }) => show(&store, run, global, out),
        Some(RunsAction::Games { run, csv, parquet, out: file }) => {
            let run = store.find(run)?.run;
            let bytes = if *csv {
                plyground_lab::csv(&store, &run)?.into_bytes()
            } else if *parquet {
                plyground_lab::parquet(&store, &run)?
            } else {
                records(&store, &run)?.into_bytes()
            };
            match file {
                Some(file) => write_whole(file, bytes),
                None => Ok(out.write_all(&bytes)?),
            }
        }
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
    let results = Results::read(store, run.experiment.seats, Lot::all(&run.id))?;
    if global.json {
        return print_json(out, &page(&run, &results));
    }
    writeln!(out, "{}: run {}, {} of {} pairs\n{command}\n", run.experiment.game, run.id, count(done), count(pairs))?;
    writeln!(out, "{}", standings(&run, &results))?;
    writeln!(out, "{}", matches(&run, &results))?;
    write!(out, "{}", footer(&run, &results))?;
    Ok(())
}

/// One record a line.
fn records(store: &Store, run: &Run) -> anyhow::Result<String> {
    let mut records = Vec::new();
    store.games(Lot::all(&run.id), |game| records.push(game.record(&run.experiment)))?;
    Ok((JSON_LINES.write)(&records)?)
}
