//! Conducting a run: what is told of it, and that it goes on wherever it was stopped.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use plyground_core::NoResources;
use plyground_match::{Event, Format, News, Run, RunDriver, Store, Threads};

use crate::common::{Directory, experiment, games, play};

/// Conducts a run until `stop` says so.
fn conducted<T>(
    store: &Store,
    run: &Run,
    stop: &(dyn Fn() -> bool + Sync),
    listen: &(dyn Fn(&News<'_>) + Sync),
    act: impl FnOnce(&RunDriver<'_>) -> T,
) -> T {
    act(&RunDriver { store, run, shelf: &NoResources, crew: &Threads(2), command: "ply test", stop, enough: &|_| false, listen })
}

#[test]
fn whoever_listens_can_follow_every_game_with_its_chances() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("tuc-chess:limit=30", &["random", "mc:playouts=1"], 2).run();
    let heard = Mutex::new(HashMap::new());
    let (over, progress) = (Mutex::new(HashMap::new()), Mutex::new(Vec::new()));
    let listen = |news: &News<'_>| match news {
        News::Event(Event::GameStarted { job, game, .. }) => {
            heard.lock().unwrap().insert((job.id.clone(), *game), job.opening.clone());
        }
        News::Event(Event::MoveMade { job, game, player, played }) => {
            assert_eq!(player.is_none(), played.chance);
            heard.lock().unwrap().get_mut(&(job.id.clone(), *game)).unwrap().push(played.text.clone());
        }
        News::Event(Event::GameOver { job, game, played }) => {
            assert!(over.lock().unwrap().insert((job.id.clone(), *game), played.outcome).is_none());
        }
        News::Event(Event::JobFinished { .. }) => {}
        News::Begun { results, wanted } | News::Progress { results, wanted } => {
            progress.lock().unwrap().push((results.jobs(), *wanted));
        }
        News::Ended { results, complete } => assert_eq!((results.jobs(), *complete), (3, true)),
    };
    conducted(&store, &run, &|| false, &listen, |conduct| conduct.play_format(3)).unwrap();
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
            let over = AtomicU64::new(0);
            let listen = |news: &News<'_>| match news {
                News::Begun { results, .. } => over.store(results.games(), Ordering::Relaxed),
                News::Event(Event::GameOver { .. }) => drop(over.fetch_add(1, Ordering::Relaxed)),
                _ => {}
            };
            let stop = || over.load(Ordering::Relaxed) / 2 >= most;
            let act = |conduct: &RunDriver<'_>| if most == 2 { conduct.play_format(4) } else { conduct.resume() };
            let (found, complete) = conducted(&store, &run, &stop, &listen, act).unwrap();
            let row = store.find(&run.id).unwrap();
            assert_eq!((row.is_complete(&found), complete), (most == u64::MAX, most == u64::MAX), "{format:?} {most}");
            results = Some(found);
        }
        let whole = conducted(&straight.store(), &run, &|| false, &|_| {}, |conduct| conduct.play_format(4)).unwrap().0;
        assert_eq!(games(&store, &run), games(&straight.store(), &run));
        assert_eq!(results.unwrap().games(), whole.games());
        // A run that is done is not played again.
        conducted(&store, &run, &|| false, &|_| {}, |conduct| conduct.resume()).unwrap();
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
    assert!(!row.is_complete(&results));
}
