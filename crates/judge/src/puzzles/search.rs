//! The search for puzzles: random games, and the solver's values of all moves in their positions.

use std::collections::HashSet;
use std::ops::ControlFlow;

use plyground_agents::{Method, Solver};
use plyground_core::{Game, GameValue, InputError, PlayableGame, Rng, Scratch, Seed, StopCheck, Turn, Visitor, split_spec};

use super::grading;
use super::{Puzzle, PuzzleSettings};

/// The most moves of the player to be found in a puzzle.
pub const MOST_MOVES: usize = 3;
/// The fewest moves to choose from.
const LEAST_CHOICE: usize = 3;
/// At most one puzzle of so many is solved by a move that ends the game.
const ONE_MOVE_WINS: usize = 8;
/// The positions of a random game that are looked at, backwards from one drawn at random.
const LOOKS: usize = 4;
/// The random games to be played for a puzzle before a board is given up.
const GAMES_EACH: u64 = 20_000;
/// The memory of the solver, in bytes.
const MEMORY: usize = 128_000_000;

/// Finds puzzles. `report` is told how many there are, of how many that are wanted.
pub fn find(settings: &PuzzleSettings, report: &mut dyn FnMut(usize, usize)) -> Result<Vec<Puzzle>, InputError> {
    let boards = &settings.boards;
    let games: HashSet<&str> = boards.iter().map(|board| split_spec(board).0).collect();
    if games.len() != 1 {
        let found = boards.join(" ");
        return Err(InputError::malformed("boards", &found, "expected boards of one game"));
    }
    let mut puzzles: Vec<Puzzle> = Vec::new();
    for (number, board) in boards.iter().enumerate() {
        let wanted = settings.count * (number + 1) / boards.len() - settings.count * number / boards.len();
        let before = puzzles.len();
        let mut told = |found: usize| report(before + found, settings.count);
        let hunt =
            Hunt { board, wanted, seed: Seed(settings.seed).numbered(number as u64), nodes: settings.nodes, told: &mut told };
        puzzles.extend(plyground_games::open(board, None, hunt)??);
    }
    // The easiest come first; those of a level stay in the order in which they were found.
    puzzles.sort_by_key(|puzzle| puzzle.level);
    Ok(puzzles)
}

/// A search for puzzles on one board.
struct Hunt<'a> {
    board: &'a str,
    wanted: usize,
    seed: Seed,
    nodes: u64,
    told: &'a mut dyn FnMut(usize),
}

impl Visitor for Hunt<'_> {
    type Output = Result<Vec<Puzzle>, InputError>;

    fn visit<G: PlayableGame>(self, game: G, start: G::State) -> Self::Output {
        let solver = Solver::new(&game, Method::Auto, MEMORY, None, None)?;
        let mut finder = Finder { game, solver, nodes: self.nodes, seen: HashSet::new() };
        let (mut puzzles, mut ended) = (Vec::new(), 0);
        for number in 0..GAMES_EACH * self.wanted as u64 {
            if puzzles.len() == self.wanted {
                break;
            }
            let Some(found) = finder.in_game(&start, self.seed.numbered(number)) else { continue };
            if found.ends && (ended + 1) * ONE_MOVE_WINS > self.wanted {
                continue;
            }
            ended += usize::from(found.ends);
            let level = grading::level(self.board, &found.start, &found.line[0])?;
            puzzles.push(Puzzle { start: found.start, line: found.line, keeps: found.value.word(), level });
            (self.told)(puzzles.len());
        }
        Ok(puzzles)
    }
}

/// A puzzle that is not graded yet.
struct Found {
    start: String,
    line: Vec<String>,
    value: GameValue,
    /// Does its first move end the game?
    ends: bool,
}

/// The only move that keeps the value of a position, with the position behind it.
struct OnlyMove<G: Game> {
    mv: G::Move,
    child: G::State,
    value: GameValue,
}

/// Ends a search of the solver after so many positions.
struct Patience {
    last: u64,
}

impl StopCheck for Patience {
    fn check(&mut self, nodes: u64) -> ControlFlow<()> {
        if nodes > self.last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

struct Finder<G: PlayableGame> {
    game: G,
    solver: Solver<G>,
    nodes: u64,
    /// The keys of positions that are puzzles already, the same for mirrored ones.
    seen: HashSet<u128>,
}

impl<G: PlayableGame> Finder<G> {
    /// A puzzle in a random game, if there is one where it is looked for.
    fn in_game(&mut self, start: &G::State, seed: Seed) -> Option<Found> {
        let mut rng = seed.rng();
        let visited = self.random_game(start, &mut rng);
        let last = rng.below(visited.len().max(1) as u32) as usize;
        (0..LOOKS.min(last + 1)).find_map(|back| self.puzzle(visited.get(last - back)?))
    }

    /// The positions of a random game in which a player is to move.
    fn random_game(&self, start: &G::State, rng: &mut Rng) -> Vec<G::State> {
        let (mut state, mut visited, mut scratch) = (start.clone(), Vec::new(), Scratch::default());
        while let Turn::Player(_) = self.game.turn(&state) {
            visited.push(state.clone());
            let mv = self.game.random_move(&state, rng, &mut scratch);
            self.game.play(&mut state, mv);
        }
        visited
    }

    fn puzzle(&mut self, state: &G::State) -> Option<Found> {
        let key = self.key(state);
        if self.seen.contains(&key) {
            return None;
        }
        let first = self.only_move(state)?;
        self.seen.insert(key);
        let (start, value) = (self.game.position_text(state), first.value);
        let ends = matches!(self.game.turn(&first.child), Turn::Over(_));
        let mut line = vec![self.game.move_text(state, first.mv)];
        let mut state = first.child;
        while line.len() < 2 * MOST_MOVES - 1 {
            let Some((reply, answer)) = self.hard_reply(&state, value) else { break };
            line.push(self.game.move_text(&state, reply));
            self.game.play(&mut state, reply);
            line.push(self.game.move_text(&state, answer.mv));
            state = answer.child;
        }
        Some(Found { start, line, value, ends })
    }

    /// One key for positions that are mirror images of each other.
    fn key(&self, state: &G::State) -> u128 {
        let mirrored = (1..self.game.symmetries()).map(|symmetry| self.game.symmetric_state(state, symmetry));
        mirrored.map(|image| self.game.value_key(&image)).fold(self.game.value_key(state), u128::min)
    }

    /// The only move that keeps a win or a draw; none where there are several, few moves to choose from, or the solver takes too long.
    fn only_move(&mut self, state: &G::State) -> Option<OnlyMove<G>> {
        let Turn::Player(mover) = self.game.turn(state) else { return None };
        let mut moves = Vec::new();
        self.game.moves(state, &mut moves);
        if moves.len() < LEAST_CHOICE {
            return None;
        }
        let mut best: Option<OnlyMove<G>> = None;
        let mut alone = false;
        for mv in moves {
            let mut child = state.clone();
            self.game.play(&mut child, mv);
            let (solver, nodes) = (&mut self.solver, self.nodes);
            let mut solve = |state: &G::State| {
                let mut patience = Patience { last: solver.nodes() + nodes };
                solver.value(&self.game, state, &mut patience).exact()
            };
            let value = GameValue::of_position(&self.game, &child, mover, &mut solve)?;
            let so_far = best.as_ref().map_or(GameValue::Loss, |best| best.value);
            if value > so_far {
                (best, alone) = (Some(OnlyMove { mv, child, value }), true);
            } else if value == so_far {
                alone = false;
            }
            if !alone && so_far == GameValue::Win {
                return None;
            }
        }
        best.filter(|_| alone)
    }

    /// A reply that does not make it easier for the opponent of the puzzle, and again leaves only one move that keeps the value.
    fn hard_reply(&mut self, state: &G::State, value: GameValue) -> Option<(G::Move, OnlyMove<G>)> {
        let Turn::Player(_) = self.game.turn(state) else { return None };
        let mut replies = Vec::new();
        self.game.moves(state, &mut replies);
        replies.into_iter().find_map(|reply| {
            let mut next = state.clone();
            self.game.play(&mut next, reply);
            let answer = self.only_move(&next).filter(|answer| answer.value == value)?;
            Some((reply, answer))
        })
    }
}
