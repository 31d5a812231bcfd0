//! Clobber: solved starts, the example of its rules page, and what is refused and how.

use std::collections::HashMap;

use plyground_core::{Outcome, Player, Turn, parse_size};
use plyground_games::info;
use serde::Deserialize;

use crate::common::{best_result, look, play, refusal};

#[derive(Deserialize)]
pub struct Oracle {
    pub starts: Vec<Solved>,
    perft: HashMap<String, Vec<u64>>,
}

#[derive(Deserialize)]
pub struct Solved {
    pub size: String,
    pub first_wins: bool,
}

pub fn oracle() -> Oracle {
    serde_json::from_str(include_str!("../data/clobber.json")).unwrap()
}

#[test]
fn solved_starts() {
    let mut solved = 0;
    for Solved { size, first_wins } in oracle().starts {
        let (files, ranks) = parse_size(&size).unwrap();
        if u32::from(files) * u32::from(ranks) <= 18 {
            for size in [format!("{files}x{ranks}"), format!("{ranks}x{files}")] {
                let wanted = if first_wins { "first" } else { "second" };
                assert_eq!(best_result(&format!("clobber:size={size}"), None), wanted, "{size}");
            }
            solved += 1;
        }
    }
    assert!(solved >= 30, "{solved}");
}

#[test]
fn every_solved_size_can_be_opened() {
    for Solved { size, .. } in oracle().starts {
        let (files, ranks) = parse_size(&size).unwrap();
        // Files have one letter: the longest strips stand upright.
        let size = if files > 26 { format!("{ranks}x{files}") } else { size };
        look(&format!("clobber:size={size}"), None);
    }
}

#[test]
fn counts_of_the_oracle_are_those_of_the_table() {
    let table: HashMap<String, Vec<u64>> = serde_json::from_str(include_str!("../data/perft.json")).unwrap();
    for (size, counts) in oracle().perft {
        assert_eq!(table.get(&format!("clobber:size={size}")), Some(&counts), "{size}");
    }
}

#[test]
fn the_example_is_as_its_caption_says() {
    let example = Some(info("clobber").unwrap().example.position);
    // Black is to move.
    let wins = |mv: &String| {
        let after = play("clobber", example, &[mv]).unwrap().position;
        best_result("clobber", Some(&after)) == "first"
    };
    let mut moves = look("clobber", example).moves;
    moves.retain(wins);
    assert_eq!(moves, ["a3b3"]);
}

#[test]
fn starts() {
    let start = |spec| look(spec, None).position;
    assert_eq!(start("clobber"), "oxoxo/xoxox/oxoxo/xoxox/oxoxo/xoxox x");
    assert_eq!(start("clobber:size=4x1"), "xoxo x");
    assert_eq!(start("clobber:size=1x1,own"), "x x own");
    // Recorded games depend on what a seed stands for: a change here is a change of format.
    assert_eq!(start("clobber:size=3x3,random=7"), "xoo/xox/xox x");
    assert_ne!(start("clobber:random=7"), start("clobber:random=8"));
    for spec in ["clobber:size=7x7,random=0", "clobber:size=10x10,random=18446744073709551615"] {
        let start = start(spec);
        let count = |stone| start.split(' ').next().unwrap().matches(stone).count();
        assert_eq!(count('x'), (count('x') + count('o')).div_ceil(2), "{spec}: {start}");
    }
}

#[test]
fn positions_set_the_size_and_the_variant() {
    for (spec, position, full_spec, full_position) in [
        ("clobber", "xo1/3 o", "clobber:size=3x2", "xo1/3 o"),
        ("clobber", "xx o own", "clobber:size=2x1,own", "xx o own"),
        ("clobber:own", "xx o", "clobber:size=2x1,own", "xx o own"),
        ("clobber:size=2x2,random=3", "2/2 x", "clobber:size=2x2,random=3", "2/2 x"),
    ] {
        let seen = look(spec, Some(position));
        assert_eq!((seen.spec.as_str(), seen.position.as_str()), (full_spec, full_position));
    }
}

#[test]
fn bad_games_and_positions_are_refused_with_a_reason() {
    for (spec, position, message) in [
        ("clobber:size=27x1", None, "malformed size '27x1': expected at most 26 files and at most 100 squares"),
        ("clobber:size=11x10", None, "malformed size '11x10': expected at most 26 files and at most 100 squares"),
        ("clobber:random=-1", None, "malformed value 'random=-1': expected random from 0 to 18446744073709551615"),
        ("clobber:own=1", None, "malformed key 'own=1': 'own' stands alone, without a value"),
        ("clobber:size=2x2", Some("xox x"), "malformed position 'xox x': its board is 3x1, but size=2x2 was asked for"),
        ("clobber", Some("xo/x x"), "malformed position 'xo/x x': row 2 from the top is 1 wide, the rows above are 2 wide"),
        (
            "clobber",
            Some("xw x"),
            "malformed position 'xw x': row 1 from the top has the unknown piece 'w'; expected x o or a number",
        ),
        ("clobber", Some("xo b"), "malformed position 'xo b': side to move: expected x or o, found 'b'"),
        ("clobber", Some("xo x self"), "malformed position 'xo x self': variant: expected own, found 'self'"),
        (
            "clobber",
            Some("xo"),
            "malformed position 'xo': expected after the board, each behind a single space: side to move and perhaps own; \
             found []",
        ),
        ("clobber", Some("26/26/26/26 x"), "malformed size '26x4': expected at most 26 files and at most 100 squares"),
    ] {
        assert_eq!(refusal(spec, position, &[]), message);
    }
}

#[test]
fn illegal_moves_are_refused_with_a_reason() {
    let position = Some("xo1/xxo x");
    play("clobber", position, &["b1b2"]).unwrap();
    for (mv, message) in [
        ("b2b1", "illegal move 'b2b1': there is no black stone on b2"),
        ("c2c1", "illegal move 'c2c1': there is no black stone on c2"),
        ("a1b2", "illegal move 'a1b2': a1 and b2 are not side by side or one above the other"),
        ("a1a1", "illegal move 'a1a1': a1 and a1 are not side by side or one above the other"),
        ("a1b1", "illegal move 'a1b1': the stone on b1 has the same colour"),
        ("a1", "malformed move 'a1': expected two squares, like a1a2"),
        ("a1a3", "malformed move 'a1a3': square 'a3': the board has the squares a1 to c2"),
    ] {
        assert_eq!(refusal("clobber", position, &[mv]), message);
    }
    assert_eq!(
        refusal("clobber", Some("xo1 o"), &["b1c1"]),
        "illegal move 'b1c1': there is no stone on c1: every move clobbers one"
    );
    play("clobber", Some("xx x own"), &["a1b1"]).unwrap();
    assert_eq!(refusal("clobber", Some("xx x"), &["a1b1"]), "illegal move 'a1b1': the game is over (second)");
}

#[test]
fn evaluators_count_what_they_say() {
    // The upper island is dead without `own`. A pair of different stones is one move for either player: mobility is level.
    assert_eq!(look("clobber", Some("xx1/3/oxx o")).scores, [1.0, 0.0]);
    assert_eq!(look("clobber", Some("xx1/3/oxx o own")).scores, [3.0, 4.0]);
}

#[test]
fn who_cannot_move_loses() {
    for (position, winner, why) in [
        ("5/5 x", Player::Second, "Black cannot move"),
        ("xx o", Player::First, "White cannot move"),
        ("xx x", Player::Second, "Black cannot move"),
        ("xx1o o own", Player::First, "White cannot move"),
    ] {
        let seen = look("clobber", Some(position));
        assert_eq!(seen.turn, Turn::Over(Outcome::win(winner)), "{position}");
        assert_eq!(seen.why_over, why);
    }
}
