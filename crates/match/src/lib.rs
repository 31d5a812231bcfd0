//! Matches and tournaments: pairs of games, the run pipeline, the store that keeps every game, and results.
//!
//! The unit of work, of statistics and of resumption is the pair: one opening and one seed, played twice with the seats swapped. Where
//! the seats are fixed, as in published tables by seat, it is the single game.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod error;
mod experiment;
mod game;
mod machine;
mod openings;
mod queue;
mod resources;
mod results;
mod run;
mod schedule;
mod standings;
mod store;

pub use error::RunError;
pub use experiment::{Experiment, Openings, Run, Seats, names_limits};
pub use game::{AgentFactory, Contestant, Fault, Moment, Pace, Played, PlayerFactory, REMOTE, Reply, Seated, Table, play_game};
pub use machine::machine;
pub use openings::{Book, opening_plies};
pub use queue::{Job, Lease, Queue, ResultSink, RunPrefix, Worker};
pub use resources::files::{Files, UnchangedFiles, hash, shell_word, write_whole};
pub use resources::networks::{BuiltIn, NETWORKS, OwnNetworks, built_in};
pub use results::Results;
pub use run::driver::{News, RunDriver, rounds_so_far};
pub use run::executor::{Executor, Hosted, RemotePlayers, Task, Threads};
pub use run::worker::{Event, Runs, Setting, WorkerConfig, work};
pub use schedule::{Format, jobs, pairings, swiss_round};
pub use standings::{Standing, match_json, results_json, standings};
pub use store::export::{csv, parquet};
pub use store::queue::LocalQueue;
pub use store::{GameRow, RunRow, Store};
