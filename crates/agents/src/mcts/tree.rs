//! The search tree: one vector of nodes, the children of a node side by side, 32-bit indices.

use plyground_core::{Game, Rng, Turn};

/// What a node is, once it has been looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Not expanded yet.
    Leaf,
    /// Has children: `Turn::Player` or `Turn::Chance`; or is finished.
    Expanded(Turn),
}

/// A position, known by the move that leads to it.
#[derive(Clone, Debug)]
pub(crate) struct Node<M> {
    /// The move from the parent; `None` only at the root.
    pub mv: Option<M>,
    pub kind: Kind,
    first_child: u32,
    child_count: u32,
    pub visits: u32,
    /// The sum of the rewards in the first player's view. (Multiples of a half: exact in `f64`.)
    pub reward: f64,
}

impl<M> Node<M> {
    fn new(mv: Option<M>) -> Self {
        Self { mv, kind: Kind::Leaf, first_child: 0, child_count: 0, visits: 0, reward: 0.0 }
    }

    /// The numbers of its children.
    pub fn children(&self) -> std::ops::Range<usize> {
        self.first_child as usize..(self.first_child + self.child_count) as usize
    }
}

/// All nodes; number 0 is the root.
#[derive(Clone, Debug)]
pub(crate) struct Tree<M> {
    pub nodes: Vec<Node<M>>,
    most: usize,
}

impl<M: Copy> Tree<M> {
    /// A tree of a single root, which will grow to `bytes` of memory at most.
    pub fn new(bytes: usize) -> Self {
        let most = (bytes / size_of::<Node<M>>()).clamp(1, u32::MAX as usize);
        Self { nodes: vec![Node::new(None)], most }
    }

    /// Gives a leaf its children, in random order. When the memory is used up it stays a leaf: the search goes on with the tree
    /// that there is.
    pub fn expand<G: Game<Move = M>>(&mut self, node: usize, game: &G, state: &G::State, rng: &mut Rng) {
        let turn = game.turn(state);
        let mut moves = Vec::new();
        match turn {
            Turn::Over(_) => {}
            Turn::Player(_) => game.moves(state, &mut moves),
            Turn::Chance => {
                let mut outcomes = Vec::new();
                game.chance(state, &mut outcomes);
                moves.extend(outcomes.into_iter().map(|(mv, _)| mv));
            }
        }
        // The children of the root are always there: without them there is no move to choose.
        if node > 0 && self.nodes.len() + moves.len() > self.most {
            return;
        }
        rng.shuffle(&mut moves);
        self.nodes[node].first_child = self.nodes.len() as u32;
        self.nodes[node].child_count = moves.len() as u32;
        self.nodes[node].kind = Kind::Expanded(turn);
        self.nodes.extend(moves.into_iter().map(|mv| Node::new(Some(mv))));
    }
}
