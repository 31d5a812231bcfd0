//! The experiments: pairs of games, tournaments, the store that keeps every game, and what follows from the results.
//!
//! The unit of work, of statistics and of resumption is the pair: one opening and one seed, played twice with the seats swapped.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod arena;
mod error;
mod experiment;
mod openings;
mod queue;
mod results;
mod runner;
mod schedule;
pub mod statistics;
mod store;
pub mod study;

pub use arena::{Contestant, Fault, Pace, Played, Reply, Roster, Standard, Table, play_game};
pub use error::LabError;
pub use experiment::{Experiment, Openings, RecordedLimits, Run};
pub use openings::{opening_plies, openings};
pub use queue::{Job, Lease, Queue, Worker};
pub use results::Results;
pub use runner::{Event, Orders, work};
pub use schedule::{Format, jobs, pairings, swiss_round};
pub use store::{GameRow, RunRow, Store};
