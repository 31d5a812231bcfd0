//! The agreement of a network with the exact solver.

use std::ops::ControlFlow;

use plyground_agents::net::{NetEvaluator, SelfPlayGame, position};
use plyground_core::{CancelToken, GameValue, PlayableGame, StopCheck};
use plyground_session::build_solver;
use serde::{Deserialize, Serialize};

/// The agreement of a network with the solver, on positions that the solver could solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// Positions that were solved.
    pub solved: u64,
    /// Those of them that are won or lost, and not drawn.
    pub decided: u64,
    /// The number of these in which the network expects the right winner.
    pub winner_right: u64,
    /// Those that are not lost: there is something to keep.
    pub to_keep: u64,
    /// The number of these in which the move with the highest prior keeps the value.
    pub kept: u64,
}

impl Agreement {
    /// The share of decided positions in which the network expects the right winner.
    pub fn value(&self) -> Option<f64> {
        (self.decided > 0).then(|| self.winner_right as f64 / self.decided as f64)
    }

    /// The share of positions that are not lost in which its move keeps what there is.
    pub fn policy(&self) -> Option<f64> {
        (self.to_keep > 0).then(|| self.kept as f64 / self.to_keep as f64)
    }
}

/// A stop check that ends a search after so many positions, or when it is cancelled.
struct NodeLimit<'a> {
    last: u64,
    cancel: &'a CancelToken,
}

impl StopCheck for NodeLimit<'_> {
    fn check(&mut self, nodes: u64) -> ControlFlow<()> {
        if nodes >= self.last || self.cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The positions near the end of games: a game gives one of its last few.
const LAST_FEW: usize = 4;

/// A solver for positions that have only a little before them.
const MEMORY: usize = 16_000_000;

/// Solves a position near the end of each self-play game, with at most so many nodes, and asks the network about it. `None` where chance plays, since then
/// nothing is won for certain, or if it was cancelled.
pub(crate) fn agreement<G: PlayableGame>(
    game: &G,
    evaluator: &mut NetEvaluator<G>,
    self_play_games: &mut dyn Iterator<Item = &SelfPlayGame>,
    nodes: u64,
    cancel: &CancelToken,
) -> Option<Agreement> {
    let mut solver = build_solver(game, MEMORY).ok()?;
    let mut agreement = Agreement::default();
    let (mut moves, mut logits) = (Vec::new(), Vec::new());
    for (number, self_play_game) in self_play_games.enumerate() {
        if cancel.is_cancelled() {
            return None;
        }
        let Some(last) = self_play_game.targets.len().checked_sub(1) else { continue };
        let Ok((state, mover)) = position(game, self_play_game, last.saturating_sub(number % LAST_FEW)) else { continue };
        let mut value = |state: &G::State| {
            let last = solver.nodes() + nodes;
            solver.value(game, state, &mut NodeLimit { last, cancel })
        };
        let Some(truth) = value(&state) else { continue };
        game.moves(&state, &mut moves);
        let expected = evaluator.judge(game, &state, &moves, &mut logits) * mover.sign();
        let favourite = (0..moves.len()).max_by(|&one, &other| logits[one].total_cmp(&logits[other]))?;
        let mut after = state.clone();
        game.play(&mut after, moves[favourite]);
        let Some(left) = GameValue::of_position(game, &after, mover, value) else { continue };
        agreement.solved += 1;
        if truth != GameValue::Draw {
            agreement.decided += 1;
            agreement.winner_right += u64::from((expected > 0.0) == (truth == GameValue::Win));
        }
        if truth != GameValue::Loss {
            agreement.to_keep += 1;
            agreement.kept += u64::from(left == truth);
        }
    }
    Some(agreement)
}
