//! Puzzles: positions in which exactly one move keeps the win or the draw, found and proved by the exact solver.

mod grading;
mod search;

use plyground_core::InputError;
use serde::Serialize;

pub use grading::HARDEST;
pub use search::{MOST_MOVES, find};

/// The settings of a search for puzzles.
#[derive(Clone, Debug)]
pub struct PuzzleSettings {
    /// The boards of one game, each with the same share of the puzzles.
    pub boards: Vec<String>,
    /// The number of puzzles.
    pub count: usize,
    /// The seed of the random games that the positions are from.
    pub seed: u64,
    /// The most positions that the solver searches for the value of one move; a position that needs more is left out.
    pub nodes: u64,
}

/// A position with the moves that solve it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Puzzle {
    /// The position.
    pub start: String,
    /// The moves that have to be found, with a reply of the opponent between each two. Each of them is the only move that keeps what
    /// the player has.
    pub line: Vec<String>,
    /// What is to be kept: `win` or `draw`.
    pub keeps: &'static str,
    /// The lowest level that finds the first move with each of several seeds; [`HARDEST`] where none of those below does.
    pub level: u8,
}

/// The head of a file of puzzles: how it can be made again. The format has a number.
#[derive(Serialize)]
struct Head<'a> {
    puzzles: u8,
    game: &'a str,
    boards: &'a [String],
    count: usize,
    seed: u64,
    nodes: u64,
}

/// The number of the format of a file.
const FORMAT: u8 = 1;

/// Puzzles as a file: JSON, a line for the head and one for each puzzle.
pub fn to_text(settings: &PuzzleSettings, puzzles: &[Puzzle]) -> Result<String, InputError> {
    let PuzzleSettings { boards, count, seed, nodes } = settings;
    let game = plyground_core::split_spec(boards.first().map_or("", String::as_str)).0;
    let info = plyground_games::info(game)?;
    let head = Head { puzzles: FORMAT, game: info.name, boards, count: *count, seed: *seed, nodes: *nodes };
    let failed = |error: serde_json::Error| InputError::malformed("puzzle", "", error.to_string());
    let mut text = serde_json::to_string(&head).map_err(failed)?;
    for puzzle in puzzles {
        text.push('\n');
        text += &serde_json::to_string(puzzle).map_err(failed)?;
    }
    text.push('\n');
    Ok(text)
}
