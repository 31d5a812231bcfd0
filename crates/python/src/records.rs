//! Records of games: those of other programs in, ours out.

use plyground_core::{GameRecord, PlayedMove, RecordedPlayer, Turn, write_records};
use plyground_session::read_any;
use pyo3::prelude::*;

use crate::errors;
use crate::game::State;

/// The records of a text in any format, each as JSON.
#[pyfunction]
pub(crate) fn records_of(text: &str) -> PyResult<Vec<String>> {
    let records = read_any(text).map_err(errors::input)?;
    Ok(records.into_iter().map(|record| write_records(&[record])).collect())
}

/// The game that led to a state as a record in JSON.
#[pyfunction]
pub(crate) fn record_of(state: &State, players: (String, String)) -> String {
    let rules = &state.game.get().rules;
    let movers = state.position.history().into_iter().map(|(turn, _)| turn == Turn::Chance);
    let played = state.position.history_text().into_iter().zip(movers);
    let name = |name: String| RecordedPlayer { name, seed: None };
    write_records(&[GameRecord {
        version: GameRecord::VERSION,
        game: rules.spec(),
        start: rules.start_text().map(str::to_owned),
        players: [name(players.0), name(players.1)],
        moves: played.map(|(text, chance)| PlayedMove { text, chance, ..PlayedMove::default() }).collect(),
        result: state.position.turn().result_word().to_owned(),
        reason: state.position.why_over(),
        points: state.position.points(),
        ..GameRecord::default()
    }])
}
