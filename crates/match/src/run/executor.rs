//! The executors of a run: the threads of this computer here, a cluster in another crate.

use plyground_core::CancelToken;

use crate::{RunContext, RunDriver, RunError, RunEvent, WorkerConfig, work};

/// The workers that play the jobs of a run, wherever they are.
pub trait Executor: Sync {
    /// Plays what was requested of the first so many pairs of each pairing and is not done, until nothing is left or it is cancelled.
    /// `events` is told what happens at the boards, from any thread.
    fn execute(
        &self,
        driver: &RunDriver<'_>,
        pairs: u64,
        cancel: &CancelToken,
        events: &(dyn Fn(&RunEvent<'_>) + Sync),
    ) -> Result<(), RunError>;
}

/// An executor with so many threads of this computer.
pub struct Threads(pub usize);

impl Executor for Threads {
    fn execute(
        &self,
        driver: &RunDriver<'_>,
        pairs: u64,
        cancel: &CancelToken,
        events: &(dyn Fn(&RunEvent<'_>) + Sync),
    ) -> Result<(), RunError> {
        work(&WorkerConfig {
            sink: driver.store,
            queue: &driver.store.queue(driver.prefix(pairs)),
            runs: &RunContext { run: driver.run, players: driver.players, clock_speed: 1.0 },
            threads: self.0,
            cancel,
            events,
        })
    }
}
