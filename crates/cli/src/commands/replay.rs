//! `ply replay FILE`: a recorded game, step by step.

use std::io::{IsTerminal, Write, stdin};

use anyhow::{Context, bail};
use plyground_session::{GameRecord, Session, open, replay};
use serde_json::json;

use crate::store::read_file;
use plyground_args::{Global, ReplayArgs};
use plyground_terminal::{ask, print_json, status_line, table};

pub fn run(args: &ReplayArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let records = read_file(&args.file)?;
    let Some(record) = args.game.checked_sub(1).and_then(|index| records.get(index)) else {
        bail!("{}: expected --game from 1 to {}, found {}", args.file.display(), records.len(), args.game);
    };
    // Played through once before anything is shown: a bad record is refused whole.
    replay(record).with_context(|| format!("{}: game {}", args.file.display(), args.game))?;
    if global.json {
        return print_json(out, &positions(record)?);
    }
    let [first, second] = &record.players;
    let [first, second] = [first, second].map(|player| player.name.escape_debug());
    writeln!(out, "{}: {first} (first) against {second} (second)", record.game)?;
    if stdin().is_terminal() { step_through(record, out) } else { print_through(record, out) }
}

fn positions(record: &GameRecord) -> anyhow::Result<serde_json::Value> {
    let mut session = open(&record.game, record.start.as_deref())?;
    let mut positions = vec![session.position()];
    for played in &record.moves {
        session.play(&played.text)?;
        positions.push(session.position());
    }
    let moves: Vec<&str> = record.moves.iter().map(|played| played.text.as_str()).collect();
    Ok(json!({"game": record.game, "moves": moves, "positions": positions, "result": record.result, "points": session.points()}))
}

fn print_through(record: &GameRecord, out: &mut impl Write) -> anyhow::Result<()> {
    let mut session = open(&record.game, record.start.as_deref())?;
    draw(record, session.as_ref(), out)?;
    for played in &record.moves {
        session.play(&played.text)?;
        draw(record, session.as_ref(), out)?;
    }
    Ok(())
}

fn step_through(record: &GameRecord, out: &mut impl Write) -> anyhow::Result<()> {
    let mut session = open(&record.game, record.start.as_deref())?;
    draw(record, session.as_ref(), out)?;
    while let Some(answer) = ask(out, "[Enter] next, b back, a number, q quit > ")? {
        let here = session.history().len();
        let target = match answer.as_str() {
            "" | "n" => here + 1,
            "b" => here.saturating_sub(1),
            "q" => break,
            number => match number.parse::<usize>() {
                Ok(number) if number <= record.moves.len() => number,
                _ => {
                    writeln!(out, "expected a number from 0 to {}, or Enter, b, q", record.moves.len())?;
                    continue;
                }
            },
        };
        if target > record.moves.len() {
            writeln!(out, "this is the end of the game")?;
            continue;
        }
        while session.history().len() > target {
            session.undo();
        }
        while session.history().len() < target {
            session.play(&record.moves[session.history().len()].text)?;
        }
        draw(record, session.as_ref(), out)?;
    }
    Ok(())
}

fn draw(record: &GameRecord, session: &dyn Session, out: &mut impl Write) -> anyhow::Result<()> {
    let number = session.history().len();
    match number.checked_sub(1).map(|last| &record.moves[last]) {
        None => writeln!(out, "\nstart")?,
        Some(played) => {
            let what = if played.chance { "chance: " } else { "" };
            let value = played.value.map_or(String::new(), |value| format!(", expects {value:+.2}"));
            let time = played.ms.map_or(String::new(), |ms| format!(", {:.1} s", ms / 1_000.0));
            writeln!(out, "\n{number}. {what}{}{value}{time}", played.text)?;
        }
    }
    write!(out, "{}", table(session))?;
    if number == record.moves.len() && record.result != session.turn().result_word() {
        writeln!(out, "result: {} ({})", record.result, record.reason)?;
    } else {
        writeln!(out, "{}", status_line(session))?;
    }
    Ok(())
}
