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

use crate::names::{SubjectName, WorkerName};

/// The largest message after decompression; ours are not larger. Parsed, it takes about twenty times as much memory at worst.
pub const LARGEST: usize = 4 << 20;
/// The largest message before decompression: a server takes a megabyte, unless it was told otherwise.
const LARGEST_PACKED: usize = 2 << 20;
/// The most jobs of a message.
const MOST_JOBS: usize = 20_000;
/// The most moves of a game or an opening.
const MOST_MOVES: usize = 1 << 16;
/// The longest text of a move, of the name of a job, of the reason why a game ended, and of an error.
const LONGEST_MOVE: usize = 64;
const LONGEST_ID: usize = 128;
const LONGEST_REASON: usize = 1 << 10;
const LONGEST_ERROR: usize = 1 << 16;
/// More agents than an experiment can have.
const MOST_AGENTS: usize = 1 << 20;

/// A message whose numbers and lengths are in range, once it was checked.
pub trait Bounded {
    /// What is out of range, in words.
    fn check(&self) -> Result<(), String>;
}

/// An error if a number is too large.
fn at_most(what: &str, found: usize, most: usize) -> Result<(), String> {
    if found <= most { Ok(()) } else { Err(format!("expected {what} of at most {most}, found {found}")) }
}

/// An error if a number is beyond what a store counts to.
fn countable(what: &str, number: u64) -> Result<(), String> {
    if i64::try_from(number).is_ok() { Ok(()) } else { Err(format!("expected a {what} below 2^63, found {number}")) }
}

fn moves_fit<'a>(mut moves: impl ExactSizeIterator<Item = &'a String>) -> Result<(), String> {
    at_most("a number of moves", moves.len(), MOST_MOVES)?;
    moves.try_for_each(|text| at_most("the length of a move", text.len(), LONGEST_MOVE))
}

/// Jobs of one run that one worker does one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobBatch {
    pub jobs: Vec<Job>,
}

/// The results of jobs: games, or why there are none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BatchResults {
    pub worker: WorkerName,
    /// The time that these jobs took, one after the other.
    pub seconds: f64,
    pub jobs: Vec<Vec<WireGame>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// Jobs that this worker cannot play and has not begun, for another worker.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub returned: Vec<String>,
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

impl Bounded for JobBatch {
    fn check(&self) -> Result<(), String> {
        at_most("a number of jobs", self.jobs.len(), MOST_JOBS)?;
        let Some(first) = self.jobs.first() else { return Err("expected jobs, found none".to_owned()) };
        first.run.parse::<SubjectName>()?;
        for job in &self.jobs {
            if job.run != first.run {
                return Err(format!("expected jobs of the run {}, found one of another", first.run));
            }
            at_most("the length of the name of a job", job.id.len(), LONGEST_ID)?;
            countable("pair", job.pair)?;
            job.agents.into_iter().try_for_each(|agent| at_most("the number of an agent", agent, MOST_AGENTS))?;
            moves_fit(job.opening.iter())?;
        }
        Ok(())
    }
}

impl Bounded for BatchResults {
    fn check(&self) -> Result<(), String> {
        at_most("a number of jobs", self.jobs.len(), MOST_JOBS)?;
        at_most("a number of failures", self.failures.len(), MOST_JOBS)?;
        for failure in &self.failures {
            at_most("the length of the name of a job", failure.job.len(), LONGEST_ID)?;
            at_most("the length of an error", failure.error.len(), LONGEST_ERROR)?;
        }
        at_most("a number of jobs", self.returned.len(), MOST_JOBS)?;
        self.returned.iter().try_for_each(|job| at_most("the length of the name of a job", job.len(), LONGEST_ID))?;
        self.jobs.iter().flatten().try_for_each(WireGame::check)
    }
}

impl WireGame {
    /// The name of its job.
    pub fn job(&self) -> &str {
        &self.job
    }

    fn check(&self) -> Result<(), String> {
        at_most("the length of the name of a job", self.job.len(), LONGEST_ID)?;
        at_most("the length of a reason", self.reason.len(), LONGEST_REASON)?;
        at_most("the length of a fault", self.fault.as_ref().map_or(0, String::len), LONGEST_MOVE)?;
        countable("pair", self.pair)?;
        self.agents.into_iter().try_for_each(|agent| at_most("the number of an agent", agent, MOST_AGENTS))?;
        moves_fit(self.moves.iter())?;
        at_most("an opening", self.opening, self.moves.len())?;
        let columns = [self.movers.len(), self.ms.len(), self.values.len()];
        if columns != [self.moves.len(); 3] {
            return Err(format!("expected columns of {} moves, found {columns:?}", self.moves.len()));
        }
        if self.movers.bytes().all(|letter| b"12~".contains(&letter)) {
            return Ok(());
        }
        Err("expected 1, 2 or ~ as the mover of every move, found another letter".to_owned())
    }
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
            // What a player that crashed has said may be longer.
            reason: row.reason[..row.reason.floor_char_boundary(LONGEST_REASON)].to_owned(),
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
    packed_with_length(value).0
}

/// The same, with the length before compression.
pub fn packed_with_length<T: Serialize>(value: &T) -> (Bytes, usize) {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
    let text = serde_json::to_vec(value).expect("what travels is plain data");
    let bytes = packer.write_all(&text).and_then(|()| packer.finish()).expect("memory can be written to");
    (bytes.into(), text.len())
}

/// The unpacked message; a reason in words if it cannot be understood or is out of bounds.
pub fn unpacked<T: DeserializeOwned + Bounded>(bytes: &[u8]) -> Result<T, String> {
    at_most("a message (in bytes)", bytes.len(), LARGEST_PACKED)?;
    let mut text = Vec::new();
    ZlibDecoder::new(bytes).take(LARGEST as u64 + 1).read_to_end(&mut text).map_err(|error| error.to_string())?;
    at_most("a message (in bytes, after decompression)", text.len(), LARGEST)?;
    let message: T = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    message.check()?;
    Ok(message)
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
        let sent = BatchResults {
            worker: WorkerName::of("w"),
            seconds: 1.5,
            jobs: vec![vec![WireGame::from(&row)]],
            ..BatchResults::default()
        };
        let bytes = packed(&sent);
        let found: BatchResults = unpacked(&bytes).unwrap();
        assert_eq!(found, sent);
        assert_eq!(GameRow::from(found.jobs[0][0].clone()), row);
        let long = GameRow { reason: "é".repeat(LONGEST_REASON) + "x", ..row };
        assert_eq!(WireGame::from(&long).reason, "é".repeat(LONGEST_REASON / 2), "the last words of a crash may be long");
        assert!(unpacked::<BatchResults>(b"rubbish").is_err());
        assert!(unpacked::<BatchResults>(&bytes[..bytes.len() / 2]).is_err());
    }
    /// Any JSON, packed.
    struct Rubbish(serde_json::Value);

    impl Serialize for Rubbish {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.0.serialize(serializer)
        }
    }

    fn refusal(value: serde_json::Value) -> String {
        unpacked::<BatchResults>(&packed(&Rubbish(value))).unwrap_err()
    }

    #[test]
    fn messages_out_of_bounds_are_refused_before_they_take_memory() {
        let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
        for _ in 0..20 {
            packer.write_all(&vec![b' '; 1 << 20]).unwrap();
        }
        let bomb = packer.finish().unwrap();
        assert!(bomb.len() < 300_000, "a message that a server takes");
        let error = unpacked::<BatchResults>(&bomb).unwrap_err();
        assert!(error.contains("after decompression) of at most 4194304"), "{error}");
        assert!(unpacked::<BatchResults>(&vec![0; LARGEST_PACKED + 1]).unwrap_err().contains("expected a message"));
    }

    #[test]
    fn numbers_and_columns_that_do_not_fit_are_refused() {
        let game = serde_json::json!({"job": "r-1", "pair": 0, "number": 0, "agents": [0, 1], "winner": null, "margin": 0,
            "reason": "", "fault": null, "points": null, "opening": 0, "moves": ["a1"], "movers": "1", "ms": [1.0],
            "values": [null], "ended": 0});
        let sent = |key: &str, value: serde_json::Value| {
            let mut game = game.clone();
            game[key] = value;
            serde_json::json!({"worker": "w", "seconds": 1.0, "jobs": [[game]]})
        };
        assert!(unpacked::<BatchResults>(&packed(&Rubbish(sent("pair", 5.into())))).is_ok());
        for (key, value) in [
            ("pair", ((1_u64 << 63) + 5).into()),
            ("agents", serde_json::json!([0, 1_u64 << 40])),
            ("opening", 2.into()),
            ("movers", "12".into()),
            ("movers", "x".into()),
            ("ms", serde_json::json!([])),
            ("moves", serde_json::json!(["x".repeat(65)])),
            ("job", "x".repeat(129).into()),
            ("reason", "x".repeat(LONGEST_REASON + 1).into()),
        ] {
            assert!(refusal(sent(key, value)).contains("expected"), "{key}");
        }
        assert!(
            refusal(serde_json::json!({"worker": "w", "seconds": 1.0, "jobs": [], "returned": ["x".repeat(129)]}))
                .contains("expected")
        );
        assert!(refusal(serde_json::json!({"worker": "\u{1b}[2J", "seconds": 1.0, "jobs": []})).contains("name of a worker"));
        let job = |run: &str| Job { id: "i".into(), run: run.into(), agents: [0, 1], pair: 0, opening: Vec::new() };
        for jobs in [vec![], vec![job("a.b")], vec![job("a"), job("b")], vec![Job { pair: u64::MAX, ..job("a") }]] {
            assert!(unpacked::<JobBatch>(&packed(&JobBatch { jobs })).is_err());
        }
    }
}
