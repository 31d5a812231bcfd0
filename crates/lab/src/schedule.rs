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

/// A round of a Swiss tournament: agents with about the same score meet, none twice, as long as that is possible; with an odd number
/// the last one rests. `met` are the pairings of the rounds before; nothing when all have met.
pub fn swiss_round(agents: usize, met: &[[usize; 2]], score: impl Fn(usize) -> f64) -> Vec<[usize; 2]> {
    let mut order: Vec<usize> = (0..agents).collect();
    let played = |agent: usize| met.iter().filter(|pairing| pairing.contains(&agent)).count();
    order.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
    // Whoever has rested goes before those with more games, so that nobody rests twice while others have not.
    if agents % 2 == 1
        && let Some(&rests) = order.iter().rev().max_by_key(|&&agent| played(agent))
    {
        order.retain(|&agent| agent != rests);
    }
    let mut round = Vec::new();
    while !order.is_empty() {
        let one = order.remove(0);
        let is_new = |&other: &usize| !met.contains(&[one, other]) && !met.contains(&[other, one]);
        if let Some(place) = order.iter().position(is_new) {
            round.push([one, order.remove(place)]);
        }
    }
    round
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
