//! Queues of jobs, with leases.
//!
//! A leased job comes back when its lease is not extended in time, so that a worker may vanish at any moment. It may then be
//! done twice; its results are kept under its name, and so count once.

use std::time::Duration;

use crate::{GameRow, Job, RunError};

/// The answer of a queue to a worker that asks for jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lease {
    /// These jobs are yours for a while.
    Jobs(Vec<Job>),
    /// All that is left is being done by others: ask again after this time.
    Wait(Duration),
    /// Nothing is left.
    Done,
}

/// The name of a worker, which leases jobs.
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
    /// Notes that these jobs are done and their results kept. That is final.
    fn finish(&self, jobs: &[Job]) -> Result<(), RunError>;
    /// Notes that a job that was taken cannot be done. The worker has to stop if this is an error.
    fn fail(&self, job: &Job, error: RunError) -> Result<(), RunError>;
    /// The interval at which a worker extends its leases, short enough that one late extension does no harm.
    fn heartbeat(&self) -> Duration;
    /// A worker hands in its results about this often: each time costs something.
    fn batch(&self) -> Duration;
}

/// The place where results go.
pub trait ResultSink: Sync {
    /// Keeps the games of jobs of a run, those of each job all or not at all. Those that are kept already stay as they are; the
    /// answer says which are new.
    fn keep(&self, run: &str, jobs: &[Vec<GameRow>]) -> Result<Vec<bool>, RunError>;
}
