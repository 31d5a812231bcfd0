//! What the policy gradient methods share: the network, and games against itself in which moves are drawn from its policy.

use plyground_core::{Encodable, Encoder, Player, Rng, Scratch, Seed, Turn};
use plyground_nets::{Architecture, Layer, Shape, softmax};

use crate::net::NetEvaluator;

/// Games without progress are ended as a draw.
const LONGEST: usize = 1_000;

/// One hidden layer that sees the whole board, with a logit for every move and an expected result.
pub(super) fn architecture<G: Encodable>(eyes: &dyn Encoder<G>, hidden: usize) -> Architecture {
    let [ranks, files] = eyes.board();
    Architecture {
        input: Shape { planes: eyes.planes().len(), ranks, files },
        trunk: vec![Layer::Dense(hidden), Layer::Relu],
        policy: Some(vec![Layer::Dense(eyes.moves())]),
        value: Some(vec![Layer::Dense(1), Layer::Tanh]),
    }
}

/// A position of a game with the move that was drawn.
pub(super) struct Decision {
    pub mover: Player,
    pub planes: Vec<f32>,
    pub indices: Vec<usize>,
    pub chosen: usize,
    /// How likely the move was.
    pub share: f32,
    /// What the mover expected.
    pub expected: f32,
    /// How much less likely the move was than those that are drawn on the average, in nats.
    pub surprise: f32,
}

/// Plays a game against itself: its decisions, and the result in the view of the first player. Each game has a seed of its own, so
/// that it makes no difference where training was interrupted.
pub(super) fn play<G: Encodable>(game: &G, net: &mut NetEvaluator<G>, seed: Seed) -> (Vec<Decision>, f32) {
    let mut rng = seed.rng();
    let (mut state, mut scratch) = (game.start(), Scratch::default());
    let (mut decisions, mut moves, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let mv = match game.turn(&state) {
            Turn::Over(outcome) => return (decisions, outcome.value()),
            Turn::Chance => game.random_outcome(&state, &mut rng, &mut scratch),
            Turn::Player(_) if decisions.len() >= LONGEST => return (decisions, 0.0),
            Turn::Player(mover) => {
                game.moves(&state, &mut moves);
                let eyes = net.encoder();
                // What the encoder was not made for cannot be learnt either.
                let known = |mv: &G::Move| eyes.move_index(game, &state, *mv).is_some();
                if moves.iter().any(known) {
                    moves.retain(known);
                    let expected = net.judge(game, &state, &moves, &mut shares) * mover.sign();
                    softmax(&mut shares);
                    let chosen = drawn(&shares, &mut rng);
                    let share = shares[chosen].max(f32::MIN_POSITIVE);
                    let surprise = -share.ln() - entropy(&shares);
                    let mut planes = Vec::new();
                    let eyes = net.encoder();
                    eyes.encode(game, &state, &mut planes);
                    let indices = moves.iter().filter_map(|&mv| eyes.move_index(game, &state, mv)).collect();
                    decisions.push(Decision { mover, planes, indices, chosen, share, expected, surprise });
                    moves[chosen]
                } else {
                    game.random_move(&state, &mut rng, &mut scratch)
                }
            }
        };
        game.play(&mut state, mv);
    }
}

/// How undecided one is between moves of these probabilities, in nats.
fn entropy(shares: &[f32]) -> f32 {
    -shares.iter().filter(|&&share| share > 0.0).map(|share| share * share.ln()).sum::<f32>()
}

/// A number, drawn by probabilities.
fn drawn(shares: &[f32], rng: &mut Rng) -> usize {
    let mut left = rng.unit() as f32;
    let found = shares.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    found.unwrap_or(shares.len() - 1)
}
