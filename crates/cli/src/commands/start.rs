//! `ply play` alone: pick a game, an opponent and a side, with something sensible behind every Enter.

use std::io::Write;

use plyground_session::{InputError, Opponent, Player, infos, open};

use crate::commands::agents::opponent_table;
use crate::commands::play::{PERSON, Setup, play, side};
use crate::engines::CommandResources;
use plyground_args::{DEFAULT_OPPONENT, Global};
use plyground_terminal::{Lean, ask};

/// Asks for whatever was not said.
pub fn run(against: Option<&str>, asked_side: Option<&str>, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
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
    let against = match against {
        Some(spec) => Some(spec.to_owned()),
        None => choose_opponent(&game, out)?,
    };
    let Some(against) = against else { return Ok(()) };
    let human = match asked_side {
        Some(text) => Some(side(text, open(&game, None)?.info().players)?),
        // Two people share the terminal, and both sides are theirs.
        None if against == PERSON => Some(Player::First),
        None => choose_side(&game, out)?,
    };
    let Some(human) = human else { return Ok(()) };
    let session = open(&game, None)?;
    play(session, &Setup { against, human, resumed: None }, global, out)
}

fn choose_opponent(game: &str, out: &mut impl Write) -> anyhow::Result<Option<String>> {
    let opponents = open(game, None)?.opponents();
    let row = |(opponent, number): (&Opponent, usize)| [format!("  {number}"), opponent.name.clone(), opponent.summary.clone()];
    write!(out, "{}", opponent_table(&opponents, [Lean::Right, Lean::Left, Lean::Left], row))?;
    let usual = opponents.iter().position(|opponent| opponent.name == DEFAULT_OPPONENT).unwrap_or(0);
    let question = format!("opponent, or any agent spec (see ply agents), or human for two people here [{}]: ", usual + 1);
    choose(out, &question, |answer| {
        let picked = pick(answer, opponents.len(), usual).map_or(answer, |index| &opponents[index].name);
        if picked == PERSON {
            return Ok(picked.to_owned());
        }
        let mut session = open(game, None)?;
        session.seat(picked, plyground_session::Seed(0), &CommandResources)?;
        Ok(picked.to_owned())
    })
}

fn choose_side(game: &str, out: &mut impl Write) -> anyhow::Result<Option<Player>> {
    let players = open(game, None)?.info().players;
    let question = format!("do you play first ({}) or second ({}) [first]: ", players[0], players[1]);
    choose(out, &question, |answer| match answer {
        "" | "1" => Ok(Player::First),
        "2" => Ok(Player::Second),
        text => side(text, players),
    })
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
