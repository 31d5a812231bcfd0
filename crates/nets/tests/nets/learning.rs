//! Something is learnt: the exact value and the best moves of every position of Tic-Tac-Toe.

use std::collections::HashMap;

use plyground_core::{Encoder, Game, GeneralEncoder, PlayableGame, Player, Seed, Turn, Visitor};
use plyground_nets::{Architecture, Batch, Learning, Network, Predictor, Shape, Size, Trainer};

use crate::gradients::Sample;

/// All positions in which a player is to move, with their value in the first player's view and their best moves.
struct Solved;

impl Visitor for Solved {
    type Output = (Shape, usize, Vec<Sample>);

    fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Self::Output {
        let encoder = GeneralEncoder::new(&game);
        let [ranks, files] = Encoder::<G>::board(&encoder);
        let shape = Shape { planes: Encoder::<G>::planes(&encoder).len(), ranks, files };
        let mut walk = Walk { game, encoder, known: HashMap::new(), samples: Vec::new() };
        walk.solve(&state);
        (shape, Encoder::<G>::moves(&walk.encoder) / shape.squares(), walk.samples)
    }
}

struct Walk<G: Game> {
    game: G,
    encoder: GeneralEncoder,
    known: HashMap<u64, f32>,
    samples: Vec<Sample>,
}

impl<G: Game> Walk<G> {
    fn solve(&mut self, state: &G::State) -> f32 {
        let player = match self.game.turn(state) {
            Turn::Player(player) => player,
            Turn::Chance => unreachable!("nothing is left to chance"),
            Turn::Over(outcome) => {
                return outcome.winner.map_or(0.0, |winner| if winner == Player::First { 1.0 } else { -1.0 });
            }
        };
        let hash = self.game.hash(state);
        if let Some(&value) = self.known.get(&hash) {
            return value;
        }
        let mut moves = Vec::new();
        self.game.moves(state, &mut moves);
        let children = moves.iter().map(|&mv| {
            let mut child = state.clone();
            self.game.play(&mut child, mv);
            child
        });
        let children: Vec<G::State> = children.collect();
        let values: Vec<f32> = children.iter().map(|child| self.solve(child)).collect();
        let sign = if player == Player::First { 1.0 } else { -1.0 };
        let value = sign * values.iter().map(|value| sign * value).fold(f32::NEG_INFINITY, f32::max);
        let best = values.iter().filter(|&&other| other == value).count() as f32;
        let probabilities = values.iter().map(|&other| if other == value { 1.0 / best } else { 0.0 }).collect();
        let indices = moves.iter().map(|&mv| self.encoder.move_index(&self.game, state, mv).unwrap()).collect();
        let mut planes = Vec::new();
        self.encoder.encode(&self.game, state, &mut planes);
        self.samples.push(Sample { planes, moves: indices, probabilities, value: Some(value) });
        self.known.insert(hash, value);
        value
    }
}

#[test]
fn tic_tac_toe_is_learnt() {
    let (input, move_planes, samples) = plyground_games::open("tictactoe", None, Solved).unwrap();
    assert_eq!(samples.len(), 4_520, "all positions that can come up and are not over");
    let architecture = Architecture::policy_value(input, move_planes, Size { channels: 32, blocks: 2 });
    let learning = Learning { rate: 3e-3, ..Learning::default() };
    let mut trainer = Trainer::new(Network::new(architecture.clone(), Seed(1)).unwrap(), learning, 2);
    let mut rng = Seed(2).rng();
    let mut order: Vec<usize> = (0..samples.len()).collect();
    let mut batch = Batch::new(&architecture);
    for epoch in 0..25 {
        trainer.learning.rate = 3e-3 * (1.0 - epoch as f32 / 25.0);
        rng.shuffle(&mut order);
        for part in order.chunks(64) {
            batch.clear();
            for sample in part.iter().map(|&index| &samples[index]) {
                batch.push(&sample.planes, &sample.moves, &sample.probabilities, sample.value).unwrap();
            }
            trainer.step(&batch).unwrap();
        }
    }
    let mut predictor = Predictor::new(trainer.network());
    let (mut error, mut good) = (0.0, 0);
    for sample in &samples {
        let mut logits = vec![0.0; sample.moves.len()];
        let value = predictor.evaluate(&sample.planes, &sample.moves, &mut logits).unwrap();
        error += (value - sample.value.unwrap()).powi(2);
        let first = logits.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0;
        good += usize::from(sample.probabilities[first] > 0.0);
    }
    let error = error / samples.len() as f32;
    assert!(error < 0.01, "the mean squared error of the value is {error}");
    assert!(good * 1_000 >= samples.len() * 998, "the best move was chosen in {good} of {} positions", samples.len());
}
