//! Agents: tree search, minimax, solvers, learners and networks, each generic over the game, and the list of them.
//!
//! An agent is one file: the algorithm, its description ([`AgentInfo`]) and how its keys are read. The list further down
//! makes it known to everybody else.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

use plyground_core::{
    Agent, Evaluated, EvaluatorInfo, Game, InputError, KeyInfo, Limits, NoResources, Params, PlayableGame, Resources, split_spec,
};

pub mod catalogue;
mod futures;
mod learn;
mod limit_checker;
mod mcts;
mod minimax;
pub mod net;
mod prepared;
mod random;
mod solve;
mod with_blunders;
mod with_limits;
mod with_tablebase;

pub use learn::{Learner, LearnerObserver, Learnt, QLearning, TrainingOpponent, TrainingProgress};
pub use mcts::{FlatMonteCarlo, Uct};
pub use minimax::{Lookahead, Minimax, Searcher};
pub use prepared::{AlphaBeta, Mcts};
pub use random::Random;
pub use solve::{
    Bounds, Campaign, CampaignObserver, CampaignOptions, CampaignProgress, CampaignResult, Certificate, CertificateOptions,
    CertifyError, Method, Solution, Solve, SolvedOpening, Solver, Tablebase, certify, refuse_chance, solve,
};
use with_blunders::WithBlunders;
use with_limits::WithLimits;
use with_tablebase::WithTablebase;

/// The description of an agent for users.
#[derive(Clone, Copy, Debug)]
pub struct AgentInfo {
    /// The word that opens its spec.
    pub name: &'static str,
    /// A description in one line.
    pub summary: &'static str,
    /// Its keys; those of the game's evaluators come on top where `evaluates` is set.
    pub keys: &'static [KeyInfo],
    /// Does it use one of the game's evaluators (`eval=`)?
    pub evaluates: bool,
}

/// An agent spec taken apart: `name` or `name:key=value,key=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSpec {
    text: String,
    name: &'static str,
    params: Params,
}

impl AgentSpec {
    /// Reads a spec for a game: an agent with its keys, or a name in the game's [`catalogue`] entry (`level=4`, `best`, a preset).
    /// Unknown names are refused here; keys are checked when the agent is made.
    pub fn parse<G: Game>(text: &str, game: &G) -> Result<Self, InputError> {
        Self::parse_for(text, &game.spec())
    }

    fn parse_for(text: &str, game: &str) -> Result<Self, InputError> {
        let text = text.trim();
        let entry = catalogue::entry(game);
        let usual = usual_words(entry.spec_of(text)?.unwrap_or(text));
        let (name, keys) = split_spec(&usual);
        let info = INFOS.iter().chain(TRAIN_ONLY).find(|info| info.name == name);
        let info = info.ok_or_else(|| {
            let agents = INFOS.iter().map(|info| info.name).chain(["level=1 to level=8", "best"]);
            InputError::unknown("agent", name, agents.chain(entry.presets.iter().map(|preset| preset.name)))
        })?;
        Ok(Self { text: text.to_owned(), name: info.name, params: Params::parse(keys)? })
    }

    /// The text it was read from (for an agent of the catalogue, its name).
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The description of the agent.
    pub fn info(&self) -> &'static AgentInfo {
        INFOS.iter().chain(TRAIN_ONLY).find(|info| info.name == self.name).expect("a parsed spec has a known name")
    }

    /// The limits of thinking that the spec sets.
    pub fn limits(&self) -> Result<Limits, InputError> {
        limits(&self.params)
    }

    /// Where the agent does nothing but look so many plies ahead with an evaluator and choose among the best moves at random: these
    /// two. All it could choose can then be known without asking it ([`Lookahead`]).
    pub fn fixed_lookahead<G: Evaluated>(&self, game: &G) -> Result<Option<(G::Evaluator, u32)>, InputError> {
        let more = minimax::plies_more(&self.params)?;
        self.fixed_depth(G::evaluators())?.map(|depth| Ok((evaluator(game, &self.params)?, depth + more))).transpose()
    }

    fn fixed_depth(&self, evaluators: &[EvaluatorInfo]) -> Result<Option<u32>, InputError> {
        let evaluator_keys = evaluators.iter().flat_map(|evaluator| evaluator.keys);
        let known: Vec<&str> = ["depth", "counted", "eval"].into_iter().chain(evaluator_keys.map(|key| key.key)).collect();
        let plain = [minimax_plain::INFO.name, alphabeta::INFO.name].contains(&self.name);
        Ok(self.limits()?.depth.filter(|_| plain && self.params.keys().all(|key| known.contains(&key))))
    }

    fn check_keys<G: Evaluated>(&self) -> Result<(), InputError> {
        self.params.check(self.name, &keys::<G>(self.info()))?;
        self.limits().map(|_| ())
    }
}

/// Names of agents that are understood, each with the one that is written.
pub const NAME_SYNONYMS: &[(&str, &str)] = &[("montecarlo", "mc"), ("mcs", "mc"), ("uct", "mcts")];

/// Keys that are understood, each with the one that is written: what the studies call the simulations of a search.
pub const KEY_SYNONYMS: &[(&str, &str)] = &[("rollouts", "sims"), ("iterations", "sims"), ("simulations", "sims")];

/// An agent spec in the words in which it is kept, with every synonym replaced: `uct:rollouts=100` is `mcts:sims=100`. Any other text as
/// it is.
pub fn usual_words(spec: &str) -> String {
    let (name, keys) = split_spec(spec);
    let name = usual(name, NAME_SYNONYMS);
    let Some(info) = INFOS.iter().chain(TRAIN_ONLY).find(|info| info.name == name) else { return spec.to_owned() };
    if !spec.contains(':') {
        return name.to_owned();
    }
    let has = |key: &str| info.keys.iter().any(|known| known.key == key);
    let written = |part: &str| match part.split_once('=') {
        Some((key, value)) if !has(key.trim()) && has(usual(key.trim(), KEY_SYNONYMS)) => {
            format!("{}={value}", usual(key.trim(), KEY_SYNONYMS))
        }
        _ => part.to_owned(),
    };
    format!("{name}:{}", keys.split(',').map(written).collect::<Vec<_>>().join(","))
}

/// The word that is written for one that is understood.
fn usual<'a>(word: &'a str, synonyms: &[(&str, &'static str)]) -> &'a str {
    synonyms.iter().find(|(synonym, _)| *synonym == word).map_or(word, |(_, usual)| usual)
}

/// The keys that limit a search, in agent specs and in budgets.
pub const LIMITS: &[KeyInfo] = &[TIME, SIMS, NODES, DEPTH];

/// The limits that the keys among [`LIMITS`] set.
fn limits(params: &Params) -> Result<Limits, InputError> {
    if params.get("depth") == Some("0") {
        let detail = "expected depth from 1 to 10000; what an evaluation says without a search: ply eval GAME --position P";
        return Err(InputError::malformed("value", "depth=0", detail));
    }
    Ok(Limits {
        simulations: params.number("sims", 1..=u64::MAX)?,
        nodes: params.number("nodes", 1..=u64::MAX)?,
        depth: params.number("depth", 1..=10_000)?,
        time: params.duration("time")?,
    })
}

/// Reads limits without an agent: `time=1s`, `sims=1000,nodes=5000`.
pub fn parse_limits(text: &str) -> Result<Limits, InputError> {
    let usual_key = |part: &str| match part.split_once('=') {
        Some((key, value)) => format!("{}={value}", usual(key.trim(), KEY_SYNONYMS)),
        None => part.to_owned(),
    };
    let params = Params::parse(&text.split(',').map(usual_key).collect::<Vec<_>>().join(","))?;
    params.check("a budget", LIMITS)?;
    limits(&params)
}

pub(crate) const SIMS: KeyInfo = KeyInfo { key: "sims", value: "N", default: "", meaning: "stop after N simulated games" };
pub(crate) const TIME: KeyInfo =
    KeyInfo { key: "time", value: "T", default: "", meaning: "stop after this time: 100ms, 1.5s, 2min" };
pub(crate) const NODES: KeyInfo = KeyInfo { key: "nodes", value: "N", default: "", meaning: "stop after N positions" };
const DEPTH: KeyInfo = KeyInfo { key: "depth", value: "PLIES", default: "", meaning: "look no further ahead" };

pub(crate) const TABLEBASE: KeyInfo = KeyInfo {
    key: "tb",
    value: "FILE",
    default: "",
    meaning: "play by the tablebase that ply solve has written, where it knows",
};
const SLIP: KeyInfo =
    KeyInfo { key: "slip", value: "P", default: "0", meaning: "the chance of playing any legal move instead of the best" };

/// The keys that every agent has.
pub const COMMON_KEYS: &[KeyInfo] = &[TABLEBASE, SLIP];

type Build<G> = fn(&G, &Params, &dyn Resources) -> Result<Box<dyn Agent<G>>, InputError>;

/// Declares the list: the description of every agent, and the function that makes one from a spec.
macro_rules! agents {
    ($($agent:ident),+ $(,)?) => {
        /// The descriptions of all agents.
        pub const INFOS: &[AgentInfo] = &[$($agent::INFO),+];

        /// How the agent with this name is made.
        fn builder<G: PlayableGame>(name: &str) -> Option<Build<G>> {
            $(if name == $agent::INFO.name {
                return Some(|game, params, resources| Ok(Box::new($agent::build(game, params, resources)?)));
            })+
            None
        }
    };
}

use learn::{ffn, ppo, q, reinforce};
use mcts::{flat as mc, hybrid, uct as mcts_uct};
use minimax::family::{alphabeta, expectimax, mtdf, negascout, pvs, sss};
use minimax::plain as minimax_plain;
use net::{az, one_ply};

agents!(random, mc, mcts_uct, hybrid, minimax_plain, alphabeta, pvs, negascout, mtdf, sss, expectimax, solve, q, one_ply, az);

type BuildLearner<G> = fn(&G, &Params) -> Result<Box<dyn Learner<G>>, InputError>;

/// Declares which of the agents can be trained.
macro_rules! learners {
    ($($agent:ident),+ $(,)?) => {
        /// The names of the agents that can be trained.
        pub const LEARNERS: &[&str] = &[$($agent::INFO.name),+];

        /// How the agent with this name is made for training.
        fn learner_builder<G: PlayableGame>(name: &str) -> Option<BuildLearner<G>> {
            $(if name == $agent::INFO.name {
                return Some(|game, params| Ok(Box::new($agent::learner(game, params)?)));
            })+
            None
        }
    };
}

learners!(q, ffn, reinforce, ppo);

/// The descriptions of agents that are only trained: their result is a network, and the agent `net` plays by it.
pub const TRAIN_ONLY: &[AgentInfo] = &[ffn::INFO, reinforce::INFO, ppo::INFO];

/// Makes the agent that a spec describes, to be trained.
pub fn learner<G: PlayableGame>(spec: &AgentSpec, game: &G) -> Result<Box<dyn Learner<G>>, InputError> {
    let unknown = || InputError::unknown("agent to train", spec.name, LEARNERS.iter().copied());
    let build = learner_builder::<G>(spec.name).ok_or_else(unknown)?;
    spec.check_keys::<G>()?;
    build(game, &spec.params)
}

/// The agents that a learner can train against: they carry nothing from one game to the next, so that the same seed gives the same
/// network, however often the training was interrupted.
pub const TRAINING_OPPONENTS: &[&str] =
    &[random::INFO.name, mc::INFO.name, mcts_uct::INFO.name, minimax_plain::INFO.name, one_ply::INFO.name];

/// The opponent of a learner that a spec describes. One that `learns` is a network, `net:net=FILE`.
pub fn training_opponent<G: PlayableGame>(
    spec: &AgentSpec,
    game: &G,
    learns: bool,
    resources: &dyn Resources,
) -> Result<TrainingOpponent<G>, InputError> {
    if !TRAINING_OPPONENTS.contains(&spec.name) {
        return Err(InputError::unknown("opponent to train against", spec.name, TRAINING_OPPONENTS.iter().copied()));
    }
    let refuse = |detail: &str| Err(InputError::malformed("opponent", spec.text(), detail));
    let limits = spec.limits()?;
    if limits.time.is_some() {
        return refuse("expected an opponent without a time limit: the same seed is to give the same network");
    }
    if learns {
        let Some(name) = spec.params.get("net").filter(|_| spec.name == one_ply::INFO.name) else {
            return refuse("expected net:net=FILE, a network that learns, too");
        };
        spec.check_keys::<G>()?;
        return Ok(TrainingOpponent::Network { name: name.to_owned(), file: resources.read(name)? });
    }
    if spec.name == random::INFO.name && spec.params.keys().next().is_none() {
        return Ok(TrainingOpponent::Random);
    }
    Ok(TrainingOpponent::Agent(Box::new(WithLimits { limits, agent: build(spec, game, resources)? })))
}

/// The keys that an agent understands for this game: its own, those of the game's evaluators, and those that all have.
pub fn keys<G: Evaluated>(info: &AgentInfo) -> Vec<KeyInfo> {
    keys_with(info, G::evaluators())
}

fn keys_with(info: &AgentInfo, evaluators: &[EvaluatorInfo]) -> Vec<KeyInfo> {
    let mut keys = info.keys.to_vec();
    if info.evaluates {
        for key in evaluators.iter().flat_map(|evaluator| evaluator.keys) {
            if !keys.iter().any(|known| known.key == key.key) {
                keys.push(*key);
            }
        }
    }
    for key in COMMON_KEYS {
        if !keys.iter().any(|known| known.key == key.key) {
            keys.push(*key);
        }
    }
    keys
}

/// Makes the agent that a spec describes; the files that it names are read from the resources.
pub fn build<G: PlayableGame>(spec: &AgentSpec, game: &G, resources: &dyn Resources) -> Result<Box<dyn Agent<G>>, InputError> {
    spec.check_keys::<G>()?;
    let only_learns = || {
        let detail = "it only learns: train it with ply train GAME --agent SPEC --out FILE, then net:net=FILE plays";
        InputError::malformed("agent", spec.name, detail)
    };
    let mut agent = builder::<G>(spec.name).ok_or_else(only_learns)?(game, &spec.params, resources)?;
    // An agent that knows the key itself also searches with the file.
    if let Some(name) = spec.params.get("tb").filter(|_| !spec.info().keys.iter().any(|key| key.key == TABLEBASE.key)) {
        let tablebase = Tablebase::from_bytes(&resources.read(name)?, game, name)?;
        agent = Box::new(WithTablebase { agent, tablebase });
    }
    Ok(match spec.params.number("slip", 0.0..=1.0)? {
        None => agent,
        Some(probability) => Box::new(WithBlunders { agent, probability }),
    })
}

/// Makes the agent that a text describes, with the limits that it sets: `mcts:sims=1000`, `alphabeta:time=1s`, `level=4`. Agents that
/// read files are made by [`build`].
pub fn from_spec<G: PlayableGame>(text: &str, game: &G) -> Result<Box<dyn Agent<G>>, InputError> {
    let spec = AgentSpec::parse(text, game)?;
    Ok(Box::new(WithLimits { limits: spec.limits()?, agent: build(&spec, game, &NoResources)? }))
}

/// The evaluator that the keys of an agent name: `eval=NAME` and the evaluator's own keys, or the game's default.
pub(crate) fn evaluator<G: Evaluated>(game: &G, params: &Params) -> Result<G::Evaluator, InputError> {
    game.evaluator(chosen_evaluator(params, G::evaluators())?.name, params)
}

fn chosen_evaluator<'a>(params: &Params, evaluators: &'a [EvaluatorInfo]) -> Result<&'a EvaluatorInfo, InputError> {
    let names: Vec<&str> = evaluators.iter().map(|info| info.name).collect();
    let chosen = &evaluators[params.choice("eval", &names)?];
    // A key of another evaluator would have no effect: refuse it rather than ignore it.
    for other in evaluators {
        for key in other.keys {
            if params.has(key.key) && !chosen.keys.iter().any(|own| own.key == key.key) {
                let detail = format!("it belongs to eval={}, not to eval={}", other.name, chosen.name);
                return Err(InputError::malformed("key", key.key, detail));
            }
        }
    }
    Ok(chosen)
}
