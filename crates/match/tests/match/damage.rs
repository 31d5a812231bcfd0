//! Damage in a store is noticed: nothing that is read from it is silently another result.

use std::collections::BTreeMap;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use plyground_core::{NoResources, Seed};
use plyground_match::{
    AgentFactory, RefusedResults, Results, Run, RunDriver, RunError, RunPrefix, Store, Threads, csv, results_json,
};
use rusqlite::Connection;

use crate::common::{Directory, all_jobs, experiment, games, play};

const PAIRS: u64 = 12;

fn small_run() -> Run {
    experiment("tictactoe", &["random", "mcts:sims=5"], 2).run()
}

/// A closed store with a run, and its file.
fn filled() -> (Directory, PathBuf, Run) {
    let directory = Directory::new();
    let run = small_run();
    play(&directory.store(), &run, PAIRS);
    let file = directory.0.join("runs.sqlite");
    (directory, file, run)
}

/// Everything that can be read from a store: the list of runs, the tables and the games of each.
fn everything(store: &Store) -> Result<String, RunError> {
    let mut text = String::new();
    for row in store.runs()? {
        text += &format!("{row:?}\n");
        let results = Results::read(store, row.run.experiment.seats, RunPrefix::all(&row.run.id))?;
        text += &results_json(&row.run, &results).to_string();
        text += &csv(store, &row.run)?;
    }
    Ok(text)
}

/// Goes on with a run until it has all its pairs; its games without their times.
fn gone_on(store: &Store, run: &Run) -> Result<Vec<String>, RunError> {
    let (executor, players) = (Threads(1), AgentFactory::of_run(&NoResources, run));
    let (_, complete) = RunDriver::new(store, run, &executor, &players).play_format(PAIRS)?;
    assert!(complete, "all pairs are played: {:?} {:?}", store.damage(), store.check());
    let mut lines = Vec::new();
    store.games(RunPrefix::all(&run.id), |game| {
        let moves: Vec<&str> = game.moves.iter().map(|played| played.text.as_str()).collect();
        lines.push(format!("{} {} {:?} {:?} {moves:?}", game.job, game.game, game.agents, game.outcome));
    })?;
    Ok(lines)
}

/// The statement is run on the file behind the back of the store.
fn spoil(file: &Path, statement: &str) {
    assert!(Connection::open(file).unwrap().execute(statement, []).unwrap() > 0, "{statement}");
}

#[test]
fn of_a_thousand_flipped_bits_none_gives_silently_another_result() {
    let (_kept, file, run) = filled();
    let bytes = fs::read(&file).unwrap();
    let expected = everything(&Store::open(&file).unwrap()).unwrap();
    let games = gone_on(&Store::open(&file).unwrap(), &run).unwrap();
    let place = Directory::new();
    let copy = place.0.join("runs.sqlite");
    let mut rng = Seed(17).rng();
    let mut found: BTreeMap<&str, u32> = BTreeMap::new();
    for number in 0..1_000 {
        let bit = rng.below(bytes.len() as u32 * 8);
        let mut damaged = bytes.clone();
        damaged[bit as usize / 8] ^= 1 << (bit % 8);
        for ending in ["", "-wal", "-shm", "-journal"] {
            let _ = fs::remove_file(place.0.join(format!("runs.sqlite{ending}")));
        }
        fs::write(&copy, damaged).unwrap();
        let read = catch_unwind(|| {
            let store = Store::open(&copy)?;
            let text = everything(&store)?;
            Ok::<_, RunError>((text, !store.damage().is_empty()))
        });
        let what = match read.unwrap_or_else(|_| panic!("bit {bit} (number {number}): a panic")) {
            Err(_) => "refused",
            Ok((_, true)) => "reported",
            Ok((text, false)) if text == expected => "the same",
            Ok((text, false)) => panic!("bit {bit} (number {number}): silently another result\n{expected}\n{text}"),
        };
        *found.entry(what).or_default() += 1;
        // Gone on with, it ends with the same games, or says why it cannot.
        if number % 4 == 0 {
            let on = catch_unwind(|| gone_on(&Store::open(&copy)?, &run));
            if let Ok(on) = on.unwrap_or_else(|_| panic!("bit {bit} (number {number}): a panic when it goes on")) {
                assert_eq!(on, games, "bit {bit} (number {number}): other games when it goes on");
            }
        }
    }
    assert!(found.len() == 3, "{found:?}");
}

#[test]
fn a_damaged_game_does_not_count_and_its_job_is_played_again() {
    for (statement, words) in [
        ("UPDATE games SET result = 'drax' WHERE pair = 3 AND game = 1", "a game does not have its checksum"),
        ("UPDATE games SET moves = moves || ' a1' WHERE pair = 0", "a game does not have its checksum"),
        ("UPDATE games SET first = 999, second = 1000 WHERE pair = 5", "a game does not have its checksum"),
        ("UPDATE games SET checksum = NULL WHERE pair = 5", "a game does not have its checksum"),
        ("DELETE FROM games WHERE pair = 4 AND game = 0", "expected 2 games, found 1"),
        ("DELETE FROM games WHERE pair = 4", "expected its games, since it is done, found none"),
    ] {
        let (_directory, file, run) = filled();
        let before = gone_on(&Store::open(&file).unwrap(), &run).unwrap();
        spoil(&file, statement);
        let store = Store::open(&file).unwrap();
        let results = Results::read(&store, run.experiment.seats, RunPrefix::all(&run.id)).unwrap();
        assert_eq!((results.pairs(), results.games()), (PAIRS - 1, 2 * (PAIRS - 1)), "{statement}");
        let told: Vec<String> = store.damage().iter().map(ToString::to_string).collect();
        assert!(told.len() == 1 && told[0].contains(words) && told[0].contains(&run.id), "{statement}: {told:?}");
        assert_eq!(results_json(&run, &results)["damage"][0], told[0]);
        assert_eq!(gone_on(&store, &run).unwrap(), before, "{statement}");
        assert!(Store::open(&file).unwrap().check().unwrap().is_intact(), "{statement}");
    }
}

#[test]
fn damaged_jobs_and_runs_are_made_anew_when_the_run_goes_on() {
    for statement in [
        "UPDATE jobs SET opening = 'a1' WHERE pair = 3",
        "UPDATE jobs SET first = 7 WHERE pair = 3",
        "UPDATE jobs SET done = 0 WHERE pair = 3",
        "UPDATE runs SET settings = replace(settings, 'mcts', 'mctz')",
        "UPDATE runs SET begun = 7",
        "UPDATE runs SET requested = 3",
    ] {
        let (_directory, file, run) = filled();
        let before = gone_on(&Store::open(&file).unwrap(), &run).unwrap();
        spoil(&file, statement);
        let check = Store::open(&file).unwrap().check().unwrap();
        assert!(!check.is_intact(), "{statement}");
        let store = Store::open(&file).unwrap();
        assert_eq!(gone_on(&store, &run).unwrap(), before, "{statement}");
        assert!(!store.damage().is_empty(), "{statement}");
        let check = Store::open(&file).unwrap().check().unwrap();
        assert!(check.is_intact(), "{statement}: {check:?}");
    }
}

#[test]
fn tables_that_are_described_wrongly_are_refused_when_the_store_is_opened() {
    for (table, column) in [("runs", "requested"), ("games", "reason"), ("jobs", "opening")] {
        let (_directory, file, _) = filled();
        let change = format!("UPDATE sqlite_schema SET sql = replace(sql, '{column}', 'drax') WHERE name = '{table}'");
        Connection::open(&file).unwrap().execute_batch(&format!("PRAGMA writable_schema = ON; {change}")).unwrap();
        let refused = Store::open(&file).map(drop).unwrap_err().to_string();
        assert!(refused.contains("the store is damaged; nothing in it was changed") && refused.contains(column), "{refused}");
    }
}

/// Changes what a table refers to.
fn misdirect(file: &Path, table: &str, other: &str) {
    let change = format!("UPDATE sqlite_schema SET sql = replace(sql, 'runs (id)', '{other}') WHERE name = '{table}'");
    Connection::open(file).unwrap().execute_batch(&format!("PRAGMA writable_schema = ON; {change}")).unwrap();
}

#[test]
fn tables_that_refer_to_others_than_they_should_are_told_and_those_of_notes_removed() {
    for (table, other) in [("jobs", "runs (ie)"), ("games", "ruls (id)")] {
        let (_directory, file, _) = filled();
        misdirect(&file, table, other);
        let check = Store::open(&file).unwrap().check().unwrap();
        let expected = format!("expected the table {table} to refer to runs (id), found {other}");
        assert_eq!(check.structure, [expected], "nothing can be written to it");
    }
    let sender = RefusedResults { worker: "liar".to_owned(), results: 3, reason: "made up".to_owned(), banned: true };
    for table in ["refusals", "failures"] {
        let (_directory, file, run) = filled();
        let store = Store::open(&file).unwrap();
        let job = all_jobs(&run, 1).remove(0);
        let note = |store: &Store| {
            store.note_refused(&run.id, std::slice::from_ref(&sender)).and_then(|()| store.give_up(&job, "it failed"))
        };
        note(&store).unwrap();
        drop(store);
        misdirect(&file, table, "ruls (id)");
        let store = Store::open(&file).unwrap();
        assert!(note(&store).is_err());
        assert!(store.check().unwrap().structure[0].contains("found ruls (id)"));
        assert!(store.repair().unwrap().is_intact(), "{table}");
        note(&store).unwrap();
    }
}

#[test]
fn notes_of_refused_results_that_are_described_wrongly_are_told_and_removed() {
    let (_directory, file, run) = filled();
    let sender = RefusedResults { worker: "liar".to_owned(), results: 3, reason: "made up".to_owned(), banned: true };
    let before = everything(&Store::open(&file).unwrap()).unwrap();
    Store::open(&file).unwrap().note_refused(&run.id, std::slice::from_ref(&sender)).unwrap();
    let change = "UPDATE sqlite_schema SET sql = replace(sql, 'reason', 'season') WHERE name = 'refusals'";
    Connection::open(&file).unwrap().execute_batch(&format!("PRAGMA writable_schema = ON; {change}")).unwrap();
    let store = Store::open(&file).unwrap();
    let unread = "the notes of refused results cannot be read";
    assert!(everything(&store).unwrap().contains(unread), "runs are read without the notes");
    let noted = store.refused(&run.id).unwrap();
    assert!(noted.len() == 1 && noted[0].reason.contains(unread) && !noted[0].banned, "{noted:?}");
    let refused = store.note_refused(&run.id, std::slice::from_ref(&sender)).unwrap_err().to_string();
    assert!(refused.contains(unread) && refused.contains("ply runs check"), "{refused}");
    let check = store.check().unwrap();
    assert!(check.structure.len() == 1 && check.structure[0].contains("notes of refused results"), "{check:?}");
    assert!(store.repair().unwrap().is_intact());
    assert_eq!(everything(&store).unwrap(), before, "the games are all there");
    assert_eq!(store.refused(&run.id).unwrap(), []);
    store.note_refused(&run.id, std::slice::from_ref(&sender)).unwrap();
    assert_eq!(store.refused(&run.id).unwrap(), [sender]);
}

#[test]
fn a_job_that_was_changed_is_not_played() {
    let (_directory, file, run) = filled();
    spoil(&file, "DELETE FROM games WHERE pair = 3");
    spoil(&file, "UPDATE jobs SET done = 0, first = 1, second = 0 WHERE pair = 3");
    let store = Store::open(&file).unwrap();
    assert!(store.open_jobs(RunPrefix::all(&run.id)).unwrap().is_empty());
    assert_eq!(gone_on(&store, &run).unwrap().len() as u64, 2 * PAIRS);
}

#[test]
fn what_an_earlier_program_believed_is_checked_when_it_is_read() {
    let (_directory, file, run) = filled();
    make_old(&file);
    spoil(&file, "UPDATE games SET first = 999, second = 1000 WHERE pair = 5");
    spoil(&file, "UPDATE games SET result = 'third' WHERE pair = 6 AND game = 0");
    spoil(&file, "UPDATE games SET opening = 77 WHERE pair = 7 AND game = 0");
    let store = Store::open(&file).unwrap();
    let text = everything(&store).unwrap();
    assert!(!text.contains(",third,"), "{text}");
    let told: Vec<String> = store.damage().iter().map(ToString::to_string).collect();
    for words in ["expected agents by numbers below 2, found 999", "expected first, second or draw", "an opening of 77"] {
        assert!(told.iter().any(|line| line.contains(words)), "{words}: {told:?}");
    }
    assert_eq!(gone_on(&store, &run).unwrap().len() as u64, 2 * PAIRS);
}

#[test]
fn a_repair_removes_what_is_damaged_and_leaves_the_rest() {
    let (_directory, file, run) = filled();
    let store = Store::open(&file).unwrap();
    let whole = store.check().unwrap();
    assert!(whole.is_intact());
    assert_eq!((whole.runs, whole.jobs, whole.games), (1, PAIRS, 2 * PAIRS));
    spoil(&file, "UPDATE games SET reason = 'luck' WHERE pair = 2 AND game = 1");
    spoil(&file, "UPDATE jobs SET pair = 70 WHERE pair = 8");
    let found = store.check().unwrap();
    assert!(found.damage.len() >= 2 && found.games < 2 * PAIRS, "{found:?}");
    let left = store.repair().unwrap();
    assert!(left.is_intact(), "{left:?}");
    assert_eq!(store.check().unwrap(), left);
    assert_eq!(gone_on(&store, &run).unwrap().len() as u64, 2 * PAIRS);
}

/// Takes from a store what version 2 has added.
fn make_old(file: &Path) {
    let connection = Connection::open(file).unwrap();
    let statements = "ALTER TABLE runs DROP COLUMN checksum; ALTER TABLE runs DROP COLUMN requested;
        ALTER TABLE jobs DROP COLUMN checksum; ALTER TABLE jobs DROP COLUMN sender;
        ALTER TABLE games DROP COLUMN checksum; PRAGMA user_version = 1";
    connection.execute_batch(statements).unwrap();
    // A process that was killed after its games were kept, and before its job was noted as done.
    assert_eq!(connection.execute("UPDATE jobs SET done = 0 WHERE pair = 1", []).unwrap(), 1);
}

#[test]
fn an_old_store_keeps_its_runs_and_gets_checksums() {
    let (_directory, file, run) = filled();
    let (list, before) = {
        let store = Store::open(&file).unwrap();
        (store.runs().unwrap(), games(&store, &run))
    };
    make_old(&file);
    for _ in 0..2 {
        let store = Store::open(&file).unwrap();
        assert_eq!(store.runs().unwrap(), list);
        assert_eq!(games(&store, &run), before);
        assert!(store.damage().is_empty(), "{:?}", store.damage());
        assert!(store.check().unwrap().is_intact());
    }
    let without: i64 = Connection::open(&file)
        .unwrap()
        .query_row("SELECT count(*) FROM games WHERE checksum IS NULL", [], |row| row.get(0))
        .unwrap();
    assert_eq!(without, 0);
}
