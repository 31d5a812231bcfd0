//! Several threads in one tree, kept apart by virtual losses (Chaslot, Winands and van den Herik 2008).
//!
//! The tree is behind one lock, and a thread ends and begins a batch of simulations for each turn with it. So it needs no atomic
//! counters, which would rule out vector instructions, and the search with one thread is the same code. Where a simulation takes less
//! than a microsecond, what was last written by the other processor costs more than is won; where it takes longer, two threads
//! hardly wait for each other.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};
use std::thread;

use plyground_core::sync::lock;
use plyground_core::{PlayableGame, Player, Rng, Seed};

use super::arena::{Proof, ROOT, Tree};
use super::leaf::LeafEvaluator;
use super::options::Options;
use super::report::{self, Depths};
use super::run::Task;
use super::search::{Memory, Searcher, Simulation, SimulationPolicy, Stop};
use crate::limit_checker::LimitChecker;

/// Simulations that a thread begins for each turn with the tree: the more, the less the tree wanders from one processor's cache to the
/// other's. But many at once are begun with little information, so at first they are few.
const BATCHES: RangeInclusive<u64> = 4..=64;

/// The visits of the root for each simulation of a batch.
const VISITS_PER_SIMULATION: u64 = 128;

/// How often a thread looks whether the tree is free before it goes to sleep, which takes longer than most batches.
const LOOKS: u32 = 2_000;

/// What the threads share.
struct Team<'a, G: PlayableGame> {
    memory: Mutex<&'a mut Memory<G::Move>>,
    root: &'a G::State,
    /// Simulations still to begin.
    left: AtomicU64,
    done: AtomicU64,
    stop: AtomicBool,
}

/// A simulation of a batch and what came out of it.
struct Flight<G: PlayableGame> {
    simulation: Simulation<G>,
    stop: Stop,
}

/// One thread's part.
struct Member<'a, G: PlayableGame> {
    searcher: Searcher<'a, G>,
    flights: Vec<Flight<G>>,
    /// How many of the flights are under way.
    under_way: usize,
    depths: Depths,
}

/// Searches until the pace says stop. Returns how deep simulations went, and how many threads there were: there may be fewer than
/// asked for where the system refuses them.
pub(crate) fn run<G: PlayableGame, W: SimulationPolicy<G>>(
    task: &Task<'_, G>,
    memory: &mut Memory<G::Move>,
    most: u64,
    rng: &mut Rng,
    checker: &mut LimitChecker<'_, '_, G::Move>,
) -> (Depths, usize) {
    let team = Team {
        memory: Mutex::new(memory),
        root: task.root,
        left: AtomicU64::new(most),
        done: AtomicU64::new(0),
        stop: AtomicBool::new(false),
    };
    let helper_seeds: Vec<Seed> = (1..task.options.threads).map(|_| Seed(rng.bits())).collect();
    let mut depths = Depths::default();
    let mut threads = 1;
    thread::scope(|scope| {
        let team = &team;
        let mut helpers = Vec::new();
        for seed in helper_seeds {
            let (leaf_evaluator, options) = (task.leaf_evaluator, task.options);
            let help = move || {
                let mut rng = seed.rng();
                let mut member = Member::new(leaf_evaluator, options, team.root, &mut rng);
                while member.round::<W>(team) {}
                member.depths
            };
            match thread::Builder::new().spawn_scoped(scope, help) {
                Ok(helper) => helpers.push(helper),
                Err(_) => break,
            }
        }
        threads += helpers.len();
        let mut member = Member::new(task.leaf_evaluator, task.options, team.root, rng);
        while member.round::<W>(team) {
            while checker.steps < team.done.load(Relaxed) && !checker.stopped() {
                let opinion = || report::opinion(&spin_lock(&team.memory).tree, task);
                if checker.step(opinion) && checker.steps < most {
                    team.stop.store(true, Relaxed);
                }
            }
        }
        depths = member.depths;
        for helper in helpers {
            match helper.join() {
                Ok(theirs) => depths.join(theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    checker.steps = team.done.load(Relaxed);
    (depths, threads)
}

fn spin_lock<T>(memory: &Mutex<T>) -> MutexGuard<'_, T> {
    for _ in 0..LOOKS {
        if let Ok(free) = memory.try_lock() {
            return free;
        }
        std::hint::spin_loop();
    }
    // A thread that panicked takes all others with it when it is joined.
    lock(memory)
}

impl<'a, G: PlayableGame> Member<'a, G> {
    fn new(leaf_evaluator: LeafEvaluator<'a, G>, options: &'a Options, root: &G::State, rng: &'a mut Rng) -> Self {
        let flight = || Flight { simulation: Simulation::new(root), stop: Stop::Leaf };
        let flights = (0..*BATCHES.end()).map(|_| flight()).collect();
        Self { searcher: Searcher::new(leaf_evaluator, options, rng), flights, under_way: 0, depths: Depths::default() }
    }

    /// Ends the simulations under way and begins the next ones, then values their leaves while others have the tree. False when
    /// there is nothing left to do.
    fn round<W: SimulationPolicy<G>>(&mut self, team: &Team<'_, G>) -> bool {
        let mut memory = spin_lock(&team.memory);
        for flight in &self.flights[..self.under_way] {
            let Stop::Reward(reward) = flight.stop else { unreachable!("every leaf has been valued") };
            self.searcher.virtual_loss(&mut memory.tree, &flight.simulation, -1);
            W::back_up(&mut self.searcher, &mut memory, &flight.simulation, reward);
            self.depths.add(flight.simulation.steps.len());
        }
        team.done.fetch_add(self.under_way as u64, Relaxed);
        let batch = u64::from(memory.tree.nodes[ROOT].visits) / VISITS_PER_SIMULATION;
        let batch = batch.clamp(*BATCHES.start(), *BATCHES.end());
        let proven = W::PROVES && memory.tree.nodes[ROOT].proof != Proof::Unknown;
        self.under_way = if proven || team.stop.load(Relaxed) { 0 } else { take(&team.left, batch) };
        for flight in &mut self.flights[..self.under_way] {
            flight.simulation.begin(team.root);
            flight.stop = W::descend(&mut self.searcher, &mut memory, &mut flight.simulation);
            self.searcher.virtual_loss(&mut memory.tree, &flight.simulation, 1);
        }
        drop(memory);
        for flight in &mut self.flights[..self.under_way] {
            if flight.stop == Stop::Leaf {
                flight.stop = Stop::Reward(W::value(&mut self.searcher, &mut flight.simulation));
            }
        }
        self.under_way > 0
    }
}

/// Takes a batch from what is left.
fn take(left: &AtomicU64, batch: u64) -> usize {
    let before = left.fetch_update(Relaxed, Relaxed, |left| Some(left - left.min(batch))).unwrap_or(0);
    before.min(batch) as usize
}

impl<G: PlayableGame> Searcher<'_, G> {
    /// Counts a simulation under way as lost by the player who chose each of its moves, or takes that back.
    fn virtual_loss(&self, tree: &mut Tree<G::Move>, simulation: &Simulation<G>, count: i32) {
        let mut parent = ROOT;
        for step in &simulation.steps {
            let loss = match tree.nodes[parent].kind.player() {
                Some(Player::First) => 0.0,
                Some(Player::Second) => 1.0,
                // Chance does not learn.
                None => 0.5,
            };
            parent = step.node as usize;
            let (edge, node) = (step.edge as usize, &mut tree.nodes[parent]);
            node.visits = node.visits.wrapping_add_signed(count);
            node.sum += f64::from(count) * loss;
            // When it is taken back, the reward is added next, and the edge is brought up to date with it.
            if count > 0 {
                tree.mean[edge] = (node.sum / f64::from(node.visits)) as f32;
                tree.spread[edge] = self.lookup.inverse_sqrt(node.visits);
            }
        }
    }
}
