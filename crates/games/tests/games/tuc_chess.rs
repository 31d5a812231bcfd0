//! TUC-Chess: a captured game of the original server, the ends of a game, the order of events, bad input, the evaluation.

use plyground_core::{Evaluated, Evaluator, Game, InputError, Params, PlayableGame, Player, Scratch, Seed, Turn, Visitor};
use plyground_games::tuc_chess::{Rules, State, TucChess};
use plyground_games::{open, open_one};

use crate::common::{self, Seen, advice, assert_hints_follow, look, refusal};
use crate::naive;

const START: &str = "prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 0 0";

fn play(spec: &str, position: &str, moves: &str) -> Result<Seen, InputError> {
    let moves: Vec<&str> = moves.split_whitespace().collect();
    common::play(spec, Some(position), &moves)
}

fn outcomes(seen: &Seen) -> String {
    let outcomes = seen.outcomes.iter().map(|(text, probability)| format!("{text} {probability:.4}"));
    outcomes.collect::<Vec<_>>().join(", ")
}

/// White: random, black: minimax; as the original server sent it.
const CAPTURED: [(&str, &str); 10] = [
    ("5444", "T15444990000"),
    ("1323", "T01323990000"),
    ("5343", "T15343420000"),
    ("2333", "T02333400001"),
    ("6454", "T16454990001"),
    ("3344", "T03344210002"),
    ("6353", "T16353990002"),
    ("4453", "T04453220005"),
    ("5242", "T15242410105"),
    ("5362", "GE0114"),
];

#[test]
fn a_captured_game_has_the_same_points() {
    let mut record = String::new();
    let mut seen = play("tuc-chess", START, "").unwrap();
    for (mv, message) in CAPTURED {
        let (rest, points) = message.split_at(message.len() - 4);
        let points = [points[..2].parse().unwrap(), points[2..].parse().unwrap()];
        record = format!("{record} {mv}");
        seen = play("tuc-chess", START, &record).unwrap();
        if seen.position.ends_with("?+") {
            // What a taken bonus was worth shows only in the points.
            record += if seen.points == Some(points) { " +0" } else { " +1" };
            seen = play("tuc-chess", START, &record).unwrap();
        }
        assert_eq!(seen.points, Some(points), "{record}");
        if let Some(message) = rest.strip_prefix('T') {
            assert!(seen.position.ends_with("?@"), "{record}: {}", seen.position);
            let square = &message[5..];
            let outcome = if square == "99" { "-" } else { square };
            record = format!("{record} @{outcome}");
            seen = play("tuc-chess", START, &record).unwrap();
            let next = usize::from(message.starts_with('1'));
            assert_eq!(seen.turn, Turn::Player(Player::BOTH[next]), "{record}");
        }
    }
    assert_eq!(record.trim(), "5444 @- 1323 @- 5343 @42 2333 +1 @40 6454 @- 3344 @21 6353 @- 4453 @22 5242 +1 @41 5362");
    assert_eq!(seen.position, "prkrp/ppp1p/1**2/***1*/**PP1/PP2P/PR3 w 1 14 10");
    assert_eq!(seen.end(), ("second", "Black has captured the king; White 1, Black 14"));
    let mut second = naive::open("tuc-chess", START);
    record.split_whitespace().for_each(|mv| second.play(mv));
    assert_eq!((second.position(), second.points()), (seen.position.clone(), seen.points));
    // The same in the notation for people.
    let labels = "e2e3 @- d6d5 @- d2d3 @c3 d5d4 +1 @a3 e1e2 @- d4e3 @b5 d1d2 @- e3d2 @c5 c2c3 +1 @b3 d2c1";
    assert_eq!(play("tuc-chess", START, labels).unwrap(), seen);
}

#[test]
fn the_start_and_its_counts_by_the_naive_generator() {
    fn count(position: &str, depth: u32) -> u64 {
        let here = naive::open("tuc-chess", position);
        if depth == 0 {
            return 1;
        }
        let after = |mv: String| {
            let mut child = naive::open("tuc-chess", position);
            child.play(&mv);
            while let Some((usual, _)) = child.chance().into_iter().max_by(|a, b| a.1.total_cmp(&b.1)) {
                child.play(&usual);
            }
            count(&child.position(), depth - 1)
        };
        here.moves().into_iter().map(after).sum()
    }
    assert_eq!(look("tuc-chess", None).position, START);
    let counts: Vec<u64> = (1..=5).map(|depth| count(START, depth)).collect();
    assert_eq!(counts, [5, 25, 150, 903, 6250]);
}

#[test]
fn events_come_in_their_order_with_their_probabilities() {
    let board = "2k2/5/5/1*3/1P3/5/2K2 w 0 0 0";
    let seen = play("tuc-chess", board, "b3b4").unwrap();
    assert_eq!(seen.position, "2k2/5/5/1P3/5/5/2K2 b 0 0 1 ?+");
    assert_eq!(outcomes(&seen), "+1 0.9500, +0 0.0500");
    let seen = play("tuc-chess", board, "b3b4 +1").unwrap();
    assert_eq!(seen.position, "2k2/5/5/1P3/5/5/2K2 b 1 0 1 ?@");
    assert_eq!(seen.outcomes.len(), 33);
    assert_eq!((seen.outcomes[0].0.as_str(), seen.outcomes[0].1), ("@-", 0.8));
    assert!(seen.outcomes[1..].iter().all(|outcome| (outcome.1 - 0.2 / 32.0).abs() < 1e-12));
    let seen = play("tuc-chess", board, "b3b4 +0 @42").unwrap();
    assert_eq!(seen.position, "2k2/5/5/1P3/2*2/5/2K2 b 0 0 1");

    // A certain outcome is still an event, and impossible ones are not listed.
    assert_eq!(outcomes(&play("tuc-chess:worth=1", board, "b3b4").unwrap()), "+1 1.0000");
    assert_eq!(outcomes(&play("tuc-chess:worth=0", board, "b3b4").unwrap()), "+0 1.0000");
    assert_eq!(outcomes(&play("tuc-chess:appear=0", board, "b3b4 +1").unwrap()), "@- 1.0000");
    assert!(!outcomes(&play("tuc-chess:appear=1", board, "b3b4 +1").unwrap()).contains("@-"));
    let full = "*****/**k**/*****/*****/*****/**K**/***** b 0 0 1 ?@";
    let error = play("tuc-chess", full, "").unwrap_err().to_string();
    assert!(error.contains("the game is over"), "{error}");
    let full = "*****/**k**/*****/*****/**P**/**K**/***** b 0 0 1 ?@";
    assert_eq!(outcomes(&play("tuc-chess:appear=1", full, "").unwrap()), "@- 1.0000");
}

#[test]
fn every_end_is_told_with_its_reason() {
    let ends = [
        // A rook takes the king, and loses all the same.
        ("2k2/2R2/5/5/5/p4/2K2 w 2 11 8", "c6c7", "second", "White has captured the king; White 10, Black 11"),
        // A pawn takes the king on the last rank: 8 + 1.
        ("2k2/1P3/5/5/5/5/2K2 w 0 9 8", "b6c7", "draw", "White has captured the king; White 9, Black 9"),
        // The last pawn leaves the board and takes a bonus there: the bonus is drawn, but none appears.
        ("*3k/P4/5/5/5/5/2K2 w 0 0 8", "a6a7 +1", "first", "only the kings are left; White 2, Black 0"),
        ("*3k/P4/5/5/5/5/2K2 w 0 2 8", "a6a7 +0", "second", "only the kings are left; White 1, Black 2"),
        ("4k/5/5/5/5/1p3/1K3 w 0 0 8", "b1b2", "first", "only the kings are left; White 1, Black 0"),
        // Black's pieces stand in each other's way.
        ("kp3/pP3/P4/5/5/2R2/2K2 w 0 0 8", "c2d2", "draw", "Black has no legal move; White 0, Black 0"),
    ];
    for (position, moves, result, why) in ends {
        let seen = play("tuc-chess", position, moves).unwrap();
        assert_eq!(seen.end(), (result, why), "{position} {moves}");
        assert!(seen.moves.is_empty() && seen.outcomes.is_empty());
    }
    // The limit: the bonus of the last move counts, none appears.
    let last = "2k2/5/5/1*3/1P3/5/2K2 w 0 0 29";
    let seen = play("tuc-chess:limit=30", last, "b3b4 +1").unwrap();
    assert_eq!(seen.end(), ("first", "the limit of 30 plies is reached; White 1, Black 0"));
    let error = play("tuc-chess:limit=30", last, "b3b4 +1 @-").unwrap_err().to_string();
    assert!(error.contains("the game is over"), "{error}");
}

#[test]
fn rooks_stop_at_three_squares_pieces_and_bonuses() {
    let seen = play("tuc-chess", "k4/5/1*3/5/pR3/5/1K3 w 0 0 0", "").unwrap();
    let mut rook: Vec<&str> = seen.moves.iter().map(String::as_str).filter(|mv| mv.starts_with("41")).collect();
    rook.sort_unstable();
    // Up onto the bonus and no further; left onto the pawn; right to the edge; down to the king.
    assert_eq!(rook, ["4121", "4131", "4140", "4142", "4143", "4144", "4151"]);
}

#[test]
fn bad_positions_say_what_is_wrong() {
    let cases = [
        ("prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 0", "found [\"w\", \"0\", \"0\"]"),
        ("prkrp/ppppp/5/*****/5/PPPPP/PRKRP x 0 0 0", "side to move: expected w or b"),
        ("prkrp/ppppp/5/*****/5/PPPPP/PRKRP w -1 0 0", "White's points: expected a number from 0 to 9999"),
        ("prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 10000 0", "Black's points: expected a number from 0 to 9999"),
        ("prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 0 201", "plies: expected a number from 0 to 200"),
        ("prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 0 1 ?-", "chance: expected ?+ or ?@, found '?-'"),
        ("prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 0 0 ?@", "chance can only be due after a move"),
        ("prkrp/ppppp/5/*****/PPPPP/PRKRP w 0 0 0", "its board is 5x6"),
        ("prkrpp/6/6/6/6/6/PRKRPP w 0 0 0", "its board is 6x7"),
        ("pqkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 0 0", "unknown piece 'q'"),
        ("prkrp/ppppp/5/*****/5/PPPPP/PKKRP w 0 0 0", "White has 2 kings; there are never more than 1"),
        ("prkrp/ppppp/5/r4/5/PPPPP/PRKRP w 0 0 0", "Black has 3 rooks; there are never more than 2"),
        ("prkrp/ppppp/5/p4/5/PPPPP/PRKRP w 0 0 0", "Black has 8 pawns; there are never more than 7"),
        ("P1k2/5/5/5/5/5/2K2 w 0 0 0", "White has a pawn on a7, its last rank"),
        ("2k2/5/5/5/5/5/2K1p w 0 0 0", "Black has a pawn on e1, its last rank"),
        ("prrpp/5/5/5/5/5/PRRPP w 0 0 0", "there is no king on the board"),
        ("prrpp/5/5/5/5/5/PRKPP w 0 0 0", "Black has no king, but Black made the last move"),
        ("2k2/5/5/5/5/P4/5 w 0 0 5 ?@", "the game is over: no bonus appears any more"),
        ("2k2/5/5/5/5/P4/2K2 w 0 0 200 ?@", "the game is over: no bonus appears any more"),
    ];
    for (position, message) in cases {
        let error = refusal("tuc-chess", Some(position), &[]);
        assert!(error.contains(message), "{position}: {error}");
    }
    // A missing king is the end of a game, and so is a bonus still to be drawn after it.
    assert_eq!(play("tuc-chess", "2k2/5/5/5/5/P4/5 w 0 8 5", "").unwrap().result(), "second");
    assert_eq!(play("tuc-chess", "2k2/5/5/5/5/P4/5 w 9 8 5 ?+", "+1").unwrap().result(), "draw");
}

#[test]
fn bad_moves_say_what_is_wrong() {
    let position = "2k1p/5/1*1p1/1R3/p1P2/P2P1/2K2 w 0 0 4";
    let cases = [
        ("", "expected row, column, row, column"),
        ("5", "expected row, column, row, column"),
        ("7242", "expected rows from 0 (the top) to 6"),
        ("5262é", "expected row, column, row, column"),
        ("c2", "expected two squares"),
        ("c2f9", "the board has the squares a1 to e7"),
        ("@-", "chance has nothing to decide here; White is to move"),
        ("b7b6", "there is no piece on b7"),
        ("b5b6", "the bonus on b5 is not White's"),
        ("c7c6", "the king on c7 is not White's"),
        ("d2c3", "White's own pawn stands on c3"),
        ("a2a3", "a pawn cannot capture straight ahead, and a3 is occupied"),
        ("c3d4", "a pawn moves diagonally only to capture; no piece is on d4"),
        ("c3c2", "a pawn moves one square ahead"),
        ("c3c5", "a pawn moves one square ahead"),
        ("b4b6", "a piece or a bonus is in the way of the rook between b4 and b6"),
        ("b4c5", "a rook moves one to three squares along a rank or file"),
        ("c1b2", "a king moves one square along a rank or file"),
    ];
    for (mv, message) in cases {
        let error = refusal("tuc-chess", Some(position), &[mv]);
        assert!(error.contains(message), "{mv}: {error}");
    }
    let error = play("tuc-chess", position, "b4b5 5262").unwrap_err().to_string();
    assert_eq!(error, "a chance outcome is needed here, found '5262'; possible: +0 +1");
}

#[test]
fn specs_name_what_differs_from_the_default() {
    let cases = [
        ("tuc-chess:year=2022,limit=200,worth=0.95", "tuc-chess"),
        ("tuc-chess:year=2019", "tuc-chess:year=2019"),
        ("tuc-chess:worth=0.9,appear=0.1", "tuc-chess:worth=0.9,appear=0.1"),
        ("tuc-chess:limit=1,appear=1e-1,year=2021", "tuc-chess:year=2021,limit=1"),
        ("tuc-chess:worth=-0", "tuc-chess:worth=0"),
    ];
    for (spec, written) in cases {
        assert_eq!(look(spec, None).spec, written);
    }
    for (spec, message) in [
        ("tuc-chess:year=2020", "unknown value of 'year' '2020'"),
        ("tuc-chess:worth=1.1", "expected worth from 0 to 1"),
        ("tuc-chess:appear=nan", "expected appear from 0 to 1"),
        ("tuc-chess:limit=0", "expected limit from 1 to 10000"),
        ("tuc-chess:limit=10001", "expected limit from 1 to 10000"),
    ] {
        let error = refusal(spec, None, &[]);
        assert!(error.contains(message), "{spec}: {error}");
    }
}

#[test]
fn points_stay_within_what_can_be_written() {
    let seen = play("tuc-chess", "2k2/2R2/5/5/5/p4/2K2 w 9998 9999 8", "c6c7").unwrap();
    assert_eq!(seen.points, Some([9_999, 9_999]));
}

/// The report's evaluation, from the text of a position and the naive rules: of both kings, or of one player's own.
fn report(position: &str, own: Option<char>) -> f32 {
    let (rows, fields) = naive::read(position);
    let points: Vec<f32> = fields[1..3].iter().map(|field| field.parse().unwrap()).collect();
    let taken = if fields.last().unwrap() == "?+" { 0.95 } else { 0.0 };
    let margin = points[0] - points[1] + if fields[0] == "b" { taken } else { -taken };
    let mut score = margin;
    let mut kings = 0;
    for (r, row) in rows.iter().enumerate() {
        for (c, &cell) in row.iter().enumerate() {
            let sign = if cell.is_ascii_uppercase() { 1.0 } else { -1.0 };
            score += match cell.to_ascii_lowercase() {
                'r' => 10.0 * sign,
                'p' => sign,
                'k' => {
                    kings += 1;
                    let attacker = if cell == 'K' { "b" } else { "w" };
                    let board = position.split(' ').next().unwrap();
                    let replies = naive::open("tuc-chess", &format!("{board} {attacker} 0 0 0")).moves();
                    let counts = own.is_none_or(|own| own == cell);
                    if counts && replies.iter().any(|mv| mv.ends_with(&format!("{r}{c}"))) { -4.0 * sign } else { 0.0 }
                }
                _ => 0.0,
            };
        }
    }
    let (captor, king) = if fields[0] == "b" { (1.0, 'K') } else { (-1.0, 'k') };
    let counts = own.is_none_or(|own| own == king);
    if counts && kings == 1 && margin * captor < 0.0 { score - 20.0 * captor } else { score }
}

#[test]
fn the_report_is_evaluated_as_described() {
    struct Walk;
    impl Visitor for Walk {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let mut rng = Seed(11).rng();
            let mut scratch = Scratch::default();
            let mut state = start.clone();
            for _ in 0..20_000 {
                let mv = match game.turn(&state) {
                    Turn::Over(_) => {
                        state = start.clone();
                        continue;
                    }
                    Turn::Player(_) => game.random_move(&state, &mut rng, &mut scratch),
                    Turn::Chance => game.random_outcome(&state, &mut rng, &mut scratch),
                };
                let Seen { position, scores, .. } = Seen::new(&game, &state);
                assert!((scores[0] - report(&position, None)).abs() < 1e-3, "{position}: {scores:?}");
                for (player, king) in [(Player::First, 'K'), (Player::Second, 'k')] {
                    let mut own = game.evaluator("report-own-king", &Params::default()).unwrap();
                    assert_eq!(own.side_with(player), player == Player::Second, "it begins with White");
                    assert!(!own.side_with(player));
                    let score = own.score(&game, &state);
                    assert!((score - report(&position, Some(king))).abs() < 1e-3, "{position}, {king}: {score}");
                }
                assert_eq!(scores[3], if scores[1] == 0.0 { 0.0 } else { 10_f32.copysign(scores[1]) }, "{position}");
                game.play(&mut state, mv);
            }
        }
    }
    open("tuc-chess", None, Walk).unwrap();
    let seen = play("tuc-chess", "5/1r3/2R2/5/5/p4/2K2 b 11 12 9 ?+", "").unwrap();
    assert_eq!(
        seen.scores[..4],
        [-1.0 + 0.95 - 1.0 - 20.0, -1.0 + 0.95, -1.0 + 0.95 - 1.0 - 20.0, -10.0],
        "the evaluations of the report"
    );
}

/// Follows random lines without chance, and beside them the same moves with every bonus worth a point and none appearing.
struct WithoutChance {
    worth: f32,
    seen: usize,
}

impl Visitor for WithoutChance {
    type Output = usize;
    fn visit<G: PlayableGame>(mut self, game: G, start: G::State) -> usize {
        let points = game.evaluator("points", &Params::default()).unwrap();
        let mut rng = Seed(14).rng();
        let text = |state: &G::State| -> Vec<String> { game.position_text(state).split(' ').map(str::to_owned).collect() };
        for _ in 0..400 {
            let (mut quiet, mut usual, mut undrawn) = (start.clone(), start.clone(), 0_i32);
            for ply in 0..40 {
                let (mut moves, mut same) = (Vec::new(), Vec::new());
                game.moves(&quiet, &mut moves);
                game.moves(&usual, &mut same);
                // What the bonuses count may decide the result, but not whether the game goes on.
                assert_eq!(moves, same);
                if moves.is_empty() {
                    break;
                }
                let mv = moves[rng.below(moves.len() as u32) as usize];
                game.play_without_chance(&mut quiet, mv);
                game.play(&mut usual, mv);
                if text(&usual).last().unwrap() == "?+" {
                    undrawn += if ply % 2 == 0 { 1 } else { -1 };
                    let worth = game.legal_move(&usual, "+1").unwrap();
                    game.play(&mut usual, worth);
                    self.seen += 1;
                }
                if game.turn(&usual) == Turn::Chance {
                    let none = game.legal_move(&usual, "@-").unwrap();
                    game.play(&mut usual, none);
                }
                let (here, there) = (text(&quiet), text(&usual));
                assert_eq!([&here[..2], &here[4..]], [&there[..2], &there[4..]], "the same board and side to move");
                let wanted = points.score(&game, &usual) - (1.0 - self.worth) * undrawn as f32;
                assert!((points.score(&game, &quiet) - wanted).abs() < 1e-3, "{here:?}");
                assert_eq!(game.hash(&quiet) == game.hash(&usual), quiet == usual, "{here:?}");
                if let (Turn::Over(here), Turn::Over(there)) = (game.turn(&quiet), game.turn(&usual)) {
                    let margin = f64::from(there.margin) - f64::from(1.0 - self.worth) * f64::from(undrawn);
                    let sign = if margin.abs() < 1e-6 { 0.0 } else { margin.signum() as f32 };
                    assert_eq!(here.value(), sign, "{:?}: {margin}", text(&quiet));
                }
            }
        }
        self.seen
    }
}

#[test]
fn without_chance_nothing_appears_and_a_bonus_counts_its_mean() {
    for (spec, worth) in [("tuc-chess", 0.95), ("tuc-chess:worth=0.5,appear=0.9,limit=12", 0.5), ("tuc-chess:worth=0.25", 0.25)] {
        let seen = open(spec, None, WithoutChance { worth, seen: 0 }).unwrap();
        assert!(seen > 500, "{spec}: {seen} bonuses were taken");
    }
}

/// The piece that moves, what stands where it goes, and whether that is the last rank of the mover.
fn told(position: &str, mv: &str) -> (char, char, bool) {
    let (rows, fields) = naive::read(position);
    let digits: Vec<usize> = mv.chars().map(|c| c.to_digit(10).unwrap() as usize).collect();
    let last = if fields[0] == "w" { 0 } else { rows.len() - 1 };
    (rows[digits[0]][digits[1]].to_ascii_lowercase(), rows[digits[2]][digits[3]].to_ascii_lowercase(), digits[2] == last)
}

#[test]
fn hints_are_captures_by_value_then_points() {
    assert_hints_follow("tuc-chess", |position, mv| {
        let (piece, target, at_the_end) = told(position, mv);
        let arrives = i32::from(piece == 'p' && at_the_end);
        let value = |piece| "prk".find(piece).map_or(0, |kind| [1, 3, 8][kind]);
        if target == '*' || target == '.' {
            (0, 0, i32::from(target == '*') + arrives)
        } else {
            // A pawn that takes on its last rank earns a point more, which counts more than what it might lose.
            (value(target), arrives, -value(piece))
        }
    });
}

#[test]
fn captures_are_noisy() {
    let asked = advice("tuc-chess", 500);
    for (advice, (mv, _, noisy)) in asked.iter().flat_map(|advice| advice.moves.iter().map(move |about| (advice, about))) {
        let (_, target, _) = told(&advice.position, mv);
        assert_eq!(*noisy, target.is_ascii_alphabetic(), "{}: {mv}", advice.position);
    }
}

/// A position with the colours swapped and the board turned upside down.
fn swapped(position: &str) -> String {
    let fields: Vec<&str> = position.split(' ').collect();
    let turned = |letter: char| if letter.is_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() };
    let board: Vec<String> = fields[0].split('/').rev().map(|rank| rank.chars().map(turned).collect()).collect();
    let side = if fields[1] == "w" { "b" } else { "w" };
    let rest = fields[5..].iter().map(|field| format!(" {field}"));
    format!("{} {side} {} {} {}{}", board.join("/"), fields[3], fields[2], fields[4], rest.collect::<String>())
}

#[test]
fn the_fitted_evaluation_is_fair_and_gaining_moves_are_those_that_may_earn() {
    let game = TucChess::default();
    let fitted = game.evaluator("fitted", &Params::default()).unwrap();
    let score = |text: &str| open_one::<Rules, _>("tuc-chess", Some(text), Scored).unwrap();
    let (mut seen, mut gaining, mut moves) = (0, Vec::new(), Vec::new());
    for seed in 0..20 {
        let (mut state, mut rng, mut scratch) = (game.start(), Seed(seed).rng(), Scratch::default());
        while !matches!(game.turn(&state), Turn::Over(_)) {
            let text = game.position_text(&state);
            let value = fitted.score(&game, &state);
            let other = score(&swapped(&text));
            assert!((value + other).abs() < 1e-3, "{text}: {value}, with the colours swapped {other}");
            seen += 1;
            let Turn::Player(_) = game.turn(&state) else {
                let outcome = game.random_outcome(&state, &mut rng, &mut scratch);
                game.play(&mut state, outcome);
                continue;
            };
            game.moves(&state, &mut moves);
            game.gaining_moves(&state, &mut gaining);
            moves.retain(|&mv| {
                let mut child = state;
                game.play(&mut child, mv);
                game.points(&child) != game.points(&state) || game.position_text(&child).ends_with("?+")
            });
            assert_eq!(gaining, moves, "{text}");
            let mv = game.random_move(&state, &mut rng, &mut scratch);
            game.play(&mut state, mv);
        }
    }
    assert!(seen > 1_000, "{seen} positions");
}

#[test]
fn a_player_may_pass_with_a_rook_where_the_other_can_move() {
    let state = |text| open_one::<Rules, _>("tuc-chess", Some(text), Read).unwrap();
    let game = TucChess::default();
    let passed = |text| game.passed(&state(text)).map(|passed| game.position_text(&passed));
    assert_eq!(passed("2k2/5/5/1*3/1R3/5/2K2 w 3 0 10").as_deref(), Some("2k2/5/5/1*3/1R3/5/2K2 b 3 0 10"));
    assert_eq!(passed("2k2/5/5/1*3/1P3/5/2K2 w 3 0 10"), None, "with kings and pawns alone, having to move decides games");
}

#[test]
fn with_two_kings_the_game_ends_or_goes_on() {
    let left = "2k2/5/5/5/5/1p3/1K3 w 9 9 60";
    let seen = play("tuc-chess", left, "6151").unwrap();
    assert!(matches!(seen.turn, Turn::Over(_)));
    let seen = play("tuc-chess:kings=play", left, "6151 @42 0201 @-").unwrap();
    assert_eq!(seen.turn, Turn::Player(Player::First), "{}", seen.position);
    assert!(play("tuc-chess:kings=perhaps", left, "").is_err());
}

struct Scored;

impl Visitor for Scored {
    type Output = f32;
    fn visit<G: PlayableGame>(self, game: G, state: G::State) -> f32 {
        game.evaluator("fitted", &Params::default()).unwrap().score(&game, &state)
    }
}

struct Read;

impl Visitor for Read {
    type Output = State;
    fn visit<G: PlayableGame>(self, _: G, state: G::State) -> State {
        let state: Box<dyn std::any::Any> = Box::new(state);
        *state.downcast().expect("a position of TUC-Chess")
    }
}
