//! The exact solver of Connect Four: it agrees with brute force, and with what is published of small boards.

use std::collections::HashMap;
use std::ops::ControlFlow;

use plyground_core::{ExactSolver, Game, GameValue, PlayableGame, Scratch, Seed, StopCheck, Turn, Visitor};
use plyground_games::open;

struct GoOn;

impl StopCheck for GoOn {
    fn check(&mut self, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// The value by the definition: every position behind this one, each looked at once.
fn brute_force<G: Game>(game: &G, state: &G::State, known: &mut HashMap<G::State, GameValue>) -> GameValue {
    let Turn::Player(mover) = game.turn(state) else { panic!("asked in a position with a player to move") };
    if let Some(&value) = known.get(state) {
        return value;
    }
    let (mut moves, mut best) = (Vec::new(), GameValue::Loss);
    game.moves(state, &mut moves);
    for mv in moves {
        let mut child = state.clone();
        game.play(&mut child, mv);
        best = best.max(match game.turn(&child) {
            Turn::Over(outcome) => GameValue::of(outcome, mover),
            _ => brute_force(game, &child, known).opposite(),
        });
    }
    known.insert(state.clone(), best);
    best
}

/// A position after so many random moves that is not over.
fn somewhere<G: Game>(game: &G, plies: u32, rng: &mut plyground_core::Rng) -> G::State {
    loop {
        let mut state = game.start();
        for _ in 0..plies {
            if let Turn::Player(_) = game.turn(&state) {
                let mv = game.random_move(&state, rng, &mut Scratch::default());
                game.play(&mut state, mv);
            }
        }
        if let Turn::Player(_) = game.turn(&state) {
            return state;
        }
    }
}

/// Compares both after from `from` to `to` moves. How often each value was found.
struct Compare {
    from: u32,
    to: u32,
}

impl Visitor for Compare {
    type Output = [u32; 3];
    fn visit<G: PlayableGame>(self, game: G, _: G::State) -> [u32; 3] {
        let (mut known, mut rng, mut seen) = (HashMap::new(), Seed(3).rng(), [0; 3]);
        // A small table, so that things are forgotten.
        let mut solver = game.exact_solver(1 << 16, None).unwrap().expect("a solver of its own");
        for number in 0..300 {
            let state = somewhere(&game, self.from + number % (self.to - self.from + 1), &mut rng);
            let truth = brute_force(&game, &state, &mut known);
            let here = game.position_text(&state);
            assert_eq!(solver.value(&game, &state, &mut GoOn), Some(truth), "{here}");
            assert_eq!(solver.value(&game, &game.symmetric_state(&state, 1), &mut GoOn), Some(truth), "mirrored {here}");
            assert!(solver.recall(&game, &state).is_none_or(|value| value == truth), "{here}");
            seen[truth as usize] += 1;
        }
        seen
    }
}

#[test]
fn the_solver_agrees_with_brute_force() {
    let mut seen = [0; 3];
    for (size, from, to) in [
        ("4x4", 1, 12),
        ("4x5", 6, 16),
        ("5x4", 6, 16),
        ("2x7", 0, 10),
        ("7x2", 0, 10),
        ("1x7", 0, 6),
        ("6x5", 18, 26),
        ("7x6", 30, 38),
        ("8x7", 46, 52),
        ("8x6", 36, 44),
    ] {
        let counts = open(&format!("connect-four:size={size}"), None, Compare { from, to }).unwrap();
        seen = std::array::from_fn(|value| seen[value] + counts[value]);
    }
    assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
}

struct Start;

impl Visitor for Start {
    type Output = Option<GameValue>;
    fn visit<G: PlayableGame>(self, game: G, start: G::State) -> Option<GameValue> {
        game.exact_solver(1 << 26, None).unwrap()?.value(&game, &start, &mut GoOn)
    }
}

/// John Tromp's table (John's Connect Four Playground), columns times rows. Left out are the boards that take more than a second.
#[test]
fn small_boards_are_worth_what_is_published() {
    use GameValue::{Draw, Loss};
    for (size, value) in [("4x4", Draw), ("5x4", Draw), ("4x5", Draw), ("4x6", Draw), ("5x5", Draw), ("6x4", Loss)] {
        assert_eq!(open(&format!("connect-four:size={size}"), None, Start).unwrap(), Some(value), "{size}");
    }
    // Other lengths of a line are left to the general search.
    assert_eq!(open("connect-four:size=4x4,k=3", None, Start).unwrap(), None);
}

/// Stopped at any time, it says nothing, and what it has found until then is true.
#[test]
fn a_search_that_is_stopped_says_nothing_false() {
    struct After(u64);
    impl StopCheck for After {
        fn check(&mut self, nodes: u64) -> ControlFlow<()> {
            if nodes >= self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    struct Stops;
    impl Visitor for Stops {
        type Output = ();
        fn visit<G: PlayableGame>(self, game: G, start: G::State) {
            let mut solver: Box<dyn ExactSolver<G>> = game.exact_solver(1 << 24, None).unwrap().expect("a solver of its own");
            assert_eq!(solver.value(&game, &start, &mut After(0)), None);
            for nodes in [10_000, 50_000, 100_000] {
                assert_eq!(solver.value(&game, &start, &mut After(nodes)), None);
                assert!(solver.nodes() <= nodes + 8_192);
            }
            assert_eq!(solver.value(&game, &start, &mut GoOn), Some(GameValue::Draw));
        }
    }
    open("connect-four:size=5x5", None, Stops).unwrap();
}
