//! Workers: threads that lease jobs from a queue, play them, and hand in the results. Any number of processes may share a queue.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use plyground_core::CancelToken;
use plyground_core::sync::{into_inner, lock, wait_timeout};

use crate::{
    Experiment, GameRow, GameSetup, Job, Lease, PlayerFactory, Queue, ResultSink, Run, RunError, RunEvent, TimeControl, Worker,
    names_limits, play_game,
};

const LARGEST_BATCH: usize = 64;

/// A run, with what a worker needs to play it.
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    /// The run.
    pub run: &'a Run,
    /// Makes the players.
    pub players: &'a dyn PlayerFactory,
    /// The speed of the clocks here (see [`TimeControl`]).
    pub clock_speed: f64,
}

/// The runs that jobs belong to, by their names.
pub trait RunSource: Sync {
    /// Calls `act` with what the run of this name is played with.
    fn with(&self, run: &str, act: &mut dyn FnMut(&RunContext<'_>) -> Result<(), RunError>) -> Result<(), RunError>;
}

/// All jobs belong to this one.
impl RunSource for RunContext<'_> {
    fn with(&self, _: &str, act: &mut dyn FnMut(&RunContext<'_>) -> Result<(), RunError>) -> Result<(), RunError> {
        act(self)
    }
}

/// The configuration of a worker.
pub struct WorkerConfig<'a> {
    /// The sink of results.
    pub sink: &'a dyn ResultSink,
    /// The queue of jobs.
    pub queue: &'a dyn Queue,
    /// The runs that they belong to.
    pub runs: &'a dyn RunSource,
    /// The number of games that are played at the same time.
    pub threads: usize,
    /// Stops it, also while agents think. Pairs that are not finished then are given back.
    pub cancel: &'a CancelToken,
    /// A subscriber to the events, called from any thread.
    pub events: &'a (dyn Fn(&RunEvent<'_>) + Sync),
}

/// Works on jobs until nothing is left or it is cancelled.
pub fn work(config: &WorkerConfig<'_>) -> Result<(), RunError> {
    let worker = new_worker();
    let failure = Mutex::new(None);
    let cancel = config.cancel.child();
    let over = Signal::default();
    std::thread::scope(|scope| {
        let heart = scope.spawn(|| {
            while !over.wait(config.queue.heartbeat()) {
                // A heartbeat that fails costs at most a job that is done twice.
                let _ = config.queue.extend(&worker);
            }
        });
        let threads: Vec<_> = (0..config.threads.max(1))
            .map(|_| {
                scope.spawn(|| {
                    if let Err(error) = work_alone(config, &worker, &cancel) {
                        cancel.cancel();
                        lock(&failure).get_or_insert(error);
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("workers hold no panics");
        }
        over.give();
        heart.join().expect("the heart holds no panics");
    });
    let released = config.queue.release(&worker);
    into_inner(failure).map_or(released, Err)
}

/// A name that no other worker has: the number of the process, when it was, and which of its workers it is.
fn new_worker() -> Worker {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
    Worker(format!("{}-{now:x}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)))
}

fn work_alone(config: &WorkerConfig<'_>, worker: &Worker, cancel: &CancelToken) -> Result<(), RunError> {
    let mut most = 1;
    while !cancel.is_cancelled() {
        match config.queue.lease(worker, most)? {
            Lease::Done => break,
            Lease::Wait(time) => std::thread::sleep(time),
            Lease::Jobs(jobs) => {
                let (begin, number) = (Instant::now(), jobs.len());
                do_jobs(config, jobs, cancel)?;
                let each = begin.elapsed().as_secs_f64() / number as f64;
                most = ((config.queue.batch().as_secs_f64() / each.max(1e-9)) as usize).clamp(1, LARGEST_BATCH);
            }
        }
    }
    Ok(())
}

/// Plays jobs one after the other, and hands in the results in batches.
fn do_jobs(config: &WorkerConfig<'_>, jobs: Vec<Job>, cancel: &CancelToken) -> Result<(), RunError> {
    let mut done: Vec<(Job, Vec<GameRow>)> = Vec::new();
    let mut last = Instant::now();
    for job in jobs {
        let mut games = None;
        let played = config.runs.with(&job.run, &mut |context| {
            games = play_job(config, context, &job, cancel)?;
            Ok(())
        });
        match (played, games) {
            (Err(error), _) => config.queue.fail(&job, error)?,
            (Ok(()), Some(games)) => done.push((job, games)),
            (Ok(()), None) => break,
        }
        if last.elapsed() >= config.queue.batch() {
            hand_in(config, &done)?;
            done.clear();
            last = Instant::now();
        }
    }
    hand_in(config, &done)
}

/// Keeps what was played, then says that it is done: a worker that is killed in between plays it twice, and nothing is lost.
fn hand_in(config: &WorkerConfig<'_>, done: &[(Job, Vec<GameRow>)]) -> Result<(), RunError> {
    // Jobs that are leased together may belong to several runs.
    for part in done.chunk_by(|(one, _), (other, _)| one.run == other.run) {
        let (jobs, played): (Vec<Job>, Vec<Vec<GameRow>>) = part.iter().cloned().unzip();
        let new = config.sink.keep(&jobs[0].run, &played)?;
        config.queue.finish(&jobs)?;
        for ((job, games), _) in jobs.iter().zip(&played).zip(new).filter(|(_, new)| *new) {
            (config.events)(&RunEvent::JobFinished { job, games });
        }
    }
    Ok(())
}

/// Both games of a pair: the same opening, the same outcomes of chance, the seats swapped; one where the seats are fixed. `None` if it
/// was cancelled.
fn play_job(
    config: &WorkerConfig<'_>,
    context: &RunContext<'_>,
    job: &Job,
    cancel: &CancelToken,
) -> Result<Option<Vec<GameRow>>, RunError> {
    let experiment = &context.run.experiment;
    let Experiment { limits, clock, game_time, patience, .. } = *experiment;
    let play = |game: u8| {
        let agents = experiment.specs(job.agents, job.pair, game);
        let own_limits = agents.each_ref().map(|spec| experiment.own_limits && names_limits(spec));
        let Some([mut one, mut other]) = context.players.players(&agents, cancel)? else { return Ok(None) };
        let clock_speed = context.clock_speed;
        let setup = GameSetup {
            session: context.players.open(&experiment.game)?,
            players: [one.as_mut(), other.as_mut()],
            seeds: experiment.agent_seeds(job.agents, job.pair, game),
            chance: experiment.chance_seed(job.agents, job.pair).rng(),
            opening: &job.opening,
            time: TimeControl { limits, clock, game_time, own_limits, patience, clock_speed, ..TimeControl::default() },
            cancel,
            on_move: &|player, played| (config.events)(&RunEvent::MoveMade { job, game, player, played }),
        };
        (config.events)(&RunEvent::GameStarted { job, game, agents: &agents });
        let played = play_game(setup)?;
        if let Some(played) = &played {
            (config.events)(&RunEvent::GameEnded { job, game, played });
        }
        Ok::<_, RunError>(played.map(|played| GameRow::new(job, game, played)))
    };
    (0..experiment.seats.games()).map(play).collect()
}

/// An event that happens once, and that other threads wait for.
#[derive(Default)]
struct Signal {
    given: Mutex<bool>,
    changed: Condvar,
}

impl Signal {
    fn give(&self) {
        *lock(&self.given) = true;
        self.changed.notify_all();
    }

    /// Waits for the signal, but not longer than this; true if it was given.
    fn wait(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        let mut given = lock(&self.given);
        while !*given && Instant::now() < end {
            given = wait_timeout(&self.changed, given, end.saturating_duration_since(Instant::now()));
        }
        *given
    }
}
