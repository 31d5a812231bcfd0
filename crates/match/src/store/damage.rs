//! Damage that was found in a store, and what can be done about it.

use std::fmt;

use plyground_core::sync::lock;
use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior, params};

use super::checksum::{SEAL_RUN, job_columns};
use crate::{RunError, Store};

/// The most findings that a store remembers: a file that was overwritten has one for every row.
const MOST_NOTED: usize = 1_000;

/// A damaged part of a store: what was expected there, and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The run that it belongs to.
    pub run: String,
    /// The job, where it is known.
    pub job: Option<String>,
    /// What was expected, and what was found.
    pub detail: String,
    pub(super) remedy: Remedy,
}

/// What makes a store whole again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// The games of the job are removed, and it is played again.
    Replay,
    /// The games of the job are intact: it is done, and its row is made from them where it is missing.
    Settle,
    /// The row of the job with this number is removed; the command that asked for it requests it again.
    Forget(i64),
    /// The jobs of the run are counted again.
    Recount,
    /// None that is known here.
    None,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.job {
            Some(job) => write!(f, "run {}, job {job}: {}", self.run, self.detail),
            None => write!(f, "run {}: {}", self.run, self.detail),
        }
    }
}

impl Damage {
    pub(super) fn of_run(run: &str, detail: impl Into<String>, remedy: Remedy) -> Self {
        Self { run: run.to_owned(), job: None, detail: detail.into(), remedy }
    }

    pub(super) fn of_job(run: &str, job: &str, detail: impl Into<String>, remedy: Remedy) -> Self {
        Self { run: run.to_owned(), job: Some(job.to_owned()), detail: detail.into(), remedy }
    }

    /// Whether a job is played again because of it.
    pub fn is_replayed(&self) -> bool {
        self.remedy == Remedy::Replay
    }
}

impl Store {
    /// The same store, which calls this function for whatever damage it finds, once for each.
    #[must_use]
    pub fn telling(self, tell: impl Fn(&Damage) + Send + Sync + 'static) -> Self {
        Self { tell: Box::new(tell), ..self }
    }

    /// The damage that was found so far.
    pub fn damage(&self) -> Vec<Damage> {
        lock(&self.damage).clone()
    }

    pub(super) fn note(&self, found: &[Damage]) {
        let mut noted = lock(&self.damage);
        for damage in found {
            if noted.len() < MOST_NOTED && !noted.contains(damage) {
                (self.tell)(damage);
                noted.push(damage.clone());
            }
        }
    }

    /// Removes what is damaged, so that the jobs are played again.
    pub(crate) fn mend(&self, found: &[Damage]) -> Result<(), RunError> {
        if found.iter().all(|damage| damage.remedy == Remedy::None) {
            return Ok(());
        }
        let mut connection = self.connection();
        let apply = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            found.iter().try_for_each(|damage| apply_remedy(&transaction, damage))?;
            transaction.commit()
        };
        apply(&mut connection).map_err(|error| self.wrap(error))
    }

    /// The same, where a run goes on: what has no remedy is an error, since the run would end without some of its games.
    pub(crate) fn mend_all(&self, found: &[Damage]) -> Result<(), RunError> {
        match found.iter().find(|damage| damage.remedy == Remedy::None) {
            Some(damage) => Err(self.damaged(damage.to_string())),
            None => self.mend(found),
        }
    }
}

/// The statement that marks a job as done or open.
const MARK: &str = concat!(
    "UPDATE jobs SET done = ?2, worker = NULL, until = 0, sender = NULL,
        checksum = row_checksum('jobs', id, run, first, second, pair, opening, ?2, NULL)
        WHERE id = ?1 AND checksum IS row_checksum('jobs', ",
    job_columns!(),
    ")"
);

/// Removes the games of a job, and opens it again.
pub(super) fn reopen(connection: &Connection, job: &str) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM games WHERE job = ?1")?.execute([job])?;
    connection.prepare_cached(MARK)?.execute(params![job, 0]).map(drop)
}

fn apply_remedy(connection: &Connection, damage: &Damage) -> rusqlite::Result<()> {
    let job = damage.job.as_deref().unwrap_or_default();
    match damage.remedy {
        Remedy::Replay => reopen(connection, job)?,
        Remedy::Settle => {
            if connection.execute(MARK, params![job, 1])? == 0 {
                restore(connection, job)?;
                recount(connection, &damage.run)?;
            }
        }
        Remedy::Forget(row) => {
            connection.execute("DELETE FROM jobs WHERE rowid = ?1", [row])?;
            recount(connection, &damage.run)?;
        }
        Remedy::Recount => recount(connection, &damage.run)?,
        Remedy::None => {}
    }
    Ok(())
}

/// Makes the row of a job from its first game, unless there is one.
fn restore(connection: &Connection, job: &str) -> rusqlite::Result<()> {
    let query = "SELECT run, first, second, pair, opening, moves FROM games WHERE job = ?1 AND game = 0";
    let read = |row: &Row<'_>| {
        let (plies, moves): (usize, String) = (row.get(4)?, row.get(5)?);
        let opening: Vec<&str> = moves.split_whitespace().take(plies).collect();
        let (run, first, second, pair): (String, i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        connection.execute(
            "INSERT OR IGNORE INTO jobs (id, run, first, second, pair, opening, done, until, checksum)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, 0, row_checksum('jobs', ?1, ?2, ?3, ?4, ?5, ?6, 1, NULL))",
            params![job, run, first, second, pair, opening.join(" ")],
        )
    };
    connection.query_row(query, [job], read).optional().map(drop)
}

fn recount(connection: &Connection, run: &str) -> rusqlite::Result<()> {
    connection.execute("UPDATE runs SET requested = (SELECT count(*) FROM jobs WHERE run = ?1) WHERE id = ?1", [run])?;
    connection.execute(SEAL_RUN, [run]).map(drop)
}
