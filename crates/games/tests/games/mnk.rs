//! Lines on boards where they fit in some directions only.

use plyground_core::{Evaluator, Params, PlayableGame, Visitor};
use plyground_games::{mnk, open_one};

use crate::common::{assert_hints_follow, lines_made, look};
use crate::naive;

#[test]
fn lines_count_where_they_fit() {
    for (position, result) in [
        ("xxxxx/oooo1 o 5", "first"),
        ("xxxx1/oooox o 5", "open"),
        ("xo/xo/x1 o 3", "first"),
        ("xo/xo/1x o 3", "open"),
        ("xxx/oox/xoo o 4", "draw"),
        ("x2/1xo/o1x o 3", "first"),
        ("xx1/1o1/3 o 2", "first"),
        ("15/xxxxxxxxxxxxxxx/oooooooooooooo1/15 o 15", "first"),
        ("1x o 1", "first"),
    ] {
        assert_eq!(look("mnk", Some(position)).result(), result, "{position}");
    }
}

#[test]
fn hints_are_lines_then_stops_then_neighbours_then_room() {
    for spec in ["tictactoe", "mnk:size=4x4,k=4", "mnk:size=5x3,k=3", "mnk:size=7x6,k=4", "mnk:size=9x9,k=5"] {
        assert_hints_follow(spec, |position, mv| {
            let (rows, fields) = naive::read(position);
            let (row, column) = naive::find(&rows, mv);
            let [row, column, k] = [row as i32, column as i32, fields[1].parse().unwrap()];
            let at = |row: i32, column: i32| {
                let row = usize::try_from(row).ok().and_then(|row| rows.get(row));
                row.and_then(|row| row.get(usize::try_from(column).ok()?).copied())
            };
            let near = (-1..=1).any(|down| (-1..=1).any(|right| matches!(at(row + down, column + right), Some('x' | 'o'))));
            // A line through the square begins up to k - 1 steps before it.
            let directions = [(0, 1), (1, 0), (1, 1), (1, -1)];
            let starts = directions.into_iter().flat_map(|direction| (0..k).map(move |back| (direction, back)));
            let fits = starts.filter(|&((down, right), back)| {
                (0..k).all(|step| at(row + down * (step - back), column + right * (step - back)).is_some())
            });
            (lines_made(spec, position, mv), near, fits.count())
        });
    }
}

/// The policy of the Tic-Tac-Toe report of 2024: centre, corners, edges.
#[test]
fn playouts_like_the_centre_then_corners_then_edges() {
    struct Liking;
    impl Visitor for Liking {
        type Output = Vec<(String, i32)>;
        fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Vec<(String, i32)> {
            let mut moves = Vec::new();
            game.moves(&state, &mut moves);
            moves.into_iter().map(|mv| (game.move_text(&state, mv), game.playout_score(&state, mv))).collect()
        }
    }
    let liking = plyground_games::open("tictactoe", Some("x1o/3/3 x 3"), Liking).unwrap();
    for (square, hint) in liking {
        let expected = match square.as_str() {
            "b2" => 4,
            "a1" | "c1" => 3,
            _ => 2,
        };
        assert_eq!(hint, expected, "{square}");
    }
}

/// What its text says beyond that: a line is stopped first of all, and of the corners those beside the opponent's marks are better.
#[test]
fn careful_playouts_stop_a_line_and_like_corners_beside_the_opponent() {
    struct Liking;
    impl Visitor for Liking {
        type Output = Vec<String>;
        fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Vec<String> {
            let mut moves = Vec::new();
            game.moves(&state, &mut moves);
            let best = moves.iter().map(|&mv| game.careful_playout_score(&state, mv)).max();
            moves.retain(|&mv| Some(game.careful_playout_score(&state, mv)) == best);
            moves.into_iter().map(|mv| game.move_text(&state, mv)).collect()
        }
    }
    for (position, best) in [
        ("3/3/3 x 3", &["b2"][..]),
        ("1o1/1x1/3 x 3", &["a3", "c3"]),
        ("3/1x1/3 o 3", &["a1", "a3", "c1", "c3"]),
        ("xx1/1o1/3 o 3", &["c3"]),
        ("x1o/1o1/2x x 3", &["a1"]),
        ("xox/xoo/1x1 o 3", &["a1"]),
    ] {
        let mut found = open_one::<mnk::Rules, _>("tictactoe", Some(position), Liking).unwrap();
        found.sort();
        assert_eq!(found, best, "{position}");
    }
}

/// 10 for each own line that lacks one mark and has none of the opponent's, -50 for each of theirs, from the side that is asked for.
#[test]
fn the_report_values_two_in_a_row() {
    struct Value(&'static str);
    impl Visitor for Value {
        type Output = [f32; 2];
        fn visit<G: PlayableGame>(self, game: G, state: G::State) -> [f32; 2] {
            let evaluator = game.evaluator("report", &Params::parse(self.0).unwrap()).unwrap();
            let score = evaluator.score(&game, &state);
            [score, evaluator.win_chance(score)]
        }
    }
    let value = |position, keys| open_one::<mnk::Rules, _>("tictactoe", Some(position), Value(keys)).unwrap();
    // Crosses have the row, noughts nothing; noughts are to move.
    assert_eq!(value("xx1/1o1/3 o 3", ""), [50.0, 0.75]);
    assert_eq!(value("xx1/1o1/3 o 3", "view=other"), [10.0, 0.55]);
    assert_eq!(value("1o1/xx1/1o1 x 3", "")[0], 10.0, "the cross in the centre stands between the noughts");
    assert_eq!(value("xx1/oo1/3 x 3", "")[0], -40.0);
    assert_eq!(value("xx1/oo1/3 x 3", "view=other")[0], 40.0);
    assert_eq!(value("xxx/oo1/3 o 3", ""), [100.0, 1.0]);
}
