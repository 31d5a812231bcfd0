//! A game before its parameters are known: its name, its description, and how to open it.

use serde::Serialize;

use crate::{Encodable, Evaluated, GameRecord, InputError, KeyInfo, Params, Phrase, Piece, Presentation, Solvable};

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

/// An example position.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Example {
    /// The position as text.
    pub position: &'static str,
    /// What there is to see.
    pub caption: &'static str,
}

/// A family of games that differ in their parameters. Each game file has one; it is the only place where a family is turned into
/// concrete types, so that a 3x3 board can be stored in one machine word and a 15x15 board in four.
pub trait Family: 'static {
    /// The description.
    const INFO: &'static GameInfo;

    /// Makes the game from its parameters (already checked to be known keys) and hands it to the visitor, together with the
    /// start or the given position. A position sets those parameters that are not given, and must not contradict those that are.
    fn open<V: Visitor>(params: &Params, position: Option<&str>, visitor: V) -> Result<V::Output, InputError>;

    /// Record formats of other programs that this game can read and write.
    fn record_formats() -> &'static [RecordFormat] {
        &[]
    }
}

/// A game with everything that agents, training and sessions ask for; implemented for every game that has the parts.
pub trait PlayableGame: Evaluated + Solvable + Encodable {}

impl<G: Evaluated + Solvable + Encodable> PlayableGame for G {}

/// What to do with a game once its concrete type is known.
pub trait Visitor {
    /// What comes out.
    type Output;
    /// Called once, with the game and the position to begin with.
    fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Self::Output;
}

/// Called once for each game that Plyground knows.
pub trait FamilyVisitor {
    /// Called with each family in turn.
    fn visit<F: Family>(&mut self);
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
    /// Reads a file of records.
    pub read: fn(&str) -> Result<Vec<GameRecord>, InputError>,
    /// Writes a file of records.
    pub write: fn(&[GameRecord]) -> Result<String, InputError>,
}
