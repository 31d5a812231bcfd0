//! The table of a run, and its numbers for programs.

use plyground_core::Player;
use plyground_statistics::{CONFIDENCE, MatchResult, logistic_elo};
use serde_json::{Value, json};

use crate::{RefusedResults, Results, Run};

/// The result of an agent against all others.
#[derive(Clone, Debug)]
pub struct Standing<'a> {
    /// The agent.
    pub agent: &'a str,
    /// All of its games, in its view.
    pub result: MatchResult,
    /// Milliseconds that it thinks about a move, on the average.
    pub ms: Option<f64>,
}

/// The agents of a run by their score against all, the strongest first.
pub fn standings<'a>(run: &'a Run, results: &Results) -> Vec<Standing<'a>> {
    let standing =
        |(number, agent): (usize, &'a String)| Standing { agent, result: results.of(number), ms: results.mean_ms(number) };
    let mut table: Vec<Standing<'_>> = run.experiment.agents.iter().enumerate().map(standing).collect();
    table.sort_by(|a, b| b.result.sample().mean.total_cmp(&a.result.sample().mean));
    table
}

/// The numbers of a match for programs.
pub fn match_json(agents: [&str; 2], result: &MatchResult, redundancy: f64) -> Value {
    let mut page = score_json(result);
    let seat = |player: Player| {
        let tally = result[player.index()];
        json!({"wins": tally.wins, "draws": tally.draws, "losses": tally.losses})
    };
    page["agents"] = json!(agents);
    page["pairs"] = json!(result.pairs());
    page["as_first"] = seat(Player::First);
    page["as_second"] = seat(Player::Second);
    page["redundancy"] = redundancy.into();
    page
}

/// The score with its interval, and Elo with its error.
fn score_json(result: &MatchResult) -> Value {
    let (tally, sample) = (result.tally(), result.sample());
    let interval = sample.interval(CONFIDENCE);
    let elo = logistic_elo(&sample);
    json!({
        "games": tally.games(),
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "score": sample.mean,
        "score_low": interval.low,
        "score_high": interval.high,
        "elo": elo.value(),
        "elo_error": elo.error(),
        "elo_words": elo.to_string(),
    })
}

impl Standing<'_> {
    /// A row of the table for programs.
    pub fn json(&self) -> Value {
        let mut row = score_json(&self.result);
        row["agent"] = self.agent.into();
        row["ms"] = self.ms.into();
        row
    }
}

/// All results of a run for programs.
pub fn results_json(run: &Run, results: &Results) -> Value {
    let agents = &run.experiment.agents;
    let matches: Vec<Value> = results
        .matches()
        .map(|(pairing, result)| {
            match_json(pairing.map(|agent| agents[agent].as_str()), result, results.redundancy_between(pairing))
        })
        .collect();
    let faults: Vec<Value> =
        results.faults().map(|(agent, fault, games)| json!({"agent": agents[agent], "fault": fault, "games": games})).collect();
    let [first, draws, second] = results.by_seat();
    let mut page = json!({
        "run": run.id,
        "game": run.experiment.game,
        "agents": agents,
        "matches": matches,
        "games": results.games(),
        "first_won": first,
        "drawn": draws,
        "second_won": second,
        "plies": results.mean_plies(),
        "redundancy": results.redundancy(),
        "faults": faults,
    });
    add_uncounted(&mut page, results);
    page
}

/// Adds to the numbers of a run what does not count, where there is such a thing: damage of the store, and refused results.
pub fn add_uncounted(page: &mut Value, results: &Results) {
    if !results.damage().is_empty() {
        page["damage"] = results.damage().iter().map(ToString::to_string).collect();
    }
    if !results.refused().is_empty() {
        page["refused"] = refused_json(results.refused());
    }
}

/// Refused results for programs, by sender; not all of them, since a liar may sign with any number of names.
fn refused_json(refused: &[RefusedResults]) -> Value {
    const NAMED: usize = 100;
    let results: u64 = refused.iter().map(|sender| sender.results).sum();
    json!({"results": results, "senders": refused.len(), "most": refused.iter().take(NAMED).collect::<Vec<_>>()})
}
