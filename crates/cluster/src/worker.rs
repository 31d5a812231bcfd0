//! The worker process: leases jobs of any run, plays them, and publishes the games.

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
use crate::files::{Cache, RunResources};
use crate::fleet::{BEAT, Presence};
use crate::handshake::Handshake;
use crate::queue::NatsQueue;
use crate::training::{SelfPlayWorker, TrainingFeed};

/// The interval at which the token is read.
const TICK: Duration = Duration::from_millis(100);

/// The settings of a worker.
pub struct WorkerOptions<'a> {
    /// The connection to the queue.
    pub broker: Arc<Broker>,
    /// Its name; no other worker may have the same.
    pub name: String,
    /// Games at the same time.
    pub cores: usize,
    /// The folder for downloaded files of agents.
    pub cache: PathBuf,
    /// Stops the worker, also during searches.
    pub cancel: &'a CancelToken,
    /// Called once with the first heartbeat.
    pub begun: &'a (dyn Fn(&Presence) + Sync),
}

/// Works until it is cancelled, or a coordinator refuses this program. The last heartbeat.
pub fn run_worker(options: &WorkerOptions<'_>) -> Result<Presence, RunError> {
    let handshake = Handshake::of_this_machine()?;
    let broker = &options.broker;
    for key in broker.wait(broker.keys("run."))? {
        // A run may have ended since its key was listed.
        if let Some((announcement, _)) = broker.wait(broker.value::<Announcement>(&key))? {
            handshake.check(&announcement.handshake)?;
        }
    }
    let queue = NatsQueue::new(Arc::clone(broker)).patient();
    let known = Arc::new(KnownRuns::default());
    forget_ended_runs(broker, &known);
    let cache = Cache::new(Arc::clone(broker), options.cache.clone());
    let runs = AnnouncedRuns { broker, handshake: &handshake, cache: cache.clone(), known: &known };
    let (trainings, games) = (TrainingFeed::subscribe(broker)?, AtomicU64::new(0));
    let presence = || Presence {
        worker: options.name.clone(),
        machine: machine(),
        version: handshake.version.clone(),
        rules: handshake.rules.clone(),
        cores: options.cores,
        speed: handshake.speed,
        jobs: queue.counts().jobs.load(Ordering::Relaxed),
        retries: queue.counts().again.load(Ordering::Relaxed),
        failed: queue.counts().failed.load(Ordering::Relaxed),
        self_play_games: games.load(Ordering::Relaxed),
        leaving: false,
    };
    (options.begun)(&presence());
    let cancel = options.cancel.child();
    let self_play = SelfPlayWorker {
        broker,
        handshake: &handshake,
        cache: &cache,
        trainings: &trainings,
        games: &games,
        name: &options.name,
        busy: &|| !queue.is_idle(),
        cancel: &cancel,
    };
    // Before its first job and its first game, so that the worker is known before its results are. Later subscribers send a roll call.
    let calls = broker.roll_calls()?;
    broker.publish_presence(&presence());
    let worked = std::thread::scope(|scope| {
        let (queue, presence, cancel) = (&queue, &presence, &cancel);
        scope.spawn(move || publish_presence(broker, queue, &calls, presence, cancel));
        let self_players: Vec<_> =
            (0..options.cores).map(|_| scope.spawn(|| self_play.play().inspect_err(|_| cancel.cancel()))).collect();
        let worked = work(&WorkerConfig { sink: queue, queue, runs: &runs, threads: options.cores, cancel, events: &|_| {} });
        cancel.cancel();
        let played = self_players.into_iter().map(|thread| thread.join().expect("self-play does not panic"));
        played.fold(worked, Result::and)
    });
    let last = Presence { leaving: true, ..presence() };
    broker.publish_presence(&last);
    broker.flush();
    worked.map(|()| last)
}

/// Publishes heartbeats, at the usual interval and on request, and closes the queue when the worker is to stop.
fn publish_presence(
    broker: &Broker,
    queue: &NatsQueue,
    calls: &mpsc::Receiver<()>,
    presence: &dyn Fn() -> Presence,
    cancel: &CancelToken,
) {
    let (mut next, mut connections) = (Instant::now() + BEAT, broker.connections());
    while !cancel.is_cancelled() {
        let asked = calls.recv_timeout(TICK).is_ok();
        // The coordinator that called, or one that was missed during a broken connection, may have changed the length of leases.
        if asked || broker.connections() != connections {
            connections = broker.connections();
            broker.learn_lease();
        }
        if asked || Instant::now() >= next {
            next = Instant::now() + BEAT;
            broker.publish_presence(&presence());
        }
    }
    queue.close();
}

/// The runs that a worker has loaded, by name.
type KnownRuns = Mutex<HashMap<String, Arc<KnownRun>>>;

struct KnownRun {
    run: Run,
    resources: RunResources,
    tempo: f64,
}

/// Removes runs that have ended: the next coordinator of such a run may have other settings.
fn forget_ended_runs(broker: &Broker, known: &Arc<KnownRuns>) {
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

/// The runs that coordinators have announced.
struct AnnouncedRuns<'a> {
    broker: &'a Arc<Broker>,
    handshake: &'a Handshake,
    cache: Cache,
    known: &'a KnownRuns,
}

impl AnnouncedRuns<'_> {
    fn load(&self, run: &str) -> Result<Arc<KnownRun>, RunError> {
        let known = || lock(self.known);
        if let Some(known_run) = known().get(run) {
            return Ok(Arc::clone(known_run));
        }
        let found = self.broker.wait(async {
            let begun = Instant::now();
            let key = key_of(run);
            self.broker.retry(&Broker::patience(begun), || self.broker.value::<Announcement>(&key)).await
        })?;
        let Some((Announcement { handshake, experiment }, _)) = found else {
            return Err(RunError::Gone { run: run.to_owned() });
        };
        self.handshake.check(&handshake)?;
        let resources = RunResources { cache: self.cache.clone(), hashes: experiment.files.clone() };
        let known_run = Arc::new(KnownRun {
            run: Run { id: run.to_owned(), experiment },
            resources,
            tempo: self.handshake.tempo(&handshake),
        });
        known().insert(run.to_owned(), Arc::clone(&known_run));
        Ok(known_run)
    }
}

impl RunSource for AnnouncedRuns<'_> {
    fn with(&self, run: &str, act: &mut dyn FnMut(&RunContext<'_>) -> Result<(), RunError>) -> Result<(), RunError> {
        let known_run = self.load(run)?;
        act(&RunContext { run: &known_run.run, players: &AgentFactory::new(&known_run.resources), clock_speed: known_run.tempo })
    }
}
