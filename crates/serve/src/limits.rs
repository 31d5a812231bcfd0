//! Limits on connections, searches and runs of the server.

use std::time::Duration;

use plyground_api::Allowance;

/// The limits of a server. A request beyond them waits or is refused, and does not affect other clients.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// The most HTTP connections at the same time; the others wait.
    pub http_connections: usize,
    /// The timeout for reading the header of a request.
    pub header_timeout: Duration,
    /// The most WebSocket connections to the engine at the same time.
    pub engine_connections: usize,
    /// The most searches at the same time; the others wait.
    pub searches: usize,
    /// The most searches of one connection that run or wait.
    pub searches_each: usize,
    /// The longest message, in bytes.
    pub message: usize,
    /// The idle timeout of a WebSocket connection.
    pub idle_timeout: Duration,
    /// The limits of a single search.
    pub allowance: Allowance,
    /// The most runs of the lab at the same time.
    pub runs: usize,
    /// The most games of a run at the same time.
    pub run_threads: usize,
    /// The most agents of a run.
    pub run_agents: usize,
    /// The most pairs of games of a run, of all pairings together.
    pub run_pairs: u64,
    /// The most event streams at the same time.
    pub listeners: usize,
}

impl Default for ServerLimits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            // Together fewer than the 1,024 files that systems usually let a program have open.
            http_connections: 200,
            header_timeout: Duration::from_secs(15),
            engine_connections: 700,
            searches: cores,
            searches_each: 4,
            message: 256 * 1024,
            idle_timeout: Duration::from_mins(30),
            allowance: Allowance { threads: cores as u64, ..Allowance::default() },
            runs: 1,
            run_threads: cores,
            run_agents: 32,
            run_pairs: 20_000,
            listeners: 64,
        }
    }
}
