//! How long an agent may think.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The limits of one thought; any of them together, the first one reached ends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Limits {
    /// Simulated games.
    pub simulations: Option<u64>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Plies looked ahead.
    pub depth: Option<u32>,
    /// Time on the clock. The only limit under which the same seed need not give the same move.
    pub time: Option<Duration>,
}

/// Tells how much time has passed since a thought began. Handed in from outside: native programs and browsers have different clocks.
pub trait Clock {
    /// Time since the thought began.
    fn elapsed(&self) -> Duration;
}

/// A clock that stands still, for thoughts that are limited by something else than time.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoClock;

impl Clock for NoClock {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

/// The divisor of the remaining clock time: as if so many moves were still to be made (the `movestogo` of chess engines).
const MOVES_TO_GO: u32 = 25;

/// The thinking time for one move of a player with this much time left on the clock for all of its moves.
pub fn clock_share(left: Duration) -> Duration {
    left / MOVES_TO_GO
}

/// The limits of a thought and the clock that they are measured by.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// What the thought may use.
    pub limits: Limits,
    /// The only clock that an agent may read.
    pub clock: &'a dyn Clock,
}

impl Budget<'_> {
    /// Is the time over? Always false without a time limit (and then the clock is not even read).
    pub fn out_of_time(&self) -> bool {
        self.limits.time.is_some_and(|limit| self.clock.elapsed() >= limit)
    }

    /// The used part of the time, from 0 to 1; `None` without a time limit.
    pub fn time_used(&self) -> Option<f32> {
        let limit = self.limits.time?;
        if limit.is_zero() {
            return Some(1.0);
        }
        Some((self.clock.elapsed().as_secs_f32() / limit.as_secs_f32()).min(1.0))
    }
}
