//! `ply match GAME SPEC SPEC`: who of two is stronger.

use std::io::Write;

use plyground_match::{AgentFactory, Experiment, Format, Results, Run, Seats, add_uncounted, match_json};
use plyground_session::InputError;
use plyground_statistics::{describe_match, score_words};

use crate::engines::CommandResources;
use crate::executor::executor;
use crate::runs::{driver, open_store, play, run_of};
use plyground_args::{Global, MatchArgs, SeatsArg, pairs_of};
use plyground_terminal::interrupt;
use plyground_terminal::{EventLog, RunView, footer};
use plyground_terminal::{Lean, columns, count, print_json, print_notes};

pub fn run(args: &MatchArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let (run, jobs) = asked_for(args, global)?;
    let store = open_store(global)?;
    let log = EventLog::open(args.conditions.events.as_deref())?;
    interrupt::catch()?;
    let executor = executor(args.conditions.threads, &args.conditions.fleet, global.quiet)?;
    let names = [args.one.as_str(), args.other.as_str()];
    // With fixed seats an agent may meet itself: then there is one agent.
    let agents = [0, run.experiment.agents.len() - 1];
    let words = |results: &Results| match agents {
        [0, 0] => format!("{} against itself: what the first move is worth", names[0]),
        _ => describe_match(names[0], names[1], &results.between(agents)),
    };
    let summary = |results: &Results| words(results);
    let view = RunView::new(&store, global.quiet || global.json).with_summary(&summary).with_log(log.as_ref()).lasting(args.time);
    let players = AgentFactory::of_run(&CommandResources, &run);
    let (results, unfinished) = play(driver(&store, &run, executor.as_ref(), &players, &view), jobs, args.time)?;
    view.check_log(&run)?;
    print_notes(unfinished.as_slice(), global.quiet);
    let result = results.between(agents);
    if global.json {
        let mut page = match_json(names, &result, results.redundancy());
        add_uncounted(&mut page, &results);
        return print_json(out, &page);
    }
    writeln!(out, "{}: run {}\n", run.experiment.game, run.id)?;
    let is_fixed = run.experiment.seats == Seats::Fixed;
    let mut rows = vec![["", "won", "drawn", "lost"].map(str::to_owned)];
    let seats = [("moving first", result[0]), ("moving second", result[1]), ("in all", result.tally())];
    for (words, tally) in seats.into_iter().take(if is_fixed { 1 } else { 3 }) {
        let [won, drawn, lost] = [tally.wins, tally.draws, tally.losses].map(count);
        rows.push([format!("{} {words}", names[0]), won, drawn, lost]);
    }
    write!(out, "{}", columns([Lean::Left, Lean::Right, Lean::Right, Lean::Right], &rows))?;
    let pairs = if is_fixed { String::new() } else { format!("; pairs by points (0, 1/2, 1, 1 1/2, 2): {:?}", result.pairs().0) };
    writeln!(out, "\nscore {}{pairs}", score_words(&result))?;
    let [one, other] = agents.map(|agent| results.mean_ms(agent).map_or("-".to_owned(), |ms| format!("{ms:.2} ms")));
    writeln!(out, "time for a move: {} {one}, {} {other}", names[0], names[1])?;
    write!(out, "{}", footer(&run, &results))?;
    writeln!(out, "{}", words(&results))?;
    Ok(())
}

/// Pairs that are played without being asked for a number.
const PAIRS: u64 = 100;

/// The run, and how much of it is wanted: pairs, or games where the seats are fixed.
fn asked_for(args: &MatchArgs, global: &Global) -> anyhow::Result<(Run, u64)> {
    let against_itself = args.one == args.other;
    let run = || {
        let (agents, format) = if against_itself {
            (vec![args.one.clone()], Format::SelfPlay)
        } else {
            (vec![args.one.clone(), args.other.clone()], Format::RoundRobin)
        };
        run_of(&args.game, &agents, format, &args.conditions, global)
    };
    match (args.seats, args.pairs) {
        (SeatsArg::Swapped, _) if against_itself => {
            let detail = "with swapped seats an agent plays against others; expected another one, or --seats fixed";
            Err(InputError::malformed("opponent", &args.other, detail).into())
        }
        (SeatsArg::Swapped, pairs) => {
            let pairs = pairs_of(pairs, args.games, PAIRS)?;
            Ok((run()?, pairs))
        }
        (SeatsArg::Fixed, None) => {
            let experiment = Experiment { seats: Seats::Fixed, ..run()?.experiment };
            Ok((experiment.run(), args.games.unwrap_or(2 * PAIRS)))
        }
        (SeatsArg::Fixed, Some(pairs)) => {
            let detail =
                format!("with --seats fixed no game has another one beside it; expected --games, as in --games {}", 2 * pairs);
            Err(InputError::malformed("option", &format!("--pairs {pairs}"), detail).into())
        }
    }
}
