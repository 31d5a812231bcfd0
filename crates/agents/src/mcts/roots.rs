//! Several threads with a tree each. Now and then all come together and tell each other what they have found out about the moves that
//! matter ("slow tree parallelisation", Bourki et al. 2010). In between no thread waits, and no memory
//! wanders between processors. Without a time limit the same seed gives the same move.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use plyground_core::{PlayableGame, Rng, Seed};

use super::arena::{Kind, Proof, ROOT, Tree};
use super::report::{self, Depths};
use super::run::{Task, until};
use super::search::{Memory, SimulationPolicy};
use super::tables::Lookup;
use crate::limit_checker::LimitChecker;

/// Simulations of each thread before the trees are compared for the first time.
const FIRST_ROUND: u64 = 512;

/// A position matters when one in so many simulations goes there.
const MATTERS: u32 = 16;

/// Searches until the pace says stop, this thread with the first of the trees. At the end, all of them know what all have found out
/// about the moves of the root. Returns how deep simulations went, and how many threads there were: there may be fewer than asked
/// for where the system refuses them.
pub(crate) fn run<G: PlayableGame, W: SimulationPolicy<G>>(
    task: &Task<'_, G>,
    memories: &mut [Memory<G::Move>],
    most: u64,
    rng: &mut Rng,
    checker: &mut LimitChecker<'_, '_, G::Move>,
) -> (Depths, usize) {
    let mut rngs: Vec<Rng> = (1..memories.len()).map(|_| Seed(rng.bits()).rng()).collect();
    let mut common = Common(HashMap::new());
    let mut depths = Depths::default();
    let mut threads = memories.len();
    loop {
        let left = most - depths.count;
        let round = left.min(threads as u64 * FIRST_ROUND.max(depths.count / threads as u64 / 2));
        let helpers = rngs.iter_mut().take(threads - 1);
        let (told, done, helped) = one_round::<G, W>(task, (memories, helpers.collect()), round, rng, checker);
        depths.join(done);
        threads = helped + 1;
        checker.steps = depths.count;
        if told == Told::Proven {
            return (depths, threads);
        }
        common.share(&mut memories[..threads]);
        let proven = W::PROVES && memories[0].tree.nodes[ROOT].proof != Proof::Unknown;
        if told == Told::Stop || proven || depths.count >= most {
            return (depths, threads);
        }
    }
}

/// Why a round ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    GoOn,
    /// The observer or the clock said so.
    Stop,
    /// This thread has proven the root. How far the others came then depends on when they heard of it, so they are not asked.
    Proven,
}

/// A number of simulations, in equal parts by all threads. Also returns how many threads helped.
fn one_round<G: PlayableGame, W: SimulationPolicy<G>>(
    task: &Task<'_, G>,
    (memories, rngs): (&mut [Memory<G::Move>], Vec<&mut Rng>),
    simulations: u64,
    rng: &mut Rng,
    checker: &mut LimitChecker<'_, '_, G::Move>,
) -> (Told, Depths, usize) {
    let stop = &AtomicBool::new(false);
    let threads = rngs.len() as u64 + 1;
    let (own, others) = memories.split_first_mut().expect("there is a tree");
    // This thread does what the others do not.
    let mut own_share = simulations;
    let mut told = Told::GoOn;
    let mut depths = Depths::default();
    thread::scope(|scope| {
        let mut helpers = Vec::new();
        for (number, (other, rng)) in (0..).zip(others.iter_mut().zip(rngs)) {
            let share = (simulations + number) / threads;
            let enough = move |_: &Memory<G::Move>, done| done >= share || stop.load(Relaxed);
            let help = move || if share > 0 { until::<G, W>(task, other, rng, enough) } else { Depths::default() };
            match thread::Builder::new().spawn_scoped(scope, help) {
                Ok(helper) => helpers.push(helper),
                Err(_) => break,
            }
            own_share -= share;
        }
        let together = helpers.len() as u64 + 1;
        depths = until::<G, W>(task, own, rng, |memory, done| {
            // The others are taken to be as far as this one.
            checker.steps += together - 1;
            if checker.step(|| report::opinion(&memory.tree, task)) && done < own_share {
                told = Told::Stop;
            }
            done >= own_share || told == Told::Stop
        });
        if told == Told::GoOn && depths.count < own_share {
            told = Told::Proven;
        }
        stop.store(told != Told::GoOn, Relaxed);
        let helped = helpers.len();
        for helper in helpers {
            match helper.join() {
                Ok(theirs) => depths.join(theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        (told, depths, helped)
    })
}

/// What all trees had in common when they were compared last: the sum of the rewards and the visits, by the moves that lead there.
struct Common<M>(HashMap<Vec<M>, (f64, u32)>);

impl<M: Copy + Eq + Hash> Common<M> {
    /// Gives every tree what the others have found out since.
    fn share(&mut self, memories: &mut [Memory<M>]) {
        let root = vec![ROOT; memories.len()];
        let (_, visits) = self.level(memories, &[], &root);
        let mut waiting = vec![(Vec::new(), root)];
        while let Some((path, nodes)) = waiting.pop() {
            let first = &memories[0].tree.nodes[nodes[0]];
            let edges = first.first as usize..(first.first + first.count) as usize;
            for edge in edges {
                let mv = memories[0].tree.moves[edge];
                let tried = memories.iter().zip(&nodes).filter(|&(memory, &node)| memory.tree.has_tried(node, mv)).count();
                // At the root there is always memory for a move that only others have tried.
                if tried == 0 || (tried < nodes.len() && !path.is_empty()) {
                    continue;
                }
                let found = |(memory, &node): (&mut Memory<M>, &usize)| memory.tree.edge_of(node, mv);
                let Some(edges) = memories.iter_mut().zip(&nodes).map(found).collect::<Option<Vec<usize>>>() else { continue };
                let child = |(memory, &edge): (&Memory<M>, &usize)| memory.tree.child[edge] as usize;
                let children: Vec<usize> = memories.iter().zip(&edges).map(child).collect();
                let path = [&path[..], &[mv]].concat();
                let (sum, here) = self.level(memories, &path, &children);
                for (memory, &edge) in memories.iter_mut().zip(&edges) {
                    renew(&mut memory.tree, edge, sum, here);
                }
                let grown = |(memory, &node): (&Memory<M>, &usize)| memory.tree.nodes[node].kind.player().is_some();
                if here > visits / MATTERS && memories.iter().zip(&children).all(grown) {
                    waiting.push((path, children));
                }
            }
        }
    }

    /// Brings the nodes of one position to the same state.
    fn level(&mut self, memories: &mut [Memory<M>], path: &[M], nodes: &[usize]) -> (f64, u32) {
        let known = self.0.entry(path.to_vec()).or_insert_with(|| (0.0, 0));
        let (mut sum, mut visits) = *known;
        let mut proof = Proof::Unknown;
        for (memory, &node) in memories.iter().zip(nodes) {
            let node = &memory.tree.nodes[node];
            sum += node.sum - known.0;
            visits += node.visits - known.1;
            if proof == Proof::Unknown {
                proof = node.proof;
            }
        }
        *known = (sum, visits);
        for (memory, &node) in memories.iter_mut().zip(nodes) {
            let node = &mut memory.tree.nodes[node];
            (node.sum, node.visits) = (sum, visits);
            if node.kind != Kind::Over {
                node.proof = proof;
            }
        }
        (sum, visits)
    }
}

fn renew<M: Copy>(tree: &mut Tree<M>, edge: usize, sum: f64, visits: u32) {
    if visits > 0 {
        tree.mean[edge] = (sum / f64::from(visits)) as f32;
        tree.spread[edge] = Lookup::new().inverse_sqrt(visits);
    }
}
