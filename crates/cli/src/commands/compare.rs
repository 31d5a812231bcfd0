//! `ply compare GAME SPEC SPEC…`: what agents would play in a position, and what it costs them.

use std::io::Write;

use plyground_session::{Advice, Seed, open};
use serde_json::Value;

use crate::commands::think::{advice_json, ask, mover};
use crate::engines::CommandResources;
use plyground_args::{CompareArgs, Global};
use plyground_terminal::interrupt;
use plyground_terminal::{Lean, columns, count, percent, print_json, print_notes, rate, seconds, shortened, status_line, table};

pub fn run(args: &CompareArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let mut session = open(&args.place.game, args.place.position.as_deref())?;
    mover(session.as_ref())?;
    let seed = Seed(global.seed_or_time());
    // A mistake in the last spec should not come to light after the first has thought for an hour.
    let seats = args.agents.iter().map(|agent| session.seat(agent, seed, &CommandResources)).collect::<Result<Vec<_>, _>>()?;
    interrupt::catch()?;
    let mut answers: Vec<(&str, Advice)> = Vec::new();
    for (agent, seat) in args.agents.iter().zip(seats) {
        if interrupt::asked() {
            break;
        }
        let number = answers.len() + 1;
        let heading = format!("{number} of {}: {agent} thinks about {}", args.agents.len(), session.spec());
        let advice = ask(session.as_mut(), seat, args.budget.limits(), heading, global.quiet)?;
        let notes: Vec<String> = advice.notes.iter().map(|note| format!("{agent}: {note}")).collect();
        print_notes(&notes, global.quiet);
        answers.push((agent, advice));
    }
    let unasked = &args.agents[answers.len()..];
    if !unasked.is_empty() {
        print_notes(&[format!("stopped before {} could be asked", unasked.join(", "))], global.quiet);
    }
    if global.json {
        return print_json(out, &answers.iter().map(|(agent, advice)| advice_json(agent, advice)).collect::<Value>());
    }
    if !global.quiet {
        writeln!(out, "{}{}\n", table(session.as_ref()), status_line(session.as_ref()))?;
    }
    writeln!(out, "{}\n{}", comparison(&answers), agreement(&answers))?;
    Ok(())
}

fn comparison(answers: &[(&str, Advice)]) -> String {
    const HEAD: [&str; 9] = ["agent", "move", "win chance", "depth", "nodes", "simulations", "time", "a second", "line"];
    let row = |(agent, advice): &(&str, Advice)| {
        let (number, unit) = if advice.simulations > 0 { (advice.simulations, "sims") } else { (advice.nodes, "nodes") };
        [
            (*agent).to_owned(),
            advice.mv.clone(),
            advice.value.map_or("-".to_owned(), percent),
            advice.depth.map_or("-".to_owned(), |depth| depth.to_string()),
            count(advice.nodes),
            count(advice.simulations),
            seconds(advice.elapsed),
            rate(number, advice.elapsed).filter(|_| number > 0).map_or("-".to_owned(), |rate| format!("{rate} {unit}")),
            shortened(&advice.line, 6),
        ]
    };
    let mut rows = vec![HEAD.map(str::to_owned)];
    rows.extend(answers.iter().map(row));
    let mut leans = [Lean::Right; HEAD.len()];
    (leans[0], leans[1], leans[HEAD.len() - 1]) = (Lean::Left, Lean::Left, Lean::Left);
    columns(leans, &rows)
}

/// Who plays what, the most popular move first.
fn agreement(answers: &[(&str, Advice)]) -> String {
    let mut camps: Vec<(&str, Vec<&str>)> = Vec::new();
    for (agent, advice) in answers {
        match camps.iter_mut().find(|(mv, _)| *mv == advice.mv) {
            Some((_, agents)) => agents.push(agent),
            None => camps.push((&advice.mv, vec![agent])),
        }
    }
    // Stable: of equals the one that was named first.
    camps.sort_by_key(|(_, agents)| std::cmp::Reverse(agents.len()));
    match camps.as_slice() {
        [(mv, agents)] if agents.len() == 2 => format!("Both play {mv}."),
        [(mv, agents)] if agents.len() > 2 => format!("All {} play {mv}.", agents.len()),
        [_] => "One agent alone cannot disagree.".to_owned(),
        _ if camps.iter().all(|(_, agents)| agents.len() == 1) => "No two of them play the same move.".to_owned(),
        _ => {
            let camp = |(mv, agents): &(&str, Vec<&str>)| format!("{mv} is played by {} ({})", agents.len(), agents.join(", "));
            format!("They differ: {}.", camps.iter().map(camp).collect::<Vec<_>>().join("; "))
        }
    }
}
