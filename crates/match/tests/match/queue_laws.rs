//! The laws of a queue. A test crate that includes this file has a module `place` with the queue that they are tried on.

use std::collections::HashSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use plyground_core::{CancelToken, NoResources};
use plyground_match::{
    AgentFactory, Job, Lease, Queue, Results, Run, RunContext, RunEvent, RunPrefix, Worker, WorkerConfig, work,
};

use crate::common::{Directory, experiment, games, play};
use crate::place::Place;

pub fn small_run() -> Run {
    experiment("tictactoe", &["random", "mcts:sims=10"], 2).run()
}

pub fn worker(name: &str) -> Worker {
    Worker(name.to_owned())
}

/// The jobs that a worker gets who asks for so many. On a network, what was given back a moment ago may take another one.
pub fn leased(queue: &dyn Queue, name: &str, most: usize) -> Vec<Job> {
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
pub fn all_leased(queue: &dyn Queue, name: &str, wanted: usize) -> Vec<Job> {
    let mut jobs = Vec::new();
    while jobs.len() < wanted {
        jobs.extend(leased(queue, name, wanted - jobs.len()));
    }
    jobs
}

pub fn sorted(jobs: Vec<Job>) -> Vec<u64> {
    let mut pairs: Vec<u64> = jobs.into_iter().map(|job| job.pair).collect();
    pairs.sort_unstable();
    pairs
}

pub const LONG: Duration = Duration::from_hours(1);
/// Nothing here takes as long as this.
const PATIENCE: Duration = Duration::from_mins(1);

pub fn a_job_is_there_once_and_comes_out_as_it_went_in() {
    let Some(place) = Place::new(LONG, small_run(), 6) else { return };
    let queue = place.queue(&place.store);
    assert_eq!(queue.push(&place.jobs).unwrap(), 0);
    let mut found = all_leased(queue.as_ref(), "a", 6);
    found.sort_by_key(|job| job.pair);
    assert_eq!(found, place.jobs);
    assert_eq!(place.jobs.iter().map(|job| &job.id).collect::<HashSet<_>>().len(), 6);
    assert!(matches!(queue.lease(&worker("b"), 100).unwrap(), Lease::Wait(_)), "and no more than that");
}

pub fn what_one_has_no_other_gets_until_it_is_released_or_finished() {
    let Some(place) = Place::new(LONG, small_run(), 6) else { return };
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

pub fn a_lease_that_is_not_extended_comes_back_and_one_that_is_extended_does_not() {
    let Some(place) = Place::new(Duration::from_secs(3), small_run(), 6) else { return };
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

pub fn two_that_work_on_a_run_share_it() {
    let run = experiment("clobber:size=4x4", &["random", "mcts:sims=50"], 2).run();
    let Some(place) = Place::new(LONG, run.clone(), 60) else { return };
    let (one, other) = (&place.store, place.directory.store().with_lease(LONG));
    let counts = [AtomicU32::new(0), AtomicU32::new(0)];
    // Both wait for each other after their first pair, so that neither does everything before the other has begun.
    let both_have_begun = Barrier::new(2);
    std::thread::scope(|scope| {
        for (store, count) in [one, &other].into_iter().zip(&counts) {
            let (place, run, both_have_begun) = (&place, &run, &both_have_begun);
            scope.spawn(move || {
                work(&WorkerConfig {
                    sink: store,
                    queue: place.queue(store).as_ref(),
                    runs: &RunContext { run, players: &AgentFactory::new(&NoResources), clock_speed: 1.0 },
                    threads: 1,
                    cancel: &CancelToken::new(),
                    events: &|event| {
                        if matches!(event, RunEvent::JobFinished { .. }) && count.fetch_add(1, Ordering::Relaxed) == 0 {
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

pub fn a_worker_that_is_told_to_stop_gives_back_what_is_not_played() {
    let Some(place) = Place::new(LONG, small_run(), 200) else { return };
    let (store, run) = (&place.store, &place.run);
    let queue = place.queue(store);
    let (moves, finished, cancel) = (AtomicU32::new(0), AtomicU32::new(0), CancelToken::new());
    work(&WorkerConfig {
        sink: store,
        queue: queue.as_ref(),
        runs: &RunContext { run, players: &AgentFactory::new(&NoResources), clock_speed: 1.0 },
        threads: 1,
        cancel: &cancel,
        events: &|event| match event {
            // At the fortieth move the first pair is finished, and the worker is at one of a larger batch.
            RunEvent::MoveMade { .. } if moves.fetch_add(1, Ordering::Relaxed) == 39 => cancel.cancel(),
            RunEvent::JobFinished { .. } => _ = finished.fetch_add(1, Ordering::Relaxed),
            _ => {}
        },
    })
    .unwrap();
    let done = Results::read(store, run.experiment.seats, RunPrefix::all(&run.id)).unwrap().pairs();
    assert_eq!(u64::from(finished.into_inner()), done);
    assert!((1..20).contains(&done), "{done}");
    // With leases of an hour, all that is left can only be had because it was given back.
    let left = all_leased(queue.as_ref(), "next", 200 - done as usize);
    assert_eq!(left.iter().map(|job| &job.id).collect::<HashSet<_>>().len(), left.len());
    assert!(matches!(queue.lease(&worker("other"), 1).unwrap(), Lease::Wait(_)));
}
