//! A simulation led by a network: down the tree by PUCT (Rosin, 2011; Silver et al., 2017), one judgement, and back up.

use plyground_core::{GameValue, PlayableGame, Player, Rng, Scratch, Turn};
use plyground_nets::softmax;

use super::evaluator::NetEvaluator;
use super::exact_probe::ExactProbe;
use super::tree::{Edge, Kind, NONE, ROOT, Tree};

/// The switches of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The weight of the policy against the values.
    pub exploration: f32,
    /// What a move that has not been tried loses against the mean of its node, times the root of the share of the policy that has
    /// been.
    pub first_play: f32,
    /// Is the prior uniform, whatever the network says?
    pub uniform: bool,
    /// Higher makes the policy flatter.
    pub temperature: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { exploration: 1.25, first_play: 0.25, uniform: false, temperature: 1.0 }
    }
}

/// A simulation that waits to be judged, or has nothing to wait for.
pub struct Visit<G: PlayableGame> {
    /// The nodes on the way from the root.
    pub way: Vec<u32>,
    pub state: G::State,
    /// Does its last node wait for an evaluation?
    pub waits: bool,
}

impl<G: PlayableGame> Visit<G> {
    pub fn new(root: &G::State) -> Self {
        Self { way: Vec::new(), state: root.clone(), waits: false }
    }
}

/// The searcher of one thread.
pub struct NetSearcher<'a, G: PlayableGame> {
    pub game: &'a G,
    pub settings: Settings,
    probe: Option<&'a mut ExactProbe<G>>,
    scratch: Scratch<G::Move>,
    logits: Vec<f32>,
}

impl<'a, G: PlayableGame> NetSearcher<'a, G> {
    /// A searcher; new nodes are probed for an exact value before the network evaluates them.
    pub fn new(game: &'a G, settings: Settings, probe: Option<&'a mut ExactProbe<G>>) -> Self {
        Self { game, settings, probe, scratch: Scratch::default(), logits: Vec::new() }
    }

    /// From the root to a node that has not been judged, or to an end. `root_edge` is the move to begin with, where that is not for
    /// the search to choose. Every node on the way is marked as being visited.
    pub fn descend(
        &mut self,
        tree: &mut Tree<G::Move>,
        root: &G::State,
        root_edge: Option<usize>,
        rng: &mut Rng,
        visit: &mut Visit<G>,
    ) {
        visit.state.clone_from(root);
        visit.way.clear();
        visit.waits = false;
        let (mut at, mut forced) = (ROOT, root_edge);
        loop {
            visit.way.push(at);
            tree.nodes[at as usize].pending += 1;
            if tree.node(at).kind == Kind::New {
                visit.waits = self.meet(tree, at, &visit.state);
                if visit.waits {
                    return;
                }
            }
            // At the root something has to be played even where the end is known.
            let node = tree.node(at);
            if node.kind == Kind::Over || (node.proof.is_some() && at != ROOT) {
                return;
            }
            let edge = match node.kind {
                Kind::Player(mover) => forced.take().unwrap_or_else(|| self.select(tree, at, mover)),
                _ => self.draw(tree, at, &visit.state, rng),
            };
            self.game.play(&mut visit.state, tree.edges[edge].mv);
            at = tree.behind(edge);
        }
    }

    /// Finds out what a new node is. True if a network has to judge it.
    fn meet(&mut self, tree: &mut Tree<G::Move>, at: u32, state: &G::State) -> bool {
        match self.game.turn(state) {
            Turn::Over(outcome) => {
                tree.finish(at, outcome);
                false
            }
            Turn::Chance => {
                self.game.chance(state, &mut self.scratch.outcomes);
                let edges = self.scratch.outcomes.iter();
                let edges = edges.map(|&(mv, probability)| Edge { mv, prior: probability as f32, logit: 0.0, child: NONE });
                tree.expand(at, Kind::Chance, edges);
                false
            }
            // At the root a move is wanted, not only the end.
            Turn::Player(_) if at == ROOT => true,
            Turn::Player(mover) => match self.known(state) {
                Some(value) => {
                    tree.set_exact(at, mover, value);
                    false
                }
                None => true,
            },
        }
    }

    /// What is certain about a position without a network.
    fn known(&mut self, state: &G::State) -> Option<GameValue> {
        self.game.known_value(state).or_else(|| {
            let probe = self.probe.as_mut()?;
            self.game.moves(state, &mut self.scratch.moves);
            probe.ask(self.game, state, self.scratch.moves.len())
        })
    }

    /// An outcome of chance, drawn with its probability.
    fn draw(&mut self, tree: &Tree<G::Move>, at: u32, state: &G::State, rng: &mut Rng) -> usize {
        let outcome = self.game.random_outcome(state, rng, &mut self.scratch);
        let mut edges = tree.node(at).edges();
        edges.find(|&edge| tree.edges[edge].mv == outcome).expect("what chance does is among what it can do")
    }

    /// The move with the best bound for the player to move. Moves that are certain to lose are left alone.
    fn select(&self, tree: &Tree<G::Move>, at: u32, mover: Player) -> usize {
        let node = tree.node(at);
        let sign = mover.sign();
        let tried: f32 = node.edges().filter(|&edge| tree.visits(edge) > 0).map(|edge| tree.edges[edge].prior).sum();
        let untried = node.mean() * sign - self.settings.first_play * tried.sqrt();
        let visits = (node.visits + node.pending).max(1) as f32;
        let weight = self.settings.exploration * visits.sqrt();
        let (mut best, mut greatest) = (node.first as usize, f32::NEG_INFINITY);
        for edge in node.edges() {
            let Edge { prior, .. } = tree.edges[edge];
            let (value, count) = match tree.child(edge) {
                None => (untried, 0.0),
                Some(child) => {
                    let known = child.mean() * sign;
                    if child.proof.is_some() && known < 0.0 {
                        // Only where everything loses does it matter which.
                        (known - 10.0, child.visits as f32)
                    } else {
                        let [done, pending] = [child.visits, child.pending].map(|count| count as f32);
                        let value = if done + pending == 0.0 {
                            untried
                        } else if done == 0.0 {
                            -1.0
                        } else {
                            (known * done - pending) / (done + pending)
                        };
                        (value, done + pending)
                    }
                }
            };
            let bound = value + weight * prior / (1.0 + count);
            if bound > greatest {
                (best, greatest) = (edge, bound);
            }
        }
        best
    }

    /// Expands the node at the end of a visit with the evaluation of the network: place `place` of its batch.
    pub fn judged(&mut self, tree: &mut Tree<G::Move>, visit: &Visit<G>, net: &mut NetEvaluator<G>, place: usize) -> f32 {
        let at = *visit.way.last().expect("a visit has a way");
        let value = net.value(place, self.game, &visit.state);
        if tree.node(at).kind != Kind::New {
            // Another visit was here meanwhile.
            return value;
        }
        let Turn::Player(mover) = self.game.turn(&visit.state) else { return value };
        self.game.moves(&visit.state, &mut self.scratch.moves);
        let moves = &self.scratch.moves;
        net.logits(place, self.game, &visit.state, moves, &mut self.logits);
        if self.settings.uniform {
            self.logits.fill(0.0);
        }
        let logits = self.logits.clone();
        self.logits.iter_mut().for_each(|logit| *logit /= self.settings.temperature);
        softmax(&mut self.logits);
        let edges = moves.iter().zip(&self.logits).zip(&logits);
        let edges = edges.map(|((&mv, &prior), &logit)| Edge { mv, prior, logit, child: NONE });
        tree.expand(at, Kind::Player(mover), edges);
        tree.nodes[at as usize].judged = value;
        value
    }

    /// Adds what a visit found. `judged` is what the network said, where it was asked.
    pub fn finish(tree: &mut Tree<G::Move>, visit: &Visit<G>, judged: Option<f32>) {
        let last = *visit.way.last().expect("a visit has a way");
        let value = judged.unwrap_or_else(|| tree.node(last).mean());
        for &at in &visit.way {
            tree.nodes[at as usize].pending -= 1;
        }
        tree.back_up(&visit.way, value);
    }

    /// One simulation, alone.
    pub fn simulate(
        &mut self,
        tree: &mut Tree<G::Move>,
        net: &mut NetEvaluator<G>,
        root: &G::State,
        root_edge: Option<usize>,
        rng: &mut Rng,
        visit: &mut Visit<G>,
    ) {
        self.descend(tree, root, root_edge, rng, visit);
        let judged = visit.waits.then(|| {
            net.load(0, self.game, &visit.state);
            net.run(1);
            self.judged(tree, visit, net, 0)
        });
        Self::finish(tree, visit, judged);
    }
}
