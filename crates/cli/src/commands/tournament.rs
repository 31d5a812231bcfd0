//! `ply tournament GAME SPEC…`: several agents play each other.

use std::io::Write;

use plyground_lab::statistics::score_words;
use plyground_lab::{Book, Format, Results, Run, pairings, swiss_round};
use serde_json::{Value, json};

use crate::args::{Global, Tournament};
use crate::experiments::{Conduct, EventLog, footer, match_json, open_store, run_of, standings, stopped};
use crate::interrupt;
use crate::terminal::{Lean, columns, print_json, print_notes};

pub fn run(args: &Tournament, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let agents = args.agents.len();
    // As many rounds as a knock-out would take, and two more: then the order of the best is hardly luck.
    let enough_rounds = agents.next_power_of_two().ilog2() + 2;
    let format = if args.swiss {
        Format::Swiss { rounds: args.rounds.unwrap_or(enough_rounds), pairs: args.pairs }
    } else if args.gauntlet {
        Format::Gauntlet
    } else {
        Format::RoundRobin
    };
    let run = run_of(&args.game, &args.agents, format, &args.conditions, global)?;
    let store = open_store(global)?;
    let log = EventLog::open(&args.conditions)?;
    interrupt::catch()?;
    let summary = |results: &Results| standings(&run, results);
    let conduct = Conduct {
        summary: &summary,
        log: log.as_ref(),
        ..Conduct::new(&store, &run, args.conditions.threads, global.quiet || global.json)
    };
    let mut book = Book::new(&run.experiment)?;
    let mut met = pairings(format, agents);
    let (mut results, mut complete) = conduct.play(&mut book, &met, args.pairs)?;
    if let Format::Swiss { rounds, .. } = format {
        for _ in 1..rounds {
            // By the rounds before this one alone: when a run goes on, later ones may be there already.
            let round = swiss_round(agents, &met, |agent| results.of_pairings(agent, &met).sample().mean);
            if round.is_empty() || !complete {
                break;
            }
            met.extend(round);
            (results, complete) = conduct.play(&mut book, &met, args.pairs)?;
        }
    }
    if !complete {
        print_notes(&[stopped(&run)], global.quiet);
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
    let matches: Vec<Value> = results
        .matches()
        .map(|(pairing, result)| {
            match_json(pairing.map(|agent| agents[agent].as_str()), result, results.redundancy_between(pairing))
        })
        .collect();
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
            score_words(result),
        ]);
    }
    columns([Lean::Left, Lean::Left, Lean::Right, Lean::Right], &rows)
}
