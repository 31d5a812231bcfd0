//! REINFORCE (Williams, 1992): a network plays against itself by drawing moves from its policy; after each game the moves of the
//! winner become likelier and those of the loser less likely, by how much better or worse the result was than the network expected.

use plyground_core::{Agent, AgentError, Choice, Encodable, InputError, KeyInfo, Params, SearchRequest};

use super::policy::{Decision, PolicyMethod, PolicyTraining, play, player};
use super::{Learner, LearnerObserver, Learnt, TrainingProgress};
use crate::AgentInfo;

pub(crate) const INFO: AgentInfo = AgentInfo {
    name: "reinforce",
    summary: "policy gradient (REINFORCE): a network that learns from games against itself without any search, for small boards; it \
              plays as net:net=FILE,by=policy",
    keys: &[
        KeyInfo { key: "episodes", value: "N", default: "100000", meaning: "training games" },
        KeyInfo { key: "hidden", value: "N", default: "64", meaning: "hidden nodes" },
        KeyInfo { key: "rate", value: "R", default: "0.05", meaning: "the size of a step; there is one after each game" },
        KeyInfo {
            key: "baseline",
            value: "value|none",
            default: "value",
            meaning: "what a result is compared with: what the network expected, or nothing",
        },
        KeyInfo {
            key: "entropy",
            value: "E",
            default: "0.3",
            meaning: "how much more a move is worth that was unlikely, so that it does not stop trying others",
        },
        KeyInfo { key: "encoder", value: "NAME", default: "the game's usual one", meaning: "how it sees the game" },
        KeyInfo { key: "seed", value: "N", default: "0", meaning: "of the training games and of the weights at the start" },
    ],
    evaluates: false,
};

const METHOD: PolicyMethod = PolicyMethod { agent: INFO.name, rate: 0.05, entropy: 0.3 };

pub(crate) fn learner<G: Encodable>(game: &G, params: &Params) -> Result<Reinforce<G>, InputError> {
    let baseline = ["value", "none"][params.choice("baseline", &["value", "none"])?];
    let training = PolicyTraining::new(game, params, &METHOD, &format!("baseline={baseline}"))?;
    Ok(Reinforce { training, compares: baseline == "value" })
}

/// A network that learns by policy gradient.
pub struct Reinforce<G: Encodable> {
    training: PolicyTraining<G>,
    /// Is a result compared with what was expected?
    compares: bool,
}

impl<G: Encodable> Reinforce<G> {
    fn learn(&mut self, decisions: &[Decision], result: f32) {
        let training = &mut self.training;
        let mut batch = training.batch();
        for decision in decisions {
            let baseline = if self.compares { decision.expected } else { 0.0 };
            let advantage = result * decision.mover.sign() - baseline + training.entropy * decision.surprise;
            training.push(&mut batch, decision, result, advantage);
        }
        // A step that leads nowhere is not taken, and the next game may be a better one.
        if !batch.is_empty() && training.trainer.step(&batch).is_ok() {
            training.net = training.net.with_network(training.trainer.network());
        }
        training.games += 1;
        training.positions += decisions.len() as u64;
    }
}

impl<G: Encodable> Agent<G> for Reinforce<G> {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        self.training.choose(request)
    }
}

impl<G: Encodable> Learner<G> for Reinforce<G> {
    fn episodes(&self) -> u64 {
        self.training.episodes
    }

    fn train(&mut self, game: &G, games: u64, observer: &mut LearnerObserver<'_>) {
        for played in 0..games {
            let training = &mut self.training;
            if observer(TrainingProgress { games: played, positions: training.positions }).is_break() {
                return;
            }
            let (decisions, result) = play(game, &mut training.net, training.seed.numbered(training.games));
            self.learn(&decisions, result);
        }
    }

    fn learnt(&self) -> Learnt {
        self.training.learnt()
    }

    fn save(&self, game: &G) -> Vec<u8> {
        self.training.save(game)
    }

    fn load(&mut self, game: &G, name: &str, file: &[u8]) -> Result<(), InputError> {
        self.training.load(game, name, file)
    }

    fn player(&self, file: &str) -> String {
        player(file)
    }
}
