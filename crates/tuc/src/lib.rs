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

/// The time after which an unanswered message is sent again, where resending is on.
pub const SILENCE: std::time::Duration = std::time::Duration::from_secs(1);

pub use client::{Client, JoinError, Joined};
pub use host::{CompetitionTimes, Host, Programme};
pub use remote_player::RemotePlayers;
pub use server::{Admission, DroppedDatagrams, HostEvent, HostOptions, RunningUdpServer, UdpServer};
pub use wire::{Message, Moved, PORT};
