//! Positions with their exact values, which the solver gives. Choices of evaluations and agents are measured by them: how often is a
//! best move chosen, and how much is thrown away? Positions with a single move that keeps the value are [`puzzles`].
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod judging;
mod listing;
pub mod puzzles;
mod settings;
mod solving;
mod watch;

pub use judging::{ChoiceQuality, Judged, Judging, judge};
pub use settings::{Contender, JudgeSettings};
pub use solving::Truth;
pub use watch::{JudgeStage, JudgeWatch};
