//! `ply` alone: pick a game, an opponent and a side, with something sensible behind every Enter.

use std::io::Write;

use plyground_table::{InputError, Player, infos, open};

use crate::args::{DEFAULT_OPPONENT, Global};
use crate::commands::play::{Setup, play};
use crate::terminal::ask;

/// Opponents to pick from; any agent spec can be typed instead.
const OPPONENTS: &[(&str, &str)] = &[
    ("random", "plays anything"),
    ("mc:playouts=20", "tries every move a few times"),
    (DEFAULT_OPPONENT, "thinks ahead"),
    ("mcts:sims=50000", "thinks ahead for longer"),
];

pub fn run(global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "Plyground. Enter takes what stands in [brackets], q leaves.\n")?;
    let infos = infos();
    for (index, info) in infos.iter().enumerate() {
        writeln!(out, "  {}  {}: {}", index + 1, info.name, info.summary)?;
    }
    let Some(game) = choose(out, "game [1]: ", |answer| {
        let picked = pick(answer, infos.len(), 0).map_or(answer, |index| infos[index].name);
        open(picked, None).map(|session| session.spec())
    })?
    else {
        return Ok(());
    };
    writeln!(out)?;
    for (index, (spec, what)) in OPPONENTS.iter().enumerate() {
        writeln!(out, "  {}  {what} ({spec})", index + 1)?;
    }
    let usual = OPPONENTS.iter().position(|(spec, _)| *spec == DEFAULT_OPPONENT).unwrap_or(0);
    let question = format!("opponent, or any agent spec (see ply agents) [{}]: ", usual + 1);
    let Some(against) = choose(out, &question, |answer| {
        let picked = pick(answer, OPPONENTS.len(), usual).map_or(answer, |index| OPPONENTS[index].0);
        let mut session = open(&game, None)?;
        session.seat(picked, plyground_table::Seed(0))?;
        Ok(picked.to_owned())
    })?
    else {
        return Ok(());
    };
    let players = open(&game, None)?.info().players;
    let question = format!("do you play first ({}) or second ({}) [first]: ", players[0], players[1]);
    let Some(human) = choose(out, &question, |answer| match answer {
        "" | "1" | "first" => Ok(Player::First),
        "2" | "second" => Ok(Player::Second),
        other => Err(InputError::unknown("side", other, ["first", "second"])),
    })?
    else {
        return Ok(());
    };
    let session = open(&game, None)?;
    play(session, &Setup { against, human, resumed: None }, global, out)
}

/// Asks until the answer can be used; `None` when the input has ended or the player leaves.
fn choose<T>(
    out: &mut impl Write,
    question: &str,
    mut read: impl FnMut(&str) -> Result<T, InputError>,
) -> anyhow::Result<Option<T>> {
    while let Some(answer) = ask(out, question)? {
        if ["q", "quit", "exit"].contains(&answer.as_str()) {
            break;
        }
        match read(&answer) {
            Ok(value) => return Ok(Some(value)),
            Err(error) => writeln!(out, "{error}")?,
        }
    }
    Ok(None)
}

/// The index behind a number from a list, or behind Enter.
fn pick(answer: &str, count: usize, usual: usize) -> Option<usize> {
    if answer.is_empty() {
        return Some(usual);
    }
    answer.parse::<usize>().ok().filter(|number| (1..=count).contains(number)).map(|number| number - 1)
}
