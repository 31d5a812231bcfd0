//! The strength of a network, measured in games against opponents that never change.

use plyground_core::{CancelToken, InputError, Resources};
use plyground_match::{AgentFactory, Experiment, Openings, Run, RunDriver, RunError, RunEvent, Store, Threads, opening_plies};
use plyground_statistics::{EloEstimate, elo_of_score, logistic_elo, score_of_elo};
use serde::{Deserialize, Serialize};

/// The opponents that every network is measured by, weakest first.
pub const ANCHORS: [&str; 5] = ["random", "mc:playouts=10", "mcts:sims=100", "mcts:sims=1000", "alphabeta:depth=4"];

/// The name by which specs name the file of the network in training.
const CURRENT: &str = "current";

/// The result of a network against an opponent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The player: the network with a search, or alone.
    pub player: String,
    /// The opponent.
    pub anchor: String,
    /// Games.
    pub games: u64,
    /// The share of the points.
    pub score: f64,
    /// The ends of the 95 % interval of the difference in Elo.
    pub elo: [f64; 2],
}

impl Measured {
    /// The difference in Elo; where everything was won or lost, the end of it that is known.
    pub fn elo_value(&self) -> f64 {
        match self.score {
            score if score >= 1.0 => self.elo[0],
            score if score <= 0.0 => self.elo[1],
            score => elo_of_score(score),
        }
    }

    /// The ends of the 95 % interval of the score.
    pub fn score_ends(&self) -> [f64; 2] {
        self.elo.map(score_of_elo)
    }
}

/// The settings of a measurement.
pub struct Trial<'a> {
    /// The game with its parameters.
    pub game: &'a str,
    /// The seed of all randomness.
    pub seed: u64,
    /// The opponents, weakest first.
    pub anchors: &'a [String],
    /// Pairs of games against each of them.
    pub pairs: usize,
    /// Simulations of the network's search.
    pub sims: u32,
}

/// The file of the network in training, and all other files from the resources behind it.
struct Candidate<'a> {
    file: &'a [u8],
    others: &'a (dyn Resources + Sync),
}

impl Resources for Candidate<'_> {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        if name == CURRENT { Ok(self.file.to_vec()) } else { self.others.read(name) }
    }
}

/// The strength of the network in a file: pairs of games against every anchor. `told` is given how many of how many pairs have been
/// played. `None` if it was cancelled.
pub fn measure(
    trial: &Trial<'_>,
    file: &[u8],
    others: &(dyn Resources + Sync),
    threads: usize,
    cancel: &CancelToken,
    told: &(dyn Fn(u64, u64) + Sync),
) -> Result<Option<Vec<Measured>>, RunError> {
    let resources = Candidate { file, others };
    let mut agents = vec![format!("az:net={CURRENT},sims={}", trial.sims), format!("net:net={CURRENT}")];
    let mut meetings = Vec::new();
    for (network, name) in ["search", "alone"].into_iter().enumerate() {
        // Without a search it is measured by the weakest two only: its own line, not a table.
        let anchors = if name == "alone" { &trial.anchors[..trial.anchors.len().min(2)] } else { trial.anchors };
        for anchor in anchors {
            let known = agents.iter().position(|agent| agent == anchor);
            let opponent = known.unwrap_or_else(|| {
                agents.push(anchor.clone());
                agents.len() - 1
            });
            meetings.push((name, anchor, [network, opponent]));
        }
    }
    let run = Experiment {
        openings: Openings::Random { plies: opening_plies(trial.game)? },
        seed: trial.seed,
        ..Experiment::new(trial.game, &agents, &resources)?
    }
    .run();
    let mut pairings: Vec<[usize; 2]> = meetings.iter().map(|&(.., pairing)| pairing).collect();
    pairings.sort_unstable();
    pairings.dedup();
    let observer = |_: &Run, event: &RunEvent<'_>| {
        if let RunEvent::Progress { results, wanted } = event {
            told(results.jobs(), *wanted);
        }
    };
    let (store, executor) = (Store::in_memory()?, Threads(threads));
    let players = AgentFactory::of_run(&resources, &run);
    let driver = RunDriver::new(&store, &run, &executor, &players).cancelled_by(cancel).observed_by(&observer);
    let (results, complete) = driver.play(&pairings, trial.pairs as u64)?;
    if !complete {
        return Ok(None);
    }
    let measured = meetings.into_iter().map(|(player, anchor, pairing)| {
        let sample = results.between(pairing).sample();
        let elo = match logistic_elo(&sample) {
            EloEstimate::Unknown => [-4_800.0, 4_800.0],
            EloEstimate::AtLeast(low) => [low, 4_800.0],
            EloEstimate::AtMost(high) => [-4_800.0, high],
            EloEstimate::About { low, high, .. } => [low, high],
        };
        Measured { player: player.to_owned(), anchor: anchor.clone(), games: sample.games as u64, score: sample.mean, elo }
    });
    Ok(Some(measured.collect()))
}
