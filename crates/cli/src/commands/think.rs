//! `ply think GAME`: an agent thinks about a position; what it sees on the way, and what it chooses.

use std::io::Write;

use anyhow::bail;
use plyground_core::WallClock;
use plyground_session::{Advice, Clock, Fact, InputError, Limits, Player, Seat, Seed, Session, Turn, open};
use serde_json::{Value, json};

use crate::engines::CommandResources;
use plyground_args::{Global, ThinkArgs};
use plyground_terminal::interrupt;
use plyground_terminal::{Lean, columns, count, percent, print_json, print_notes, rate, seconds, shortened, status_line, table};
use plyground_terminal::{LiveSearch, candidate_row};

/// Moves that are listed without `--explain`.
const TOP_MOVES: usize = 5;

pub fn run(args: &ThinkArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let mut session = open(&args.place.game, args.place.position.as_deref())?;
    let mover = mover(session.as_ref())?;
    let seat = session.seat(&args.agent, Seed(global.seed_or_time()), &CommandResources)?;
    interrupt::catch()?;
    let heading = format!("{} thinks about {}", args.agent, session.spec());
    let advice = ask(session.as_mut(), seat, args.budget.limits(), heading, global.quiet)?;
    print_notes(&advice.notes, global.quiet);
    if global.json {
        return print_json(out, &advice_json(&args.agent, &advice));
    }
    if !global.quiet {
        writeln!(out, "{}{}\n", table(session.as_ref()), status_line(session.as_ref()))?;
    }
    let name = session.info().players[mover.index()];
    write!(out, "{}", columns([Lean::Left; 2], &summary(&advice, name)))?;
    let shown = if args.explain { advice.candidates.len() } else { TOP_MOVES };
    let mut rows = vec![["  move", "visits", "win chance"].map(str::to_owned)];
    rows.extend(advice.candidates.iter().take(shown).map(candidate_row));
    if rows.len() > 1 {
        writeln!(out, "\n{}", columns([Lean::Left, Lean::Right, Lean::Right], &rows).trim_end())?;
        if advice.candidates.len() > shown {
            writeln!(out, "  and {} more", advice.candidates.len() - shown)?;
        }
    }
    if args.explain {
        writeln!(out, "\n{}", columns([Lean::Left, Lean::Right], &explanation(&advice)).trim_end())?;
        writeln!(out, "principal variation: {}", advice.line.join(" "))?;
    }
    Ok(())
}

/// The player to move; an error that says what else is the case when it is no player's turn.
pub fn mover(session: &dyn Session) -> anyhow::Result<Player> {
    match session.turn() {
        Turn::Player(player) => Ok(player),
        Turn::Chance => {
            let possible = session.outcomes().into_iter().map(|(text, _)| text).collect();
            Err(InputError::ChanceNeeded { found: None, possible }.into())
        }
        Turn::Over(_) => bail!("there is nothing to think about: {}", status_line(session)),
    }
}

/// Lets a seated agent think, with the live view.
pub fn ask(session: &mut dyn Session, seat: Seat, limits: Limits, heading: String, quiet: bool) -> anyhow::Result<Advice> {
    let mut view = LiveSearch::new(heading, quiet);
    let clock = WallClock::start();
    Ok(session.think(seat, limits, &clock as &dyn Clock, &mut view)?)
}

/// The answer for programs.
pub fn advice_json(agent: &str, advice: &Advice) -> Value {
    let chance = |value: Option<f32>| value.map(|value| f64::from(value + 1.0) / 2.0);
    let candidate = |candidate: &plyground_session::AdvisedMove| json!({"move": candidate.mv, "visits": candidate.visits, "value": chance(candidate.value)});
    let facts: serde_json::Map<String, Value> =
        advice.facts.iter().map(|fact| (fact.name.to_owned(), json!(fact.value))).collect();
    json!({
        "agent": agent, "move": advice.mv, "value": chance(advice.value), "depth": advice.depth,
        "nodes": advice.nodes, "simulations": advice.simulations, "seconds": advice.elapsed.as_secs_f64(),
        "pv": advice.line, "candidates": advice.candidates.iter().map(candidate).collect::<Vec<_>>(),
        "facts": facts, "notes": advice.notes,
    })
}

fn summary(advice: &Advice, name: &str) -> Vec<[String; 2]> {
    let mut rows = vec![["choice".to_owned(), advice.mv.clone()]];
    let mut add = |name: &str, text: String| rows.push([name.to_owned(), text]);
    if let Some(value) = advice.value {
        add("win chance", format!("{} for {name}", percent(value)));
    }
    if !advice.line.is_empty() {
        add("line", shortened(&advice.line, 12));
    }
    if let Some(depth) = advice.depth {
        add("depth", depth.to_string());
    }
    add("nodes", count(advice.nodes));
    if advice.simulations > 0 {
        add("simulations", count(advice.simulations));
    }
    add("time", seconds(advice.elapsed));
    rows
}

/// Everything in numbers: how fast it was, and what the agent says of its search.
fn explanation(advice: &Advice) -> Vec<[String; 2]> {
    let mut rows = Vec::new();
    for (what, number) in [("nodes", advice.nodes), ("simulations", advice.simulations)] {
        if let Some(rate) = rate(number, advice.elapsed).filter(|_| number > 0) {
            rows.push([format!("{what} per second"), rate]);
        }
    }
    rows.extend(advice.facts.iter().map(|fact| [fact.name.to_owned(), fact_text(fact)]));
    rows
}

/// A number as its name wants it: rates and shares in per cent, counts whole, the rest to three decimals.
fn fact_text(fact: &Fact) -> String {
    let value = fact.value;
    if (fact.name.ends_with("rate") || fact.name.starts_with("share")) && (0.0..=1.0).contains(&value) {
        format!("{:.1} %", value * 100.0)
    } else if value.fract() == 0.0 && (0.0..1e15).contains(&value) {
        count(value as u64)
    } else {
        format!("{value:.3}")
    }
}
