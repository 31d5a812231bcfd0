//! What most programs use: `use plyground::prelude::*;`.

#[doc(no_inline)]
pub use crate::agents::{Agent, AlphaBeta, CancelToken, Choice, Mcts, NoResources, Random, solve};
#[doc(no_inline)]
pub use crate::games::{
    Encodable, Evaluated, Evaluator, Game, GameValue, NoHeuristic, Outcome, PlayableGame, Player, Rng, Seed, Solvable, Turn,
};
#[cfg(feature = "experiments")]
#[doc(no_inline)]
pub use crate::matches::{Match, MatchAgent};
#[doc(no_inline)]
pub use crate::session::{Session, session_of};
#[doc(no_inline)]
pub use crate::training::{Learner, QLearning};
