//! REINFORCE (Williams, 1992): a network plays against itself by drawing moves from its policy; after each game the moves of the
//! winner become likelier and those of the loser less likely, by how much better or worse the result was than the network expected.

use plyground_core::{
    Agent, AgentError, Choice, Encodable, Fact, InputError, KeyInfo, Params, SearchRequest, Seed, Viewpoint, encoder,
};
use plyground_nets::{Batch, Learning, Network, Rule, Trainer, weights};

use super::policy::{Decision, architecture, play};
use super::{Learner, LearnerObserver, Learnt, TrainingProgress, read_training, write_training};
use crate::AgentInfo;
use crate::net::{NetAlone, NetEvaluator, header, network_for};

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

pub(crate) fn learner<G: Encodable>(game: &G, params: &Params) -> Result<Reinforce<G>, InputError> {
    let name = params.get("encoder").unwrap_or_else(|| game.default_encoder());
    let known = ["general", "mover"].into_iter().chain(G::encoders().iter().map(|info| info.name));
    let eyes = encoder(game, name).ok_or_else(|| InputError::unknown(&format!("encoding of {}", game.spec()), name, known))?;
    let hidden = params.number("hidden", 1..=10_000)?.unwrap_or(64);
    let rate = params.number("rate", 0.0..=10.0)?.unwrap_or(0.05);
    let baseline = ["value", "none"][params.choice("baseline", &["value", "none"])?];
    let entropy = params.number("entropy", 0.0..=10.0)?.unwrap_or(0.3);
    let seed = params.number("seed", 0..=u64::MAX)?.unwrap_or(0);
    let too_large = |error: plyground_nets::NetError| InputError::malformed("game", &game.spec(), error.to_string());
    let network =
        Network::new(architecture(&*eyes, hidden), Seed(seed).named("reinforce").named("weights")).map_err(too_large)?;
    let command = format!(
        "ply train {} --agent reinforce:hidden={hidden},rate={rate},baseline={baseline},entropy={entropy},encoder={name},seed={seed}",
        game.spec()
    );
    Ok(Reinforce {
        command,
        episodes: params.number("episodes", 0..=1_000_000_000_000)?.unwrap_or(100_000),
        seed: Seed(seed).named("reinforce"),
        compares: baseline == "value",
        entropy,
        net: NetEvaluator::new(game, name, &network, 1).expect("the encoder was there a moment ago"),
        trainer: Trainer::new(network, learning(rate), 1),
        name: name.to_owned(),
        games: 0,
        positions: 0,
    })
}

/// Straight along the gradient, so that the network is all there is to keep.
fn learning(rate: f32) -> Learning {
    Learning { rate, rule: Rule::Descent, policy_weight: 1.0, value_weight: 0.5, ..Learning::default() }
}

/// A network that learns by policy gradient.
pub struct Reinforce<G: Encodable> {
    /// The command that trains it, but for the number of games.
    command: String,
    episodes: u64,
    seed: Seed,
    /// Is a result compared with what was expected?
    compares: bool,
    /// The weight of surprise.
    entropy: f32,
    trainer: Trainer,
    /// The same network, to be asked.
    net: NetEvaluator<G>,
    /// The name of the encoder.
    name: String,
    games: u64,
    positions: u64,
}

impl<G: Encodable> Reinforce<G> {
    fn learn(&mut self, decisions: &[Decision], result: f32) {
        let by_mover = self.net.encoder().viewpoint() == Viewpoint::Mover;
        let mut batch = Batch::new(self.trainer.network().architecture());
        for Decision { mover, planes, indices, chosen, expected, surprise, .. } in decisions {
            let reward = result * mover.sign();
            let mut target = vec![0.0; indices.len()];
            target[*chosen] = 1.0;
            let filled = batch.push_result(planes, indices, &target, if by_mover { reward } else { result });
            let baseline = if self.compares { *expected } else { 0.0 };
            let advantage = reward - baseline + self.entropy * surprise;
            filled.and_then(|()| batch.weigh_last(advantage)).expect("the network was made for the encoder");
        }
        // A step that leads nowhere is not taken, and the next game may be a better one.
        if !batch.is_empty() && self.trainer.step(&batch).is_ok() {
            self.net = self.net.with_network(self.trainer.network());
        }
        self.games += 1;
        self.positions += decisions.len() as u64;
    }
}

impl<G: Encodable> Agent<G> for Reinforce<G> {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        NetAlone::by_policy(self.net.clone()).choose(request)
    }
}

impl<G: Encodable> Learner<G> for Reinforce<G> {
    fn episodes(&self) -> u64 {
        self.episodes
    }

    fn train(&mut self, game: &G, games: u64, observer: &mut LearnerObserver<'_>) {
        for played in 0..games {
            if observer(TrainingProgress { games: played, positions: self.positions }).is_break() {
                return;
            }
            let (decisions, result) = play(game, &mut self.net, self.seed.numbered(self.games));
            self.learn(&decisions, result);
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
        Ok(())
    }

    fn player(&self, file: &str) -> String {
        format!("net:net={file},by=policy")
    }
}
