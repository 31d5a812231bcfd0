//! Our games in the terms of the crate `minimax` 0.6, so that it can be measured on the same rules, evaluators and keys.

use std::marker::PhantomData;

use minimax::Winner;
use plyground_core::{Evaluator, PlayableGame, Player, Turn, hash_state};

/// One of our games. The peer's rules have no parameters, so each position brings them along. Only for games in which the players take
/// turns one by one and nothing is left to chance.
pub struct Ours<G>(PhantomData<G>);

/// A position of one of our games.
pub struct Position<G: PlayableGame> {
    game: &'static G,
    state: G::State,
    /// Who made the last move: the peer wants winners named that way.
    last_mover: Player,
}

impl<G: PlayableGame> Position<G> {
    /// The position in which a game starts, with the first player to move.
    pub fn start(game: &'static G) -> Self {
        Self { game, state: game.start(), last_mover: Player::Second }
    }
}

impl<G: PlayableGame> Clone for Position<G> {
    #[inline]
    fn clone(&self) -> Self {
        Self { game: self.game, state: self.state.clone(), last_mover: self.last_mover }
    }
}

/// The peer keeps counts of moves in a table of this size.
const MOVES: u16 = 1 << 12;

impl<G: PlayableGame> minimax::Game for Ours<G> {
    type S = Position<G>;
    type M = G::Move;

    #[inline]
    fn generate_moves(position: &Position<G>, moves: &mut Vec<G::Move>) -> Option<Winner> {
        let winner = Self::get_winner(position);
        if winner.is_none() {
            position.game.moves(&position.state, moves);
        }
        winner
    }

    #[inline]
    fn apply(position: &mut Position<G>, mv: G::Move) -> Option<Position<G>> {
        let mut after = position.clone();
        after.game.play(&mut after.state, mv);
        after.last_mover = after.last_mover.other();
        Some(after)
    }

    #[inline]
    fn get_winner(position: &Position<G>) -> Option<Winner> {
        let Turn::Over(outcome) = position.game.turn(&position.state) else { return None };
        Some(match outcome.winner {
            None => Winner::Draw,
            Some(winner) if winner == position.last_mover => Winner::PlayerJustMoved,
            Some(_) => Winner::PlayerToMove,
        })
    }

    #[inline]
    fn zobrist_hash(position: &Position<G>) -> u64 {
        position.game.hash(&position.state)
    }

    /// Any move: the peer fills its table of countermoves with it, and passes only where that is switched on.
    fn null_move(position: &Position<G>) -> Option<G::Move> {
        let mut moves = Vec::new();
        position.game.moves(&position.state, &mut moves);
        moves.first().copied()
    }

    #[inline]
    fn table_index(mv: G::Move) -> u16 {
        hash_state(&mv) as u16 % MOVES
    }

    fn max_table_index() -> u16 {
        MOVES - 1
    }
}

/// One of our evaluators, for the player to move. Its scores have to be whole numbers: the peer has no others.
pub struct OurEvaluator<G: PlayableGame>(pub G::Evaluator);

impl<G: PlayableGame> minimax::Evaluator for OurEvaluator<G> {
    type G = Ours<G>;

    #[inline]
    fn evaluate(&self, position: &Position<G>) -> minimax::Evaluation {
        let score = self.0.score(position.game, &position.state);
        (score * position.last_mover.other().sign()) as minimax::Evaluation
    }
}
