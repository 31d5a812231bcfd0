//! What a position is worth when both play perfectly.

use std::ops::ControlFlow;

use crate::Game;

/// What a position is worth to the player to move when both play perfectly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Worth {
    /// The player to move loses.
    Loss,
    /// Nobody wins.
    Draw,
    /// The player to move wins.
    Win,
}

impl Worth {
    /// The same for the opponent.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }

    /// As a result for the player to move, from -1 to +1.
    pub fn value(self) -> f32 {
        match self {
            Self::Loss => -1.0,
            Self::Draw => 0.0,
            Self::Win => 1.0,
        }
    }

    /// As one word: win, draw or loss.
    pub fn word(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Draw => "draw",
            Self::Win => "win",
        }
    }
}

/// Asked every few thousand positions whether to go on.
pub trait Pulse {
    /// `nodes` positions have been looked at since the solver was made; `Break` ends the search.
    fn beat(&mut self, nodes: u64) -> ControlFlow<()>;
}

/// A solver made for one game, where its rules allow more than a general search (sums of independent regions, for instance). It
/// keeps what it has found between calls.
pub trait ExactSolver<G: Game>: Send {
    /// What the position (not over, a player to move) is worth; `None` when the pulse said stop.
    fn worth(&mut self, game: &G, state: &G::State, pulse: &mut dyn Pulse) -> Option<Worth>;

    /// The same as far as it is known without a search: what earlier calls have found on their way.
    fn recall(&mut self, game: &G, state: &G::State) -> Option<Worth>;

    /// Positions looked at since it was made.
    fn nodes(&self) -> u64;
}
