//! Agents that judge a move by playing games to the end.

mod amaf;
mod arena;
mod bounds;
pub(crate) mod flat;
mod full;
pub(crate) mod hybrid;
mod leaf;
mod open_loop;
pub(crate) mod options;
mod positions;
mod report;
mod reuse;
mod roots;
mod run;
mod search;
mod shallow;
mod solver;
mod tables;
mod threads;
pub(crate) mod uct;

pub use flat::FlatMonteCarlo;
pub use uct::Uct;
