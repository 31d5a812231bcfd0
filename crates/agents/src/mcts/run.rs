//! Simulations until it is enough, in one thread.

use plyground_core::{PlayableGame, Player, Rng};

use super::arena::{Proof, ROOT};
use super::leaf::LeafEvaluator;
use super::options::Options;
use super::report::{self, Depths};
use super::search::{Memory, Searcher, Simulation, SimulationPolicy};
use crate::limit_checker::LimitChecker;

/// The task of a search: evaluation of leaves, options and position.
pub(crate) struct Task<'a, G: PlayableGame> {
    pub leaf_evaluator: LeafEvaluator<'a, G>,
    pub options: &'a Options,
    pub root: &'a G::State,
    pub mover: Player,
}

/// Simulates until `enough`, which is asked after each simulation, or until nothing is left to search.
pub(crate) fn until<G: PlayableGame, W: SimulationPolicy<G>>(
    task: &Task<'_, G>,
    memory: &mut Memory<G::Move>,
    rng: &mut Rng,
    mut enough: impl FnMut(&Memory<G::Move>, u64) -> bool,
) -> Depths {
    let mut searcher = Searcher::new(task.leaf_evaluator, task.options, rng);
    let mut simulation = Simulation::new(task.root);
    let mut depths = Depths::default();
    loop {
        W::simulate(&mut searcher, memory, task.root, &mut simulation);
        depths.add(simulation.steps.len());
        if enough(memory, depths.count) || (W::PROVES && memory.tree.nodes[ROOT].proof != Proof::Unknown) {
            return depths;
        }
    }
}

/// Simulates until the pace says stop.
pub(crate) fn with_limits<G: PlayableGame, W: SimulationPolicy<G>>(
    task: &Task<'_, G>,
    memory: &mut Memory<G::Move>,
    rng: &mut Rng,
    checker: &mut LimitChecker<'_, '_, G::Move>,
) -> Depths {
    let opinion = |memory: &Memory<G::Move>| report::opinion(&memory.tree, task);
    until::<G, W>(task, memory, rng, |memory, _| checker.step(|| opinion(memory)))
}
