//! Players, turns and results.

use serde::{Deserialize, Serialize};

/// One of the two players; [`Player::First`] is the one who makes the first move of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Player {
    /// Moves first.
    First,
    /// Moves second.
    Second,
}

impl Player {
    /// Both players, in the order in which they move.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The opponent.
    #[inline]
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// 0 for the first player, 1 for the second: for arrays with one entry per player.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// +1 for the first player, -1 for the second: turns a score in the first player's view into one in this player's view.
    #[inline]
    pub const fn sign(self) -> f32 {
        match self {
            Self::First => 1.0,
            Self::Second => -1.0,
        }
    }

    /// The word used in every text: `first` or `second`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
        }
    }
}

/// The result of a finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The winner; `None` is a draw.
    pub winner: Option<Player>,
    /// The first player's points minus the second player's; 0 in games without points.
    pub margin: i32,
}

impl Outcome {
    /// A draw in a game without points.
    pub const DRAW: Self = Self { winner: None, margin: 0 };

    /// A win in a game without points.
    #[inline]
    pub const fn win(winner: Player) -> Self {
        Self { winner: Some(winner), margin: 0 }
    }

    /// More points win, equal points draw.
    #[inline]
    pub const fn by_points(first: i32, second: i32) -> Self {
        let margin = first - second;
        let winner = if margin > 0 {
            Some(Player::First)
        } else if margin < 0 {
            Some(Player::Second)
        } else {
            None
        };
        Self { winner, margin }
    }

    /// +1, 0 or -1 in the first player's view.
    #[inline]
    pub const fn value(self) -> f32 {
        match self.winner {
            Some(winner) => winner.sign(),
            None => 0.0,
        }
    }

    /// 1 for a win, 0.5 for a draw, 0 for a loss, in the view of `player`.
    #[inline]
    pub fn reward(self, player: Player) -> f32 {
        0.5 + 0.5 * self.value() * player.sign()
    }

    /// The word used in every text: `first`, `second` or `draw`.
    pub const fn word(self) -> &'static str {
        match self.winner {
            Some(winner) => winner.word(),
            None => "draw",
        }
    }
}

/// The next to act, or the end. One answer to both "whose turn is it" and "is it over", so that the two cannot disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A player chooses a move.
    Player(Player),
    /// Chance decides; the outcomes and their probabilities are known.
    Chance,
    /// The game has ended.
    Over(Outcome),
}

impl Turn {
    /// The word used in every text: `first`, `second` or `draw` for a finished game, `open` otherwise.
    pub const fn result_word(self) -> &'static str {
        match self {
            Self::Over(outcome) => outcome.word(),
            Self::Player(_) | Self::Chance => "open",
        }
    }
}
