//! What the policy gradient methods share: the network, its file, and games against itself in which moves are drawn from its policy.

use plyground_core::{
    Agent as _, AgentError, Choice, Encodable, Encoder, Fact, InputError, Params, Player, Rng, Scratch, SearchRequest, Seed,
    Turn, Viewpoint,
};
use plyground_nets::{Architecture, Batch, Layer, Learning, NetError, Network, Rule, Shape, Trainer, softmax, weights};

use super::{Learnt, chosen_encoder, read_training, write_training};
use crate::net::{NetAlone, NetEvaluator, header, network_for};

/// Games without progress are ended as a draw.
const LONGEST: usize = 1_000;

/// A method, with the values of its keys where none are given.
pub(super) struct PolicyMethod {
    pub agent: &'static str,
    pub rate: f32,
    pub entropy: f32,
}

/// A network that learns by policy gradient, and where it is in its training.
pub(super) struct PolicyTraining<G: Encodable> {
    /// The command that trains it, but for the number of games.
    command: String,
    pub episodes: u64,
    pub seed: Seed,
    /// The weight of surprise.
    pub entropy: f32,
    pub trainer: Trainer,
    /// The same network, to be asked.
    pub net: NetEvaluator<G>,
    /// The name of the encoder.
    encoder: String,
    pub games: u64,
    pub positions: u64,
}

impl<G: Encodable> PolicyTraining<G> {
    /// A network that knows nothing; `own` are the keys that only this method has, with their values.
    pub fn new(game: &G, params: &Params, method: &PolicyMethod, own: &str) -> Result<Self, InputError> {
        let (name, encoder) = chosen_encoder(game, params, game.default_encoder())?;
        let hidden = params.number("hidden", 1..=10_000)?.unwrap_or(64);
        let rate = params.number("rate", 0.0..=10.0)?.unwrap_or(method.rate);
        let entropy = params.number("entropy", 0.0..=10.0)?.unwrap_or(method.entropy);
        let number = params.number("seed", 0..=u64::MAX)?.unwrap_or(0);
        let seed = Seed(number).named(method.agent);
        let too_large = |error: NetError| InputError::malformed("game", &game.spec(), error.to_string());
        let network = Network::new(architecture(&*encoder, hidden), seed.named("weights")).map_err(too_large)?;
        // Straight along the gradient, so that the network is all there is to keep.
        let learning = Learning { rate, rule: Rule::Descent, policy_weight: 1.0, value_weight: 0.5, ..Learning::default() };
        Ok(Self {
            command: format!(
                "ply train {} --agent {}:hidden={hidden},rate={rate},{own},entropy={entropy},encoder={name},seed={number}",
                game.spec(),
                method.agent
            ),
            episodes: params.number("episodes", 0..=1_000_000_000_000)?.unwrap_or(100_000),
            seed,
            entropy,
            net: NetEvaluator::new(game, name, &network, 1).expect("the encoder was there a moment ago"),
            trainer: Trainer::new(network, learning, 1),
            encoder: name.to_owned(),
            games: 0,
            positions: 0,
        })
    }

    /// An empty batch for the network.
    pub fn batch(&self) -> Batch {
        Batch::new(self.trainer.network().architecture())
    }

    /// Adds a decision of a game with this result to a batch, with what it counts.
    pub fn push(&self, batch: &mut Batch, decision: &Decision, result: f32, weight: f32) {
        let Decision { mover, planes, indices, chosen, .. } = decision;
        let mut target = vec![0.0; indices.len()];
        target[*chosen] = 1.0;
        let by_mover = self.net.encoder().viewpoint() == Viewpoint::Mover;
        let filled = batch.push_result(planes, indices, &target, if by_mover { result * mover.sign() } else { result });
        filled.and_then(|()| batch.weigh_last(weight)).expect("the network was made for the encoder");
    }

    /// A move drawn from the policy.
    pub fn choose(&self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        NetAlone::by_policy(self.net.clone()).choose(request)
    }

    pub fn learnt(&self) -> Learnt {
        Learnt {
            games: self.games,
            positions: self.positions,
            facts: vec![Fact { name: "training games", value: self.games as f64 }],
            notes: Vec::new(),
        }
    }

    pub fn save(&self, game: &G) -> Vec<u8> {
        let network = self.trainer.network();
        let training = write_training(&self.command, self.games, self.positions);
        let header = weights::Header { training, ..header(game, &self.encoder, network) };
        weights::write(&header, network).expect("a small network is a small file")
    }

    pub fn load(&mut self, game: &G, name: &str, file: &[u8]) -> Result<(), InputError> {
        let (header, network) = network_for(game, name, file)?;
        (self.games, self.positions) = read_training(&self.command, &header, name)?;
        self.net = self.net.with_network(&network);
        self.trainer = Trainer::new(network, self.trainer.learning, 1);
        Ok(())
    }
}

/// The spec of the agent that plays by the file of such a network.
pub(super) fn player(file: &str) -> String {
    format!("net:net={file},by=policy")
}

/// One hidden layer that sees the whole board, with a logit for every move and an expected result.
fn architecture<G: Encodable>(encoder: &dyn Encoder<G>, hidden: usize) -> Architecture {
    let [ranks, files] = encoder.board();
    Architecture {
        input: Shape { planes: encoder.planes().len(), ranks, files },
        trunk: vec![Layer::Dense(hidden), Layer::Relu],
        policy: Some(vec![Layer::Dense(encoder.moves())]),
        value: Some(vec![Layer::Dense(1), Layer::Tanh]),
    }
}

/// A position of a game with the move that was drawn.
pub(super) struct Decision {
    pub mover: Player,
    pub planes: Vec<f32>,
    pub indices: Vec<usize>,
    pub chosen: usize,
    /// The probability of the move.
    pub share: f32,
    /// The result that the mover expected.
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
                let encoder = net.encoder();
                // What the encoder was not made for cannot be learnt either.
                let known = |mv: &G::Move| encoder.move_index(game, &state, *mv).is_some();
                if moves.iter().any(known) {
                    moves.retain(known);
                    let expected = net.judge(game, &state, &moves, &mut shares) * mover.sign();
                    softmax(&mut shares);
                    let chosen = drawn(&shares, &mut rng);
                    let share = shares[chosen].max(f32::MIN_POSITIVE);
                    let surprise = -share.ln() - entropy(&shares);
                    let mut planes = Vec::new();
                    let encoder = net.encoder();
                    encoder.encode(game, &state, &mut planes);
                    let indices = moves.iter().filter_map(|&mv| encoder.move_index(game, &state, mv)).collect();
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
