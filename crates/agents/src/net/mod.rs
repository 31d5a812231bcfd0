//! Agents that ask a network, and the search that both they and self-play use.

pub(crate) mod az;
mod evaluator;
mod exact_probe;
mod gumbel;
pub(crate) mod one_ply;
mod records;
mod search;
mod self_play;
mod tree;

pub use evaluator::{NetEvaluator, header, network_for};
pub(crate) use one_ply::NetAlone;
pub use records::recorded;
pub use search::Settings;
pub use self_play::{SelfPlay, SelfPlayGame, Target, fill, play, position, teach};
