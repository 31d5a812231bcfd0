//! A bot for every game of Plyground: it plays random legal moves, and speaks UGI (docs/engines.md).
//!
//!     rustc -O bots/random_bot.rs -o random_bot
//!     ply match clobber cmd:./random_bot level=1 --pairs 10
//!
//! Make it better: `choose` is the only function that has to change. Nothing but answers may be printed; `eprintln!` is kept in a file
//! and shown when the bot crashes.

use std::io::{self, BufRead, Write};

/// What is known of a game.
#[derive(Default)]
struct Game {
    /// With its parameters, e.g. `clobber:size=5x6`.
    spec: String,
    /// Where it began: `startpos`, or a position as text.
    position: String,
    /// What was played since then.
    moves: Vec<String>,
    /// Randomness without a library (xorshift, Marsaglia 2003); never 0.
    random: u64,
}

/// The move to play, one of the legal ones.
fn choose<'a>(game: &mut Game, legal: &[&'a str]) -> &'a str {
    game.random ^= game.random << 13;
    game.random ^= game.random >> 7;
    game.random ^= game.random << 17;
    legal[(game.random % legal.len() as u64) as usize]
}

fn main() -> io::Result<()> {
    let mut out = io::stdout();
    let mut game = Game { random: 0x9e37_79b9_7f4a_7c15, ..Game::default() };
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["ugi"] => {
                writeln!(out, "id name Random in Rust\nid author your name")?;
                writeln!(out, "option name Game type string default any")?;
                writeln!(out, "option name Seed type spin default 0 min 0 max 2147483647")?;
                // An engine with this option gets the legal moves with every position, behind "searchmoves".
                writeln!(out, "option name LegalMoves type check default false\nugiok")?;
            }
            ["isready"] => writeln!(out, "readyok")?,
            ["setoption", "name", "Game", "value", spec] => game.spec = (*spec).to_string(),
            ["setoption", "name", "Seed", "value", seed] => {
                game.random = (seed.parse::<u64>().unwrap_or(0) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            }
            // position startpos|fen POSITION [moves MOVE MOVE ...]
            ["position", kind, rest @ ..] => {
                let end = rest.iter().position(|&word| word == "moves").unwrap_or(rest.len());
                game.position = if *kind == "fen" { rest[..end].join(" ") } else { (*kind).to_string() };
                game.moves = rest.iter().skip(end + 1).map(|mv| (*mv).to_string()).collect();
            }
            // go movetime 1000 searchmoves MOVE MOVE ...
            ["go", rest @ ..] => {
                let begin = rest.iter().position(|&word| word == "searchmoves").map_or(rest.len(), |index| index + 1);
                let legal = &rest[begin..];
                let mv = if legal.is_empty() { "none" } else { choose(&mut game, legal) };
                writeln!(out, "bestmove {mv}")?;
            }
            ["quit"] => break,
            _ => {}
        }
        out.flush()?;
    }
    Ok(())
}
