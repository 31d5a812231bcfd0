//! Clobber solved as a sum of regions, against a brute force that knows nothing but the rules, and against published results.

use std::collections::HashMap;
use std::ops::ControlFlow;

use plyground_core::{ExactSolver, Game, GameValue, InputError, PlayableGame, Rng, Seed, StopCheck, Turn, Visitor, parse_size};
use plyground_games::open;

use crate::clobber::{Solved, oracle};

/// Lets a solver go on for a number of beats.
struct Beats(u64);

impl StopCheck for Beats {
    fn check(&mut self, _: u64) -> ControlFlow<()> {
        match self.0.checked_sub(1) {
            Some(left) => {
                self.0 = left;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        }
    }
}

/// Does the player to move win, by trying everything? The board is a list of rows of `x`, `o` and `.`.
#[derive(Default)]
struct BruteForce(HashMap<(Vec<String>, char), bool>);

impl BruteForce {
    fn wins(&mut self, rows: &[String], side: char) -> bool {
        if let Some(&known) = self.0.get(&(rows.to_vec(), side)) {
            return known;
        }
        let other = if side == 'x' { 'o' } else { 'x' };
        let at = |row: usize, column: usize| rows.get(row).and_then(|row| row.as_bytes().get(column)).map(|&byte| byte as char);
        let mut wins = false;
        for row in 0..rows.len() {
            for column in 0..rows[row].len() {
                let beside = [(row, column + 1), (row + 1, column), (row, column.wrapping_sub(1)), (row.wrapping_sub(1), column)];
                for (row2, column2) in beside {
                    if !wins && at(row, column) == Some(side) && at(row2, column2) == Some(other) {
                        let mut after = rows.to_vec();
                        after[row].replace_range(column..=column, ".");
                        after[row2].replace_range(column2..=column2, &side.to_string());
                        wins = !self.wins(&after, other);
                    }
                }
            }
        }
        self.0.insert((rows.to_vec(), side), wins);
        wins
    }
}

/// A position as the brute force sees it.
fn rows(position: &str) -> (Vec<String>, char) {
    let (board, side) = position.split_once(' ').unwrap();
    let mut rows = Vec::new();
    for row in board.split('/') {
        let mut squares = String::new();
        let mut run = 0;
        for letter in row.chars().chain(['|']) {
            if let Some(digit) = letter.to_digit(10) {
                run = 10 * run + digit as usize;
            } else {
                squares.push_str(&".".repeat(std::mem::take(&mut run)));
                squares.extend((letter != '|').then_some(letter));
            }
        }
        rows.push(squares);
    }
    (rows, side.chars().next().unwrap())
}

/// A board from its rows of `x`, `o` and `.`, either side to move.
fn position(rows: &[String], rng: &mut Rng) -> String {
    let counted = |row: &String| {
        let runs = row.split_inclusive(['x', 'o']).map(|part| {
            let stone = part.trim_start_matches('.');
            let run = part.len() - stone.len();
            if run == 0 { stone.to_owned() } else { format!("{run}{stone}") }
        });
        runs.collect::<String>()
    };
    let board: Vec<String> = rows.iter().map(counted).collect();
    format!("{} {}", board.join("/"), ["x", "o"][rng.below(2) as usize])
}

fn random_stone(rng: &mut Rng) -> char {
    ['x', 'o', 'x', 'o', 'x', 'o', 'x', 'o', '.'][rng.below(9) as usize]
}

/// An almost full board.
fn crowded(files: usize, ranks: usize, rng: &mut Rng) -> String {
    let rows: Vec<String> = (0..ranks).map(|_| (0..files).map(|_| random_stone(rng)).collect()).collect();
    position(&rows, rng)
}

/// Three blocks of up to four stones anywhere on the board, perhaps grown together.
fn islands(files: usize, ranks: usize, rng: &mut Rng) -> String {
    let mut rows = vec![".".repeat(files); ranks];
    for _ in 0..3 {
        let (width, height) = [(2, 2), (4, 1), (1, 4), (3, 1)][rng.below(4) as usize];
        let (width, height) = (width.min(files), height.min(ranks));
        let left = rng.below((files - width + 1) as u32) as usize;
        let top = rng.below((ranks - height + 1) as u32) as usize;
        for row in &mut rows[top..top + height] {
            for column in left..left + width {
                row.replace_range(column..=column, &random_stone(rng).to_string());
            }
        }
    }
    position(&rows, rng)
}

/// Compares the solver with the brute force: the position, its children, and those of one of them, with one solver.
struct Compare<'a> {
    truth: &'a mut BruteForce,
    rng: &'a mut Rng,
    memory: usize,
    knowledge: Option<&'a [u8]>,
}

impl Visitor for Compare<'_> {
    type Output = u32;
    fn visit<G: PlayableGame>(self, game: G, state: G::State) -> u32 {
        let mut solver = game.exact_solver(self.memory, self.knowledge).unwrap().expect("a solver of its own");
        let mut compared = 0;
        let mut line = vec![state];
        for _ in 0..2 {
            let Some(state) = line.pop() else { break };
            let mut moves = Vec::new();
            if let Turn::Player(_) = game.turn(&state) {
                game.moves(&state, &mut moves);
            }
            line = moves.iter().map(|&mv| after(&game, &state, mv)).collect();
            for state in line.iter().chain([&state]) {
                compared += 1;
                let position = game.position_text(state);
                let (rows, side) = rows(&position);
                assert_eq!(wins(&game, solver.as_mut(), state), self.truth.wins(&rows, side), "{position}");
            }
            self.rng.shuffle(&mut line);
        }
        compared
    }
}

fn after<G: Game>(game: &G, state: &G::State, mv: G::Move) -> G::State {
    let mut child = state.clone();
    game.play(&mut child, mv);
    child
}

fn wins<G: Game>(game: &G, solver: &mut dyn ExactSolver<G>, state: &G::State) -> bool {
    match game.turn(state) {
        Turn::Player(_) => {
            let worth = solver.value(game, state, &mut Beats(u64::MAX)).expect("it was not stopped");
            assert_eq!(solver.recall(game, state), Some(worth), "what was found a moment ago is known");
            worth == GameValue::Win
        }
        _ => false,
    }
}

/// A thousand positions.
fn compare(files: usize, ranks: usize, make: fn(usize, usize, &mut Rng) -> String) -> u32 {
    let knowledge = knowledge("clobber", 5).unwrap();
    let mut truth = BruteForce::default();
    let mut rng = Seed(files as u64).numbered(ranks as u64).rng();
    let mut compared = 0;
    for number in 0..1_000 {
        let position = make(files, ranks, &mut rng);
        // Every second solver has hardly any room: it must forget, and stay right.
        let memory = if number % 2 == 0 { 1 << 12 } else { 1 << 20 };
        // Every third one knows something before it begins.
        let knowledge = (number % 3 == 0).then_some(&knowledge[..]);
        let visitor = Compare { truth: &mut truth, rng: &mut rng, memory, knowledge };
        compared += open("clobber", Some(&position), visitor).unwrap();
    }
    compared
}

#[test]
fn agrees_with_brute_force_on_small_boards() {
    for (files, ranks) in [(4, 3), (3, 4), (2, 7), (12, 1), (1, 12)] {
        let compared = compare(files, ranks, crowded);
        assert!(compared > 5_000, "{files}x{ranks}: {compared}");
    }
}

#[test]
fn agrees_with_brute_force_on_islands() {
    for (files, ranks) in [(5, 5), (26, 1), (11, 7), (10, 10)] {
        let compared = compare(files, ranks, islands);
        assert!(compared > 4_000, "{files}x{ranks}: {compared}");
    }
}

fn knowledge(spec: &str, stones: u32) -> Result<Vec<u8>, InputError> {
    struct Compute(u32);
    impl Visitor for Compute {
        type Output = Result<Vec<u8>, InputError>;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Self::Output {
            Ok(game.solver_database(self.0, &mut |_, _| ())?.unwrap_or_default())
        }
    }
    open(spec, None, Compute(stones))?
}

#[test]
fn a_database_has_one_to_ten_stones() {
    for stones in [0, 11, u32::MAX] {
        let message = format!("malformed number of stones '{stones}': expected a number from 1 to 10");
        assert_eq!(knowledge("clobber", stones).unwrap_err().to_string(), message);
    }
    // The board does not matter, and the same is computed every time.
    assert_eq!(knowledge("clobber:size=3x3", 6), knowledge("clobber:size=10x10", 6));
    assert_eq!(knowledge("clobber:own", 6), Ok(Vec::new()));
}

/// Asks for the start.
struct Start {
    memory: usize,
    beats: u64,
}

impl Visitor for Start {
    type Output = Option<GameValue>;
    fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Self::Output {
        let mut solver = game.exact_solver(self.memory, None).unwrap()?;
        solver.value(&game, &state, &mut Beats(self.beats))
    }
}

fn start(spec: &str, memory: usize, beats: u64) -> Option<GameValue> {
    open(spec, None, Start { memory, beats }).unwrap()
}

#[test]
fn solved_starts_by_sums() {
    let mut solved = 0;
    for Solved { size, first_wins } in oracle().starts {
        let (files, ranks) = parse_size(&size).unwrap();
        let squares = u32::from(files) * u32::from(ranks);
        if squares > 1 && squares <= 21 {
            let sizes = [format!("{files}x{ranks}"), format!("{ranks}x{files}")];
            for size in sizes {
                let wanted = if first_wins { GameValue::Win } else { GameValue::Loss };
                assert_eq!(start(&format!("clobber:size={size}"), 64 << 20, u64::MAX), Some(wanted), "{size}");
            }
            solved += 1;
        }
    }
    assert!(solved >= 35, "{solved}");
}

/// Minutes in a release build: `cargo test --release -p plyground-games --test games -- --ignored all_solved_starts`.
#[test]
#[ignore = "takes minutes and up to 6 GB"]
fn all_solved_starts() {
    for Solved { size, first_wins } in oracle().starts {
        let (files, ranks) = parse_size(&size).unwrap();
        let (files, ranks) = if files > 26 { (ranks, files) } else { (files, ranks) };
        let wanted = if first_wins { GameValue::Win } else { GameValue::Loss };
        if files != ranks || files > 1 {
            assert_eq!(start(&format!("clobber:size={files}x{ranks}"), 6 << 30, u64::MAX), Some(wanted), "{size}");
        }
    }
}

#[test]
fn a_small_table_forgets_and_stays_right() {
    assert_eq!(start("clobber:size=5x4", 1 << 14, u64::MAX), Some(GameValue::Win));
    assert_eq!(start("clobber:size=6x3", 0, u64::MAX), Some(GameValue::Loss));
    // More memory than there is.
    assert_eq!(start("clobber:size=3x3", usize::MAX, u64::MAX), Some(GameValue::Win));
}

#[test]
fn stops_when_told_to() {
    for beats in [0, 1, 5] {
        assert_eq!(start("clobber:size=10x10", 1 << 20, beats), None);
        assert_eq!(start("clobber:size=8x8", 1 << 20, beats), None);
    }
}

#[test]
fn own_captures_are_left_to_others() {
    struct Is;
    impl Visitor for Is {
        type Output = Result<bool, InputError>;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Self::Output {
            Ok(game.exact_solver(1 << 20, None)?.is_some())
        }
    }
    assert_eq!(open("clobber:own", None, Is).unwrap(), Ok(false));
    assert_eq!(open("clobber", None, Is).unwrap(), Ok(true));
}
