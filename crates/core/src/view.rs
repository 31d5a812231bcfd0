//! Boards, squares and pieces as user interfaces draw them.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{InputError, Player};

/// A square, written as file letter and rank number; `a1` is the bottom left one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Square {
    /// 0 is file `a`.
    pub file: u8,
    /// 0 is rank 1, the bottom one.
    pub rank: u8,
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file), self.rank + 1)
    }
}

impl From<Square> for String {
    fn from(square: Square) -> Self {
        square.to_string()
    }
}

impl TryFrom<String> for Square {
    type Error = InputError;
    fn try_from(text: String) -> Result<Self, InputError> {
        text.parse()
    }
}

impl FromStr for Square {
    type Err = InputError;
    fn from_str(text: &str) -> Result<Self, InputError> {
        let malformed = || InputError::malformed("square", text, "expected a file letter and a rank number, like b2");
        let (letter, digits) = text.split_at_checked(1).ok_or_else(malformed)?;
        let file = letter.bytes().next().filter(u8::is_ascii_lowercase).ok_or_else(malformed)? - b'a';
        let rank: u8 = digits.parse().map_err(|_| malformed())?;
        if digits.starts_with(['0', '+']) || !(1..=99).contains(&rank) {
            return Err(malformed());
        }
        Ok(Self { file, rank: rank - 1 })
    }
}

/// The owner of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// The first player's.
    First,
    /// The second player's.
    Second,
    /// No player's, or both players'.
    Neutral,
}

impl From<Player> for Owner {
    fn from(player: Player) -> Self {
        match player {
            Player::First => Self::First,
            Player::Second => Self::Second,
        }
    }
}

/// A piece on a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Piece {
    /// Its letter in the text of a position.
    pub letter: char,
    /// A Unicode character one column wide that shows it without colour.
    pub glyph: char,
    /// Whose it is.
    pub owner: Owner,
    /// What it is called.
    pub name: &'static str,
}

/// A number that belongs to a player and is shown beside the board: stones in reserve, points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Counter {
    /// Whose.
    pub player: Player,
    /// Of what.
    pub label: &'static str,
    /// How many.
    pub value: i32,
}

/// A position as a user interface draws it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoardView {
    /// Number of files.
    pub files: u8,
    /// Number of ranks.
    pub ranks: u8,
    /// The squares row by row from the top left, as a board is drawn.
    pub cells: Vec<Option<Piece>>,
    /// The numbers beside the board.
    pub counters: Vec<Counter>,
}

impl BoardView {
    /// A board described by what stands on each square.
    pub fn new(files: u8, ranks: u8, piece: impl Fn(Square) -> Option<Piece>) -> Self {
        let piece = &piece;
        let cells = (0..ranks).rev().flat_map(|rank| (0..files).map(move |file| piece(Square { file, rank }))).collect();
        Self { files, ranks, cells, counters: Vec::new() }
    }

    /// The piece on a square of this board.
    pub fn piece(&self, square: Square) -> Option<Piece> {
        self.cells[(self.ranks - 1 - square.rank) as usize * self.files as usize + square.file as usize]
    }
}

/// The squares that a move touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct MoveSquares {
    /// Where the moved piece comes from; `None` for a placement.
    pub from: Option<Square>,
    /// Where it goes.
    pub to: Option<Square>,
    /// What is placed, where a player can choose between kinds: the name of a [`Piece`].
    pub piece: Option<&'static str>,
}
