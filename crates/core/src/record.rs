//! Played games as text: one JSON object a line, with a version.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::InputError;

/// A game as it was played, or as far as it was played.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a JSON object with a game")]
pub struct GameRecord {
    /// The version of the format.
    #[serde(rename = "plyground")]
    pub version: u32,
    /// The game with its parameters.
    pub game: String,
    /// The position it began with, where that is not the usual start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The players, in the order in which they move.
    pub players: [RecordedPlayer; 2],
    /// The seed of the game (its chance events).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Moves and outcomes of chance in their order.
    pub moves: Vec<PlayedMove>,
    /// `first`, `second`, `draw` or `open`.
    pub result: String,
    /// Why it ended, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The points of both players, in games with points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<[i32; 2]>,
    /// When it was played, as the writer of the record puts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Anything else worth keeping, such as the headers of an imported format.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
}

/// A player of a recorded game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a player like {\"name\":\"random\"}")]
pub struct RecordedPlayer {
    /// A name, or the agent spec.
    pub name: String,
    /// The seed of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// One move, or one outcome of chance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a move like {\"move\":\"b2\"}")]
pub struct PlayedMove {
    /// The move as text.
    #[serde(rename = "move")]
    pub text: String,
    /// Was it chance?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chance: bool,
    /// Thinking time in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<f64>,
    /// What the mover expected, from -1 to +1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f32>,
}

impl GameRecord {
    /// The version that this program writes, and the newest that it reads.
    pub const VERSION: u32 = 1;
}

/// Reads records, one JSON object a line; empty lines are skipped. A record that is broken, cut off or from a newer program is an
/// error that names its line.
pub fn read_records(text: &str) -> Result<Vec<GameRecord>, InputError> {
    #[derive(Deserialize)]
    struct Version {
        plyground: Option<u32>,
    }
    let mut records = Vec::new();
    // Editors of some systems put a mark in front of a text.
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let broken = |detail: String| InputError::malformed("record", line, format!("line {}: {detail}", index + 1));
        let json = |error: serde_json::Error| {
            if error.is_eof() {
                broken("it is cut off: the JSON object does not end".to_owned())
            } else {
                broken(format!("not the JSON of a game: {error}"))
            }
        };
        match serde_json::from_str::<Version>(line).map_err(json)?.plyground {
            Some(GameRecord::VERSION) => {}
            Some(version) if version > GameRecord::VERSION => {
                let known = GameRecord::VERSION;
                return Err(broken(format!("it has version {version}, from a newer Plyground; this one reads up to {known}")));
            }
            Some(version) => return Err(broken(format!("there is no version {version} of the format"))),
            None => return Err(broken("expected the version of the format, \"plyground\":1".to_owned())),
        }
        let record: GameRecord = serde_json::from_str(line).map_err(json)?;
        check(&record).map_err(broken)?;
        records.push(record);
    }
    Ok(records)
}

/// The records of a text with their lines, counted from 1.
pub fn split_records(text: &str) -> Vec<(usize, &str)> {
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    lines.filter(|(_, line)| !line.trim().is_empty()).map(|(index, line)| (index + 1, line)).collect()
}

/// What the form of a record alone does not say.
fn check(record: &GameRecord) -> Result<(), String> {
    if !["first", "second", "draw", "open"].contains(&record.result.as_str()) {
        return Err(format!("expected the result first, second, draw or open, found '{}'", record.result));
    }
    for (index, played) in record.moves.iter().enumerate() {
        let number = index + 1;
        if let Some(value) = played.value.filter(|value| !(-1.0..=1.0).contains(value)) {
            return Err(format!("move {number}: expected a value from -1 to 1, found {value}"));
        }
        if let Some(ms) = played.ms.filter(|ms| !(0.0..=1e15).contains(ms)) {
            return Err(format!("move {number}: expected a time in milliseconds, found {ms}"));
        }
    }
    Ok(())
}

/// Writes records, one JSON object a line.
pub fn write_records(records: &[GameRecord]) -> String {
    let line = |record| serde_json::to_string(record).expect("a record has only string keys and finite numbers");
    records.iter().map(|record| line(record) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> GameRecord {
        GameRecord {
            version: GameRecord::VERSION,
            game: "mnk:size=3x3,k=3".to_owned(),
            players: [
                RecordedPlayer { name: "random".to_owned(), seed: Some(u64::MAX) },
                RecordedPlayer { name: "Ada".to_owned(), seed: None },
            ],
            seed: Some(7),
            moves: vec![
                PlayedMove { text: "b2".to_owned(), ms: Some(0.25), value: Some(-0.5), ..PlayedMove::default() },
                PlayedMove { text: "@-".to_owned(), chance: true, ..PlayedMove::default() },
            ],
            result: "open".to_owned(),
            ..GameRecord::default()
        }
    }

    #[test]
    fn records_round_trip() {
        let records = [sample(), GameRecord { points: Some([1, 14]), result: "second".to_owned(), ..sample() }];
        assert_eq!(read_records(&write_records(&records)).unwrap(), records);
    }

    #[test]
    fn numbers_come_back_exactly() {
        // Found by fuzzing: the quick way of reading decimal numbers is off by a bit now and then.
        let mut record = sample();
        for number in [123_456_789.123_456_78, 0.1 + 0.2, 1.0 / 3.0, 522_222_220_000_000.1] {
            record.moves[0].ms = Some(number);
            assert_eq!(read_records(&write_records(&[record.clone()])).unwrap(), [record.clone()]);
        }
    }

    #[test]
    fn broken_records_are_refused_with_their_line() {
        let good = write_records(&[sample()]);
        let cases = [
            (good[..good.len() / 2].to_owned(), "line 1: it is cut off"),
            (good.replace("\"plyground\":1", "\"plyground\":2"), "from a newer Plyground"),
            (good.replace("\"plyground\":1", "\"plyground\":0"), "no version 0"),
            (good.replace("\"plyground\":1,", ""), "expected the version"),
            (good.replace("\"open\"", "\"won\""), "expected the result"),
            (format!("{good}\nhello"), "line 3: not the JSON of a game"),
            (good.replace("\"moves\"", "\"mooves\""), "mooves"),
            (good.replace("{\"move\":\"@-\",\"chance\":true}", "\"b2\""), "expected a move like"),
            (good.replace("-0.5", "1.5"), "move 1: expected a value from -1 to 1"),
            (good.replace("0.25", "-1.0"), "move 1: expected a time in milliseconds"),
        ];
        for (text, message) in cases {
            let error = read_records(&text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
