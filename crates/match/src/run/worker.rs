//! Playing the pairs of a run: as many threads as wanted, in as many processes as wanted.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use plyground_core::{PlayedMove, Player};
use plyground_session::open;

use crate::{
    Experiment, GameRow, Job, Lease, Pace, Played, PlayerFactory, Queue, ResultSink, Run, RunError, Table, Worker, names_limits,
    play_game,
};

const LARGEST_BATCH: usize = 64;

/// What there is to tell while a run goes on.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// A game begins.
    GameStarted {
        /// Of which job.
        job: &'a Job,
        /// Its first or its second.
        game: u8,
        /// Who plays, in the order in which they move.
        agents: &'a [String; 2],
    },
    /// Somebody has made a move, or chance has decided. (Openings are told with the job.)
    MoveMade {
        /// In a game of this job.
        job: &'a Job,
        /// Its first or its second.
        game: u8,
        /// Who moved; nobody where it was chance.
        player: Option<Player>,
        /// Which move, how long it took, what the mover expects.
        played: &'a PlayedMove,
    },
    /// A game is over. It is not kept yet: that is done with all games of a job at once.
    GameOver {
        /// Of this job.
        job: &'a Job,
        /// Its first or its second.
        game: u8,
        /// All of it.
        played: &'a Played,
    },
    /// A job was done: its games were played and are kept.
    JobFinished {
        /// Which.
        job: &'a Job,
        /// Its games, the second with the seats swapped, or the only one.
        games: &'a [GameRow],
    },
}

/// What a run is played with.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The run.
    pub run: &'a Run,
    /// Where contestants come from.
    pub roster: &'a dyn PlayerFactory,
    /// How fast clocks run here (see [`Pace`]).
    pub tempo: f64,
}

/// What is known about the runs that jobs belong to.
pub trait Runs: Sync {
    /// Calls `act` with what the run of this name is played with.
    fn with(&self, run: &str, act: &mut dyn FnMut(&Setting<'_>) -> Result<(), RunError>) -> Result<(), RunError>;
}

/// All jobs belong to this one.
impl Runs for Setting<'_> {
    fn with(&self, _: &str, act: &mut dyn FnMut(&Setting<'_>) -> Result<(), RunError>) -> Result<(), RunError> {
        act(self)
    }
}

/// How jobs are to be worked on.
pub struct WorkerConfig<'a> {
    /// Where results go.
    pub keeper: &'a dyn ResultSink,
    /// Where jobs come from.
    pub queue: &'a dyn Queue,
    /// The runs that they belong to.
    pub runs: &'a dyn Runs,
    /// How many games are played at the same time.
    pub threads: usize,
    /// Is asked before every move, and while agents think, whether to stop. Pairs that are not finished then are given back.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Hears what happens, from any thread.
    pub events: &'a (dyn Fn(&Event<'_>) + Sync),
}

/// Works on jobs until nothing is left or somebody says stop.
pub fn work(orders: &WorkerConfig<'_>) -> Result<(), RunError> {
    let worker = new_worker();
    let failure = Mutex::new(None);
    let failed = AtomicBool::new(false);
    let over = Signal::default();
    let stop = || failed.load(Ordering::Relaxed) || (orders.stop)();
    std::thread::scope(|scope| {
        let heart = scope.spawn(|| {
            while !over.wait(orders.queue.heartbeat()) {
                // A heartbeat that fails costs at most a job that is done twice.
                let _ = orders.queue.extend(&worker);
            }
        });
        let threads: Vec<_> = (0..orders.threads.max(1))
            .map(|_| {
                scope.spawn(|| {
                    if let Err(error) = work_alone(orders, &worker, &stop) {
                        failed.store(true, Ordering::Relaxed);
                        failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
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
    let released = orders.queue.release(&worker);
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(released, Err)
}

/// A name that no other worker has: the number of the process, when it was, and which of its workers it is.
fn new_worker() -> Worker {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
    Worker(format!("{}-{now:x}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)))
}

fn work_alone(orders: &WorkerConfig<'_>, worker: &Worker, stop: &dyn Fn() -> bool) -> Result<(), RunError> {
    let mut most = 1;
    while !stop() {
        match orders.queue.lease(worker, most)? {
            Lease::Done => break,
            Lease::Wait(time) => std::thread::sleep(time),
            Lease::Jobs(jobs) => {
                let (begin, number) = (Instant::now(), jobs.len());
                do_jobs(orders, jobs, stop)?;
                let each = begin.elapsed().as_secs_f64() / number as f64;
                most = ((orders.queue.batch().as_secs_f64() / each.max(1e-9)) as usize).clamp(1, LARGEST_BATCH);
            }
        }
    }
    Ok(())
}

/// Does jobs one after the other, and hands in what is played now and then and at the end.
fn do_jobs(orders: &WorkerConfig<'_>, jobs: Vec<Job>, stop: &dyn Fn() -> bool) -> Result<(), RunError> {
    let mut done: Vec<(Job, Vec<GameRow>)> = Vec::new();
    let mut last = Instant::now();
    for job in jobs {
        let mut games = None;
        let played = orders.runs.with(&job.run, &mut |setting| {
            games = play_job(orders, setting, &job, stop)?;
            Ok(())
        });
        match (played, games) {
            (Err(error), _) => orders.queue.fail(&job, error)?,
            (Ok(()), Some(games)) => done.push((job, games)),
            (Ok(()), None) => break,
        }
        if last.elapsed() >= orders.queue.batch() {
            hand_in(orders, &done)?;
            done.clear();
            last = Instant::now();
        }
    }
    hand_in(orders, &done)
}

/// Keeps what was played, then says that it is done: whoever is killed in between does it twice, and nothing is lost.
fn hand_in(orders: &WorkerConfig<'_>, done: &[(Job, Vec<GameRow>)]) -> Result<(), RunError> {
    // Jobs that are leased together may belong to several runs.
    for part in done.chunk_by(|(one, _), (other, _)| one.run == other.run) {
        let (jobs, played): (Vec<Job>, Vec<Vec<GameRow>>) = part.iter().cloned().unzip();
        let new = orders.keeper.keep(&jobs[0].run, &played)?;
        orders.queue.finish(&jobs)?;
        for ((job, games), _) in jobs.iter().zip(&played).zip(new).filter(|(_, new)| *new) {
            (orders.events)(&Event::JobFinished { job, games });
        }
    }
    Ok(())
}

/// Both games of a pair: the same opening, the same luck, the seats swapped; one where the seats are fixed. `None` if somebody said
/// stop.
fn play_job(
    orders: &WorkerConfig<'_>,
    setting: &Setting<'_>,
    job: &Job,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Vec<GameRow>>, RunError> {
    let experiment = &setting.run.experiment;
    let Experiment { limits, clock, game_time, patience, .. } = *experiment;
    let play = |game: u8| {
        let agents = experiment.specs(job.agents, job.pair, game);
        let own = agents.each_ref().map(|spec| experiment.own_limits && names_limits(spec));
        let pace = Pace { limits, clock, game: game_time, own, patience, tempo: setting.tempo, ..Pace::default() };
        let Some([mut one, mut other]) = setting.roster.seat(&agents, stop)? else { return Ok(None) };
        let table = Table {
            session: open(&experiment.game, None)?,
            contestants: [one.as_mut(), other.as_mut()],
            seeds: experiment.agent_seeds(job.agents, job.pair, game),
            luck: experiment.luck_seed(job.agents, job.pair).rng(),
            opening: &job.opening,
            stop,
            moved: &|player, played| (orders.events)(&Event::MoveMade { job, game, player, played }),
        };
        (orders.events)(&Event::GameStarted { job, game, agents: &agents });
        let played = play_game(table, pace)?;
        if let Some(played) = &played {
            (orders.events)(&Event::GameOver { job, game, played });
        }
        Ok::<_, RunError>(played.map(|played| GameRow::new(job, game, played)))
    };
    (0..experiment.seats.games()).map(play).collect()
}

/// Something that happens once, and that others wait for.
#[derive(Default)]
struct Signal {
    given: Mutex<bool>,
    changed: Condvar,
}

impl Signal {
    fn give(&self) {
        *self.given.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Waits for the signal, but not longer than this; true if it was given.
    fn wait(&self, time: Duration) -> bool {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(given, time, |given| !*given);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
