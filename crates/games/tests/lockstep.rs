//! Every game against a second, naive implementation of its rules: 10,000 random games in lockstep on each sample size and variant.
//!
//! The naive ones (`tests/naive/`) share no code with the real ones: plain arrays, no tricks, rules read off the specification.

use plyground_core::{Game, PlayableGame, Scratch, Seed, Turn, Visitor};
use plyground_games::open;

mod naive;

use naive::Naive;

const GAMES: usize = 10_000;

struct Lockstep {
    spec: &'static str,
    games: std::ops::Range<usize>,
}

impl Visitor for Lockstep {
    type Output = ();

    fn visit<G: PlayableGame>(self, game: G, start: G::State) {
        let start_text = game.position_text(&start);
        let mut scratch = Scratch::default();
        for number in self.games {
            let mut rng = Seed(9).named(self.spec).numbered(number as u64).rng();
            let mut state = start.clone();
            let mut second = naive::open(self.spec, &start_text);
            let mut played: Vec<String> = Vec::new();
            loop {
                compare(&game, &state, second.as_ref(), &mut scratch, &|| {
                    format!("{}, game {number}, after {}", self.spec, played.join(" "))
                });
                let mv = match game.turn(&state) {
                    Turn::Over(_) => break,
                    Turn::Player(_) => game.random_move(&state, &mut rng, &mut scratch),
                    Turn::Chance => game.random_outcome(&state, &mut rng, &mut scratch),
                };
                let text = game.move_text(&state, mv);
                game.play(&mut state, mv);
                second.play(&text);
                played.push(text);
            }
        }
    }
}

fn compare<G: Game>(game: &G, state: &G::State, second: &dyn Naive, scratch: &mut Scratch<G::Move>, here: &dyn Fn() -> String) {
    let turn = game.turn(state);
    assert_eq!(turn.result_word(), second.result(), "{}", here());
    assert_eq!(game.position_text(state), second.position(), "{}", here());
    assert_eq!(game.points(state), second.points(), "{}", here());
    game.moves(state, &mut scratch.moves);
    let mut moves: Vec<String> = scratch.moves.iter().map(|&mv| game.move_text(state, mv)).collect();
    let mut expected = second.moves();
    // Both often list them in the order of the board: sorting hundreds of texts in millions of positions is most of the work.
    if moves != expected {
        moves.sort_unstable();
        expected.sort_unstable();
        assert_eq!(moves, expected, "{}", here());
    }
    if turn == Turn::Chance {
        game.chance(state, &mut scratch.outcomes);
        let mut outcomes: Vec<(String, f64)> =
            scratch.outcomes.iter().map(|&(mv, probability)| (game.move_text(state, mv), probability)).collect();
        outcomes.sort_by(|a, b| a.0.cmp(&b.0));
        let mut expected = second.chance();
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(outcomes.len(), expected.len(), "{}", here());
        for (found, wanted) in outcomes.iter().zip(&expected) {
            assert!(found.0 == wanted.0 && (found.1 - wanted.1).abs() < 1e-9, "{}: {found:?} {wanted:?}", here());
        }
    }
}

/// The samples of one game, the work shared among the machine's cores.
fn lockstep(name: &'static str) {
    let samples = plyground_games::info(name).unwrap().samples;
    assert!(!samples.is_empty());
    for spec in samples {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for part in 0..threads {
                let games = GAMES * part / threads..GAMES * (part + 1) / threads;
                scope.spawn(move || open(spec, None, Lockstep { spec, games }).unwrap());
            }
        });
    }
}

#[test]
fn crosphere() {
    lockstep("crosphere");
}

#[test]
fn mnk() {
    lockstep("mnk");
}

#[test]
fn clobber() {
    lockstep("clobber");
}

#[test]
fn pawn() {
    lockstep("pawn");
}

#[test]
fn tuc_chess() {
    lockstep("tuc-chess");
}

#[test]
fn connect_four() {
    lockstep("connect-four");
}

#[test]
fn breakthrough() {
    lockstep("breakthrough");
}

/// Every game has a naive second implementation that checks its rules.
#[test]
fn every_game_has_a_second_implementation() {
    struct Start;
    impl Visitor for Start {
        type Output = String;
        fn visit<G: PlayableGame>(self, game: G, state: G::State) -> String {
            game.position_text(&state)
        }
    }
    for info in plyground_games::infos() {
        for sample in info.samples {
            let start = open(sample, None, Start).unwrap();
            assert_eq!(naive::open(sample, &start).position(), start);
        }
    }
}
