//! Keeping the part of the tree that is still of use after both have moved.

use std::collections::VecDeque;

use plyground_core::Game;

use super::arena::{ROOT, Tree};
use super::search::Memory;

/// Positions that are compared at most before the old tree is given up.
const LOOKED_AT: usize = 50_000;

/// The node of a position in the tree of an earlier one. Nearest first, so that the usual case (two plies on) is found soon.
fn find<G: Game>(game: &G, tree: &Tree<G::Move>, root: &G::State, wanted: &G::State) -> Option<usize> {
    let mut waiting = VecDeque::from([(ROOT, root.clone())]);
    let mut left = LOOKED_AT;
    while let Some((at, state)) = waiting.pop_front() {
        if state == *wanted {
            return Some(at);
        }
        for edge in tree.nodes[at].opened() {
            left = left.checked_sub(1)?;
            let mut after = state.clone();
            game.play(&mut after, tree.moves[edge]);
            waiting.push_back((tree.child[edge] as usize, after));
        }
    }
    None
}

/// Makes the node of `state` the root and forgets what it does not lead to; everything if there is no such node. Returns the
/// visits that are kept.
pub(crate) fn reroot<G: Game>(memory: &mut Memory<G::Move>, game: &G, root: &G::State, state: &G::State) -> u32 {
    let Some(node) = find(game, &memory.tree, root, state) else {
        memory.clear();
        return 0;
    };
    let new = memory.tree.subtree(node);
    let number = |old: u32| new.get(old as usize).copied().filter(|&new| new != u32::MAX);
    memory.amaf.renumber(number);
    memory.positions.renumber(number);
    memory.tree.nodes[ROOT].visits
}
