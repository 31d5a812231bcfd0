//! The description of a game.

use crate::{Example, GameRecord, InputError, KeyInfo, Phrase, Piece, Presentation};

/// The description of a game for users.
#[derive(Clone, Copy, Debug)]
pub struct GameInfo {
    /// The word that opens it.
    pub name: &'static str,
    /// Its name in prose.
    pub title: &'static str,
    /// Other words that open it with some parameters set.
    pub aliases: &'static [Alias],
    /// What the players are called, in the order in which they move.
    pub players: [&'static str; 2],
    /// One line.
    pub summary: &'static str,
    /// The parameters.
    pub keys: &'static [KeyInfo],
    /// A page of rules: paragraphs, to be wrapped when they are printed.
    pub rules: &'static str,
    /// Everything that can stand on a square, as views show it.
    pub pieces: &'static [Piece],
    /// How moves are written, in a line or two.
    pub notation: &'static str,
    /// A position that shows what the game is about.
    pub example: Example,
    /// Sizes and variants that people play: listed, and held to the laws by the tests.
    pub samples: &'static [&'static str],
    /// Every sentence that the game can say: why a move is illegal, why a game is over, what chance has done.
    pub phrases: &'static [Phrase],
    /// What a graphical interface needs to know.
    pub presentation: Presentation,
}

impl GameInfo {
    /// The description of a game that has none of its own.
    pub const NONE: Self = Self {
        name: "",
        title: "",
        aliases: &[],
        players: ["First", "Second"],
        summary: "",
        keys: &[],
        rules: "",
        pieces: &[],
        notation: "",
        example: Example { position: "", caption: "" },
        samples: &[],
        phrases: &[],
        presentation: Presentation::DEFAULT,
    };
}

/// Another word for a game with some parameters set.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    /// The word.
    pub name: &'static str,
    /// The parameters that it stands for, as in a game spec after the colon.
    pub params: &'static str,
}

/// A record format of another program.
#[derive(Clone, Copy)]
pub struct RecordFormat {
    /// The word for `--from` and `--to`.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The usual ending of its files, without the dot.
    pub extension: &'static str,
    /// Does the text look like this format? Asked before it is read, so that errors come from the right reader.
    pub detect: fn(&str) -> bool,
    /// Where the games of a text begin, one by one: the line, counted from 1, and the text of each. For readers that go on after a
    /// game that is damaged.
    pub split: for<'a> fn(&'a str) -> Vec<(usize, &'a str)>,
    /// Reads a file of records.
    pub read: fn(&str) -> Result<Vec<GameRecord>, InputError>,
    /// Writes a file of records.
    pub write: fn(&[GameRecord]) -> Result<String, InputError>,
}
