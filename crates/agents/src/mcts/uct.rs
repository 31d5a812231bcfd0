//! UCT: Monte Carlo tree search that treats every choice as a bandit (Kocsis and Szepesvári, 2006).

use plyground_core::{
    Agent, AgentError, Budget, Candidate, Choice, Game, InputError, KeyInfo, Params, Player, Rng, Scratch, Thought, Turn,
};

use super::tree::{Kind, Node, Tree};
use crate::{AgentInfo, SIMS, TIME, pace::Pace};

pub(crate) const INFO: AgentInfo = AgentInfo {
    name: "mcts",
    summary: "Monte Carlo tree search (UCT) with random playouts",
    keys: &[
        KeyInfo { default: "1000, or until time is used up", ..SIMS },
        TIME,
        KeyInfo { key: "c", value: "C", default: "1.414", meaning: "exploration: w/n + c * sqrt(ln N / n)" },
        KeyInfo { key: "memory", value: "MB", default: "512", meaning: "the tree grows no further than this" },
    ],
    evaluates: false,
};

const DEFAULT_SIMULATIONS: u64 = 1_000;

pub(crate) fn build<G: Game>(_: &G, params: &Params) -> Result<Uct, InputError> {
    let default = Uct::default();
    Ok(Uct {
        exploration: params.number("c", 0.0..=100.0)?.unwrap_or(default.exploration),
        memory: params.number("memory", 1..=1_000_000)?.unwrap_or(default.memory),
    })
}

/// UCT with random playouts.
#[derive(Clone, Copy, Debug)]
pub struct Uct {
    /// The constant c of w/n + c * sqrt(ln N / n).
    pub exploration: f64,
    /// The most memory that the tree may use, in megabytes.
    pub memory: usize,
}

impl Default for Uct {
    fn default() -> Self {
        Self { exploration: std::f64::consts::SQRT_2, memory: 512 }
    }
}

impl<G: Game> Agent<G> for Uct {
    fn choose(&mut self, thought: Thought<'_, G>) -> Result<Choice<G>, AgentError> {
        let mover = thought.mover()?;
        let Thought { game, state, budget, rng, watcher } = thought;
        let mut tree = Tree::new(self.memory.saturating_mul(1_000_000));
        tree.expand(0, game, state, rng);
        let unlimited = budget.limits.simulations.is_none() && budget.limits.time.is_none();
        let most = if unlimited { Some(DEFAULT_SIMULATIONS) } else { budget.limits.simulations };
        let mut pace = Pace::new(&budget, watcher, most, 128);
        let mut scratch = Scratch::default();
        let mut path = Vec::new();
        while !pace.step(|| Some(value(&tree.nodes[0], mover))) {
            self.simulate(game, state, &mut tree, &mut path, rng, &mut scratch);
        }
        // The last step has been counted, but not simulated yet.
        self.simulate(game, state, &mut tree, &mut path, rng, &mut scratch);
        Ok(explain(&tree, mover, pace.steps, &budget))
    }
}

impl Uct {
    /// One simulation: down the tree, one playout, and back up.
    fn simulate<G: Game>(
        &self,
        game: &G,
        root: &G::State,
        tree: &mut Tree<G::Move>,
        path: &mut Vec<usize>,
        rng: &mut Rng,
        scratch: &mut Scratch<G::Move>,
    ) {
        let mut state = root.clone();
        path.clear();
        path.push(0);
        let mut node = 0;
        let outcome = loop {
            // A leaf gets its children when it is visited for the second time: most leaves never are.
            if tree.nodes[node].kind == Kind::Leaf && tree.nodes[node].visits > 0 {
                tree.expand(node, game, &state, rng);
            }
            node = match tree.nodes[node].kind {
                Kind::Leaf => break game.playout(&state, rng, scratch),
                Kind::Expanded(Turn::Over(outcome)) => break outcome,
                Kind::Expanded(Turn::Player(player)) => self.select(tree, node, player),
                Kind::Expanded(Turn::Chance) => {
                    let outcome = game.random_outcome(&state, rng, scratch);
                    let mut children = tree.nodes[node].children();
                    children.find(|&child| tree.nodes[child].mv == Some(outcome)).expect("every outcome has a node")
                }
            };
            game.play(&mut state, tree.nodes[node].mv.expect("only the root has no move"));
            path.push(node);
        };
        let reward = f64::from(outcome.reward(Player::First));
        for &node in &*path {
            tree.nodes[node].visits = tree.nodes[node].visits.saturating_add(1);
            tree.nodes[node].reward += reward;
        }
    }

    /// The child with the highest upper confidence bound for `player`; one that has never been visited comes first.
    fn select<M>(&self, tree: &Tree<M>, node: usize, player: Player) -> usize {
        let log_visits = f64::from(tree.nodes[node].visits.max(1)).ln();
        let children = tree.nodes[node].children();
        let (mut best, mut best_bound) = (children.start, f64::NEG_INFINITY);
        for child in children {
            let candidate = &tree.nodes[child];
            if candidate.visits == 0 {
                return child;
            }
            let visits = f64::from(candidate.visits);
            let bound = average(candidate, player) + self.exploration * (log_visits / visits).sqrt();
            if bound > best_bound {
                (best, best_bound) = (child, bound);
            }
        }
        best
    }
}

/// The average reward of a node for a player, from 0 to 1.
fn average<M>(node: &Node<M>, player: Player) -> f64 {
    let first = node.reward / f64::from(node.visits.max(1));
    match player {
        Player::First => first,
        Player::Second => 1.0 - first,
    }
}

fn value<M>(node: &Node<M>, player: Player) -> f32 {
    (2.0 * average(node, player) - 1.0) as f32
}

/// The child that was visited most; of equals the first.
fn most_visited<M>(tree: &Tree<M>, node: usize) -> Option<usize> {
    let children = tree.nodes[node].children();
    children.reduce(|best, child| if tree.nodes[child].visits > tree.nodes[best].visits { child } else { best })
}

fn explain<G: Game>(tree: &Tree<G::Move>, mover: Player, simulations: u64, budget: &Budget<'_>) -> Choice<G> {
    let candidate = |child: usize| {
        let node = &tree.nodes[child];
        Candidate {
            mv: node.mv.expect("only the root has no move"),
            visits: u64::from(node.visits),
            value: (node.visits > 0).then(|| value(node, mover)),
        }
    };
    let mut candidates: Vec<_> = tree.nodes[0].children().map(candidate).collect();
    candidates.sort_by(|a, b| b.visits.cmp(&a.visits).then(a.mv.cmp(&b.mv)));
    let best = most_visited(tree, 0).expect("a player to move has a move");
    let mut principal_variation = Vec::new();
    let mut node = best;
    while tree.nodes[node].visits > 0 {
        principal_variation.extend(tree.nodes[node].mv);
        match most_visited(tree, node) {
            Some(child) => node = child,
            None => break,
        }
    }
    Choice {
        value: Some(value(&tree.nodes[best], mover)),
        depth: Some(principal_variation.len() as u32),
        principal_variation,
        candidates,
        nodes: tree.nodes.len() as u64,
        simulations,
        elapsed: budget.clock.elapsed(),
        ..Choice::bare(tree.nodes[best].mv.expect("only the root has no move"))
    }
}
