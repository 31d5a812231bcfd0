//! `ply tournament GAME SPEC…`: several agents play each other.

use std::io::Write;

use plyground_lab::{Format, Results, Run, jobs, pairings, swiss_round};
use serde_json::{Value, json};

use crate::args::{Global, Tournament};
use crate::experiments::{Conduct, footer, match_json, open_store, run_of, score, standings};
use crate::interrupt;
use crate::terminal::{Lean, columns, print_json, print_notes};

pub fn run(args: &Tournament, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let run = run_of(&args.game, &args.agents, &args.conditions, global)?;
    let store = open_store(global)?;
    interrupt::catch()?;
    let summary = |results: &Results| standings(&run, results);
    let conduct = Conduct {
        store: &store,
        run: &run,
        threads: args.conditions.threads,
        quiet: global.quiet || global.json,
        summary: &summary,
        enough: &|_| false,
    };
    let agents = run.experiment.agents.len();
    let format = if args.gauntlet { Format::Gauntlet } else { Format::RoundRobin };
    let mut all = if args.swiss.is_some() { Vec::new() } else { pairings(format, agents) };
    let (mut results, mut complete) = (Results::default(), true);
    match args.swiss {
        None => (results, complete) = conduct.play(&jobs(&run, &all, 0..args.pairs)?)?,
        Some(rounds) => {
            // As many rounds as a knock-out would take, and two more: then the order of the best is hardly luck.
            let rounds = if rounds == 0 { agents.next_power_of_two().ilog2() + 2 } else { rounds };
            for _ in 0..rounds {
                // The order of the agents says nothing in the first round; later ones are as the results of the rounds before want them.
                let round = swiss_round(agents, &all, |agent| results.of(agent).sample().mean);
                if round.is_empty() || !complete {
                    break;
                }
                all.extend(round);
                (results, complete) = conduct.play(&jobs(&run, &all, 0..args.pairs)?)?;
            }
        }
    }
    if !complete {
        print_notes(&[format!("stopped; the same command goes on with run {}", run.id)], global.quiet);
    }
    if global.json {
        return print_json(out, &page(&run, &results));
    }
    writeln!(out, "{}: run {}\n", run.experiment.game, run.id)?;
    writeln!(out, "{}", standings(&run, &results))?;
    writeln!(out, "{}", matches(&run, &results))?;
    write!(out, "{}", footer(&run, &results))?;
    Ok(())
}

/// Everything for programs.
pub fn page(run: &Run, results: &Results) -> Value {
    let agents = &run.experiment.agents;
    let matches: Vec<Value> =
        results.matches().map(|([one, other], result)| match_json([&agents[one], &agents[other]], result, results)).collect();
    let faults: Vec<Value> =
        results.faults().map(|(agent, fault, games)| json!({"agent": agents[agent], "fault": fault, "games": games})).collect();
    let [first, draws, second] = results.by_seat();
    json!({
        "run": run.id,
        "game": run.experiment.game,
        "agents": agents,
        "matches": matches,
        "games": results.games(),
        "first_won": first,
        "drawn": draws,
        "second_won": second,
        "plies": results.mean_plies(),
        "redundancy": results.redundancy(),
        "faults": faults,
    })
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
            score(result),
        ]);
    }
    columns([Lean::Left, Lean::Left, Lean::Right, Lean::Right], &rows)
}
