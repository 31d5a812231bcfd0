//! `ply match GAME SPEC SPEC`: who of two is stronger.

use std::io::Write;

use plyground_match::{AgentFactory, Format, Results, add_uncounted, match_json};
use plyground_statistics::{describe_match, score_words};

use crate::args::{Global, MatchArgs};
use crate::engines::CommandResources;
use crate::executor::executor;
use crate::runs::{driver, open_store, run_of, stopped};
use plyground_terminal::interrupt;
use plyground_terminal::{EventLog, RunView, footer};
use plyground_terminal::{Lean, columns, count, print_json, print_notes};

pub fn run(args: &MatchArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let run = run_of(&args.game, &[args.one.clone(), args.other.clone()], Format::RoundRobin, &args.conditions, global)?;
    let store = open_store(global)?;
    let log = EventLog::open(args.conditions.events.as_deref())?;
    interrupt::catch()?;
    let executor = executor(args.conditions.threads, &args.conditions.queue, global.quiet)?;
    let names = [args.one.as_str(), args.other.as_str()];
    let summary = |results: &Results| describe_match(names[0], names[1], &results.between([0, 1]));
    let view = RunView::new(&store, global.quiet || global.json).with_summary(&summary).with_log(log.as_ref());
    let players = AgentFactory::of_run(&CommandResources, &run);
    let (results, complete) = driver(&store, &run, executor.as_ref(), &players, &view).play_format(args.pairs)?;
    view.check_log(&run)?;
    if !complete {
        print_notes(&[stopped(&run)], global.quiet);
    }
    let result = results.between([0, 1]);
    if global.json {
        let mut page = match_json(names, &result, results.redundancy());
        add_uncounted(&mut page, &results);
        return print_json(out, &page);
    }
    writeln!(out, "{}: run {}\n", run.experiment.game, run.id)?;
    let mut rows = vec![["", "won", "drawn", "lost"].map(str::to_owned)];
    let seats = [("moving first", result[0]), ("moving second", result[1]), ("in all", result.tally())];
    for (words, tally) in seats {
        let [won, drawn, lost] = [tally.wins, tally.draws, tally.losses].map(count);
        rows.push([format!("{} {words}", names[0]), won, drawn, lost]);
    }
    write!(out, "{}", columns([Lean::Left, Lean::Right, Lean::Right, Lean::Right], &rows))?;
    writeln!(out, "\nscore {}; pairs by points (0, 1/2, 1, 1 1/2, 2): {:?}", score_words(&result), result.pairs().0)?;
    let [one, other] = [0, 1].map(|agent| results.mean_ms(agent).map_or("-".to_owned(), |ms| format!("{ms:.2} ms")));
    writeln!(out, "time for a move: {} {one}, {} {other}", names[0], names[1])?;
    write!(out, "{}", footer(&run, &results))?;
    writeln!(out, "{}", describe_match(names[0], names[1], &result))?;
    Ok(())
}
