//! The results of a run as tables and lines.

use std::collections::BTreeMap;

use plyground_match::{Results, Run, Standing, refused_in_words};
use plyground_statistics::{logistic_elo, per_cent, score_words};

use crate::text::{Lean, columns, count};

/// The lines below every table: how long games were, who profits from the first move, repeated games, faults.
pub fn footer(run: &Run, results: &Results) -> String {
    let [first, draws, second] = results.by_seat();
    let games = results.games().max(1) as f64;
    let part = |number: u64| per_cent(number as f64 / games);
    let mut text = format!(
        "{} games, {:.1} plies on the average; the first player won {}, the second {}, drawn {}\n",
        count(results.games()),
        results.mean_plies().unwrap_or(0.0),
        part(first),
        part(second),
        part(draws),
    );
    let redundancy = results.redundancy();
    text += &format!("redundancy: {} of the games repeat an earlier one\n", per_cent(redundancy));
    for (agent, fault, times) in results.faults() {
        let games = if times == 1 { "1 game and lost it".to_owned() } else { format!("{} games and lost them", count(times)) };
        text += &format!("{} {fault} in {games}\n", run.experiment.agents[agent]);
    }
    text += &failures(results);
    text += &damage(results);
    text += &refused(results);
    text
}

/// The results of other machines that do not count, with the reason for the sender of most of them.
fn refused(results: &Results) -> String {
    let Some(words) = refused_in_words(results.refused()) else { return String::new() };
    let reason = results.refused().first().map_or("", |sender| sender.reason.as_str());
    format!("{words}; the first reason: {reason}\n")
}

/// The jobs whose games are damaged in the store.
fn damage(results: &Results) -> String {
    match results.damage().iter().filter(|damage| damage.is_replayed()).count() {
        0 => String::new(),
        1 => "damaged: 1 job; its games do not count, and it is played again when the run goes on\n".to_owned(),
        jobs => {
            let jobs = count(jobs as u64);
            format!("damaged: {jobs} jobs; their games do not count, and they are played again when the run goes on\n")
        }
    }
}

/// The jobs that could not be done, with each reason once.
pub fn failures(results: &Results) -> String {
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    results.failures().iter().for_each(|(_, error)| *reasons.entry(error).or_default() += 1);
    let line = |(error, times): (&str, u64)| {
        let jobs = if times == 1 { "1 job".to_owned() } else { format!("{} jobs", count(times)) };
        format!("failed: {jobs}: {error}\n")
    };
    reasons.into_iter().map(line).collect()
}

/// The agents of a run in a table, the strongest first: score against all, and time per move.
pub fn standings(run: &Run, results: &Results) -> String {
    let mut table = vec![["agent", "games", "score", "won drawn lost", "Elo against all", "ms a move"].map(str::to_owned)];
    table.extend(plyground_match::standings(run, results).into_iter().map(|Standing { agent, result, ms }| {
        let tally = result.tally();
        [
            agent.to_owned(),
            count(tally.games()),
            score_words(&result),
            format!("{} {} {}", tally.wins, tally.draws, tally.losses),
            if tally.games() == 0 { "-".to_owned() } else { logistic_elo(&result.sample()).to_string() },
            ms.map_or("-".to_owned(), |ms| format!("{ms:.2}")),
        ]
    }));
    let mut leans = [Lean::Right; 6];
    leans[0] = Lean::Left;
    columns(leans, &table)
}
