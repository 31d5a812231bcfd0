//! Progress: what it costs to bring a piece back to where it just came from.

use std::collections::VecDeque;

use plyground_core::{Evaluated, Piece, Square};

/// The last moves of an agent in the game that it plays.
#[derive(Clone, Debug, Default)]
pub(super) struct LastMoves(VecDeque<(Option<Piece>, Option<Square>)>);

impl LastMoves {
    /// The number of moves that are remembered.
    const KEPT: usize = 4;

    /// What a move costs, as a share of the penalty: all of it where it takes back the last one, half of it where its piece has left the
    /// square a few moves before. A move that captures or the like is progress, wherever it goes.
    pub fn cost<G: Evaluated>(&self, game: &G, state: &G::State, mv: G::Move) -> f32 {
        let moved = game.move_squares(state, mv);
        let (Some(from), Some(to)) = (moved.from, moved.to) else { return 0.0 };
        if game.is_noisy(state, mv) {
            return 0.0;
        }
        let piece = game.view(state).piece(from);
        match self.0.iter().position(|left| *left == (piece, Some(to))) {
            None => 0.0,
            Some(0) => 1.0,
            Some(_) => 0.5,
        }
    }

    /// A move was chosen.
    pub fn add<G: Evaluated>(&mut self, game: &G, state: &G::State, mv: G::Move) {
        let from = game.move_squares(state, mv).from;
        self.0.push_front((from.and_then(|from| game.view(state).piece(from)), from));
        self.0.truncate(Self::KEPT);
    }
}
