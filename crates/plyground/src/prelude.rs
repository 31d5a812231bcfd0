//! What most programs use: `use plyground::prelude::*;`.

pub use crate::agents::{Agent, AlphaBeta, Choice, Mcts, Random, solve};
pub use crate::games::{
    Encodable, Evaluated, Evaluator, Game, GameValue, NoHeuristic, Outcome, PlayableGame, Player, Rng, Seed, Solvable, Turn,
};
#[cfg(feature = "experiments")]
pub use crate::matches::{Match, MatchPlayer};
pub use crate::session::{Session, session_of};
pub use crate::training::{Learner, QLearning};
