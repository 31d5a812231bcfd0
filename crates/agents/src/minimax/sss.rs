//! SSS* (Stockman 1979) as it was published: a list of open positions, the most promising one first.
//!
//! An entry of the list stands for a set of strategies of the player at the root (the maximiser), and its merit bounds what they can
//! reach. The six cases of the original are the arms of [`OpenList::settle`] and [`OpenList::expand`]; which case holds is decided by
//! the player at the parent, so that games in which a player moves twice are no exception.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use plyground_core::{Evaluated, Evaluator, Player, Turn, sort_moves};

use super::search::{NodeDepth, Search, Window};

struct Node<S, M> {
    state: S,
    left: NodeDepth,
    parent: u32,
    /// Its place among its siblings.
    place: u16,
    /// Is the maximiser to move?
    is_max: bool,
    is_solved: bool,
    /// Once it is expanded.
    moves: Box<[M]>,
}

/// An entry of the list: a node whose value is at most `merit`, or equal to it when it is solved.
struct Open {
    merit: f32,
    /// The places on the way from the root: of equal merits the leftmost goes first, so that of equal root moves the first wins.
    path: Box<[u16]>,
    node: u32,
    is_solved: bool,
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Open {}
impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        self.merit.total_cmp(&other.merit).then_with(|| other.path.cmp(&self.path))
    }
}

const ROOT: u32 = 0;

pub(super) struct OpenList<S, M> {
    maximiser: Player,
    nodes: Vec<Node<S, M>>,
    open: BinaryHeap<Open>,
    /// What the nodes, their moves and the paths take; those of the past included, as nothing is given back before the end.
    bytes: usize,
    /// The place of the root move that solved the root.
    best: usize,
}

impl<S: Clone, M: Copy> OpenList<S, M> {
    /// The place of the best root move and its value in the view of the player to move; nothing when stopped, or out of memory.
    pub fn solve<G: Evaluated<State = S, Move = M>, E: Evaluator<G>>(
        search: &mut Search<'_, '_, '_, G, E>,
        state: &S,
        maximiser: Player,
        left: NodeDepth,
        moves: &[M],
    ) -> Option<(usize, f32)> {
        let root =
            Node { state: state.clone(), left, parent: ROOT, place: 0, is_max: true, is_solved: false, moves: moves.into() };
        let mut list = Self { maximiser, nodes: vec![root], open: BinaryHeap::new(), bytes: 0, best: 0 };
        for place in 0..moves.len() {
            list.add(search, ROOT, place, f32::INFINITY);
        }
        let limit = search.settings.table << 20;
        while let Some(top) = list.open.pop() {
            if top.node == ROOT {
                return Some((list.best, top.merit));
            }
            if list.is_purged(top.node) {
                continue;
            }
            if top.is_solved {
                list.settle(search, top.node, top.merit);
            } else {
                list.expand(search, top.node, top.merit);
            }
            if search.stop || list.bytes > limit {
                return None;
            }
        }
        None
    }

    /// Does it lie below a solved node? The original takes such entries off the list at once.
    fn is_purged(&self, mut node: u32) -> bool {
        while node != ROOT {
            node = self.nodes[node as usize].parent;
            if self.nodes[node as usize].is_solved {
                return true;
            }
        }
        false
    }

    /// Puts a child of a node on the list.
    fn add<G: Evaluated<State = S, Move = M>, E: Evaluator<G>>(
        &mut self,
        search: &Search<'_, '_, '_, G, E>,
        parent: u32,
        place: usize,
        merit: f32,
    ) {
        let above = &self.nodes[parent as usize];
        let (mut state, left) = (above.state.clone(), above.left.next());
        search.play(&mut state, above.moves[place]);
        let is_max = matches!(search.game.turn(&state), Turn::Player(player) if player == self.maximiser);
        let node = self.nodes.len() as u32;
        self.nodes.push(Node { state, left, parent, place: place as u16, is_max, is_solved: false, moves: Box::new([]) });
        self.bytes += size_of::<Node<S, M>>();
        self.push(node, merit, false);
    }

    fn push(&mut self, node: u32, merit: f32, is_solved: bool) {
        let mut path = Vec::new();
        let mut at = node;
        while at != ROOT {
            path.push(self.nodes[at as usize].place);
            at = self.nodes[at as usize].parent;
        }
        path.reverse();
        self.bytes += size_of::<Open>() + 2 * path.len();
        self.open.push(Open { merit, path: path.into(), node, is_solved });
    }

    /// A node is solved: so is a parent that maximises; a parent that minimises wants the next child, if there is one.
    fn settle<G: Evaluated<State = S, Move = M>, E: Evaluator<G>>(
        &mut self,
        search: &Search<'_, '_, '_, G, E>,
        node: u32,
        merit: f32,
    ) {
        let Node { parent, place, .. } = self.nodes[node as usize];
        let above = &self.nodes[parent as usize];
        let next = usize::from(place) + 1;
        if !above.is_max && next < above.moves.len() {
            return self.add(search, parent, next, merit);
        }
        self.nodes[parent as usize].is_solved = true;
        if parent == ROOT {
            self.best = usize::from(place);
        }
        self.push(parent, merit, true);
    }

    /// A node is looked at for the first time: a leaf is judged, the maximiser tries all moves, the opponent one after the other.
    fn expand<G: Evaluated<State = S, Move = M>, E: Evaluator<G>>(
        &mut self,
        search: &mut Search<'_, '_, '_, G, E>,
        node: u32,
        merit: f32,
    ) {
        let Node { ref state, left, is_max, .. } = self.nodes[node as usize];
        // Chance events are left to the search: averages are no strategies.
        if left.depth <= 0 || !matches!(search.game.turn(state), Turn::Player(_)) {
            let value = search.value(state, self.maximiser, left, Window::WHOLE);
            // Adding 0 turns -0 into 0: equal merits must compare equal.
            return self.push(node, merit.min(value) + 0.0, true);
        }
        search.count();
        let mut moves = Vec::new();
        search.game.moves(state, &mut moves);
        if search.settings.order.uses_hints() {
            let hint = |&mv: &G::Move| search.game.ordering_score(state, mv);
            sort_moves(&mut moves, |a, b| hint(b).cmp(&hint(a)));
        }
        let children = if is_max { moves.len() } else { 1 };
        self.bytes += size_of_val(moves.as_slice());
        self.nodes[node as usize].moves = moves.into();
        for place in 0..children {
            self.add(search, node, place, merit);
        }
    }
}
