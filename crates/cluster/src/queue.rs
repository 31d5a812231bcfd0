//! The job queue on JetStream.

use std::collections::{BTreeMap, HashSet};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures_util::future::{Either, select};
use plyground_core::sync::lock;
use plyground_match::{GameRow, Job, Lease, Queue, ResultSink, RunError, Worker};
use tokio::sync::watch;

use crate::broker::{Broker, jobs_of, results_of};
use crate::message_server::{Acknowledgement, Delivery};
use crate::names::WorkerName;
use crate::wire::{BatchResults, Failure, JobBatch, LARGEST, WireGame, packed, packed_with_length, unpacked};

/// The number of deliveries without a result after which a job is recorded as failed.
pub const DELIVERIES: i64 = 5;
/// The delay before a failed message is delivered again, so that another worker gets it.
const AFTER_FAILURE: Duration = Duration::from_millis(500);
/// The pause before the next request when other workers have all that is left.
const ASK_AGAIN: Duration = Duration::from_millis(200);
/// The interval at which results are published.
pub(super) const BATCH: Duration = Duration::from_secs(3);
/// The longest interval at which leases are extended.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(5);
/// The largest message that is sent in one part, in bytes: servers take a megabyte.
const LARGEST_MESSAGE: usize = 600_000;
/// The time that the server holds a request for a message.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// A queue of jobs on a NATS server.
pub struct NatsQueue {
    broker: Arc<Broker>,
    /// The number of jobs of a message.
    batch: usize,
    /// The term of the leader, as part of the names of messages: the next leader may send purged jobs again.
    term: String,
    /// True if leasing waits for jobs that are still to be queued.
    patient: bool,
    /// The name that results are signed with; if it is empty, that of the thread that holds the job.
    sender: WorkerName,
    held: Mutex<BTreeMap<Token, Held>>,
    /// True once the queue is closed: leasing does not wait any more.
    over: watch::Sender<bool>,
    counts: WorkerCounts,
}

/// The numbers of jobs that a worker has done.
#[derive(Debug, Default)]
pub struct WorkerCounts {
    /// Jobs.
    pub jobs: AtomicU64,
    /// Jobs that another worker had leased before.
    pub again: AtomicU64,
    /// Jobs that could not be done.
    pub failed: AtomicU64,
}

/// The identity of a message: its place in the stream, and its first job, as a server that has lost the end of a stream gives places
/// anew.
type Token = (u64, String);

/// A leased message.
struct Held {
    worker: Worker,
    message: Arc<Delivery>,
    deliveries: i64,
    /// Jobs that are not done.
    left: HashSet<String>,
    /// Jobs of it that could not be done.
    failed: bool,
    /// The time at which work on the next results began.
    since: Duration,
}

impl NatsQueue {
    /// A queue with one job per message, whose leases end when nothing is left.
    pub fn new(broker: Arc<Broker>) -> Self {
        Self {
            broker,
            batch: 1,
            term: String::new(),
            patient: false,
            sender: WorkerName::default(),
            held: Mutex::default(),
            over: watch::Sender::new(false),
            counts: WorkerCounts::default(),
        }
    }

    /// The same queue, waiting for jobs that are still to be queued.
    #[must_use]
    pub fn patient(self) -> Self {
        Self { patient: true, ..self }
    }

    /// The same queue with results signed by this name.
    #[must_use]
    pub(super) fn signed(self, name: &str) -> Self {
        Self { sender: WorkerName::of(name), ..self }
    }

    /// The same queue with the message names of a term.
    #[must_use]
    pub(super) fn in_term(self, term: String) -> Self {
        Self { term, ..self }
    }

    /// Ends all waiting for jobs.
    pub fn close(&self) {
        self.over.send_replace(true);
    }

    /// Is no message leased?
    pub(super) fn is_idle(&self) -> bool {
        self.held().is_empty()
    }

    /// The number of messages of a run in the queue, leased ones included.
    pub fn messages(&self, run: &str) -> Result<usize, RunError> {
        self.broker.wait(self.broker.queued(Some(run)))
    }

    /// The numbers of jobs done so far.
    pub fn counts(&self) -> &WorkerCounts {
        &self.counts
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<Token, Held>> {
        lock(&self.held)
    }

    /// Publishes jobs as one message, in parts where it would be too large; false if it is there already.
    pub(super) async fn send(&self, jobs: &[Job], give_up: &(dyn Fn() -> bool + Sync)) -> Result<bool, RunError> {
        let Some(first) = jobs.first() else { return Ok(false) };
        // The name of the first job, and the number of the others.
        let others = if jobs.len() == 1 { String::new() } else { format!("+{}", jobs.len() - 1) };
        let name = format!("{}{others}{}", first.id, self.term);
        let (payload, length) = packed_with_length(&JobBatch { jobs: jobs.to_vec() });
        if (payload.len() > LARGEST_MESSAGE || length > LARGEST / 2) && jobs.len() > 1 {
            let (one, other) = jobs.split_at(jobs.len() / 2);
            let new = Box::pin(self.send(one, give_up)).await?;
            return Ok(Box::pin(self.send(other, give_up)).await? || new);
        }
        let subject = jobs_of(&first.run);
        self.broker.retry(give_up, || self.broker.publish(&subject, Some(&name), payload.clone())).await
    }

    /// The next message, or `None` after a while.
    async fn next(&self, wait: bool) -> Result<Option<Delivery>, RunError> {
        let mut over = self.over.subscribe();
        let request = self.broker.next_jobs(wait.then_some(PATIENCE));
        match select(pin!(request), pin!(over.wait_for(|over| *over))).await {
            Either::Left((found, _)) => found,
            Either::Right(_) => Ok(None),
        }
    }

    /// The jobs of a delivered message: none if it has failed too often; `None` if the message is leased here already.
    async fn take(&self, worker: &Worker, message: Delivery) -> Result<Option<Vec<Job>>, RunError> {
        let deliveries = message.deliveries;
        // The subject, which the server checks, says which run it is.
        let of_its_run = |batch: &JobBatch| message.subject == jobs_of(&batch.jobs[0].run);
        let Some(JobBatch { jobs }) = unpacked::<JobBatch>(&message.payload).ok().filter(of_its_run) else {
            // A message that cannot be read is removed.
            let _ = message.ticket.acknowledge(Acknowledgement::Unreadable, false).await;
            return Ok(Some(Vec::new()));
        };
        let token = (message.sequence, jobs[0].id.clone());
        if let Some(held) = self.held().get_mut(&token) {
            // The lease was not extended in time. The newest delivery is the one to acknowledge.
            (held.message, held.deliveries) = (Arc::new(message), deliveries);
            return Ok(None);
        }
        if deliveries > DELIVERIES {
            let error = format!("it was given out {DELIVERIES} times, and no worker came back with a result");
            self.record(&jobs, &error, jobs.len() == 1).await?;
            let _ = message.ticket.acknowledge(Acknowledgement::Done, true).await;
            return Ok(Some(Vec::new()));
        }
        if deliveries > 1 {
            self.counts.again.fetch_add(jobs.len() as u64, Ordering::Relaxed);
        }
        let held = Held {
            worker: worker.clone(),
            message: Arc::new(message),
            deliveries,
            left: jobs.iter().map(|job| job.id.clone()).collect(),
            failed: false,
            since: self.broker.now(),
        };
        self.held().insert(token, held);
        Ok(Some(jobs))
    }

    /// Publishes that jobs have failed.
    async fn record(&self, jobs: &[Job], error: &str, certain: bool) -> Result<(), RunError> {
        let Some(first) = jobs.first() else { return Ok(()) };
        self.counts.failed.fetch_add(jobs.len() as u64, Ordering::Relaxed);
        let failure = |job: &Job| Failure { job: job.id.clone(), error: error.to_owned(), certain };
        let results = BatchResults { failures: jobs.iter().map(failure).collect(), ..BatchResults::default() };
        self.publish_results(&first.run, &results).await
    }

    /// Publishes results, in parts where they are large.
    async fn publish_results(&self, run: &str, results: &BatchResults) -> Result<(), RunError> {
        let (payload, length) = packed_with_length(results);
        if (payload.len() > LARGEST_MESSAGE || length > LARGEST / 2) && results.jobs.len() > 1 {
            let middle = results.jobs.len() / 2;
            for jobs in [&results.jobs[..middle], &results.jobs[middle..]] {
                let seconds = results.seconds * jobs.len() as f64 / results.jobs.len() as f64;
                let part =
                    BatchResults { worker: results.worker.clone(), seconds, jobs: jobs.to_vec(), ..BatchResults::default() };
                Box::pin(self.publish_results(run, &part)).await?;
            }
            return Ok(());
        }
        let name = blake3::hash(&payload).to_hex();
        let closed = self.over.subscribe();
        let begun = self.broker.now();
        // Games are worth a wait; but a worker that is to stop does not wait for a server for ever.
        let give_up = || *closed.borrow() && self.broker.since(begun) > Duration::from_secs(10);
        let subject = results_of(run);
        self.broker.retry(&give_up, || self.broker.publish(&subject, Some(&name), payload.clone())).await.map(drop)
    }

    /// Puts jobs of one run back for another worker, as new messages: they were never begun, and so have not failed. A client that may
    /// not publish jobs returns them to the coordinator.
    pub(super) async fn put_back(&self, jobs: &[Job]) {
        let Some(first) = jobs.first() else { return };
        let sent = if self.broker.subjects().coordinates() {
            let payload = packed(&JobBatch { jobs: jobs.to_vec() });
            self.broker.publish(&jobs_of(&first.run), None, payload).await.map(drop)
        } else {
            let returned = jobs.iter().map(|job| job.id.clone()).collect();
            let results = BatchResults { worker: self.sender.clone(), returned, ..BatchResults::default() };
            self.publish_results(&first.run, &results).await
        };
        self.leave(jobs, sent.is_err()).await;
    }

    /// Takes jobs from their messages without a result; the messages go to another worker if these jobs have failed.
    pub(super) async fn leave(&self, jobs: &[Job], failed: bool) {
        let done = {
            let mut all = self.held();
            for held in all.values_mut() {
                for job in jobs {
                    held.failed |= held.left.remove(&job.id) && failed;
                }
            }
            all.extract_if(.., |_, held| held.left.is_empty()).map(|(_, held)| held).collect()
        };
        self.settle(done).await;
    }

    /// Acknowledges messages of which no job is left; a message with failed jobs goes to another worker. A lost acknowledgement costs
    /// a job that is done twice.
    async fn settle(&self, done: Vec<Held>) {
        for held in done {
            let kind = if held.failed { Acknowledgement::Failed(Some(AFTER_FAILURE)) } else { Acknowledgement::Done };
            let _ = held.message.ticket.acknowledge(kind, true).await;
        }
    }

    async fn push_jobs(&self, jobs: &[Job]) -> Result<usize, RunError> {
        let mut new = 0;
        let give_up = self.broker.patience();
        for batch in jobs.chunk_by(|one, other| one.run == other.run).flat_map(|part| part.chunks(self.batch)) {
            new += if self.send(batch, &give_up).await? { batch.len() } else { 0 };
        }
        Ok(new)
    }

    /// Takes about `most` jobs for a while.
    pub(super) async fn lease_jobs(&self, worker: &Worker, most: usize) -> Result<Lease, RunError> {
        let mut jobs = Vec::new();
        let begun = self.broker.now();
        // Not for so long that the first lease would end before its job is begun.
        while jobs.len() < most && (jobs.is_empty() || self.broker.since(begun) < self.heartbeat()) {
            match self.next(self.patient && jobs.is_empty()).await {
                Ok(Some(message)) => match self.take(worker, message).await? {
                    Some(taken) => jobs.extend(taken),
                    None => break,
                },
                Ok(None) => break,
                // A server that is gone may come back, perhaps without what was on it.
                Err(_) if self.patient || !jobs.is_empty() => {
                    let _ = self.broker.repair().await;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        if !jobs.is_empty() {
            return Ok(Lease::Jobs(jobs));
        }
        if *self.over.borrow() {
            return Ok(Lease::Done);
        }
        if self.patient {
            return Ok(Lease::Wait(ASK_AGAIN));
        }
        let left = self.broker.queued(None).await?;
        Ok(if left == 0 { Lease::Done } else { Lease::Wait(ASK_AGAIN) })
    }

    /// Says that a worker is still at all that it has taken.
    pub async fn extend_leases(&self, worker: &Worker) -> Result<(), RunError> {
        let messages: Vec<Arc<Delivery>> =
            self.held().values().filter(|held| held.worker == *worker).map(|held| Arc::clone(&held.message)).collect();
        for message in messages {
            let extended = message.ticket.acknowledge(Acknowledgement::Progress, false).await;
            extended.map_err(|error| self.broker.refused(error))?;
        }
        Ok(())
    }

    /// Gives back at once what a worker has taken and not finished.
    pub(super) async fn release_leases(&self, worker: &Worker) {
        let released: Vec<Held> = self.held().extract_if(.., |_, held| held.worker == *worker).map(|(_, held)| held).collect();
        for held in released {
            // If this is lost, the lease ends by itself.
            let _ = held.message.ticket.acknowledge(Acknowledgement::Failed(None), false).await;
        }
        self.broker.flushed().await;
    }

    /// Notes that these jobs are done and their results kept.
    pub async fn finish_jobs(&self, jobs: &[Job]) {
        self.counts.jobs.fetch_add(jobs.len() as u64, Ordering::Relaxed);
        let done = {
            let mut all = self.held();
            for held in all.values_mut() {
                let before = held.left.len();
                for job in jobs {
                    held.left.remove(&job.id);
                }
                if held.left.len() < before {
                    held.since = self.broker.now();
                }
            }
            all.extract_if(.., |_, held| held.left.is_empty()).map(|(_, held)| held).collect()
        };
        self.settle(done).await;
    }

    /// Leaves the job to another worker. After enough attempts it is recorded as failed; the rest of the batch goes on.
    pub(super) async fn fail_job(&self, job: &Job, error: &RunError) -> Result<(), RunError> {
        // The jobs of a run that is over need no result.
        let run_over = matches!(error, RunError::Gone { .. });
        let last = self.held().values().any(|held| held.left.contains(&job.id) && held.deliveries >= DELIVERIES);
        if last && !run_over {
            self.record(std::slice::from_ref(job), &error.to_string(), true).await?;
        }
        self.leave(std::slice::from_ref(job), !last && !run_over).await;
        Ok(())
    }

    /// Publishes the games of jobs of a run.
    pub async fn keep_games(&self, run: &str, jobs: &[Vec<GameRow>]) -> Result<(), RunError> {
        let Some(first) = jobs.first().map(|games| &games[0].job) else { return Ok(()) };
        let (worker, seconds) = self.held().values().find(|held| held.left.contains(first)).map_or_else(
            || (WorkerName::default(), 0.0),
            |held| (WorkerName::of(&held.worker.0), self.broker.since(held.since).as_secs_f64()),
        );
        let worker = if self.sender.as_str().is_empty() { worker } else { self.sender.clone() };
        let games = |rows: &Vec<GameRow>| rows.iter().map(WireGame::from).collect();
        let results = BatchResults { worker, seconds, jobs: jobs.iter().map(games).collect(), ..BatchResults::default() };
        self.publish_results(run, &results).await
    }
}

/// The same, blocking.
impl Queue for NatsQueue {
    fn push(&self, jobs: &[Job]) -> Result<usize, RunError> {
        self.broker.wait(self.push_jobs(jobs))
    }

    fn lease(&self, worker: &Worker, most: usize) -> Result<Lease, RunError> {
        self.broker.wait(self.lease_jobs(worker, most))
    }

    fn extend(&self, worker: &Worker) -> Result<(), RunError> {
        self.broker.wait(self.extend_leases(worker))
    }

    fn release(&self, worker: &Worker) -> Result<(), RunError> {
        self.broker.wait(self.release_leases(worker));
        Ok(())
    }

    fn finish(&self, jobs: &[Job]) -> Result<(), RunError> {
        self.broker.wait(self.finish_jobs(jobs));
        Ok(())
    }

    fn fail(&self, job: &Job, error: RunError) -> Result<(), RunError> {
        self.broker.wait(self.fail_job(job, &error))
    }

    fn heartbeat(&self) -> Duration {
        (self.broker.lease() / 4).min(HEARTBEAT)
    }

    fn batch(&self) -> Duration {
        BATCH
    }
}

impl ResultSink for NatsQueue {
    fn keep(&self, run: &str, jobs: &[Vec<GameRow>]) -> Result<Vec<bool>, RunError> {
        self.broker.wait(self.keep_games(run, jobs)).map(|()| vec![true; jobs.len()])
    }
}
