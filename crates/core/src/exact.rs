//! Game-theoretic values, and what a game offers to exact searches (solvers).

use std::ops::ControlFlow;

use crate::{Evaluated, Game, InputError, Outcome, Player, Turn, hash_state};

/// The game-theoretic value of a position for the player to move: the result when both play perfectly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GameValue {
    /// The player to move loses.
    Loss,
    /// Neither player wins.
    Draw,
    /// The player to move wins.
    Win,
}

impl GameValue {
    /// The value of a result for a player.
    #[inline]
    pub fn of(outcome: Outcome, player: Player) -> Self {
        match outcome.winner {
            None => Self::Draw,
            Some(winner) if winner == player => Self::Win,
            Some(_) => Self::Loss,
        }
    }

    /// The value of a position for `player`: that of the outcome where the game is over, and of `solve` (which gives the value for the
    /// player to move) where it is not. `None` where chance has the turn or `solve` has no answer.
    pub fn of_position<G: Game>(
        game: &G,
        state: &G::State,
        player: Player,
        solve: impl FnOnce(&G::State) -> Option<Self>,
    ) -> Option<Self> {
        match game.turn(state) {
            Turn::Over(outcome) => Some(Self::of(outcome, player)),
            Turn::Player(mover) => solve(state).map(|value| if mover == player { value } else { value.opposite() }),
            Turn::Chance => None,
        }
    }

    /// The same for the opponent.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }

    /// The result for the player to move, from -1 to +1.
    pub fn value(self) -> f32 {
        match self {
            Self::Loss => -1.0,
            Self::Draw => 0.0,
            Self::Win => 1.0,
        }
    }

    /// The word for it: win, draw or loss.
    pub fn word(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Draw => "draw",
            Self::Win => "win",
        }
    }
}

/// A cancellation check, called by exact searches every few thousand positions.
pub trait StopCheck {
    /// `nodes` positions have been searched since the solver was made; `Break` ends the search.
    fn check(&mut self, nodes: u64) -> ControlFlow<()>;
}

/// An exact solver made for one game, where its rules allow more than a general search (sums of independent regions, for instance). It
/// keeps what it has found between calls.
pub trait ExactSolver<G: Game>: Send {
    /// The value of a position (not over, a player to move); `None` when the check ended the search.
    fn value(&mut self, game: &G, state: &G::State, stop_check: &mut dyn StopCheck) -> Option<GameValue>;

    /// The value of a position as far as earlier calls have found it: no search.
    fn recall(&mut self, game: &G, state: &G::State) -> Option<GameValue>;

    /// Positions looked at since it was made.
    fn nodes(&self) -> u64;

    /// Is it worth asking at the leaves of another search, where it has a moment for each? By default it is not.
    fn answers_in_a_moment(&self) -> bool {
        false
    }
}

/// A game with hooks for exact searches. All have defaults: `impl Solvable for MyGame {}` is enough to solve it.
pub trait Solvable: Evaluated {
    /// The value of a position (not over, a player to move) that follows from a proved rule: exact searches need not look further.
    /// Cheap: asked for every child of every position. `None` where no rule applies.
    fn known_value(&self, state: &Self::State) -> Option<GameValue> {
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
