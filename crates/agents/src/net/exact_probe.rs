//! Short probes of the exact solver of a game at new positions of a search.

use std::ops::ControlFlow;

use plyground_core::{ExactSolver, GameValue, PlayableGame, StopCheck};

/// The most moves of a position that is asked about, at the beginning.
const FEW_MOVES: f32 = 16.0;
/// How far that number goes up when a position close to it was known, and down when it was not: it comes to rest where one in two is.
const STEP: f32 = 0.125;
/// Positions with so many moves fewer are not close to it.
const CLOSE: f32 = 4.0;

/// A probe of the exact solver, limited to positions that it is likely to solve at once.
pub struct ExactProbe<G: PlayableGame> {
    solver: Box<dyn ExactSolver<G>>,
    /// The most moves of a position that is probed.
    most_moves: f32,
}

impl<G: PlayableGame> ExactProbe<G> {
    /// With so many bytes for what it finds out; `None` if the game has no solver of its own that answers in a moment.
    pub fn new(game: &G, memory: usize) -> Option<Self> {
        let solver = game.exact_solver(memory, None).ok().flatten().filter(|solver| solver.answers_in_a_moment())?;
        Some(Self { solver, most_moves: FEW_MOVES })
    }

    /// The value of a position with so many moves for the player to move, if it is found with few nodes.
    pub fn ask(&mut self, game: &G, state: &G::State, moves: usize) -> Option<GameValue> {
        let below = self.most_moves - moves as f32;
        if below < 0.0 {
            return None;
        }
        let value = self.solver.value(game, state, &mut Moment);
        if below < CLOSE {
            self.most_moves = (self.most_moves + if value.is_some() { STEP } else { -STEP }).max(1.0);
        }
        value
    }
}

/// Ends the search at the first check: with the solver of Clobber, that takes as long as some evaluations of a small network.
struct Moment;

impl StopCheck for Moment {
    fn check(&mut self, _: u64) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}
