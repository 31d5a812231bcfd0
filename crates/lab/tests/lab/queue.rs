//! The laws of the queue: the same for the one of this computer and for the one on the network.

use std::collections::HashSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use plyground_core::NoResources;
use plyground_lab::{Event, Job, Keeper, Lease, Lot, Orders, Queue, Results, Run, Setting, Standard, Store, Worker, work};

use crate::common::{Directory, all_jobs, experiment, games, play};

/// Which queue a law is tried on.
#[derive(Clone, Copy)]
enum Kind {
    Local,
    #[cfg(feature = "nats")]
    Nats,
}

macro_rules! laws {
    ($($law:ident)*) => {
        mod local {
            $(#[test] fn $law() { super::$law(super::Kind::Local); })*
        }
        #[cfg(feature = "nats")]
        mod nats {
            $(#[test] fn $law() { super::$law(super::Kind::Nats); })*
        }
    };
}

laws! {
    a_job_is_there_once_and_comes_out_as_it_went_in
    what_one_has_no_other_gets_until_it_is_released_or_finished
    a_lease_that_nobody_extends_comes_back_and_one_that_is_extended_does_not
    two_that_work_on_a_run_share_it
    whoever_is_told_to_stop_gives_back_what_is_not_played
}

/// A store, a run, and a way to its queue.
struct Place {
    store: Store,
    run: Run,
    jobs: Vec<Job>,
    #[cfg(feature = "nats")]
    broker: Option<(std::sync::Arc<plyground_lab::nats::Broker>, crate::server::Server)>,
    directory: Directory,
}

impl Place {
    /// So many pairs of a run that are asked for and not begun; nothing where the queue is not to be had.
    #[cfg_attr(not(feature = "nats"), expect(clippy::unnecessary_wraps, reason = "without a network there is always a queue"))]
    fn new(kind: Kind, lease: Duration, run: Run, pairs: u64) -> Option<Self> {
        let directory = Directory::new();
        let store = directory.store().with_lease(lease);
        store.begin(&run, "ply match", "a machine").unwrap();
        let jobs = all_jobs(&run, pairs);
        #[cfg(feature = "nats")]
        let broker = match kind {
            Kind::Local => None,
            Kind::Nats => {
                let server = crate::server::Server::start()?;
                let access =
                    plyground_lab::nats::Access { lease: Some(lease), ..plyground_lab::nats::Access::new(&server.url()) };
                Some((std::sync::Arc::new(plyground_lab::nats::Broker::connect(&access).unwrap()), server))
            }
        };
        #[cfg(not(feature = "nats"))]
        let Kind::Local = kind;
        let place = Self {
            store,
            run,
            jobs,
            #[cfg(feature = "nats")]
            broker,
            directory,
        };
        assert_eq!(place.queue(&place.store).push(&place.jobs).unwrap() as u64, pairs);
        Some(place)
    }

    /// The queue, as a process with this store sees it.
    fn queue<'a>(&'a self, store: &'a Store) -> Box<dyn Queue + 'a> {
        #[cfg(feature = "nats")]
        if let Some((broker, _)) = &self.broker {
            return Box::new(plyground_lab::nats::NatsQueue::new(std::sync::Arc::clone(broker)));
        }
        Box::new(store.queue(Lot::all(&self.run.id)))
    }
}

fn small_run() -> Run {
    experiment("tictactoe", &["random", "mcts:sims=10"], 2).run()
}

fn worker(name: &str) -> Worker {
    Worker(name.to_owned())
}

/// What somebody gets who wants so many. On a network, what was given back a moment ago may take another one.
fn leased(queue: &dyn Queue, name: &str, most: usize) -> Vec<Job> {
    let begun = Instant::now();
    loop {
        match queue.lease(&worker(name), most).unwrap() {
            Lease::Jobs(jobs) => return jobs,
            Lease::Wait(time) if begun.elapsed() < PATIENCE => std::thread::sleep(time),
            other => panic!("expected jobs, found {other:?}"),
        }
    }
}

/// The same, until there are so many.
fn all_leased(queue: &dyn Queue, name: &str, wanted: usize) -> Vec<Job> {
    let mut jobs = Vec::new();
    while jobs.len() < wanted {
        jobs.extend(leased(queue, name, wanted - jobs.len()));
    }
    jobs
}

fn sorted(jobs: Vec<Job>) -> Vec<u64> {
    let mut pairs: Vec<u64> = jobs.into_iter().map(|job| job.pair).collect();
    pairs.sort_unstable();
    pairs
}

const LONG: Duration = Duration::from_hours(1);
/// Nothing here takes as long as this.
const PATIENCE: Duration = Duration::from_mins(1);

fn a_job_is_there_once_and_comes_out_as_it_went_in(kind: Kind) {
    let Some(place) = Place::new(kind, LONG, small_run(), 6) else { return };
    let queue = place.queue(&place.store);
    assert_eq!(queue.push(&place.jobs).unwrap(), 0);
    let mut found = all_leased(queue.as_ref(), "a", 6);
    found.sort_by_key(|job| job.pair);
    assert_eq!(found, place.jobs);
    assert_eq!(place.jobs.iter().map(|job| &job.id).collect::<HashSet<_>>().len(), 6);
    assert!(matches!(queue.lease(&worker("b"), 100).unwrap(), Lease::Wait(_)), "and no more than that");
}

fn what_one_has_no_other_gets_until_it_is_released_or_finished(kind: Kind) {
    let Some(place) = Place::new(kind, LONG, small_run(), 6) else { return };
    let (queue, jobs) = (place.queue(&place.store), &place.jobs);
    let queue = queue.as_ref();
    assert_eq!(sorted(leased(queue, "a", 4)), [0, 1, 2, 3]);
    assert_eq!(sorted(leased(queue, "b", 4)), [4, 5]);
    assert!(matches!(queue.lease(&worker("c"), 4).unwrap(), Lease::Wait(_)));
    queue.finish(&jobs[..2]).unwrap();
    queue.release(&worker("a")).unwrap();
    assert_eq!(sorted(all_leased(queue, "c", 2)), [2, 3], "what is finished does not come back, and b keeps its own");
    assert!(matches!(queue.lease(&worker("d"), 4).unwrap(), Lease::Wait(_)));
    queue.finish(jobs).unwrap();
    assert_eq!(queue.lease(&worker("c"), 4).unwrap(), Lease::Done);
    queue.release(&worker("c")).unwrap();
    assert_eq!(queue.push(jobs).unwrap(), 0);
    assert_eq!(queue.lease(&worker("c"), 4).unwrap(), Lease::Done, "finished is final");
}

fn a_lease_that_nobody_extends_comes_back_and_one_that_is_extended_does_not(kind: Kind) {
    let Some(place) = Place::new(kind, Duration::from_secs(3), small_run(), 6) else { return };
    // Three processes: one that is gone, one that is alive, and the next.
    let [gone, alive, next] = [0, 1, 2].map(|_| place.queue(&place.store));
    assert_eq!(sorted(leased(gone.as_ref(), "gone", 3)), [0, 1, 2]);
    let kept = leased(alive.as_ref(), "alive", 1);
    let mut found = Vec::new();
    let begun = Instant::now();
    while found.len() < 5 && begun.elapsed() < PATIENCE {
        alive.extend(&worker("alive")).unwrap();
        if let Lease::Jobs(jobs) = next.lease(&worker("next"), 100).unwrap() {
            found.extend(jobs);
        }
        next.extend(&worker("next")).unwrap();
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(found.len(), 5);
    assert!(!found.contains(&kept[0]), "all but the one that is extended");
}

#[test]
fn a_lot_is_the_first_pairs_of_a_run_and_no_more() {
    let place = Place::new(Kind::Local, LONG, small_run(), 6).unwrap();
    let (store, run, jobs) = (&place.store, &place.run, &place.jobs);
    let lot = Lot { run: &run.id, pairs: 2 };
    assert_eq!(store.asked(lot).unwrap(), 2);
    assert_eq!(sorted(leased(&store.queue(lot), "a", 100)), [0, 1]);
    store.queue(lot).finish(&jobs[..2]).unwrap();
    assert_eq!(store.queue(lot).lease(&worker("a"), 1).unwrap(), Lease::Done);
    assert_eq!(sorted(leased(&store.queue(Lot::all(&run.id)), "a", 100)), [2, 3, 4, 5]);
}

#[test]
fn a_job_that_is_done_twice_counts_once() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("tictactoe", &["random", "mcts:sims=10"], 2).run();
    play(&store, &run, 3);
    let before = games(&store, &run);
    // Somebody else did the same, slower, with another result.
    let mut late = before[..2].to_vec();
    for game in &mut late {
        game.reason = "another story".to_owned();
    }
    assert_eq!(store.keep(&run.id, &[late]).unwrap(), [false]);
    assert_eq!(games(&store, &run), before);
}

fn two_that_work_on_a_run_share_it(kind: Kind) {
    let run = experiment("clobber:size=4x4", &["random", "mcts:sims=50"], 2).run();
    let Some(place) = Place::new(kind, LONG, run.clone(), 60) else { return };
    let (one, other) = (&place.store, place.directory.store());
    let counts = [AtomicU32::new(0), AtomicU32::new(0)];
    // Both wait for each other after their first pair, so that neither does everything before the other has begun.
    let both_have_begun = Barrier::new(2);
    std::thread::scope(|scope| {
        for (store, count) in [one, &other].into_iter().zip(&counts) {
            let (place, run, both_have_begun) = (&place, &run, &both_have_begun);
            scope.spawn(move || {
                work(&Orders {
                    keeper: store,
                    queue: place.queue(store).as_ref(),
                    runs: &Setting { run, roster: &Standard(&NoResources), tempo: 1.0 },
                    threads: 1,
                    stop: &|| false,
                    events: &|event| {
                        if matches!(event, Event::JobFinished { .. }) && count.fetch_add(1, Ordering::Relaxed) == 0 {
                            both_have_begun.wait();
                        }
                    },
                })
                .unwrap();
            });
        }
    });
    let counts = counts.map(AtomicU32::into_inner);
    assert_eq!(counts[0] + counts[1], 60, "each pair is told once");
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
    assert_eq!(games(one, &run).len(), 120);
    let alone = Directory::new();
    let store = alone.store();
    play(&store, &run, 60);
    assert_eq!(games(&store, &run), games(one, &run), "the same games as one alone");
}

fn whoever_is_told_to_stop_gives_back_what_is_not_played(kind: Kind) {
    let Some(place) = Place::new(kind, LONG, small_run(), 200) else { return };
    let (store, run) = (&place.store, &place.run);
    let queue = place.queue(store);
    let (asked, finished) = (AtomicU32::new(0), AtomicU32::new(0));
    work(&Orders {
        keeper: store,
        queue: queue.as_ref(),
        runs: &Setting { run, roster: &Standard(&NoResources), tempo: 1.0 },
        threads: 1,
        // Asked before and after each move, so before the fortieth: the first pair is finished then, and the worker is at one of a
        // larger batch.
        stop: &|| asked.fetch_add(1, Ordering::Relaxed) >= 80,
        events: &|event| _ = finished.fetch_add(u32::from(matches!(event, Event::JobFinished { .. })), Ordering::Relaxed),
    })
    .unwrap();
    let done = Results::read(store, run.experiment.seats, Lot::all(&run.id)).unwrap().pairs();
    assert_eq!(u64::from(finished.into_inner()), done);
    assert!((1..20).contains(&done), "{done}");
    // With leases of an hour, all that is left can only be had because it was given back.
    let left = all_leased(queue.as_ref(), "next", 200 - done as usize);
    assert_eq!(left.iter().map(|job| &job.id).collect::<HashSet<_>>().len(), left.len());
    assert!(matches!(queue.lease(&worker("other"), 1).unwrap(), Lease::Wait(_)));
}

#[test]
fn a_run_that_is_removed_while_it_is_played_is_an_error_in_words() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("tictactoe", &["random", "mcts:sims=10"], 2).run();
    play(&store, &run, 1);
    let pair = games(&store, &run);
    assert!(store.remove(&run.id).unwrap());
    assert!(games(&store, &run).is_empty() && store.runs().unwrap().is_empty());
    let error = store.keep(&run.id, &[pair]).unwrap_err().to_string();
    assert_eq!(error, format!("run {} was removed while it was played", run.id));
    assert!(!store.remove(&run.id).unwrap());
}
