//! The experiments: pairs of games, tournaments, the store that keeps every game, and what follows from the results.
//!
//! The unit of work, of statistics and of resumption is the pair: one opening and one seed, played twice with the seats swapped. Where
//! the seats are fixed, as in published tables by seat, it is the single game.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod arena;
pub mod balance;
pub mod competition;
mod conduct;
mod crew;
mod error;
mod experiment;
mod export;
mod files;
pub mod judge;
pub mod learn;
mod local;
mod machine;
#[cfg(feature = "nats")]
pub mod nats;
pub mod nets;
mod openings;
pub mod positions;
mod queue;
mod ranges;
pub mod report;
mod results;
mod runner;
mod schedule;
mod standings;
pub mod statistics;
mod store;
pub mod study;
pub mod train;
pub mod tune;

pub use arena::{Contestant, Fault, Moment, Pace, Played, Reply, Roster, Seated, Standard, Table, play_game};
pub use conduct::{Conduct, News, rounds_so_far};
pub use crew::{Crew, Hosted, Porter, Task, Threads};
pub use error::LabError;
pub use experiment::{Experiment, Openings, Run, Seats, names_limits};
pub use export::{csv, parquet};
pub use files::{Files, shell_word, write_whole};
pub use local::LocalQueue;
pub use machine::machine;
pub use openings::{Book, opening_plies};
pub use queue::{Job, Keeper, Lease, Lot, Queue, Worker};
pub use results::Results;
pub use runner::{Event, Orders, Runs, Setting, work};
pub use schedule::{Format, jobs, pairings, swiss_round};
pub use standings::{Standing, match_json, results_json, standings};
pub use store::{GameRow, RunRow, Store};
