//! The settings of a training.

use plyground_core::InputError;
use plyground_nets::Size;
use serde::{Deserialize, Serialize};

use super::measure::{ANCHORS, Trial};
use crate::{SelfPlay, trainable_game};

/// The settings of a training. They are kept beside its checkpoint: a training that goes on goes on with the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingPlan {
    /// The version of these settings.
    pub version: u32,
    /// The game with its parameters.
    pub game: String,
    /// The encoder of positions.
    pub encoder: String,
    /// Planes in the trunk of the network.
    pub channels: usize,
    /// Its residual blocks.
    pub blocks: usize,
    /// The seed of all randomness.
    pub seed: u64,
    /// The agent whose games are learnt from first; empty for none.
    pub teacher: String,
    /// The number of its games.
    pub teacher_games: u64,
    /// Games in a round: then the network learns from them.
    pub round_games: u64,
    /// Simulations for a move that is learnt from.
    pub full: u32,
    /// Simulations for other moves.
    pub fast: u32,
    /// The share of the moves that are learnt from.
    pub full_share: f64,
    /// The most random moves at the beginning of a game.
    pub random_plies: u32,
    /// Positions of a step.
    pub batch: usize,
    /// The mean number of times that a position is learnt from.
    pub passes: f64,
    /// The size of a step at the beginning; it is a tenth at the end.
    pub rate: f32,
    /// The weight of the value that the search expected, against the result of the game.
    pub trust: f32,
    /// The least positions that are learnt from.
    pub window: usize,
    /// Opponents to be measured by, weakest first.
    pub anchors: Vec<String>,
    /// Games against each of them.
    pub anchor_games: u32,
    /// Simulations of the network's search in these games.
    pub anchor_sims: u32,
    /// Minutes of training between two measurements.
    pub anchor_minutes: f64,
}

impl TrainingPlan {
    /// The version that this program reads.
    pub const VERSION: u32 = 1;

    /// The usual settings for a game.
    pub fn new(game: &str, encoder: Option<&str>, size: Size) -> Result<Self, InputError> {
        let trainable = trainable_game(game, encoder)?;
        let how = SelfPlay::default();
        Ok(Self {
            version: Self::VERSION,
            game: trainable.game(),
            encoder: trainable.encoder().to_owned(),
            channels: size.channels,
            blocks: size.blocks,
            seed: 0,
            teacher: "mcts:sims=200".to_owned(),
            teacher_games: 3_000,
            round_games: 500,
            full: how.full,
            fast: how.fast,
            full_share: how.full_share,
            random_plies: how.random_plies,
            batch: 128,
            passes: 4.0,
            rate: 2e-3,
            trust: 0.3,
            window: 50_000,
            anchors: ANCHORS.map(str::to_owned).to_vec(),
            anchor_games: 40,
            anchor_sims: 100,
            anchor_minutes: 10.0,
        })
    }

    /// The settings of self-play.
    pub fn self_play(&self) -> SelfPlay {
        SelfPlay {
            full: self.full,
            fast: self.fast,
            full_share: self.full_share,
            random_plies: self.random_plies,
            ..SelfPlay::default()
        }
    }

    /// The settings of a measurement.
    pub fn trial(&self) -> Trial<'_> {
        Trial {
            game: &self.game,
            seed: self.seed,
            anchors: &self.anchors,
            pairs: (self.anchor_games as usize).div_ceil(2).max(1),
            sims: self.anchor_sims,
        }
    }

    /// The size of the network.
    pub fn size(&self) -> Size {
        Size { channels: self.channels, blocks: self.blocks }
    }
}
