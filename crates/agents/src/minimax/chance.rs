//! Chance events: the average over the outcomes, as plain minimax takes it, without looking at all of them where the window allows.

use plyground_core::{Evaluated, Evaluator, Player, Seed, Turn, WIN_SCORE};

use super::search::{NodeDepth, ORDER_FROM, Search, Window};
use super::settings::Star;
use super::table::Entry;

/// Far above what adding up an average in `f64` can lose, and far below any difference between scores.
const SLACK: f64 = 1e-6;

/// A chance outcome with its probability and the bounds of its value.
#[derive(Clone, Debug)]
pub(super) struct Event<M> {
    outcomes: Vec<(M, f64)>,
    bounds: Vec<Bounds>,
}

#[derive(Clone, Copy, Debug)]
struct Bounds {
    lower: f64,
    upper: f64,
}

/// No score is larger than a win.
const UNBOUNDED: Bounds = Bounds { lower: -(WIN_SCORE as f64), upper: WIN_SCORE as f64 };

impl<M> Default for Event<M> {
    fn default() -> Self {
        Self { outcomes: Vec::new(), bounds: Vec::new() }
    }
}

impl<M> Event<M> {
    /// The bounds of the average.
    fn weighed(&self) -> Bounds {
        let weighed = |bound: fn(&Bounds) -> f64| {
            self.outcomes.iter().zip(&self.bounds).map(|((_, probability), bounds)| probability * bound(bounds)).sum()
        };
        Bounds { lower: weighed(|bounds| bounds.lower), upper: weighed(|bounds| bounds.upper) }
    }
}

impl<G: Evaluated, E: Evaluator<G>> Search<'_, '_, '_, G, E> {
    /// The average value of what chance may do, in the view of `viewer`.
    pub fn average(&mut self, state: &G::State, viewer: Player, node: NodeDepth, window: Window) -> f32 {
        self.chance = true;
        let mut event = self.spare_events.pop().unwrap_or_default();
        self.game.chance(state, &mut event.outcomes);
        self.sample(state, &mut event.outcomes);
        event.bounds.clear();
        event.bounds.resize(event.outcomes.len(), UNBOUNDED);
        // A reply that might be looked at a ply more or less deep is no bound.
        let value = if self.settings.star == Star::Two && node.depth > 0 && self.settings.is_even() {
            self.probe(state, viewer, node, window, &mut event)
        } else {
            None
        };
        let value = value.unwrap_or_else(|| self.add_up(state, viewer, node, window, &event));
        self.spare_events.push(event);
        // Which line comes next is up to chance.
        self.line(node.ply).clear();
        value
    }

    /// Keeps only some of the outcomes, where so many are wanted: drawn by their probability, and always the same ones for the same
    /// position and seed, so that the value of a position does not change while it is searched.
    fn sample(&self, state: &G::State, outcomes: &mut Vec<(G::Move, f64)>) {
        let samples = self.settings.samples;
        if samples == 0 || outcomes.len() <= samples {
            return;
        }
        let mut rng = Seed(self.sample_seed ^ self.game.hash(state)).rng();
        let all = std::mem::take(outcomes);
        let last = all.len() - 1;
        for _ in 0..samples {
            let mut left = rng.unit();
            let drawn = all.iter().position(|&(_, probability)| {
                left -= probability;
                left < 0.0
            });
            outcomes.push((all[drawn.unwrap_or(last)].0, 1.0 / samples as f64));
        }
    }

    /// Star1: each outcome is searched in the window in which it can still decide whether the average is inside of `window`.
    fn add_up(&mut self, state: &G::State, viewer: Player, node: NodeDepth, window: Window, event: &Event<G::Move>) -> f32 {
        let mut sum = 0.0;
        // The least and the most that the outcomes not yet searched can bring in.
        let Bounds { lower: mut least, upper: mut most } = event.weighed();
        for (&(outcome, probability), known) in event.outcomes.iter().zip(&event.bounds) {
            least -= probability * known.lower;
            most -= probability * known.upper;
            let inner = if self.settings.star == Star::Off {
                Window::WHOLE
            } else {
                let alpha = (f64::from(window.alpha) - sum - most - SLACK) / probability;
                let beta = (f64::from(window.beta) - sum - least + SLACK) / probability;
                Window { alpha: (alpha as f32).next_down(), beta: (beta as f32).next_up() }
            };
            let mut child = state.clone();
            self.game.play(&mut child, outcome);
            let value = self.value(&child, viewer, node, inner);
            if self.stop {
                return 0.0;
            }
            sum += probability * f64::from(value);
            if value <= inner.alpha {
                return ((sum + most) as f32).next_up().min(window.alpha);
            }
            if value >= inner.beta {
                return ((sum + least) as f32).next_down().max(window.beta);
            }
        }
        sum as f32
    }

    /// Star2: one reply to each outcome bounds its value on the side of the player who replies; often all of them together are bad
    /// enough for the other. Gives the bound if so, else tightens the bounds for Star1.
    fn probe(
        &mut self,
        state: &G::State,
        viewer: Player,
        node: NodeDepth,
        window: Window,
        event: &mut Event<G::Move>,
    ) -> Option<f32> {
        for (&(outcome, _), known) in event.outcomes.iter().zip(&mut event.bounds) {
            let mut child = state.clone();
            self.game.play(&mut child, outcome);
            // Only what helps to leave the window is worth the effort.
            let Turn::Player(player) = self.game.turn(&child) else { continue };
            let enough = if player == viewer { window.beta } else { -window.alpha };
            if enough == f32::INFINITY {
                continue;
            }
            let reply = self.likely_reply(&child, player, node)?;
            self.play(&mut child, reply);
            let reached = Window { alpha: f32::NEG_INFINITY, beta: enough };
            let value = f64::from(self.value(&child, player, node.next(), reached));
            if player == viewer {
                known.lower = value;
            } else {
                known.upper = -value;
            }
        }
        if self.stop {
            return Some(0.0);
        }
        let Bounds { lower: least, upper: most } = event.weighed();
        if most + SLACK <= f64::from(window.alpha) {
            return Some((most as f32).next_up().min(window.alpha));
        }
        if least - SLACK >= f64::from(window.beta) {
            return Some((least as f32).next_down().max(window.beta));
        }
        None
    }

    /// The move that an ordered search would try first.
    fn likely_reply(&mut self, state: &G::State, player: Player, node: NodeDepth) -> Option<G::Move> {
        let known = self.table.is_on().then(|| self.key(state, node.ply)).and_then(|key| self.table.get(key));
        let hash_move = known.map_or(Entry::NO_MOVE, |entry| entry.best);
        let mut moves = self.spare_moves.pop().unwrap_or_default();
        self.game.moves(state, &mut moves.all);
        let reply = (!moves.all.is_empty()).then(|| {
            self.rank(state, player, NodeDepth { depth: ORDER_FROM, ..node }, usize::from(hash_move), &mut moves);
            let first = moves.pick(0);
            moves.all[first]
        });
        self.spare_moves.push(moves);
        reply
    }
}
