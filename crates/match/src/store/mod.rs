//! The store: one SQLite file that keeps every run, every job and every game.

mod check;
mod checksum;
mod damage;
pub(crate) mod export;
mod games;
mod parquet_file;
pub(crate) mod queue;
mod refusals;
mod retract;
mod rows;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use plyground_core::sync::lock;
use plyground_core::{InputError, nearest};
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, TransactionBehavior, params};

use crate::job::now;
use crate::{GameRow, Job, ResultSink, Run, RunError, RunPrefix};

use checksum::{SEAL_RUN, failure_columns, game_columns, job_columns, run_columns};
use damage::Remedy;
use rows::insert_game;

pub use check::StoreCheck;
pub use damage::Damage;

/// Marks a SQLite file as ours.
const APPLICATION: i32 = 0x504c_5947;
/// The layout of the tables: since version 2 every row has a checksum.
const VERSION: i32 = 2;
/// The version before, which is upgraded when it is opened.
const WITHOUT_CHECKSUMS: i32 = 1;

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
        begun INTEGER NOT NULL,
        requested INTEGER NOT NULL,
        checksum INTEGER
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
        checksum INTEGER,
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
        until INTEGER NOT NULL DEFAULT 0,
        sender TEXT,
        checksum INTEGER
    );
    CREATE INDEX open_jobs ON jobs (run, done, pair);
    CREATE INDEX leased_jobs ON jobs (worker) WHERE worker IS NOT NULL;
";

/// The pause between two attempts where the database does not wait by itself.
const PAUSE: Duration = Duration::from_millis(10);

/// What is said of a file that the database cannot make sense of.
const DAMAGED: &str = "the store is damaged; nothing in it was changed";

/// Switches to a write-ahead log. For that the database wants the file for itself for a moment, and where another process has it, it
/// gives up at once: the patience of a connection is not asked.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let is_busy = |error: &rusqlite::Error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
    let mut attempts = PATIENCE.as_millis() / PAUSE.as_millis();
    loop {
        match connection.execute_batch("PRAGMA journal_mode = WAL") {
            Err(error) if is_busy(&error) && attempts > 0 => std::thread::sleep(PAUSE),
            done => return done,
        }
        attempts -= 1;
    }
}

/// One SQLite file with everything that was ever played.
pub struct Store {
    file: PathBuf,
    /// The file as the system knows it; `None` for a store in memory.
    identity: Option<FileIdentity>,
    connection: Mutex<Connection>,
    pub(crate) lease: Duration,
    /// The damage that was found so far, each once.
    damage: Mutex<Vec<Damage>>,
    tell: Box<dyn Fn(&Damage) + Send + Sync>,
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
        let store = Self::with_tables(file, Connection::open(file).map_err(|error| refused(file, error))?)?;
        Ok(Self { identity: Some(FileIdentity::of(file).map_err(|_| gone(file))?), ..store })
    }

    /// A store that is gone with the process: for games that only their results are wanted of.
    pub fn in_memory() -> Result<Self, RunError> {
        let file = Path::new("the store in memory");
        Self::with_tables(file, Connection::open_in_memory().map_err(|error| refused(file, error))?)
    }

    /// The store in a database, whose tables are made where there are none, and get checksums where they have none.
    fn with_tables(file: &Path, mut connection: Connection) -> Result<Self, RunError> {
        let wrap = |error: rusqlite::Error| refused(file, error);
        connection.busy_timeout(PATIENCE).map_err(wrap)?;
        checksum::define(&connection).map_err(wrap)?;
        // Two processes may both find the file empty, or old: one of them makes the tables.
        let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(wrap)?;
        make_tables(&begun).map_err(wrap)?;
        check_tables(file, &begun)?;
        begun.commit().map_err(wrap)?;
        // Readers do not wait for writers. What is committed survives the end of the process and, where not said otherwise, the end
        // of the power: it is on the disk before the answer.
        write_ahead(&connection).map_err(wrap)?;
        connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON").map_err(wrap)?;
        Ok(Self {
            file: file.to_owned(),
            identity: None,
            connection: Mutex::new(connection),
            lease: LEASE,
            damage: Mutex::default(),
            tell: Box::new(|_| {}),
        })
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

    /// An error if the file was deleted, moved or replaced since it was opened: what is written then is lost.
    pub fn check_place(&self) -> Result<(), RunError> {
        match &self.identity {
            Some(identity) if FileIdentity::of(&self.file).ok().as_ref() != Some(identity) => Err(gone(&self.file)),
            _ => Ok(()),
        }
    }

    /// Lets the file grow, or not any more: the database then answers as it does on a disk without room. For simulations of one.
    #[doc(hidden)]
    pub fn let_grow(&self, may_grow: bool) -> Result<(), RunError> {
        // https://sqlite.org/pragma.html#pragma_max_page_count: never less than there are, and at most so many.
        let pages: i64 = if may_grow { 4_294_967_294 } else { 1 };
        let set = self.connection().query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()));
        set.map_err(|error| self.wrap(error))
    }

    pub(crate) fn damaged(&self, detail: impl Into<String>) -> RunError {
        RunError::Damaged { file: self.file.clone(), detail: detail.into() }
    }

    /// Whether the settings of a run are intact, or not needed because it has no jobs.
    pub(crate) fn has_settings(&self, run: &str) -> Result<bool, RunError> {
        let connection = self.connection();
        let read = || {
            let intact: Option<bool> = connection.query_row(IS_INTACT, [run], |row| row.get(0)).optional()?;
            let query = "SELECT NOT EXISTS (SELECT 1 FROM jobs WHERE run = ?1)";
            intact.map_or_else(|| connection.query_row(query, [run], |row| row.get(0)), Ok)
        };
        read().map_err(|error| self.wrap(error))
    }

    /// Takes up a run, or notes that more is wanted of one that is there. A damaged row is written anew.
    pub fn begin(&self, run: &Run, command: &str, machine: &str) -> Result<(), RunError> {
        let settings = serde_json::to_string(&run.experiment).expect("settings are plain data");
        let mut connection = self.connection();
        let write = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let intact: Option<bool> = transaction.query_row(IS_INTACT, [&run.id], |row| row.get(0)).optional()?;
            if intact == Some(true) {
                transaction
                    .execute("UPDATE runs SET command = ?2, machine = ?3 WHERE id = ?1", params![run.id, command, machine])?;
            } else {
                transaction.execute(
                    "INSERT INTO runs (id, settings, command, machine, begun, requested)
                        VALUES (?1, ?2, ?3, ?4, ?5, (SELECT count(*) FROM jobs WHERE run = ?1))
                        ON CONFLICT (id) DO UPDATE SET settings = excluded.settings, command = excluded.command,
                            machine = excluded.machine, begun = excluded.begun, requested = excluded.requested",
                    params![run.id, settings, command, machine, now().as_secs() as i64],
                )?;
            }
            transaction.execute(SEAL_RUN, [&run.id])?;
            let jobs: u64 = transaction.query_row("SELECT requested FROM runs WHERE id = ?1", [&run.id], |row| row.get(0))?;
            transaction.commit().map(|()| intact.unwrap_or(jobs == 0))
        };
        let intact = write(&mut connection).map_err(|error| self.wrap(error))?;
        drop(connection);
        if !intact {
            // How many jobs there are was written there. They are counted by an index, which must not be damaged, too.
            if let Some(fault) = self.structure()?.first() {
                return Err(self.damaged(fault.as_str()));
            }
            self.note(&[Damage::of_run(&run.id, "its settings were damaged, and were written anew", Remedy::None)]);
        }
        Ok(())
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

    /// The number of pairs that were requested of the pairing with most of them.
    pub(crate) fn longest(&self, run: &str) -> Result<u64, RunError> {
        let query = "SELECT ifnull(max(pair) + 1, 0) FROM jobs WHERE run = ?1";
        self.connection().query_row(query, [run], |row| row.get(0)).map_err(|error| self.wrap(error))
    }

    /// Forgets a run with all its games; false if there was none.
    pub fn remove(&self, run: &str) -> Result<bool, RunError> {
        let removed = self.connection().execute("DELETE FROM runs WHERE id = ?1", [run]);
        removed.map(|count| count > 0).map_err(|error| self.wrap(error))
    }

    /// Notes that a job cannot be done, and why. A result that comes after all makes that forgotten.
    pub fn give_up(&self, job: &Job, error: &str) -> Result<(), RunError> {
        let connection = self.connection();
        // Not among the tables above: stores without it are as good, and most never need it.
        let table = "CREATE TABLE IF NOT EXISTS failures (
                job TEXT PRIMARY KEY,
                run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
                pair INTEGER NOT NULL,
                error TEXT NOT NULL,
                checksum INTEGER
            ) WITHOUT ROWID";
        let values = params![job.id, job.run, job.pair, error];
        let noted = connection.execute_batch(table).and_then(|()| {
            connection.execute(
                "INSERT OR REPLACE INTO failures (job, run, pair, error, checksum)
                    VALUES (?1, ?2, ?3, ?4, row_checksum('failures', ?1, ?2, ?3, ?4))",
                values,
            )
        });
        noted.map(drop).map_err(|error| self.wrap(error))
    }

    /// The jobs of a prefix that could not be done, with the reasons.
    pub fn failures(&self, prefix: RunPrefix<'_>) -> Result<Vec<(String, String)>, RunError> {
        const SELECT: &str = concat!(
            "SELECT job, CASE WHEN checksum IS row_checksum('failures', ",
            failure_columns!(),
            ") THEN error ELSE 'the reason is damaged' END FROM failures WHERE run = ?1 AND pair < ?2
                AND NOT EXISTS (SELECT 1 FROM games WHERE games.job = failures.job) ORDER BY pair, job"
        );
        let connection = self.connection();
        let read = || {
            if !connection.table_exists(None, "failures")? {
                return Ok(Vec::new());
            }
            let mut statement = connection.prepare(SELECT)?;
            let rows = statement.query_map(params![prefix.run, prefix.pairs], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        };
        read().map_err(|error| self.wrap(error))
    }

    /// The run whose name begins like this; an error in words if there is none, or more than one.
    pub fn find(&self, name: &str) -> Result<RunRow, RunError> {
        let mut runs = self.runs()?;
        let known: Vec<String> = runs.iter().map(|row| row.run.id.clone()).collect();
        runs.retain(|row| row.run.id.starts_with(name));
        match runs.len() {
            1 => Ok(runs.remove(0)),
            0 => Err(unknown_run(name, known).into()),
            many => Err(InputError::malformed("run", name, format!("{many} runs begin like this")).into()),
        }
    }
}

/// The error about a name that no run has. Of many runs it names the nearest and the last ones.
fn unknown_run(name: &str, mut known: Vec<String>) -> InputError {
    const SHOWN: usize = 3;
    let all = known.len();
    if all == 0 {
        return InputError::malformed("name of a run", name, "expected one of `ply runs`, and nothing was played yet");
    }
    if let Some(near) = nearest(name, known.iter().map(String::as_str)).map(str::to_owned) {
        known.retain(|run| *run != near);
        known.insert(0, near);
    }
    known.truncate(SHOWN);
    if all > SHOWN {
        known.push(format!("another of the {all} that `ply runs` lists"));
    }
    InputError::unknown("run", name, known)
}

/// Whether the row of a run has its checksum.
const IS_INTACT: &str = concat!("SELECT checksum IS row_checksum('runs', ", run_columns!(), ") FROM runs WHERE id = ?1");

/// Notes that a job is done, and which worker has sent its games if another machine has, if its row is intact.
const MARK_DONE: &str = concat!(
    "UPDATE jobs SET done = 1, worker = NULL, sender = ?2,
        checksum = row_checksum('jobs', id, run, first, second, pair, opening, 1, ?2)
        WHERE id = ?1 AND done = 0 AND checksum IS row_checksum('jobs', ",
    job_columns!(),
    ")"
);

impl ResultSink for Store {
    /// Keeps games and notes in the same transaction that their jobs are done. When this returns, they are on the disk.
    fn keep(&self, run: &str, jobs: &[Vec<GameRow>]) -> Result<Vec<bool>, RunError> {
        self.insert(run, jobs, |_| None)
    }
}

impl Store {
    fn insert<'a>(
        &self,
        run: &str,
        jobs: &[Vec<GameRow>],
        sender: impl Fn(usize) -> Option<&'a str>,
    ) -> Result<Vec<bool>, RunError> {
        let mut connection = self.connection();
        let insert = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut new = Vec::with_capacity(jobs.len());
            for (number, games) in jobs.iter().enumerate() {
                let kept = games.iter().map(|game| insert_game(&transaction, run, game)).sum::<rusqlite::Result<usize>>()?;
                let is_new = kept == games.len();
                new.push(is_new);
                if let Some(game) = games.first() {
                    let sender = if is_new { sender(number) } else { None };
                    transaction.prepare_cached(MARK_DONE)?.execute(params![game.job, sender])?;
                }
            }
            transaction.commit().map(|()| new)
        };
        let new = insert(&mut connection).map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::ConstraintViolation) => RunError::Gone { run: run.to_owned() },
            _ => self.wrap(error),
        })?;
        self.check_place()?;
        Ok(new)
    }
}

/// Makes the tables in an empty file, and gives those of the version before their checksums.
fn make_tables(connection: &Connection) -> rusqlite::Result<()> {
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    let version: i32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if tables == 0 {
        connection.execute_batch(TABLES)?;
        connection.execute_batch(&format!("PRAGMA application_id = {APPLICATION}"))?;
    } else if version == WITHOUT_CHECKSUMS {
        connection.execute_batch(checksum::UPGRADE)?;
        if connection.table_exists(None, "failures")? {
            connection.execute_batch(checksum::UPGRADE_FAILURES)?;
        }
    } else {
        return Ok(());
    }
    connection.execute_batch(&format!("PRAGMA user_version = {VERSION}"))
}

/// An error if a table is not as it was made: what describes it may be damaged, and no query of ours would be understood.
fn check_tables(file: &Path, connection: &Connection) -> Result<(), RunError> {
    const QUERIES: [&str; 3] = [
        concat!("SELECT ", run_columns!(), ", checksum FROM runs"),
        concat!("SELECT ", game_columns!(), ", checksum FROM games"),
        concat!("SELECT rowid, ", job_columns!(), ", worker, until, checksum FROM jobs"),
    ];
    let damaged = |error| RunError::Foreign { file: file.to_owned(), detail: format!("{DAMAGED}: {error}") };
    QUERIES.iter().try_for_each(|query| connection.prepare(query).map(drop).map_err(damaged))
}

/// A file as the system knows it, whatever its name: another file in its place has another one.
#[derive(Debug, PartialEq, Eq)]
struct FileIdentity(u64, u64);

impl FileIdentity {
    /// By the name, without opening it: closing a file would end the locks that the database has on it.
    #[cfg(unix)]
    fn of(file: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        std::fs::metadata(file).map(|metadata| Self(metadata.dev(), metadata.ino()))
    }

    #[cfg(not(unix))]
    fn of(file: &Path) -> io::Result<Self> {
        std::fs::metadata(file).map(|_| Self(0, 0))
    }
}

fn gone(file: &Path) -> RunError {
    RunError::FileGone { file: file.to_owned() }
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
        (APPLICATION, VERSION | WITHOUT_CHECKSUMS) => Ok(()),
        (APPLICATION, found) => foreign(format!("expected a store of version {VERSION}, found version {found}, of another ply")),
        _ => foreign("expected a store of ply, found a database of another program".to_owned()),
    }
}

/// The error of the database, in words of ours where we have them.
fn refused(file: &Path, error: rusqlite::Error) -> RunError {
    let detail = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => "expected a store of ply (SQLite), found something else",
        Some(ErrorCode::DatabaseCorrupt) => DAMAGED,
        _ => return RunError::Database { file: file.to_owned(), error },
    };
    RunError::Foreign { file: file.to_owned(), detail: detail.to_owned() }
}
