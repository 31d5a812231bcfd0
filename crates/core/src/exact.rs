//! Game-theoretic values, and what a game offers to exact searches (solvers).

use std::ops::ControlFlow;

use crate::{Evaluated, Game, InputError, hash_state};

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

/// A game with hooks for exact searches. All have defaults: `impl Solvable for MyGame {}` is enough to solve it.
pub trait Solvable: Evaluated {
    /// The value of a position (not over, a player to move) that follows from a proved rule: exact searches need not look further.
    /// Cheap: asked for every child of every position. `None` where no rule applies.
    fn known_value(&self, state: &Self::State) -> Option<Worth> {
        let _ = state;
        None
    }

    /// A transposition key of the value for the player to move: positions that share it have the same value and the same distance to
    /// the end. By default the position itself; a game in which the players can swap sides may give both views one key.
    #[inline]
    fn value_key(&self, state: &Self::State) -> u128 {
        u128::from(hash_state(state)) << 64 | u128::from(hash_state(&(0x517c_c1b7_2722_0a95_u64, state)))
    }

    /// Replaces the contents of `moves` by the undominated moves: all legal ones (there is at least one) but those that are proved to
    /// have no higher value than one of these.
    #[inline]
    fn undominated_moves(&self, state: &Self::State, moves: &mut Vec<Self::Move>) {
        self.moves(state, moves);
    }

    /// The move-ordering score in exact searches of a move that leads from `state` to `child`: higher ones are tried first.
    #[inline]
    fn solver_order(&self, state: &Self::State, mv: Self::Move, child: &Self::State) -> i32 {
        let _ = child;
        self.ordering_score(state, mv)
    }

    /// A solver made for this game, where there is one, that uses about `memory` bytes at most. `database` is what
    /// [`Solvable::solver_database`] has computed before.
    fn exact_solver(&self, memory: usize, database: Option<&[u8]>) -> Result<Option<Box<dyn ExactSolver<Self>>>, InputError> {
        let _ = (memory, database);
        Ok(None)
    }

    /// A precomputed database for [`Solvable::exact_solver`], where the game has one: the values of all regions of at most `stones`
    /// stones, for instance. `report` is told how much of how much is done.
    fn solver_database(&self, stones: u32, report: &mut dyn FnMut(u64, u64)) -> Result<Option<Vec<u8>>, InputError> {
        let _ = (stones, report);
        Ok(None)
    }
}
