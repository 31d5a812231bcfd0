//! `ply tournament GAME SPEC…`: several agents play each other.

use std::io::Write;

use plyground_match::{AgentFactory, Format, Results, Run, results_json};
use plyground_statistics::score_words;

use crate::engines::CommandResources;
use crate::executor::executor;
use crate::runs::{driver, open_store, play, run_of};
use plyground_args::{Global, TournamentArgs, pairs_of};
use plyground_terminal::interrupt;
use plyground_terminal::{EventLog, RunView, footer, standings};
use plyground_terminal::{Lean, columns, print_json, print_notes};

/// Pairs for each two that meet, where no number is asked for.
const PAIRS: u64 = 50;

pub fn run(args: &TournamentArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let pairs = pairs_of(args.pairs, args.games, PAIRS)?;
    let format = if args.swiss {
        Format::swiss(args.agents.len(), args.rounds, pairs)
    } else if args.gauntlet {
        Format::Gauntlet
    } else {
        Format::RoundRobin
    };
    let run = run_of(&args.game, &args.agents, format, &args.conditions, global)?;
    let store = open_store(global)?;
    let log = EventLog::open(args.conditions.events.as_deref())?;
    interrupt::catch()?;
    let executor = executor(args.conditions.threads, &args.conditions.fleet, global.quiet)?;
    let summary = |results: &Results| standings(&run, results);
    let view = RunView::new(&store, global.quiet || global.json).with_summary(&summary).with_log(log.as_ref()).lasting(args.time);
    let players = AgentFactory::of_run(&CommandResources, &run);
    let (results, unfinished) = play(driver(&store, &run, executor.as_ref(), &players, &view), pairs, args.time)?;
    view.check_log(&run)?;
    print_notes(unfinished.as_slice(), global.quiet);
    if global.json {
        return print_json(out, &results_json(&run, &results));
    }
    writeln!(out, "{}: run {}\n", run.experiment.game, run.id)?;
    writeln!(out, "{}", standings(&run, &results))?;
    writeln!(out, "{}", matches(&run, &results))?;
    write!(out, "{}", footer(&run, &results))?;
    Ok(())
}

/// Every match in a line.
pub fn matches(run: &Run, results: &Results) -> String {
    let mut rows = vec![["match", "", "won drawn lost", "score"].map(str::to_owned)];
    for ([one, other], result) in results.matches() {
        let tally = result.tally();
        rows.push([
            run.experiment.agents[one].clone(),
            run.experiment.agents[other].clone(),
            format!("{} {} {}", tally.wins, tally.draws, tally.losses),
            score_words(result),
        ]);
    }
    columns([Lean::Left, Lean::Left, Lean::Right, Lean::Right], &rows)
}
