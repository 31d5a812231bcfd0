//! What one visitor may use, and all of them together.

use std::time::Duration;

use plyground_api::Allowance;

/// Whoever asks for more is refused; nobody else notices.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Requests for pages at the same time; the others wait.
    pub visitors: usize,
    /// Whoever has not said within this time what page is wanted is shown out.
    pub dawdling: Duration,
    /// Connections to the engine at the same time.
    pub connections: usize,
    /// Thoughts at the same time; the others wait.
    pub thinkers: usize,
    /// Thoughts of one connection that run or wait.
    pub thoughts_each: usize,
    /// The longest message, in bytes.
    pub message: usize,
    /// A connection that says nothing for so long is closed.
    pub silence: Duration,
    /// What a single thought may use.
    pub allowance: Allowance,
    /// Runs of the lab at the same time.
    pub runs: usize,
    /// Games of a run at the same time.
    pub run_threads: usize,
    /// Agents of a run.
    pub run_agents: usize,
    /// Pairs of games of a run, of all who meet together.
    pub run_pairs: u64,
    /// Those who follow runs.
    pub listeners: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            // Together fewer than the 1,024 files that systems usually let a program have open.
            visitors: 200,
            dawdling: Duration::from_secs(15),
            connections: 700,
            thinkers: cores,
            thoughts_each: 4,
            message: 256 * 1024,
            silence: Duration::from_mins(30),
            allowance: Allowance { threads: cores as u64, ..Allowance::default() },
            runs: 1,
            run_threads: cores,
            run_agents: 32,
            run_pairs: 20_000,
            listeners: 64,
        }
    }
}
