//! Lookup of known values: the transposition table, and a tablebase from a file.

use plyground_core::Solvable;

use super::{
    table::{Bounds, Table},
    tablebase::Tablebase,
};

/// Plies from the root within which positions are told apart only up to symmetry. Further down, mirrored positions hardly meet.
const NEAR_ROOT: usize = 6;

pub(crate) struct Lookup {
    pub table: Table,
    pub tablebase: Option<Tablebase>,
}

/// One key for all positions that are the same up to symmetry.
pub(crate) fn symmetric_key<G: Solvable>(game: &G, state: &G::State) -> u128 {
    let seen = (1..game.symmetries()).map(|symmetry| game.value_key(&game.symmetric_state(state, symmetry)));
    seen.fold(game.value_key(state), u128::min)
}

/// The key of a position so many plies from the root.
#[inline]
pub(crate) fn key_at<G: Solvable>(game: &G, state: &G::State, ply: usize) -> u128 {
    if ply <= NEAR_ROOT { symmetric_key(game, state) } else { game.value_key(state) }
}

impl Lookup {
    #[inline]
    pub fn probe(&self, key: u128, ply: usize) -> Bounds {
        let bounds = self.table.probe(key);
        match &self.tablebase {
            // The keys of a tablebase are those of the positions near the root.
            Some(tablebase) if ply <= NEAR_ROOT => match tablebase.find(key) {
                Some((value, _)) => Bounds::exactly(value),
                None => bounds,
            },
            _ => bounds,
        }
    }

    #[inline]
    pub fn store(&mut self, key: u128, bounds: Bounds, nodes: u64) {
        self.table.store(key, bounds, nodes);
    }
}
