//! Files that are no store of ours are refused and left alone; many may open a store at once.

use std::fs;
use std::path::Path;

use plyground_match::Store;
use rusqlite::Connection;

use crate::common::{Directory, experiment, games, play};

/// Opening fails with these words, and leaves the directory as it was.
fn refused(directory: &Directory, words: &str) {
    let file = directory.0.join("runs.sqlite");
    let files = || {
        let mut files: Vec<_> = fs::read_dir(&directory.0).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect::<Vec<_>>()
    };
    let before = files();
    let message = match Store::open(&file) {
        Err(error) => error.to_string(),
        // Damage inside is found where it is read.
        Ok(store) => store.runs().expect_err("the file is no good").to_string(),
    };
    assert!(message.contains(words) && message.contains("runs.sqlite"), "{message}");
    assert_eq!(before, files(), "{message}");
}

fn foreign(statements: &str) -> Directory {
    let directory = Directory::new();
    let connection = Connection::open(directory.0.join("runs.sqlite")).unwrap();
    connection.execute_batch(statements).unwrap();
    directory
}

/// A store with a run in it, closed.
fn filled() -> Directory {
    let directory = Directory::new();
    play(&directory.store(), &experiment("tictactoe", &["random", "mcts:sims=10"], 2).run(), 20);
    directory
}

fn damage(directory: &Directory, change: impl FnOnce(&mut Vec<u8>)) {
    let file = directory.0.join("runs.sqlite");
    let mut bytes = fs::read(&file).unwrap();
    change(&mut bytes);
    fs::write(file, bytes).unwrap();
}

#[test]
fn what_is_no_database_is_refused() {
    for bytes in [&b"hello"[..], &[0; 5000], b"SQLite format 3\0 and no more"] {
        let directory = Directory::new();
        fs::write(directory.0.join("runs.sqlite"), bytes).unwrap();
        refused(&directory, "expected a store of ply (SQLite), found something else");
    }
}

#[test]
fn databases_of_others_are_refused_in_any_mode() {
    for mode in ["DELETE", "WAL"] {
        let directory = foreign(&format!("PRAGMA journal_mode = {mode}; CREATE TABLE runs (id TEXT)"));
        refused(&directory, "found a database of another program");
    }
}

#[test]
fn a_newer_store_is_refused() {
    let directory = filled();
    damage(&directory, |bytes| bytes[60..64].copy_from_slice(&3_i32.to_be_bytes()));
    refused(&directory, "expected a store of version 2, found version 3");
}

#[test]
fn a_damaged_store_is_refused() {
    let cut = filled();
    damage(&cut, |bytes| bytes.truncate(4096 + 100));
    refused(&cut, "the store is damaged");
    let spoilt = filled();
    damage(&spoilt, |bytes| bytes[100..].fill(0x55));
    refused(&spoilt, "the store is damaged");
}

#[test]
fn a_directory_in_its_place_is_refused() {
    let directory = Directory::new();
    fs::create_dir(directory.0.join("runs.sqlite")).unwrap();
    let error = Store::open(&directory.0.join("runs.sqlite")).err().unwrap().to_string();
    assert!(error.contains("it cannot be read"), "{error}");
}

#[test]
fn an_empty_file_becomes_a_store_and_a_closed_store_is_one_file() {
    let directory = Directory::new();
    let file = directory.0.join("runs.sqlite");
    fs::write(&file, "").unwrap();
    let run = experiment("tictactoe", &["random", "mcts:sims=10"], 2).run();
    play(&directory.store(), &run, 2);
    let names: Vec<_> = fs::read_dir(&directory.0).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(names, [file.as_path()]);
    assert_eq!(games(&directory.store(), &run).len(), 4);
    assert!(Store::open(Path::new("/dev/null/runs.sqlite")).is_err());
}

#[test]
fn a_store_is_opened_by_many_at_once() {
    for _ in 0..20 {
        let directory = Directory::new();
        let file = directory.0.join("runs.sqlite");
        let all_here = std::sync::Barrier::new(8);
        let open = || {
            all_here.wait();
            Store::open(&file).map(drop)
        };
        let opened = std::thread::scope(|scope| [(); 8].map(|()| scope.spawn(open)).map(|thread| thread.join().unwrap()));
        assert!(opened.iter().all(Result::is_ok), "{opened:?}");
    }
}
