//! PPO, proximal policy optimisation (Schulman et al., 2017): as REINFORCE, but several games are learnt from several times, and a move
//! stops counting as soon as its probability has changed by more than a share.

use plyground_core::{Agent, AgentError, Choice, Encodable, InputError, KeyInfo, Params, SearchRequest};
use plyground_nets::{Batch, Predictor, softmax};

use super::policy::{Decision, PolicyMethod, PolicyTraining, play, player};
use super::{Learner, LearnerObserver, Learnt, TrainingProgress};
use crate::AgentInfo;

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

const METHOD: PolicyMethod = PolicyMethod { agent: INFO.name, rate: 0.2, entropy: 0.1 };

pub(crate) fn learner<G: Encodable>(game: &G, params: &Params) -> Result<Ppo<G>, InputError> {
    let batch = params.number("batch", 1..=10_000)?.unwrap_or(16);
    let passes = params.number("passes", 1..=1_000)?.unwrap_or(4);
    let clip = params.number("clip", 0.0..=1.0)?.unwrap_or(0.2);
    let training = PolicyTraining::new(game, params, &METHOD, &format!("batch={batch},passes={passes},clip={clip}"))?;
    Ok(Ppo { training, batch, passes, clip, waiting: Vec::new() })
}

/// A network that learns by policy gradient in small steps.
pub struct Ppo<G: Encodable> {
    training: PolicyTraining<G>,
    /// Games of a batch.
    batch: u64,
    passes: u32,
    clip: f32,
    /// The games of the batch that is not full, with their results.
    waiting: Vec<(Vec<Decision>, f32)>,
}

impl<G: Encodable> Ppo<G> {
    /// Plays the games of the batch again that are known by their number only, as in a file. The network has not changed since they were
    /// played, and so they are the same.
    fn catch_up(&mut self, game: &G) {
        let PolicyTraining { net, seed, games, .. } = &mut self.training;
        let first = *games - *games % self.batch;
        for number in first + self.waiting.len() as u64..*games {
            self.waiting.push(play(game, net, seed.numbered(number)));
        }
    }

    fn learn(&mut self) {
        for _ in 0..self.passes {
            let batch = self.weighed();
            // A step that leads nowhere is not taken, and the next games may be better ones.
            if batch.is_empty() || self.training.trainer.step(&batch).is_err() {
                break;
            }
        }
        self.training.net = self.training.net.with_network(self.training.trainer.network());
        self.waiting.clear();
    }

    /// All decisions, each with the weight that the clipped objective gives it where the network is now: its slope by the logarithm
    /// of the probability.
    fn weighed(&self) -> Batch {
        let mut batch = self.training.batch();
        let mut predictor = Predictor::new(self.training.trainer.network());
        let mut shares = Vec::new();
        for (decisions, result) in &self.waiting {
            for decision in decisions {
                let Decision { mover, planes, indices, chosen, share, expected, surprise } = decision;
                shares.resize(indices.len(), 0.0);
                predictor.evaluate(planes, indices, &mut shares).expect("the network was made for the encoder");
                softmax(&mut shares);
                let advantage = result * mover.sign() - expected + self.training.entropy * surprise;
                self.training.push(&mut batch, decision, *result, weight(shares[*chosen] / share, advantage, self.clip));
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
        self.training.choose(request)
    }
}

impl<G: Encodable> Learner<G> for Ppo<G> {
    fn episodes(&self) -> u64 {
        self.training.episodes
    }

    fn train(&mut self, game: &G, games: u64, observer: &mut LearnerObserver<'_>) {
        self.catch_up(game);
        for number in 0..games {
            let training = &mut self.training;
            if observer(TrainingProgress { games: number, positions: training.positions }).is_break() {
                return;
            }
            let played = play(game, &mut training.net, training.seed.numbered(training.games));
            training.positions += played.0.len() as u64;
            training.games += 1;
            self.waiting.push(played);
            if self.training.games.is_multiple_of(self.batch) {
                self.learn();
            }
        }
    }

    fn learnt(&self) -> Learnt {
        self.training.learnt()
    }

    fn save(&self, game: &G) -> Vec<u8> {
        self.training.save(game)
    }

    fn load(&mut self, game: &G, name: &str, file: &[u8]) -> Result<(), InputError> {
        self.training.load(game, name, file)?;
        self.waiting.clear();
        Ok(())
    }

    fn player(&self, file: &str) -> String {
        player(file)
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
