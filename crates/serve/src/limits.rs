//! Limits on connections, searches and runs of the server.

use std::time::Duration;

use plyground_api::Allowance;

/// The limits of a server. A request beyond them waits or is refused, and does not affect other clients.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// The most HTTP connections at the same time. When there are so many, the client with the most connections makes room for the
    /// others, first with those that wait for a request.
    pub http_connections: usize,
    /// The timeout from the beginning of a connection, or from the last answer, to the end of the header of a request.
    pub header_timeout: Duration,
    /// The timeout from the header of a request to the end of its body.
    pub body_timeout: Duration,
    /// The timeout for an answer that the client does not read, also over a WebSocket.
    pub write_timeout: Duration,
    /// The most WebSocket connections to the engine at the same time. When there are so many, clients that have more than others make
    /// room for them.
    pub engine_connections: usize,
    /// The most searches at the same time; the others wait, and clients are served in turns.
    pub searches: usize,
    /// The most searches of one client at the same time, fewer than of all, so that others need not wait for them.
    pub searches_of_client: usize,
    /// The time after which a search ends with the best that it has, if a connection without a search waits for its place.
    pub search_turn: Duration,
    /// The most bytes of requests of one client that wait for a search.
    pub waiting_bytes: usize,
    /// The most searches of one connection that run or wait.
    pub searches_each: usize,
    /// The longest message, in bytes.
    pub message: usize,
    /// The idle timeout of a WebSocket connection.
    pub idle_timeout: Duration,
    /// The limits of a single search.
    pub allowance: Allowance,
    /// The limits of games between people.
    pub friends: FriendLimits,
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
            body_timeout: Duration::from_secs(15),
            write_timeout: Duration::from_secs(15),
            engine_connections: 700,
            searches: 2 * cores,
            searches_of_client: cores,
            // Longer than any level takes.
            search_turn: Duration::from_secs(5),
            waiting_bytes: 8 * 1024 * 1024,
            searches_each: 4,
            message: 256 * 1024,
            idle_timeout: Duration::from_mins(30),
            allowance: Allowance { threads: cores as u64, ..Allowance::default() },
            friends: FriendLimits::default(),
            runs: 1,
            run_threads: cores,
            run_agents: 32,
            run_pairs: 20_000,
            listeners: 64,
        }
    }
}

/// Limits on games between people. A game that is left makes room when there are too many, the one that was left first.
#[derive(Clone, Copy, Debug)]
pub struct FriendLimits {
    /// The most games at the same time.
    pub tables: usize,
    /// The most games that one client has opened.
    pub tables_of_client: usize,
    /// The most spectators of a game.
    pub watchers: usize,
    /// The time for which a game is kept when nobody is there.
    pub kept: Duration,
}

impl Default for FriendLimits {
    fn default() -> Self {
        Self { tables: 500, tables_of_client: 40, watchers: 100, kept: Duration::from_hours(24) }
    }
}
