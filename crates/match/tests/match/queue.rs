//! The queue of a computer that works alone: the laws of all queues, and its own.

use std::time::Duration;

use plyground_match::{Lease, Queue, ResultSink, RunPrefix};
use rusqlite::Connection;

use crate::common::{Directory, experiment, games, play};
use crate::place::Place;
use crate::queue_laws::{self as laws, LONG, leased, small_run, sorted, worker};

macro_rules! laws {
    ($($law:ident)*) => {
        $(#[test]
        fn $law() {
            laws::$law();
        })*
    };
}

laws! {
    a_job_is_there_once_and_comes_out_as_it_went_in
    what_one_has_no_other_gets_until_it_is_released_or_finished
    a_lease_that_is_not_extended_comes_back_and_one_that_is_extended_does_not
    two_that_work_on_a_run_share_it
    a_worker_that_is_told_to_stop_gives_back_what_is_not_played
}

#[test]
fn a_lot_is_the_first_pairs_of_a_run_and_no_more() {
    let place = Place::new(LONG, small_run(), 6).unwrap();
    let (store, run, jobs) = (&place.store, &place.run, &place.jobs);
    let lot = RunPrefix { run: &run.id, pairs: 2 };
    assert_eq!(store.requested(lot).unwrap(), 2);
    assert_eq!(sorted(leased(&store.queue(lot), "a", 100)), [0, 1]);
    store.queue(lot).finish(&jobs[..2]).unwrap();
    assert_eq!(store.queue(lot).lease(&worker("a"), 1).unwrap(), Lease::Done);
    assert_eq!(sorted(leased(&store.queue(RunPrefix::all(&run.id)), "a", 100)), [2, 3, 4, 5]);
}

#[test]
fn a_lease_of_a_clock_that_was_ahead_is_over() {
    let place = Place::new(Duration::from_secs(5), small_run(), 6).unwrap();
    assert_eq!(leased(&place.store.queue(RunPrefix::all(&place.run.id)), "gone", 4).len(), 4);
    let day = Connection::open(place.directory.0.join("runs.sqlite")).unwrap();
    // The worker was killed, and after that the clock was set right.
    assert_eq!(day.execute("UPDATE jobs SET until = until + 86400000 WHERE worker = 'gone'", []).unwrap(), 4);
    assert_eq!(sorted(leased(&place.store.queue(RunPrefix::all(&place.run.id)), "next", 100)), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_job_that_is_done_twice_counts_once() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("tictactoe", &["random", "mcts:sims=10"], 2).run();
    play(&store, &run, 3);
    let before = games(&store, &run);
    // Another worker did the same, slower, with another result.
    let mut late = before[..2].to_vec();
    for game in &mut late {
        game.reason = "another story".to_owned();
    }
    assert_eq!(store.keep(&run.id, &[late]).unwrap(), [false]);
    assert_eq!(games(&store, &run), before);
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
