//! A random sample of results, played again by the coordinator: the same job must give the same games.

use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use plyground_core::sync::lock;
use plyground_core::{CancelToken, Rng, Seed};
use plyground_match::{
    Experiment, GameRow, Job, Lease, Queue, Refusal, ResultSink, RunContext, RunError, Worker, WorkerConfig, is_reproducible,
    verify_same, work,
};

use crate::names::WorkerName;

/// Results that wait to be played again; while so many wait, no more are drawn. A coordinator has one thread for it.
const WAITING: usize = 4;
/// The same for games that ended by a fault. All of them are played again, since no rule can tell whether a player has crashed.
const FAULTS_WAITING: usize = 1_000;

/// A result of a worker that is played again.
pub struct SampledResult {
    pub worker: WorkerName,
    pub job: Job,
    pub games: Vec<GameRow>,
}

/// The drawing of samples, and the thread that plays them again.
pub struct Sampler {
    share: f64,
    rng: Rng,
    samples: Sender<SampledResult>,
    checked: Receiver<(SampledResult, Result<(), Refusal>)>,
    waiting: usize,
}

impl Sampler {
    /// A sampler of this share of the results of a run; of none where the same job need not give the same games.
    pub fn new(
        share: f64,
        experiment: &Experiment,
        samples: Sender<SampledResult>,
        checked: Receiver<(SampledResult, Result<(), Refusal>)>,
    ) -> Self {
        let share = if is_reproducible(experiment) { share } else { 0.0 };
        // No worker can tell which results are drawn.
        let seed = Seed(std::collections::hash_map::RandomState::new().build_hasher().finish());
        Self { share, rng: seed.rng(), samples, checked, waiting: 0 }
    }

    /// Draws, and has the result played again if it was drawn.
    pub fn draw(&mut self, worker: &WorkerName, job: &Job, games: &[GameRow]) {
        let faulty = games.iter().any(|game| game.fault.is_some());
        let most = if faulty { FAULTS_WAITING } else { WAITING };
        let drawn = self.share > 0.0 && self.waiting < most && (faulty || self.rng.unit() < self.share);
        let sample = || SampledResult { worker: worker.clone(), job: job.clone(), games: games.to_vec() };
        if drawn && self.samples.send(sample()).is_ok() {
            self.waiting += 1;
        }
    }

    /// The next result that was played again, with what came of it.
    pub fn next(&mut self) -> Option<(SampledResult, Result<(), Refusal>)> {
        let checked = self.checked.try_recv().ok()?;
        self.waiting -= 1;
        Some(checked)
    }

    /// Are there results that are still to be played again?
    pub fn is_busy(&self) -> bool {
        self.waiting > 0
    }
}

/// Plays samples again until there are no more to come. One that cannot be played here proves nothing.
pub fn play_samples(
    context: RunContext<'_>,
    cancel: &CancelToken,
    samples: &Receiver<SampledResult>,
    checked: &Sender<(SampledResult, Result<(), Refusal>)>,
) {
    for sample in samples {
        let verdict = match play_again(context, &sample.job, cancel) {
            Ok(Some(games)) => verify_same(&games, &sample.games),
            Ok(None) | Err(_) => Ok(()),
        };
        if checked.send((sample, verdict)).is_err() {
            return;
        }
    }
}

/// The games of a job, played here as a worker plays them; `None` if it was cancelled.
fn play_again(context: RunContext<'_>, job: &Job, cancel: &CancelToken) -> Result<Option<Vec<GameRow>>, RunError> {
    let one = OneJob { job: Mutex::new(Some(job.clone())), games: Mutex::default() };
    work(&WorkerConfig { sink: &one, queue: &one, runs: &context, threads: 1, cancel, events: &|_| {} })?;
    Ok(lock(&one.games).take())
}

/// A queue with one job, which keeps its games.
struct OneJob {
    job: Mutex<Option<Job>>,
    games: Mutex<Option<Vec<GameRow>>>,
}

impl Queue for OneJob {
    fn push(&self, _: &[Job]) -> Result<usize, RunError> {
        Ok(0)
    }

    fn lease(&self, _: &Worker, _: usize) -> Result<Lease, RunError> {
        Ok(lock(&self.job).take().map_or(Lease::Done, |job| Lease::Jobs(vec![job])))
    }

    fn extend(&self, _: &Worker) -> Result<(), RunError> {
        Ok(())
    }

    fn release(&self, _: &Worker) -> Result<(), RunError> {
        Ok(())
    }

    fn finish(&self, _: &[Job]) -> Result<(), RunError> {
        Ok(())
    }

    fn fail(&self, _: &Job, error: RunError) -> Result<(), RunError> {
        Err(error)
    }

    fn heartbeat(&self) -> Duration {
        Duration::from_secs(5)
    }

    fn batch(&self) -> Duration {
        Duration::from_secs(5)
    }
}

impl ResultSink for OneJob {
    fn keep(&self, _: &str, jobs: &[Vec<GameRow>]) -> Result<Vec<bool>, RunError> {
        *lock(&self.games) = jobs.first().cloned();
        Ok(vec![true; jobs.len()])
    }
}
