//! The search tree in flat arrays with 32-bit indices: edges (one per move, those of a position side by side) and nodes (one per
//! position that has been visited). Nothing is allocated per node, and a cleared tree keeps its memory for the next search.

use plyground_core::{Outcome, Player, Rng, Turn};

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Not expanded yet.
    Leaf,
    First,
    Second,
    Chance,
    /// The game is over; `Node::proof` says how.
    Over,
}

impl From<Player> for Kind {
    fn from(player: Player) -> Self {
        match player {
            Player::First => Self::First,
            Player::Second => Self::Second,
        }
    }
}

impl Kind {
    /// The player who moves here.
    #[inline]
    pub fn player(self) -> Option<Player> {
        match self {
            Self::First => Some(Player::First),
            Self::Second => Some(Player::Second),
            Self::Leaf | Self::Chance | Self::Over => None,
        }
    }
}

/// A proven result of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Nothing.
    Unknown,
    Draw,
    Win(Player),
}

impl Proof {
    /// The reward in the first player's view.
    #[inline]
    pub fn reward(self) -> f32 {
        match self {
            Self::Win(Player::First) => 1.0,
            Self::Win(Player::Second) => 0.0,
            Self::Draw | Self::Unknown => 0.5,
        }
    }
}

impl From<Outcome> for Proof {
    #[inline]
    fn from(outcome: Outcome) -> Self {
        outcome.winner.map_or(Self::Draw, Self::Win)
    }
}

/// A position that has been visited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The sum of the rewards in the first player's view.
    pub sum: f64,
    pub visits: u32,
    /// Its edges are `first..first + count`; those before `first + open` have been visited, the others hold nothing but a move
    /// (and, where the evaluator is asked for all children at once, a score).
    pub first: u32,
    pub count: u32,
    pub open: u32,
    pub kind: Kind,
    pub proof: Proof,
    /// The mover can have a draw for certain.
    pub draw_in_hand: bool,
}

impl Node {
    const NEW: Self =
        Self { sum: 0.0, visits: 0, first: 0, count: 0, open: 0, kind: Kind::Leaf, proof: Proof::Unknown, draw_in_hand: false };

    /// The average reward in the view of a player.
    pub fn average(&self, player: Player) -> f32 {
        let first = if self.visits == 0 { 0.5 } else { (self.sum / f64::from(self.visits)) as f32 };
        match player {
            Player::First => first,
            Player::Second => 1.0 - first,
        }
    }

    /// The numbers of the edges that have been visited.
    pub fn opened(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.open) as usize
    }
}

pub(crate) const ROOT: usize = 0;

/// The edges are initialised this many at a time: the system hands out memory page by page, and a doubling that touched all its
/// pages at once would be felt in the time of a move.
const STEP: usize = 4_096;

/// The optional arrays of a tree.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layout {
    pub scores: bool,
    pub shared: bool,
}

/// All nodes and edges; node 0 is the root.
#[derive(Clone, Debug)]
pub(crate) struct Tree<M> {
    pub nodes: Vec<Node>,
    /// By edge: the move, the average reward in the first player's view, one over the root of the visits, and the node it leads
    /// to. Apart from each other, because bounds are computed for eight edges at once. All but the move mean nothing before the
    /// first visit.
    pub moves: Vec<M>,
    pub mean: Vec<f32>,
    pub spread: Vec<f32>,
    pub child: Vec<u32>,
    /// By edge: the evaluator's score of the position behind it, in the first player's view. Empty unless it is asked.
    pub score: Vec<f32>,
    /// By edge: how often it has been gone through, which is not how often the node behind it has been visited when several edges
    /// lead there. Empty unless positions are shared.
    pub through: Vec<u32>,
    layout: Layout,
    /// Edges in use; `moves` has this length, the other arrays may have kept a greater one from an earlier search.
    used: usize,
    /// Bytes that the tree may grow to.
    most: usize,
    /// Has it refused to grow?
    pub full: bool,
}

impl<M: Copy> Tree<M> {
    const NODE: usize = size_of::<Node>();

    /// An empty tree, which will grow to `most` bytes.
    pub fn new(most: usize, layout: Layout) -> Self {
        Self {
            nodes: Vec::new(),
            moves: Vec::new(),
            mean: Vec::new(),
            spread: Vec::new(),
            child: Vec::new(),
            score: Vec::new(),
            through: Vec::new(),
            layout,
            used: 0,
            most,
            full: false,
        }
    }

    /// Nothing but a root.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.moves.clear();
        self.used = 0;
        self.full = false;
        self.nodes.push(Node::NEW);
    }

    /// The bytes of an edge.
    fn edge_size(&self) -> usize {
        size_of::<M>() + 4 * (3 + usize::from(self.layout.scores) + usize::from(self.layout.shared))
    }

    /// The bytes that it occupies.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * Self::NODE + self.moves.capacity() * self.edge_size()
    }

    /// How many more of `size` bytes each can be had, when `wanted` would be nice and `needed` are necessary. Towards the end only
    /// half of what is left is given away, so that the other array gets its share.
    fn grant(&mut self, size: usize, wanted: usize, needed: usize) -> Option<usize> {
        let left = self.most.saturating_sub(self.bytes()) / size;
        let granted = wanted.min((left / 2).max(needed)).max(needed);
        if granted > left {
            self.full = true;
            return None;
        }
        Some(granted)
    }

    /// Gives a leaf its edges. False when the memory is used up: it stays a leaf, and the search goes on with the tree there is.
    #[inline]
    pub fn expand(&mut self, node: usize, kind: Kind, moves: &[M]) -> bool {
        if self.used + moves.len() > self.child.len() && !self.grow_edges(moves.len(), node == ROOT) {
            return false;
        }
        self.moves.extend_from_slice(moves);
        let here = &mut self.nodes[node];
        here.first = self.used as u32;
        here.count = moves.len() as u32;
        here.kind = kind;
        self.used += moves.len();
        true
    }

    #[cold]
    fn grow_edges(&mut self, needed: usize, must: bool) -> bool {
        let wanted = self.used + needed;
        if wanted > u32::MAX as usize {
            self.full = true;
            return false;
        }
        if wanted > self.moves.capacity() {
            let missing = wanted - self.moves.capacity();
            let more = match self.grant(self.edge_size(), self.moves.capacity().max(STEP), missing) {
                Some(more) => more,
                // Without the moves of the root there is no move to choose.
                None if must => missing,
                None => return false,
            };
            let capacity = self.moves.capacity() + more;
            self.moves.reserve_exact(capacity - self.moves.len());
            self.mean.reserve_exact(capacity - self.mean.len());
            self.spread.reserve_exact(capacity - self.spread.len());
            self.child.reserve_exact(capacity - self.child.len());
            if self.layout.scores {
                self.score.reserve_exact(capacity - self.score.len());
            }
            if self.layout.shared {
                self.through.reserve_exact(capacity - self.through.len());
            }
        }
        let length = (wanted + STEP).min(self.moves.capacity());
        self.mean.resize(length, 0.0);
        self.spread.resize(length, 0.0);
        self.child.resize(length, 0);
        if self.layout.scores {
            self.score.resize(length, 0.0);
        }
        if self.layout.shared {
            self.through.resize(length, 0);
        }
        true
    }

    /// Brings edge number `first + pick` of a node, which has not been visited, to the front of the unvisited ones, so that it can be
    /// opened.
    #[inline]
    pub fn place(&mut self, node: usize, pick: u32) -> usize {
        let Node { first, open, .. } = self.nodes[node];
        let (edge, picked) = ((first + open) as usize, (first + pick) as usize);
        self.moves.swap(edge, picked);
        if self.layout.scores {
            self.score.swap(edge, picked);
        }
        edge
    }

    /// Makes a node for an edge that has been placed; `None` when the memory is used up.
    #[inline]
    pub fn open(&mut self, node: usize, edge: usize) -> Option<usize> {
        if self.nodes.len() == self.nodes.capacity() && !self.grow_nodes(node == ROOT) {
            return None;
        }
        let child = self.nodes.len();
        self.nodes.push(Node::NEW);
        self.link(node, edge, child);
        Some(child)
    }

    /// Lets an edge that has been placed lead to a node.
    #[inline]
    pub fn link(&mut self, node: usize, edge: usize, child: usize) {
        self.nodes[node].open += 1;
        self.child[edge] = child as u32;
        if self.layout.shared {
            self.through[edge] = 0;
        }
    }

    #[cold]
    fn grow_nodes(&mut self, must: bool) -> bool {
        let more = match self.grant(Self::NODE, self.nodes.capacity().max(STEP), 1) {
            Some(more) => more,
            None if must => 1,
            None => return false,
        };
        self.nodes.reserve_exact(more);
        true
    }

    /// A random one of the edges that have not been visited (Fisher and Yates' shuffle, one step at a time: most nodes never need
    /// the rest).
    #[inline]
    pub fn unvisited(&self, node: usize, rng: &mut Rng) -> u32 {
        let Node { count, open, .. } = self.nodes[node];
        open + rng.below(count - open)
    }

    /// The place of an outcome of chance among the edges of a node.
    pub fn outcome(&self, node: usize, outcome: M) -> u32
    where
        M: Eq,
    {
        let Node { first, count, .. } = self.nodes[node];
        let edges = &self.moves[first as usize..(first + count) as usize];
        edges.iter().position(|&mv| mv == outcome).expect("every outcome has an edge") as u32
    }

    /// Gives a node edges for those moves that it has none for yet. False when the memory is used up.
    pub fn widen(&mut self, node: usize, kind: Kind, moves: &[M]) -> bool
    where
        M: Eq,
    {
        let here = self.nodes[node];
        let old = here.first as usize..(here.first + here.count) as usize;
        let missing = moves.iter().filter(|mv| !self.moves[old.clone()].contains(mv));
        let all: Vec<M> = self.moves[old.clone()].iter().chain(missing).copied().collect();
        if all.len() == old.len() {
            return true;
        }
        if !self.expand(node, kind, &all) {
            return false;
        }
        let (opened, first) = (here.opened(), self.nodes[node].first as usize);
        self.mean.copy_within(opened.clone(), first);
        self.spread.copy_within(opened.clone(), first);
        self.child.copy_within(opened, first);
        true
    }

    /// Makes a node the root and drops what it does not lead to, breadth first. Returns the new numbers of the old nodes,
    /// `u32::MAX` for those that are gone.
    pub fn subtree(&mut self, root: usize) -> Vec<u32> {
        let old = std::mem::replace(self, Self::new(self.most, self.layout));
        let mut numbers = vec![u32::MAX; old.nodes.len()];
        let mut order = vec![root];
        numbers[root] = 0;
        self.nodes.push(old.nodes[root]);
        // The root must have moves to choose from even if minimax has proven it without looking at them; what its children prove will
        // be proven again.
        self.nodes[ROOT].proof = Proof::Unknown;
        let mut next = 0;
        while let Some(&from) = order.get(next) {
            let node = old.nodes[from];
            let edges = node.first as usize..(node.first + node.count) as usize;
            if node.count > 0 && !self.expand(next, node.kind, &old.moves[edges.clone()]) {
                let Node { sum, visits, proof, .. } = node;
                self.nodes[next] = Node { sum, visits, proof, ..Node::NEW };
            } else if node.count > 0 {
                let first = self.nodes[next].first as usize;
                if self.layout.scores {
                    self.score[first..first + edges.len()].copy_from_slice(&old.score[edges.clone()]);
                }
                for (edge, before) in (first..).zip(node.opened()) {
                    self.mean[edge] = old.mean[before];
                    self.spread[edge] = old.spread[before];
                    if self.layout.shared {
                        self.through[edge] = old.through[before];
                    }
                    let child = old.child[before] as usize;
                    if numbers[child] == u32::MAX {
                        numbers[child] = self.nodes.len() as u32;
                        self.nodes.push(old.nodes[child]);
                        order.push(child);
                    }
                    self.child[edge] = numbers[child];
                }
            }
            next += 1;
        }
        numbers
    }

    /// Marks a node as the end of the game. Without a proof, what it counts is for the evaluator to say.
    pub fn finish(&mut self, node: usize, proof: Proof) {
        self.nodes[node].kind = Kind::Over;
        self.nodes[node].proof = proof;
    }

    /// The edge of a move, opened if need be; `None` if the node has none for it.
    pub fn edge_of(&mut self, node: usize, mv: M) -> Option<usize>
    where
        M: Eq,
    {
        let Node { first, count, open, .. } = self.nodes[node];
        let edges = &self.moves[first as usize..(first + count) as usize];
        let index = edges.iter().position(|&other| other == mv)? as u32;
        if index < open {
            return Some((first + index) as usize);
        }
        let edge = self.place(node, index);
        self.open(node, edge).map(|_| edge)
    }

    /// Has a move been tried at a node?
    pub fn has_tried(&self, node: usize, mv: M) -> bool
    where
        M: Eq,
    {
        self.moves[self.nodes[node].opened()].contains(&mv)
    }

    /// The visits of an edge that has been visited.
    pub fn visits(&self, edge: usize) -> u32 {
        if self.layout.shared { self.through[edge] } else { self.behind(edge).visits }
    }

    /// The node behind an edge.
    #[inline]
    pub fn behind(&self, edge: usize) -> &Node {
        &self.nodes[self.child[edge] as usize]
    }
}

/// The kind of a node where a player or chance acts; `Err` when the game is over.
#[inline]
pub(crate) fn kind(turn: Turn) -> Result<Kind, Outcome> {
    match turn {
        Turn::Player(player) => Ok(player.into()),
        Turn::Chance => Ok(Kind::Chance),
        Turn::Over(outcome) => Err(outcome),
    }
}
