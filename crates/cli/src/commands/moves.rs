//! `ply moves GAME`: what can be played.

use std::io::Write;

use plyground_session::{Turn, open};
use serde_json::json;

use plyground_args::{Global, PositionArgs};
use plyground_terminal::print_json;

pub fn run(args: &PositionArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let session = open(&args.game, args.position.as_deref())?;
    let moves: Vec<String> = session.moves().into_iter().map(|mv| mv.text).collect();
    let outcomes = session.outcomes();
    if global.json {
        let mut page = json!({ "moves": moves });
        if session.turn() == Turn::Chance {
            let chance = outcomes.iter().map(|(text, probability)| json!({"outcome": text, "probability": probability}));
            page["chance"] = chance.collect();
        }
        return print_json(out, &page);
    }
    for mv in moves {
        writeln!(out, "{mv}")?;
    }
    for (outcome, probability) in outcomes {
        writeln!(out, "{outcome}  {probability:.6}")?;
    }
    Ok(())
}
