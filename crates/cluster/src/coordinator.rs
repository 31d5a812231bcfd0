//! The coordinator of a run: publishes its jobs, and stores the games that come back.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::OrderedConfig;
use futures_util::{StreamExt as _, TryStreamExt as _};
use plyground_core::sync::lock;
use plyground_core::{CancelToken, InputError};
use plyground_match::{
    Executor, Experiment, GameRow, Job, ResultSink as _, Run, RunDriver, RunError, RunEvent, RunPrefix, Store,
};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::batcher::Batcher;
use crate::broker::{Broker, jobs_of, results_of};
use crate::fleet::FleetView;
use crate::handshake::Handshake;
use crate::leadership::Leadership;
use crate::queue::NatsQueue;
use crate::wire::{BatchResults, unpacked};

/// The time to wait for results before doing other things.
const TICK: Duration = Duration::from_millis(100);
/// The interval at which the coordinator checks that what it has sent is still queued.
const CHECK: Duration = Duration::from_secs(3);
/// The wait for late results of a stopped run: until none has come for the first time, but not longer than the second. Results that
/// come later count when the run goes on.
const QUIET: Duration = Duration::from_millis(1_500);
const LONGEST_QUIET: Duration = Duration::from_secs(10);
/// Batches that are sent at the same time.
const AT_ONCE: usize = 1_024;
/// Batches that are sent before results are read again, and messages that are stored in one transaction.
const IN_A_ROW: usize = 2_048;

/// The settings of a run, as workers read them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Announcement {
    /// The handshake of the coordinator.
    #[serde(rename = "hello")]
    pub handshake: Handshake,
    /// The experiment.
    pub experiment: Experiment,
}

/// The subject on which the end of a run is published; workers then drop its settings.
pub fn end_of(run: &str) -> String {
    format!("ply.end.{run}")
}

/// The key of the announcement of a run.
pub fn key_of(run: &str) -> String {
    format!("run.{run}")
}

/// The executor that plays a run with all workers at a NATS queue.
pub struct Fleet {
    broker: Arc<Broker>,
    handshake: Handshake,
    view: FleetView,
    /// The place in the result stream up to which each run was read.
    read: Mutex<HashMap<String, u64>>,
    purged: AtomicU64,
}

impl Fleet {
    /// The workers at the queue of this broker. Takes half a second, to measure this machine.
    pub fn new(broker: Arc<Broker>) -> Result<Self, RunError> {
        let view = FleetView::new(&broker)?;
        let handshake = Handshake::of_this_machine()?;
        Ok(Self { broker, handshake, view, read: Mutex::default(), purged: AtomicU64::new(0) })
    }

    /// The live workers.
    pub fn view(&self) -> &FleetView {
        &self.view
    }

    /// The number of messages with jobs that were purged from the queue because their run was over or sent again.
    pub fn purged(&self) -> u64 {
        self.purged.load(Ordering::Relaxed)
    }

    /// Publishes the settings of a run.
    fn announce(&self, run: &Run, cancel: &CancelToken) -> Result<(), RunError> {
        let announcement = Announcement { handshake: self.handshake.clone(), experiment: run.experiment.clone() };
        let key = key_of(&run.id);
        let give_up = || cancel.is_cancelled();
        self.broker.wait(self.broker.retry(&give_up, || self.broker.set(&key, &announcement, None))).map(drop)
    }

    /// A channel of the results of a run, from the first that was not read yet; `None` stands for "no more for now".
    fn follow(&self, run: &str) -> (mpsc::Receiver<Option<Received>>, tokio::task::JoinHandle<()>) {
        let (sender, receiver) = mpsc::channel(2 * IN_A_ROW);
        let begin = lock(&self.read).get(run).copied().unwrap_or(0);
        let reader = ResultReader { broker: Arc::clone(&self.broker), subject: results_of(run), next: begin + 1, sender };
        (receiver, self.broker.spawn(reader.run()))
    }
}

/// Results with their place in the stream.
struct Received {
    sequence: u64,
    results: BatchResults,
}

/// A task that reads the results of a run until the receiver is dropped.
struct ResultReader {
    broker: Arc<Broker>,
    subject: String,
    next: u64,
    sender: mpsc::Sender<Option<Received>>,
}

impl ResultReader {
    async fn run(mut self) {
        while !self.sender.is_closed() {
            // A server that is gone may come back, with the stream or without it.
            if self.read().await.is_err() {
                tokio::time::sleep(Duration::from_millis(300)).await;
                let _ = self.broker.repair().await;
            }
        }
    }

    async fn read(&mut self) -> Result<(), async_nats::Error> {
        let config = OrderedConfig {
            filter_subject: self.subject.clone(),
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: self.next },
            ..OrderedConfig::default()
        };
        let consumer = self.broker.results.create_consumer(config).await?;
        if consumer.cached_info().num_pending == 0 && self.sender.send(None).await.is_err() {
            return Ok(());
        }
        let mut messages = consumer.messages().await?;
        loop {
            let message = tokio::select! {
                message = messages.try_next() => message?,
                () = self.sender.closed() => return Ok(()),
            };
            let Some(message) = message else { return Ok(()) };
            let (sequence, pending) = {
                let info = message.info()?;
                (info.stream_sequence, info.pending)
            };
            self.next = sequence + 1;
            // Messages that cannot be read are skipped.
            if let Ok(results) = unpacked(&message.payload)
                && self.sender.send(Some(Received { sequence, results })).await.is_err()
            {
                return Ok(());
            }
            if pending == 0 && self.sender.send(None).await.is_err() {
                return Ok(());
            }
        }
    }
}

impl Executor for Fleet {
    fn execute(
        &self,
        driver: &RunDriver<'_>,
        pairs: u64,
        cancel: &CancelToken,
        events: &(dyn Fn(&RunEvent<'_>) + Sync),
    ) -> Result<(), RunError> {
        let run = driver.run;
        // A worker that started programs named by a coordinator would run any command for every client of the queue.
        if let Some(program) = run.experiment.agents.iter().find(|agent| agent.starts_with("cmd:")) {
            let detail = "programs play on the computer that they are on; expected agents of the table with --queue";
            return Err(InputError::malformed("agent", program, detail).into());
        }
        for name in run.experiment.files.keys() {
            self.broker.put_file(&driver.players.resources().read(name)?)?;
        }
        let open = driver.store.open_jobs(RunPrefix::all(&run.id))?;
        let known = open.iter().map(|job| (job.id.clone(), job.clone())).collect();
        let wanted: Vec<Job> = open.into_iter().filter(|job| job.pair < pairs).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let me = format!("{}-{:x}", std::process::id(), std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos()));
        let (received, reader) = self.follow(&run.id);
        let mut coordinator = RunCoordinator {
            fleet: self,
            store: driver.store,
            run,
            cancel,
            events,
            known,
            batcher: Batcher::new(wanted),
            leadership: Leadership::new(&run.id, me),
            queue: NatsQueue::new(Arc::clone(&self.broker)),
            received,
            caught_up: false,
            read: None,
            checked: Instant::now(),
            empty: 0,
        };
        let played = coordinator.play();
        let ended = coordinator.end();
        reader.abort();
        played.and(ended)
    }
}

/// The state of a coordinator during a run.
struct RunCoordinator<'a> {
    fleet: &'a Fleet,
    store: &'a Store,
    run: &'a Run,
    cancel: &'a CancelToken,
    events: &'a (dyn Fn(&RunEvent<'_>) + Sync),
    /// All jobs of the run that are not done, by name, also those beyond the wanted prefix.
    known: HashMap<String, Job>,
    /// The jobs of the wanted prefix.
    batcher: Batcher,
    leadership: Leadership,
    queue: NatsQueue,
    received: mpsc::Receiver<Option<Received>>,
    /// True once all results that were in the stream at the beginning are read.
    caught_up: bool,
    /// The place in the stream up to which no result was skipped.
    read: Option<u64>,
    checked: Instant,
    /// The number of checks in a row that found the queue empty.
    empty: u32,
}

impl RunCoordinator<'_> {
    fn broker(&self) -> &Broker {
        &self.fleet.broker
    }

    fn play(&mut self) -> Result<(), RunError> {
        loop {
            let _ = self.receive(TICK)?;
            if self.batcher.is_done() || self.cancel.is_cancelled() {
                return Ok(());
            }
            if self.caught_up {
                self.send_jobs()?;
            }
        }
    }

    /// Sends batches of jobs, if this coordinator is the leader.
    fn send_jobs(&mut self) -> Result<(), RunError> {
        let broker = Arc::clone(&self.fleet.broker);
        if broker.wait(self.leadership.beat(&broker)) {
            self.send_all_again()?;
        }
        if !self.leadership.leads() {
            return Ok(());
        }
        self.batcher.worked_on_by(self.fleet.view.cores());
        let batches: Vec<Vec<Job>> = std::iter::from_fn(|| self.batcher.next()).take(IN_A_ROW).collect();
        let (queue, cancel) = (&self.queue, self.cancel);
        let give_up = || cancel.is_cancelled();
        let sent = broker.wait(async {
            let sending = batches.iter().map(|jobs| queue.send(jobs, &give_up));
            futures_util::stream::iter(sending).buffer_unordered(AT_ONCE).try_for_each(|_| async { Ok(()) }).await
        });
        match sent {
            // The run was stopped while the server was gone.
            Err(_) if cancel.is_cancelled() => Ok(()),
            Err(error) => Err(error),
            Ok(()) => self.check(),
        }
    }

    /// Sends all open jobs again, under new message names. Messages of earlier leaders are purged first, so that no job is queued
    /// twice; results of jobs in flight arrive anyway.
    fn send_all_again(&mut self) -> Result<(), RunError> {
        static TERMS: AtomicU64 = AtomicU64::new(0);
        let _ = self.broker().wait(self.broker().purge(&jobs_of(&self.run.id)));
        self.fleet.announce(self.run, self.cancel)?;
        let term = format!(".{}-{}", self.leadership.term(), TERMS.fetch_add(1, Ordering::Relaxed));
        self.queue = NatsQueue::new(Arc::clone(&self.fleet.broker)).in_term(term);
        self.batcher.send_again();
        self.empty = 0;
        Ok(())
    }

    /// Checks that the sent jobs are still queued: a server may have lost them, or another client has purged them.
    fn check(&mut self) -> Result<(), RunError> {
        if self.checked.elapsed() < CHECK {
            return Ok(());
        }
        self.checked = Instant::now();
        let queued = self.queue.messages(&self.run.id);
        self.empty = if self.batcher.is_under_way() && queued.is_ok_and(|queued| queued == 0) { self.empty + 1 } else { 0 };
        // Once may be the time between the last acknowledgement and the arrival of its result.
        if self.empty >= 2 {
            self.send_all_again()?;
        }
        Ok(())
    }

    /// Stores the results that have arrived; waits for a moment if there are none.
    fn receive(&mut self, wait: Duration) -> Result<ControlFlow<()>, RunError> {
        let first = self.fleet.broker.wait(async { tokio::time::timeout(wait, self.received.recv()).await });
        let Ok(Some(first)) = first else { return Ok(ControlFlow::Break(())) };
        let mut received = vec![first];
        while received.len() < IN_A_ROW
            && let Ok(next) = self.received.try_recv()
        {
            received.push(next);
        }
        self.caught_up |= received.iter().any(Option::is_none);
        let received: Vec<Received> = received.into_iter().flatten().collect();
        if received.is_empty() {
            return Ok(ControlFlow::Break(()));
        }
        self.store(received)?;
        Ok(ControlFlow::Continue(()))
    }

    fn store(&mut self, received: Vec<Received>) -> Result<(), RunError> {
        let games = usize::from(self.run.experiment.seats.games());
        let mut done: Vec<(Job, Vec<GameRow>)> = Vec::new();
        for Received { sequence, results } in received {
            self.batcher.measured(results.jobs.len(), results.seconds);
            let mut all_known = true;
            for rows in results.jobs {
                let rows: Vec<GameRow> = rows.into_iter().map(GameRow::from).collect();
                let Some(first) = rows.first() else { continue };
                let whole = rows.len() == games && rows.iter().all(|row| row.job == first.job);
                match self.known.remove(&first.job) {
                    Some(job) if whole => done.push((job, rows)),
                    Some(job) => drop(self.known.insert(job.id.clone(), job)),
                    // Done before, or a job of a coordinator that wants more pairs.
                    None => all_known = false,
                }
            }
            for failure in results.failures.into_iter().filter(|_| self.caught_up && self.leadership.leads()) {
                if failure.certain {
                    if let Some(job) = self.batcher.settle(&failure.job) {
                        self.store.give_up(&job, &failure.error)?;
                    }
                } else {
                    self.batcher.send_alone(&failure.job);
                }
            }
            self.read = if all_known && self.read != Some(0) { Some(sequence) } else { Some(self.read.unwrap_or(0)) };
        }
        if done.is_empty() {
            return Ok(());
        }
        let (jobs, rows): (Vec<Job>, Vec<Vec<GameRow>>) = done.into_iter().unzip();
        let new = self.store.keep(&self.run.id, &rows)?;
        self.store.settle(jobs.iter().map(|job| job.id.as_str()))?;
        for ((job, games), new) in jobs.iter().zip(&rows).zip(new) {
            self.batcher.settle(&job.id);
            if new {
                (self.events)(&RunEvent::JobFinished { job, games });
            }
        }
        Ok(())
    }

    /// Purges the jobs that no worker has begun, and waits a little for those in flight.
    fn end(&mut self) -> Result<(), RunError> {
        let broker = Arc::clone(&self.fleet.broker);
        let run = &self.run.id;
        if self.leadership.leads() {
            let purged = broker.wait(async {
                let purged = broker.purge(&jobs_of(run)).await.unwrap_or(0);
                let _ = broker.forget(&key_of(run)).await;
                let _ = broker.client.publish(end_of(run), bytes::Bytes::new()).await;
                purged
            });
            self.fleet.purged.fetch_add(purged, Ordering::Relaxed);
            let begun = Instant::now();
            while !self.batcher.is_done() && begun.elapsed() < LONGEST_QUIET && self.receive(QUIET)?.is_continue() {}
            broker.wait(self.leadership.give_up(&broker));
        }
        if let Some(read) = self.read {
            lock(&self.fleet.read).insert(run.clone(), read);
        }
        broker.flush();
        Ok(())
    }
}
