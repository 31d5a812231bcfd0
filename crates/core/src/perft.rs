//! Counting the sequences of moves of a given length: the standard check of a move generator.

use crate::{Game, Turn, usual_outcome};

/// The number of sequences of `depth` player moves from here. At a chance event only the likeliest outcome is followed, so that the
/// count is that of the deterministic part of the rules.
pub fn perft<G: Game>(game: &G, state: &G::State, depth: u32) -> u64 {
    let mut buffers: Vec<Vec<G::Move>> = (0..depth).map(|_| Vec::new()).collect();
    count(game, &settled(game, state.clone()), &mut buffers)
}

/// [`perft`] of each legal move, in the order of the moves.
pub fn divide<G: Game>(game: &G, state: &G::State, depth: u32) -> Vec<(G::Move, u64)> {
    let state = settled(game, state.clone());
    let mut moves = Vec::new();
    game.moves(&state, &mut moves);
    moves.sort_unstable();
    moves
        .into_iter()
        .map(|mv| {
            let mut child = state.clone();
            game.play(&mut child, mv);
            (mv, perft(game, &child, depth.saturating_sub(1)))
        })
        .collect()
}

fn count<G: Game>(game: &G, state: &G::State, buffers: &mut [Vec<G::Move>]) -> u64 {
    let Some((moves, deeper)) = buffers.split_first_mut() else {
        return 1;
    };
    game.moves(state, moves);
    if deeper.is_empty() {
        return moves.len() as u64;
    }
    moves
        .iter()
        .map(|&mv| {
            let mut child = state.clone();
            game.play(&mut child, mv);
            count(game, &settled(game, child), deeper)
        })
        .sum()
}

/// The position after all chance events that are due have taken their likeliest outcome.
fn settled<G: Game>(game: &G, mut state: G::State) -> G::State {
    while game.turn(&state) == Turn::Chance {
        let outcome = usual_outcome(game, &state);
        game.play(&mut state, outcome);
    }
    state
}
