//! The store: one SQLite file that keeps every run, every job and every game.

pub(crate) mod export;
mod parquet_file;
pub(crate) mod queue;
mod retract;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use plyground_core::sync::lock;
use plyground_core::{InputError, Outcome, PlayedMove, Player};
use rusqlite::{Connection, ErrorCode, Row, TransactionBehavior, params};

use crate::job::now;
use crate::{GameRow, Job, ResultSink, Run, RunError, RunPrefix};

/// Marks a SQLite file as ours.
const APPLICATION: i32 = 0x504c_5947;
/// The layout of the tables.
const VERSION: i32 = 1;

/// A lease that is not extended ends after this time.
const LEASE: Duration = Duration::from_secs(5);
/// Another process may write at the same time.
const PATIENCE: Duration = Duration::from_mins(1);

// Runs and games are the store; jobs are the queue, and nothing of the store refers to them: a broker could take their place.
const TABLES: &str = "
    CREATE TABLE runs (
        id TEXT PRIMARY KEY,
        settings TEXT NOT NULL,
        command TEXT NOT NULL,
        machine TEXT NOT NULL,
        begun INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE games (
        job TEXT NOT NULL,
        game INTEGER NOT NULL,
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        pair INTEGER NOT NULL,
        first INTEGER NOT NULL,
        second INTEGER NOT NULL,
        result TEXT NOT NULL,
        margin INTEGER NOT NULL,
        reason TEXT NOT NULL,
        fault TEXT,
        points TEXT,
        opening INTEGER NOT NULL,
        moves TEXT NOT NULL,
        movers TEXT NOT NULL,
        times BLOB NOT NULL,
        expectations BLOB NOT NULL,
        ended INTEGER NOT NULL,
        PRIMARY KEY (job, game)
    ) WITHOUT ROWID;
    CREATE INDEX games_of_runs ON games (run, pair);
    CREATE TABLE jobs (
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
    CREATE INDEX open_jobs ON jobs (run, done, pair);
    CREATE INDEX leased_jobs ON jobs (worker) WHERE worker IS NOT NULL;
";

/// One SQLite file with everything that was ever played.
pub struct Store {
    file: PathBuf,
    connection: Mutex<Connection>,
    pub(crate) lease: Duration,
}

/// A run as the store knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// Its name and settings.
    pub run: Run,
    /// The command that asked for the most of it.
    pub command: String,
    /// The machine of that command.
    pub machine: String,
    /// The time of its beginning, in seconds since 1970.
    pub begun: i64,
    /// Pairs that are asked for.
    pub pairs: u64,
    /// Pairs that are played.
    pub done: u64,
    /// Games that are kept.
    pub games: u64,
}

impl Store {
    /// Opens the store in a file, or makes it. A file that is something else, damaged, or from a newer program is refused untouched.
    pub fn open(file: &Path) -> Result<Self, RunError> {
        if let Some(parent) = file.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            std::fs::create_dir_all(parent).map_err(|error| RunError::Write { file: file.to_owned(), error })?;
        }
        check_header(file)?;
        Self::with_tables(file, Connection::open(file).map_err(|error| refused(file, error))?)
    }

    /// A store that is gone with the process: for games that only their results are wanted of.
    pub fn in_memory() -> Result<Self, RunError> {
        let file = Path::new("the store in memory");
        Self::with_tables(file, Connection::open_in_memory().map_err(|error| refused(file, error))?)
    }

    /// The store in a database, whose tables are made where there are none.
    fn with_tables(file: &Path, mut connection: Connection) -> Result<Self, RunError> {
        let wrap = |error: rusqlite::Error| refused(file, error);
        connection.busy_timeout(PATIENCE).map_err(wrap)?;
        // Two processes may both find the file empty: one of them makes the tables.
        let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(wrap)?;
        let tables: i64 = begun.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)).map_err(wrap)?;
        if tables == 0 {
            let mark = format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}");
            begun.execute_batch(TABLES).and_then(|()| begun.execute_batch(&mark)).map_err(wrap)?;
        }
        begun.commit().map_err(wrap)?;
        // Readers do not wait for writers, and what is committed survives the end of the process.
        connection
            .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
            .map_err(wrap)?;
        Ok(Self { file: file.to_owned(), connection: Mutex::new(connection), lease: LEASE })
    }

    /// The same with leases of another length.
    #[must_use]
    pub fn with_lease(self, lease: Duration) -> Self {
        Self { lease, ..self }
    }

    pub(crate) fn connection(&self) -> MutexGuard<'_, Connection> {
        // A thread that panicked has left no transaction open: they end with their guards.
        lock(&self.connection)
    }

    pub(crate) fn wrap(&self, error: rusqlite::Error) -> RunError {
        refused(&self.file, error)
    }

    /// Takes up a run, or notes that more is wanted of one that is there.
    pub fn begin(&self, run: &Run, command: &str, machine: &str) -> Result<(), RunError> {
        let settings = serde_json::to_string(&run.experiment).expect("settings are plain data");
        self.connection()
            .execute(
                "INSERT INTO runs (id, settings, command, machine, begun) VALUES (?1, ?2, ?3, ?4, ?5)
                    ON CONFLICT (id) DO UPDATE SET command = excluded.command, machine = excluded.machine",
                params![run.id, settings, command, machine, now().as_secs() as i64],
            )
            .map(drop)
            .map_err(|error| self.wrap(error))
    }

    /// The number of jobs of a prefix that were ever requested.
    pub fn requested(&self, prefix: RunPrefix<'_>) -> Result<u64, RunError> {
        let query = "SELECT count(*) FROM jobs WHERE run = ?1 AND pair < ?2";
        self.connection().query_row(query, params![prefix.run, prefix.pairs], |row| row.get(0)).map_err(|error| self.wrap(error))
    }

    /// The number of jobs of a prefix that are done, by any process.
    pub fn done(&self, prefix: RunPrefix<'_>) -> Result<u64, RunError> {
        let query = "SELECT count(*) FROM jobs WHERE run = ?1 AND pair < ?2 AND done = 1";
        self.connection().query_row(query, params![prefix.run, prefix.pairs], |row| row.get(0)).map_err(|error| self.wrap(error))
    }

    /// All runs, the newest first.
    pub fn runs(&self) -> Result<Vec<RunRow>, RunError> {
        let connection = self.connection();
        let query = "SELECT id, settings, command, machine, begun,
                (SELECT count(*) FROM jobs WHERE run = runs.id), (SELECT count(*) FROM jobs WHERE run = runs.id AND done = 1),
                (SELECT count(*) FROM games WHERE run = runs.id)
            FROM runs ORDER BY begun DESC, id";
        let read = |row: &Row<'_>| {
            let settings: String = row.get(1)?;
            let experiment = serde_json::from_str(&settings).map_err(|error| unreadable(1, error))?;
            Ok(RunRow {
                run: Run { id: row.get(0)?, experiment },
                command: row.get(2)?,
                machine: row.get(3)?,
                begun: row.get(4)?,
                pairs: row.get(5)?,
                done: row.get(6)?,
                games: row.get(7)?,
            })
        };
        let rows = connection.prepare(query).and_then(|mut statement| statement.query_map([], read)?.collect());
        rows.map_err(|error| self.wrap(error))
    }

    /// Forgets a run with all its games; false if there was none.
    pub fn remove(&self, run: &str) -> Result<bool, RunError> {
        let removed = self.connection().execute("DELETE FROM runs WHERE id = ?1", [run]);
        removed.map(|count| count > 0).map_err(|error| self.wrap(error))
    }

    /// Calls `take` for every game of a prefix, in the order of the pairs.
    pub fn games(&self, prefix: RunPrefix<'_>, mut take: impl FnMut(GameRow)) -> Result<(), RunError> {
        let connection = self.connection();
        let query = "SELECT job, pair, game, first, second, result, margin, reason, fault, points, opening, moves, movers, times,
                expectations, ended
            FROM games WHERE run = ?1 AND pair < ?2 ORDER BY pair, job, game";
        let mut read_all = || {
            let mut statement = connection.prepare_cached(query)?;
            let mut rows = statement.query(params![prefix.run, prefix.pairs])?;
            while let Some(row) = rows.next()? {
                take(game_row(row)?);
            }
            Ok(())
        };
        read_all().map_err(|error| self.wrap(error))
    }

    /// Notes that a job cannot be done, and why. A result that comes after all makes that forgotten.
    pub fn give_up(&self, job: &Job, error: &str) -> Result<(), RunError> {
        let connection = self.connection();
        // Not among the tables above: stores without it are as good, and most never need it.
        let table = "CREATE TABLE IF NOT EXISTS failures (
                job TEXT PRIMARY KEY,
                run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
                pair INTEGER NOT NULL,
                error TEXT NOT NULL
            ) WITHOUT ROWID";
        let values = params![job.id, job.run, job.pair, error];
        let noted = connection.execute_batch(table).and_then(|()| {
            connection.execute("INSERT OR REPLACE INTO failures (job, run, pair, error) VALUES (?1, ?2, ?3, ?4)", values)
        });
        noted.map(drop).map_err(|error| self.wrap(error))
    }

    /// The jobs of a prefix that could not be done, with the reasons.
    pub fn failures(&self, prefix: RunPrefix<'_>) -> Result<Vec<(String, String)>, RunError> {
        let connection = self.connection();
        let read = || {
            if !connection.table_exists(None, "failures")? {
                return Ok(Vec::new());
            }
            let query = "SELECT job, error FROM failures WHERE run = ?1 AND pair < ?2
                AND NOT EXISTS (SELECT 1 FROM games WHERE games.job = failures.job) ORDER BY pair, job";
            let mut statement = connection.prepare(query)?;
            let rows = statement.query_map(params![prefix.run, prefix.pairs], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        };
        read().map_err(|error| self.wrap(error))
    }

    /// The run whose name begins like this; an error in words if there is none, or more than one.
    pub fn find(&self, name: &str) -> Result<RunRow, RunError> {
        let mut runs = self.runs()?;
        let mut known: Vec<String> = runs.iter().map(|row| row.run.id.clone()).collect();
        known.sort();
        runs.retain(|row| row.run.id.starts_with(name));
        match runs.len() {
            1 => Ok(runs.remove(0)),
            0 => Err(InputError::unknown("run", name, known).into()),
            many => Err(InputError::malformed("run", name, format!("{many} runs begin like this")).into()),
        }
    }
}

impl ResultSink for Store {
    fn keep(&self, run: &str, jobs: &[Vec<GameRow>]) -> Result<Vec<bool>, RunError> {
        let mut connection = self.connection();
        let insert = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut new = Vec::with_capacity(jobs.len());
            for games in jobs {
                let kept = games.iter().map(|game| insert_game(&transaction, run, game)).sum::<rusqlite::Result<usize>>()?;
                new.push(kept == games.len());
            }
            transaction.commit().map(|()| new)
        };
        insert(&mut connection).map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::ConstraintViolation) => RunError::Gone { run: run.to_owned() },
            _ => self.wrap(error),
        })
    }
}

/// The player of a move, as a letter.
const MOVERS: [(Option<Player>, char); 3] = [(Some(Player::First), '1'), (Some(Player::Second), '2'), (None, '~')];

fn insert_game(connection: &Connection, run: &str, game: &GameRow) -> rusqlite::Result<usize> {
    let mut statement = connection.prepare_cached(
        "INSERT OR IGNORE INTO games
            (job, game, run, pair, first, second, result, margin, reason, fault, points, opening, moves, movers, times,
            expectations, ended)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
    )?;
    let texts: Vec<&str> = game.moves.iter().map(|played| played.text.as_str()).collect();
    let letter = |mover| MOVERS.iter().find(|known| known.0 == mover).expect("all are there").1;
    let movers: String = game.movers.iter().map(|&mover| letter(mover)).collect();
    statement.execute(params![
        game.job,
        game.game,
        run,
        game.pair,
        game.agents[0],
        game.agents[1],
        game.outcome.word(),
        game.outcome.margin,
        game.reason,
        game.fault,
        game.points.map(|[first, second]| format!("{first} {second}")),
        game.opening,
        texts.join(" "),
        movers,
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
    let winner = Player::BOTH.into_iter().find(|player| player.word() == result);
    let points: Option<String> = row.get(9)?;
    let points = points.and_then(|text| {
        let (first, second) = text.split_once(' ')?;
        Some([first.parse().ok()?, second.parse().ok()?])
    });
    let (texts, letters): (String, String) = (row.get(11)?, row.get(12)?);
    let mover = |letter: char| MOVERS.iter().find(|known| known.1 == letter).and_then(|known| known.0);
    let movers: Vec<Option<Player>> = letters.chars().map(mover).collect();
    let (times, expectations): (Vec<u8>, Vec<u8>) = (row.get(13)?, row.get(14)?);
    let numbers = unpacked(&times).zip(unpacked(&expectations));
    let moves = texts.split_whitespace().zip(&movers).zip(numbers).map(|((text, mover), (ms, value))| PlayedMove {
        text: text.to_owned(),
        chance: mover.is_none(),
        // To the nanosecond: what is behind that is only the way from 32 bits to 64.
        ms: ms.map(|ms| (f64::from(ms) * 1e6).round() / 1e6),
        value,
    });
    Ok(GameRow {
        job: row.get(0)?,
        pair: row.get(1)?,
        game: row.get(2)?,
        agents: [row.get(3)?, row.get(4)?],
        outcome: Outcome { winner, margin: row.get(6)? },
        reason: row.get(7)?,
        fault: row.get(8)?,
        points,
        opening: row.get(10)?,
        moves: moves.collect(),
        movers,
        ended: row.get(15)?,
    })
}

/// Refuses a file that is no store of ours by its first bytes, before the database touches it: opening alone would make files beside
/// it, or finish what another program has begun.
fn check_header(file: &Path) -> Result<(), RunError> {
    // https://sqlite.org/fileformat.html: the version of the application at 60, its number at 68.
    const MAGIC: &[u8; 16] = b"SQLite format 3\0";
    let mut header = Vec::new();
    let foreign = |detail: String| Err(RunError::Foreign { file: file.to_owned(), detail });
    match File::open(file).and_then(|open| open.take(100).read_to_end(&mut header)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return foreign(format!("expected a store of ply, and it cannot be read: {error}")),
        // A process that has only just begun leaves an empty file for a moment, or for ever if it was killed.
        Ok(0) => return Ok(()),
        Ok(_) => {}
    }
    if header.len() < 100 || !header.starts_with(MAGIC) {
        return foreign("expected a store of ply (SQLite), found something else".to_owned());
    }
    let number = |at: usize| i32::from_be_bytes(header[at..at + 4].try_into().expect("four bytes"));
    match (number(68), number(60)) {
        (APPLICATION, VERSION) => Ok(()),
        (APPLICATION, found) => foreign(format!("expected a store of version {VERSION}, found version {found}, of another ply")),
        _ => foreign("expected a store of ply, found a database of another program".to_owned()),
    }
}

/// The error of the database, in words of ours where we have them.
fn refused(file: &Path, error: rusqlite::Error) -> RunError {
    let detail = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => "expected a store of ply (SQLite), found something else",
        Some(ErrorCode::DatabaseCorrupt) => "the store is damaged; nothing in it was changed",
        _ => return RunError::Database { file: file.to_owned(), error },
    };
    RunError::Foreign { file: file.to_owned(), detail: detail.to_owned() }
}
