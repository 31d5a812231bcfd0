//! Breakthrough: counts of another program, ends of games, bad positions and moves, the evaluator.

use plyground_core::{PlayableGame, Visitor, perft};
use plyground_games::open;

use crate::common::{advice, assert_hints_follow, best_result, judge, look, play, refusal};
use crate::naive;

struct Perft(u32);

impl Visitor for Perft {
    type Output = Vec<u64>;
    fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Vec<u64> {
        (1..=self.0).map(|depth| perft(&game, &state, depth)).collect()
    }
}

/// Counted with OpenSpiel 2.0.2 (`breakthrough` with `rows` and `columns`), as the rows of `perft.json` were. On boards of fewer than six
/// rows it begins with one rank of pieces for each player; the rules are the same.
#[test]
fn games_with_one_rank_of_pieces_are_as_many_as_in_open_spiel() {
    for (start, counts) in [
        ("bbbb/4/4/wwww w", &[10, 100, 814, 6_324, 46_350, 303_122, 1_868_262, 9_815_640][..]),
        ("bbbb/4/4/4/wwww w", &[10, 100, 840, 6_988, 57_278, 455_070, 3_523_818]),
        ("bbbbb/5/5/5/wwwww w", &[13, 169, 1_911, 21_514, 232_478, 2_467_006]),
        ("bbbbbb/6/6/6/wwwwww w", &[16, 256, 3_648, 51_862, 701_402]),
    ] {
        assert_eq!(open("breakthrough", Some(start), Perft(counts.len() as u32)).unwrap(), counts, "{start}");
    }
}

/// The counts of the naive twin, where the other program begins with fewer pieces.
#[test]
fn small_boards_have_as_many_games_as_the_naive_rules() {
    fn count(position: &str, depth: u32) -> u64 {
        let game = naive::open("breakthrough", position);
        let moves = game.moves();
        if depth == 1 {
            return moves.len() as u64;
        }
        let child = |mv: &String| {
            let mut child = naive::open("breakthrough", position);
            child.play(mv);
            child.position()
        };
        moves.iter().map(|mv| count(&child(mv), depth - 1)).sum()
    }
    for (size, depth) in [("4x4", 5), ("5x5", 4), ("2x5", 8), ("7x4", 3)] {
        let spec = format!("breakthrough:size={size}");
        let start = look(&spec, None).position;
        let counts: Vec<u64> = (1..=depth).map(|depth| count(&start, depth)).collect();
        assert_eq!(open(&spec, None, Perft(depth)).unwrap(), counts, "{size}");
    }
}

#[test]
fn two_ranks_of_pieces_face_each_other() {
    assert_eq!(look("breakthrough", None).position, "bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww w");
    assert_eq!(look("breakthrough:size=3x4", None).position, "bbb/bbb/www/www w");
    // Without a gap between them there is nothing but captures.
    assert_eq!(look("breakthrough:size=3x4", None).moves, ["b2a3", "c2b3", "a2b3", "b2c3"]);
}

#[test]
fn games_end_on_the_far_rank_or_with_the_last_piece() {
    for (position, result, why) in [
        ("w2/1b1/3/1w1 b", "first", "White has a piece on the far rank"),
        ("1b1/3/w2/b2 w", "second", "Black has a piece on the far rank"),
        ("3/3/w2/3 b", "first", "Black has no piece left"),
        ("3/b2/3/3 w", "second", "White has no piece left"),
        // The last piece was captured on the far rank.
        ("w2/3/3/3 b", "first", "White has a piece on the far rank"),
        ("1b1/w2/1b1/1w1 w", "open", ""),
        ("1b1/w2/1b1/1w1 b", "open", ""),
    ] {
        assert_eq!(look("breakthrough", Some(position)).end(), (result, why), "{position}");
    }
    let taken = play("breakthrough", Some("3/1b1/w2/3 w"), &["a2b3"]).unwrap();
    assert_eq!(taken.end(), ("first", "Black has no piece left"));
}

#[test]
fn captures_are_diagonal_and_voluntary() {
    let seen = look("breakthrough", Some("3/bb1/1w1/3 w"));
    // b3 is blocked; a3 can be captured, c3 is empty.
    assert_eq!(seen.moves, ["b2a3", "b2c3"]);
    let seen = look("breakthrough", Some("3/1b1/1ww/3 b"));
    assert_eq!(seen.moves, ["b3c2", "b3a2"]);
}

#[test]
fn a_player_with_pieces_has_a_move() {
    for spec in ["breakthrough:size=2x4", "breakthrough:size=2x9", "breakthrough:size=16x4", "breakthrough"] {
        assert!(advice(spec, 2_000).iter().all(|asked| !asked.moves.is_empty()), "{spec}");
    }
}

#[test]
fn impossible_positions_say_why() {
    for (position, wanted) in [
        ("3/3/3/3 w", "Black has no piece left and made the last move: the game was over before it"),
        ("3/3/1w1/3 w", "Black has no piece left and made the last move: the game was over before it"),
        ("1w1/3/3/1b1 w", "White is to move and has a piece on the far rank: the game was over before the last move"),
        ("bbb/3/3/1b1 b", "White has no piece left and made the last move: the game was over before it"),
        ("ww1/1b1/3/3 b", "White has 2 pieces on the far rank, but the first one won"),
        ("bbb/bbb/b1w/3 w", "Black has 7 pieces, and 6 at the start"),
        ("bbb/3/3/www x", "side to move: expected w or b, found 'x'"),
        ("bbb/3/3/www", "expected after the board, each behind a single space: side to move; found []"),
    ] {
        assert_eq!(refusal("breakthrough", Some(position), &[]), format!("malformed position '{position}': {wanted}"));
    }
    let other = "bbb/3/3/www w";
    assert_eq!(
        refusal("breakthrough:size=4x4", Some(other), &[]),
        format!("malformed position '{other}': its board is 3x4, but size=4x4 was asked for")
    );
    for size in ["1x8", "8x3", "8x9", "17x4"] {
        assert_eq!(
            refusal(&format!("breakthrough:size={size}"), None, &[]),
            format!("malformed size '{size}': expected at least 2 columns and 4 rows, and at most 64 squares")
        );
    }
}

#[test]
fn bad_moves_say_why() {
    let position = "bb2/1b2/1w2/ww2 w";
    for (mv, wanted) in [
        ("b3b2", "illegal move 'b3b2': the piece on b3 is the opponent's"),
        ("d1d2", "illegal move 'd1d2': there is no piece on d1"),
        ("b2b3", "illegal move 'b2b3': b3 is occupied, and a piece captures diagonally only"),
        ("a1b2", "illegal move 'a1b2': the piece on b2 is your own"),
        ("b1b2", "illegal move 'b1b2': the piece on b2 is your own"),
        ("b2b1", "illegal move 'b2b1': a piece moves one square forward, straight or diagonally"),
        ("b2c2", "illegal move 'b2c2': a piece moves one square forward, straight or diagonally"),
        ("b2d3", "illegal move 'b2d3': a piece moves one square forward, straight or diagonally"),
        ("a1a3", "illegal move 'a1a3': a piece moves one square forward, straight or diagonally"),
        ("e1e2", "malformed move 'e1e2': square 'e1': the board has the squares a1 to d4"),
        ("b2", "malformed move 'b2': expected two squares, like a1a2"),
    ] {
        assert_eq!(refusal("breakthrough", Some(position), &[mv]), wanted);
    }
}

#[test]
fn pieces_count_and_so_does_their_way() {
    let score = |position| judge("breakthrough", position, "advance", "").unwrap().0;
    assert_eq!(score("bbbb/bbbb/4/wwww/wwww w"), 0.0);
    // 10 and the square of 2, against 10 and the square of 1.
    assert_eq!(score("4/1b2/1w2/4/4 w"), 3.0);
    assert_eq!(score("4/1b2/1w2/4/w3 b"), 13.0);
    let (even, chance) = judge("breakthrough", "4/1b2/4/1w2/4 w", "advance", "").unwrap();
    assert_eq!((even, chance), (0.0, 0.5));
}

#[test]
fn hints_are_arrivals_then_captures_then_the_way_gone() {
    for spec in ["breakthrough:size=5x5", "breakthrough:size=4x4", "breakthrough:size=2x9", "breakthrough"] {
        assert_hints_follow(spec, |position, mv| {
            let (rows, fields) = naive::read(position);
            let middle = mv.rfind(|c: char| c.is_ascii_lowercase()).unwrap();
            let (row, column) = naive::find(&rows, &mv[middle..]);
            let gone = if fields[0] == "w" { rows.len() - 1 - row } else { row };
            (gone == rows.len() - 1, rows[row][column] != '.', gone)
        });
    }
}

/// With nothing but the rules; docs/solved.md has larger boards.
#[test]
fn small_boards_are_won_as_brute_force_says() {
    for size in ["2x4", "3x4", "4x4", "2x5", "3x5", "2x7"] {
        assert_eq!(best_result(&format!("breakthrough:size={size}"), None), "second", "{size}");
    }
    assert_eq!(best_result("breakthrough:size=2x6", None), "first");
}
