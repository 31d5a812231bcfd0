//! Tree search led by a network (Silver et al., 2017): the policy says where to look, the value what to expect.

use plyground_core::{
    Agent, AgentError, Candidate, Choice, Fact, InputError, KeyInfo, Limits, Opinion, Params, PlayableGame, Player, Resources,
    Rng, SearchRequest,
};

use super::evaluator::NetEvaluator;
use super::exact_probe::ExactProbe;
use super::one_ply::{NET, best_first, named};
use super::search::{NetSearcher, Settings, Visit};
use super::tree::{Kind, ROOT, Tree};
use crate::{AgentInfo, SIMS, TIME, limit_checker::LimitChecker};

const DEFAULT_SIMULATIONS: u64 = 400;

/// Bytes for what the game's own solver finds out, for each thread.
const PROBE_MEMORY: usize = 32_000_000;

pub(crate) const INFO: AgentInfo = AgentInfo {
    name: "az",
    summary: "tree search led by a network that ply train has made (PUCT, with proofs where the end is in sight)",
    keys: &[
        NET,
        KeyInfo { meaning: "judge N positions", default: "400", ..SIMS },
        TIME,
        KeyInfo { key: "c", value: "C", default: "1.25", meaning: "the weight of the policy, from 0 to 100" },
        KeyInfo {
            key: "fpu",
            value: "F",
            default: "0.25",
            meaning: "how much less a move that was not tried is worth, from 0 to 2",
        },
        KeyInfo { key: "temper", value: "T", default: "1", meaning: "above 1 the policy is trusted less, from 0.1 to 10" },
        KeyInfo { key: "policy", value: "net|uniform", default: "net", meaning: "uniform: all moves are equally likely" },
        KeyInfo {
            key: "exact",
            value: "on|off",
            default: "on",
            meaning: "ask the game's own solver, where it has one, about every new position that it may know",
        },
        KeyInfo { key: "batch", value: "N", default: "1", meaning: "positions that are judged together, from 1 to 64" },
        KeyInfo { key: "threads", value: "N", default: "1", meaning: "threads that search one tree, from 1 to 64" },
        KeyInfo { key: "reuse", value: "yes|no", default: "yes", meaning: "keep what is still of use from the last move" },
        KeyInfo { key: "memory", value: "MB", default: "1000", meaning: "the tree stops growing at this size" },
    ],
    evaluates: false,
};

pub(crate) fn build<G: PlayableGame>(game: &G, params: &Params, resources: &dyn Resources) -> Result<NetSearch<G>, InputError> {
    let usual = Settings::default();
    let batch = params.number("batch", 1..=64)?.unwrap_or(1);
    let threads = params.number("threads", 1..=64)?.unwrap_or(1);
    let exact = params.choice("exact", &["on", "off"])? == 0;
    let probe = |_| if exact { ExactProbe::new(game, PROBE_MEMORY) } else { None };
    Ok(NetSearch {
        settings: Settings {
            exploration: params.number("c", 0.0..=100.0)?.unwrap_or(usual.exploration),
            first_play: params.number("fpu", 0.0..=2.0)?.unwrap_or(usual.first_play),
            uniform: params.choice("policy", &["net", "uniform"])? == 1,
            temperature: params.number("temper", 0.1..=10.0)?.unwrap_or(usual.temperature),
        },
        batch,
        probes: (0..threads).map(probe).collect(),
        reuse: params.choice("reuse", &["yes", "no"])? == 0,
        memory: params.number("memory", 1..=1_000_000)?.unwrap_or(1_000) * 1_000_000,
        net: named(game, params, resources, batch)?,
        tree: Tree::new(),
        last: None,
    })
}

/// Tree search led by a network.
pub struct NetSearch<G: PlayableGame> {
    settings: Settings,
    batch: usize,
    /// One for each thread; none in it where the game has no solver.
    probes: Vec<Option<ExactProbe<G>>>,
    reuse: bool,
    /// In bytes.
    memory: usize,
    net: NetEvaluator<G>,
    tree: Tree<G::Move>,
    /// The position at the root of the tree.
    last: Option<G::State>,
}

impl<G: PlayableGame> NetSearch<G> {
    /// Makes the tree ready for a position.
    fn begin(&mut self, game: &G, state: &G::State) -> u32 {
        let last = self.last.replace(state.clone());
        match last.filter(|_| self.reuse).and_then(|last| find(game, &self.tree, &last, state)) {
            // A node whose end was foreseen without moves has to be looked at to choose one.
            Some(node) if matches!(self.tree.node(node).kind, Kind::Player(_)) => self.tree.reroot(node),
            _ => self.tree.clear(),
        }
        self.tree.node(ROOT).visits
    }
}

/// The node of a position at most this many plies below the root: both have moved, and chance may have acted twice.
const PLIES_BETWEEN: u32 = 6;
/// Positions that are compared at most.
const LOOKED_AT: usize = 20_000;

fn find<G: PlayableGame>(game: &G, tree: &Tree<G::Move>, root: &G::State, wanted: &G::State) -> Option<u32> {
    let mut level = vec![(ROOT, root.clone())];
    let mut left = LOOKED_AT;
    for _ in 0..=PLIES_BETWEEN {
        let mut next = Vec::new();
        for (at, state) in level {
            if state == *wanted {
                return Some(at);
            }
            for edge in tree.node(at).edges() {
                if tree.child(edge).is_some() {
                    left = left.checked_sub(1)?;
                    let mut after = state.clone();
                    game.play(&mut after, tree.edges[edge].mv);
                    next.push((tree.edges[edge].child, after));
                }
            }
        }
        level = next;
    }
    None
}

impl<G: PlayableGame> Agent<G> for NetSearch<G> {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        let mover = request.mover()?;
        let SearchRequest { game, state, budget, rng, observer } = request;
        let kept = self.begin(game, state);
        let most = simulations(&budget.limits);
        // A judgement of the largest network takes a millisecond in a browser.
        let mut checker = LimitChecker::new(&budget, observer, Some(most), (8 / self.batch as u64).max(1));
        let job = Job { game, root: state, settings: self.settings, memory: self.memory, batch: self.batch };
        // In a browser there are no threads.
        #[cfg(not(target_family = "wasm"))]
        let alone = self.probes.len() == 1;
        #[cfg(target_family = "wasm")]
        let alone = true;
        if alone {
            job.alone(&mut self.tree, &mut self.net, self.probes[0].as_mut(), rng, &mut checker, mover);
        }
        #[cfg(not(target_family = "wasm"))]
        if !alone {
            let tree = std::mem::replace(&mut self.tree, Tree::new());
            self.tree = job.together(tree, &self.net, &mut self.probes, most, rng, &mut checker, mover);
        }
        let opinion = opinion(&self.tree, mover);
        let mut notes = Vec::new();
        if self.tree.bytes() >= self.memory {
            let megabytes = self.memory / 1_000_000;
            notes.push(format!("the tree reached memory={megabytes} (MB): the search ended there"));
        }
        Ok(Choice {
            mv: opinion.candidates[0].mv,
            value: opinion.value,
            depth: opinion.depth,
            principal_variation: opinion.line,
            candidates: opinion.candidates,
            nodes: self.tree.nodes.len() as u64,
            simulations: checker.steps,
            elapsed: budget.clock.elapsed(),
            facts: vec![
                Fact { name: "tree nodes", value: self.tree.nodes.len() as f64 },
                Fact { name: "memory in MB", value: self.tree.bytes() as f64 / 1e6 },
                Fact { name: "proven", value: f64::from(u8::from(self.tree.node(ROOT).proof.is_some())) },
                Fact { name: "visits kept from the last move", value: f64::from(kept) },
            ],
            notes,
        })
    }
}

fn simulations(limits: &Limits) -> u64 {
    let unlimited = limits.simulations.is_none() && limits.time.is_none();
    if unlimited { DEFAULT_SIMULATIONS } else { limits.simulations.unwrap_or(u64::from(u32::MAX)) }
}

/// A search.
struct Job<'a, G: PlayableGame> {
    game: &'a G,
    root: &'a G::State,
    settings: Settings,
    memory: usize,
    batch: usize,
}

impl<G: PlayableGame> Job<'_, G> {
    /// Is there nothing left to find out, or no room for it?
    fn done(&self, tree: &Tree<G::Move>) -> bool {
        let root = tree.node(ROOT);
        (root.proof.is_some() && root.visits > 1) || tree.bytes() >= self.memory
    }

    fn alone(
        &self,
        tree: &mut Tree<G::Move>,
        net: &mut NetEvaluator<G>,
        probe: Option<&mut ExactProbe<G>>,
        rng: &mut Rng,
        checker: &mut LimitChecker<'_, '_, G::Move>,
        mover: Player,
    ) {
        let mut searcher = NetSearcher::new(self.game, self.settings, probe);
        let mut visits: Vec<Visit<G>> = (0..self.batch).map(|_| Visit::new(self.root)).collect();
        while !checker.stopped() && !self.done(tree) {
            // The first look at the root is one that nothing can be batched with.
            let count = if tree.node(ROOT).kind == Kind::New { 1 } else { self.batch };
            let mut waiting = 0;
            for visit in &mut visits[..count] {
                searcher.descend(tree, self.root, None, rng, visit);
                if visit.waits {
                    net.load(waiting, self.game, &visit.state);
                    waiting += 1;
                }
            }
            if waiting > 0 {
                net.run(waiting);
            }
            let mut place = 0;
            for visit in &visits[..count] {
                let judged = visit.waits.then(|| {
                    place += 1;
                    searcher.judged(tree, visit, net, place - 1)
                });
                NetSearcher::finish(tree, visit, judged);
                checker.step(|| opinion(tree, mover));
            }
        }
    }

    /// Several threads on one tree: it is locked while they walk in it, not while the network thinks, which takes most of the time.
    #[cfg(not(target_family = "wasm"))]
    #[expect(clippy::too_many_arguments, reason = "everything that a search has")]
    fn together(
        &self,
        tree: Tree<G::Move>,
        net: &NetEvaluator<G>,
        probes: &mut [Option<ExactProbe<G>>],
        most: u64,
        rng: &mut Rng,
        checker: &mut LimitChecker<'_, '_, G::Move>,
        mover: Player,
    ) -> Tree<G::Move> {
        use std::sync::Mutex;
        use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

        use plyground_core::sync::{into_inner, lock};

        let shared = Mutex::new(tree);
        let (begun, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        let seed = plyground_core::Seed(rng.bits());
        let work = |number: u64, probe: Option<&mut ExactProbe<G>>, watch: &mut dyn FnMut(&Tree<G::Move>)| {
            let (mut net, mut rng) = (net.clone(), seed.numbered(number).rng());
            let mut searcher = NetSearcher::new(self.game, self.settings, probe);
            let mut visit = Visit::new(self.root);
            while !stop.load(Ordering::Relaxed) && begun.fetch_add(1, Ordering::Relaxed) < most {
                {
                    let mut tree = lock(&shared);
                    if self.done(&tree) {
                        break;
                    }
                    searcher.descend(&mut tree, self.root, None, &mut rng, &mut visit);
                    if !visit.waits {
                        NetSearcher::finish(&mut tree, &visit, None);
                        watch(&tree);
                        continue;
                    }
                }
                net.load(0, self.game, &visit.state);
                net.run(1);
                let mut tree = lock(&shared);
                let judged = searcher.judged(&mut tree, &visit, &mut net, 0);
                NetSearcher::finish(&mut tree, &visit, Some(judged));
                watch(&tree);
            }
        };
        std::thread::scope(|scope| {
            let mut probes = (0..).zip(probes.iter_mut().map(Option::as_mut));
            let (_, own) = probes.next().expect("there is a thread");
            for (number, probe) in probes {
                scope.spawn(move || work(number, probe, &mut |_| ()));
            }
            work(0, own, &mut |tree| {
                checker.steps = begun.load(Ordering::Relaxed).min(most) - 1;
                if checker.step(|| opinion(tree, mover)) {
                    stop.store(true, Ordering::Relaxed);
                }
            });
            stop.store(true, Ordering::Relaxed);
        });
        into_inner(shared)
    }
}

/// What the tree says.
fn opinion<M: Copy + Eq>(tree: &Tree<M>, mover: Player) -> Opinion<M> {
    let root = tree.node(ROOT);
    let ranks: Vec<f32> = root.edges().map(|edge| rank(tree, edge, mover)).collect();
    let candidate = |number: usize| {
        let edge = root.first as usize + number;
        let child = tree.child(edge).filter(|child| child.visits > 0 || child.proof.is_some());
        let value = child.map(|child| child.mean() * mover.sign());
        Candidate { mv: tree.edges[edge].mv, visits: u64::from(tree.visits(edge)), value }
    };
    let candidates: Vec<Candidate<M>> = best_first(&ranks).into_iter().map(candidate).collect();
    let mut line = Vec::new();
    let mut at = ROOT;
    while let Some(edge) = best(tree, at) {
        line.push(tree.edges[edge].mv);
        at = tree.edges[edge].child;
        if tree.nodes.get(at as usize).is_none() {
            break;
        }
    }
    let value = candidates.first().and_then(|best| best.value).or(Some(root.judged * mover.sign()));
    Opinion { value, depth: Some(line.len() as u32), line, candidates }
}

/// The order of moves: what is certain to win, then by visits (where there are none, by the policy), then what is certain to lose.
fn rank<M: Copy + Eq>(tree: &Tree<M>, edge: usize, mover: Player) -> f32 {
    let likely = tree.edges[edge].prior;
    let Some(child) = tree.child(edge) else { return likely };
    match child.proof.map(|proof| f32::from(proof) * mover.sign()) {
        Some(1.0) => 1e12,
        Some(-1.0) => -1e12 + child.visits as f32,
        _ => child.visits as f32 + likely,
    }
}

/// The best edge of a node for the player to move there; of chance, the most frequent.
fn best<M: Copy + Eq>(tree: &Tree<M>, at: u32) -> Option<usize> {
    let node = tree.node(at);
    let order = |edge: usize| match node.kind {
        Kind::Player(player) => rank(tree, edge, player),
        _ => tree.visits(edge) as f32,
    };
    let tried = node.edges().filter(|&edge| at == ROOT || tree.visits(edge) > 0);
    tried.reduce(|best, edge| if order(edge) > order(best) { edge } else { best })
}
