//! The TUC-Chess protocol over UDP: a host for clients of the original server, and a client for the original server.

mod client;
mod client_game;
mod expelled;
#[doc(hidden)]
pub mod fuzzing;
mod host;
mod receive;
mod remote_player;
mod server;
mod socket;
mod wire;

/// The spec of a game as it is played over the protocol: without a limit of moves, if the spec names none. The original server has none,
/// and the clock ends games.
pub fn without_limit(spec: &str) -> String {
    /// More than can be played in the time of a game.
    const LIMIT: &str = "limit=10000";
    match spec.split_once(':') {
        Some((_, keys)) if keys.split(',').any(|key| key.starts_with("limit=")) => spec.to_owned(),
        Some(_) => format!("{spec},{LIMIT}"),
        None => format!("{spec}:{LIMIT}"),
    }
}

/// The time after which an unanswered message is sent again, where resending is on.
pub const SILENCE: std::time::Duration = std::time::Duration::from_secs(1);

pub use client::{Client, JoinError, Joined};
pub use host::{CompetitionTimes, Host, Programme};
pub use remote_player::RemotePlayers;
pub use server::{Admission, DroppedDatagrams, HostEvent, HostOptions, Returning, RunningUdpServer, UdpServer};
pub use wire::{Message, Moved, PORT, with_squares};
