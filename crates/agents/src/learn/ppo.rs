//! PPO, proximal policy optimisation (Schulman et al., 2017): as REINFORCE, but several games are learnt from several times, and a move
//! stops counting as soon as its probability has changed by more than a share.

use plyground_core::{
    Agent, AgentError, Choice, Encodable, Fact, InputError, KeyInfo, Params, SearchRequest, Seed, Viewpoint, encoder,
};
use plyground_nets::{Batch, Learning, Network, Predictor, Rule, Trainer, softmax, weights};

use super::policy::{Decision, architecture, play};
use super::{Learner, LearnerObserver, Learnt, TrainingProgress, read_training, write_training};
use crate::AgentInfo;
use crate::net::{NetAlone, NetEvaluator, header, network_for};

pub(crate) const INFO: AgentInfo = AgentInfo {
    name: "ppo",
    summary: "policy gradient with small steps (PPO): a network that learns from games against itself without any search, for small \
              boards; it plays as net:net=FILE,by=policy",
    keys: &[
        KeyInfo { key: "episodes", value: "N", default: "100000", meaning: "training games" },
        KeyInfo { key: "hidden", value: "N", default: "64", meaning: "hidden nodes" },
        KeyInfo { key: "rate", value: "R", default: "0.2", meaning: "the size of a step" },
        KeyInfo { key: "batch", value: "N", default: "16", meaning: "games that are played before they are learnt from" },
        KeyInfo { key: "passes", value: "N", default: "4", meaning: "steps that are taken with the same games" },
        KeyInfo {
            key: "clip",
            value: "C",
            default: "0.2",
            meaning: "a move counts until its probability is 1 + C times what it was, or 1 - C times",
        },
        KeyInfo {
            key: "entropy",
            value: "E",
            default: "0.1",
            meaning: "how much more a move is worth that was unlikely, so that it does not stop trying others",
        },
        KeyInfo { key: "encoder", value: "NAME", default: "the game's usual one", meaning: "how it sees the game" },
        KeyInfo { key: "seed", value: "N", default: "0", meaning: "of the training games and of the weights at the start" },
    ],
    evaluates: false,
};

pub(crate) fn learner<G: Encodable>(game: &G, params: &Params) -> Result<Ppo<G>, InputError> {
    let name = params.get("encoder").unwrap_or_else(|| game.default_encoder());
    let known = ["general", "mover"].into_iter().chain(G::encoders().iter().map(|info| info.name));
    let eyes = encoder(game, name).ok_or_else(|| InputError::unknown(&format!("encoding of {}", game.spec()), name, known))?;
    let hidden = params.number("hidden", 1..=10_000)?.unwrap_or(64);
    let rate = params.number("rate", 0.0..=10.0)?.unwrap_or(0.2);
    let batch = params.number("batch", 1..=10_000)?.unwrap_or(16);
    let passes = params.number("passes", 1..=1_000)?.unwrap_or(4);
    let clip = params.number("clip", 0.0..=1.0)?.unwrap_or(0.2);
    let entropy = params.number("entropy", 0.0..=10.0)?.unwrap_or(0.1);
    let seed = params.number("seed", 0..=u64::MAX)?.unwrap_or(0);
    let too_large = |error: plyground_nets::NetError| InputError::malformed("game", &game.spec(), error.to_string());
    let network = Network::new(architecture(&*eyes, hidden), Seed(seed).named("ppo").named("weights")).map_err(too_large)?;
    let command = format!(
        "ply train {} --agent ppo:hidden={hidden},rate={rate},batch={batch},passes={passes},clip={clip},entropy={entropy},\
         encoder={name},seed={seed}",
        game.spec()
    );
    let rule = Rule::Descent;
    let learning = Learning { rate, rule, policy_weight: 1.0, value_weight: 0.5, ..Learning::default() };
    Ok(Ppo {
        command,
        episodes: params.number("episodes", 0..=1_000_000_000_000)?.unwrap_or(100_000),
        seed: Seed(seed).named("ppo"),
        batch,
        passes,
        clip,
        entropy,
        net: NetEvaluator::new(game, name, &network, 1).expect("the encoder was there a moment ago"),
        trainer: Trainer::new(network, learning, 1),
        name: name.to_owned(),
        games: 0,
        positions: 0,
        waiting: Vec::new(),
    })
}

/// A network that learns by policy gradient in small steps.
pub struct Ppo<G: Encodable> {
    /// The command that trains it, but for the number of games.
    command: String,
    episodes: u64,
    seed: Seed,
    /// Games of a batch.
    batch: u64,
    passes: u32,
    clip: f32,
    /// The weight of surprise.
    entropy: f32,
    trainer: Trainer,
    /// The same network, to be asked.
    net: NetEvaluator<G>,
    /// The name of the encoder.
    name: String,
    games: u64,
    positions: u64,
    /// The games of the batch that is not full, with their results.
    waiting: Vec<(Vec<Decision>, f32)>,
}

impl<G: Encodable> Ppo<G> {
    /// Plays the games of the batch again that are known by their number only, as in a file. The network has not changed since they were
    /// played, and so they are the same.
    fn catch_up(&mut self, game: &G) {
        let first = self.games - self.games % self.batch;
        for number in first + self.waiting.len() as u64..self.games {
            let played = play(game, &mut self.net, self.seed.numbered(number));
            self.waiting.push(played);
        }
    }

    fn learn(&mut self) {
        for _ in 0..self.passes {
            let batch = self.batch_by(self.trainer.network());
            // A step that leads nowhere is not taken, and the next games may be better ones.
            if batch.is_empty() || self.trainer.step(&batch).is_err() {
                break;
            }
        }
        self.net = self.net.with_network(self.trainer.network());
        self.waiting.clear();
    }

    /// All decisions, each with the weight that the clipped objective gives it where the network is now: its slope by the logarithm
    /// of the probability.
    fn batch_by(&self, network: &Network) -> Batch {
        let by_mover = self.net.encoder().viewpoint() == Viewpoint::Mover;
        let mut batch = Batch::new(network.architecture());
        let mut predictor = Predictor::new(network);
        let mut shares = Vec::new();
        for (decisions, result) in &self.waiting {
            for Decision { mover, planes, indices, chosen, share, expected, surprise } in decisions {
                shares.resize(indices.len(), 0.0);
                predictor.evaluate(planes, indices, &mut shares).expect("the network was made for the encoder");
                softmax(&mut shares);
                let reward = result * mover.sign();
                let advantage = reward - expected + self.entropy * surprise;
                let mut target = vec![0.0; indices.len()];
                target[*chosen] = 1.0;
                let filled = batch.push_result(planes, indices, &target, if by_mover { reward } else { *result });
                let weight = weight(shares[*chosen] / share, advantage, self.clip);
                filled.and_then(|()| batch.weigh_last(weight)).expect("the network was made for the encoder");
            }
        }
        batch
    }
}

/// What a decision counts: its advantage times how much likelier it has become, or nothing where it has gone far enough already.
fn weight(ratio: f32, advantage: f32, clip: f32) -> f32 {
    let too_far = if advantage > 0.0 { ratio > 1.0 + clip } else { ratio < 1.0 - clip };
    if too_far || !ratio.is_finite() { 0.0 } else { ratio * advantage }
}

impl<G: Encodable> Agent<G> for Ppo<G> {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        NetAlone::by_policy(self.net.clone()).choose(request)
    }
}

impl<G: Encodable> Learner<G> for Ppo<G> {
    fn episodes(&self) -> u64 {
        self.episodes
    }

    fn train(&mut self, game: &G, games: u64, observer: &mut LearnerObserver<'_>) {
        self.catch_up(game);
        for number in 0..games {
            if observer(TrainingProgress { games: number, positions: self.positions }).is_break() {
                return;
            }
            let played = play(game, &mut self.net, self.seed.numbered(self.games));
            self.positions += played.0.len() as u64;
            self.waiting.push(played);
            self.games += 1;
            if self.games.is_multiple_of(self.batch) {
                self.learn();
            }
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
        let network = self.trainer.network();
        let training = write_training(&self.command, self.games, self.positions);
        let header = weights::Header { training, ..header(game, &self.name, network) };
        weights::write(&header, network).expect("a small network is a small file")
    }

    fn load(&mut self, game: &G, name: &str, file: &[u8]) -> Result<(), InputError> {
        let (header, network) = network_for(game, name, file)?;
        (self.games, self.positions) = read_training(&self.command, &header, name)?;
        self.net = self.net.with_network(&network);
        self.trainer = Trainer::new(network, self.trainer.learning, 1);
        self.waiting.clear();
        Ok(())
    }

    fn player(&self, file: &str) -> String {
        format!("net:net={file},by=policy")
    }
}

#[cfg(test)]
mod tests {
    use super::weight;

    #[test]
    fn a_move_counts_until_its_probability_has_changed_enough() {
        assert_eq!(weight(1.0, 0.5, 0.2), 0.5);
        assert_eq!(weight(1.1, 0.5, 0.2), 1.1 * 0.5);
        assert_eq!((weight(1.3, 0.5, 0.2), weight(0.7, -0.5, 0.2)), (0.0, 0.0));
        assert_eq!((weight(0.7, 0.5, 0.2), weight(1.3, -0.5, 0.2)), (0.7 * 0.5, -1.3 * 0.5), "what went the wrong way counts");
        assert_eq!(weight(f32::INFINITY, -1.0, 0.2), 0.0);
    }
}
