//! Matches and tournaments: pairs of games, the run pipeline, the store that keeps every game, and results.
//!
//! The unit of work, of statistics and of resumption is the pair: one opening and one seed, played twice with the seats swapped. Where
//! the seats are fixed, as in published tables by seat, it is the single game.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod date;
mod error;
mod experiment;
mod game;
mod import;
mod job;
mod machine;
mod openings;
mod parallel;
mod queue;
mod refused;
mod resources;
mod results;
mod run;
mod schedule;
mod sprt_progress;
mod standings;
mod store;
mod verify;

pub use date::{date_text, day_text, seconds_now, seconds_of};
pub use error::RunError;
pub use experiment::format::Format;
pub use experiment::{Experiment, Openings, REMOTE, Run, Seats, names_effort, names_limits};
pub use game::fault::Fault;
pub use game::player::{AgentFactory, AgentPlayer, GameNotice, MatchPlayer, PlayerFactory, PlayerPair, Reply};
pub use game::time_control::TimeControl;
pub use game::{GameSetup, PlayedGame, play_game};
pub use import::{ImportedGame, ImportedRun, import};
pub use job::{GameRow, Job, RunPrefix};
pub use machine::machine;
pub use openings::{Book, opening_plies, opening_plies_of, read_openings};
pub use parallel::parallel_map;
pub use queue::{Lease, Queue, ResultSink, Worker};
pub use refused::{RefusedResults, refused_in_words};
pub use resources::files::{FileResources, UnchangedFiles, bounded, hash, read_bounded, shell_word, write_whole};
pub use resources::networks::{BuiltIn, NETWORKS, OwnNetworks, built_in};
pub use results::Results;
pub use run::driver::{RunDriver, RunPart};
pub use run::event::{Observers, RunEvent, RunObserver};
pub use run::executor::{Executor, Threads};
pub use run::rounds::{is_complete, rounds_so_far};
pub use run::worker::{RunContext, RunSource, WorkerConfig, Workplace, play_job, work, work_at};
pub use schedule::{jobs, pairings, swiss_round};
pub use sprt_progress::SprtProgress;
pub use standings::{Standing, add_uncounted, match_json, results_json, standings};
pub use store::export::{csv, parquet};
pub use store::queue::LocalQueue;
pub use store::{Damage, RunRow, Store, StoreCheck};
pub use verify::{Refusal, ResultVerifier, is_reproducible, verify_games, verify_job, verify_same};
