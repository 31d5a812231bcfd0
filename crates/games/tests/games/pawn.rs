//! The Pawn Game: test vectors of the specification, solved boards, bad positions, and the study's evaluations.

use std::collections::{HashMap, HashSet};

use plyground_core::{Evaluator, Game, Params, PlayableGame, Scratch, Seed, Turn, Visitor};
use plyground_games::open;
use serde::Deserialize;

use crate::common::{advice, assert_hints_follow, best_result, children, judge, look, refusal};
use crate::naive;

fn moves(position: &str) -> String {
    let mut moves = look("pawn", Some(position)).moves;
    moves.sort_unstable();
    moves.join(" ")
}

#[test]
fn legal_moves_of_the_test_position() {
    let board = "6/2ppp1/1PPP1p/pP4/PP1p1P/6";
    assert_eq!(moves(&format!("{board} b")), "a3b2 c5b4 c5d4 d2d1 d5c4 e5d4 e5e4 f4f3");
    assert_eq!(moves(&format!("{board} w")), "b2a3 b4b5 b4c5 c4d5 d4c5 d4e5 f2f3");
}

#[test]
fn double_steps() {
    // From the start rank over an empty square onto an empty square, and not otherwise.
    assert_eq!(moves("1/1/p/1/1/P/1 w double"), "a2a3 a2a4");
    assert_eq!(moves("1/p/1/1/P/1/1 w double"), "a3a4");
    assert_eq!(moves("1/1/1/p/1/P/1 w double"), "a2a3");
    assert_eq!(moves("2/1p/2/1p/P1/2 b double"), "b3a2 b3b2 b5b4");
    assert_eq!(moves("1/p/1/1/1/P/1 b double"), "a6a4 a6a5");
    assert_eq!(moves("1/1/1/p/1/P/1 w"), "a2a3", "without the variant no pawn steps two squares");
}

#[test]
fn the_variant_comes_from_the_spec_or_from_the_position() {
    let start = "4/pppp/4/4/PPPP/4 w double";
    let spec = "pawn:size=4x6,double";
    for (spec_given, position) in [
        (spec, None),
        ("pawn", Some(start)),
        ("pawn:size=4x6", Some(start)),
        ("pawn:double", Some(start)),
        ("pawn:double", Some("4/pppp/4/4/PPPP/4 w")),
    ] {
        let seen = look(spec_given, position);
        assert_eq!((seen.spec.as_str(), seen.position.as_str()), (spec, start), "{spec_given} {position:?}");
    }
    assert_eq!(look("pawn", None).position, "pppp/4/4/PPPP w");
}

#[test]
fn games_end_in_three_ways() {
    for (position, result, why) in [
        ("P3/2p1/4/2P1 b", "first", "White has a pawn on the far rank"),
        ("P3/4/4/4 b", "first", "White has a pawn on the far rank"),
        ("2p1/4/4/2Pp w", "second", "Black has a pawn on the far rank"),
        ("4/1P2/4/4 b", "first", "Black has no pawn left"),
        ("4/1p2/4/4 w", "second", "White has no pawn left"),
        ("4/1p2/1P2/4 w", "second", "White has no legal move"),
        ("4/1p2/1P2/4 b", "first", "Black has no legal move"),
        ("4/1p2/P3/4 w", "open", ""),
    ] {
        assert_eq!(look("pawn", Some(position)).end(), (result, why), "{position}");
    }
}

#[derive(Deserialize)]
struct Oracle {
    starts: Vec<Start>,
}

#[derive(Deserialize)]
struct Start {
    size: String,
    double: bool,
    first_wins: bool,
    plies: Option<i32>,
}

fn oracle() -> Vec<Start> {
    let oracle: Oracle = serde_json::from_str(include_str!("../data/pawn.json")).unwrap();
    oracle.starts
}

/// All of the game tree, each position once: plies to the end with best play (fastest win, slowest loss), positive for a win of the
/// side to move, negative or 0 for a loss.
struct Plies;

impl Visitor for Plies {
    type Output = i32;
    fn visit<G: PlayableGame>(self, game: G, state: G::State) -> i32 {
        plies(&game, &state, &mut HashMap::new())
    }
}

fn plies<G: Game>(game: &G, state: &G::State, known: &mut HashMap<G::State, i32>) -> i32 {
    if let Some(&plies) = known.get(state) {
        return plies;
    }
    let (mut fastest_win, mut slowest_loss) = (None, 0);
    for child in children(game, state) {
        let after = plies(game, &child, known);
        if after <= 0 {
            let win = 1 - after;
            fastest_win = Some(fastest_win.map_or(win, |best: i32| best.min(win)));
        } else {
            slowest_loss = slowest_loss.min(-after - 1);
        }
    }
    let best = fastest_win.unwrap_or(slowest_loss);
    known.insert(state.clone(), best);
    best
}

/// Boards that brute force settles in a moment; the solver's own tests have the others.
fn is_small(start: &Start) -> bool {
    let (files, ranks) = start.size.split_once('x').unwrap();
    let squares = files.parse::<u32>().unwrap() * ranks.parse::<u32>().unwrap();
    squares <= if start.double { 35 } else { 28 }
}

#[test]
fn solved_boards() {
    let (mut winners, mut lengths) = (0, 0);
    for start in oracle().into_iter().filter(is_small) {
        let variant = if start.double { ",double" } else { "" };
        let spec = format!("pawn:size={}{variant}", start.size);
        assert_eq!(best_result(&spec, None), if start.first_wins { "first" } else { "second" }, "{spec}");
        winners += 1;
        if let Some(expected) = start.plies {
            let found = open(&spec, None, Plies).unwrap();
            assert_eq!((found > 0, found.abs()), (start.first_wins, expected), "{spec}");
            lengths += 1;
        }
    }
    assert_eq!((winners, lengths), (52, 25));
}

#[test]
fn impossible_positions_say_why() {
    for (position, wanted) in [
        ("4/4/4/4 w", "there is no pawn on the board"),
        ("4/4/1P2/4 w", "Black has no pawn left, with White to move: the game was over before the last move"),
        ("1P2/4/4/4 w", "Black has no pawn left, with White to move: the game was over before the last move"),
        ("4/4/1p2/4 b", "White has no pawn left, with Black to move: the game was over before the last move"),
        (
            "1P2/p3/4/4 w",
            "White's pawn on b4 is on the far rank with the same side to move: the game was over before the last move",
        ),
        (
            "4/4/P3/3p b",
            "Black's pawn on d1 is on the far rank with the same side to move: the game was over before the last move",
        ),
        (
            "P3/4/4/3p w",
            "White's pawn on a4 is on the far rank with the same side to move: the game was over before the last move",
        ),
        ("P2P/4/1p2/4 b", "White has 2 pawns on the far rank, but the first one won"),
        (
            "4/pppp/4/4/4/P3 w double",
            "White's pawn on a1 is behind the rank where pawns start with double, and pawns never move back",
        ),
        (
            "2p1/4/4/4/PPPP/4 b double",
            "Black's pawn on c6 is behind the rank where pawns start with double, and pawns never move back",
        ),
        ("pppp/4/4/PPPP x", "side to move: expected w or b, found 'x'"),
        ("pppp/4/4/PPPP w doble", "variant: expected double, found 'doble'"),
        ("pppp/4/4/PPPP", "expected after the board, each behind a single space: side to move and perhaps double; found []"),
        ("pppp/4/4/PPPR w", "row 4 from the top has the unknown piece 'R'; expected P p or a number"),
        ("pppp/4/3/PPPP w", "row 3 from the top is 3 wide, the rows above are 4 wide"),
    ] {
        assert_eq!(refusal("pawn", Some(position), &[]), format!("malformed position '{position}': {wanted}"));
    }
    let message = refusal("pawn:size=5x5", Some("pppp/4/4/PPPP w"), &[]);
    assert!(message.ends_with("its board is 4x4, but size=5x5 was asked for"), "{message}");
}

#[test]
fn impossible_sizes_say_what_is_possible() {
    for size in ["4x2", "13x10", "27x3", "12x11"] {
        let wanted = "expected at least 3 rows, and at most 26 columns and 128 squares";
        assert_eq!(refusal(&format!("pawn:size={size}"), None, &[]), format!("malformed size '{size}': {wanted}"));
    }
    assert_eq!(
        refusal("pawn:size=4x4,double", None, &[]),
        "malformed size '4x4': expected at least 5 rows with double, and at most 26 columns and 128 squares"
    );
    assert!(refusal("pawn", Some("pppp/PPPP w"), &[]).starts_with("malformed size '4x2'"));
    assert!(refusal("pawn:double", Some("pppp/4/4/PPPP w"), &[]).starts_with("malformed size '4x4'"));
    for size in ["1x3", "21x3", "1x64", "8x8", "12x5", "13x5", "9x9", "10x10", "16x8", "26x4", "1x65"] {
        look(&format!("pawn:size={size}"), None);
    }
}

#[test]
fn random_starts_lie_between_the_first_and_the_last_rank() {
    let mut starts = HashSet::new();
    for seed in 0..300 {
        for size in ["4x4", "1x4", "2x3", "10x10", "5x6"] {
            let spec = format!("pawn:size={size},random={seed}");
            let seen = look(&spec, None);
            assert_eq!(seen.spec, spec);
            assert_eq!(seen.position, look(&spec, None).position, "the same seed, the same start");
            let (rows, _) = naive::read(&seen.position);
            let count = |letter: char| rows.iter().flatten().filter(|&&cell| cell == letter).count();
            assert!((1..=rows.len()).contains(&count('P')) && (1..=rows.len()).contains(&count('p')), "{}", seen.position);
            assert!(rows[0].iter().chain(&rows[rows.len() - 1]).all(|&cell| cell == '.'), "{}", seen.position);
            assert!(!seen.moves.is_empty(), "{}", seen.position);
            if size == "4x4" {
                starts.insert(seen.position);
            }
        }
    }
    assert!(starts.len() > 250, "{}", starts.len());
    assert_eq!(
        refusal("pawn:size=1x3,random=1", None, &[]),
        "malformed size '1x3': random=SEED needs two squares or more between the first and the last rank"
    );
}

/// What the study's program makes of the position, written out for one each: see also the tests of the session crate.
#[test]
fn the_numbers_of_the_studys_program() {
    // White to move: promotion 1; from b2 and a2 on there are a3 and, above b2 on b3, a pawn at once: 1 counted.
    let white = "p3/1pp1/PP1P/4 w";
    assert_eq!(score(white, "advanced", "as=code"), 2.0);
    // Black to move, and White still the view: going up, Black's pawns on b3, c3 and a4 have no pawn of White above them: 0 counted,
    // promotion 1, and the sign is turned.
    let black = "p3/1pp1/PP1P/4 b";
    assert_eq!(score(black, "advanced", "as=code"), -1.0);
    assert_eq!(score(black, "advanced", "as=code,sign=view"), 1.0);
    assert_eq!(score(black, "advanced", "sign=turn"), -2.0);
    assert_eq!(score(white, "advanced", "sign=turn"), 2.0);
    // Own pawns are counted like gaps: from a1 on there are a2, which is White's own, and a3.
    assert_eq!(score("p3/4/P3/P3 w", "advanced", "gaps=onward"), score("p3/4/P3/P3 w", "advanced", "") - 1.0 - 2.0);
    assert_eq!(score("pp2/4/4/PPP1 b", "simple", "as=code"), -2.0);
    assert_eq!(score("pp2/4/4/PPP1 b", "simple", "as=code,view=second"), 0.0);
}

#[test]
fn illegal_moves_say_why() {
    for (position, mv, wanted) in [
        ("4/1p2/PP2/4 w", "b2b3", "b3 is occupied, and a pawn captures diagonally only"),
        ("4/1p2/PP2/4 w", "b2c3", "there is no pawn to capture on c3"),
        ("4/1pP1/PP2/4 w", "b2c3", "the pawn on c3 is your own"),
        ("4/1p2/PP2/4 w", "b3a2", "the pawn on b3 is the opponent's"),
        ("4/1p2/PP2/4 w", "d1d2", "there is no pawn on d1"),
        ("4/1p2/PP2/4 w", "a2a1", "a pawn moves forward only"),
        ("4/1p2/PP2/4 b", "b3b4", "a pawn moves forward only"),
        ("4/1p2/PP2/4 w", "a2b2", "a pawn moves forward only"),
        ("4/1p2/PP2/4 w", "a2c4", "a pawn steps one square forward or captures one square diagonally forward"),
        ("4/1p2/PP2/4 w", "a2a4", "a pawn steps one square; two only in the variant double"),
        ("1/1/p/1/P/1/1 w double", "a3a5", "a pawn steps two squares only from the rank on which it started"),
        ("1/1/1/p/1/P/1 w double", "a2a4", "both squares in front of the pawn must be empty for a double step"),
        ("P3/2p1/4/2P1 b", "c3c2", "the game is over (first)"),
    ] {
        assert_eq!(refusal("pawn", Some(position), &[mv]), format!("illegal move '{mv}': {wanted}"), "{position}");
    }
    let message = refusal("pawn", None, &["a1a5"]);
    assert_eq!(message, "malformed move 'a1a5': square 'a5': the board has the squares a1 to d4");
}

fn score(position: &str, evaluator: &str, keys: &str) -> f32 {
    judge("pawn", position, evaluator, keys).unwrap().0
}

#[test]
fn the_numbers_of_the_studys_worked_example() {
    // White has 2 + 2 + 2 squares to go and Black 3 + 2 + 2, the pawns are equal, and a3 is the only gap between facing pawns.
    let position = "p3/1pp1/PP1P/4 w";
    assert_eq!(score(position, "simple", ""), 0.0);
    assert_eq!(score(position, "advanced", ""), 2.0);
    // For Black promotion is -1 and distance 1 again: 0 for the study's second player.
    assert_eq!(score(position, "advanced", "view=second"), 0.0);
}

#[test]
fn the_simple_value_of_more_and_fewer_pawns() {
    for (board, first, second) in [
        ("pp2/4/4/PP2", 0.0, 0.0),
        ("pp2/4/4/PPP1", 2.0, 0.0),
        ("pp2/4/4/PPPP", 6.0, -2.0),
        ("ppp1/4/4/PP2", 0.0, 2.0),
        ("pppp/4/4/PP2", -2.0, 6.0),
        ("pppp/4/4/P3", -6.0, 12.0),
    ] {
        for side in ["w", "b"] {
            let position = format!("{board} {side}");
            assert_eq!(score(&position, "simple", "view=first"), first, "{position}");
            assert_eq!(score(&position, "simple", "view=second"), -second, "{position}");
        }
    }
}

/// The advanced value read off the rows of a board, square by square, for White or for Black.
fn plain_advanced(position: &str, white: bool) -> i32 {
    let (rows, _) = naive::read(position);
    let (mut togo_white, mut togo_black, mut pawns_more, mut gaps) = (0, 0, 0, 0);
    for column in 0..rows[0].len() {
        // Empty squares since the last pawn above, if that was a black one.
        let mut gap = None;
        for (row, cells) in rows.iter().enumerate() {
            match cells[column] {
                'P' => {
                    togo_white += row as i32;
                    pawns_more += 1;
                    gaps += gap.take().unwrap_or(0);
                }
                'p' => {
                    togo_black += (rows.len() - 1 - row) as i32;
                    pawns_more -= 1;
                    gap = Some(0);
                }
                _ => gap = gap.map(|squares| squares + 1),
            }
        }
    }
    let sign = if white { 1 } else { -1 };
    let n: i32 = sign * pawns_more;
    let distance = if gaps % 2 == 0 { -gaps } else { gaps };
    sign * (togo_black - togo_white) + 2 * (n + 1) * n.abs() + distance
}

/// Random games, each position judged.
struct Judged;

impl Visitor for Judged {
    type Output = ();
    fn visit<G: PlayableGame>(self, game: G, start: G::State) {
        let [first, second] =
            ["view=first", "view=second"].map(|keys| game.evaluator("advanced", &Params::parse(keys).unwrap()).unwrap());
        let mut rng = Seed(11).named(&game.spec()).rng();
        let mut scratch = Scratch::default();
        for _ in 0..500 {
            let mut state = start.clone();
            while let Turn::Player(_) = game.turn(&state) {
                let text = game.position_text(&state);
                assert_eq!(first.score(&game, &state), plain_advanced(&text, true) as f32, "{text}");
                assert_eq!(second.score(&game, &state), -plain_advanced(&text, false) as f32, "{text}");
                let mv = game.random_move(&state, &mut rng, &mut scratch);
                game.play(&mut state, mv);
            }
        }
    }
}

#[test]
fn the_advanced_value_agrees_with_a_plain_reading() {
    for spec in ["pawn", "pawn:size=5x7", "pawn:size=8x8,double", "pawn:size=1x9", "pawn:size=9x7", "pawn:size=10x10"] {
        open(spec, None, Judged).unwrap();
    }
}

#[test]
fn an_unknown_view_is_an_error() {
    let error = judge("pawn", "pppp/4/4/PPPP w", "simple", "view=third").unwrap_err();
    assert_eq!(error.to_string(), "unknown value of 'view' 'third'; expected one of first, second, mover");
}

/// The rank that a move enters, counted from the side of the mover, how many ranks there are, and whether it takes a pawn.
fn told(position: &str, mv: &str) -> (usize, usize, bool) {
    let (rows, fields) = naive::read(position);
    let to = &mv[mv.rfind(|c: char| c.is_ascii_lowercase()).unwrap()..];
    let (row, column) = naive::find(&rows, to);
    let rank = if fields[0] == "w" { rows.len() - row } else { row + 1 };
    (rank, rows.len(), rows[row][column] != '.')
}

#[test]
fn hints_are_arrivals_then_a_weighing_of_what_the_move_does() {
    for spec in ["pawn", "pawn:size=6x6", "pawn:size=6x6,double", "pawn:size=3x9"] {
        assert_hints_follow(spec, |position, mv| {
            let (rank, ranks, takes) = told(position, mv);
            if rank == ranks {
                return (1, 0);
            }
            let mut after = naive::open(spec, position);
            after.play(mv);
            let (rows, _) = naive::read(&after.position());
            let squares = |mv: &str| {
                let middle = mv.rfind(|c: char| c.is_ascii_lowercase()).unwrap();
                [naive::find(&rows, &mv[..middle]), naive::find(&rows, &mv[middle..])]
            };
            // Captures are good, and so are pawns that have far to go; squares that the opponent can enter are not (double steps count as
            // the single ones they begin with), and least of all that of a pawn which is taken for nothing.
            let replies: Vec<[(usize, usize); 2]> = after.moves().iter().map(|reply| squares(reply)).collect();
            let entered: HashSet<(usize, usize)> =
                replies.iter().filter(|[from, to]| from.0.abs_diff(to.0) == 1).map(|&[_, to]| to).collect();
            let [_, to] = squares(mv);
            let pawn = rows[to.0][to.1];
            let behind = if pawn == 'P' { to.0 + 1 } else { to.0.wrapping_sub(1) };
            let beside = [to.1.wrapping_sub(1), to.1 + 1];
            let covered = rows.get(behind).is_some_and(|row| beside.iter().any(|&column| row.get(column) == Some(&pawn)));
            let lost = entered.contains(&to) && !covered;
            let replies = entered.len() as i32;
            (0, 2 * (ranks - rank) as i32 + 10 * i32::from(takes) - 5 * i32::from(lost) - replies)
        });
    }
}

#[test]
fn captures_and_arrivals_are_noisy() {
    let asked = advice("pawn:size=6x6", 500);
    for (advice, (mv, _, noisy)) in asked.iter().flat_map(|advice| advice.moves.iter().map(move |about| (advice, about))) {
        let (rank, ranks, takes) = told(&advice.position, mv);
        assert_eq!(*noisy, takes || rank == ranks, "{}: {mv}", advice.position);
    }
}
