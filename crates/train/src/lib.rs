//! Training: networks from self-play, from records and from teachers; tabular and feature-based learners; positions as data sets.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod agreement;
mod anchors;
mod encoding;
mod folder;
mod glance;
pub mod learn;
mod learners;
mod plan;
mod players;
pub mod positions;
mod replay;
mod speed;
mod trainable;
mod training;

pub use agreement::Agreement;
pub use anchors::{ANCHORS, Measured, Trial, measure};
pub use encoding::{EncodedPosition, Encoding, encoders, encoding};
pub use glance::{TrainingSummary, trainings};
pub use learners::{SeatScore, TrainableAgent, trainable_agent};
pub use plan::Plan;
pub use players::{Players, Wanted, lesson_bytes, lesson_from};
pub use plyground_agents::net::{SelfPlay, SelfPlayGame, Target};
pub use speed::evaluations_per_second;
pub use trainable::{SelfPlayActor, TrainableGame, header_game, read_network, trainable_game};
pub use training::{End, Onlooker, Phase, Round, Stage, Training};
