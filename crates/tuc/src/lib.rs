//! The TUC-Chess protocol: a host for clients of the original server, and a client for the original server.

mod client;
mod client_game;
mod host;
mod remote_player;
mod server;
mod wire;

/// After so long a silence something is said again, where that is wanted.
pub const SILENCE: std::time::Duration = std::time::Duration::from_secs(1);

pub use client::{Client, JoinError, Joined};
pub use host::{Host, Programme, TimeControl};
pub use remote_player::RemotePlayers;
pub use server::{Admission, Dropped, HostOptions, Notice, OpenRoom, Room};
pub use wire::{Message, Moved, PORT};
