//! Training: networks from self-play, from records and from teachers; tabular and feature-based learners; positions as data sets.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod agreement;
mod curve;
mod encoding;
mod folder;
pub mod learn;
mod learners;
mod measure;
mod plan;
pub mod positions;
mod remote;
mod replay;
mod round;
mod self_play_check;
mod speed;
mod summary;
mod trainable;
mod training;

pub use agreement::Agreement;
pub use curve::{TrainingCurve, TrainingSet};
pub use encoding::{EncodedPosition, Encoding, encoders, encoding};
pub use learners::{SeatScore, TrainableAgent, trainable_agent};
pub use measure::{ANCHORS, Measured, Trial, measure};
pub use plan::TrainingPlan;
pub use plyground_agents::net::{SelfPlay, SelfPlayGame, Target};
pub use remote::{RemoteActors, SelfPlayRequest, self_play_game_bytes, self_play_game_from};
pub use round::Round;
pub use speed::evaluations_per_second;
pub use summary::{TrainingSummary, trainings};
pub use trainable::{SelfPlayActor, TrainableGame, header_game, read_network, trainable_game};
pub use training::{End, Phase, Training, TrainingObserver, TrainingStage};
