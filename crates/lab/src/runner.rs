//! Playing the pairs of a run: as many threads as wanted, in as many processes as wanted.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use plyground_table::open;

use crate::arena::{Pace, Roster, Table, play_game};
use crate::queue::{Job, Lease, Queue, Worker};
use crate::{GameRow, LabError, Run, Store};

/// A worker takes about as many jobs at a time as it does in this time: asking for each takes longer than playing a short game.
const BATCH: Duration = Duration::from_millis(200);
const LARGEST_BATCH: usize = 64;

/// How often leases are extended: often enough that one that is late does no harm.
const HEARTBEAT: Duration = Duration::from_secs(3);

/// What there is to tell while a run goes on.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// A pair was played, and is kept.
    PairFinished {
        /// Which.
        job: &'a Job,
        /// Its games, the second with the seats swapped.
        games: &'a [GameRow; 2],
    },
}

/// How a run is to be worked on.
pub struct Orders<'a> {
    /// Where results are kept.
    pub store: &'a Store,
    /// Where jobs come from.
    pub queue: &'a dyn Queue,
    /// Where contestants come from.
    pub roster: &'a dyn Roster,
    /// The run.
    pub run: &'a Run,
    /// How many games are played at the same time.
    pub threads: usize,
    /// Set from outside, or by whoever hears the events, to stop after the games that are being played.
    pub stop: &'a AtomicBool,
    /// Hears what happens, from any thread.
    pub events: &'a (dyn Fn(&Event<'_>) + Sync),
}

/// Works on a run until nothing is left or somebody says stop.
pub fn work(orders: &Orders<'_>) -> Result<(), LabError> {
    let worker = Worker(format!("{}-{:x}", std::process::id(), started()));
    let failure = Mutex::new(None);
    let over = Signal::default();
    std::thread::scope(|scope| {
        let heart = scope.spawn(|| {
            while !over.wait(HEARTBEAT) {
                // A heartbeat that fails costs at most a job that is done twice.
                let _ = orders.queue.extend(&worker);
            }
        });
        let threads: Vec<_> = (0..orders.threads.max(1))
            .map(|_| {
                scope.spawn(|| {
                    if let Err(error) = work_alone(orders, &worker) {
                        orders.stop.store(true, Ordering::Relaxed);
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
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Tells this process from earlier ones with its number.
fn started() -> u64 {
    static STARTED: AtomicU64 = AtomicU64::new(0);
    let now = || std::time::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_nanos() as u64 | 1);
    match STARTED.compare_exchange(0, now(), Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => STARTED.load(Ordering::Relaxed),
        Err(before) => before,
    }
}

fn work_alone(orders: &Orders<'_>, worker: &Worker) -> Result<(), LabError> {
    let mut batch = 1;
    while !orders.stop.load(Ordering::Relaxed) {
        match orders.queue.lease(&orders.run.id, worker, batch)? {
            Lease::Done => break,
            Lease::Wait(time) => std::thread::sleep(time),
            Lease::Jobs(jobs) => {
                let begin = Instant::now();
                let mut done = Vec::with_capacity(jobs.len());
                for job in &jobs {
                    // What was begun is finished; the rest of the batch goes back when the lease ends.
                    if orders.stop.load(Ordering::Relaxed) {
                        break;
                    }
                    done.push((job, play_pair(orders, job)?));
                }
                let games: Vec<GameRow> = done.iter().flat_map(|(_, games)| games.clone()).collect();
                orders.store.keep(&orders.run.id, &games)?;
                let finished: Vec<Job> = done.iter().map(|(job, _)| (*job).clone()).collect();
                orders.queue.finish(worker, &finished)?;
                for (job, games) in &done {
                    (orders.events)(&Event::PairFinished { job, games });
                }
                let each = begin.elapsed().as_secs_f64() / jobs.len() as f64;
                batch = ((BATCH.as_secs_f64() / each.max(1e-9)) as usize).clamp(1, LARGEST_BATCH);
            }
        }
    }
    Ok(())
}

/// Both games of a pair: the same opening, the same luck, the seats swapped.
fn play_pair(orders: &Orders<'_>, job: &Job) -> Result<[GameRow; 2], LabError> {
    let experiment = &orders.run.experiment;
    let seed = experiment.pair_seed(job.agents, job.pair);
    let pace = Pace { limits: experiment.limits.map(Into::into).unwrap_or_default(), clock: experiment.clock, ..Pace::default() };
    let play = |game: usize| {
        let [one, other] = if game == 0 { job.agents } else { [job.agents[1], job.agents[0]] };
        let invite = |agent: usize| orders.roster.invite(&experiment.agents[agent]);
        let (mut first, mut second) = (invite(one)?, invite(other)?);
        let agent_seed = |seat: u64| seed.named("agent").numbered(2 * game as u64 + seat);
        let table = Table {
            session: open(&experiment.game, None)?,
            contestants: [first.as_mut(), second.as_mut()],
            seeds: [agent_seed(0), agent_seed(1)],
            luck: seed.named("luck").rng(),
            opening: &job.opening,
        };
        Ok::<GameRow, LabError>(GameRow::new(job, game as u8, play_game(table, pace)?))
    };
    Ok([play(0)?, play(1)?])
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
