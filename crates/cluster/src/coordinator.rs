//! The coordinator of a run: publishes its jobs, and stores the games that come back.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join;
use futures_util::{StreamExt as _, TryStreamExt as _};
use plyground_core::sync::lock;
use plyground_core::{CancelToken, InputError};
use plyground_match::{
    Executor, GameRow, Job, PlayerFactory, Refusal, RefusedResults, ResultVerifier, Run, RunContext, RunDriver, RunError,
    RunEvent, RunPrefix, Store, refused_in_words,
};
use tokio::sync::mpsc;

use crate::announcement::{Announcement, end_of, key_of};
use crate::batcher::Batcher;
use crate::broker::{Broker, KEY_REFRESH, jobs_of, results_of};
use crate::fleet::FleetView;
use crate::handshake::Handshake;
use crate::leadership::Leadership;
use crate::machine::Task;
use crate::names::WorkerName;
use crate::queue::NatsQueue;
use crate::result_reader::{Received, ResultReader};
use crate::sample::{SampleVerdict, SampledResult, Sampler, play_samples};
use crate::trust::WorkerTrust;
use crate::wire::{BatchResults, WireGame, unpacked};

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
/// The bytes of messages whose games are stored in one transaction.
const STORED_BYTES: usize = 2 << 20;
/// The moves of games that are stored in one transaction: unpacked they are much larger than their messages.
const STORED_MOVES: usize = 500_000;
/// The longest error of a job that is kept, in characters.
const LONGEST_ERROR: usize = 1_000;
/// The share of results that are played again, in runs whose games come out the same on every machine.
const SAMPLE: f64 = 0.02;
/// The number of times that a job is sent again at once because a result of it was refused. After that it waits until the queue is
/// empty: a liar must not keep all workers busy.
const RESENDS: u8 = 3;
/// The same for jobs that workers have returned.
const RETURNS: u8 = 100;
/// The senders whose refused results are told, with the first of them and at the end.
const TOLD: usize = 20;
/// The interval at which refused results are noted in the store; bans are noted at once.
const NOTED: Duration = Duration::from_secs(5);

/// The executor that plays a run with all workers at a NATS queue.
pub struct Fleet {
    broker: Arc<Broker>,
    handshake: Handshake,
    view: FleetView,
    /// The place in the result stream up to which each run was read.
    read: Mutex<HashMap<String, u64>>,
    purged: AtomicU64,
    /// The number of times that messages got new names.
    terms: AtomicU64,
    /// What is known about the senders of results, by run.
    trust: Mutex<HashMap<String, Arc<Mutex<WorkerTrust>>>>,
    sample: f64,
    tell: Box<dyn Fn(&str) + Send + Sync>,
}

impl Fleet {
    /// The workers at the queue of this broker. Takes half a second, to measure this machine.
    pub fn new(broker: Arc<Broker>) -> Result<Self, RunError> {
        let view = FleetView::new(&broker)?;
        let handshake = Handshake::of_this_machine()?;
        Ok(Self::with_view(broker, view, handshake))
    }

    /// The workers in a view, for a coordinator that introduces itself like this.
    pub fn with_view(broker: Arc<Broker>, view: FleetView, handshake: Handshake) -> Self {
        Self {
            broker,
            handshake,
            view,
            read: Mutex::default(),
            purged: AtomicU64::new(0),
            terms: AtomicU64::new(0),
            trust: Mutex::default(),
            sample: SAMPLE,
            tell: Box::new(|_| {}),
        }
    }

    /// The same with another share of the results played again by the coordinator; 2 % otherwise. Only in runs whose games come out the
    /// same on every machine.
    #[must_use]
    pub fn with_sample(self, share: f64) -> Self {
        Self { sample: share, ..self }
    }

    /// The same with notes about refused results given to this function.
    #[must_use]
    pub fn telling(self, tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { tell: Box::new(tell), ..self }
    }

    /// The refused results of a run by sender, the most first.
    pub fn refused(&self, run: &str) -> Vec<RefusedResults> {
        lock(&self.trust_in(run)).report()
    }

    fn trust_in(&self, run: &str) -> Arc<Mutex<WorkerTrust>> {
        Arc::clone(lock(&self.trust).entry(run.to_owned()).or_default())
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
    async fn announce(&self, run: &Run, cancel: &CancelToken) -> Result<(), RunError> {
        let announcement = Announcement { handshake: self.handshake.clone(), experiment: run.experiment.clone() };
        let key = key_of(&run.id);
        let give_up = || cancel.is_cancelled();
        self.broker.retry(&give_up, || self.broker.set(&key, &announcement, None)).await.map(drop)
    }

    /// A channel of the results of a run, from the first that was not read yet; `None` stands for "no more for now".
    fn follow(&self, run: &str) -> (mpsc::Receiver<Option<Received>>, Task) {
        let (sender, receiver) = mpsc::channel(2 * IN_A_ROW);
        let begin = lock(&self.read).get(run).copied().unwrap_or(0);
        let reader = ResultReader::new(Arc::clone(&self.broker), results_of(run), begin + 1, sender);
        (receiver, self.broker.spawn(reader.run()))
    }

    /// Plays a run like [`Executor::execute`], as one future without threads: samples are played again between two of its steps.
    pub async fn conduct(
        &self,
        driver: &RunDriver<'_>,
        pairs: u64,
        cancel: &CancelToken,
        events: &(dyn Fn(&RunEvent<'_>) + Sync),
    ) -> Result<(), RunError> {
        let RunDriver { run, store, players, .. } = *driver;
        let (samples, to_play) = mpsc::unbounded_channel();
        let (judged, verdicts) = mpsc::unbounded_channel();
        let stop = &cancel.child();
        let context = RunContext { run, players, clock_speed: 1.0 };
        let conducted = self.coordinate(Conducted { run, store, players, pairs, cancel, stop, events, samples, verdicts });
        join(conducted, play_samples(context, stop, to_play, judged)).await.0
    }

    /// Plays a run until nothing is left of it or it is cancelled.
    async fn coordinate(&self, conducted: Conducted<'_>) -> Result<(), RunError> {
        let Conducted { run, store, players, pairs, cancel, stop, events, samples, verdicts } = conducted;
        for name in run.experiment.files.keys() {
            self.broker.put_file(&players.resources().read(name)?).await?;
        }
        let open = store.open_jobs(RunPrefix::all(&run.id))?;
        let known = open.iter().map(|job| (job.id.clone(), job.clone())).collect();
        let wanted: Vec<Job> = open.into_iter().filter(|job| job.pair < pairs).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let verifier = ResultVerifier::new(&run.experiment, players)?;
        let trust = self.trust_in(&run.id);
        lock(&trust).recall_from(store, &run.id)?;
        let (received, _reader) = self.follow(&run.id);
        let mut coordinator = RunCoordinator {
            fleet: self,
            verifier,
            store,
            run,
            pairs,
            cancel,
            events,
            known,
            batcher: Batcher::new(wanted),
            leadership: Leadership::new(&run.id, &self.broker),
            queue: NatsQueue::new(Arc::clone(&self.broker)),
            received,
            caught_up: false,
            read: None,
            checked: self.broker.now(),
            announced: self.broker.now(),
            empty: 0,
            trust,
            sampler: Sampler::new(self.sample, &run.experiment, self.broker.machine().random(), samples, verdicts),
            resent: HashMap::new(),
            done: Vec::new(),
            done_moves: 0,
            told: 0,
            noted: self.broker.now(),
        };
        let played = coordinator.play().await;
        stop.cancel();
        played.and(coordinator.end().await)
    }
}

/// A run that a fleet is to play.
struct Conducted<'a> {
    pub run: &'a Run,
    pub store: &'a Store,
    pub players: &'a dyn PlayerFactory,
    /// The wanted pairs of each pairing.
    pub pairs: u64,
    pub cancel: &'a CancelToken,
    /// Cancelled when no more samples are to be played.
    pub stop: &'a CancelToken,
    pub events: &'a (dyn Fn(&RunEvent<'_>) + Sync),
    /// The way to what plays samples again, and back.
    pub samples: mpsc::UnboundedSender<SampledResult>,
    pub verdicts: mpsc::UnboundedReceiver<SampleVerdict>,
}

impl Executor for Fleet {
    fn execute(
        &self,
        driver: &RunDriver<'_>,
        pairs: u64,
        cancel: &CancelToken,
        events: &(dyn Fn(&RunEvent<'_>) + Sync),
    ) -> Result<(), RunError> {
        let RunDriver { run, store, players, .. } = *driver;
        // A worker that started programs named by a coordinator would run any command for every client of the queue.
        if let Some(program) = run.experiment.agents.iter().find(|agent| agent.starts_with("cmd:")) {
            let detail = "programs play on the computer that they are on; expected agents of the table with --queue";
            return Err(InputError::malformed("agent", program, detail).into());
        }
        let (samples, to_play) = mpsc::unbounded_channel();
        let (judged, verdicts) = mpsc::unbounded_channel();
        let stop = cancel.child();
        std::thread::scope(|scope| {
            let token = &stop;
            let context = RunContext { run, players, clock_speed: 1.0 };
            scope.spawn(move || self.broker.wait(play_samples(context, token, to_play, judged)));
            let conducted = Conducted { run, store, players, pairs, cancel, stop: token, events, samples, verdicts };
            self.broker.wait(self.coordinate(conducted))
        })
    }
}

/// The state of a coordinator during a run.
struct RunCoordinator<'a> {
    fleet: &'a Fleet,
    verifier: ResultVerifier<'a>,
    store: &'a Store,
    run: &'a Run,
    /// The wanted pairs of each pairing.
    pairs: u64,
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
    checked: Duration,
    /// The time at which the settings were last published.
    announced: Duration,
    /// The number of checks in a row that found the queue empty.
    empty: u32,
    trust: Arc<Mutex<WorkerTrust>>,
    sampler: Sampler,
    /// The number of times that a job was sent again because a result of it was refused.
    resent: HashMap<String, u8>,
    /// Verified results that are not stored yet, with their senders.
    done: Vec<(WorkerName, Job, Vec<GameRow>)>,
    /// The moves in them.
    done_moves: usize,
    /// The senders that were told of.
    told: usize,
    /// The time at which refused results were last noted in the store.
    noted: Duration,
}

impl RunCoordinator<'_> {
    fn broker(&self) -> &Broker {
        &self.fleet.broker
    }

    async fn play(&mut self) -> Result<(), RunError> {
        loop {
            let _ = self.receive(self.broker().machine().tick()).await?;
            while let Some((sample, verdict)) = self.sampler.next() {
                if let Err(refusal) = verdict {
                    lock(&self.trust).read_sample();
                    self.refuse(&sample.worker, &sample.job.id, &refusal)?;
                }
            }
            if self.broker().since(self.noted) >= NOTED {
                self.note_refused()?;
            }
            if self.cancel.is_cancelled() {
                return Ok(());
            }
            if self.batcher.is_done() && !self.sampler.is_busy() && !self.take_over()? {
                return Ok(());
            }
            if self.caught_up {
                self.send_jobs().await?;
            }
        }
    }

    /// Sends batches of jobs, if this coordinator is the leader.
    async fn send_jobs(&mut self) -> Result<(), RunError> {
        let broker = Arc::clone(&self.fleet.broker);
        if self.leadership.beat(&broker).await {
            self.send_all_again().await?;
        }
        if !self.leadership.leads() {
            return Ok(());
        }
        if broker.since(self.announced) >= KEY_REFRESH {
            self.announce().await?;
        }
        self.batcher.worked_on_by(self.fleet.view.cores());
        let batches: Vec<Vec<Job>> = std::iter::from_fn(|| self.batcher.next()).take(IN_A_ROW).collect();
        let (queue, cancel) = (&self.queue, self.cancel);
        let give_up = || cancel.is_cancelled();
        let sending = batches.iter().map(|jobs| queue.send(jobs, &give_up));
        let sent = futures_util::stream::iter(sending).buffer_unordered(AT_ONCE).try_for_each(|_| async { Ok(()) }).await;
        match sent {
            // The run was stopped while the server was gone.
            Err(_) if cancel.is_cancelled() => Ok(()),
            Err(error) => Err(error),
            Ok(()) => self.check().await,
        }
    }

    /// Sends all open jobs again, under new message names. Messages of earlier leaders are purged first, so that no job is queued
    /// twice; results of jobs in flight arrive anyway.
    async fn send_all_again(&mut self) -> Result<(), RunError> {
        let _ = self.broker().purge(&jobs_of(&self.run.id)).await;
        self.announce().await?;
        self.rename_messages();
        self.batcher.send_again();
        self.empty = 0;
        Ok(())
    }

    /// Publishes the settings, which the server forgets when they are not published again.
    async fn announce(&mut self) -> Result<(), RunError> {
        self.announced = self.broker().now();
        match self.fleet.announce(self.run, self.cancel).await {
            // The run was stopped while the server was gone.
            Err(_) if self.cancel.is_cancelled() => Ok(()),
            announced => announced,
        }
    }

    /// Gives new names to the messages from now on: the server drops a message whose name it has seen a moment ago.
    fn rename_messages(&mut self) {
        let term = format!(".{}-{}", self.leadership.term(), self.fleet.terms.fetch_add(1, Ordering::Relaxed));
        self.queue = NatsQueue::new(Arc::clone(&self.fleet.broker)).in_term(term);
    }

    /// Checks that the sent jobs are still queued: a server may have lost them, or another client has purged them.
    async fn check(&mut self) -> Result<(), RunError> {
        if self.broker().since(self.checked) < CHECK {
            return Ok(());
        }
        self.checked = self.broker().now();
        let queued = self.broker().queued(Some(&self.run.id)).await;
        self.empty = if self.batcher.is_under_way() && queued.is_ok_and(|queued| queued == 0) { self.empty + 1 } else { 0 };
        // Once may be the time between the last acknowledgement and the arrival of its result.
        if self.empty >= 2 {
            self.send_all_again().await?;
        }
        Ok(())
    }

    /// Stores the results that have arrived; waits for a moment if there are none.
    async fn receive(&mut self, wait: Duration) -> Result<ControlFlow<()>, RunError> {
        let first = self.fleet.broker.within(wait, self.received.recv()).await;
        let Some(Some(first)) = first else { return Ok(ControlFlow::Break(())) };
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
        let mut bytes = 0;
        for message in received {
            bytes += message.payload.len();
            lock(&self.trust).read_message(message.sequence);
            let all_known = self.take(&message)?;
            let unskipped = all_known && self.read != Some(0);
            self.read = if unskipped { Some(message.sequence) } else { Some(self.read.unwrap_or(0)) };
            if bytes > STORED_BYTES || self.done_moves > STORED_MOVES {
                self.keep()?;
                bytes = 0;
            }
        }
        self.keep()
    }

    /// Takes in a message with results: what can be proved is to be stored, anything else is counted. False if it has results of jobs
    /// that are not open here.
    fn take(&mut self, message: &Received) -> Result<bool, RunError> {
        let results: BatchResults = match unpacked(&message.payload) {
            Ok(results) => results,
            Err(reason) => {
                let first = lock(&self.trust).unreadable(&reason);
                if let Some(refused) = first {
                    (self.fleet.tell)(&format!("a message with results cannot be read and does not count: {reason}"));
                    (self.events)(&RunEvent::ResultsRefused { refused: &refused });
                }
                return Ok(true);
            }
        };
        let BatchResults { worker, seconds, mut jobs, failures, returned } = results;
        let worker = message.sender.clone().unwrap_or(worker);
        if lock(&self.trust).is_banned(&worker) {
            lock(&self.trust).ignored(&worker, jobs.len());
            // Any worker may send a failure without its name.
            if !worker.as_str().is_empty() {
                return Ok(true);
            }
            jobs.clear();
        }
        let (mut all_known, mut accepted) = (true, 0);
        for games in jobs {
            let Some(id) = games.first().map(|game| game.job().to_owned()) else { continue };
            match self.verified(&worker, &id, games) {
                // Done before, or a job of a coordinator that wants more pairs.
                None => all_known = false,
                Some(Ok(())) => accepted += 1,
                Some(Err(refusal)) => {
                    self.refuse(&worker, &id, &refusal)?;
                    if lock(&self.trust).is_banned(&worker) {
                        return Ok(all_known);
                    }
                }
            }
        }
        self.batcher.measured(accepted, seconds);
        for failure in failures.into_iter().filter(|_| self.caught_up && self.leadership.leads()) {
            if failure.certain {
                if let Some(job) = self.batcher.settle(&failure.job) {
                    let error: String = failure.error.chars().take(LONGEST_ERROR).collect();
                    self.store.give_up(&job, &error)?;
                }
            } else {
                self.batcher.send_alone(&failure.job);
            }
        }
        self.send_returned(&returned);
        Ok(all_known)
    }

    /// Verifies the games of a job, which are to be stored then; `None` if the job is not open here.
    fn verified(&mut self, worker: &WorkerName, id: &str, games: Vec<WireGame>) -> Option<Result<(), Refusal>> {
        let job = self.known.get(id)?;
        let rows: Vec<GameRow> = games.into_iter().map(GameRow::from).collect();
        let verified = self.verifier.verify(job, &rows);
        if verified.is_ok()
            && let Some(job) = self.known.remove(id)
        {
            self.sampler.draw(worker, &job, &rows);
            lock(&self.trust).delivered(worker);
            self.done_moves += rows.iter().map(|row| row.moves.len()).sum::<usize>();
            self.done.push((worker.clone(), job, rows));
        }
        Some(verified)
    }

    /// Counts a refused result. Its job stays open; a sender that is proved to make results up is banned.
    fn refuse(&mut self, worker: &WorkerName, job: &str, refusal: &Refusal) -> Result<(), RunError> {
        let first = lock(&self.trust).refused(worker, refusal);
        if let Some(refused) = first.filter(|_| self.told < TOLD) {
            self.told += 1;
            (self.fleet.tell)(&format!("a result of the worker {worker} for the job {job} is refused: {refusal}"));
            (self.events)(&RunEvent::ResultsRefused { refused: &refused });
        }
        let times = self.resent.entry(job.to_owned()).or_default();
        if *times < RESENDS && self.batcher.send_once_more(job) {
            *times += 1;
            self.rename_messages();
        }
        if refusal.proof { self.ban(worker) } else { Ok(()) }
    }

    /// Sends jobs once more that a worker cannot play and has returned.
    fn send_returned(&mut self, jobs: &[String]) {
        if !self.leadership.leads() {
            return;
        }
        let mut sent = false;
        for job in jobs.iter().filter(|job| self.known.contains_key(*job)) {
            let times = self.resent.entry(job.to_owned()).or_default();
            if *times < RETURNS && self.batcher.send_once_more(job) {
                *times += 1;
                sent = true;
            }
        }
        if sent {
            self.rename_messages();
        }
    }

    /// Bans a worker from the run, and opens all jobs again that it has ever delivered.
    fn ban(&mut self, worker: &WorkerName) -> Result<(), RunError> {
        self.keep()?;
        let Some((refused, delivered)) = lock(&self.trust).ban(worker) else { return Ok(()) };
        let jobs = if delivered { self.store.jobs_sent_by(&self.run.id, worker.as_str())? } else { Vec::new() };
        self.store.retract(jobs.iter().map(|job| job.id.as_str()))?;
        self.note_refused()?;
        let (sender, count) = (refused.sender(), jobs.len());
        if self.told <= TOLD || count > 0 {
            (self.fleet.tell)(&format!("the worker {sender} is banned from this run; its {count} jobs are played again"));
            (self.events)(&RunEvent::WorkerBanned { refused: &refused, jobs: count as u64 });
        }
        self.open_again(jobs);
        Ok(())
    }

    /// Opens jobs again that were done.
    fn open_again(&mut self, jobs: Vec<Job>) {
        if jobs.is_empty() {
            return;
        }
        for job in jobs.into_iter().rev() {
            self.known.insert(job.id.clone(), job.clone());
            if job.pair < self.pairs {
                self.batcher.reopen(job);
            }
        }
        self.rename_messages();
    }

    /// Takes over the bans of other coordinators with the same store, and the jobs that they have opened again; false if there are no
    /// such jobs.
    fn take_over(&mut self) -> Result<bool, RunError> {
        for noted in self.store.refused(&self.run.id)? {
            let worker = WorkerName::of(&noted.worker);
            if noted.banned && !lock(&self.trust).is_banned(&worker) {
                lock(&self.trust).learn(noted);
                self.ban(&worker)?;
            }
        }
        let open = self.store.open_jobs(RunPrefix { run: &self.run.id, pairs: self.pairs })?;
        let mut reopened = Vec::new();
        for job in open.into_iter().filter(|job| !self.known.contains_key(&job.id)) {
            let times = self.resent.entry(job.id.clone()).or_default();
            // A job that cannot be marked as done, because its row is damaged, stays open however often it is played.
            if *times < RESENDS {
                *times += 1;
                reopened.push(job);
            }
        }
        self.open_again(reopened);
        Ok(!self.batcher.is_done())
    }

    /// Notes refused results in the store, for the report of the run and for the next coordinator.
    fn note_refused(&mut self) -> Result<(), RunError> {
        self.noted = self.broker().now();
        let changes = lock(&self.trust).changes();
        changes.map_or(Ok(()), |refused| self.store.note_refused(&self.run.id, &refused))
    }

    /// Tells and notes all refused results.
    fn report_refused(&mut self) -> Result<(), RunError> {
        self.note_refused()?;
        let report = lock(&self.trust).report();
        if let Some(words) = refused_in_words(&report) {
            (self.fleet.tell)(&words);
        }
        for refused in report.iter().take(TOLD) {
            (self.events)(&RunEvent::ResultsRefused { refused });
        }
        Ok(())
    }

    /// Stores the verified results.
    fn keep(&mut self) -> Result<(), RunError> {
        if self.done.is_empty() {
            return Ok(());
        }
        self.done_moves = 0;
        let (mut senders, mut jobs, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for (sender, job, games) in std::mem::take(&mut self.done) {
            senders.push(sender);
            jobs.push(job);
            rows.push(games);
        }
        let names: Vec<&str> = senders.iter().map(WorkerName::as_str).collect();
        let new = self.store.keep_sent(&self.run.id, &rows, &names)?;
        for ((job, games), new) in jobs.iter().zip(&rows).zip(new) {
            self.batcher.settle(&job.id);
            if new {
                (self.events)(&RunEvent::JobFinished { job, games });
            }
        }
        Ok(())
    }

    /// Purges the jobs that no worker has begun, and waits a little for those in flight.
    async fn end(&mut self) -> Result<(), RunError> {
        let broker = Arc::clone(&self.fleet.broker);
        let run = &self.run.id;
        if self.leadership.leads() {
            let purged = broker.purge(&jobs_of(run)).await.unwrap_or(0);
            let _ = broker.forget(&key_of(run)).await;
            let _ = broker.tell(&end_of(run), bytes::Bytes::new()).await;
            self.fleet.purged.fetch_add(purged, Ordering::Relaxed);
            let begun = broker.now();
            while !self.batcher.is_done() && broker.since(begun) < LONGEST_QUIET && self.receive(QUIET).await?.is_continue() {}
            self.leadership.give_up(&broker).await;
        }
        if let Some(read) = self.read {
            lock(&self.fleet.read).insert(run.clone(), read);
        }
        self.report_refused()?;
        broker.flushed().await;
        Ok(())
    }
}
