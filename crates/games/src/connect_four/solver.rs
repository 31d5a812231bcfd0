//! The exact solver of Connect Four.

use std::ops::ControlFlow;

use plyground_core::{ExactSolver, GameValue, Square, StopCheck};

use super::search::{Discs, Search};
use super::{ConnectFour, State};
use crate::bits::Bits;

/// Lines of four on any board that the game has.
pub struct FourSolver(Search);

impl FourSolver {
    /// With a table of at most so many bytes.
    pub fn new(game: &ConnectFour, memory: usize) -> Self {
        Self(Search::new(game.grid.files.into(), game.grid.ranks.into(), memory))
    }
}

const VALUES: [GameValue; 3] = [GameValue::Loss, GameValue::Draw, GameValue::Win];

/// The discs file by file.
fn discs(game: &ConnectFour, state: &State) -> Discs {
    let stride = u32::from(game.grid.ranks) + 1;
    let upright = |set: u64| {
        let places = set.squares().map(|index| game.grid.square(index));
        places.fold(0, |set, Square { file, rank }| set | 1 << (u32::from(file) * stride + u32::from(rank)))
    };
    let [mine, theirs] = [state.side, state.side.other()].map(|player| upright(state.discs[player.index()]));
    Discs { mine, all: mine | theirs }
}

impl ExactSolver<ConnectFour> for FourSolver {
    fn value(&mut self, game: &ConnectFour, state: &State, stop_check: &mut dyn StopCheck) -> Option<GameValue> {
        let mut stop = |nodes| matches!(stop_check.check(nodes), ControlFlow::Break(()));
        let value = self.0.value(discs(game, state), &mut stop).ok()?;
        Some(VALUES[usize::from(value)])
    }

    fn recall(&mut self, game: &ConnectFour, state: &State) -> Option<GameValue> {
        let [least, most] = self.0.recall(discs(game, state));
        (least == most).then_some(VALUES[usize::from(least)])
    }

    fn nodes(&self) -> u64 {
        self.0.nodes
    }
}
