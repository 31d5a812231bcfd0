//! Results by their senders, and what happens to those that turned out to be wrong.

use rusqlite::{Connection, TransactionBehavior, params};

use super::checksum::job_columns;
use super::damage::reopen;
use super::queue::job_row;
use crate::{GameRow, Job, RunError, Store};

const SENDERS: &str = "SELECT DISTINCT sender FROM jobs WHERE run = ?1 AND sender IS NOT NULL";

const JOBS_SENT: &str = concat!(
    "SELECT id, run, first, second, pair, opening FROM jobs WHERE run = ?1 AND sender = ?2 AND done = 1
        AND checksum IS row_checksum('jobs', ",
    job_columns!(),
    ") ORDER BY pair, rowid"
);

impl Store {
    /// Keeps games as [`ResultSink::keep`](crate::ResultSink::keep) does, and notes for each job which worker has sent them.
    pub fn keep_sent(&self, run: &str, jobs: &[Vec<GameRow>], senders: &[&str]) -> Result<Vec<bool>, RunError> {
        self.insert(run, jobs, |number| senders.get(number).copied())
    }

    /// The names of all workers whose results are kept for a run.
    pub fn senders(&self, run: &str) -> Result<Vec<String>, RunError> {
        let connection = self.connection();
        let names = connection.prepare(SENDERS).and_then(|mut statement| statement.query_map([run], |row| row.get(0))?.collect());
        names.map_err(|error| self.wrap(error))
    }

    /// The jobs of a run whose results this worker has sent, in this session of the coordinator or in earlier ones.
    pub fn jobs_sent_by(&self, run: &str, worker: &str) -> Result<Vec<Job>, RunError> {
        let connection = self.connection();
        let jobs =
            connection.prepare(JOBS_SENT).and_then(|mut statement| statement.query_map(params![run, worker], job_row)?.collect());
        jobs.map_err(|error| self.wrap(error))
    }

    /// Removes the games of these jobs and opens the jobs again: their sender was found to make results up.
    pub fn retract<'a>(&self, jobs: impl IntoIterator<Item = &'a str>) -> Result<(), RunError> {
        let mut connection = self.connection();
        let remove = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            jobs.into_iter().try_for_each(|job| reopen(&transaction, job))?;
            transaction.commit()
        };
        remove(&mut connection).map_err(|error| self.wrap(error))
    }
}
