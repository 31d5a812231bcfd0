//! Who plays whom.

use plyground_core::{InputError, Seed};

use crate::openings::openings;
use crate::{Job, Openings, Run};

/// The form of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Everybody against everybody.
    RoundRobin,
    /// The first agent against all others.
    Gauntlet,
}

/// The pairings of a tournament of so many agents, by number.
pub fn pairings(format: Format, agents: usize) -> Vec<[usize; 2]> {
    match format {
        Format::RoundRobin => (0..agents).flat_map(|first| (first + 1..agents).map(move |second| [first, second])).collect(),
        Format::Gauntlet => (1..agents).map(|second| [0, second]).collect(),
    }
}

/// The pairs `from..to` of every pairing, the first ones of all pairings first: when a run is stopped, all have played about as much.
pub fn jobs(run: &Run, pairings: &[[usize; 2]], pairs: std::ops::Range<u64>) -> Result<Vec<Job>, InputError> {
    let experiment = &run.experiment;
    let book = match &experiment.openings {
        Openings::Start => vec![Vec::new()],
        Openings::Random { plies } => openings(&experiment.game, *plies, pairs.end as usize, Seed(experiment.seed))?,
        Openings::Listed { lines } => lines.clone(),
    };
    let job = |pair: u64, agents: [usize; 2]| {
        let seed = experiment.pair_seed(agents, pair);
        Job {
            id: format!("{}-{:016x}", run.id, seed.named("job").0),
            run: run.id.clone(),
            agents,
            pair,
            opening: book[pair as usize % book.len()].clone(),
        }
    };
    Ok(pairs
        .flat_map(|pair| pairings.iter().map(move |&agents| (pair, agents)))
        .map(|(pair, agents)| job(pair, agents))
        .collect())
}
