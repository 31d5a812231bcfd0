//! Runs as JSON.

use plyground_match::{Format, Results, RunRow, Seats, Standing, results_json, standings};
use serde_json::{Value, json};

/// A run with its results and standings, without its opening lines.
pub fn page(row: &RunRow, results: &Results, state: &str) -> Value {
    let mut page = results_json(&row.run, results);
    page["standings"] = standings(&row.run, results).iter().map(Standing::json).collect();
    for (key, value) in head(row, state) {
        page[key] = value;
    }
    page
}

/// A run as a line of the list, with the leader if the results are known and agents have met others.
pub fn line(row: &RunRow, results: Option<&Results>, state: &str) -> Value {
    let mut line = json!({"run": row.run.id, "game": row.run.experiment.game, "agents": row.run.experiment.agents});
    for (key, value) in head(row, state) {
        line[key] = value;
    }
    line["games"] = row.games.into();
    let met = |results: &Results| results.matches().any(|([one, other], _)| one != other);
    line["leader"] = results
        .filter(|results| met(results))
        .and_then(|results| standings(&row.run, results).first().map(Standing::json))
        .unwrap_or_default();
    line
}

fn head(row: &RunRow, state: &str) -> [(&'static str, Value); 8] {
    let experiment = &row.run.experiment;
    let format = match experiment.format {
        Format::RoundRobin | Format::Games { rounds: None, .. } => "round-robin",
        Format::Gauntlet => "gauntlet",
        Format::SelfPlay => "self-play",
        Format::Swiss { .. } | Format::Games { rounds: Some(_), .. } => "swiss",
    };
    let unit = match experiment.seats {
        Seats::Swapped => "pairs",
        Seats::Fixed => "games",
    };
    [
        ("state", state.into()),
        ("format", format.into()),
        ("unit", unit.into()),
        ("seed", experiment.seed.into()),
        ("command", row.command.as_str().into()),
        ("begun", row.begun.into()),
        ("pairs", row.pairs.into()),
        ("done", row.done.into()),
    ]
}
