//! Choices of evaluations and agents, measured by the exact values of positions: how often is a best move chosen, and how much is
//! thrown away? No games are played: the solver gives the values.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod judging;
mod listing;
mod settings;
mod solving;
mod watch;

pub use judging::{ChoiceQuality, Judged, Judging, judge};
pub use settings::{Contender, JudgeSettings};
pub use solving::Truth;
pub use watch::{JudgeStage, JudgeWatch};
