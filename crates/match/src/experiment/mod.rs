//! Experiments: the settings of a run, whose hash is its name.

pub(crate) mod format;
pub(crate) mod ranges;

use std::collections::BTreeMap;
use std::time::Duration;

use plyground_core::{InputError, Limits, Resources, Seed};
use plyground_session::{LIMITS, Session, open, split_spec, usual_words};
use serde::{Deserialize, Serialize};

use crate::Format;
use crate::resources::files::Reader;

/// The prefix of the specs of remote players, which no agent of ours has: the rest is the name that the player joins by.
pub const REMOTE: &str = "udp:";

/// The openings of the games of an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Openings {
    /// All at the start of the game.
    Start,
    /// After so many random plies that leave the game open, a new opening for every pair.
    Random {
        /// The number of plies.
        plies: u32,
    },
    /// From a file, in its order and then again from the beginning.
    Listed {
        /// The openings.
        lines: Vec<Vec<String>>,
    },
}

/// The seats of two agents that meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seats {
    /// Each once: a job is a pair of games with the seats swapped.
    #[default]
    Swapped,
    /// The one that is named first, always: a job is a single game. For tables by seat.
    Fixed,
}

impl Seats {
    /// The games of a job.
    pub fn games(self) -> u8 {
        match self {
            Self::Swapped => 2,
            Self::Fixed => 1,
        }
    }
}

/// The settings of a run. The same settings are the same run: asked for again, it goes on where it stopped. How many pairs are
/// wanted is not among them, so that a run can be made longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// The version of these settings: what is played may change with the program only if this changes.
    pub version: u32,
    /// The game with its parameters.
    pub game: String,
    /// The agents, with ready-made opponents (`level=4`) written out: what a level is may change, a run must not. In a spec,
    /// `{500..2500}` stands for a number that is drawn for every game.
    pub agents: Vec<String>,
    /// The files that the agents have read, each with the hash of what was in it (BLAKE3): the same spec with another network is
    /// another agent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub files: BTreeMap<String, String>,
    /// The openings.
    pub openings: Openings,
    /// The pairings.
    pub format: Format,
    /// The seats.
    #[serde(default, skip_serializing_if = "is_default")]
    pub seats: Seats,
    /// The limits of thinking for all agents; where nothing is limited, each keeps to its own.
    pub limits: Limits,
    /// The time that each player has for a whole game.
    pub clock: Option<Duration>,
    /// The time for a whole game of both players together, in games with points: when it is over, the points decide.
    #[serde(default, skip_serializing_if = "is_default")]
    pub game_time: Option<Duration>,
    /// Do agents whose specs name limits keep to those, and the limits here only say what they may not exceed? So it is in
    /// competitions, where a weak agent stays weak.
    #[serde(default, skip_serializing_if = "is_default")]
    pub own_limits: bool,
    /// The time that an agent may overrun its limits before it has stalled and lost.
    #[serde(default, skip_serializing_if = "is_default")]
    pub patience: Option<Duration>,
    /// The seed of all randomness.
    pub seed: u64,
    /// The hash of the file that its games come from (BLAKE3), if they were imported: then nothing of it is played, the agents are the
    /// names of players, and there are no seeds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub imported: Option<String>,
}

/// An experiment under way: its settings, and the name they give it.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Twelve hexadecimal digits of a hash of the settings.
    pub id: String,
    /// The settings.
    pub experiment: Experiment,
}

impl Experiment {
    /// The version that this program plays.
    pub const VERSION: u32 = 1;

    /// An experiment from the start of a game with agents as they were typed. Everything is checked: the game, and that each agent
    /// can be made.
    pub fn new(game: &str, agents: &[String], resources: &dyn Resources) -> Result<Self, InputError> {
        Self::of(open(game, None)?, agents, resources)
    }

    /// The same with remote players among the agents (`udp:NAME`), which are not here to be checked.
    pub fn with_remote(game: &str, agents: &[String], resources: &dyn Resources) -> Result<Self, InputError> {
        let local: Vec<String> = agents.iter().filter(|agent| !agent.starts_with(REMOTE)).cloned().collect();
        let checked = Self::new(game, &local, resources)?;
        let mut written = checked.agents.clone().into_iter();
        let all = agents.iter().filter_map(|agent| if agent.starts_with(REMOTE) { Some(agent.clone()) } else { written.next() });
        Ok(Self { agents: all.collect(), ..checked })
    }

    /// The same for a game that is open, which need not be in the catalogue.
    pub fn of(mut session: Box<dyn Session>, agents: &[String], resources: &dyn Resources) -> Result<Self, InputError> {
        let agents: Vec<String> = agents.iter().map(|agent| written_out(session.as_ref(), agent)).collect();
        let reader = Reader::new(resources);
        for (index, agent) in agents.iter().enumerate() {
            for end in ranges::ends(agent)? {
                session.seat(&end, Seed(0), &reader)?;
            }
            if agents[..index].contains(agent) {
                return Err(InputError::malformed("agent", agent, "it is there twice; an agent plays against others"));
            }
        }
        Ok(Self {
            version: Self::VERSION,
            game: session.spec(),
            agents,
            files: reader.hashes(),
            openings: Openings::Start,
            format: Format::RoundRobin,
            seats: Seats::default(),
            limits: Limits::default(),
            clock: None,
            game_time: None,
            own_limits: false,
            patience: None,
            seed: 0,
            imported: None,
        })
    }

    /// The name and the settings.
    pub fn run(self) -> Run {
        let settings = serde_json::to_string(&self).expect("settings are plain data");
        // 48 bits: among a thousand runs, two with the same name turn up once in half a billion times.
        let hash = Seed(0).named(&settings).0;
        Run { id: format!("{:012x}", hash >> 16), experiment: self }
    }

    /// The seed of a pair: it depends on who plays, not on who else takes part.
    fn pair_seed(&self, [first, second]: [usize; 2], pair: u64) -> Seed {
        Seed(self.seed).named(&self.agents[first]).named(&self.agents[second]).numbered(pair)
    }

    /// The seed of chance, the same for both games of a pair. `agents` are in the order of its first game.
    pub fn chance_seed(&self, agents: [usize; 2], pair: u64) -> Seed {
        self.pair_seed(agents, pair).named("luck")
    }

    /// The seeds of the two agents in game 0 or 1 of a pair, in the order in which they move. `agents` are in that of the first game.
    pub fn agent_seeds(&self, agents: [usize; 2], pair: u64, game: u8) -> [Seed; 2] {
        let seed = self.pair_seed(agents, pair).named("agent");
        [0, 1].map(|seat| seed.numbered(2 * u64::from(game) + seat))
    }

    /// The specs of the two agents in game 0 or 1 of a pair, in the order in which they move, with the numbers that were drawn for
    /// this game. `agents` are in the order of the first game.
    pub fn specs(&self, agents: [usize; 2], pair: u64, game: u8) -> [String; 2] {
        let (seated, seeds) = (seated(agents, game), self.agent_seeds(agents, pair, game));
        [0, 1].map(|seat| match self.imported {
            None => ranges::drawn(&self.agents[seated[seat]], seeds[seat].named("range")),
            Some(_) => self.agents[seated[seat]].clone(),
        })
    }

    /// The files that these agents of it read, with the hashes of what was in them: those that their specs name, and those that
    /// come with the game and are not named.
    pub fn files_of<'a>(&'a self, specs: &'a [String]) -> impl Iterator<Item = (&'a str, &'a str)> {
        let named = |specs: &[String], file: &str| specs.iter().any(|spec| spec.contains(file));
        let theirs = move |file: &str| named(specs, file) || !named(&self.agents, file);
        self.files.iter().filter(move |(file, _)| theirs(file)).map(|(file, hash)| (file.as_str(), hash.as_str()))
    }

    /// The name of a pair: no other pair of any run has it.
    pub(crate) fn job_id(&self, run: &str, agents: [usize; 2], pair: u64) -> String {
        format!("{run}-{:016x}", self.pair_seed(agents, pair).named("job").0)
    }
}

/// Runs were kept and named before there was a choice: what those without one are called must not change.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Game 0 of a pair is played in the order in which the two are named, game 1 the other way round. Its own inverse.
pub(crate) fn seated([one, other]: [usize; 2], game: u8) -> [usize; 2] {
    if game == 0 { [one, other] } else { [other, one] }
}

/// The key of flat Monte Carlo for the size of its search, which counts as a limit.
const PLAYOUTS: &str = "playouts";

/// Does the spec of an agent limit its search? External programs and remote players are given the time limit instead.
pub fn names_limits(spec: &str) -> bool {
    let (name, keys) = split_spec(spec);
    let is_limit = |key: &str| key == PLAYOUTS || LIMITS.iter().any(|limit| limit.key == key);
    name != "cmd" && keys.split(',').any(|pair| is_limit(pair.split('=').next().unwrap_or_default().trim()))
}

/// Does the spec of an agent limit its search by something else than time? Where a protocol gives a time for a move, it replaces times in
/// specs: an agent that is weak on purpose stays so, and a strong one uses what it is given.
pub fn names_effort(spec: &str) -> bool {
    let (name, keys) = split_spec(spec);
    let is_effort = |key: &str| key == PLAYOUTS || LIMITS.iter().any(|limit| limit.key == key && key != "time");
    name != "cmd" && keys.split(',').any(|pair| is_effort(pair.split('=').next().unwrap_or_default().trim()))
}

/// A ready-made opponent as the spec that it stands for; any other spec in the words in which it is kept.
fn written_out(session: &dyn Session, agent: &str) -> String {
    let agent = agent.trim();
    let ready_made = session.opponents().into_iter().find(|opponent| opponent.name == agent);
    ready_made.map_or_else(|| usual_words(agent), |opponent| opponent.spec)
}
