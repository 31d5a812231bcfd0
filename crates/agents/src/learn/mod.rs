//! Agents that learn from games of their own, and keep what they have learnt in a file.

use std::ops::ControlFlow;

use plyground_core::{Agent, AgentError, Encodable, Encoder, Fact, Game, InputError, Params, encoder};
use plyground_nets::weights::Header;

pub(crate) mod ffn;
mod perceptron;
mod policy;
pub(crate) mod ppo;
pub(crate) mod q;
pub(crate) mod reinforce;
mod value_network;
mod values;

pub use q::QLearning;

/// An agent that can be trained. What it has learnt goes into a file, which the agent reads again when its spec names it.
pub trait Learner<G: Game>: Agent<G> {
    /// The number of training games that its spec asks for.
    fn episodes(&self) -> u64;

    /// Plays `games` training games, or fewer if the observer says stop: then the game in progress counts for nothing. So the same
    /// number of games leads to the same knowledge, however often training was interrupted.
    fn train(&mut self, game: &G, games: u64, observer: &mut LearnerObserver<'_>);

    /// How much it knows.
    fn learnt(&self) -> Learnt;

    /// What it has learnt, as the contents of a file.
    fn save(&self, game: &G) -> Vec<u8>;

    /// Takes over what a file holds, in place of what was learnt so far. Files of other games, other formats, cut-off and damaged
    /// ones are refused; `name` is what the file is called.
    fn load(&mut self, game: &G, name: &str, file: &[u8]) -> Result<(), InputError>;

    /// The spec of the agent that plays by a file of this name.
    fn player(&self, file: &str) -> String;

    /// Training games won by the first player, drawn, and won by the second, since it was made or loaded, where they are counted.
    fn results(&self) -> Option<[u64; 3]> {
        None
    }

    /// The error of an opponent that has ended the training.
    fn failure(&self) -> Option<&AgentError> {
        None
    }

    /// Begins with what a file holds, also of another training. Called before [`Learner::load`].
    fn begin_with(&mut self, _: &G, _: &str, _: &[u8]) -> Result<(), InputError> {
        Err(InputError::malformed("option", "--from", "expected --agent ffn: only that begins with another network"))
    }

    /// Plays its training games against an opponent, `spec`. Called before [`Learner::load`].
    fn play_against(&mut self, _: &G, spec: &str, _: TrainingOpponent<G>) -> Result<(), InputError> {
        let detail =
            format!("expected --agent ffn, which trains against an opponent; this one plays by itself, not against {spec}");
        Err(InputError::malformed("option", "--against", detail))
    }

    /// What an opponent has learnt that learns, too, as the contents of a file.
    fn save_opponent(&self, _: &G) -> Option<Vec<u8>> {
        None
    }

    /// Takes over what such a file holds. Called after [`Learner::load`], with the file of the same moment.
    fn load_opponent(&mut self, _: &G, name: &str, _: &[u8]) -> Result<(), InputError> {
        Err(InputError::malformed("network", name, "there is no opponent that learns"))
    }
}

/// The opponent of a learner in its training games.
pub enum TrainingOpponent<G: Game> {
    /// Random moves.
    Random,
    /// An agent that stays as it is.
    Agent(Box<dyn Agent<G>>),
    /// A network of the same kind as the learner, which learns from the same games.
    Network {
        /// The name of its file.
        name: String,
        /// The contents of its file.
        file: Vec<u8>,
    },
}

/// An observer of a training, called every few moves; `Break` ends it.
pub type LearnerObserver<'a> = dyn FnMut(TrainingProgress) -> ControlFlow<()> + 'a;

/// The progress of a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrainingProgress {
    /// Training games played since training was asked for.
    pub games: u64,
    /// Positions known.
    pub positions: u64,
}

/// A summary of what a learner has learnt.
#[derive(Clone, Debug, PartialEq)]
pub struct Learnt {
    /// Training games in all, those of earlier sittings included.
    pub games: u64,
    /// Positions known.
    pub positions: u64,
    /// Other numbers.
    pub facts: Vec<Fact>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// The encoder that `encoder=NAME` names, or the usual one, with its name.
fn chosen_encoder<'a, G: Encodable>(
    game: &G,
    params: &'a Params,
    usual: &'a str,
) -> Result<(&'a str, Box<dyn Encoder<G>>), InputError> {
    let name = params.get("encoder").unwrap_or(usual);
    let known = ["general", "mover"].into_iter().chain(G::encoders().iter().map(|info| info.name));
    let unknown = || InputError::unknown(&format!("encoding of {}", game.spec()), name, known);
    Ok((name, encoder(game, name).ok_or_else(unknown)?))
}

/// Where a network comes from, as its file says it: the command with all that matters, and how far it has come.
fn write_training(command: &str, games: u64, positions: u64) -> String {
    format!("{command} --games {games} ({positions} positions)")
}

/// The way back: games and positions. Networks that come from another command are refused.
fn read_training(command: &str, header: &Header, name: &str) -> Result<(u64, u64), InputError> {
    let counts = || {
        let rest = header.training.strip_prefix(command)?.strip_prefix(" --games ")?;
        let (games, positions) = rest.strip_suffix(" positions)")?.split_once(" (")?;
        Some((games.parse().ok()?, positions.parse().ok()?))
    };
    let foreign = || format!("it comes from '{}', not from '{command}'", header.training);
    counts().ok_or_else(|| InputError::malformed("network", name, foreign()))
}
