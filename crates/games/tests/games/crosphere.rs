//! Crosphere: the recorded game, the rules that are easy to get wrong, positions that cannot be, and solved boards.

use plyground_core::{Owner, PlayableGame, Player, Scratch, Seed, Turn, Visitor, logistic};
use plyground_games::open;

use crate::common::{Seen, best_result, judge, look, play, refusal};

fn played(position: &str, moves: &[&str]) -> Seen {
    play("crosphere", Some(position), moves).unwrap()
}

fn refused(position: &str, moves: &[&str]) -> String {
    refusal("crosphere", Some(position), moves)
}

/// The game printed in the thesis' records.
const RECORDED: &str = "sg7 wd6 wd8 wf8 wd5 sd7 sg8 sg5 sh5 sh6 sg6 wb6 sf5 sf4 wf6 wa6 we1 se4 wd3 wg4 wd2 wh4 wd1 wc6 we6 we5";

#[test]
fn the_recorded_game_ends_with_its_last_move() {
    let moves: Vec<&str> = RECORDED.split(' ').collect();
    assert_eq!(moves.len(), 26);
    for plies in 0..moves.len() {
        assert_eq!(play("crosphere", None, &moves[..plies]).unwrap().result(), "open", "after {plies} plies");
    }
    let end = play("crosphere", None, &moves).unwrap();
    assert_eq!(end.position, "3o1oG1/3P2G1/ooooooGP/3ooGPG/4PPoo/3o4/3o4/3oo3 g 0 0");
    assert_eq!((end.result(), end.moves.len()), ("second", 0));
    assert_eq!(end.why_over, "Pink has linked the left and the right edge");
}

#[test]
fn the_example_is_as_its_caption_says() {
    let example = plyground_games::info("crosphere").unwrap().example;
    assert!(example.caption.contains("e5") && example.caption.contains("d4"));
    assert_eq!(played(example.position, &["we5"]).result(), "second");
    assert_eq!(
        refused(example.position, &["wd4"]),
        "illegal move 'wd4': a weak stone on d4 would complete both players' chains at once"
    );
}

#[test]
fn a_weak_stone_may_complete_the_opponents_chain() {
    // Pink puts the last stone into Green's file.
    assert_eq!(played("1o1/1G1/3 p 1 1", &["wb1"]).result(), "first");
    // And Green into Pink's rank.
    assert_eq!(played("3/oP1/3 g 1 1", &["wc2"]).result(), "second");
    // A strong stone serves only its owner.
    assert_eq!(played("1o1/1G1/3 p 1 1", &["sb1"]).result(), "open");
    // Diagonals do not join.
    assert_eq!(played("o2/1o1/3 g 1 1", &["wc1"]).result(), "open");
}

#[test]
fn a_weak_stone_that_completes_both_chains_is_refused_but_a_strong_one_is_not() {
    let cross = "1o1/o1o/1o1 g 1 1";
    assert_eq!(refused(cross, &["wb2"]), "illegal move 'wb2': a weak stone on b2 would complete both players' chains at once");
    assert_eq!(played(cross, &[]).moves.len(), 5 + 4);
    assert_eq!(played(cross, &["sb2"]).result(), "first");
    assert_eq!(refused("1o1/o1o/1o1 g 0 1", &["sb2"]), "illegal move 'sb2': Green has no strong stones left");
    assert_eq!(refused(cross, &["wb1"]), "illegal move 'wb1': b1 is occupied");
    assert_eq!(refused(cross, &["sb1"]), "illegal move 'sb1': b1 is occupied");
}

#[test]
fn a_player_without_a_legal_move_ends_the_game_as_a_draw() {
    // Both empty squares would join both pairs of edges, and there are no strong stones left.
    let stuck = played("o1/1o g 0 0", &[]);
    assert_eq!((stuck.result(), stuck.moves.len()), ("draw", 0));
    let why = "Green cannot move: no strong stones left, and every weak stone would complete both players' chains";
    assert_eq!(stuck.why_over, why);
    // It is the player to move who counts.
    assert_eq!(played("o1/1o g 0 1", &[]).result(), "draw");
    assert_eq!(played("o1/1o p 0 1", &[]).moves.len(), 2);
    assert_eq!(play("crosphere:size=2x2,strong=0", None, &["wa2", "wb1"]).unwrap(), stuck);
    let full = played("GP/P1 g 1 0", &["sb1"]);
    assert_eq!(full.end(), ("draw", "the board is full and nobody is linked"));
}

#[test]
fn impossible_positions_are_refused_with_the_reason() {
    let cases = [
        ("crosphere", "1o1/ooo/1o1 g 1 1", "both sides are linked"),
        ("crosphere", "3/3/3 g 21 0", "Green's strong stones left: expected a number from 0 to 20, found '21'"),
        ("crosphere", "3/3/3 g 0 -1", "Pink's strong stones left: expected a number from 0 to 20, found '-1'"),
        ("crosphere", "GG1/3/3 g 19 0", "Green has 2 strong stones on the board and 19 left, but 20 is the limit"),
        ("crosphere:strong=2", "PP1/3/3 g 0 1", "Pink has 2 strong stones on the board and 1 left, but strong=2 was asked for"),
        ("crosphere:strong=21", "3/3/3 g 0 0", "expected strong from 0 to 20"),
        ("crosphere:size=4x4", "3/3/3 g 0 0", "its board is 3x3, but size=4x4 was asked for"),
        ("crosphere", "9/9/9 g 0 0", "expected from 2 to 8 files and from 2 to 8 ranks"),
        ("crosphere", "3 g 0 0", "expected from 2 to 8 files and from 2 to 8 ranks"),
        ("crosphere", "3/2/3 g 0 0", "row 2 from the top is 2 wide, the rows above are 3 wide"),
        ("crosphere", "3/1x1/3 g 0 0", "row 2 from the top has the unknown piece 'x'; expected G P o or a number"),
        ("crosphere", "3/3/3 x 0 0", "side to move: expected g or p, found 'x'"),
        (
            "crosphere",
            "3/3/3 g 0",
            "expected after the board, each behind a single space: side to move, green's strong stones left",
        ),
    ];
    for (spec, position, message) in cases {
        let error = refusal(spec, Some(position), &[]);
        assert!(error.contains(message), "{position}: {error}");
    }
    // Finished positions are positions, of either player to move.
    for position in ["1o1/1o1/1G1 g 3 3", "1o1/1o1/1G1 p 0 20", "3/ooP/3 g 0 0"] {
        assert_ne!(played(position, &[]).result(), "open", "{position}");
    }
}

#[test]
fn a_position_tells_how_many_strong_stones_there_were() {
    let spec = |spec, position| look(spec, Some(position)).spec;
    assert_eq!(spec("crosphere", "G2/1P1/PoG g 2 1"), "crosphere:size=3x3,strong=4");
    assert_eq!(spec("crosphere:strong=7", "G2/1P1/PoG g 2 1"), "crosphere:size=3x3,strong=7");
}

#[test]
fn malformed_moves_are_refused_with_the_form() {
    for (text, message) in [
        ("c4", "expected w (weak) or s (strong) and a square, like wc4"),
        ("", "expected w (weak) or s (strong)"),
        ("wi1", "square 'i1': the board has the squares a1 to h8"),
        ("s", "square '': expected a file letter and a rank number"),
        ("Wc4", "expected w (weak)"),
        ("éc4", "expected w (weak)"),
    ] {
        let error = refusal("crosphere", None, &[text]);
        assert!(error.contains(message), "{text}: {error}");
    }
}

struct Drawn;

impl Visitor for Drawn {
    type Output = ();
    fn visit<G: PlayableGame>(self, game: G, state: G::State) {
        let view = game.view(&state);
        let counters: Vec<(Player, i32)> = view.counters.iter().map(|counter| (counter.player, counter.value)).collect();
        assert_eq!(counters, [(Player::First, 2), (Player::Second, 1)]);
        let pieces: Vec<_> = view.cells.iter().flatten().collect();
        let names: Vec<_> = pieces.iter().map(|piece| piece.name).collect();
        assert_eq!(names, ["green strong", "pink strong", "weak"]);
        let owners: Vec<_> = pieces.iter().map(|piece| piece.owner).collect();
        assert_eq!(owners, [Owner::First, Owner::Second, Owner::Neutral]);
        assert!(pieces[0].glyph != pieces[1].glyph && pieces[1].glyph != pieces[2].glyph && pieces[0].glyph != pieces[2].glyph);
        // What a move places has the name of the piece that then stands there.
        for text in ["wb2", "sb2"] {
            let mv = game.legal_move(&state, text).unwrap();
            let squares = game.move_squares(&state, mv);
            let mut after = state.clone();
            game.play(&mut after, mv);
            assert_eq!(squares.from, None);
            assert_eq!(game.view(&after).piece(squares.to.unwrap()).map(|piece| piece.name), squares.piece);
        }
    }
}

#[test]
fn the_view_shows_stones_and_reserves() {
    open("crosphere", Some("GPo/3/3 g 2 1"), Drawn).unwrap();
    open("crosphere", Some("GPo/3/3 p 2 1"), Drawn).unwrap();
}

#[test]
fn the_evaluator_is_that_of_the_thesis() {
    let score = |position, keys| judge("crosphere", position, "links", keys);
    assert_eq!(score("8/8/8/8/8/8/8/8 g 5 5", "").unwrap(), (0.0, 0.5));
    // Green needs b1 and b4, Pink three squares of a rank; Green has one stone more.
    let position = "4/1o2/1G2/4 p 4 3";
    assert_eq!(score(position, "").unwrap(), (3.0 - 2.0 + 0.4, logistic(1.4)));
    assert_eq!(score(position, "stones=as-printed").unwrap().0, 3.0 - 2.0 - 0.4);
    assert_eq!(score(position, "w=2,stones=keep").unwrap().0, 3.0 - 2.0 + 2.0);
    // Pink's wall: 64 for a link that can no longer be.
    assert_eq!(score("3/PP1/2P g 0 0", "w=0").unwrap().0, 1.0 - 64.0);
    for (keys, message) in [
        ("w=11", "expected w from 0 to 10"),
        ("w=nan", "expected w from 0 to 10"),
        ("stones=kep", "did you mean 'keep'?"),
        ("stone=keep", "did you mean 'stones'?"),
    ] {
        let error = score(position, keys).unwrap_err().to_string();
        assert!(error.contains(message), "{keys}: {error}");
    }
}

/// The solved starts, by trying everything.
#[test]
fn small_boards_have_their_known_winners() {
    let oracle: serde_json::Value = serde_json::from_str(include_str!("../data/crosphere.json")).unwrap();
    let mut solved = 0;
    for start in oracle["starts"].as_array().unwrap() {
        let size = start["size"].as_str().unwrap();
        // Larger boards are for the solver, not for brute force.
        if size == "3x3" {
            let spec = format!("crosphere:size={size},strong={}", start["strong"]);
            assert_eq!(best_result(&spec, None), start["winner"].as_str().unwrap(), "{spec}");
            solved += 1;
        }
    }
    assert_eq!(solved, 4);
}

/// Playouts are not played move by move; here their results are compared with those of plain play on boards where draws and forbidden
/// stones are frequent, closer than the law for all games does.
#[test]
fn playouts_have_the_results_of_plain_play() {
    const GAMES: u32 = 100_000;
    struct Compare;
    impl Visitor for Compare {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let mut rng = Seed(13).named(&game.position_text(&start)).rng();
            let (mut fast, mut plain) = ([0_i32; 3], [0_i32; 3]);
            let mut scratch = Scratch::default();
            let mut moves = Vec::new();
            for _ in 0..GAMES {
                let outcome = game.playout(&start, &mut rng, &mut scratch);
                fast[(outcome.value() + 1.0) as usize] += 1;
                let mut state = start.clone();
                let outcome = loop {
                    if let Turn::Over(outcome) = game.turn(&state) {
                        break outcome;
                    }
                    game.moves(&state, &mut moves);
                    game.play(&mut state, moves[rng.below(moves.len() as u32) as usize]);
                };
                plain[(outcome.value() + 1.0) as usize] += 1;
            }
            for (fast_count, plain_count) in fast.into_iter().zip(plain) {
                let spread = f64::from(fast_count + plain_count).sqrt();
                let apart = f64::from((fast_count - plain_count).abs());
                assert!(apart <= 4.5 * spread + 2.0, "{}: {fast:?} {plain:?}", game.position_text(&start));
            }
        }
    }
    for position in [
        "2/2 g 0 0",
        "2/2 p 1 2",
        "3/3/3 g 0 0",
        "3/3/3 p 3 0",
        "4/1o2/2o1/4 g 1 1",
        "1o1/o1o/1o1 g 1 0",
        "1o1/3/1o1 p 0 1",
        "5/1oGo1/5/1oPo1/5 p 0 2",
        "2o2/5/o3o/5/2o2 g 1 1",
    ] {
        open("crosphere", Some(position), Compare).unwrap();
    }
}
