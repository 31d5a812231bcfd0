//! Judging positions without searching.

use crate::{Game, InputError, KeyInfo, Params, Turn};

/// The score of a won game; every score of an evaluator is smaller than this in magnitude. (A whole number of this size is exact in
/// `f32` with room to spare, so that searches can subtract plies from it to prefer short wins.)
pub const WIN_SCORE: f32 = 1_000_000.0;

/// Judges positions.
pub trait Evaluator<G: Game>: Send + Sync {
    /// How good the position is for the FIRST player, in units of the evaluator's own choice, smaller than [`WIN_SCORE`] in
    /// magnitude. Asked for any position that is not over, those where chance is due included.
    fn score(&self, game: &G, state: &G::State) -> f32;

    /// Turns a score into the first player's expected result, from 0 to 1. Must be monotone.
    fn win_chance(&self, score: f32) -> f32 {
        logistic(score)
    }

    /// The scores of all positions that `moves` lead to, in their order, still in the first player's view; a move that ends the
    /// game scores plus or minus [`WIN_SCORE`], or 0 for a draw. Override it where the children can be judged from the parent.
    fn evaluate_children(&self, game: &G, state: &G::State, moves: &[G::Move], scores: &mut Vec<f32>) {
        scores.clear();
        scores.extend(moves.iter().map(|&mv| {
            let mut child = state.clone();
            game.play(&mut child, mv);
            match game.turn(&child) {
                Turn::Over(outcome) => outcome.value() * WIN_SCORE,
                Turn::Player(_) | Turn::Chance => self.score(game, &child),
            }
        }));
    }
}

/// The logistic function 1 / (1 + e^-x).
#[inline]
pub fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Describes an evaluator for people.
#[derive(Clone, Copy, Debug)]
pub struct EvaluatorInfo {
    /// The word after `eval=`.
    pub name: &'static str,
    /// What it looks at, in a line.
    pub summary: &'static str,
    /// Its own keys in an agent spec.
    pub keys: &'static [KeyInfo],
}

/// The advice that comes with a game: not rules, and no agent has to take it.
pub trait Heuristics: Game {
    /// The evaluators of the game, as one type, so that searches can be compiled for it.
    type Evaluator: Evaluator<Self>;

    /// What there is; the first one is the default.
    fn evaluators() -> &'static [EvaluatorInfo];

    /// Makes the evaluator that `name` (one of [`Heuristics::evaluators`]) and its keys describe.
    fn evaluator(&self, name: &str, keys: &Params) -> Result<Self::Evaluator, InputError>;
}

/// For games without any advice: every position is level.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHeuristic;

impl NoHeuristic {
    /// How it is listed.
    pub const INFO: &'static [EvaluatorInfo] =
        &[EvaluatorInfo { name: "none", summary: "calls every unfinished position level", keys: &[] }];
}

impl<G: Game> Evaluator<G> for NoHeuristic {
    fn score(&self, _: &G, _: &G::State) -> f32 {
        0.0
    }
}
