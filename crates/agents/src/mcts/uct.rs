//! UCT: Monte Carlo tree search that treats every choice as a bandit (Kocsis and Szepesvári, 2006).

use plyground_core::{
    Agent, AgentError, Choice, Evaluator, Game, InputError, Limits, Params, PlayableGame, Resources, Rng, SearchRequest,
};

use super::arena::{Kind, ROOT};
use super::full::Full;
use super::leaf::{Leaf, LeafEvaluator};
use super::open_loop::OpenLoop;
use super::options::{KEYS, Minimax, Options, with_preset};
use super::report;
use super::reuse::reroot;
use super::roots;
use super::run::{Task, with_limits};
use super::search::{Memory, Plain, Searcher};
use super::threads;
use crate::net::{NetEvaluator, one_ply};
use crate::{AgentInfo, evaluator, limit_checker::LimitChecker};

pub(crate) const INFO: AgentInfo = AgentInfo {
    name: "mcts",
    summary: "Monte Carlo tree search (UCT) with random games or an evaluator, and the switches of the field",
    keys: KEYS,
    evaluates: true,
};

const DEFAULT_SIMULATIONS: u64 = 1_000;

pub(crate) fn build<G: PlayableGame>(game: &G, params: &Params, resources: &dyn Resources) -> Result<Uct<G>, InputError> {
    let params = with_preset(params)?;
    Uct::new(Options::read(&params)?, game, &params, resources)
}

/// Monte Carlo tree search.
pub struct Uct<G: PlayableGame> {
    options: Options,
    evaluator: G::Evaluator,
    /// The network of leaf=net.
    net: Option<NetEvaluator<G>>,
    /// One, or one for each thread.
    memories: Vec<Memory<G::Move>>,
    /// The position at the root of what is in them.
    last: Option<G::State>,
}

impl<G: PlayableGame> Uct<G> {
    pub(crate) fn new(options: Options, game: &G, params: &Params, resources: &dyn Resources) -> Result<Self, InputError> {
        let evaluator = evaluator(game, params)?;
        let net = if options.leaf == Leaf::Net { Some(one_ply::named(game, params, resources, 1)?) } else { None };
        let memories = (0..options.trees()).map(|_| Memory::new(&options)).collect();
        Ok(Self { options, evaluator, net, memories, last: None })
    }

    /// Makes the memories ready for a position. Returns the visits that are kept from the last search.
    fn begin(&mut self, game: &G, state: &G::State, rng: &mut Rng) -> u32 {
        let last = self.last.replace(state.clone()).filter(|_| self.options.reuse);
        // The network is not asked while the root gets its moves.
        let leaf_evaluator = LeafEvaluator::new(game, &self.evaluator, &self.options);
        let mut kept = 0;
        for memory in &mut self.memories {
            match &last {
                Some(root) => kept += reroot(memory, game, root, state),
                None => memory.clear(),
            }
            if memory.tree.nodes[ROOT].kind == Kind::Leaf && !self.options.open_loop && !self.options.first_at_root {
                Searcher::new(leaf_evaluator, &self.options, rng).expand_ordered(&mut memory.tree, ROOT, state);
            }
        }
        kept
    }
}

impl<G: PlayableGame> Agent<G> for Uct<G> {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        let mover = request.mover()?;
        let SearchRequest { game, state, budget, rng, observer } = request;
        if self.evaluator.side_with(mover) {
            self.last = None;
        }
        let kept = self.begin(game, state, rng);
        let Self { options, evaluator, net, memories, .. } = self;
        let leaf_evaluator = LeafEvaluator { net: net.as_ref(), ..LeafEvaluator::new(game, evaluator, options) };
        let task = Task { leaf_evaluator, options, root: state, mover };
        let most = most_simulations(game, state, &budget.limits, options.playouts, kept);
        let mut checker = LimitChecker::new(&budget, observer, Some(most), simulations_between_looks(options));
        let (depths, threads) = match (options.threads, options.open_loop, options.is_plain()) {
            (_, true, _) => (with_limits::<G, OpenLoop>(&task, &mut memories[0], rng, &mut checker), 1),
            (1, _, true) => (with_limits::<G, Plain>(&task, &mut memories[0], rng, &mut checker), 1),
            (1, _, false) => (with_limits::<G, Full>(&task, &mut memories[0], rng, &mut checker), 1),
            (_, _, true) if options.one_tree => threads::run::<G, Plain>(&task, &mut memories[0], most, rng, &mut checker),
            (_, _, false) if options.one_tree => threads::run::<G, Full>(&task, &mut memories[0], most, rng, &mut checker),
            (_, _, true) => roots::run::<G, Plain>(&task, memories, most, rng, &mut checker),
            (_, _, false) => roots::run::<G, Full>(&task, memories, most, rng, &mut checker),
        };
        if options.first_at_root && memories[0].tree.nodes[ROOT].kind == Kind::Leaf {
            // The only simulation began at the root: one move is as good as another.
            let tree = &mut memories[0].tree;
            Searcher::new(leaf_evaluator, options, rng).expand_ordered(tree, ROOT, state);
            let any = tree.unvisited(ROOT, rng);
            tree.place(ROOT, any);
        }
        let opinion = report::opinion(&memories[0].tree, &task);
        Ok(Choice {
            value: opinion.value,
            depth: opinion.depth,
            principal_variation: opinion.line,
            nodes: report::nodes(memories),
            simulations: checker.steps,
            elapsed: budget.clock.elapsed(),
            facts: report::facts(memories, depths, kept),
            notes: report::notes(memories, options, threads),
            mv: opinion.candidates[0].mv,
            candidates: opinion.candidates,
        })
    }
}

/// The simulations of a search, if time allows.
fn most_simulations<G: Game>(game: &G, state: &G::State, limits: &Limits, playouts: Option<u64>, kept: u32) -> u64 {
    let by_moves = playouts.map(|playouts| {
        let mut moves = Vec::new();
        game.moves(state, &mut moves);
        playouts.saturating_mul(moves.len() as u64)
    });
    let unlimited = by_moves.is_none() && limits.simulations.is_none() && limits.time.is_none();
    // Visits are counted in 32 bits.
    let countable = u64::from(u32::MAX - kept);
    let asked = if unlimited { DEFAULT_SIMULATIONS } else { limits.simulations.unwrap_or(countable) };
    asked.min(by_moves.unwrap_or(countable)).min(countable)
}

/// How many simulations take a millisecond or so at worst, on the widest boards.
fn simulations_between_looks(options: &Options) -> u64 {
    if options.minimax != Minimax::default() || options.leaf.is_heuristic() || options.leaf == Leaf::Net {
        1
    } else if options.judges_children() {
        8
    } else {
        64
    }
}
