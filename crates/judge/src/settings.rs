//! The settings of a judgement.

use std::time::Duration;

use plyground_core::{Clock, Seed};

/// An agent (or one for each seat) whose choices are judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contender {
    /// Its name.
    pub name: String,
    /// The agent that chooses where the first player is to move, and the one where the second is; most often the same. An evaluation
    /// is judged as an agent that looks a fixed number of plies ahead with it: `minimax:depth=1,eval=NAME`.
    pub specs: [String; 2],
}

/// The settings of a judgement: the contenders, and the positions they are judged on.
pub struct JudgeSettings<'a> {
    /// The contenders.
    pub contenders: &'a [Contender],
    /// If no more positions than this can be reached, all are judged.
    pub most: usize,
    /// Otherwise a sample of so many, each from a random game of its own.
    pub sample: usize,
    /// The seed of the sample, and of agents that choose by chance.
    pub seed: Seed,
    /// The memory of the solver, in megabytes.
    pub memory: usize,
    /// A sample that takes longer to solve ends early.
    pub time: Duration,
    /// Starts a clock.
    pub clock: &'a dyn Fn() -> Box<dyn Clock>,
}
