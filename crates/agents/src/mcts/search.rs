//! One simulation: down the tree, the value of a leaf, and back up. Here is plain UCT, which carries nothing that it does not use;
//! the same with all switches is in `full`.

use plyground_core::{Evaluator, PlayableGame, Player, Rng, Scratch, Turn};

use super::amaf::Amaf;
use super::arena::{Kind, Layout, Node, Proof, ROOT, Tree, kind};
use super::bounds;
use super::leaf::{Leaf, LeafEvaluator, Played};
use super::options::Options;
use super::positions::Positions;
use super::tables::Lookup;
use crate::net::NetEvaluator;

/// A step down the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub edge: u32,
    /// The node behind it.
    pub node: u32,
}

/// A simulation on its way.
pub(crate) struct Simulation<G: PlayableGame> {
    /// Its position.
    pub state: G::State,
    pub steps: Vec<Step>,
    /// The positions of the nodes on the path, where an option needs them.
    pub passed: Vec<G::State>,
    /// The moves beyond the tree, where an option learns from them.
    pub played: Played<G::Move>,
}

impl<G: PlayableGame> Simulation<G> {
    pub fn new(root: &G::State) -> Self {
        Self { state: root.clone(), steps: Vec::new(), passed: Vec::new(), played: Vec::new() }
    }

    /// Back to the root.
    #[inline]
    pub fn begin(&mut self, root: &G::State) {
        self.state.clone_from(root);
        self.steps.clear();
    }
}

/// The end of a descent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stop {
    /// At a leaf that must be valued.
    Leaf,
    /// With a reward, in the first player's view.
    Reward(f32),
}

/// The memory of a search: the tree and its tables.
#[derive(Clone, Debug)]
pub(crate) struct Memory<M> {
    pub tree: Tree<M>,
    pub amaf: Amaf,
    pub positions: Positions,
}

impl<M: Copy> Memory<M> {
    /// Nothing yet, and what the options allow it to become.
    pub fn new(options: &Options) -> Self {
        let memory = options.memory / options.trees();
        let part = |wanted: bool, share: usize| if wanted { memory / share } else { 0 };
        let amaf = part(options.rave.is_some(), 2);
        let positions = part(options.transpositions, 8);
        let layout = Layout { scores: options.judges_children(), shared: options.transpositions };
        // When a part of the tree is kept, old and new tree exist side by side for a moment.
        let tree = (memory - amaf - positions) / if options.reuse { 2 } else { 1 };
        Self { tree: Tree::new(tree, layout), amaf: Amaf::new(amaf), positions: Positions::new(positions) }
    }

    /// Nothing but a root.
    pub fn clear(&mut self) {
        self.tree.clear();
        self.amaf.clear();
        self.positions.clear();
    }

    /// The bytes that it occupies.
    pub fn bytes(&self) -> usize {
        self.tree.bytes() + self.amaf.bytes() + self.positions.bytes()
    }

    /// Has some part of it been refused more memory?
    pub fn full(&self) -> bool {
        self.tree.full || self.amaf.full || self.positions.full
    }
}

/// The context of simulations: evaluation of leaves, options, random stream.
pub(crate) struct Searcher<'a, G: PlayableGame> {
    pub leaf_evaluator: LeafEvaluator<'a, G>,
    pub options: &'a Options,
    pub lookup: Lookup,
    pub rng: &'a mut Rng,
    pub scratch: Scratch<G::Move>,
    scores: Vec<f32>,
    /// The network of the leaf evaluator, with buffers of its own.
    net: Option<NetEvaluator<G>>,
}

impl<'a, G: PlayableGame> Searcher<'a, G> {
    pub fn new(leaf_evaluator: LeafEvaluator<'a, G>, options: &'a Options, rng: &'a mut Rng) -> Self {
        let net = leaf_evaluator.net.cloned();
        Self { leaf_evaluator, options, lookup: Lookup::new(), rng, scratch: Scratch::default(), scores: Vec::new(), net }
    }

    /// The reward of a leaf in the first player's view.
    #[inline]
    pub fn reward(&mut self, state: &G::State) -> f32 {
        match &mut self.net {
            None => self.leaf_evaluator.reward(state, self.rng, &mut self.scratch),
            Some(net) => expected(self.leaf_evaluator.game, state, net, self.rng, &mut self.scratch),
        }
    }

    /// The weight of the spread in the bounds at a node.
    #[inline]
    pub fn weight(&self, node: &Node) -> f32 {
        self.options.exploration * self.lookup.sqrt_ln(node.visits)
    }

    /// Gives a leaf its edges. False if it stays a leaf because the memory is used up.
    pub fn expand(&mut self, tree: &mut Tree<G::Move>, at: usize, state: &G::State) -> bool {
        let game = self.leaf_evaluator.game;
        let kind = match kind(game.turn(state)) {
            Ok(kind) => kind,
            Err(outcome) => {
                tree.finish(at, if self.options.backs_up_scores { Proof::Unknown } else { outcome.into() });
                return true;
            }
        };
        if kind == Kind::Chance {
            game.chance(state, &mut self.scratch.outcomes);
            self.scratch.moves.clear();
            self.scratch.moves.extend(self.scratch.outcomes.iter().map(|(outcome, _)| *outcome));
        } else {
            game.moves(state, &mut self.scratch.moves);
            if self.options.drawn_children {
                self.draw_moves();
            }
        }
        if !tree.expand(at, kind, &self.scratch.moves) {
            return false;
        }
        if kind != Kind::Chance && self.options.judges_children() {
            self.leaf_evaluator.evaluator.evaluate_children(game, state, &self.scratch.moves, &mut self.scores);
            let first = tree.nodes[at].first as usize;
            tree.score[first..first + self.scores.len()].copy_from_slice(&self.scores);
        }
        true
    }

    /// Leaves those moves that are drawn when each draw puts back what it has drawn, in the order of the first draws.
    #[cold]
    fn draw_moves(&mut self) {
        let moves = &mut self.scratch.moves;
        let mut drawn = 0;
        for _ in 0..moves.len() {
            let index = self.rng.below(moves.len() as u32) as usize;
            if index >= drawn {
                moves.swap(drawn, index);
                drawn += 1;
            }
        }
        moves.truncate(drawn);
    }

    /// Adds a reward to a node and the edge that leads to it.
    #[inline]
    pub fn credit(&self, tree: &mut Tree<G::Move>, Step { edge, node }: Step, reward: f64) {
        let (edge, node) = (edge as usize, &mut tree.nodes[node as usize]);
        node.visits += 1;
        node.sum += reward;
        tree.mean[edge] = (node.sum / f64::from(node.visits)) as f32;
        tree.spread[edge] = self.lookup.inverse_sqrt(node.visits);
    }
}

/// A kind of simulation. Searches are compiled for each.
pub(crate) trait SimulationPolicy<G: PlayableGame> {
    /// Can the root be proven, so that there is nothing left to search?
    const PROVES: bool;

    /// From the root, where the simulation is, to a leaf or the end of the game.
    fn descend(searcher: &mut Searcher<'_, G>, memory: &mut Memory<G::Move>, simulation: &mut Simulation<G>) -> Stop;

    /// The reward of the leaf where the simulation is.
    fn value(searcher: &mut Searcher<'_, G>, simulation: &mut Simulation<G>) -> f32;

    /// Adds the reward to everything on the way.
    fn back_up(searcher: &mut Searcher<'_, G>, memory: &mut Memory<G::Move>, simulation: &Simulation<G>, reward: f32);

    /// All of it.
    #[inline]
    fn simulate(searcher: &mut Searcher<'_, G>, memory: &mut Memory<G::Move>, root: &G::State, simulation: &mut Simulation<G>) {
        simulation.begin(root);
        let reward = match Self::descend(searcher, memory, simulation) {
            Stop::Reward(reward) => reward,
            Stop::Leaf => Self::value(searcher, simulation),
        };
        Self::back_up(searcher, memory, simulation, reward);
    }
}

/// UCT and nothing else.
pub(crate) struct Plain;

impl<G: PlayableGame> SimulationPolicy<G> for Plain {
    const PROVES: bool = false;

    #[inline]
    fn descend(searcher: &mut Searcher<'_, G>, memory: &mut Memory<G::Move>, simulation: &mut Simulation<G>) -> Stop {
        let game = searcher.leaf_evaluator.game;
        let tree = &mut memory.tree;
        let mut at = ROOT;
        loop {
            let node = &tree.nodes[at];
            let edge = match node.kind {
                // A leaf gets its children when it is visited for the second time: most leaves never are.
                Kind::Leaf => {
                    if node.visits == 0 || !searcher.expand(tree, at, &simulation.state) {
                        return Stop::Leaf;
                    }
                    continue;
                }
                Kind::Over => return Stop::Reward(node.proof.reward()),
                Kind::Chance => {
                    let outcome = game.random_outcome(&simulation.state, searcher.rng, &mut searcher.scratch);
                    let Some(edge) = chance_edge(tree, at, outcome) else { return Stop::Leaf };
                    edge
                }
                Kind::First | Kind::Second if node.open < node.count => {
                    let edge = tree.place(at, tree.unvisited(at, searcher.rng));
                    // Without memory for its children this is a leaf like any other.
                    let Some(child) = tree.open(at, edge) else { return Stop::Leaf };
                    simulation.steps.push(Step { edge: edge as u32, node: child as u32 });
                    if searcher.leaf_evaluator.leaf == Leaf::Eval {
                        return Stop::Reward(searcher.leaf_evaluator.chance(tree.score[edge]));
                    }
                    game.play(&mut simulation.state, tree.moves[edge]);
                    return Stop::Leaf;
                }
                Kind::First | Kind::Second => {
                    let (opened, weight) = (node.opened(), searcher.weight(node));
                    let sign = if node.kind == Kind::First { 1.0 } else { -1.0 };
                    opened.start + bounds::greatest(&tree.mean[opened.clone()], &tree.spread[opened], sign, weight).0
                }
            };
            let child = tree.child[edge];
            game.play(&mut simulation.state, tree.moves[edge]);
            simulation.steps.push(Step { edge: edge as u32, node: child });
            at = child as usize;
        }
    }

    #[inline]
    fn value(searcher: &mut Searcher<'_, G>, simulation: &mut Simulation<G>) -> f32 {
        searcher.reward(&simulation.state)
    }

    #[inline]
    fn back_up(searcher: &mut Searcher<'_, G>, memory: &mut Memory<G::Move>, simulation: &Simulation<G>, reward: f32) {
        let reward = f64::from(reward);
        for &step in &simulation.steps {
            searcher.credit(&mut memory.tree, step, reward);
        }
        let root = &mut memory.tree.nodes[ROOT];
        root.visits += 1;
        root.sum += reward;
    }
}

/// The reward that a network expects, for the first player. What chance does before a player is to move is drawn.
fn expected<G: PlayableGame>(
    game: &G,
    state: &G::State,
    net: &mut NetEvaluator<G>,
    rng: &mut Rng,
    scratch: &mut Scratch<G::Move>,
) -> f32 {
    match game.turn(state) {
        Turn::Over(outcome) => outcome.reward(Player::First),
        Turn::Player(_) => 0.5 + 0.5 * net.expect(game, state),
        Turn::Chance => {
            let mut after = state.clone();
            let outcome = game.random_outcome(state, rng, scratch);
            game.play(&mut after, outcome);
            expected(game, &after, net, rng, scratch)
        }
    }
}

/// The edge of an outcome of chance, opened if need be; `None` when the memory is used up.
fn chance_edge<M: Copy + Eq>(tree: &mut Tree<M>, at: usize, outcome: M) -> Option<usize> {
    let index = tree.outcome(at, outcome);
    if index < tree.nodes[at].open {
        return Some((tree.nodes[at].first + index) as usize);
    }
    let edge = tree.place(at, index);
    tree.open(at, edge).map(|_| edge)
}
