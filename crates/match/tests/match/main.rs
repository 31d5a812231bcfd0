//! What makes an experiment worth something: fair pairs, the same games from the same seed, faults that cost one game and no more, and
//! a store that loses nothing and keeps nothing twice.

mod balance;
mod common;
mod competition;
mod conduct;
#[cfg(feature = "nats")]
mod doors;
mod export;
mod faults;
mod judge;
#[cfg(feature = "nats")]
mod nats;
mod openings;
mod pairs;
mod positions;
mod queue;
mod report;
mod seats;
#[cfg(feature = "nats")]
mod server;
mod store;
mod studies;
mod train;
mod tune;
