//! The tree of a search that is led by a network: an arena of nodes and edges, addressed by index.

use plyground_core::{GameValue, Outcome, Player};

/// The node of the position that is thought about.
pub const ROOT: u32 = 0;

/// An edge that leads nowhere yet.
pub const NONE: u32 = u32::MAX;

/// The kind of a node: player, chance or end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It has not been judged.
    New,
    Player(Player),
    Chance,
    /// Nothing to choose: the game is over, or its end is known.
    Over,
}

#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub kind: Kind,
    /// The result if it is certain, in the first player's view: -1, 0 or 1.
    pub proof: Option<i8>,
    pub first: u32,
    pub count: u32,
    pub visits: u32,
    /// Visits that are on their way and count as losses until they are back.
    pub pending: u32,
    /// The sum of the values of all visits, in the first player's view.
    pub sum: f64,
    /// The value by the network.
    pub judged: f32,
}

impl Node {
    const NEW: Self = Self { kind: Kind::New, proof: None, first: 0, count: 0, visits: 0, pending: 0, sum: 0.0, judged: 0.0 };

    pub fn edges(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    /// The mean in the first player's view; what is certain is certain.
    pub fn mean(&self) -> f32 {
        match self.proof {
            Some(proof) => f32::from(proof),
            None if self.visits == 0 => self.judged,
            None => (self.sum / f64::from(self.visits)) as f32,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Edge<M> {
    pub mv: M,
    /// The prior of the move by the network; of a chance outcome, its probability.
    pub prior: f32,
    pub logit: f32,
    pub child: u32,
}

/// The tree.
#[derive(Clone, Debug)]
pub struct Tree<M> {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge<M>>,
}

impl<M: Copy + Eq> Tree<M> {
    pub fn new() -> Self {
        Self { nodes: vec![Node::NEW], edges: Vec::new() }
    }

    pub fn clear(&mut self) {
        self.nodes.clear();
        self.nodes.push(Node::NEW);
        self.edges.clear();
    }

    /// The bytes that are in use.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.edges)
    }

    pub fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }

    /// The node behind an edge, made if it is not there yet.
    pub fn behind(&mut self, edge: usize) -> u32 {
        if self.edges[edge].child == NONE {
            self.edges[edge].child = self.nodes.len() as u32;
            self.nodes.push(Node::NEW);
        }
        self.edges[edge].child
    }

    /// The node behind an edge, if it is there.
    pub fn child(&self, edge: usize) -> Option<&Node> {
        self.nodes.get(self.edges[edge].child as usize)
    }

    pub fn visits(&self, edge: usize) -> u32 {
        self.child(edge).map_or(0, |child| child.visits)
    }

    /// Gives a node its moves.
    pub fn expand(&mut self, at: u32, kind: Kind, edges: impl Iterator<Item = Edge<M>>) {
        let first = self.edges.len();
        self.edges.extend(edges);
        let node = &mut self.nodes[at as usize];
        (node.kind, node.first, node.count) = (kind, first as u32, (self.edges.len() - first) as u32);
    }

    /// The game is over at a node.
    pub fn finish(&mut self, at: u32, outcome: Outcome) {
        self.know(at, outcome.value() as i8);
    }

    /// The end of the game is known at a node, where this player is to move.
    pub fn set_exact(&mut self, at: u32, mover: Player, value: GameValue) {
        self.know(at, (value.value() * mover.sign()) as i8);
    }

    fn know(&mut self, at: u32, result: i8) {
        let node = &mut self.nodes[at as usize];
        (node.kind, node.proof, node.judged) = (Kind::Over, Some(result), f32::from(result));
    }

    /// Adds a value to the nodes of a way from the root, and what is certain now.
    pub fn back_up(&mut self, way: &[u32], value: f32) {
        let mut proving = true;
        for &at in way.iter().rev() {
            if proving {
                self.prove(at);
            }
            let node = &mut self.nodes[at as usize];
            proving &= node.proof.is_some();
            node.visits += 1;
            node.sum += f64::from(value);
        }
    }

    /// A node is certain when a move is certain to win, or all moves are certain.
    fn prove(&mut self, at: u32) {
        let node = self.nodes[at as usize];
        let Kind::Player(mover) = node.kind else {
            if node.kind == Kind::Chance {
                self.prove_chance(at);
            }
            return;
        };
        let sign = if mover == Player::First { 1 } else { -1 };
        let mut best = Some(i8::MIN);
        for edge in node.edges() {
            match self.child(edge).and_then(|child| child.proof) {
                Some(result) if result * sign == 1 => {
                    best = Some(1);
                    break;
                }
                Some(result) => best = best.map(|best| best.max(result * sign)),
                None => best = None,
            }
        }
        if let Some(best) = best {
            self.nodes[at as usize].proof = Some(best * sign);
        }
    }

    /// Chance changes nothing where every outcome leads to the same result.
    fn prove_chance(&mut self, at: u32) {
        let mut proofs = self.nodes[at as usize].edges().map(|edge| self.child(edge).and_then(|child| child.proof));
        let first = proofs.next().flatten();
        if first.is_some() && proofs.all(|proof| proof == first) {
            self.nodes[at as usize].proof = first;
        }
    }

    /// Makes a node the root and forgets what it does not lead to.
    pub fn reroot(&mut self, at: u32) {
        let mut kept = Self { nodes: vec![self.nodes[at as usize]], edges: Vec::new() };
        let mut next = 0;
        while next < kept.nodes.len() {
            let node = kept.nodes[next];
            let first = kept.edges.len() as u32;
            for edge in node.edges() {
                let mut edge = self.edges[edge];
                if let Some(&child) = self.nodes.get(edge.child as usize) {
                    edge.child = kept.nodes.len() as u32;
                    kept.nodes.push(child);
                }
                kept.edges.push(edge);
            }
            kept.nodes[next].first = first;
            next += 1;
        }
        *self = kept;
    }
}
