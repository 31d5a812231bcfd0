//! A worker: takes jobs of any run from the queue, and sends games back.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use plyground_core::CancelToken;
use plyground_core::sync::lock;
use plyground_match::{AgentFactory, Run, RunContext, RunError, RunSource, WorkerConfig, machine, work};

use crate::broker::Broker;
use crate::coordinator::{Announcement, end_of, key_of};
use crate::files::{Cache, RunShelf};
use crate::fleet::{BEAT, Presence};
use crate::handshake::Handshake;
use crate::queue::NatsQueue;
use crate::training::{SelfPlayWorker, TrainingFeed};

/// How soon a worker that is told to stop hears of it.
const TICK: Duration = Duration::from_millis(100);

/// What a worker works with.
pub struct WorkerOptions<'a> {
    /// Where jobs come from.
    pub broker: Arc<Broker>,
    /// What it is called; no other worker may have this name.
    pub name: String,
    /// Games at the same time.
    pub cores: usize,
    /// Where files that agents read are kept.
    pub cache: PathBuf,
    /// Stops it, also while agents think.
    pub cancel: &'a CancelToken,
    /// Hears what the worker is, when it begins.
    pub begun: &'a (dyn Fn(&Presence) + Sync),
}

/// Works until it is cancelled, or a coordinator refuses this program.
pub fn employ(employment: &WorkerOptions<'_>) -> Result<Presence, RunError> {
    let hello = Handshake::of_this_machine()?;
    let broker = &employment.broker;
    for key in broker.wait(broker.keys("run."))? {
        // A run that has ended since is nobody's business.
        if let Some((announcement, _)) = broker.wait(broker.value::<Announcement>(&key))? {
            hello.check(&announcement.hello)?;
        }
    }
    let queue = NatsQueue::new(Arc::clone(broker)).patient();
    let known = Arc::new(Known::default());
    forget_what_ends(broker, &known);
    let cache = Cache::new(Arc::clone(broker), employment.cache.clone());
    let runs = Announced { broker, hello: &hello, cache: cache.clone(), known: &known };
    let (lectures, lessons) = (TrainingFeed::hear(broker)?, AtomicU64::new(0));
    let presence = || Presence {
        worker: employment.name.clone(),
        machine: machine(),
        version: hello.version.clone(),
        rules: hello.rules.clone(),
        cores: employment.cores,
        speed: hello.speed,
        jobs: queue.counts().jobs.load(Ordering::Relaxed),
        retries: queue.counts().again.load(Ordering::Relaxed),
        failed: queue.counts().failed.load(Ordering::Relaxed),
        lessons: lessons.load(Ordering::Relaxed),
        leaving: false,
    };
    (employment.begun)(&presence());
    let cancel = employment.cancel.child();
    let pupil = SelfPlayWorker {
        broker,
        hello: &hello,
        cache: &cache,
        lectures: &lectures,
        games: &lessons,
        name: &employment.name,
        busy: &|| !queue.is_idle(),
        cancel: &cancel,
    };
    // Before its first job and its first game: whoever hears of those has heard of the worker. Whoever comes later calls.
    let calls = broker.roll_calls()?;
    broker.present(&presence());
    let worked = std::thread::scope(|scope| {
        let (queue, presence, cancel) = (&queue, &presence, &cancel);
        scope.spawn(move || be_present(broker, queue, &calls, presence, cancel));
        let pupils: Vec<_> =
            (0..employment.cores).map(|_| scope.spawn(|| pupil.play().inspect_err(|_| cancel.cancel()))).collect();
        let worked = work(&WorkerConfig { sink: queue, queue, runs: &runs, threads: employment.cores, cancel, events: &|_| {} });
        cancel.cancel();
        let learnt = pupils.into_iter().map(|pupil| pupil.join().expect("pupils hold no panics"));
        learnt.fold(worked, Result::and)
    });
    let last = Presence { leaving: true, ..presence() };
    broker.present(&last);
    broker.flush();
    worked.map(|()| last)
}

/// Says again and again that the worker is there, also when somebody asks, and wakes it when it is to stop.
fn be_present(
    broker: &Broker,
    queue: &NatsQueue,
    calls: &mpsc::Receiver<()>,
    presence: &dyn Fn() -> Presence,
    cancel: &CancelToken,
) {
    let (mut next, mut connections) = (Instant::now() + BEAT, broker.connections());
    while !cancel.is_cancelled() {
        let asked = calls.recv_timeout(TICK).is_ok();
        // Whoever calls may have changed how long leases are, and so may anybody who was not heard.
        if asked || broker.connections() != connections {
            connections = broker.connections();
            broker.learn_lease();
        }
        if asked || Instant::now() >= next {
            next = Instant::now() + BEAT;
            broker.present(&presence());
        }
    }
    queue.close();
}

/// The runs that a worker has met.
type Known = Mutex<HashMap<String, Arc<Met>>>;

struct Met {
    run: Run,
    shelf: RunShelf,
    tempo: f64,
}

/// A run that is over is forgotten: if it is met again, its coordinator may be another one.
fn forget_what_ends(broker: &Broker, known: &Arc<Known>) {
    let (client, known) = (broker.client.clone(), Arc::clone(known));
    broker.spawn(async move {
        let Ok(mut ends) = client.subscribe(end_of("*")).await else { return };
        while let Some(end) = ends.next().await {
            if let Some(run) = end.subject.as_str().rsplit('.').next() {
                lock(&known).remove(run);
            }
        }
    });
}

/// Runs as their coordinators have announced them.
struct Announced<'a> {
    broker: &'a Arc<Broker>,
    hello: &'a Handshake,
    cache: Cache,
    known: &'a Known,
}

impl Announced<'_> {
    fn meet(&self, run: &str) -> Result<Arc<Met>, RunError> {
        let known = || lock(self.known);
        if let Some(met) = known().get(run) {
            return Ok(Arc::clone(met));
        }
        let found = self.broker.wait(async {
            let begun = Instant::now();
            let key = key_of(run);
            self.broker.insist(&Broker::patience(begun), || self.broker.value::<Announcement>(&key)).await
        })?;
        let Some((Announcement { hello, experiment }, _)) = found else {
            return Err(RunError::Gone { run: run.to_owned() });
        };
        self.hello.check(&hello)?;
        let shelf = RunShelf { cache: self.cache.clone(), hashes: experiment.files.clone() };
        let met = Arc::new(Met { run: Run { id: run.to_owned(), experiment }, shelf, tempo: self.hello.tempo(&hello) });
        known().insert(run.to_owned(), Arc::clone(&met));
        Ok(met)
    }
}

impl RunSource for Announced<'_> {
    fn with(&self, run: &str, act: &mut dyn FnMut(&RunContext<'_>) -> Result<(), RunError>) -> Result<(), RunError> {
        let met = self.meet(run)?;
        act(&RunContext { run: &met.run, players: &AgentFactory::new(&met.shelf), clock_speed: met.tempo })
    }
}
