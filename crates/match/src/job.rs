//! Jobs, the units of work of a run, and the games that they bring.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plyground_core::{GameRecord, Outcome, PlayedMove, Player, RecordedPlayer, Seed};
use serde::{Deserialize, Serialize};

use crate::experiment::seated;
use crate::{Experiment, PlayedGame};

/// One pair of games, or a single game where the seats are fixed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The name of the job: a hash of the settings of the run and of the pair.
    pub id: String,
    /// The run that it belongs to.
    pub run: String,
    /// The players by number: the first one moves first in the first game.
    pub agents: [usize; 2],
    /// The number of the pair between these two.
    pub pair: u64,
    /// The moves of the opening.
    pub opening: Vec<String>,
}

/// The first pairs of every pairing of a run. A run can be made longer; its prefix stays the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunPrefix<'a> {
    /// The run.
    pub run: &'a str,
    /// The number of pairs of each pairing.
    pub pairs: u64,
}

impl<'a> RunPrefix<'a> {
    /// All there is of a run.
    pub fn all(run: &'a str) -> Self {
        // The most that a database counts to.
        Self { run, pairs: i64::MAX as u64 }
    }
}

/// A game as the store keeps it.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRow {
    /// The job that it belongs to.
    pub job: String,
    /// The number of the pair between these two.
    pub pair: u64,
    /// 0 for the first game of a pair, 1 for the one with the seats swapped.
    pub game: u8,
    /// The agents by number, in the order in which they moved.
    pub agents: [usize; 2],
    /// The outcome.
    pub outcome: Outcome,
    /// Why.
    pub reason: String,
    /// The fault of the loser, in a word.
    pub fault: Option<String>,
    /// The points of both players.
    pub points: Option<[i32; 2]>,
    /// The number of moves that are the opening.
    pub opening: usize,
    /// All moves and outcomes of chance.
    pub moves: Vec<PlayedMove>,
    /// The player of each of them; `None` for chance.
    pub movers: Vec<Option<Player>>,
    /// The time of its end, in seconds since 1970.
    pub ended: i64,
}

impl GameRow {
    /// Game number 0 or 1 of a job, as it was just played.
    pub fn new(job: &Job, game: u8, played: PlayedGame) -> Self {
        Self {
            job: job.id.clone(),
            pair: job.pair,
            game,
            agents: seated(job.agents, game),
            outcome: played.outcome,
            reason: played.reason,
            fault: played.fault.map(|(_, fault)| fault.word().to_owned()),
            points: played.points,
            opening: played.opening,
            moves: played.moves,
            movers: played.movers,
            ended: now().as_secs() as i64,
        }
    }

    /// The agents in the order of the first game of the pair.
    pub fn pairing(&self) -> [usize; 2] {
        seated(self.agents, self.game)
    }

    /// The agents in the order in which they moved, with the numbers that were drawn for this game.
    pub fn specs(&self, experiment: &Experiment) -> [String; 2] {
        experiment.specs(self.pairing(), self.pair, self.game)
    }

    /// Two games with the same moves have the same hash.
    pub fn hash(&self) -> u64 {
        self.moves.iter().fold(Seed(0), |hash, played| hash.named(&played.text)).0
    }

    /// Moves of players.
    pub fn plies(&self) -> usize {
        self.movers.iter().flatten().count()
    }

    /// The thinking times of all moves: the seat, and milliseconds.
    pub fn thinking(&self) -> impl Iterator<Item = (Player, f64)> {
        let moves = self.moves.iter().zip(&self.movers);
        moves.filter_map(|(played, mover)| Some(((*mover)?, played.ms?)))
    }

    /// The game as a record that stands for itself.
    pub fn record(&self, experiment: &Experiment) -> GameRecord {
        let seeds = experiment.agent_seeds(self.pairing(), self.pair, self.game);
        let specs = self.specs(experiment);
        let drawn = experiment.imported.is_none();
        let player = |seat: usize| RecordedPlayer { name: specs[seat].clone(), seed: drawn.then_some(seeds[seat].0) };
        GameRecord {
            version: GameRecord::VERSION,
            game: experiment.game.clone(),
            players: [player(0), player(1)],
            seed: drawn.then(|| experiment.chance_seed(self.pairing(), self.pair).0),
            moves: self.moves.clone(),
            result: self.outcome.word().to_owned(),
            reason: self.reason.clone(),
            points: self.points,
            tags: experiment.files_of(&specs).map(|(name, hash)| (format!("blake3 {name}"), hash.to_owned())).collect(),
            ..GameRecord::default()
        }
    }
}

/// The time since 1970.
pub(crate) fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
