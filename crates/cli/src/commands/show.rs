//! `ply show GAME`: a position, drawn.

use std::io::Write;

use plyground_session::{Turn, open};
use serde_json::json;

use plyground_args::{Global, PositionArgs};
use plyground_terminal::{print_json, status_line, table};

pub fn run(args: &PositionArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let session = open(&args.game, args.position.as_deref())?;
    if global.json {
        let turn = match session.turn() {
            Turn::Player(player) => player.word(),
            Turn::Chance => "chance",
            Turn::Over(_) => "over",
        };
        let page = json!({
            "game": session.spec(), "position": session.position(), "turn": turn,
            "result": session.turn().result_word(), "points": session.points(), "board": session.view(),
        });
        return print_json(out, &page);
    }
    write!(out, "{}", table(session.as_ref()))?;
    writeln!(out, "{}", status_line(session.as_ref()))?;
    if !global.quiet {
        writeln!(out, "{}", session.position())?;
    }
    Ok(())
}
