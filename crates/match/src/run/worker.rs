//! Workers: threads that lease jobs from a queue, play them, and hand in the results. Any number of processes may share a queue.

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex};
use std::task::{Context, Poll, Waker};
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

/// The place where a worker works: what gives it jobs, plays them and takes the results.
///
/// It is asynchronous so that a simulation can have many workers on one thread; on a thread of its own a worker blocks instead.
pub trait Workplace {
    /// The time since some moment.
    fn now(&self) -> Duration;
    /// Waits.
    fn pause(&self, time: Duration) -> impl Future<Output = ()>;
    /// Takes about `most` jobs (see [`Queue::lease`]).
    fn lease(&self, worker: &Worker, most: usize) -> impl Future<Output = Result<Lease, RunError>>;
    /// Plays a job; `None` if it was cancelled.
    fn play(&self, job: &Job) -> impl Future<Output = Result<Option<Vec<GameRow>>, RunError>>;
    /// Keeps the games of jobs (see [`ResultSink::keep`]).
    fn keep(&self, run: &str, jobs: &[Vec<GameRow>]) -> impl Future<Output = Result<Vec<bool>, RunError>>;
    /// Notes that jobs are done (see [`Queue::finish`]).
    fn finish(&self, jobs: &[Job]) -> impl Future<Output = Result<(), RunError>>;
    /// Notes that a job cannot be done (see [`Queue::fail`]).
    fn fail(&self, job: &Job, error: RunError) -> impl Future<Output = Result<(), RunError>>;
    /// The interval at which results are handed in.
    fn batch(&self) -> Duration;
    /// Tells an event.
    fn tell(&self, event: &RunEvent<'_>);
}

/// A thread of this computer: it blocks wherever it waits.
struct Thread<'a> {
    config: &'a WorkerConfig<'a>,
    cancel: &'a CancelToken,
    begun: Instant,
}

impl Workplace for Thread<'_> {
    fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    async fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }

    async fn lease(&self, worker: &Worker, most: usize) -> Result<Lease, RunError> {
        self.config.queue.lease(worker, most)
    }

    async fn play(&self, job: &Job) -> Result<Option<Vec<GameRow>>, RunError> {
        let mut games = None;
        self.config.runs.with(&job.run, &mut |context| {
            games = play_job(context, job, self.cancel, self.config.events)?;
            Ok(())
        })?;
        Ok(games)
    }

    async fn keep(&self, run: &str, jobs: &[Vec<GameRow>]) -> Result<Vec<bool>, RunError> {
        self.config.sink.keep(run, jobs)
    }

    async fn finish(&self, jobs: &[Job]) -> Result<(), RunError> {
        self.config.queue.finish(jobs)
    }

    async fn fail(&self, job: &Job, error: RunError) -> Result<(), RunError> {
        self.config.queue.fail(job, error)
    }

    fn batch(&self) -> Duration {
        self.config.queue.batch()
    }

    fn tell(&self, event: &RunEvent<'_>) {
        (self.config.events)(event);
    }
}

/// The value of a future that never waits for another one: whatever takes time in it blocks.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("a thread blocks wherever it waits"),
    }
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
                    let thread = Thread { config, cancel: &cancel, begun: Instant::now() };
                    if let Err(error) = at_once(work_at(&thread, &worker, &cancel)) {
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

/// Works at a place until it has no more jobs or the work is cancelled.
pub async fn work_at<P: Workplace>(place: &P, worker: &Worker, cancel: &CancelToken) -> Result<(), RunError> {
    let mut most = 1;
    while !cancel.is_cancelled() {
        match place.lease(worker, most).await? {
            Lease::Done => break,
            Lease::Wait(time) => place.pause(time).await,
            Lease::Jobs(jobs) => {
                let (begun, number) = (place.now(), jobs.len());
                do_jobs(place, jobs).await?;
                let each = place.now().saturating_sub(begun).as_secs_f64() / number as f64;
                most = ((place.batch().as_secs_f64() / each.max(1e-9)) as usize).clamp(1, LARGEST_BATCH);
            }
        }
    }
    Ok(())
}

/// Plays jobs one after the other, and hands in the results in batches.
async fn do_jobs<P: Workplace>(place: &P, jobs: Vec<Job>) -> Result<(), RunError> {
    let mut done: Vec<(Job, Vec<GameRow>)> = Vec::new();
    let mut last = place.now();
    for job in jobs {
        match place.play(&job).await {
            Err(error) => place.fail(&job, error).await?,
            Ok(Some(games)) => done.push((job, games)),
            Ok(None) => break,
        }
        if place.now().saturating_sub(last) >= place.batch() {
            hand_in(place, &done).await?;
            done.clear();
            last = place.now();
        }
    }
    hand_in(place, &done).await
}

/// Keeps what was played, then says that it is done: a worker that is killed in between plays it twice, and nothing is lost.
async fn hand_in<P: Workplace>(place: &P, done: &[(Job, Vec<GameRow>)]) -> Result<(), RunError> {
    // Jobs that are leased together may belong to several runs.
    for part in done.chunk_by(|(one, _), (other, _)| one.run == other.run) {
        let (jobs, played): (Vec<Job>, Vec<Vec<GameRow>>) = part.iter().cloned().unzip();
        let new = place.keep(&jobs[0].run, &played).await?;
        place.finish(&jobs).await?;
        for ((job, games), _) in jobs.iter().zip(&played).zip(new).filter(|(_, new)| *new) {
            place.tell(&RunEvent::JobFinished { job, games });
        }
    }
    Ok(())
}

/// Both games of a pair: the same opening, the same outcomes of chance, the seats swapped; one where the seats are fixed. `None` if it
/// was cancelled.
pub fn play_job(
    context: &RunContext<'_>,
    job: &Job,
    cancel: &CancelToken,
    events: &dyn Fn(&RunEvent<'_>),
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
            on_move: &|player, played| events(&RunEvent::MoveMade { job, game, player, played }),
        };
        events(&RunEvent::GameStarted { job, game, agents: &agents });
        let played = play_game(setup)?;
        if let Some(played) = &played {
            events(&RunEvent::GameEnded { job, game, played });
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
