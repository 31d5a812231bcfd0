//! How a game is presented to players in a graphical interface.

use serde::Serialize;

use crate::Player;

/// What a graphical interface knows about a game beyond its rules. Everything has a default, so a game says only what differs:
/// `Presentation { boards: …, ..Presentation::DEFAULT }`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Presentation {
    /// Game specs to choose a board from, the usual one first. Where there are none, the game's name is the only choice.
    pub boards: &'static [&'static str],
    /// Parameters in words, for the names of boards: the key, and a text in which `{value}` stands for its value. A key that is
    /// not here is shown as it is written; `size` is shown as its value.
    pub keys: &'static [(&'static str, &'static str)],
    /// Positions to learn from, shown before the example of the game.
    pub lessons: &'static [Example],
    /// What the tour of the first game says.
    pub tour: Tour,
    /// Names of pieces and counters where those of the rules are too short or too long: the name, or the owner (`first`, `second`)
    /// and the name; and what to say instead.
    pub names: &'static [(&'static str, &'static str)],
    /// How pieces are drawn, by their names. A piece that is not here is a disc with its glyph on it.
    pub shapes: &'static [(&'static str, PieceShape)],
    /// Does the second player look at the board from the other side, as in games whose pieces move forward?
    pub turned_for_second: bool,
    /// The player to whom the top and the bottom edge belong; the left and the right edge belong to the other one.
    pub top_edge: Option<Player>,
    /// How the squares are told apart.
    pub ground: BoardGround,
    /// What it is like to play it, in a few words that make people try it.
    pub pull: &'static str,
    /// A finished game that shows what a player plays for; the rules begin with its picture.
    pub goal: Option<Example>,
    /// Colours other than the usual black and white.
    pub theme: Option<Theme>,
}

impl Presentation {
    /// A flat board that everybody sees from the same side, in the usual colours.
    pub const DEFAULT: Self = Self {
        boards: &[],
        keys: &[],
        lessons: &[],
        tour: Tour { how: "", kinds: "", points: "" },
        names: &[],
        shapes: &[],
        turned_for_second: false,
        top_edge: None,
        ground: BoardGround::Chequered,
        pull: "",
        goal: None,
        theme: None,
    };
}

/// The part of the tour that depends on the game; what is empty is not said.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Tour {
    /// How a move is made and what wins.
    pub how: &'static str,
    /// What the kinds of pieces are that a player can choose between.
    pub kinds: &'static str,
    /// How points are made.
    pub points: &'static str,
}

/// The ground that the pieces stand on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoardGround {
    /// Light and dark squares in turn.
    Chequered,
    /// Squares of one colour with gaps between them.
    Tiles,
    /// Nothing but lines, as on squared paper.
    Lines,
    /// A board that stands upright, with holes in it.
    Holes,
}

/// The outline of a piece. Its colour is that of its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PieceShape {
    /// A disc with a sign on it that tells the players apart without colour.
    Stone,
    /// A disc with a triangle on it.
    TriangleStone,
    /// A disc with a square on it.
    SquareStone,
    /// A smaller disc.
    SmallStone,
    /// Two strokes.
    Cross,
    /// A ring.
    Nought,
    /// A golden star with five points.
    Star,
    /// A chessman.
    Pawn,
    /// A chessman.
    Rook,
    /// A chessman.
    King,
}

/// Colours, as CSS writes them. `var(--accent)` and the like are colours of the page itself.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Theme {
    /// The pieces of the first player, and the signs on them.
    pub first: [&'static str; 2],
    /// The pieces of the second player, and the signs on them.
    pub second: [&'static str; 2],
    /// The board, and the marks on it.
    pub board: Option<[&'static str; 2]>,
}

impl Theme {
    /// White pieces for the first player and black ones for the second, as in chess.
    pub const CHESS: Self = Self { first: ["#fdfdfb", "#2b2b2b"], second: ["#2b2b2b", "#f5f2ec"], board: None };
}

/// An example position.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Example {
    /// The position as text.
    pub position: &'static str,
    /// What there is to see.
    pub caption: &'static str,
}
