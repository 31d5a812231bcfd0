//! Agents that judge a move by playing games to the end.

pub(crate) mod flat;
mod tree;
pub(crate) mod uct;

pub use flat::FlatMonteCarlo;
pub use uct::Uct;
