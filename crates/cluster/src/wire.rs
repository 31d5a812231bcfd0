//! Messages on the wire: batches of jobs to the workers, games back.

use std::io::{Read as _, Write as _};

use bytes::Bytes;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use plyground_core::{Outcome, PlayedMove, Player};
use plyground_match::{GameRow, Job};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The largest message after decompression; ours are never larger.
const LARGEST: u64 = 256 << 20;

/// Jobs of one run that one worker does one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobBatch {
    pub jobs: Vec<Job>,
}

/// The results of jobs: games, or why there are none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BatchResults {
    pub worker: String,
    /// The time that these jobs took, one after the other.
    pub seconds: f64,
    pub jobs: Vec<Vec<WireGame>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
}

/// A job that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    pub job: String,
    pub error: String,
    /// True if this job is known to be the cause, and not another one of the same batch.
    pub certain: bool,
}

/// A game with its moves in columns: a third of the size of a list of moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WireGame {
    job: String,
    pair: u64,
    /// The first or the second of its pair.
    number: u8,
    agents: [usize; 2],
    winner: Option<Player>,
    margin: i32,
    reason: String,
    fault: Option<String>,
    points: Option<[i32; 2]>,
    opening: usize,
    moves: Vec<String>,
    /// 1, 2, and ~ for chance.
    movers: String,
    ms: Vec<Option<f32>>,
    values: Vec<Option<f32>>,
    ended: i64,
}

impl From<&GameRow> for WireGame {
    fn from(row: &GameRow) -> Self {
        let letter = |mover: &Option<Player>| match mover {
            Some(Player::First) => '1',
            Some(Player::Second) => '2',
            None => '~',
        };
        Self {
            job: row.job.clone(),
            pair: row.pair,
            number: row.game,
            agents: row.agents,
            winner: row.outcome.winner,
            margin: row.outcome.margin,
            reason: row.reason.clone(),
            fault: row.fault.clone(),
            points: row.points,
            opening: row.opening,
            moves: row.moves.iter().map(|played| played.text.clone()).collect(),
            movers: row.movers.iter().map(letter).collect(),
            ms: row.moves.iter().map(|played| played.ms.map(|ms| ms as f32)).collect(),
            values: row.moves.iter().map(|played| played.value).collect(),
            ended: row.ended,
        }
    }
}

impl From<WireGame> for GameRow {
    fn from(game: WireGame) -> Self {
        let mover = |letter: char| match letter {
            '1' => Some(Player::First),
            '2' => Some(Player::Second),
            _ => None,
        };
        let movers: Vec<Option<Player>> = game.movers.chars().map(mover).collect();
        let numbers = game.ms.into_iter().zip(game.values);
        let played = game.moves.into_iter().zip(&movers).zip(numbers);
        let moves =
            played.map(|((text, mover), (ms, value))| PlayedMove { text, chance: mover.is_none(), ms: ms.map(f64::from), value });
        Self {
            moves: moves.collect(),
            job: game.job,
            pair: game.pair,
            game: game.number,
            agents: game.agents,
            outcome: Outcome { winner: game.winner, margin: game.margin },
            reason: game.reason,
            fault: game.fault,
            points: game.points,
            opening: game.opening,
            movers,
            ended: game.ended,
        }
    }
}

/// Anything as compressed JSON.
pub fn packed<T: Serialize>(value: &T) -> Bytes {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
    let text = serde_json::to_vec(value).expect("what travels is plain data");
    packer.write_all(&text).and_then(|()| packer.finish()).expect("memory can be written to").into()
}

/// What was packed; a reason in words if it cannot be understood.
pub fn unpacked<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let mut text = Vec::new();
    ZlibDecoder::new(bytes).take(LARGEST).read_to_end(&mut text).map_err(|error| error.to_string())?;
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_comes_out_as_it_went_in_and_rubbish_does_not() {
        let played = |text: &str, chance, ms, value| PlayedMove { text: text.to_owned(), chance, ms, value };
        let row = GameRow {
            job: "run-1".to_owned(),
            pair: 3,
            game: 1,
            agents: [1, 0],
            outcome: Outcome { winner: Some(Player::Second), margin: 4 },
            reason: "Black has won".to_owned(),
            fault: None,
            points: Some([1, 5]),
            opening: 1,
            moves: vec![
                played("a1a2", false, None, None),
                played("@-", true, None, None),
                played("b2", false, Some(0.5), Some(-0.25)),
            ],
            movers: vec![Some(Player::First), None, Some(Player::Second)],
            ended: 77,
        };
        let sent =
            BatchResults { worker: "w".to_owned(), seconds: 1.5, jobs: vec![vec![WireGame::from(&row)]], failures: Vec::new() };
        let bytes = packed(&sent);
        let found: BatchResults = unpacked(&bytes).unwrap();
        assert_eq!(found, sent);
        assert_eq!(GameRow::from(found.jobs[0][0].clone()), row);
        assert!(unpacked::<BatchResults>(b"rubbish").is_err());
        assert!(unpacked::<BatchResults>(&bytes[..bytes.len() / 2]).is_err());
    }
}
