//! Simulations until it is enough, in one thread.

use plyground_core::{PlayableGame, Player, Rng};

use super::arena::{Proof, ROOT};
use super::leaf::Judge;
use super::options::Options;
use super::report::{self, Depths};
use super::search::{Memory, Searcher, Simulation, Way};
use crate::limit_checker::Pace;

/// What is searched, by which rules.
pub(crate) struct Task<'a, G: PlayableGame> {
    pub judge: Judge<'a, G>,
    pub options: &'a Options,
    pub root: &'a G::State,
    pub mover: Player,
}

/// Simulates until `enough`, which is asked after each simulation, or until nothing is left to search.
pub(crate) fn until<G: PlayableGame, W: Way<G>>(
    task: &Task<'_, G>,
    memory: &mut Memory<G::Move>,
    rng: &mut Rng,
    mut enough: impl FnMut(&Memory<G::Move>, u64) -> bool,
) -> Depths {
    let mut searcher = Searcher::new(task.judge, task.options, rng);
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
pub(crate) fn at_pace<G: PlayableGame, W: Way<G>>(
    task: &Task<'_, G>,
    memory: &mut Memory<G::Move>,
    rng: &mut Rng,
    pace: &mut Pace<'_, '_, G::Move>,
) -> Depths {
    let opinion = |memory: &Memory<G::Move>| report::opinion(&memory.tree, task.mover, task.options);
    until::<G, W>(task, memory, rng, |memory, _| pace.step(|| opinion(memory)))
}
