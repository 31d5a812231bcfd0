//! Values of all moves by a search to a fixed depth, for many positions of one game.

use std::collections::HashMap;

use plyground_core::{Evaluator, Game, Turn, WIN_SCORE};

use super::SURE;

/// So many scores are kept at most; then it begins again with none.
const MOST_KEPT: usize = 4_000_000;

/// Scores moves as [`super::Minimax`] does. Agents find one best move; this gives all scores, and keeps those of the positions behind
/// them, since many positions have successors in common. For games without chance.
pub struct Lookahead<G: Game, E> {
    evaluator: E,
    /// By the plies that are still looked ahead, in the first player's view.
    known: Vec<HashMap<G::State, f32>>,
    /// The same when the other player is to move, for evaluators that ask.
    known_to_other: Vec<HashMap<G::State, f32>>,
}

impl<G: Game, E: Evaluator<G>> Lookahead<G, E> {
    /// Nothing is known yet.
    pub fn new(evaluator: E) -> Self {
        Self { evaluator, known: Vec::new(), known_to_other: Vec::new() }
    }

    /// The evaluation of a position that is not over, in the first player's view.
    pub fn judge(&self, game: &G, state: &G::State) -> f32 {
        self.evaluator.score(game, state)
    }

    /// Replaces the contents of `scores` by what each of the moves is worth to the first player after a look `depth` plies ahead, one
    /// at least. Shorter wins are better.
    pub fn score_moves(&mut self, game: &G, state: &G::State, moves: &[G::Move], depth: u32, scores: &mut Vec<f32>) {
        if self.known.iter().map(HashMap::len).sum::<usize>() > MOST_KEPT {
            self.known.clear();
        }
        if let Turn::Player(mover) = game.turn(state)
            && self.evaluator.side_with(mover)
        {
            std::mem::swap(&mut self.known, &mut self.known_to_other);
        }
        self.known.resize_with(self.known.len().max(depth as usize), HashMap::new);
        scores.clear();
        scores.extend(moves.iter().map(|&mv| self.score_move(game, state, mv, depth)));
    }

    fn score_move(&mut self, game: &G, state: &G::State, mv: G::Move, depth: u32) -> f32 {
        let mut child = state.clone();
        game.play(&mut child, mv);
        match self.score(game, &child, depth - 1) {
            sure if sure.abs() >= SURE => sure - sure.signum(),
            score => score,
        }
    }

    fn score(&mut self, game: &G, state: &G::State, depth: u32) -> f32 {
        let player = match game.turn(state) {
            Turn::Over(outcome) => return outcome.value() * WIN_SCORE,
            Turn::Chance => return self.evaluator.score(game, state),
            Turn::Player(player) => player,
        };
        if let Some(&score) = self.known[depth as usize].get(state) {
            return score;
        }
        let score = if depth == 0 {
            self.evaluator.score(game, state)
        } else {
            let mut moves = Vec::new();
            game.moves(state, &mut moves);
            let scores = moves.into_iter().map(|mv| self.score_move(game, state, mv, depth) * player.sign());
            scores.fold(f32::NEG_INFINITY, f32::max) * player.sign()
        };
        self.known[depth as usize].insert(state.clone(), score);
        score
    }
}
