//! The thinking: agents, each generic over the game, and the list of them.
//!
//! An agent is one file: the algorithm, its description ([`AgentInfo`]) and how its keys are read. The list further down
//! makes it known to everybody else.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

use plyground_core::{Agent, Heuristics, InputError, KeyInfo, Limits, Params, split_spec};

mod mcts;
mod minimax;
mod pace;
mod random;

pub use mcts::{FlatMonteCarlo, Uct};
pub use minimax::Minimax;
pub use random::Random;

/// Describes an agent for people.
#[derive(Clone, Copy, Debug)]
pub struct AgentInfo {
    /// The word that opens its spec.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Its keys; those of the game's evaluators come on top where `evaluates` is set.
    pub keys: &'static [KeyInfo],
    /// Does it judge positions with one of the game's evaluators (`eval=`)?
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
    /// Reads a spec. Unknown names are refused here; keys are checked when the game is known.
    pub fn parse(text: &str) -> Result<Self, InputError> {
        let (name, keys) = split_spec(text.trim());
        let info = INFOS.iter().find(|info| info.name == name);
        let info = info.ok_or_else(|| InputError::unknown("agent", name, INFOS.iter().map(|info| info.name)))?;
        Ok(Self { text: text.trim().to_owned(), name: info.name, params: Params::parse(keys)? })
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The limits of thinking that the spec sets.
    pub fn limits(&self) -> Result<Limits, InputError> {
        Ok(Limits {
            simulations: self.params.number("sims", 1..=u64::MAX)?,
            nodes: self.params.number("nodes", 1..=u64::MAX)?,
            depth: self.params.number("depth", 1..=10_000)?,
            time: self.params.duration("time")?,
        })
    }
}

pub(crate) const SIMS: KeyInfo = KeyInfo { key: "sims", value: "N", default: "", meaning: "stop after N simulated games" };
pub(crate) const TIME: KeyInfo =
    KeyInfo { key: "time", value: "T", default: "", meaning: "stop after this time: 100ms, 1.5s, 2min" };
pub(crate) const NODES: KeyInfo = KeyInfo { key: "nodes", value: "N", default: "", meaning: "stop after N positions" };

type Build<G> = fn(&G, &Params) -> Result<Box<dyn Agent<G>>, InputError>;

/// Declares the list: the description of every agent, and the function that makes one from a spec.
macro_rules! agents {
    ($($agent:ident),+ $(,)?) => {
        /// The descriptions of all agents.
        pub const INFOS: &[AgentInfo] = &[$($agent::INFO),+];

        /// How the agent with this name is made.
        fn builder<G: Heuristics>(name: &str) -> Option<Build<G>> {
            $(if name == $agent::INFO.name {
                return Some(|game, params| Ok(Box::new($agent::build(game, params)?)));
            })+
            None
        }
    };
}

use mcts::{flat as mc, uct as mcts_uct};
use minimax::plain as minimax_plain;

agents!(random, mc, mcts_uct, minimax_plain);

/// The keys that an agent understands for this game: its own, and those of the game's evaluators.
pub fn keys<G: Heuristics>(info: &AgentInfo) -> Vec<KeyInfo> {
    let mut keys = info.keys.to_vec();
    if info.evaluates {
        for key in G::evaluators().iter().flat_map(|evaluator| evaluator.keys) {
            if !keys.iter().any(|known| known.key == key.key) {
                keys.push(*key);
            }
        }
    }
    keys
}

/// Makes the agent that a spec describes.
pub fn build<G: Heuristics>(spec: &AgentSpec, game: &G) -> Result<Box<dyn Agent<G>>, InputError> {
    let info = INFOS.iter().find(|info| info.name == spec.name).expect("a parsed spec has a known name");
    spec.params.check(info.name, &keys::<G>(info))?;
    spec.limits()?;
    builder::<G>(info.name).expect("what is listed can be built")(game, &spec.params)
}

/// The evaluator that the keys of an agent name: `eval=NAME` and the evaluator's own keys, or the game's default.
pub(crate) fn evaluator<G: Heuristics>(game: &G, params: &Params) -> Result<G::Evaluator, InputError> {
    let names: Vec<&str> = G::evaluators().iter().map(|info| info.name).collect();
    let chosen = &G::evaluators()[params.choice("eval", &names)?];
    // A key of another evaluator would be read by nobody: refuse it rather than ignore it.
    for other in G::evaluators() {
        for key in other.keys {
            if params.has(key.key) && !chosen.keys.iter().any(|own| own.key == key.key) {
                let detail = format!("it belongs to eval={}, not to eval={}", other.name, chosen.name);
                return Err(InputError::malformed("key", key.key, detail));
            }
        }
    }
    game.evaluator(chosen.name, params)
}
