//! The coordinator of a run: gives out its jobs, and keeps what comes back.

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
use crate::wire::{Returns, unpacked};

/// How long to wait for results before looking at other things.
const TICK: Duration = Duration::from_millis(100);
/// How often to look whether what was sent is still there.
const CHECK: Duration = Duration::from_secs(3);
/// After a run was stopped, results that are under way are waited for: until nothing comes for the first time, but not longer than the
/// second. What comes later counts when the run goes on.
const QUIET: Duration = Duration::from_millis(1_500);
const LONGEST_QUIET: Duration = Duration::from_secs(10);
/// Parcels that are sent at the same time.
const AT_ONCE: usize = 1_024;
/// Parcels that are sent before results are looked at again, and messages that are kept in one go.
const IN_A_ROW: usize = 2_048;

/// What workers are told of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Announcement {
    /// Of the coordinator.
    pub hello: Handshake,
    /// What is played.
    pub experiment: Experiment,
}

/// Whoever is told that a run is over forgets it, and asks anew when it meets it again.
pub fn end_of(run: &str) -> String {
    format!("ply.end.{run}")
}

pub fn key_of(run: &str) -> String {
    format!("run.{run}")
}

/// All workers at a queue on the network.
pub struct Fleet {
    broker: Arc<Broker>,
    hello: Handshake,
    view: FleetView,
    /// How far the results of runs were read.
    read: Mutex<HashMap<String, u64>>,
    purged: AtomicU64,
}

impl Fleet {
    /// The workers that this broker knows. Takes half a second, to measure this machine.
    pub fn new(broker: Arc<Broker>) -> Result<Self, RunError> {
        let view = FleetView::new(&broker)?;
        let hello = Handshake::of_this_machine()?;
        Ok(Self { broker, hello, view, read: Mutex::default(), purged: AtomicU64::new(0) })
    }

    /// Who is there.
    pub fn view(&self) -> &FleetView {
        &self.view
    }

    /// Messages with jobs that were taken away again because nobody wanted them any more.
    pub fn purged(&self) -> u64 {
        self.purged.load(Ordering::Relaxed)
    }

    /// Workers find what they need to play a run.
    fn announce(&self, run: &Run, cancel: &CancelToken) -> Result<(), RunError> {
        let announcement = Announcement { hello: self.hello.clone(), experiment: run.experiment.clone() };
        let key = key_of(&run.id);
        let give_up = || cancel.is_cancelled();
        self.broker.wait(self.broker.insist(&give_up, || self.broker.set(&key, &announcement, None))).map(drop)
    }

    /// Sends the results of a run, from the first that was not read yet, and an empty word when there are no more for now.
    fn follow(&self, run: &str) -> (mpsc::Receiver<Option<Heard>>, tokio::task::JoinHandle<()>) {
        let (sender, receiver) = mpsc::channel(2 * IN_A_ROW);
        let begin = lock(&self.read).get(run).copied().unwrap_or(0);
        let follower = Follower { broker: Arc::clone(&self.broker), subject: results_of(run), next: begin + 1, sender };
        (receiver, self.broker.spawn(follower.run()))
    }
}

/// Something that came back, and where it is in the stream.
struct Heard {
    sequence: u64,
    returns: Returns,
}

/// Reads the results of a run for as long as somebody listens.
struct Follower {
    broker: Arc<Broker>,
    subject: String,
    next: u64,
    sender: mpsc::Sender<Option<Heard>>,
}

impl Follower {
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
            // What nobody understands is no result.
            if let Ok(returns) = unpacked(&message.payload)
                && self.sender.send(Some(Heard { sequence, returns })).await.is_err()
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
        // A worker that started what a coordinator names would do anything for whoever can reach the queue.
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
        let (heard, follower) = self.follow(&run.id);
        let mut sitting = Sitting {
            fleet: self,
            store: driver.store,
            run,
            cancel,
            events,
            known,
            parcels: Batcher::new(wanted),
            lead: Leadership::new(&run.id, me),
            queue: NatsQueue::new(Arc::clone(&self.broker)),
            heard,
            caught_up: false,
            read: None,
            checked: Instant::now(),
            empty: 0,
        };
        let played = sitting.play();
        let ended = sitting.end();
        follower.abort();
        played.and(ended)
    }
}

/// A coordinator at work on a run.
struct Sitting<'a> {
    fleet: &'a Fleet,
    store: &'a Store,
    run: &'a Run,
    cancel: &'a CancelToken,
    events: &'a (dyn Fn(&RunEvent<'_>) + Sync),
    /// All that was ever asked for of the run and is not done.
    known: HashMap<String, Job>,
    /// What is wanted now.
    parcels: Batcher,
    lead: Leadership,
    queue: NatsQueue,
    heard: mpsc::Receiver<Option<Heard>>,
    /// All results that were there when it began are known.
    caught_up: bool,
    /// How far results were read without leaving anything out.
    read: Option<u64>,
    checked: Instant,
    /// How often in a row nothing of what was sent was there.
    empty: u32,
}

impl Sitting<'_> {
    fn broker(&self) -> &Broker {
        &self.fleet.broker
    }

    fn play(&mut self) -> Result<(), RunError> {
        loop {
            let _ = self.hear(TICK)?;
            if self.parcels.is_done() || self.cancel.is_cancelled() {
                return Ok(());
            }
            if self.caught_up {
                self.give_out()?;
            }
        }
    }

    /// Gives out what is to be done, if that is our business.
    fn give_out(&mut self) -> Result<(), RunError> {
        let broker = Arc::clone(&self.fleet.broker);
        if broker.wait(self.lead.beat(&broker)) {
            self.start_again()?;
        }
        if !self.lead.leads() {
            return Ok(());
        }
        self.parcels.worked_on_by(self.fleet.view.cores());
        let parcels: Vec<Vec<Job>> = std::iter::from_fn(|| self.parcels.next()).take(IN_A_ROW).collect();
        let (queue, cancel) = (&self.queue, self.cancel);
        let give_up = || cancel.is_cancelled();
        let sent = broker.wait(async {
            let sending = parcels.iter().map(|jobs| queue.send(jobs, &give_up));
            futures_util::stream::iter(sending).buffer_unordered(AT_ONCE).try_for_each(|_| async { Ok(()) }).await
        });
        match sent {
            // Cancelled while the server was gone.
            Err(_) if cancel.is_cancelled() => Ok(()),
            Err(error) => Err(error),
            Ok(()) => self.check(),
        }
    }

    /// Sends everything again that is not done, under new names. What was sent before, by whomever, is taken away first, so that nothing is
    /// there twice; what of it is being done comes back anyway.
    fn start_again(&mut self) -> Result<(), RunError> {
        static ERAS: AtomicU64 = AtomicU64::new(0);
        let _ = self.broker().wait(self.broker().purge(&jobs_of(&self.run.id)));
        self.fleet.announce(self.run, self.cancel)?;
        let era = format!(".{}-{}", self.lead.era(), ERAS.fetch_add(1, Ordering::Relaxed));
        self.queue = NatsQueue::new(Arc::clone(&self.fleet.broker)).in_era(era);
        self.parcels.send_again();
        self.empty = 0;
        Ok(())
    }

    /// Is what was sent still there? A server may have lost it, or somebody has taken it away.
    fn check(&mut self) -> Result<(), RunError> {
        if self.checked.elapsed() < CHECK {
            return Ok(());
        }
        self.checked = Instant::now();
        let queued = self.queue.messages(&self.run.id);
        self.empty = if self.parcels.is_under_way() && queued.is_ok_and(|queued| queued == 0) { self.empty + 1 } else { 0 };
        // Once may be the moment between the last acknowledgement and our reading of the result.
        if self.empty >= 2 {
            self.start_again()?;
        }
        Ok(())
    }

    /// Takes what has come back; waits for a moment if that is nothing.
    fn hear(&mut self, wait: Duration) -> Result<ControlFlow<()>, RunError> {
        let first = self.fleet.broker.wait(async { tokio::time::timeout(wait, self.heard.recv()).await });
        let Ok(Some(first)) = first else { return Ok(ControlFlow::Break(())) };
        let mut heard = vec![first];
        while heard.len() < IN_A_ROW
            && let Ok(next) = self.heard.try_recv()
        {
            heard.push(next);
        }
        self.caught_up |= heard.iter().any(Option::is_none);
        let heard: Vec<Heard> = heard.into_iter().flatten().collect();
        if heard.is_empty() {
            return Ok(ControlFlow::Break(()));
        }
        self.keep(heard)?;
        Ok(ControlFlow::Continue(()))
    }

    fn keep(&mut self, heard: Vec<Heard>) -> Result<(), RunError> {
        let games = usize::from(self.run.experiment.seats.games());
        let mut done: Vec<(Job, Vec<GameRow>)> = Vec::new();
        for Heard { sequence, returns } in heard {
            self.parcels.measured(returns.jobs.len(), returns.seconds);
            let mut all_known = true;
            for rows in returns.jobs {
                let rows: Vec<GameRow> = rows.into_iter().map(GameRow::from).collect();
                let Some(first) = rows.first() else { continue };
                let whole = rows.len() == games && rows.iter().all(|row| row.job == first.job);
                match self.known.remove(&first.job) {
                    Some(job) if whole => done.push((job, rows)),
                    Some(job) => drop(self.known.insert(job.id.clone(), job)),
                    // Done before, or asked for by somebody who wants more than we do.
                    None => all_known = false,
                }
            }
            for failure in returns.failures.into_iter().filter(|_| self.caught_up && self.lead.leads()) {
                if failure.certain {
                    if let Some(job) = self.parcels.settle(&failure.job) {
                        self.store.give_up(&job, &failure.error)?;
                    }
                } else {
                    self.parcels.send_alone(&failure.job);
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
            self.parcels.settle(&job.id);
            if new {
                (self.events)(&RunEvent::JobFinished { job, games });
            }
        }
        Ok(())
    }

    /// Takes back what nobody has begun, and waits a little for what somebody has.
    fn end(&mut self) -> Result<(), RunError> {
        let broker = Arc::clone(&self.fleet.broker);
        let run = &self.run.id;
        if self.lead.leads() {
            let purged = broker.wait(async {
                let purged = broker.purge(&jobs_of(run)).await.unwrap_or(0);
                let _ = broker.forget(&key_of(run)).await;
                let _ = broker.client.publish(end_of(run), bytes::Bytes::new()).await;
                purged
            });
            self.fleet.purged.fetch_add(purged, Ordering::Relaxed);
            let begun = Instant::now();
            while !self.parcels.is_done() && begun.elapsed() < LONGEST_QUIET && self.hear(QUIET)?.is_continue() {}
            broker.wait(self.lead.give_up(&broker));
        }
        if let Some(read) = self.read {
            lock(&self.fleet.read).insert(run.clone(), read);
        }
        broker.flush();
        Ok(())
    }
}
