//! The queue trait on JetStream.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt as _;
use plyground_core::sync::lock;
use plyground_match::{GameRow, Job, Lease, Queue, ResultSink, RunError, Worker};
use tokio::sync::watch;

use crate::broker::{ANSWER, Broker, jobs_of, results_of};
use crate::wire::{Failure, Game, Parcel, Returns, packed, unpacked};

/// A job that came back without a result this often is recorded as failed.
pub const DELIVERIES: i64 = 5;
/// Whoever failed is not asked again at once, so that somebody else is.
const AFTER_FAILURE: Duration = Duration::from_millis(500);
/// How soon to ask again when others have all that is left.
const ASK_AGAIN: Duration = Duration::from_millis(200);
/// Results are sent about this often.
pub(super) const BATCH: Duration = Duration::from_secs(3);
/// A lease is extended at least this often.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(5);
/// A server takes a megabyte; what is larger is sent in parts.
const LARGEST_MESSAGE: usize = 600_000;
/// The server waits this long for something to come up before it says that there is nothing.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Jobs through a NATS server.
pub struct NatsQueue {
    broker: Arc<Broker>,
    /// How many jobs go into a message.
    parcel: usize,
    /// Part of the names of messages: what was taken away may be asked for again by whoever comes next.
    era: String,
    /// Does it wait for work that nobody has asked for yet?
    patient: bool,
    held: Mutex<HashMap<Token, Held>>,
    /// When it is over nobody waits any more.
    over: watch::Sender<bool>,
    counts: Counts,
}

/// What a worker has done.
#[derive(Debug, Default)]
pub struct Counts {
    /// Jobs.
    pub jobs: AtomicU64,
    /// Jobs that others had been given before.
    pub again: AtomicU64,
    /// Jobs that could not be done.
    pub failed: AtomicU64,
}

/// A message: its place in the stream, and its first job, as a server that has lost the end of a stream gives places anew.
type Token = (u64, String);

/// A message that somebody works on.
struct Held {
    worker: Worker,
    message: Arc<Message>,
    deliveries: i64,
    /// Jobs that are not done.
    left: HashSet<String>,
    /// Jobs of it that could not be done.
    failed: bool,
    /// Since when the results that come next are being worked on.
    since: Instant,
}

impl NatsQueue {
    /// A queue that gives out and takes single jobs, and says when nothing is left.
    pub fn new(broker: Arc<Broker>) -> Self {
        Self {
            broker,
            parcel: 1,
            era: String::new(),
            patient: false,
            held: Mutex::default(),
            over: watch::Sender::new(false),
            counts: Counts::default(),
        }
    }

    /// One that waits for work that may come.
    #[must_use]
    pub fn patient(self) -> Self {
        Self { patient: true, ..self }
    }

    /// One whose messages have names of their own.
    #[must_use]
    pub(super) fn in_era(self, era: String) -> Self {
        Self { era, ..self }
    }

    /// Nobody waits for work any more.
    pub fn close(&self) {
        self.over.send_replace(true);
    }

    /// Does nobody work on anything?
    pub(super) fn is_idle(&self) -> bool {
        self.held().is_empty()
    }

    /// Messages with jobs of a run that are in the queue, also those that somebody works on.
    pub fn messages(&self, run: &str) -> Result<usize, RunError> {
        self.broker.wait(self.broker.queued(Some(run)))
    }

    /// What was done.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    fn held(&self) -> MutexGuard<'_, HashMap<Token, Held>> {
        lock(&self.held)
    }

    /// Puts jobs into a message of their own; false if it is there already.
    pub(super) async fn send(&self, jobs: &[Job], give_up: &(dyn Fn() -> bool + Sync)) -> Result<bool, RunError> {
        let Some(first) = jobs.first() else { return Ok(false) };
        // The name of a job, and what tells its parcels apart.
        let others = if jobs.len() == 1 { String::new() } else { format!("+{}", jobs.len() - 1) };
        let name = format!("{}{others}{}", first.id, self.era);
        let payload = packed(&Parcel { jobs: jobs.to_vec() });
        let subject = jobs_of(&first.run);
        self.broker.insist(give_up, || self.broker.publish(&subject, Some(&name), payload.clone())).await
    }

    /// The next message, or nothing after a while.
    async fn next(&self, wait: bool) -> Result<Option<Message>, RunError> {
        let refused = |error: &dyn std::fmt::Display| self.broker.refused(error);
        let request = async {
            let workers = self.broker.workers();
            if wait {
                let mut batch =
                    workers.batch().max_messages(1).expires(PATIENCE).messages().await.map_err(|error| refused(&error))?;
                batch.next().await.transpose().map_err(|error| refused(&error))
            } else {
                let fetched = async {
                    let mut batch = workers.fetch().max_messages(1).messages().await.map_err(|error| refused(&error))?;
                    batch.next().await.transpose().map_err(|error| refused(&error))
                };
                // A server that is gone does not even say that it has nothing.
                tokio::time::timeout(ANSWER, fetched).await.map_err(|error| refused(&error))?
            }
        };
        let mut over = self.over.subscribe();
        tokio::select! {
            found = request => found,
            _ = over.wait_for(|over| *over) => Ok(None),
        }
    }

    /// Takes a message over, unless nobody should try it again; nothing if it is one that is worked on here already.
    async fn take(&self, worker: &Worker, message: Message) -> Result<Option<Vec<Job>>, RunError> {
        let (sequence, deliveries) = {
            let info = message.info().map_err(|error| self.broker.refused(error))?;
            (info.stream_sequence, info.delivered)
        };
        let parcel = unpacked::<Parcel>(&message.payload).ok().filter(|parcel| !parcel.jobs.is_empty());
        let Some(Parcel { jobs }) = parcel else {
            // Nobody will ever understand it.
            let _ = message.ack_with(AckKind::Term).await;
            return Ok(Some(Vec::new()));
        };
        let token = (sequence, jobs[0].id.clone());
        if let Some(held) = self.held().get_mut(&token) {
            // The server has not heard in time that somebody is at it. The rest of its life is that of the newest delivery.
            (held.message, held.deliveries) = (Arc::new(message), deliveries);
            return Ok(None);
        }
        if deliveries > DELIVERIES {
            let error = format!("it was given out {DELIVERIES} times, and nobody came back with a result");
            self.record(&jobs, &error, jobs.len() == 1).await?;
            let _ = message.double_ack().await;
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
            since: Instant::now(),
        };
        self.held().insert(token, held);
        Ok(Some(jobs))
    }

    /// Says that jobs have failed.
    async fn record(&self, jobs: &[Job], error: &str, certain: bool) -> Result<(), RunError> {
        let Some(first) = jobs.first() else { return Ok(()) };
        self.counts.failed.fetch_add(jobs.len() as u64, Ordering::Relaxed);
        let failure = |job: &Job| Failure { job: job.id.clone(), error: error.to_owned(), certain };
        let returns = Returns { failures: jobs.iter().map(failure).collect(), ..Returns::default() };
        self.returned(&first.run, &returns).await
    }

    async fn returned(&self, run: &str, returns: &Returns) -> Result<(), RunError> {
        let payload = packed(returns);
        if payload.len() > LARGEST_MESSAGE && returns.jobs.len() > 1 {
            let middle = returns.jobs.len() / 2;
            for jobs in [&returns.jobs[..middle], &returns.jobs[middle..]] {
                let seconds = returns.seconds * jobs.len() as f64 / returns.jobs.len() as f64;
                let part = Returns { worker: returns.worker.clone(), seconds, jobs: jobs.to_vec(), failures: Vec::new() };
                Box::pin(self.returned(run, &part)).await?;
            }
            return Ok(());
        }
        let name = blake3::hash(&payload).to_hex();
        let closed = self.over.subscribe();
        let begun = Instant::now();
        // Games are worth more than time; but whoever was told to stop does not wait for a server for ever.
        let give_up = || *closed.borrow() && begun.elapsed() > Duration::from_secs(10);
        let subject = results_of(run);
        self.broker.insist(&give_up, || self.broker.publish(&subject, Some(&name), payload.clone())).await.map(drop)
    }

    /// A message of which nothing is left is acknowledged; if some of it failed, it goes to somebody else. An acknowledgement that is lost
    /// costs a job that is done twice.
    fn settle(&self, done: Vec<Held>) {
        self.broker.wait(async {
            for held in done {
                let kind = if held.failed { AckKind::Nak(Some(AFTER_FAILURE)) } else { AckKind::Ack };
                let _ = held.message.double_ack_with(kind).await;
            }
        });
    }
}

impl Queue for NatsQueue {
    fn push(&self, jobs: &[Job]) -> Result<usize, RunError> {
        self.broker.wait(async {
            let mut new = 0;
            let give_up = Broker::patience(Instant::now());
            for parcel in jobs.chunk_by(|one, other| one.run == other.run).flat_map(|part| part.chunks(self.parcel)) {
                new += if self.send(parcel, &give_up).await? { parcel.len() } else { 0 };
            }
            Ok(new)
        })
    }

    fn lease(&self, worker: &Worker, most: usize) -> Result<Lease, RunError> {
        self.broker.wait(async {
            let mut jobs = Vec::new();
            let begun = Instant::now();
            // Not for so long that the first of them would have to be extended before anybody is at it.
            while jobs.len() < most && (jobs.is_empty() || begun.elapsed() < self.heartbeat()) {
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
        })
    }

    fn extend(&self, worker: &Worker) -> Result<(), RunError> {
        let held = self.held();
        let messages: Vec<Arc<Message>> =
            held.values().filter(|held| held.worker == *worker).map(|held| Arc::clone(&held.message)).collect();
        drop(held);
        self.broker.wait(async {
            for message in messages {
                message.ack_with(AckKind::Progress).await.map_err(|error| self.broker.refused(error))?;
            }
            Ok(())
        })
    }

    fn release(&self, worker: &Worker) -> Result<(), RunError> {
        let released: Vec<Held> = self.held().extract_if(|_, held| held.worker == *worker).map(|(_, held)| held).collect();
        self.broker.wait(async {
            for held in released {
                // If nobody hears it, the lease ends by itself.
                let _ = held.message.ack_with(AckKind::Nak(None)).await;
            }
        });
        self.broker.flush();
        Ok(())
    }

    fn finish(&self, jobs: &[Job]) -> Result<(), RunError> {
        self.counts.jobs.fetch_add(jobs.len() as u64, Ordering::Relaxed);
        let mut held = self.held();
        for held in held.values_mut() {
            let before = held.left.len();
            for job in jobs {
                held.left.remove(&job.id);
            }
            if held.left.len() < before {
                held.since = Instant::now();
            }
        }
        let done = held.extract_if(|_, held| held.left.is_empty()).map(|(_, held)| held).collect();
        drop(held);
        self.settle(done);
        Ok(())
    }

    /// Somebody else may be able to do it. After enough attempts it is recorded as failed; the rest of the parcel goes on.
    fn fail(&self, job: &Job, error: RunError) -> Result<(), RunError> {
        if let RunError::Refused { .. } = error {
            return Err(error);
        }
        // A run that is over leaves jobs behind: nobody waits for them.
        let nobody_waits = matches!(error, RunError::Gone { .. });
        let last = self.held().values().any(|held| held.left.contains(&job.id) && held.deliveries >= DELIVERIES);
        if last && !nobody_waits {
            self.broker.wait(self.record(std::slice::from_ref(job), &error.to_string(), true))?;
        }
        let mut held = self.held();
        for held in held.values_mut() {
            if held.left.remove(&job.id) && !last && !nobody_waits {
                held.failed = true;
            }
        }
        let done = held.extract_if(|_, held| held.left.is_empty()).map(|(_, held)| held).collect();
        drop(held);
        self.settle(done);
        Ok(())
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
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        let first = &jobs[0][0].job;
        let (worker, seconds) = self
            .held()
            .values()
            .find(|held| held.left.contains(first))
            .map_or_else(|| (String::new(), 0.0), |held| (held.worker.0.clone(), held.since.elapsed().as_secs_f64()));
        let games = |rows: &Vec<GameRow>| rows.iter().map(Game::from).collect();
        let returns = Returns { worker, seconds, jobs: jobs.iter().map(games).collect(), failures: Vec::new() };
        self.broker.wait(self.returned(run, &returns))?;
        Ok(vec![true; jobs.len()])
    }
}
