//! The driver of a run: what is told of it, and that it goes on wherever it was stopped.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use plyground_core::{CancelToken, NoResources};
use plyground_match::{
    AgentFactory, Format, Results, Run, RunDriver, RunEvent, RunObserver, RunPrefix, Store, Threads, is_complete,
};

use crate::common::{Directory, experiment, games, play};

/// Drives a run until it is cancelled.
fn driven<T>(
    store: &Store,
    run: &Run,
    cancel: &CancelToken,
    observer: &dyn RunObserver,
    act: impl FnOnce(&RunDriver<'_>) -> T,
) -> T {
    let (executor, players) = (Threads(2), AgentFactory::of_run(&NoResources, run));
    act(&RunDriver::new(store, run, &executor, &players).for_command("ply test").cancelled_by(cancel).observed_by(observer))
}

/// Does not listen.
fn deaf(_: &Run, _: &RunEvent<'_>) {}

#[test]
fn an_observer_can_follow_every_game_with_its_chances() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("tuc-chess:limit=30", &["random", "mc:playouts=1"], 2).run();
    let heard = Mutex::new(HashMap::new());
    let (over, progress) = (Mutex::new(HashMap::new()), Mutex::new(Vec::new()));
    let observer = |_: &Run, event: &RunEvent<'_>| match event {
        RunEvent::GameStarted { job, game, .. } => {
            heard.lock().unwrap().insert((job.id.clone(), *game), job.opening.clone());
        }
        RunEvent::MoveMade { job, game, player, played } => {
            assert_eq!(player.is_none(), played.chance);
            heard.lock().unwrap().get_mut(&(job.id.clone(), *game)).unwrap().push(played.text.clone());
        }
        RunEvent::GameEnded { job, game, played } => {
            assert!(over.lock().unwrap().insert((job.id.clone(), *game), played.outcome).is_none());
        }
        RunEvent::JobFinished { .. } => {}
        RunEvent::ResultsRefused { .. } | RunEvent::WorkerBanned { .. } => panic!("no other machine plays"),
        RunEvent::RunStarted { results, wanted, .. } | RunEvent::Progress { results, wanted } => {
            progress.lock().unwrap().push((results.jobs(), *wanted));
        }
        RunEvent::RunEnded { results, complete } => assert_eq!((results.jobs(), *complete), (3, true)),
    };
    driven(&store, &run, &CancelToken::new(), &observer, |driver| driver.play_format(3)).unwrap();
    let kept = games(&store, &run);
    assert_eq!(kept.len(), 6);
    assert!(kept.iter().any(|game| game.movers[game.opening..].contains(&None)), "chance has decided something");
    let (heard, over) = (heard.into_inner().unwrap(), over.into_inner().unwrap());
    for game in kept {
        let moves: Vec<String> = game.moves.iter().map(|played| played.text.clone()).collect();
        let name = (game.job, game.game);
        assert_eq!((&heard[&name], over[&name]), (&moves, game.outcome));
    }
    assert_eq!(progress.into_inner().unwrap(), [(0, 3), (1, 3), (2, 3), (3, 3)]);
}

#[test]
fn a_run_that_lasts_a_time_counts_a_prefix_of_its_pairs_and_goes_on() {
    let (directory, straight) = (Directory::new(), Directory::new());
    let run = experiment("tictactoe", &["random", "mc:playouts=1", "mcts:sims=5"], 2).run();
    let (store, executor, players) = (directory.store(), Threads(3), AgentFactory::of_run(&NoResources, &run));
    let lasting = |time: Duration, most: u64| {
        let enough = move |results: &Results| results.jobs() >= most;
        let driver = RunDriver::new(&store, &run, &executor, &players).for_command("ply test").until(&enough);
        driver.play_for(time).unwrap()
    };
    let other = straight.store();
    let mut before = 0;
    // No test waits for a clock: the first time is over at once, the others end by what was played.
    for (time, most) in [(Duration::ZERO, u64::MAX), (Duration::MAX, 10), (Duration::ZERO, u64::MAX), (Duration::MAX, 3_100)] {
        let (results, pairs) = lasting(time, most);
        assert!(pairs >= before && results.jobs() == 3 * pairs, "{pairs} pairs, {} jobs", results.jobs());
        assert!(time > Duration::ZERO || pairs == before, "{pairs}");
        let (wanted, complete) = driven(&other, &run, &CancelToken::new(), &deaf, |driver| driver.play_format(pairs)).unwrap();
        assert!(complete && wanted.matches().eq(results.matches()), "{pairs} pairs");
        before = pairs;
    }
    assert!(before > 1_000, "{before}");
}

#[test]
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method itself is not general enough in its lifetime")]
fn a_run_that_is_resumed_plays_all_that_was_asked_for_and_is_complete_then() {
    for format in [Format::Gauntlet, Format::swiss(5, Some(3), 4)] {
        let (stopped, straight) = (Directory::new(), Directory::new());
        let agents = ["random", "mcts:sims=2", "mcts:sims=5", "mcts:sims=20", "mc:playouts=3"];
        let mut settings = experiment("tictactoe", &agents, 2);
        settings.format = format;
        let run = settings.run();
        let store = stopped.store();
        let mut results = None;
        for most in [2, 7, 9, u64::MAX] {
            // That jobs are done is told in batches, and too late for this.
            let (over, cancel) = (AtomicU64::new(0), CancelToken::new());
            let observer = |_: &Run, event: &RunEvent<'_>| match event {
                RunEvent::RunStarted { results, .. } => over.store(results.games(), Ordering::Relaxed),
                RunEvent::GameEnded { .. } if over.fetch_add(1, Ordering::Relaxed) / 2 + 1 >= most => cancel.cancel(),
                _ => {}
            };
            let act = |driver: &RunDriver<'_>| if most == 2 { driver.play_format(4) } else { driver.resume() };
            let (found, complete) = driven(&store, &run, &cancel, &observer, act).unwrap();
            let row = store.find(&run.id).unwrap();
            assert_eq!((is_complete(&row, &found), complete), (most == u64::MAX, most == u64::MAX), "{format:?} {most}");
            results = Some(found);
        }
        let whole = driven(&straight.store(), &run, &CancelToken::new(), &deaf, |driver| driver.play_format(4)).unwrap().0;
        assert_eq!(games(&store, &run), games(&straight.store(), &run));
        assert_eq!(results.unwrap().games(), whole.games());
        // A run that is done is not played again.
        driven(&store, &run, &CancelToken::new(), &deaf, |driver| driver.resume()).unwrap();
        assert_eq!(games(&store, &run).len() as u64, whole.games());
    }
}

#[test]
fn a_round_of_a_swiss_tournament_is_not_the_tournament() {
    let directory = Directory::new();
    let mut settings = experiment("tictactoe", &["random", "mcts:sims=2", "mcts:sims=5", "mcts:sims=20"], 2);
    settings.format = Format::swiss(4, Some(2), 3);
    let run = settings.run();
    let results = play(&directory.store(), &run, 3);
    let row = directory.store().find(&run.id).unwrap();
    assert_eq!((row.done, row.pairs), (6, 6));
    assert!(!is_complete(&row, &results));
}

#[test]
fn any_number_of_pairs_can_be_asked_for() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("tictactoe", &["random", "mcts:sims=2"], 0).run();
    // It would take years; enough is known after the first of them.
    let cancel = CancelToken::new();
    let (executor, players) = (Threads(2), AgentFactory::of_run(&NoResources, &run));
    let enough = |results: &Results| results.jobs() > 0;
    let driver = RunDriver::new(&store, &run, &executor, &players).cancelled_by(&cancel).until(&enough);
    let (results, complete) = driver.play_format(1_000_000_000_000_000_000).unwrap();
    assert!(results.jobs() > 0 && !complete);
    assert!(store.requested(RunPrefix::all(&run.id)).unwrap() <= 100_000);
    let refused = driver.request(&[[0, 1]], 1_000_000_000_000_000_000).unwrap_err().to_string();
    assert!(refused.contains("expected at most 10000000 for 1 pairings"), "{refused}");
    let refused = driver.request_format(10_000_001).unwrap_err().to_string();
    assert!(refused.contains("expected at most 10000000 for 1 pairings"), "{refused}");
    let refused = driver.play_format(u64::MAX).unwrap_err().to_string();
    assert!(refused.contains("expected at most 9223372036854775807"), "{refused}");
}

#[test]
fn a_run_in_parts_has_the_games_of_one_that_is_whole() {
    let (whole, parts) = (Directory::new(), Directory::new());
    let run = experiment("tictactoe", &["random", "mc:playouts=1"], 2).run();
    let play =
        |store: &Store, pairs| driven(store, &run, &CancelToken::new(), &deaf, |driver| driver.play_format(pairs)).unwrap();
    for pairs in [3, 4, 30] {
        assert!(play(&parts.store(), pairs).1);
    }
    play(&whole.store(), 30);
    assert_eq!(games(&parts.store(), &run), games(&whole.store(), &run));
}

#[test]
#[cfg(unix)]
fn a_data_directory_that_is_deleted_during_a_run_is_an_error() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("tictactoe", &["random", "mcts:sims=2"], 2).run();
    let observer = |_: &Run, event: &RunEvent<'_>| {
        if matches!(event, RunEvent::GameEnded { .. }) {
            let _ = std::fs::remove_dir_all(&directory.0);
        }
    };
    let played = driven(&store, &run, &CancelToken::new(), &observer, |driver| driver.play_format(20));
    let error = played.expect_err("nothing of it is kept").to_string();
    assert!(error.contains("the store is gone: it was deleted, moved or replaced"), "{error}");
}
