//! The TUC-Chess protocol: a host for clients of the original server, and a client for the original server.

mod follower;
mod host;
mod join;
mod room;
mod visitor;
mod wire;

/// After so long a silence something is said again, where that is wanted.
pub const SILENCE: std::time::Duration = std::time::Duration::from_secs(1);

pub use host::{Host, Programme, TimeControl};
pub use join::{Client, JoinError, Joined};
pub use room::{Admission, Dropped, HostOptions, Notice, OpenRoom, Room};
pub use wire::{Message, Moved, PORT};
