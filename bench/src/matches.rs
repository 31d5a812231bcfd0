//! Matches between two agents: pairs with swapped seats from random openings, played by the run pipeline.

use anyhow::{Result, ensure};
use plyground_core::NoResources;
use plyground_match::{AgentFactory, Experiment, Openings, RunDriver, RunPrefix, Store, Threads};
use plyground_statistics::MatchResult;

/// The settings of a match.
pub struct MatchSettings<'a> {
    /// The game.
    pub game: &'a str,
    /// The two agents; results are those of the first one.
    pub specs: [&'a str; 2],
    /// How many pairs of games.
    pub pairs: u64,
    /// Random plies at the beginning of each pair, the same for both of its games.
    pub opening_plies: u32,
    /// Everything random follows from it.
    pub seed: u64,
    /// Games at the same time.
    pub threads: usize,
}

/// The score of the first agent, and its thinking times.
#[derive(Clone, Debug)]
pub struct Score {
    /// Its games.
    pub result: MatchResult,
    /// Its longest thought, in milliseconds.
    pub slowest: f64,
    /// All its thoughts together, in milliseconds.
    pub thinking: f64,
    /// How many those were.
    pub moves: u64,
}

impl MatchSettings<'_> {
    /// Plays all games.
    pub fn play(&self) -> Result<Score> {
        let openings = match self.opening_plies {
            0 => Openings::Start,
            plies => Openings::Random { plies },
        };
        let agents = self.specs.map(str::to_owned);
        let run = Experiment { openings, seed: self.seed, ..Experiment::new(self.game, &agents, &NoResources)? }.run();
        let (store, executor) = (Store::in_memory()?, Threads(self.threads));
        let players = AgentFactory::of_run(&NoResources, &run);
        let (results, complete) = RunDriver::new(&store, &run, &executor, &players).play(&[[0, 1]], self.pairs)?;
        ensure!(complete, "not all pairs of {} against {} were played", self.specs[0], self.specs[1]);
        let mut score = Score { result: results.between([0, 1]), slowest: 0.0, thinking: 0.0, moves: 0 };
        store.games(RunPrefix::all(&run.id), |game| {
            for (_, ms) in game.thinking().filter(|(seat, _)| game.agents[seat.index()] == 0) {
                score.slowest = score.slowest.max(ms);
                score.thinking += ms;
                score.moves += 1;
            }
        })?;
        Ok(score)
    }
}
