//! Results that are taken back: the store stays whole, and their jobs are played again.

use plyground_match::{
    GameRow, Job, RefusedResults, ResultSink as _, Results, Run, RunPrefix, Store, refused_in_words, results_json,
};
use rusqlite::Connection;

use crate::common::{Directory, all_jobs, experiment, games, play};

const PAIRS: u64 = 6;

fn small_run() -> Run {
    experiment("tictactoe", &["random", "mcts:sims=5"], 2).run()
}

/// The games of every job, as one computer plays them.
fn played(run: &Run) -> Vec<(Job, Vec<GameRow>)> {
    let directory = Directory::new();
    let store = directory.store();
    play(&store, run, PAIRS);
    let mut rows = Vec::new();
    store.games(RunPrefix::all(&run.id), |game| rows.push(game)).unwrap();
    let of_job = |job: Job| {
        let games = rows.iter().filter(|row| row.job == job.id).cloned().collect();
        (job, games)
    };
    all_jobs(run, PAIRS).into_iter().map(of_job).collect()
}

/// A store whose results come from two workers in turn, beginning with `one`.
fn sent_by_two(directory: &Directory, run: &Run) -> Store {
    let store = directory.store();
    store.begin(run, "ply match", "a machine").unwrap();
    store.request(&all_jobs(run, PAIRS)).unwrap();
    for (number, (_, games)) in played(run).into_iter().enumerate() {
        assert_eq!(store.keep_sent(&run.id, &[games], &[["one", "other"][number % 2]]).unwrap(), [true]);
    }
    store
}

#[test]
fn after_results_were_taken_back_the_store_is_whole_and_their_jobs_are_played_again() {
    let (run, directory) = (small_run(), Directory::new());
    let store = sent_by_two(&directory, &run);
    let before = games(&store, &run);
    let ids: Vec<String> = all_jobs(&run, PAIRS).into_iter().map(|job| job.id).collect();
    store.retract(ids[1..4].iter().map(String::as_str)).unwrap();
    let check = store.check().unwrap();
    assert!(check.is_intact(), "{check:?}");
    assert_eq!((check.jobs, check.games), (PAIRS, 2 * (PAIRS - 3)));
    let open: Vec<String> = store.open_jobs(RunPrefix::all(&run.id)).unwrap().into_iter().map(|job| job.id).collect();
    assert_eq!(open, ids[1..4]);
    assert_eq!(store.done(RunPrefix::all(&run.id)).unwrap(), PAIRS - 3);
    play(&store, &run, PAIRS);
    assert_eq!(games(&store, &run), before);
    drop(store);
    let store = directory.store();
    assert!(store.check().unwrap().is_intact() && store.damage().is_empty());
}

#[test]
fn the_store_knows_which_worker_has_sent_what_also_when_it_is_opened_again() {
    let (run, directory) = (small_run(), Directory::new());
    drop(sent_by_two(&directory, &run));
    let store = directory.store();
    let mut senders = store.senders(&run.id).unwrap();
    senders.sort();
    assert_eq!(senders, ["one", "other"]);
    let sent = store.jobs_sent_by(&run.id, "one").unwrap();
    assert_eq!(sent, all_jobs(&run, PAIRS).into_iter().step_by(2).collect::<Vec<_>>());
    // The first result counts, whoever sends another one.
    let late: Vec<Vec<GameRow>> = played(&run).into_iter().map(|(_, games)| games).collect();
    assert_eq!(store.keep_sent(&run.id, &late, &["late"; PAIRS as usize]).unwrap(), [false; PAIRS as usize]);
    store.retract(sent.iter().map(|job| job.id.as_str())).unwrap();
    assert!(store.jobs_sent_by(&run.id, "one").unwrap().is_empty() && store.jobs_sent_by(&run.id, "late").unwrap().is_empty());
    // Played here, they were sent by no worker.
    let again: Vec<Vec<GameRow>> = late.into_iter().step_by(2).collect();
    assert!(store.keep(&run.id, &again).unwrap().into_iter().all(|new| new));
    assert_eq!(store.senders(&run.id).unwrap(), ["other"]);
    assert!(store.check().unwrap().is_intact());
    // A name that was changed in the file does not go unnoticed.
    Connection::open(directory.0.join("runs.sqlite"))
        .unwrap()
        .execute("UPDATE jobs SET sender = 'me' WHERE pair = 1", [])
        .unwrap();
    assert!(!store.check().unwrap().is_intact());
}

#[test]
fn refused_results_are_in_every_report_of_the_run() {
    let (run, directory) = (small_run(), Directory::new());
    play(&directory.store(), &run, 1);
    let sender = |worker: &str, results, banned| RefusedResults {
        worker: worker.to_owned(),
        results,
        reason: "moves: expected moves that the rules allow, found z9z9".to_owned(),
        banned,
    };
    let store = directory.store();
    let read = |store: &Store| Results::read(store, run.experiment.seats, RunPrefix::all(&run.id)).unwrap();
    assert!(read(&store).refused().is_empty() && results_json(&run, &read(&store)).get("refused").is_none());
    store.note_refused(&run.id, &[sender("liar", 2, false), sender("other", 1, false)]).unwrap();
    store.note_refused(&run.id, &[sender("liar", 7, true)]).unwrap();
    drop(store);
    let store = directory.store();
    let results = read(&store);
    assert_eq!(results.refused(), [sender("liar", 7, true), sender("other", 1, false)]);
    let page = &results_json(&run, &results)["refused"];
    assert_eq!((&page["results"], &page["senders"]), (&8.into(), &2.into()));
    assert_eq!((&page["most"][0]["worker"], &page["most"][0]["banned"]), (&"liar".into(), &true.into()));
    assert!(refused_in_words(results.refused()).unwrap().contains("7 from liar (banned"));
    let file = directory.0.join("runs.sqlite");
    Connection::open(&file).unwrap().execute("UPDATE refusals SET results = 0 WHERE worker = 'liar'", []).unwrap();
    assert!(read(&store).refused().iter().any(|refused| refused.reason.contains("damaged")));
    // They go with their run.
    assert!(store.remove(&run.id).unwrap());
    assert!(store.refused(&run.id).unwrap().is_empty());
}
