//! `ply match GAME SPEC SPEC`: who of two is stronger.

use std::io::Write;

use plyground_lab::statistics::describe_match;
use plyground_lab::{Results, jobs};

use crate::args::{Global, Match};
use crate::experiments::{Conduct, footer, match_json, open_store, run_of, score};
use crate::interrupt;
use crate::terminal::{Lean, columns, print_json, print_notes};

pub fn run(args: &Match, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let run = run_of(&args.game, &args.agents, &args.conditions, global)?;
    let store = open_store(global)?;
    interrupt::catch()?;
    let jobs = jobs(&run, &[[0, 1]], 0..args.pairs)?;
    let names = [args.agents[0].as_str(), args.agents[1].as_str()];
    let summary = |results: &Results| describe_match(names[0], names[1], &results.between([0, 1]));
    let conduct = Conduct {
        store: &store,
        run: &run,
        threads: args.conditions.threads,
        quiet: global.quiet || global.json,
        summary: &summary,
        enough: &|_| false,
    };
    let (results, complete) = conduct.play(&jobs)?;
    if !complete {
        print_notes(&[format!("stopped; the same command goes on with run {}", run.id)], global.quiet);
    }
    let result = results.between([0, 1]);
    if global.json {
        return print_json(out, &match_json(names, &result, &results));
    }
    writeln!(out, "{}: run {}\n", run.experiment.game, run.id)?;
    let mut rows = vec![["", "won", "drawn", "lost", "ms a move"].map(str::to_owned)];
    for (seat, words) in [(plyground_table::Player::First, "moving first"), (plyground_table::Player::Second, "moving second")] {
        let tally = result[seat];
        let ms = String::new();
        rows.push([
            format!("{} {words}", names[0]),
            tally.wins.to_string(),
            tally.draws.to_string(),
            tally.losses.to_string(),
            ms,
        ]);
    }
    let tally = result.tally();
    let ms = |agent: usize| results.mean_ms(agent).map_or("-".to_owned(), |ms| format!("{ms:.2}"));
    rows.push([
        format!("{} in all", names[0]),
        tally.wins.to_string(),
        tally.draws.to_string(),
        tally.losses.to_string(),
        format!("{} (the other {})", ms(0), ms(1)),
    ]);
    write!(out, "{}", columns([Lean::Left, Lean::Right, Lean::Right, Lean::Right, Lean::Right], &rows))?;
    writeln!(out, "\nscore {}; pairs by points (0, 1/2, 1, 1 1/2, 2): {:?}", score(&result), result.pairs().0)?;
    write!(out, "{}", footer(&run, &results))?;
    writeln!(out, "{}", describe_match(names[0], names[1], &result))?;
    Ok(())
}
