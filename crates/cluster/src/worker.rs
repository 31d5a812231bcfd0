//! The worker process: leases jobs of any run, plays them, and publishes the games.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use plyground_core::sync::lock;
use plyground_core::{CancelToken, InputError};
use plyground_match::{
    AgentFactory, Job, Lease, Queue, Run, RunContext, RunError, RunSource, Worker, WorkerConfig, machine, verify_job, work,
};

use crate::announcement::{Announcement, end_of, key_of};
use crate::broker::Broker;
use crate::files::{Cache, RunResources};
use crate::fleet::{BEAT, Presence, ROLL_CALL};
use crate::handshake::Handshake;
use crate::message_server::Heard;
use crate::names::{SubjectName, WorkerName};
use crate::notes::Notes;
use crate::queue::NatsQueue;
use crate::training::{SelfPlayWorker, TrainingFeed};

/// The pause after jobs that cannot be played here, so that another worker gets them.
const UNPLAYABLE: Duration = Duration::from_secs(1);
/// The most announcements that are read at the start.
const MOST_KEYS: usize = 1_000;

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
    /// Called once for each run or training that cannot be played here, with the reason; other ones go on.
    pub told: &'a (dyn Fn(&str) + Sync),
}

/// Works until it is cancelled. The last heartbeat.
pub fn run_worker(options: &WorkerOptions<'_>) -> Result<Presence, RunError> {
    let handshake = Handshake::of_this_machine()?;
    let broker = &options.broker;
    let notes = Notes::new(options.told);
    let name = broker.subjects().full_name(&options.name);
    let queue = NatsQueue::new(Arc::clone(broker)).patient().signed(&name);
    let runs = AnnouncedRuns::new(broker, &handshake, options.cache.clone(), &notes);
    broker.wait(runs.look())?;
    let (trainings, games) = (TrainingFeed::subscribe(broker)?, AtomicU64::new(0));
    let presence = || Presence {
        worker: WorkerName::of(&name).to_string(),
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
        cache: &runs.cache,
        trainings: &trainings,
        games: &games,
        name: &name,
        notes: &notes,
        busy: &|| !queue.is_idle(),
        cancel: &cancel,
    };
    // Before its first job and its first game, so that the worker is known before its results are. Later subscribers send a roll call.
    let heartbeats = broker.wait(Heartbeats::begin(broker, &queue, &presence))?;
    let worked = std::thread::scope(|scope| {
        let (queue, cancel) = (&queue, &cancel);
        scope.spawn(move || broker.wait(heartbeats.publish(cancel)));
        let self_players: Vec<_> = (0..options.cores).map(|_| scope.spawn(|| self_play.play())).collect();
        let playable = PlayableJobs { queue, runs: &runs };
        let worked =
            work(&WorkerConfig { sink: queue, queue: &playable, runs: &runs, threads: options.cores, cancel, events: &|_| {} });
        cancel.cancel();
        for thread in self_players {
            thread.join().expect("self-play does not panic");
        }
        worked
    });
    let last = Presence { leaving: true, ..presence() };
    broker.wait(broker.publish_presence(&last));
    broker.flush();
    worked.map(|()| last)
}

/// The heartbeats of a worker, at the usual interval and on request.
pub struct Heartbeats<'a> {
    broker: &'a Broker,
    queue: &'a NatsQueue,
    presence: &'a (dyn Fn() -> Presence + Sync),
    /// The requests of coordinators.
    calls: BoxStream<'static, Heard>,
}

impl<'a> Heartbeats<'a> {
    /// Listens to roll calls, and publishes the first heartbeat.
    pub async fn begin(
        broker: &'a Broker,
        queue: &'a NatsQueue,
        presence: &'a (dyn Fn() -> Presence + Sync),
    ) -> Result<Self, RunError> {
        let calls = broker.hear(ROLL_CALL).await?;
        broker.publish_presence(&presence()).await;
        Ok(Self { broker, queue, presence, calls })
    }

    /// Publishes heartbeats, and closes the queue when the worker is to stop.
    pub async fn publish(mut self, cancel: &CancelToken) {
        let broker = self.broker;
        let (mut next, mut connections) = (broker.now() + BEAT, broker.connections());
        while !cancel.is_cancelled() {
            let asked = match broker.within(broker.machine().tick(), self.calls.next()).await {
                Some(Some(_)) => true,
                // The connection has ended.
                Some(None) => {
                    broker.sleep(broker.machine().tick()).await;
                    false
                }
                None => false,
            };
            // The coordinator that called, or one that was missed during a broken connection, may have changed the length of leases.
            if asked || broker.connections() != connections {
                connections = broker.connections();
                broker.learn_lease().await;
            }
            if asked || broker.now() >= next {
                next = broker.now() + BEAT;
                broker.publish_presence(&(self.presence)()).await;
            }
        }
        self.queue.close();
    }
}

/// The runs that a worker has loaded, by name.
type KnownRuns = Mutex<HashMap<String, Arc<KnownRun>>>;

/// A run with what it is played with here.
pub struct KnownRun {
    /// The run.
    pub run: Run,
    resources: RunResources,
    tempo: f64,
}

/// The runs that coordinators have announced.
pub struct AnnouncedRuns<'a> {
    broker: &'a Arc<Broker>,
    handshake: &'a Handshake,
    cache: Cache,
    known: Arc<KnownRuns>,
    notes: &'a Notes<'a>,
}

impl<'a> AnnouncedRuns<'a> {
    /// No runs yet. Files of agents are kept in this folder.
    pub fn new(broker: &'a Arc<Broker>, handshake: &'a Handshake, cache: PathBuf, notes: &'a Notes<'a>) -> Self {
        Self { broker, handshake, cache: Cache::new(Arc::clone(broker), cache), known: Arc::default(), notes }
    }

    /// Tells which of the runs that are announced now cannot be played here, and listens for the ends of runs.
    pub async fn look(&self) -> Result<(), RunError> {
        self.forget_ended().await;
        for key in self.broker.keys("run.").await?.into_iter().take(MOST_KEYS) {
            let Some(Ok(run)) = key.strip_prefix("run.").map(str::parse::<SubjectName>) else { continue };
            if let Err(error @ (RunError::Refused { .. } | RunError::Input(_))) = self.load(run.as_str()).await {
                self.notes.unplayable("run", run.as_str(), &error);
            }
        }
        Ok(())
    }

    /// Removes runs when they end: the next coordinator of such a run may have other settings.
    async fn forget_ended(&self) {
        let Ok(mut ends) = self.broker.hear(&end_of("*")).await else { return };
        let known = Arc::clone(&self.known);
        let forgetting = async move {
            while let Some(end) = ends.next().await {
                if let Some(run) = end.subject.rsplit('.').next() {
                    lock(&known).remove(run);
                }
            }
        };
        self.broker.spawn(forgetting).detach();
    }

    /// An error if a job cannot be played here: its run is over, of another program or malformed, or it is no job of its run.
    async fn check(&self, job: &Job) -> Result<(), RunError> {
        let known = self.load(&job.run).await?;
        let checked = verify_job(&known.run, &AgentFactory::new(&known.resources), job);
        // It is no job of the coordinator: there is nothing to do for it.
        checked.map_err(|_| RunError::Gone { run: job.run.clone() })
    }

    /// A run by its name, with what it is played with.
    pub async fn load(&self, run: &str) -> Result<Arc<KnownRun>, RunError> {
        let known = lock(&self.known).get(run).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let key = key_of(run);
        let found = self.broker.retry(&self.broker.patience(), || self.broker.value::<Announcement>(&key)).await?;
        let Some((announcement, _)) = found else {
            return Err(RunError::Gone { run: run.to_owned() });
        };
        let malformed = |reason: String| InputError::malformed("announcement", run, reason);
        let announcement = announcement.map_err(malformed)?;
        self.handshake.check(&announcement.handshake)?;
        let hashes = announcement.check(run).map_err(malformed)?;
        let Announcement { handshake, experiment } = announcement;
        let known_run = Arc::new(KnownRun {
            run: Run { id: run.to_owned(), experiment },
            resources: RunResources { cache: self.cache.clone(), hashes },
            tempo: self.handshake.tempo(&handshake),
        });
        lock(&self.known).insert(run.to_owned(), Arc::clone(&known_run));
        Ok(known_run)
    }
}

/// The queue without the jobs that cannot be played here.
pub struct PlayableJobs<'a> {
    /// All jobs.
    pub queue: &'a NatsQueue,
    /// What is known of their runs.
    pub runs: &'a AnnouncedRuns<'a>,
}

impl PlayableJobs<'_> {
    /// Takes about `most` jobs that can be played here.
    pub async fn lease_jobs(&self, worker: &Worker, most: usize) -> Result<Lease, RunError> {
        let leased = match self.queue.lease_jobs(worker, most).await? {
            Lease::Jobs(leased) => leased,
            other => return Ok(other),
        };
        let mut playable = Vec::new();
        for jobs in leased.chunk_by(|one, other| one.run == other.run) {
            let mut for_others = Vec::new();
            for job in jobs {
                match self.runs.check(job).await {
                    Ok(()) => playable.push(job.clone()),
                    Err(RunError::Gone { .. }) => self.queue.leave(std::slice::from_ref(job), false).await,
                    // A server that is gone may come back.
                    Err(RunError::Queue { .. }) => self.queue.leave(std::slice::from_ref(job), true).await,
                    Err(error) => {
                        self.runs.notes.unplayable("run", &job.run, &error);
                        for_others.push(job.clone());
                    }
                }
            }
            self.queue.put_back(&for_others).await;
        }
        Ok(if playable.is_empty() { Lease::Wait(UNPLAYABLE) } else { Lease::Jobs(playable) })
    }

    /// Notes that a job that was taken cannot be done.
    pub async fn fail_job(&self, job: &Job, error: &RunError) -> Result<(), RunError> {
        // A file that cannot be got, or an agent that this program does not have.
        if let RunError::Input(error) = error {
            self.runs.notes.unplayable("run", &job.run, error);
        }
        self.queue.fail_job(job, error).await
    }
}

/// The same, blocking.
impl Queue for PlayableJobs<'_> {
    fn push(&self, jobs: &[Job]) -> Result<usize, RunError> {
        self.queue.push(jobs)
    }

    fn lease(&self, worker: &Worker, most: usize) -> Result<Lease, RunError> {
        self.runs.broker.wait(self.lease_jobs(worker, most))
    }

    fn extend(&self, worker: &Worker) -> Result<(), RunError> {
        self.queue.extend(worker)
    }

    fn release(&self, worker: &Worker) -> Result<(), RunError> {
        self.queue.release(worker)
    }

    fn finish(&self, jobs: &[Job]) -> Result<(), RunError> {
        self.queue.finish(jobs)
    }

    fn fail(&self, job: &Job, error: RunError) -> Result<(), RunError> {
        self.runs.broker.wait(self.fail_job(job, &error))
    }

    fn heartbeat(&self) -> Duration {
        self.queue.heartbeat()
    }

    fn batch(&self) -> Duration {
        self.queue.batch()
    }
}

impl RunSource for AnnouncedRuns<'_> {
    fn with(&self, run: &str, act: &mut dyn FnMut(&RunContext<'_>) -> Result<(), RunError>) -> Result<(), RunError> {
        let known_run = self.broker.wait(self.load(run))?;
        act(&RunContext { run: &known_run.run, players: &AgentFactory::new(&known_run.resources), clock_speed: known_run.tempo })
    }
}
