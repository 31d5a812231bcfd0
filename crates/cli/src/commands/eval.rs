//! `ply eval GAME`: what the evaluations of a game say about a position, term by term.

use std::io::Write;

use anyhow::bail;
use plyground_session::{Evaluation, Player, Turn, open};
use serde_json::{Value, json};

use plyground_args::{EvalArgs, Global};
use plyground_terminal::{Lean, columns, print_json, status_line, table};

pub fn run(args: &EvalArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let session = open(&args.place.game, args.place.position.as_deref())?;
    if let Turn::Over(_) = session.turn() {
        bail!("expected a position in which the game goes on, found one in which {}", status_line(session.as_ref()));
    }
    let known = || session.evaluators().iter().map(|info| info.name.to_owned()).collect();
    let names: Vec<String> = if args.eval.is_empty() { known() } else { args.eval.clone() };
    let evaluations = names.iter().map(|name| session.evaluate(name)).collect::<Result<Vec<_>, _>>()?;
    if global.json {
        let evaluations: Vec<Value> = names.iter().zip(&evaluations).map(|(name, found)| page(name, found)).collect();
        return print_json(out, &json!({"game": session.spec(), "position": session.position(), "evaluations": evaluations}));
    }
    if !global.quiet {
        writeln!(out, "{}{}\n", table(session.as_ref()), status_line(session.as_ref()))?;
    }
    let first = session.info().players[Player::First.index()];
    for (name, found) in names.iter().zip(&evaluations) {
        let chance = 100.0 * found.chance;
        writeln!(out, "{name}: {} for {first} (first), a win chance of {chance:.0} %", signed(found.score))?;
        let rows: Vec<[String; 2]> =
            found.terms.iter().map(|term| [format!("  {}", signed(term.score)), term.name.clone()]).collect();
        write!(out, "{}", columns([Lean::Right, Lean::Left], &rows))?;
    }
    Ok(())
}

/// A score with its sign, to three decimals at most.
fn signed(score: f32) -> String {
    let rounded = (f64::from(score) * 1_000.0).round() / 1_000.0;
    if rounded == 0.0 { "0".to_owned() } else { format!("{rounded:+}") }
}

fn page(name: &str, found: &Evaluation) -> Value {
    let terms: Vec<Value> = found.terms.iter().map(|term| json!({"name": term.name, "score": term.score})).collect();
    json!({"evaluator": name, "score": found.score, "win_chance": found.chance, "terms": terms})
}
