//! The work that is to be done, and who does it.
//!
//! A job that is leased comes back when nobody has extended the lease in time, so that a worker may vanish at any moment. It may then be
//! done twice; its results are kept under its name, and so count once.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{GameRow, RunError};

/// One pair of games, or a single game where the seats are fixed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The name of the job: a hash of the settings of the run and of the pair.
    pub id: String,
    /// The run that it belongs to.
    pub run: String,
    /// Who plays, by number: the first one moves first in the first game.
    pub agents: [usize; 2],
    /// The number of the pair between these two.
    pub pair: u64,
    /// What is played before anybody thinks.
    pub opening: Vec<String>,
}

/// The first so many pairs of every pairing of a run: a run can be made longer, and whoever asks for less gets less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunPrefix<'a> {
    /// The run.
    pub run: &'a str,
    /// How many pairs of each pairing.
    pub pairs: u64,
}

impl<'a> RunPrefix<'a> {
    /// All there is of a run.
    pub fn all(run: &'a str) -> Self {
        // The most that a database counts to.
        Self { run, pairs: i64::MAX as u64 }
    }
}

/// What a queue answers to somebody who looks for work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lease {
    /// These jobs are yours for a while.
    Jobs(Vec<Job>),
    /// All that is left is being done by others: ask again after this time.
    Wait(Duration),
    /// Nothing is left.
    Done,
}

/// Who leases jobs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Worker(pub String);

/// A queue of jobs.
pub trait Queue: Sync {
    /// Adds jobs; those that are there already (done or not) are left as they are. The number of new ones.
    fn push(&self, jobs: &[Job]) -> Result<usize, RunError>;
    /// Takes about `most` jobs for a while.
    fn lease(&self, worker: &Worker, most: usize) -> Result<Lease, RunError>;
    /// Says that a worker is still at all that it has taken.
    fn extend(&self, worker: &Worker) -> Result<(), RunError>;
    /// Gives back at once what a worker has taken and not finished.
    fn release(&self, worker: &Worker) -> Result<(), RunError>;
    /// These jobs are done, whoever did them, and their results are kept. That is final.
    fn finish(&self, jobs: &[Job]) -> Result<(), RunError>;
    /// A job that was taken cannot be done. Whoever gets an error back has to stop.
    fn fail(&self, job: &Job, error: RunError) -> Result<(), RunError>;
    /// How often a worker must extend its leases, so that one that is late does no harm.
    fn heartbeat(&self) -> Duration;
    /// A worker hands in its results about this often: each time costs something.
    fn batch(&self) -> Duration;
}

/// Where results go.
pub trait ResultSink: Sync {
    /// Keeps the games of jobs of a run, those of each job all or not at all. Those that are kept already stay as they are; the
    /// answer says which are new.
    fn keep(&self, run: &str, jobs: &[Vec<GameRow>]) -> Result<Vec<bool>, RunError>;
}
