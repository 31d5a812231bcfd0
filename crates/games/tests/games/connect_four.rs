//! Connect Four: published counts of positions and games, ends of games, bad positions and moves, the evaluator.

use std::collections::{HashMap, HashSet};

use plyground_core::{Game, PlayableGame, Turn, Visitor};
use plyground_games::open;

use crate::common::{assert_hints_follow, children, judge, lines_made, look, refusal};
use crate::naive;

/// How many different positions there are after 0, 1, 2 … moves.
struct Positions(usize);

impl Visitor for Positions {
    type Output = Vec<usize>;
    fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Vec<usize> {
        let mut counts = Vec::new();
        let mut layer = HashSet::from([state]);
        for _ in 0..self.0 {
            counts.push(layer.len());
            layer = layer.iter().flat_map(|state| children(&game, state)).collect();
        }
        counts
    }
}

#[test]
fn positions_after_each_move_are_as_published() {
    // OEIS A212693 (Edelkamp and Kissmann).
    assert_eq!(open("connect-four", None, Positions(9)).unwrap(), [1, 7, 49, 238, 1_120, 4_263, 16_422, 54_859, 184_275]);
}

/// How many different games there are, to the end.
struct Games;

impl Visitor for Games {
    type Output = u64;
    fn visit<G: PlayableGame>(self, game: G, state: G::State) -> u64 {
        games(&game, &state, &mut HashMap::new())
    }
}

fn games<G: Game>(game: &G, state: &G::State, known: &mut HashMap<G::State, u64>) -> u64 {
    if let Turn::Over(_) = game.turn(state) {
        return 1;
    }
    if let Some(&count) = known.get(state) {
        return count;
    }
    let count = children(game, state).map(|child| games(game, &child, known)).sum();
    known.insert(state.clone(), count);
    count
}

#[test]
fn whole_games_are_as_many_as_published() {
    // OEIS A342329 (Robin Jehn): boards of n + 1 files and n ranks.
    for (size, expected) in [("2x1", 2), ("3x2", 90), ("4x3", 356_232), ("5x4", 152_505_051_772)] {
        assert_eq!(open(&format!("connect-four:size={size}"), None, Games).unwrap(), expected, "{size}");
    }
}

#[test]
fn games_end_with_a_line_or_a_full_board() {
    for (position, result, why) in [
        ("7/7/7/7/ooo4/xxxx3 o 4", "first", "Yellow has 4 in a row"),
        ("7/7/7/7/xx5/oooox1x x 4", "second", "Red has 4 in a row"),
        ("7/7/o6/o6/o5x/o1x2xx x 4", "second", "Red has 4 in a row"),
        ("7/7/3x3/2xo3/1xoo3/xoox2x o 4", "first", "Yellow has 4 in a row"),
        // Seven at once: the last disc joined three and three.
        ("7/7/7/7/ooo1ooo/xxxxxxx o 4", "first", "Yellow has 4 in a row"),
        ("7/7/7/7/o6/xxo1x2 o 3", "open", ""),
        // A line does not run on around the edge.
        ("7/7/7/7/x5o/oo3xx x 4", "open", ""),
        ("oxo/xox/oxo/xox x 4", "draw", "the board is full"),
    ] {
        assert_eq!(look("connect-four", Some(position)).end(), (result, why), "{position}");
    }
}

#[test]
fn impossible_positions_say_why() {
    for (position, wanted) in [
        ("7/7/7/7/3x3/7 o 4", "the disc on d2 has an empty square below it"),
        ("7/7/7/7/7/3x3 x 4", "1 x and 0 o on the board cannot be with x to move"),
        ("7/7/7/7/7/3o3 x 4", "0 x and 1 o on the board cannot be with x to move"),
        ("7/7/7/7/ooo4/xxxx2o x 4", "the side to move has a line: the game was over before the last move"),
        ("7/7/x5x/x5x/xoo1o1x/xoo1oox o 4", "no last move can have made these lines: the game was over before"),
        ("7/7/7/7/7/7 w 4", "side to move: expected x or o, found 'w'"),
        ("7/7/7/7/7/7 x 9", "k: expected a number from 1 to 8, found '9'"),
        ("7/7/7/7/7/7 x", "expected after the board, each behind a single space: side to move, k; found [\"x\"]"),
    ] {
        assert_eq!(refusal("connect-four", Some(position), &[]), format!("malformed position '{position}': {wanted}"));
    }
    for (spec, position, wanted) in [
        ("connect-four:k=5", "7/7/7/7/7/7 x 4", "its k is 4, but k=5 was asked for"),
        ("connect-four:size=6x5", "7/7/7/7/7/7 x 4", "its board is 7x6, but size=6x5 was asked for"),
    ] {
        assert_eq!(refusal(spec, Some(position), &[]), format!("malformed position '{position}': {wanted}"));
    }
    let message = refusal("connect-four:size=9x6", None, &[]);
    assert_eq!(message, "malformed size '9x6': expected at most 8 columns and 7 rows");
}

#[test]
fn bad_moves_say_why() {
    let full = "o6/x6/o6/x6/o6/x6 x 4";
    assert_eq!(refusal("connect-four", Some(full), &["a"]), "illegal move 'a': file a is full");
    for bad in ["h", "A", "a1", "", "4", "é"] {
        assert_eq!(
            refusal("connect-four", Some(full), &[bad]),
            format!("malformed move '{bad}': expected the letter of a file, from a to g")
        );
    }
}

#[test]
fn lines_still_open() {
    let score = |position| judge("connect-four", position, "lines", "").unwrap().0;
    assert_eq!(score("7/7/7/7/7/7 x 4"), 0.0);
    // d1 is on four rows, one column and two diagonals.
    assert_eq!(score("7/7/7/7/7/3x3 o 4"), 7.0);
    // On a board of four by four: a1 has its row, its column and its diagonal, b1 its column; the row is now shared.
    assert_eq!(score("4/4/4/xo2 x 4"), 1.0);
    // The column of a1 and a2 counts 4, the diagonal of a1 and the row of a2 one each; Red's column b counts one.
    assert_eq!(score("4/4/x3/xo2 o 4"), 5.0);
}

#[test]
fn hints_are_lines_then_stops_then_the_middle() {
    for spec in ["connect-four", "connect-four:size=4x4", "connect-four:size=5x4,k=3", "connect-four:size=8x7"] {
        assert_hints_follow(spec, |position, mv| {
            let files = naive::read(position).0[0].len() as i32;
            let file = i32::from(mv.as_bytes()[0] - b'a');
            // How many files are on the side where fewer are.
            (lines_made(spec, position, mv), file.min(files - 1 - file))
        });
    }
}
