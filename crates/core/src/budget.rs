//! How long an agent may think.

use std::time::{Duration, Instant};

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

/// A clock that shows the real time since it was started: the clock of native programs.
///
/// `Instant::now` panics in a browser, so no agent starts such a clock: native programs do, and hand it in.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    started: Instant,
    speed: f64,
}

impl WallClock {
    /// A clock that starts now.
    pub fn start() -> Self {
        Self { started: Instant::now(), speed: 1.0 }
    }

    /// The same clock, running `speed` times as fast as real time: for times that are meant for a slower computer.
    #[must_use]
    pub fn with_speed(self, speed: f64) -> Self {
        Self { speed, ..self }
    }
}

impl Clock for WallClock {
    fn elapsed(&self) -> Duration {
        let real = self.started.elapsed();
        if self.speed == 1.0 { real } else { real.mul_f64(self.speed) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_clock_goes_on_and_a_fast_one_is_ahead() {
        let clock = WallClock::start();
        let fast = clock.with_speed(1e6);
        std::thread::sleep(Duration::from_millis(2));
        let real = clock.elapsed();
        assert!(real >= Duration::from_millis(2), "{real:?}");
        assert!(fast.elapsed() > 1_000 * real);
    }
}
