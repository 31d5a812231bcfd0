//! The rounds of Swiss tournaments, which depend on the results of those before them.

use crate::schedule::swiss_games;
use crate::{Experiment, Format, Results, RunRow, pairings, swiss_round};

/// The number of rounds of a tournament.
pub(super) fn rounds(experiment: &Experiment) -> u32 {
    match experiment.format {
        Format::Swiss { rounds, .. } | Format::Games { rounds: Some(rounds), .. } => rounds,
        _ => 1,
    }
}

/// The next round of a Swiss tournament, by the rounds before it alone: when a run goes on, later ones may be there already.
pub(super) fn next_round(experiment: &Experiment, met: &[[usize; 2]], results: &Results) -> Vec<[usize; 2]> {
    let score = |agent| results.of_pairings(agent, met).sample().mean;
    match experiment.format {
        Format::Games { double, .. } => swiss_games(experiment.agents.len(), met, score, double),
        _ => swiss_round(experiment.agents.len(), met, score),
    }
}

/// The pairings of each round, as far as they are known.
pub fn rounds_so_far(experiment: &Experiment, results: &Results) -> Vec<Vec<[usize; 2]>> {
    let mut met = pairings(experiment.format, experiment.agents.len());
    let mut all = vec![met.clone()];
    for _ in 1..rounds(experiment) {
        let played = |pairing: &[usize; 2]| results.of_pairings(pairing[0], [pairing]).tally().games() > 0;
        if !met.iter().all(played) {
            break;
        }
        let round = next_round(experiment, &met, results);
        if round.is_empty() {
            break;
        }
        met.extend(&round);
        all.push(round);
    }
    all
}

/// Whether all was played that a run asks for. `results` are those of all its games.
pub fn is_complete(row: &RunRow, results: &Results) -> bool {
    let experiment = &row.run.experiment;
    let pairs = match experiment.format {
        Format::Swiss { pairs, .. } => pairs,
        Format::Games { rounds: Some(_), .. } => 1,
        // A process that was killed before it requested anything has requested nothing.
        _ => return row.pairs > 0 && row.done >= row.pairs,
    };
    // The rounds to come were not requested yet.
    let mut met = pairings(experiment.format, experiment.agents.len());
    for _ in 1..rounds(experiment) {
        met.extend(next_round(experiment, &met, results));
    }
    row.done >= met.len() as u64 * pairs
}
