//! The queue of a computer that works alone: the jobs are a table of the store.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use crate::job::now;
use crate::{Job, Lease, Queue, RunError, RunPrefix, Store, Worker};

/// The time until the next attempt when other workers hold all jobs that are left.
const ASK_AGAIN: Duration = Duration::from_millis(200);
/// A transaction for each takes longer than playing a short game.
const BATCH: Duration = Duration::from_millis(200);

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

    /// Notes that these jobs are done, by any process.
    pub fn settle<'a>(&self, jobs: impl IntoIterator<Item = &'a str>) -> Result<(), RunError> {
        let mut connection = self.connection();
        let mark = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            {
                let mut statement = transaction.prepare_cached("UPDATE jobs SET done = 1, worker = NULL WHERE id = ?1")?;
                for job in jobs {
                    statement.execute([job])?;
                }
            }
            transaction.commit()
        };
        mark(&mut connection).map_err(|error| self.wrap(error))
    }

    /// All jobs of a prefix that are asked for and not done, in the order in which they are to be done.
    pub fn open_jobs(&self, prefix: RunPrefix<'_>) -> Result<Vec<Job>, RunError> {
        let connection = self.connection();
        let query = "SELECT id, run, first, second, pair, opening FROM jobs WHERE run = ?1 AND done = 0 AND pair < ?2 ORDER BY pair, rowid";
        let jobs = connection
            .prepare_cached(query)
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
                let mut statement = transaction.prepare_cached(
                    "UPDATE jobs SET worker = ?1, until = ?2 WHERE rowid IN
                        (SELECT rowid FROM jobs WHERE run = ?3 AND done = 0 AND pair < ?4 AND until < ?5
                            ORDER BY pair, rowid LIMIT ?6)
                        RETURNING id, run, first, second, pair, opening",
                )?;
                let until = time + store.lease.as_millis() as i64;
                let values = params![worker.0, until, prefix.run, prefix.pairs, time, most];
                statement.query_map(values, job_row)?.collect::<rusqlite::Result<Vec<Job>>>()?
            };
            let query = "SELECT 1 FROM jobs WHERE run = ?1 AND done = 0 AND pair < ?2 LIMIT 1";
            let left: Option<i64> =
                transaction.query_row(query, params![prefix.run, prefix.pairs], |row| row.get(0)).optional()?;
            transaction.commit()?;
            Ok(match (taken.is_empty(), left) {
                (false, _) => Lease::Jobs(taken),
                (true, Some(_)) => Lease::Wait(ASK_AGAIN),
                (true, None) => Lease::Done,
            })
        };
        take(&mut connection).map_err(|error| store.wrap(error))
    }

    fn extend(&self, worker: &Worker) -> Result<(), RunError> {
        let until = (now() + self.store.lease).as_millis() as i64;
        let extended = self.store.connection().execute("UPDATE jobs SET until = ?1 WHERE worker = ?2", params![until, worker.0]);
        extended.map(drop).map_err(|error| self.store.wrap(error))
    }

    fn release(&self, worker: &Worker) -> Result<(), RunError> {
        let query = "UPDATE jobs SET until = 0, worker = NULL WHERE worker = ?1";
        self.store.connection().execute(query, [&worker.0]).map(drop).map_err(|error| self.store.wrap(error))
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

fn job_row(row: &Row<'_>) -> rusqlite::Result<Job> {
    let opening: String = row.get(5)?;
    Ok(Job {
        id: row.get(0)?,
        run: row.get(1)?,
        agents: [row.get(2)?, row.get(3)?],
        pair: row.get(4)?,
        opening: opening.split_whitespace().map(str::to_owned).collect(),
    })
}
