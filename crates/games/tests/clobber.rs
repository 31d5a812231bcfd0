//! Clobber: solved starts, the example of its rules page, and what is refused and how.

use std::collections::HashMap;

use plyground_core::{Game, Heuristics, InputError, Params, Player, Turn, Visitor, parse_size};
use plyground_games::{info, open};
use serde::Deserialize;

#[derive(Deserialize)]
struct Oracle {
    starts: Vec<Solved>,
    perft: HashMap<String, Vec<u64>>,
}

#[derive(Deserialize)]
struct Solved {
    size: String,
    first_wins: bool,
}

fn oracle() -> Oracle {
    serde_json::from_str(include_str!("data/clobber.json")).unwrap()
}

/// Does the player to move win? Nothing but the rules and a table of the positions seen.
fn wins<G: Game>(game: &G, state: &G::State, known: &mut HashMap<G::State, bool>) -> bool {
    if let Some(&wins) = known.get(state) {
        return wins;
    }
    let mut moves = Vec::new();
    game.moves(state, &mut moves);
    let winning = moves.into_iter().any(|mv| {
        let mut child = state.clone();
        game.play(&mut child, mv);
        !wins(game, &child, known)
    });
    known.insert(state.clone(), winning);
    winning
}

/// Does the player to move win, and with which moves?
struct Solve;

impl Visitor for Solve {
    type Output = (bool, Vec<String>);
    fn visit<G: Heuristics>(self, game: G, state: G::State) -> Self::Output {
        let mut known = HashMap::new();
        let mut moves = Vec::new();
        game.moves(&state, &mut moves);
        let winning = moves.into_iter().filter(|&mv| {
            let mut child = state.clone();
            game.play(&mut child, mv);
            !wins(&game, &child, &mut known)
        });
        let winning: Vec<String> = winning.map(|mv| game.move_text(&state, mv)).collect();
        (!winning.is_empty(), winning)
    }
}

#[test]
fn solved_starts() {
    let mut solved = 0;
    for Solved { size, first_wins } in oracle().starts {
        let (files, ranks) = parse_size(&size).unwrap();
        if u32::from(files) * u32::from(ranks) <= 18 {
            for size in [format!("{files}x{ranks}"), format!("{ranks}x{files}")] {
                let found = open(&format!("clobber:size={size}"), None, Solve).unwrap().0;
                assert_eq!(found, first_wins, "{size}");
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
        open(&format!("clobber:size={size}"), None, Text).unwrap();
    }
}

#[test]
fn counts_of_the_oracle_are_those_of_the_table() {
    let table: HashMap<String, Vec<u64>> = serde_json::from_str(include_str!("data/perft.json")).unwrap();
    for (size, counts) in oracle().perft {
        assert_eq!(table.get(&format!("clobber:size={size}")), Some(&counts), "{size}");
    }
}

#[test]
fn the_example_is_as_its_caption_says() {
    let example = info("clobber").unwrap().example;
    assert_eq!(open("clobber", Some(example.position), Solve).unwrap().1, ["a3b3"]);
}

struct Text;

impl Visitor for Text {
    type Output = (String, String);
    fn visit<G: Heuristics>(self, game: G, state: G::State) -> Self::Output {
        (game.spec(), game.position_text(&state))
    }
}

fn text(spec: &str, position: Option<&str>) -> (String, String) {
    open(spec, position, Text).unwrap_or_else(|error| panic!("{spec}, {position:?}: {error}"))
}

#[test]
fn starts() {
    let start = |spec| text(spec, None).1;
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
    let pair = |spec: &str, position: &str| (spec.to_owned(), position.to_owned());
    assert_eq!(text("clobber", Some("xo1/3 o")), pair("clobber:size=3x2", "xo1/3 o"));
    assert_eq!(text("clobber", Some("xx o own")), pair("clobber:size=2x1,own", "xx o own"));
    assert_eq!(text("clobber:own", Some("xx o")), pair("clobber:size=2x1,own", "xx o own"));
    assert_eq!(text("clobber:size=2x2,random=3", Some("2/2 x")), pair("clobber:size=2x2,random=3", "2/2 x"));
}

struct LegalMove<'a>(&'a str);

impl Visitor for LegalMove<'_> {
    type Output = Result<(), InputError>;
    fn visit<G: Heuristics>(self, game: G, state: G::State) -> Self::Output {
        game.legal_move(&state, self.0).map(drop)
    }
}

fn refusal<T>(result: Result<T, InputError>) -> String {
    result.err().map_or_else(|| "accepted".to_owned(), |error| error.to_string())
}

#[test]
fn bad_games_and_positions_are_refused_with_a_reason() {
    for (spec, position, message) in [
        ("clobber:size=27x1", None, "malformed size '27x1': expected at most 26 files and at most 100 squares"),
        ("clobber:size=11x10", None, "malformed size '11x10': expected at most 26 files and at most 100 squares"),
        ("clobber:random=-1", None, "malformed value 'random=-1': expected random from 0 to 18446744073709551615"),
        ("clobber:own=1", None, "malformed key 'own=1': 'own' stands alone, without a value"),
        ("clobber:size=2x2", Some("xox x"), "malformed position 'xox x': its board is 3x1, but size=2x2 was asked for"),
        ("clobber", Some("xo/x x"), "malformed position 'xo/x x': row 2 from the top has 1 squares, the rows above 2"),
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
        assert_eq!(refusal(open(spec, position, Text)), message);
    }
}

#[test]
fn illegal_moves_are_refused_with_a_reason() {
    let position = "xo1/xxo x";
    for (mv, message) in [
        ("b1b2", "accepted"),
        ("b2b1", "illegal move 'b2b1': there is no black stone on b2"),
        ("c2c1", "illegal move 'c2c1': there is no black stone on c2"),
        ("a1b2", "illegal move 'a1b2': a1 and b2 are not side by side or one above the other"),
        ("a1a1", "illegal move 'a1a1': a1 and a1 are not side by side or one above the other"),
        ("a1b1", "illegal move 'a1b1': the stone on b1 has the same colour"),
        ("a1", "malformed move 'a1': expected two squares, like a1a2"),
        ("a1a3", "malformed move 'a1a3': square 'a3': the board has the squares a1 to c2"),
    ] {
        assert_eq!(refusal(open("clobber", Some(position), LegalMove(mv)).unwrap()), message);
    }
    let (position, mv) = ("xo1 o", "b1c1");
    assert_eq!(
        refusal(open("clobber", Some(position), LegalMove(mv)).unwrap()),
        "illegal move 'b1c1': there is no stone on c1: every move clobbers one"
    );
    assert_eq!(refusal(open("clobber", Some("xx x own"), LegalMove("a1b1")).unwrap()), "accepted");
    assert_eq!(
        refusal(open("clobber", Some("xx x"), LegalMove("a1b1")).unwrap()),
        "illegal move 'a1b1': the game is over (second)"
    );
}

struct Scores;

impl Visitor for Scores {
    type Output = Vec<f32>;
    fn visit<G: Heuristics>(self, game: G, state: G::State) -> Self::Output {
        let names = G::evaluators().iter().map(|info| info.name);
        let score = |name| game.evaluator(name, &Params::default()).unwrap();
        names.map(|name| plyground_core::Evaluator::score(&score(name), &game, &state)).collect()
    }
}

#[test]
fn evaluators_count_what_they_say() {
    // The upper island is dead without `own`. A pair of different stones is one move for either player: mobility is level.
    assert_eq!(open("clobber", Some("xx1/3/oxx o"), Scores).unwrap(), [1.0, 0.0]);
    assert_eq!(open("clobber", Some("xx1/3/oxx o own"), Scores).unwrap(), [3.0, 4.0]);
}

struct Over;

impl Visitor for Over {
    type Output = (Turn, String);
    fn visit<G: Heuristics>(self, game: G, state: G::State) -> Self::Output {
        (game.turn(&state), game.why_over(&state))
    }
}

#[test]
fn who_cannot_move_loses() {
    for (position, winner, why) in [
        ("5/5 x", Player::Second, "Black cannot move"),
        ("xx o", Player::First, "White cannot move"),
        ("xx x", Player::Second, "Black cannot move"),
        ("xx1o o own", Player::First, "White cannot move"),
    ] {
        let (turn, reason) = open("clobber", Some(position), Over).unwrap();
        assert_eq!(turn, Turn::Over(plyground_core::Outcome::win(winner)), "{position}");
        assert_eq!(reason, why);
    }
}
