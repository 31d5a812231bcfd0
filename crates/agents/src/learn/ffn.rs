//! The network of the Clobber thesis (2017), which learns from random games: after each, every position of it is learnt once, in
//! order, towards the result, at a rate that grows from position to position, as the last ones say most about who wins.

use plyground_core::{
    Agent, AgentError, Choice, Encodable, Encoder, Fact, InputError, KeyInfo, Params, Player, Scratch, SearchRequest, Seed, Turn,
    Viewpoint, encoder,
};
use plyground_nets::{Shape, weights};

use super::perceptron::Perceptron;
use super::{Learner, LearnerObserver, Learnt, TrainingProgress, read_training, write_training};
use crate::AgentInfo;
use crate::net::{NetAlone, NetEvaluator, header, network_for};

pub(crate) const INFO: AgentInfo = AgentInfo {
    name: "ffn",
    summary: "a network with one hidden layer that learns from random games, as in the Clobber thesis; it plays as net:net=FILE",
    keys: &[
        KeyInfo { key: "episodes", value: "N", default: "100000", meaning: "training games" },
        KeyInfo { key: "hidden", value: "N", default: "20", meaning: "hidden nodes" },
        KeyInfo { key: "alpha", value: "A", default: "0.02", meaning: "learning rate of the first position of a game" },
        KeyInfo { key: "growth", value: "G", default: "0.1", meaning: "the rate grows by this share from position to position" },
        KeyInfo { key: "beta", value: "B", default: "2", meaning: "steepness of the logistic function 1 / (1 + exp(-B x))" },
        KeyInfo {
            key: "lost",
            value: "-1|0",
            default: "-1",
            meaning: "what the output should be for a lost position: -1 as in the thesis, or 0, which it can be",
        },
        KeyInfo {
            key: "play",
            value: "random|own|first|second",
            default: "random",
            meaning: "how training games are played: all moves at random, or those of the sides in turn, of the first or of the \
                      second player as the network likes best",
        },
        KeyInfo { key: "encoder", value: "NAME", default: "thesis or general", meaning: "how it sees the game" },
        KeyInfo { key: "seed", value: "N", default: "0", meaning: "of the training games and of the weights at the start" },
    ],
    evaluates: false,
};

/// Who plays the training games.
const PLAYS: &[&str] = &["random", "own", "first", "second"];

/// Positions between two looks at the clock: about a millisecond.
const LOOK_EVERY: u64 = 1_000;

pub(crate) fn learner<G: Encodable>(game: &G, params: &Params) -> Result<FeedForward<G>, InputError> {
    let thesis = "thesis";
    let usual = if game.encoder(thesis).is_some() { thesis } else { "general" };
    let name = params.get("encoder").unwrap_or(usual);
    let known = ["general", "mover"].into_iter().chain(G::encoders().iter().map(|info| info.name));
    let eyes = encoder(game, name).ok_or_else(|| InputError::unknown(&format!("encoding of {}", game.spec()), name, known))?;
    let [ranks, files] = eyes.board();
    let input = Shape { planes: eyes.planes().len(), ranks, files };
    let hidden = params.number("hidden", 1..=1_000)?.unwrap_or(20);
    let steepness = params.number("beta", 0.001..=100.0)?.unwrap_or(2.0);
    let seed = params.number("seed", 0..=u64::MAX)?.unwrap_or(0);
    let settings = Settings {
        alpha: params.number("alpha", 0.0..=10.0)?.unwrap_or(0.02),
        growth: params.number("growth", 0.0..=1.0)?.unwrap_or(0.1),
        lost: [-1.0, 0.0][params.choice("lost", &["-1", "0"])?],
        seats: [&[][..], &Player::BOTH, &[Player::First], &[Player::Second]][params.choice("play", PLAYS)?],
    };
    let Settings { alpha, growth, lost, .. } = settings;
    let play = PLAYS[params.choice("play", PLAYS)?];
    Ok(FeedForward {
        command: format!(
            "ply train {} --agent ffn:hidden={hidden},alpha={alpha},growth={growth},beta={steepness},lost={lost},play={play},encoder={name},seed={seed}",
            game.spec()
        ),
        episodes: params.number("episodes", 0..=1_000_000_000_000)?.unwrap_or(100_000),
        settings,
        seed: Seed(seed).named("ffn"),
        perceptron: Perceptron::new(input, hidden, steepness, &mut Seed(seed).named("ffn").named("weights").rng()),
        name: name.to_owned(),
        encoder: eyes,
        games: 0,
        positions: 0,
        player: None,
    })
}

#[derive(Clone, Copy, Debug)]
struct Settings {
    alpha: f32,
    growth: f32,
    lost: f32,
    /// The sides that the network plays, in turn.
    seats: &'static [Player],
}

/// The network of the Clobber thesis, in training.
pub struct FeedForward<G: Encodable> {
    /// The command that trains it, but for the number of games.
    command: String,
    episodes: u64,
    settings: Settings,
    seed: Seed,
    perceptron: Perceptron,
    /// The name of the encoder.
    name: String,
    encoder: Box<dyn Encoder<G>>,
    games: u64,
    positions: u64,
    /// Plays by what was learnt so far.
    player: Option<NetAlone<G>>,
}

impl<G: Encodable> FeedForward<G> {
    /// Plays a game and keeps its positions as they are encoded, with whose view they are in. Gives the result for the first player,
    /// and how many positions there were.
    fn play(&mut self, game: &G, scratch: &mut Scratch<G::Move>, seen: &mut Vec<(f32, Vec<f32>)>) -> (f32, usize) {
        // Each game has its own numbers: where training was interrupted makes no difference.
        let mut rng = self.seed.numbered(self.games).rng();
        let mut state = game.start();
        let mut count = 0;
        let mut see = |encoder: &dyn Encoder<G>, state: &G::State, sign: f32| {
            if seen.len() == count {
                seen.push((0.0, Vec::new()));
            }
            seen[count].0 = sign;
            encoder.encode(game, state, &mut seen[count].1);
            count += 1;
        };
        let seat = self.settings.seats.iter().cycle().nth(self.games as usize % 2).copied();
        let first = self.encoder.viewpoint() == Viewpoint::First;
        loop {
            let mv = match game.turn(&state) {
                Turn::Over(outcome) => {
                    // At the end of the game there is no player to move, and so no view of that player.
                    if first {
                        see(&*self.encoder, &state, 1.0);
                    }
                    return (outcome.value(), count);
                }
                Turn::Chance => game.random_outcome(&state, &mut rng, scratch),
                Turn::Player(mover) => {
                    see(&*self.encoder, &state, if first { Player::First.sign() } else { mover.sign() });
                    if seat == Some(mover) {
                        self.liked(game, &state, mover)
                    } else {
                        game.random_move(&state, &mut rng, scratch)
                    }
                }
            };
            game.play(&mut state, mv);
        }
    }

    /// The move after which the network likes the position best.
    fn liked(&mut self, game: &G, state: &G::State, mover: Player) -> G::Move {
        let (mut moves, mut numbers) = (Vec::new(), Vec::new());
        game.moves(state, &mut moves);
        let (mut best, mut highest) = (moves[0], f32::NEG_INFINITY);
        for mv in moves {
            let mut after = state.clone();
            game.play(&mut after, mv);
            // For the first player, from -1 to 1. Before chance has spoken the network has no opinion.
            let value = match (game.turn(&after), self.encoder.viewpoint()) {
                (Turn::Chance, _) => 0.0,
                (Turn::Over(outcome), Viewpoint::Mover) => outcome.value(),
                (turn, viewpoint) => {
                    self.encoder.encode(game, &after, &mut numbers);
                    let said = 2.0 * self.perceptron.say(&numbers) - 1.0;
                    if (turn, viewpoint) == (Turn::Player(Player::Second), Viewpoint::Mover) { -said } else { said }
                }
            };
            if value * mover.sign() > highest {
                (best, highest) = (mv, value * mover.sign());
            }
        }
        best
    }

    /// What the output should be: 1 for a win, the target of a loss for a loss, the middle for a draw.
    fn target(&self, result: f32) -> f32 {
        let lost = self.settings.lost;
        lost + (1.0 - lost) * 0.5 * (1.0 + result)
    }
}

impl<G: Encodable> Agent<G> for FeedForward<G> {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        if self.player.is_none() {
            let network = self.perceptron.network().expect("what was learnt are finite numbers");
            let net = NetEvaluator::new(request.game, &self.name, &network, 1).expect("the encoder is there");
            self.player = Some(NetAlone::by_value(net));
        }
        self.player.as_mut().expect("it was made a moment ago").choose(request)
    }
}

impl<G: Encodable> Learner<G> for FeedForward<G> {
    fn episodes(&self) -> u64 {
        self.episodes
    }

    fn train(&mut self, game: &G, games: u64, observer: &mut LearnerObserver<'_>) {
        self.player = None;
        let (mut scratch, mut seen, mut effort) = (Scratch::default(), Vec::new(), 0);
        for played in 0..games {
            if effort >= LOOK_EVERY {
                effort = 0;
                if observer(TrainingProgress { games: played, positions: self.positions }).is_break() {
                    return;
                }
            }
            let (result, count) = self.play(game, &mut scratch, &mut seen);
            let mut rate = self.settings.alpha;
            for (sign, numbers) in &seen[..count] {
                self.perceptron.learn(numbers, self.target(sign * result), rate);
                rate *= 1.0 + self.settings.growth;
            }
            self.games += 1;
            self.positions += count as u64;
            effort += count as u64;
        }
    }

    fn learnt(&self) -> Learnt {
        Learnt {
            games: self.games,
            positions: self.positions,
            facts: vec![Fact { name: "training games", value: self.games as f64 }],
            notes: Vec::new(),
        }
    }

    fn save(&self, game: &G) -> Vec<u8> {
        let network = self.perceptron.network().expect("what was learnt are finite numbers");
        let training = write_training(&self.command, self.games, self.positions);
        let header = weights::Header { training, ..header(game, &self.name, &network) };
        weights::write(&header, &network).expect("a small network is a small file")
    }

    fn load(&mut self, game: &G, name: &str, file: &[u8]) -> Result<(), InputError> {
        let (header, network) = network_for(game, name, file)?;
        let counts = read_training(&self.command, &header, name)?;
        let strange = || InputError::malformed("network", name, "it has another shape than its training says");
        self.perceptron = Perceptron::from_network(&network).ok_or_else(strange)?;
        (self.games, self.positions) = counts;
        self.player = None;
        Ok(())
    }

    fn player(&self, file: &str) -> String {
        format!("net:net={file}")
    }
}
