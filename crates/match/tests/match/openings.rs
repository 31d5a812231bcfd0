//! Openings are new, fair, and the same for all.

use std::collections::HashSet;

use plyground_core::Turn;
use plyground_match::{Book, Experiment, Openings, opening_plies};
use plyground_session::{Session, open};

use crate::common::{FirstInList, experiment};

fn book(game: &str, plies: u32, seed: u64) -> Book<'static> {
    Book::new(&Experiment { seed, ..experiment(game, &["random", "mcts:sims=10"], plies) }, &FirstInList).unwrap()
}

fn first(game: &str, plies: u32, seed: u64, count: usize) -> Vec<Vec<String>> {
    let mut book = book(game, plies, seed);
    (0..count).map(|number| book.opening(number).unwrap().to_vec()).collect()
}

/// The game after an opening.
fn after(game: &str, opening: &[String]) -> Box<dyn Session> {
    let mut session = open(game, None).unwrap();
    for text in opening {
        session.play(text).unwrap();
    }
    session
}

#[test]
fn no_position_comes_twice_while_there_are_new_ones() {
    // By trying all ways: nine squares, then eight, of which mirror images count, too. All leave the game open.
    let all: HashSet<String> = {
        let squares: Vec<String> = open("tictactoe", None).unwrap().moves().into_iter().map(|legal| legal.text).collect();
        let pairs = squares.iter().flat_map(|a| squares.iter().filter(move |b| a != *b).map(move |b| [a.clone(), b.clone()]));
        pairs.map(|opening| after("tictactoe", &opening).position()).collect()
    };
    assert_eq!(all.len(), 72);
    let found = first("tictactoe", 2, 3, 200);
    let positions: Vec<String> = found.iter().map(|opening| after("tictactoe", opening).position()).collect();
    let distinct: HashSet<&String> = positions.iter().collect();
    // The judge may find some of the 72 won already; each of the others is there before any comes again.
    assert!(distinct.len() > 30, "{}", distinct.len());
    assert_eq!(positions[..distinct.len()].iter().collect::<HashSet<_>>().len(), distinct.len());
    assert_eq!(found[distinct.len()..], *found.iter().cycle().take(200 - distinct.len()).cloned().collect::<Vec<_>>());
}

#[test]
fn where_there_are_many_none_comes_twice() {
    for game in ["clobber:size=6x5", "crosphere:size=5x5,strong=3", "tuc-chess"] {
        let plies = opening_plies(game).unwrap();
        let positions: HashSet<String> =
            first(game, plies, 1, 150).iter().map(|opening| after(game, opening).position()).collect();
        assert_eq!(positions.len(), 150, "{game}");
    }
}

#[test]
fn a_number_is_the_same_opening_however_many_are_asked_for() {
    for game in ["tictactoe", "connect-four", "tuc-chess"] {
        let many = first(game, 3, 5, 40);
        assert_eq!(first(game, 3, 5, 10), many[..10], "{game}");
        assert_eq!(book(game, 3, 5).opening(25).unwrap(), many[25], "{game}");
        assert_ne!(first(game, 3, 6, 10), many[..10], "{game}: another seed");
    }
}

#[test]
fn openings_have_the_length_that_was_asked_for_and_a_player_to_move() {
    for game in ["tictactoe", "pawn:size=4x4", "clobber:size=4x4", "tuc-chess"] {
        for opening in first(game, 3, 0, 30) {
            let session = after(game, &opening);
            assert!(matches!(session.turn(), Turn::Player(_)), "{game} {opening:?}");
            assert_eq!(session.history().iter().filter(|played| !played.chance).count(), 3, "{game} {opening:?}");
        }
    }
}

#[test]
fn an_opening_that_is_won_is_not_used() {
    for opening in first("tictactoe", 4, 2, 100) {
        let mut session = after("tictactoe", &opening);
        let moves = session.moves();
        let wins_at_once = moves.iter().any(|legal| {
            session.play(&legal.text).unwrap();
            let won = matches!(session.turn(), Turn::Over(outcome) if outcome.winner.is_some());
            session.undo();
            won
        });
        assert!(!wins_at_once, "{opening:?}");
    }
}

#[test]
fn a_game_without_open_openings_begins_at_its_start() {
    // One in a row: the first move wins.
    assert_eq!(first("mnk:size=3x3,k=1", 1, 0, 2), [Vec::<String>::new(), Vec::new()]);
}

#[test]
fn listed_openings_come_in_their_order_and_again() {
    let lines = vec![vec!["a1".to_owned()], vec!["b2".to_owned(), "c3".to_owned()]];
    let settings = Experiment {
        openings: Openings::Listed { lines: lines.clone() },
        ..experiment("tictactoe", &["random", "mcts:sims=10"], 0)
    };
    let mut book = Book::new(&settings, &FirstInList).unwrap();
    for number in 0..5 {
        assert_eq!(book.opening(number).unwrap(), lines[number % 2]);
    }
}
