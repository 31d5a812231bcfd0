//! Training: learning from games of an agent against itself.
//!
//! [`QLearning`] learns a table of positions, for small games of any type. [`Training`] makes a network for a game of the list by
//! self-play, in a folder from which it goes on after an interruption; `examples/train.rs` shows both.

pub use plyground_agents::{LEARNERS, LearnerObserver, Learnt, TrainingProgress, learner};
pub use plyground_nets::{Network, Size};
#[cfg(feature = "experiments")]
#[doc(inline)]
pub use plyground_train::*;

/// Tabular Q-learning by self-play.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use plyground::games::{mnk::Mnk, typed};
/// use plyground::prelude::*;
///
/// let (game, state) = typed::<Mnk<u64>>("tictactoe", None)?;
/// let mut agent = QLearning::default();
/// agent.train(&game, 500, &mut |_| ControlFlow::Continue(()));
/// let choice = agent.choose_move(&game, &state, &mut Seed(1).rng())?;
/// assert!(choice.value.is_some(), "it has learnt what the moves are worth");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(inline)]
pub use plyground_agents::QLearning;

/// An agent that can be trained, and whose knowledge goes into a file.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use plyground::games::{mnk::Mnk, typed};
/// use plyground::prelude::*;
///
/// let (game, _) = typed::<Mnk<u64>>("tictactoe", None)?;
/// let (mut taught, mut other) = (QLearning::default(), QLearning::default());
/// taught.train(&game, 100, &mut |_| ControlFlow::Continue(()));
/// other.load(&game, "lessons.q", &taught.save(&game))?;
/// assert_eq!(Learner::<Mnk<u64>>::learnt(&other).games, 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(inline)]
pub use plyground_agents::Learner;
