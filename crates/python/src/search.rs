//! Tree search led by a network that is asked in Python (PUCT; Silver et al., 2017): positions go out in batches, judgements come in.
//!
//! The search of the command (`az`) asks one network of ours at a time and is compiled for each game. Here the evaluation in Python takes
//! nearly all of the time, so that the tree goes through virtual calls, and what counts is that many positions are asked at once.

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArrayDyn};
use plyground_core::{Player, Rng, Seed, Turn};
use pyo3::prelude::*;

use crate::errors;
use crate::game::{PyGame, State, checked};
use crate::rules::Position;

const ROOT: u32 = 0;
const NONE: u32 = u32::MAX;
/// The most nodes of a tree.
const MOST_NODES: usize = 50_000_000;

struct Edge {
    action: u32,
    prior: f32,
    child: u32,
}

struct Node {
    turn: Turn,
    /// None before it was judged.
    edges: Vec<Edge>,
    is_judged: bool,
    /// Is its judgement being waited for?
    is_asked: bool,
    visits: u32,
    /// The sum of the values, in the first player's view.
    total: f32,
    /// Visits under way, which count as losses of the player who led to it, so that the next ones go elsewhere.
    under_way: u32,
}

impl Node {
    fn new(turn: Turn) -> Self {
        Self { turn, edges: Vec::new(), is_judged: false, is_asked: false, visits: 0, total: 0.0, under_way: 0 }
    }
}

/// A position whose judgement is being waited for.
struct Asked {
    way: Vec<u32>,
    actions: Vec<u32>,
    mover: Player,
}

/// A search from one position.
#[pyclass(name = "Search", module = "plyground._core")]
pub(crate) struct PySearch {
    root: State,
    nodes: Vec<Node>,
    asked: Vec<Asked>,
    rng: Rng,
    exploration: f32,
    first_play: f32,
}

#[pymethods]
impl PySearch {
    #[new]
    #[pyo3(signature = (state, c, fpu, seed))]
    fn new(py: Python<'_>, state: &State, c: f32, fpu: f32, seed: u64) -> PyResult<Self> {
        let turn = state.position.turn();
        if !matches!(turn, Turn::Player(_)) {
            return Err(errors::bad("expected a state in which a player is to move"));
        }
        if !(0.0..=100.0).contains(&c) || !(0.0..=2.0).contains(&fpu) {
            return Err(errors::bad(format!("expected c from 0 to 100 and fpu from 0 to 2, found {c} and {fpu}")));
        }
        let root = State { position: state.position.fresh(), game: state.game.clone_ref(py) };
        let nodes = vec![Node::new(turn)];
        Ok(Self { root, nodes, asked: Vec::new(), rng: Seed(seed).rng(), exploration: c, first_play: fpu })
    }

    /// Looks for positions to be judged, as many as there is room for, and writes their planes; the number of them. Fewer are found where
    /// the tree leads to the same one again, or to the end of the game; those ends are counted.
    fn gather(&mut self, mut planes: PyReadwriteArrayDyn<'_, f32>, most: usize) -> PyResult<usize> {
        if !self.asked.is_empty() {
            return Err(errors::bad("expected the judgements of the positions that were gathered before"));
        }
        let numbers: usize = self.root.game.get().rules.shape().iter().product();
        let room = planes.as_slice_mut()?;
        if room.len() < most * numbers {
            return Err(errors::bad(format!("expected room for {most} positions of {numbers} numbers, found {}", room.len())));
        }
        if self.nodes.len() >= MOST_NODES {
            return Err(errors::bad(format!("the tree is full: it has {MOST_NODES} nodes")));
        }
        let mut written = Vec::new();
        let mut ends = 0;
        while self.asked.len() < most && ends < most {
            let place = self.asked.len();
            match self.descend()? {
                Descent::Asked(position) => {
                    position.encode(&mut written);
                    room[place * numbers..][..numbers].copy_from_slice(&written);
                }
                Descent::Ended => ends += 1,
                Descent::Met => break,
            }
        }
        checked(&self.root.game, self.asked.len())
    }

    /// Takes the judgements of the positions that were gathered: logits of all actions, and the result that the player to move expects.
    fn feed(&mut self, logits: PyReadonlyArray2<'_, f32>, values: PyReadonlyArray1<'_, f32>) -> PyResult<()> {
        let (logits, values) = (logits.as_array(), values.as_array());
        let wanted = (self.asked.len(), self.root.game.get().rules.actions());
        if logits.dim() != wanted || values.len() != wanted.0 {
            let found = (logits.dim(), values.len());
            return Err(errors::bad(format!("expected logits of {wanted:?} and as many values, found {found:?}")));
        }
        if !values.iter().chain(&logits).all(|number| number.is_finite()) {
            return Err(errors::bad("expected finite logits and values"));
        }
        for (place, asked) in std::mem::take(&mut self.asked).into_iter().enumerate() {
            let row = logits.row(place);
            let most = asked.actions.iter().map(|&action| row[action as usize]).fold(f32::NEG_INFINITY, f32::max);
            let weights: Vec<f32> = asked.actions.iter().map(|&action| (row[action as usize] - most).exp()).collect();
            let sum: f32 = weights.iter().sum();
            let edge = |(&action, weight): (&u32, f32)| Edge { action, prior: weight / sum, child: NONE };
            let leaf = asked.way[asked.way.len() - 1] as usize;
            self.nodes[leaf].edges = asked.actions.iter().zip(weights).map(edge).collect();
            (self.nodes[leaf].is_judged, self.nodes[leaf].is_asked) = (true, false);
            self.back_up(&asked.way, values[place].clamp(-1.0, 1.0) * asked.mover.sign());
        }
        Ok(())
    }

    #[getter]
    fn game(&self, py: Python<'_>) -> Py<PyGame> {
        self.root.game.clone_ref(py)
    }

    /// How often the root was judged or passed.
    #[getter]
    fn simulations(&self) -> u32 {
        self.nodes[ROOT as usize].visits
    }

    /// What the player to move expects.
    #[getter]
    fn value(&self) -> f32 {
        let root = &self.nodes[ROOT as usize];
        mean(root) * self.mover().sign()
    }

    /// Every action of the root: its visits, the result that the mover expects, and its share in the policy.
    fn actions(&self) -> Vec<(u32, u32, f32, f32)> {
        let sign = self.mover().sign();
        let seen = |edge: &Edge| {
            let child = self.nodes.get(edge.child as usize);
            (edge.action, child.map_or(0, |child| child.visits), child.map_or(0.0, |child| mean(child) * sign), edge.prior)
        };
        self.nodes[ROOT as usize].edges.iter().map(seen).collect()
    }

    /// Replaces the policy at the root, which must have been judged: for noise in self-play.
    fn set_priors(&mut self, priors: Vec<f32>) -> PyResult<()> {
        let edges = &mut self.nodes[ROOT as usize].edges;
        if priors.len() != edges.len() || !priors.iter().all(|prior| prior.is_finite() && *prior >= 0.0) {
            return Err(errors::bad(format!("expected a share for each of {} actions, found {}", edges.len(), priors.len())));
        }
        edges.iter_mut().zip(priors).for_each(|(edge, prior)| edge.prior = prior);
        Ok(())
    }
}

/// Where a way down the tree led to.
enum Descent {
    /// To a position that has to be judged.
    Asked(Box<dyn Position>),
    /// To the end of the game.
    Ended,
    /// To a position whose judgement is being waited for.
    Met,
}

fn mean(node: &Node) -> f32 {
    node.total / node.visits.max(1) as f32
}

impl PySearch {
    fn mover(&self) -> Player {
        match self.nodes[ROOT as usize].turn {
            Turn::Player(player) => player,
            Turn::Chance | Turn::Over(_) => Player::First,
        }
    }

    fn descend(&mut self) -> PyResult<Descent> {
        let (mut position, mut at, mut way) = (self.root.position.fresh(), ROOT, vec![ROOT]);
        loop {
            let node = &self.nodes[at as usize];
            let edge = match node.turn {
                Turn::Over(outcome) => {
                    self.back_up_new(&way, outcome.value());
                    return Ok(Descent::Ended);
                }
                _ if node.is_asked => return Ok(Descent::Met),
                Turn::Player(mover) if !node.is_judged => {
                    let actions = position.legal().map_err(errors::input)?;
                    self.nodes[at as usize].is_asked = true;
                    for &node in &way {
                        self.nodes[node as usize].under_way += 1;
                    }
                    self.asked.push(Asked { way, actions, mover });
                    return Ok(Descent::Asked(position));
                }
                Turn::Player(mover) => self.best(at, mover),
                Turn::Chance => self.drawn(at, position.as_ref()),
            };
            let action = self.nodes[at as usize].edges[edge].action;
            position.apply(action).map_err(errors::input)?;
            at = self.child(at, edge, position.turn());
            way.push(at);
        }
    }

    /// The edge that promises most (PUCT).
    fn best(&self, at: u32, mover: Player) -> usize {
        let node = &self.nodes[at as usize];
        let weight = self.exploration * ((node.visits + node.under_way).max(1) as f32).sqrt();
        let unseen = mean(node) * mover.sign() - self.first_play;
        let promise = |edge: &Edge| match self.nodes.get(edge.child as usize) {
            None => unseen + weight * edge.prior,
            Some(child) => {
                let visits = (child.visits + child.under_way) as f32;
                let known = (child.total * mover.sign() - child.under_way as f32) / visits.max(1.0);
                known + weight * edge.prior / (1.0 + visits)
            }
        };
        let mut best = (0, f32::NEG_INFINITY);
        for (place, edge) in node.edges.iter().enumerate() {
            let promise = promise(edge);
            if promise > best.1 {
                best = (place, promise);
            }
        }
        best.0
    }

    /// An outcome of chance, drawn by its probability.
    fn drawn(&mut self, at: u32, position: &dyn Position) -> usize {
        let node = &mut self.nodes[at as usize];
        if node.edges.is_empty() {
            let edge = |(action, probability)| Edge { action, prior: probability as f32, child: NONE };
            node.edges = position.outcomes().into_iter().map(edge).collect();
        }
        let mut left = self.rng.unit() as f32;
        let drawn = node.edges.iter().position(|edge| {
            left -= edge.prior;
            left < 0.0
        });
        drawn.unwrap_or(node.edges.len() - 1)
    }

    fn child(&mut self, at: u32, edge: usize, turn: Turn) -> u32 {
        let known = self.nodes[at as usize].edges[edge].child;
        if known != NONE {
            return known;
        }
        let new = self.nodes.len() as u32;
        self.nodes.push(Node::new(turn));
        self.nodes[at as usize].edges[edge].child = new;
        new
    }

    /// Counts a result along a way that was under way.
    fn back_up(&mut self, way: &[u32], value: f32) {
        for &node in way {
            self.nodes[node as usize].under_way -= 1;
        }
        self.back_up_new(way, value);
    }

    fn back_up_new(&mut self, way: &[u32], value: f32) {
        for &node in way {
            let node = &mut self.nodes[node as usize];
            node.visits += 1;
            node.total += value;
        }
    }
}
