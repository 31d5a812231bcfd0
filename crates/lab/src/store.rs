//! The store: one SQLite file that keeps every run, every job and every game.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plyground_core::{GameRecord, Outcome, PlayedMove, Player, RecordedPlayer, Seed};
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use crate::arena::Played;
use crate::queue::{Job, Lease, Queue, Worker};
use crate::{Experiment, LabError, Run};

/// Marks a SQLite file as ours.
const APPLICATION: i32 = 0x504c_5947;
/// The layout of the tables.
const VERSION: i32 = 1;

/// A lease that nobody extends ends after this time.
const LEASE: Duration = Duration::from_secs(10);
/// How soon to ask again when others have all that is left.
const ASK_AGAIN: Duration = Duration::from_millis(200);
/// Another process may write at the same time.
const PATIENCE: Duration = Duration::from_mins(1);

const TABLES: &str = "
    CREATE TABLE runs (
        id TEXT PRIMARY KEY,
        settings TEXT NOT NULL,
        command TEXT NOT NULL,
        begun INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE jobs (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        first INTEGER NOT NULL,
        second INTEGER NOT NULL,
        pair INTEGER NOT NULL,
        opening TEXT NOT NULL,
        done INTEGER NOT NULL DEFAULT 0,
        worker TEXT,
        until INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX open_jobs ON jobs (run, done, number);
    CREATE TABLE games (
        job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
        game INTEGER NOT NULL,
        run TEXT NOT NULL,
        first INTEGER NOT NULL,
        second INTEGER NOT NULL,
        result TEXT NOT NULL,
        reason TEXT NOT NULL,
        fault TEXT,
        points TEXT,
        opening INTEGER NOT NULL,
        moves TEXT NOT NULL,
        times BLOB NOT NULL,
        expectations BLOB NOT NULL,
        ended INTEGER NOT NULL,
        PRIMARY KEY (job, game)
    ) WITHOUT ROWID;
    CREATE INDEX games_of_runs ON games (run, first, second);
";

/// One SQLite file with everything that was ever played.
pub struct Store {
    file: PathBuf,
    connection: Mutex<Connection>,
}

/// A run as the store knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// Its name and settings.
    pub run: Run,
    /// The command that began it.
    pub command: String,
    /// When it began, in seconds since 1970.
    pub begun: i64,
    /// Pairs that are asked for.
    pub pairs: u64,
    /// Pairs that are played.
    pub done: u64,
    /// Games that are kept.
    pub games: u64,
}

/// A game as the store keeps it.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRow {
    /// The job that it belongs to.
    pub job: String,
    /// The number of the pair between these two.
    pub pair: u64,
    /// 0 for the first game of a pair, 1 for the one with the seats swapped.
    pub game: u8,
    /// The agents by number, in the order in which they moved.
    pub agents: [usize; 2],
    /// How it ended.
    pub outcome: Outcome,
    /// Why.
    pub reason: String,
    /// The fault of the loser, in a word.
    pub fault: Option<String>,
    /// The points of both players.
    pub points: Option<[i32; 2]>,
    /// How many of the moves are the opening.
    pub opening: usize,
    /// All moves.
    pub moves: Vec<PlayedMove>,
    /// When it ended, in seconds since 1970.
    pub ended: i64,
}

impl GameRow {
    /// Game number 0 or 1 of a job, as it was just played.
    pub fn new(job: &Job, game: u8, played: Played) -> Self {
        Self {
            job: job.id.clone(),
            pair: job.pair,
            game,
            agents: if game == 0 { job.agents } else { [job.agents[1], job.agents[0]] },
            outcome: played.outcome,
            reason: played.reason,
            fault: played.fault.map(|(_, fault)| fault.word().to_owned()),
            points: played.points,
            opening: played.opening,
            moves: played.moves,
            ended: now().as_secs() as i64,
        }
    }

    /// Two games with the same moves have the same hash.
    pub fn hash(&self) -> u64 {
        self.moves.iter().fold(Seed(0), |hash, played| hash.named(&played.text)).0
    }

    /// The game as a record that stands for itself.
    pub fn record(&self, experiment: &Experiment) -> GameRecord {
        let seats = if self.game == 0 { self.agents } else { [self.agents[1], self.agents[0]] };
        let seed = experiment.pair_seed(seats, self.pair);
        let player = |seat: usize| RecordedPlayer { name: experiment.agents[self.agents[seat]].clone(), seed: None };
        GameRecord {
            version: GameRecord::VERSION,
            game: experiment.game.clone(),
            players: [player(0), player(1)],
            seed: Some(seed.0),
            moves: self.moves.clone(),
            result: self.outcome.word().to_owned(),
            reason: self.reason.clone(),
            points: self.points,
            ..GameRecord::default()
        }
    }
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

impl Store {
    /// Opens the store in a file, or makes it. A file that is something else, damaged, or from a newer program is refused untouched.
    pub fn open(file: &Path) -> Result<Self, LabError> {
        if let Some(parent) = file.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            std::fs::create_dir_all(parent).map_err(|error| LabError::Write { file: file.to_owned(), error })?;
        }
        let wrap = |error: rusqlite::Error| refused(file, error);
        let mut connection = Connection::open(file).map_err(wrap)?;
        connection.busy_timeout(PATIENCE).map_err(wrap)?;
        // Two processes may both find the file empty: one of them makes the tables.
        let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(wrap)?;
        let number = |name: &str| begun.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i32>(0)).map_err(wrap);
        let tables: i64 = begun.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)).map_err(wrap)?;
        let (application, version) = (number("application_id")?, number("user_version")?);
        let foreign = |detail: String| Err(LabError::Foreign { file: file.to_owned(), detail });
        match (tables, application, version) {
            (0, 0, 0) => {
                begun.execute_batch(TABLES).map_err(wrap)?;
                begun
                    .execute_batch(&format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}"))
                    .map_err(wrap)?;
            }
            (_, APPLICATION, VERSION) => {}
            (_, APPLICATION, newer) if newer > VERSION => {
                return foreign(format!(
                    "expected a store of version {VERSION} or older, found version {newer}, from a newer ply"
                ));
            }
            _ => return foreign("expected a store of ply, found a database of another program".to_owned()),
        }
        begun.commit().map_err(wrap)?;
        // Readers do not wait for writers, and what is committed survives the end of the process.
        connection
            .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
            .map_err(wrap)?;
        Ok(Self { file: file.to_owned(), connection: Mutex::new(connection) })
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // A thread that panicked has left no transaction open: they end with their guards.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wrap(&self, error: rusqlite::Error) -> LabError {
        refused(&self.file, error)
    }

    /// Takes up a run; nothing happens if it is there.
    pub fn begin(&self, run: &Run, command: &str) -> Result<(), LabError> {
        let settings = serde_json::to_string(&run.experiment).expect("settings are plain data");
        self.connection()
            .execute(
                "INSERT OR IGNORE INTO runs (id, settings, command, begun) VALUES (?1, ?2, ?3, ?4)",
                params![run.id, settings, command, now().as_secs() as i64],
            )
            .map(|_| ())
            .map_err(|error| self.wrap(error))
    }

    /// All runs, the newest first.
    pub fn runs(&self) -> Result<Vec<RunRow>, LabError> {
        let connection = self.connection();
        let query = "SELECT id, settings, command, begun,
                (SELECT count(*) FROM jobs WHERE run = runs.id), (SELECT count(*) FROM jobs WHERE run = runs.id AND done = 1),
                (SELECT count(*) FROM games WHERE run = runs.id)
            FROM runs ORDER BY begun DESC, id";
        let read = |row: &Row<'_>| {
            let settings: String = row.get(1)?;
            let experiment = serde_json::from_str(&settings).map_err(|error| unreadable(1, error))?;
            Ok(RunRow {
                run: Run { id: row.get(0)?, experiment },
                command: row.get(2)?,
                begun: row.get(3)?,
                pairs: row.get(4)?,
                done: row.get(5)?,
                games: row.get(6)?,
            })
        };
        let rows = connection.prepare(query).and_then(|mut statement| statement.query_map([], read)?.collect());
        rows.map_err(|error| self.wrap(error))
    }

    /// Forgets a run with all its games; false if there was none.
    pub fn remove(&self, run: &str) -> Result<bool, LabError> {
        let removed = self.connection().execute("DELETE FROM runs WHERE id = ?1", [run]);
        removed.map(|count| count > 0).map_err(|error| self.wrap(error))
    }

    /// Keeps games of a run. Those that are kept already stay as they are.
    pub fn keep(&self, run: &str, games: &[GameRow]) -> Result<(), LabError> {
        let mut connection = self.connection();
        let insert = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for game in games {
                insert_game(&transaction, run, game)?;
            }
            transaction.commit()
        };
        insert(&mut connection).map_err(|error| self.wrap(error))
    }

    /// Calls `take` for every game of a run, in the order of the pairs.
    pub fn games(&self, run: &str, mut take: impl FnMut(GameRow)) -> Result<(), LabError> {
        let connection = self.connection();
        let query = "SELECT games.job, jobs.pair, games.game, games.first, games.second, result, reason, fault, points,
                games.opening, moves, times, expectations, ended
            FROM games JOIN jobs ON jobs.id = games.job WHERE games.run = ?1 ORDER BY jobs.number, games.game";
        let mut read_all = || {
            let mut statement = connection.prepare_cached(query)?;
            let mut rows = statement.query([run])?;
            while let Some(row) = rows.next()? {
                take(game_row(row)?);
            }
            Ok(())
        };
        read_all().map_err(|error| self.wrap(error))
    }

    /// The run whose name begins like this; an error in words if there is none, or more than one.
    pub fn find(&self, name: &str) -> Result<RunRow, LabError> {
        let mut runs = self.runs()?;
        let known = runs.iter().map(|row| row.run.id.clone()).collect::<Vec<_>>();
        runs.retain(|row| row.run.id.starts_with(name));
        match runs.len() {
            1 => Ok(runs.remove(0)),
            0 => Err(plyground_core::InputError::unknown("run", name, known).into()),
            many => Err(plyground_core::InputError::malformed("run", name, format!("{many} runs begin like this")).into()),
        }
    }
}

/// Stands before an outcome of chance, so that moves can be told from them without the game.
const CHANCE: char = '~';

fn marked(played: &PlayedMove) -> String {
    if played.chance { format!("{CHANCE}{}", played.text) } else { played.text.clone() }
}

fn insert_game(connection: &Connection, run: &str, game: &GameRow) -> rusqlite::Result<usize> {
    let mut statement = connection.prepare_cached(
        "INSERT OR IGNORE INTO games
            (job, game, run, first, second, result, reason, fault, points, opening, moves, times, expectations, ended)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?;
    let texts: Vec<String> = game.moves.iter().map(marked).collect();
    statement.execute(params![
        game.job,
        game.game,
        run,
        game.agents[0],
        game.agents[1],
        game.outcome.word(),
        game.reason,
        game.fault,
        game.points.map(|[first, second]| format!("{first} {second}")),
        game.opening,
        texts.join(" "),
        packed(game.moves.iter().map(|played| played.ms.map(|ms| ms as f32))),
        packed(game.moves.iter().map(|played| played.value)),
        game.ended,
    ])
}

/// Numbers as 32-bit floats; one that is missing is not a number.
fn packed(numbers: impl Iterator<Item = Option<f32>>) -> Vec<u8> {
    numbers.flat_map(|number| number.unwrap_or(f32::NAN).to_le_bytes()).collect()
}

fn unpacked(bytes: &[u8]) -> impl Iterator<Item = Option<f32>> {
    let numbers = bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().expect("chunks of four")));
    numbers.map(|number| (!number.is_nan()).then_some(number))
}

fn unreadable(column: usize, error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
}

fn game_row(row: &Row<'_>) -> rusqlite::Result<GameRow> {
    let result: String = row.get(5)?;
    let outcome = match result.as_str() {
        "first" => Outcome::win(Player::First),
        "second" => Outcome::win(Player::Second),
        _ => Outcome::DRAW,
    };
    let points: Option<String> = row.get(8)?;
    let points = points.and_then(|text| {
        let (first, second) = text.split_once(' ')?;
        Some([first.parse().ok()?, second.parse().ok()?])
    });
    let (moves, times, expectations): (String, Vec<u8>, Vec<u8>) = (row.get(10)?, row.get(11)?, row.get(12)?);
    let played = moves.split_whitespace().zip(unpacked(&times).zip(unpacked(&expectations)));
    let played = played.map(|(text, (ms, value))| PlayedMove {
        text: text.trim_start_matches(CHANCE).to_owned(),
        chance: text.starts_with(CHANCE),
        ms: ms.map(f64::from),
        value,
    });
    Ok(GameRow {
        job: row.get(0)?,
        pair: row.get(1)?,
        game: row.get(2)?,
        agents: [row.get(3)?, row.get(4)?],
        outcome,
        reason: row.get(6)?,
        fault: row.get(7)?,
        points,
        opening: row.get(9)?,
        moves: played.collect(),
        ended: row.get(13)?,
    })
}

/// What the database said, in words where they are ours to give.
fn refused(file: &Path, error: rusqlite::Error) -> LabError {
    let detail = match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => "expected a store of ply (SQLite), found something else",
        Some(rusqlite::ErrorCode::DatabaseCorrupt) => "the database is damaged",
        _ => return LabError::Database { file: file.to_owned(), error },
    };
    LabError::Foreign { file: file.to_owned(), detail: detail.to_owned() }
}

impl Queue for Store {
    fn push(&self, jobs: &[Job]) -> Result<usize, LabError> {
        let mut connection = self.connection();
        let insert = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut new = 0;
            {
                let mut statement = transaction.prepare_cached(
                    "INSERT OR IGNORE INTO jobs (id, run, first, second, pair, opening) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?;
                for job in jobs {
                    let [first, second] = job.agents;
                    new += statement.execute(params![job.id, job.run, first, second, job.pair, job.opening.join(" ")])?;
                }
            }
            transaction.commit().map(|()| new)
        };
        insert(&mut connection).map_err(|error| self.wrap(error))
    }

    fn lease(&self, run: &str, worker: &Worker, most: usize) -> Result<Lease, LabError> {
        let mut connection = self.connection();
        let take = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let time = now().as_millis() as i64;
            let taken = {
                let mut statement = transaction.prepare_cached(
                    "UPDATE jobs SET worker = ?1, until = ?2 WHERE number IN
                        (SELECT number FROM jobs WHERE run = ?3 AND done = 0 AND until < ?4 ORDER BY number LIMIT ?5)
                        RETURNING id, run, first, second, pair, opening",
                )?;
                let until = time + LEASE.as_millis() as i64;
                let jobs = statement.query_map(params![worker.0, until, run, time, most], |row| {
                    let opening: String = row.get(5)?;
                    Ok(Job {
                        id: row.get(0)?,
                        run: row.get(1)?,
                        agents: [row.get(2)?, row.get(3)?],
                        pair: row.get(4)?,
                        opening: opening.split_whitespace().map(str::to_owned).collect(),
                    })
                })?;
                jobs.collect::<rusqlite::Result<Vec<Job>>>()?
            };
            let left: Option<i64> = transaction
                .query_row("SELECT 1 FROM jobs WHERE run = ?1 AND done = 0 LIMIT 1", [run], |row| row.get(0))
                .optional()?;
            transaction.commit()?;
            Ok(match (taken.is_empty(), left) {
                (false, _) => Lease::Jobs(taken),
                (true, Some(_)) => Lease::Wait(ASK_AGAIN),
                (true, None) => Lease::Done,
            })
        };
        take(&mut connection).map_err(|error| self.wrap(error))
    }

    fn extend(&self, worker: &Worker) -> Result<(), LabError> {
        let until = (now() + LEASE).as_millis() as i64;
        let extended =
            self.connection().execute("UPDATE jobs SET until = ?1 WHERE worker = ?2 AND done = 0", params![until, worker.0]);
        extended.map(|_| ()).map_err(|error| self.wrap(error))
    }

    fn finish(&self, _: &Worker, jobs: &[Job]) -> Result<(), LabError> {
        let mut connection = self.connection();
        let mark = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            {
                let mut statement = transaction.prepare_cached("UPDATE jobs SET done = 1, worker = NULL WHERE id = ?1")?;
                for job in jobs {
                    statement.execute([&job.id])?;
                }
            }
            transaction.commit()
        };
        mark(&mut connection).map_err(|error| self.wrap(error))
    }
}
