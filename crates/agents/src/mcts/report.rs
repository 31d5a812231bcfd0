//! Reports on a tree: the chosen move, its candidates, and figures.

use std::cmp::Ordering;

use plyground_core::{Candidate, Fact, Opinion, PlayableGame, Player, sort_moves};

use super::arena::{Node, Proof, ROOT, Tree};
use super::options::{Final, Options};
use super::run::Task;
use super::search::Memory;

/// The expected result for a player, from -1 to +1.
fn value(node: &Node, player: Player) -> f32 {
    let chance = match node.proof {
        Proof::Unknown => node.average(player),
        Proof::Draw => 0.5,
        Proof::Win(winner) => f32::from(u8::from(winner == player)),
    };
    2.0 * chance - 1.0
}

/// The order of the visited edges of a node for a player: what is proven first, then the rule.
struct Ranking {
    player: Player,
    last: Final,
    /// Is a certain draw better than everything that is not proven?
    draw_is_best: bool,
}

impl Ranking {
    fn new<M: Copy>(tree: &Tree<M>, node: &Node, player: Player, last: Final) -> Self {
        let ranking = Self { player, last, draw_is_best: false };
        let unproven = node.opened().filter(|&edge| tree.behind(edge).proof == Proof::Unknown);
        let best = unproven.reduce(|best, edge| if ranking.compare(tree, edge, best).is_gt() { edge } else { best });
        Self { draw_is_best: best.is_none_or(|edge| value(tree.behind(edge), player) < 0.0), ..ranking }
    }

    fn class(&self, proof: Proof) -> u8 {
        match proof {
            Proof::Win(winner) if winner == self.player => 4,
            Proof::Draw if self.draw_is_best => 3,
            Proof::Unknown => 2,
            Proof::Draw => 1,
            Proof::Win(_) => 0,
        }
    }

    fn compare<M: Copy>(&self, tree: &Tree<M>, a: usize, b: usize) -> Ordering {
        let class = |edge: usize| self.class(tree.behind(edge).proof);
        let average = |edge: usize| tree.behind(edge).average(self.player);
        let secure = |edge: usize| average(edge) - 1.0 / (tree.visits(edge).max(1) as f32).sqrt();
        class(a).cmp(&class(b)).then_with(|| match self.last {
            // With few simulations many moves are visited equally often.
            Final::Visits => tree.visits(a).cmp(&tree.visits(b)).then_with(|| average(a).total_cmp(&average(b))),
            Final::Value => average(a).total_cmp(&average(b)).then_with(|| tree.visits(a).cmp(&tree.visits(b))),
            Final::Secure => secure(a).total_cmp(&secure(b)),
        })
    }
}

/// The best edge of a node for the player who acts there (for chance: the most frequent); of equals the first.
fn best<M: Copy>(tree: &Tree<M>, node: usize, last: Final) -> Option<usize> {
    let here = &tree.nodes[node];
    let ranking = here.kind.player().map(|player| Ranking::new(tree, here, player, last));
    let better = |a: usize, b: usize| match &ranking {
        Some(ranking) => ranking.compare(tree, a, b).is_gt(),
        None => tree.visits(a) > tree.visits(b),
    };
    here.opened().reduce(|best, edge| if better(edge, best) { edge } else { best })
}

/// What both are expected to play.
fn line<M: Copy>(tree: &Tree<M>, last: Final) -> Vec<M> {
    let mut line = Vec::new();
    let mut at = ROOT;
    while let Some(edge) = best(tree, at, last) {
        line.push(tree.moves[edge]);
        at = tree.child[edge] as usize;
        // In a tree with shared nodes, positions that repeat would lead round and round.
        if line.len() > tree.nodes.len() {
            break;
        }
    }
    line
}

/// The opinion of the tree.
pub(crate) fn opinion<G: PlayableGame>(tree: &Tree<G::Move>, task: &Task<'_, G>) -> Opinion<G::Move> {
    let Task { leaf_evaluator, options, root: state, mover } = *task;
    let last = options.last;
    let root = &tree.nodes[ROOT];
    let mut edges: Vec<usize> = root.opened().collect();
    let ranking = Ranking::new(tree, root, mover, last);
    sort_moves(&mut edges, |&a, &b| ranking.compare(tree, b, a));
    let candidate = |edge: usize| {
        let node = tree.behind(edge);
        let value = if options.backs_up_scores {
            let first = leaf_evaluator.chance(node.average(Player::First));
            (2.0 * first - 1.0) * mover.sign()
        } else {
            value(node, mover)
        };
        Candidate { mv: tree.moves[edge], visits: u64::from(tree.visits(edge)), value: Some(value) }
    };
    let mut candidates: Vec<_> = edges.into_iter().map(candidate).collect();
    let untried = root.opened().end..(root.first + root.count) as usize;
    candidates.extend(untried.map(|edge| Candidate { mv: tree.moves[edge], visits: 0, value: None }));
    let mut line = options.futures().written(leaf_evaluator.game, state, &line(tree, last));
    if options.open_loop {
        // Further down, it is not known what chance has done in between.
        line.truncate(1);
    }
    Opinion { value: candidates.first().and_then(|best| best.value), depth: Some(line.len() as u32), line, candidates }
}

/// The depths of simulations.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Depths {
    pub sum: u64,
    pub greatest: usize,
    pub count: u64,
}

impl Depths {
    #[inline]
    pub fn add(&mut self, depth: usize) {
        self.sum += depth as u64;
        self.count += 1;
        self.greatest = self.greatest.max(depth);
    }

    pub fn join(&mut self, other: Self) {
        self.sum += other.sum;
        self.count += other.count;
        self.greatest = self.greatest.max(other.greatest);
    }
}

/// The nodes of all trees.
pub(crate) fn nodes<M: Copy>(memories: &[Memory<M>]) -> u64 {
    memories.iter().map(|memory| memory.tree.nodes.len() as u64).sum()
}

/// The tree in numbers.
pub(crate) fn facts<M: Copy>(memories: &[Memory<M>], depths: Depths, kept: u32) -> Vec<Fact> {
    let proven = memories[0].tree.nodes[ROOT].proof != Proof::Unknown;
    vec![
        Fact { name: "tree nodes", value: nodes(memories) as f64 },
        Fact { name: "memory in MB", value: memories.iter().map(Memory::bytes).sum::<usize>() as f64 / 1e6 },
        Fact { name: "mean depth", value: depths.sum as f64 / depths.count.max(1) as f64 },
        Fact { name: "greatest depth", value: depths.greatest as f64 },
        Fact { name: "proven", value: f64::from(u8::from(proven)) },
        Fact { name: "visits kept from the last move", value: f64::from(kept) },
    ]
}

/// What the user must be told.
pub(crate) fn notes<M: Copy>(memories: &[Memory<M>], options: &Options, threads: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if memories.iter().any(Memory::full) {
        let megabytes = options.memory / 1_000_000;
        notes.push(format!(
            "the tree reached memory={megabytes} (MB) and stopped growing; the search went on with the tree there was"
        ));
    }
    if threads < options.threads {
        notes.push(format!("the system gave {threads} of the {} threads", options.threads));
    }
    notes
}
