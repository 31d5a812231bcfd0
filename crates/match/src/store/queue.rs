//! The queue of a computer that works alone: the jobs are a table of the store.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use super::MARK_DONE;
use super::checksum::{SEAL_RUN, job_columns, run_columns};
use crate::job::now;
use crate::{Job, Lease, Queue, RunError, RunPrefix, Store, Worker};

/// The time until the next attempt when other workers hold all jobs that are left.
const ASK_AGAIN: Duration = Duration::from_millis(200);
/// A transaction for each takes longer than playing a short game.
const BATCH: Duration = Duration::from_millis(200);

const INSERT_JOB: &str = "INSERT OR IGNORE INTO jobs (id, run, first, second, pair, opening, done, until, checksum)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 0, row_checksum('jobs', ?1, ?2, ?3, ?4, ?5, ?6, 0, NULL))";

/// Adds to the number of jobs that were requested of a run, if its row is intact.
const COUNT_JOBS: &str = concat!(
    "UPDATE runs SET requested = requested + ?2 WHERE id = ?1 AND checksum IS row_checksum('runs', ",
    run_columns!(),
    ")"
);

const OPEN_JOBS: &str = concat!(
    "SELECT id, run, first, second, pair, opening FROM jobs WHERE run = ?1 AND done = 0 AND pair < ?2
        AND checksum IS row_checksum('jobs', ",
    job_columns!(),
    ") ORDER BY pair, rowid"
);

/// Leases jobs that are free. A lease that ends later than a lease from now was made by a clock that was ahead: it is over.
const LEASE_JOBS: &str = concat!(
    "UPDATE jobs SET worker = ?1, until = ?5 + ?2 WHERE rowid IN
        (SELECT rowid FROM jobs WHERE run = ?3 AND done = 0 AND pair < ?4 AND (until < ?5 OR until > ?5 + ?2)
            AND checksum IS row_checksum('jobs', ",
    job_columns!(),
    ") ORDER BY pair, rowid LIMIT ?6)
        RETURNING id, run, first, second, pair, opening"
);

const IS_ANY_LEFT: &str = concat!(
    "SELECT 1 FROM jobs WHERE run = ?1 AND done = 0 AND pair < ?2 AND checksum IS row_checksum('jobs', ",
    job_columns!(),
    ") LIMIT 1"
);

/// The jobs of a prefix in a store. Any number of processes may share them.
pub struct LocalQueue<'a> {
    store: &'a Store,
    prefix: RunPrefix<'a>,
}

impl Store {
    /// A queue of the jobs that are requested of a prefix.
    pub fn queue<'a>(&'a self, prefix: RunPrefix<'a>) -> LocalQueue<'a> {
        LocalQueue { store: self, prefix }
    }

    /// Notes that these jobs are requested; the number of those that were not before.
    pub fn request(&self, jobs: &[Job]) -> Result<usize, RunError> {
        let mut connection = self.connection();
        let insert = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut new = 0;
            for part in jobs.chunk_by(|one, other| one.run == other.run) {
                let mut of_run = 0;
                let mut statement = transaction.prepare_cached(INSERT_JOB)?;
                for job in part {
                    let [first, second] = job.agents;
                    of_run += statement.execute(params![job.id, job.run, first, second, job.pair, job.opening.join(" ")])?;
                }
                if transaction.execute(COUNT_JOBS, params![part[0].run, of_run])? > 0 {
                    transaction.execute(SEAL_RUN, [&part[0].run])?;
                }
                new += of_run;
            }
            transaction.commit().map(|()| new)
        };
        insert(&mut connection).map_err(|error| self.wrap(error))
    }

    /// Notes that these jobs are done, by any process. Their games are kept before; this adds nothing that would be lost with it.
    pub fn settle<'a>(&self, jobs: impl IntoIterator<Item = &'a str>) -> Result<(), RunError> {
        let mut connection = self.connection();
        let mark = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            {
                let mut statement = transaction.prepare_cached(MARK_DONE)?;
                for job in jobs {
                    statement.execute(params![job, None::<&str>])?;
                }
            }
            transaction.commit()
        };
        relaxed(&mut connection, mark).map_err(|error| self.wrap(error))
    }

    /// All jobs of a prefix that are asked for and not done, in the order in which they are to be done.
    pub fn open_jobs(&self, prefix: RunPrefix<'_>) -> Result<Vec<Job>, RunError> {
        let connection = self.connection();
        let jobs = connection
            .prepare_cached(OPEN_JOBS)
            .and_then(|mut statement| statement.query_map(params![prefix.run, prefix.pairs], job_row)?.collect());
        jobs.map_err(|error| self.wrap(error))
    }
}

impl Queue for LocalQueue<'_> {
    fn push(&self, jobs: &[Job]) -> Result<usize, RunError> {
        self.store.request(jobs)
    }

    fn lease(&self, worker: &Worker, most: usize) -> Result<Lease, RunError> {
        let (store, prefix) = (self.store, self.prefix);
        let mut connection = store.connection();
        let take = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let time = now().as_millis() as i64;
            let taken = {
                let mut statement = transaction.prepare_cached(LEASE_JOBS)?;
                let lease = store.lease.as_millis() as i64;
                let values = params![worker.0, lease, prefix.run, prefix.pairs, time, most];
                statement.query_map(values, job_row)?.collect::<rusqlite::Result<Vec<Job>>>()?
            };
            let left: Option<i64> =
                transaction.query_row(IS_ANY_LEFT, params![prefix.run, prefix.pairs], |row| row.get(0)).optional()?;
            transaction.commit()?;
            Ok(match (taken.is_empty(), left) {
                (false, _) => Lease::Jobs(taken),
                (true, Some(_)) => Lease::Wait(ASK_AGAIN),
                (true, None) => Lease::Done,
            })
        };
        relaxed(&mut connection, take).map_err(|error| store.wrap(error))
    }

    fn extend(&self, worker: &Worker) -> Result<(), RunError> {
        let until = (now() + self.store.lease).as_millis() as i64;
        let extend = |connection: &mut Connection| {
            connection.execute("UPDATE jobs SET until = ?1 WHERE worker = ?2 AND done = 0", params![until, worker.0])
        };
        relaxed(&mut self.store.connection(), extend).map(drop).map_err(|error| self.store.wrap(error))
    }

    fn release(&self, worker: &Worker) -> Result<(), RunError> {
        let query = "UPDATE jobs SET until = 0, worker = NULL WHERE worker = ?1";
        let give_back = |connection: &mut Connection| connection.execute(query, [&worker.0]);
        relaxed(&mut self.store.connection(), give_back).map(drop).map_err(|error| self.store.wrap(error))
    }

    fn finish(&self, jobs: &[Job]) -> Result<(), RunError> {
        self.store.settle(jobs.iter().map(|job| job.id.as_str()))
    }

    /// Given up at once: every worker here is the same computer, and the same program.
    fn fail(&self, _: &Job, error: RunError) -> Result<(), RunError> {
        Err(error)
    }

    fn heartbeat(&self) -> Duration {
        self.store.lease / 4
    }

    fn batch(&self) -> Duration {
        BATCH
    }
}

/// Makes a change that is not waited for until it is on the disk: leases, which are worth nothing after the power has failed.
fn relaxed<T>(connection: &mut Connection, change: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    connection.execute_batch("PRAGMA synchronous = NORMAL")?;
    let changed = change(connection);
    connection.execute_batch("PRAGMA synchronous = FULL")?;
    changed
}

pub(super) fn job_row(row: &Row<'_>) -> rusqlite::Result<Job> {
    let opening: String = row.get(5)?;
    Ok(Job {
        id: row.get(0)?,
        run: row.get(1)?,
        agents: [row.get(2)?, row.get(3)?],
        pair: row.get(4)?,
        opening: opening.split_whitespace().map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_waits_for_the_disk_and_leases_do_not_change_that() {
        let folder = std::env::temp_dir().join(format!("plyground-synchronous-{}", std::process::id()));
        let store = Store::open(&folder.join("runs.sqlite")).unwrap();
        let level = || store.connection().query_row("PRAGMA synchronous", [], |row| row.get::<_, i64>(0)).unwrap();
        // https://sqlite.org/pragma.html#pragma_synchronous: 2 is FULL, with which a commit in WAL mode survives a loss of power.
        assert_eq!(level(), 2);
        let queue = store.queue(RunPrefix::all("none"));
        assert_eq!(queue.lease(&Worker("a".to_owned()), 1).unwrap(), Lease::Done);
        queue.extend(&Worker("a".to_owned())).unwrap();
        queue.release(&Worker("a".to_owned())).unwrap();
        assert_eq!(level(), 2);
        drop(store);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
