//! `ply apply GAME MOVE…`: the position after some moves.

use std::io::Write;

use plyground_session::{InputError, Turn, open};
use serde_json::json;

use plyground_args::{ApplyArgs, Global};
use plyground_terminal::print_json;

pub fn run(args: &ApplyArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let mut session = open(&args.place.game, args.place.position.as_deref())?;
    for mv in &args.moves {
        session.play(mv)?;
    }
    // The text of a position cannot be compared with other programs before chance has spoken.
    if session.turn() == Turn::Chance {
        let possible = session.outcomes().into_iter().map(|(text, _)| text).collect();
        return Err(InputError::ChanceNeeded { found: None, possible }.into());
    }
    let result = session.turn().result_word();
    if global.json {
        let page = json!({"position": session.position(), "result": result, "points": session.points()});
        return print_json(out, &page);
    }
    writeln!(out, "{}", session.position())?;
    writeln!(out, "result: {result}")?;
    if let Some([first, second]) = session.points() {
        writeln!(out, "points: {first} {second}")?;
    }
    Ok(())
}
