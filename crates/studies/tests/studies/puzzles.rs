//! Puzzles: what is found has one solution, and so have those of the app.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use plyground_core::{GameValue, NoObserver, NoResources, Turn};
use plyground_judge::puzzles::{HARDEST, MOST_MOVES, PuzzleSettings, find, to_text};
use plyground_session::{SolveOrder, open};
use serde_json::Value;

/// The value of a position for the player to move, by a solver that has seen nothing else.
fn value(game: &str, position: &str) -> GameValue {
    let session = open(game, Some(position)).unwrap();
    let order =
        SolveOrder { method: "alphabeta".to_owned(), memory: 16, tablebase: None, regions: None, keep: 0, strategy: false };
    session.solve(&order, &NoResources, &mut NoObserver).unwrap().value().unwrap()
}

/// Plays a line from a position and gives the position at its end, with whether a player is to move there.
fn after(game: &str, position: &str, line: &[&str]) -> (String, Turn) {
    let mut session = open(game, Some(position)).unwrap();
    for text in line {
        session.play(text).unwrap();
    }
    (session.position(), session.turn())
}

/// The moves that keep the most, and what that is.
fn best_moves(game: &str, position: &str) -> (Vec<String>, GameValue) {
    let session = open(game, Some(position)).unwrap();
    let Turn::Player(mover) = session.turn() else { panic!("{position}: no player is to move") };
    let worth = |text: &str| match after(game, position, &[text]) {
        (_, Turn::Over(outcome)) => GameValue::of(outcome, mover),
        (child, Turn::Player(player)) if player == mover => value(game, &child),
        (child, _) => value(game, &child).opposite(),
    };
    let moves: Vec<(String, GameValue)> = session.moves().into_iter().map(|mv| (mv.text.clone(), worth(&mv.text))).collect();
    let best = moves.iter().map(|(_, value)| *value).max().unwrap();
    (moves.into_iter().filter(|(_, value)| *value == best).map(|(text, _)| text).collect(), best)
}

/// Checks that each move of the player is the only one that keeps what is to be kept.
fn check(game: &str, start: &str, line: &[&str], keeps: &str) {
    assert!(line.len() % 2 == 1 && line.len() < 2 * MOST_MOVES, "{start}: {line:?}");
    for ply in (0..line.len()).step_by(2) {
        let (position, _) = after(game, start, &line[..ply]);
        let (best, value) = best_moves(game, &position);
        assert_eq!((best, value.word()), (vec![line[ply].to_owned()], keeps), "{game} {start} after {:?}", &line[..ply]);
    }
    assert_ne!(keeps, "loss");
}

fn settings() -> PuzzleSettings {
    let boards = ["pawn:size=4x4", "pawn:size=5x4"].map(str::to_owned).to_vec();
    PuzzleSettings { boards, count: 6, seed: 5, nodes: 2_000 }
}

#[test]
fn every_move_of_a_puzzle_is_the_only_one_and_a_seed_gives_the_same_puzzles() {
    let mut told = Vec::new();
    let puzzles = find(&settings(), &mut |found, of| told.push((found, of))).unwrap();
    assert_eq!((puzzles.len(), told.last()), (6, Some(&(6, 6))));
    for puzzle in &puzzles {
        let line: Vec<&str> = puzzle.line.iter().map(String::as_str).collect();
        check("pawn", &puzzle.start, &line, puzzle.keeps);
        assert!((1..=HARDEST).contains(&puzzle.level));
    }
    assert!(puzzles.is_sorted_by_key(|puzzle| puzzle.level));
    assert_eq!(find(&settings(), &mut |_, _| ()).unwrap(), puzzles);
}

#[test]
fn boards_of_several_games_and_games_of_chance_are_refused() {
    let refusal = |boards: &[&str]| {
        let boards = boards.iter().map(|&board| board.to_owned()).collect();
        find(&PuzzleSettings { boards, ..settings() }, &mut |_, _| ()).unwrap_err().to_string()
    };
    assert!(refusal(&["pawn", "clobber"]).contains("one game"));
    assert!(refusal(&["tuc-chess"]).contains("chance"));
    assert!(refusal(&["chess"]).contains("chess"));
}

/// The files of the app: the game, the head, and the puzzles.
fn files() -> Vec<(String, Value, Vec<Value>)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    paths.sort();
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let mut lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let head: Value = lines.next().unwrap();
        (path.file_stem().unwrap().to_string_lossy().into_owned(), head, lines.collect())
    };
    paths.iter().map(read).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../app/puzzles")
}

/// Of the puzzles of the app, so many of each file are solved again.
const CHECKED: usize = 4;

#[test]
fn the_puzzles_of_the_app_have_one_solution_and_their_index_is_right() {
    let files = files();
    let index: BTreeMap<String, usize> = serde_json::from_str(&fs::read_to_string(folder().join("index.json")).unwrap()).unwrap();
    let counted: BTreeMap<String, usize> = files.iter().map(|(game, _, puzzles)| (game.clone(), puzzles.len())).collect();
    assert_eq!(index, counted);
    assert!(files.len() >= 5);
    for (game, head, puzzles) in &files {
        assert_eq!((head["puzzles"].as_u64(), head["game"].as_str()), (Some(1), Some(game.as_str())));
        assert!(puzzles.len() >= 500, "{game}: {}", puzzles.len());
        for puzzle in puzzles.iter().skip(3).step_by(puzzles.len() / CHECKED) {
            let line: Vec<&str> = puzzle["line"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
            check(game, puzzle["start"].as_str().unwrap(), &line, puzzle["keeps"].as_str().unwrap());
        }
    }
}

#[test]
fn a_file_of_the_app_is_made_again_by_its_head() {
    let (game, head, puzzles) = files().swap_remove(0);
    // The first ones that are found are the same for any number that is asked for.
    let boards = head["boards"].as_array().unwrap().iter().map(|board| board.as_str().unwrap().to_owned()).collect();
    let seed = head["seed"].as_u64().unwrap();
    let settings = PuzzleSettings { boards, count: 2, seed, nodes: head["nodes"].as_u64().unwrap() };
    let text = to_text(&settings, &find(&settings, &mut |_, _| ()).unwrap()).unwrap();
    let made: Vec<Value> = text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(made.len(), 2);
    for puzzle in &made {
        assert!(puzzles.contains(puzzle), "{game}: {puzzle}");
    }
}
