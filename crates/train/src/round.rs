//! A round of a training.

use serde::{Deserialize, Serialize};

use crate::Agreement;
use crate::measure::Measured;

/// The figures of a round: a point of every curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Its number, from 1.
    pub round: u64,
    /// Seconds of training up to its end.
    pub seconds: f64,
    /// Were these games of the teacher?
    pub taught: bool,
    /// Games of all rounds up to it.
    pub games: u64,
    /// Steps of learning of all rounds up to it.
    pub steps: u64,
    /// Positions that could be learnt from.
    pub window: usize,
    /// The mean age of what could be learnt from, in games.
    pub age: f64,
    /// The mean number of times that a position of the window was learnt from in this round.
    pub reuse: f64,
    /// Cross-entropy of the policy with what it should have been.
    pub policy_loss: f64,
    /// Squared error of the value.
    pub value_loss: f64,
    /// The mean length of a game.
    pub plies: f64,
    /// The first player's share of the points.
    pub first_score: f64,
    /// The share of games that repeat another one of the round.
    pub redundancy: f64,
    /// Games an hour while it played.
    pub games_per_hour: f64,
    /// Judgements of the network a second, all threads together.
    pub judgements_per_second: f64,
    /// The share of the time of playing that the network took.
    pub network_share: f64,
    /// Steps of learning a second.
    pub steps_per_second: f64,
    /// The results against the anchors, if it was measured after this round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measured: Vec<Measured>,
    /// The agreement with the solver, if it was measured and the game can be solved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreement: Option<Agreement>,
}
