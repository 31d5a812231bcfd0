//! Selective search: what is looked at less deep, or not at all, because it is unlikely to matter.

use plyground_core::{Evaluated, Evaluator, Player};

use super::SURE;
use super::search::{NodeDepth, Search, Window};
use super::settings::{Reduction, Settings};

/// Reductions and null moves take three plies to be worth anything.
const REDUCE_FROM: i32 = 3;
const NULL_FROM: i32 = 3;
/// Further from the end of the look-ahead, too much can happen for a judgement without moves.
const FUTILE_TO: i32 = 4;

impl<G: Evaluated, E: Evaluator<G>> Search<'_, '_, '_, G, E> {
    /// A value that is enough to leave the window without a look at the moves, where the settings allow for it: the evaluation less a
    /// margin for each ply (reverse futility pruning), or what a search finds after the player has passed (the null move; Beal 1989).
    pub fn enough_without_moves(&mut self, state: &G::State, player: Player, node: NodeDepth, window: Window) -> Option<f32> {
        let Settings { null, futility, .. } = *self.settings;
        if (null.is_none() && futility.is_none()) || !window.is_null() || window.beta.abs() >= SURE {
            return None;
        }
        let judged = self.evaluator.score(self.game, state) * player.sign();
        if let Some(margin) = futility.filter(|_| node.depth <= FUTILE_TO) {
            let kept = judged - margin * node.depth as f32;
            if kept >= window.beta {
                self.cut_short = true;
                return Some(kept);
            }
        }
        let less = null.filter(|_| node.depth >= NULL_FROM && judged >= window.beta && self.passed_before != node.ply)?;
        let passed = self.game.passed(state)?;
        let before = std::mem::replace(&mut self.passed_before, node.ply + 1);
        let next = NodeDepth { depth: node.depth - 1 - less - node.depth / 5, ply: node.ply + 1 };
        let value = self.value(&passed, player, next, Window::above(window.beta.next_down()));
        self.passed_before = before;
        if self.stop || value < window.beta {
            return None;
        }
        self.cut_short = true;
        // A win that needs a move more than the rules give is none.
        Some(if value >= SURE { window.beta } else { value })
    }

    /// Late-move reductions: by how many plies is the move looked at less deep first?
    #[inline]
    pub fn reduction(&self, state: &G::State, mv: G::Move, turn: usize, node: NodeDepth) -> i32 {
        /// The first moves are the likely ones.
        const FIRST: usize = 2;
        if node.depth < REDUCE_FROM {
            return 0;
        }
        let less = match self.settings.reduce {
            Reduction::Off => 0,
            Reduction::After(first) => i32::from(turn >= first),
            Reduction::Logarithmic if turn < FIRST => 0,
            Reduction::Logarithmic => ((turn + 1).ilog2() * node.depth.unsigned_abs().ilog2() / 4).max(1) as i32,
        };
        if less == 0 || self.game.is_noisy(state, mv) { 0 } else { less }
    }
}
