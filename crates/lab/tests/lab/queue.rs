//! The laws of the queue.

use std::collections::HashSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use plyground_core::EmptyShelf;
use plyground_lab::{Event, Job, Lease, Lot, Orders, Queue, Results, Run, Standard, Store, Worker, work};

use crate::common::{Directory, all_jobs, experiment, games, play};

/// A run of six pairs that is asked for and not begun.
fn asked(store: &Store) -> (Run, Vec<Job>) {
    let run = experiment("tictactoe", &["random", "mcts:sims=10"], 2).run();
    let jobs = all_jobs(&run, 6);
    store.begin(&run, "ply match", "a machine").unwrap();
    assert_eq!(store.push(&jobs).unwrap(), 6);
    (run, jobs)
}

fn worker(name: &str) -> Worker {
    Worker(name.to_owned())
}

fn leased(queue: &dyn Queue, lot: Lot<'_>, name: &str, most: usize) -> Vec<Job> {
    match queue.lease(lot, &worker(name), most).unwrap() {
        Lease::Jobs(jobs) => jobs,
        other => panic!("expected jobs, found {other:?}"),
    }
}

fn sorted(jobs: Vec<Job>) -> Vec<u64> {
    let mut pairs: Vec<u64> = jobs.into_iter().map(|job| job.pair).collect();
    pairs.sort_unstable();
    pairs
}

const LONG: Duration = Duration::from_hours(1);

#[test]
fn a_job_is_there_once_and_comes_out_as_it_went_in() {
    let directory = Directory::new();
    let store = directory.store();
    let (run, jobs) = asked(&store);
    assert_eq!(store.push(&jobs).unwrap(), 0);
    let mut found = leased(&store, Lot::all(&run.id), "a", 100);
    found.sort_by_key(|job| job.pair);
    assert_eq!(found, jobs);
    assert_eq!(jobs.iter().map(|job| &job.id).collect::<HashSet<_>>().len(), 6);
}

#[test]
fn what_one_has_no_other_gets_until_it_is_released_or_finished() {
    let directory = Directory::new();
    let store = directory.store().with_lease(LONG);
    let (run, jobs) = asked(&store);
    let lot = Lot::all(&run.id);
    assert_eq!(sorted(leased(&store, lot, "a", 4)), [0, 1, 2, 3]);
    assert_eq!(sorted(leased(&store, lot, "b", 4)), [4, 5]);
    assert!(matches!(store.lease(lot, &worker("c"), 4).unwrap(), Lease::Wait(_)));
    store.finish(&jobs[..2]).unwrap();
    store.release(&worker("a")).unwrap();
    assert_eq!(sorted(leased(&store, lot, "c", 4)), [2, 3], "what is finished does not come back, and b keeps its own");
    store.finish(&jobs).unwrap();
    assert_eq!(store.lease(lot, &worker("c"), 4).unwrap(), Lease::Done);
    store.release(&worker("c")).unwrap();
    assert_eq!(store.push(&jobs).unwrap(), 0);
    assert_eq!(store.lease(lot, &worker("c"), 4).unwrap(), Lease::Done, "finished is final");
}

#[test]
fn a_lease_that_nobody_extends_comes_back_and_one_that_is_extended_does_not() {
    let directory = Directory::new();
    let store = directory.store().with_lease(Duration::ZERO);
    let (run, _) = asked(&store);
    let lot = Lot::all(&run.id);
    assert_eq!(sorted(leased(&store, lot, "gone", 3)), [0, 1, 2]);
    assert_eq!(leased(&store, Lot { run: &run.id, pairs: 4 }, "alive", 1).len(), 1);
    std::thread::sleep(Duration::from_millis(5));
    // From here on leases are long: "alive" extends its own.
    let store = store.with_lease(LONG);
    store.extend(&worker("alive")).unwrap();
    assert_eq!(leased(&store, lot, "next", 100).len(), 5, "all but the one that is extended");
    assert!(matches!(store.lease(lot, &worker("other"), 1).unwrap(), Lease::Wait(_)));
}

#[test]
fn a_lot_is_the_first_pairs_of_a_run_and_no_more() {
    let directory = Directory::new();
    let store = directory.store().with_lease(LONG);
    let (run, jobs) = asked(&store);
    let lot = Lot { run: &run.id, pairs: 2 };
    assert_eq!(store.asked(lot).unwrap(), 2);
    assert_eq!(sorted(leased(&store, lot, "a", 100)), [0, 1]);
    store.finish(&jobs[..2]).unwrap();
    assert_eq!(store.lease(lot, &worker("a"), 1).unwrap(), Lease::Done);
    assert_eq!(sorted(leased(&store, Lot::all(&run.id), "a", 100)), [2, 3, 4, 5]);
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

#[test]
fn two_that_work_on_a_run_share_it() {
    let directory = Directory::new();
    let (one, other) = (directory.store(), directory.store());
    let run = experiment("clobber:size=4x4", &["random", "mcts:sims=50"], 2).run();
    one.begin(&run, "ply match", "a machine").unwrap();
    one.push(&all_jobs(&run, 60)).unwrap();
    let counts = [AtomicU32::new(0), AtomicU32::new(0)];
    // Both wait for each other after their first pair, so that neither does everything before the other has begun.
    let both_have_begun = Barrier::new(2);
    std::thread::scope(|scope| {
        for (store, count) in [&one, &other].into_iter().zip(&counts) {
            let (run, both_have_begun) = (&run, &both_have_begun);
            scope.spawn(move || {
                work(&Orders {
                    store,
                    queue: store,
                    roster: &Standard(&EmptyShelf),
                    run,
                    pairs: 60,
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
    assert_eq!(games(&one, &run).len(), 120);
    let alone = Directory::new();
    let store = alone.store();
    play(&store, &run, 60);
    assert_eq!(games(&store, &run), games(&one, &run), "the same games as one alone");
}

#[test]
fn whoever_is_told_to_stop_gives_back_what_is_not_played() {
    let directory = Directory::new();
    let store = directory.store().with_lease(LONG);
    let run = experiment("tictactoe", &["random", "mcts:sims=10"], 2).run();
    store.begin(&run, "ply match", "a machine").unwrap();
    store.push(&all_jobs(&run, 200)).unwrap();
    let (asked, finished) = (AtomicU32::new(0), AtomicU32::new(0));
    work(&Orders {
        store: &store,
        queue: &store,
        roster: &Standard(&EmptyShelf),
        run: &run,
        pairs: 200,
        threads: 1,
        // Asked before and after each move, so before the fortieth: the first pair is finished then, and the worker is at one of a
        // larger batch.
        stop: &|| asked.fetch_add(1, Ordering::Relaxed) >= 80,
        events: &|event| _ = finished.fetch_add(u32::from(matches!(event, Event::JobFinished { .. })), Ordering::Relaxed),
    })
    .unwrap();
    let done = Results::read(&store, run.experiment.seats, Lot::all(&run.id)).unwrap().pairs();
    assert_eq!(u64::from(finished.into_inner()), done);
    assert!((1..20).contains(&done), "{done}");
    // With leases of an hour, all that is left can only be had because it was given back.
    assert_eq!(leased(&store, Lot::all(&run.id), "next", 1000).len() as u64, 200 - done);
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
