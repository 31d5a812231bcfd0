//! The ladder: who is on it, what is played, what came out, and who plays next.

pub(crate) mod results;
pub(crate) mod schedule;

use std::collections::VecDeque;
use std::sync::Mutex;

use results::LadderResults;

/// Pairs of a challenge.
pub(crate) const CHALLENGE: u64 = 2;

/// What is played now, and what was asked for.
#[derive(Default)]
pub(crate) struct Boards {
    pub running: Vec<[String; 2]>,
    /// Challenges, the oldest first.
    pub wanted: VecDeque<[String; 2]>,
    /// The last error of a board.
    pub trouble: Option<String>,
}

/// What the ladder knows, each part under a lock of its own.
#[derive(Default)]
pub(crate) struct Ladder {
    pub results: Mutex<LadderResults>,
    pub boards: Mutex<Boards>,
}

/// Someone on the ladder.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    pub spec: String,
    pub name: String,
    /// The player, if it is no level.
    pub player: Option<u32>,
    pub league: Option<usize>,
}
