//! The solver: from the value of a position to best move, line, length, and a tablebase.

use std::collections::{BinaryHeap, HashSet};
use std::ops::ControlFlow;

use plyground_core::{
    ExactSolver, Game, GameValue, InputError, NoObserver, Outcome, Player, Rng, Scratch, Seed, Solvable, StopCheck, Turn,
};

use super::{
    alphabeta::AlphaBeta,
    dfpn::{DfPn, NumberTable},
    distance::{Distances, Race},
    lookup::{Lookup, symmetric_key},
    strategy::strategy,
    table::{Bounds, Table},
    tablebase::{Entry, Tablebase},
};

/// The solving method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The game's own solver where it has one, else alpha-beta.
    Auto,
    /// Alpha-beta with a large table.
    AlphaBeta,
    /// Depth-first proof-number search.
    DfPn,
}

impl Method {
    /// The words for them, in their order.
    pub const WORDS: [&'static str; 3] = ["auto", "alphabeta", "dfpn"];
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Auto, Self::AlphaBeta, Self::DfPn];
}

/// A solver of the positions of one game that keeps what it has found between calls.
pub struct Solver<G: Solvable> {
    known: Lookup,
    distances: Distances,
    own: Option<Box<dyn ExactSolver<G>>>,
    /// For proof-number search.
    numbers: Option<NumberTable>,
    /// Positions searched by the general methods.
    nodes: u64,
}

/// The result of solving a position.
#[derive(Clone, Debug)]
pub struct Solution<G: Game> {
    /// The bounds of the value for the player to move.
    pub bounds: Bounds,
    /// A best move; `None` when the game is over or nothing is known.
    pub best: Option<G::Move>,
    /// Best play to the end, beginning with the best move; as far as it was found.
    pub line: Vec<G::Move>,
    /// The length of the game with best play (or, if not exact, of the line).
    pub plies: u32,
    /// Is the length that of the fastest win against the slowest loss?
    pub plies_exact: bool,
    /// Is the line such a game, or only one that keeps the value?
    pub line_exact: bool,
    /// The positions of the line, from its beginning, from which its length is known to be that of best play.
    exact_steps: usize,
    /// Positions searched.
    pub nodes: u64,
}

impl<G: Game> Solution<G> {
    /// The game-theoretic value of the position for the player to move, where it is known.
    pub fn value(&self) -> Option<GameValue> {
        self.bounds.exact()
    }
}

/// The memory of [`solve`], in bytes.
const MEMORY: usize = 256_000_000;

/// Solves a position: its value, a best move, and best play to the end. It takes as long as it takes; [`Solver`] can be stopped, and
/// keeps what it has found for the next position. Games of chance are refused.
pub fn solve<G: Solvable>(game: &G, state: &G::State) -> Result<Solution<G>, InputError> {
    Ok(Solver::new(game, Method::Auto, MEMORY, None, None)?.solve(game, state, &mut NoObserver))
}

/// The length of a decided game, and how many positions may be looked at to find each of its moves.
#[derive(Clone, Copy)]
struct Length {
    plies: u32,
    most: u64,
}

/// A stop check that remembers that it was told to stop.
struct Relay<'a> {
    stop_check: &'a mut dyn StopCheck,
    stopped: bool,
}

impl StopCheck for Relay<'_> {
    fn check(&mut self, nodes: u64) -> ControlFlow<()> {
        self.stopped |= self.stop_check.check(nodes).is_break();
        if self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Ends a search after so many positions.
struct Capped<'a> {
    stop_check: &'a mut dyn StopCheck,
    /// Added to what the search reports.
    before: u64,
    last: u64,
}

impl StopCheck for Capped<'_> {
    fn check(&mut self, nodes: u64) -> ControlFlow<()> {
        if nodes >= self.last { ControlFlow::Break(()) } else { self.stop_check.check(self.before + nodes) }
    }
}

/// Refuses games in which chance plays: their positions are worth an expectation, not a win, a draw or a loss. Found out by playing
/// some games at random.
pub fn refuse_chance<G: Solvable>(game: &G) -> Result<(), InputError> {
    let mut rng: Rng = Seed(0).rng();
    let mut scratch = Scratch::default();
    for _ in 0..8 {
        let mut state = game.start();
        loop {
            match game.turn(&state) {
                Turn::Over(_) => break,
                Turn::Chance => {
                    let detail = "chance plays a part in it, so that its positions are not won, drawn or lost for certain";
                    return Err(InputError::malformed("game to solve", &game.spec(), detail));
                }
                Turn::Player(_) => {
                    let mv = game.random_move(&state, &mut rng, &mut scratch);
                    game.play(&mut state, mv);
                }
            }
        }
    }
    Ok(())
}

impl<G: Solvable> Solver<G> {
    /// A solver that uses about `memory` bytes. `database` is for the game's own solver ([`Solvable::exact_solver`]).
    pub fn new(
        game: &G,
        method: Method,
        memory: usize,
        tablebase: Option<Tablebase>,
        database: Option<&[u8]>,
    ) -> Result<Self, InputError> {
        refuse_chance(game)?;
        let own = if method == Method::Auto { game.exact_solver(memory, database)? } else { None };
        // The game's own solver has a table of its own; what is left to the general methods is small.
        let memory = if own.is_some() { memory / 8 } else { memory };
        let numbers = (method == Method::DfPn).then(|| NumberTable::new(memory / 2));
        let table = Table::new(if numbers.is_some() { memory / 4 } else { memory / 8 * 7 });
        let known = Lookup { table, tablebase };
        Ok(Self { known, distances: Distances::new(memory / 8), own, numbers, nodes: 0 })
    }

    /// A solver beside others that share its table. `memory` is for the game's own solver, if it has one.
    pub(super) fn sharing(game: &G, table: Table, memory: usize, database: Option<&[u8]>) -> Result<Self, InputError> {
        let own = game.exact_solver(memory, database)?;
        Ok(Self { known: Lookup { table, tablebase: None }, distances: Distances::new(0), own, numbers: None, nodes: 0 })
    }

    /// Positions searched since the solver was made.
    pub fn nodes(&self) -> u64 {
        self.nodes + self.own.as_ref().map_or(0, |own| own.nodes())
    }

    /// About how many positions were searched for what is known of a position, as far as that is remembered.
    pub(super) fn work(&self, game: &G, state: &G::State) -> Option<u64> {
        let table = &self.known.table;
        let known = table.known(symmetric_key(game, state)).or_else(|| table.known(game.value_key(state)))?;
        Some(1 << known.work)
    }

    /// What is known of a position without a search.
    fn recalled(&self, game: &G, state: &G::State) -> Bounds {
        match game.turn(state) {
            Turn::Over(outcome) => Bounds::exactly(over(outcome)),
            Turn::Player(_) | Turn::Chance => match game.known_value(state) {
                Some(value) => Bounds::exactly(value),
                None => self.known.probe(symmetric_key(game, state), 0).and(self.known.table.probe(game.value_key(state))),
            },
        }
    }

    /// The value of a position for the player to move; of a finished game, for the player who would be. Bounds when the stop check
    /// ends the search.
    pub fn value(&mut self, game: &G, state: &G::State, stop_check: &mut dyn StopCheck) -> Bounds {
        let mut bounds = self.recalled(game, state);
        if bounds.exact().is_some() {
            return bounds;
        }
        let key = symmetric_key(game, state);
        if let Some(own) = &mut self.own {
            let before = own.nodes();
            let Some(value) = own.value(game, state, stop_check) else { return bounds };
            self.known.store(key, Bounds::exactly(value), own.nodes() - before);
            return Bounds::exactly(value);
        }
        for goal in [GameValue::Win, GameValue::Draw] {
            if bounds.least >= goal || bounds.most < goal {
                continue;
            }
            let (found, stopped);
            if let Some(numbers) = &mut self.numbers {
                let mut search = DfPn::new(game, &mut self.known, numbers, stop_check, self.nodes);
                found = search.search(state, key, goal);
                (self.nodes, stopped) = (search.nodes, search.stopped);
            } else {
                let mut search = AlphaBeta::new(game, &mut self.known, stop_check, self.nodes);
                found = Bounds::found(search.search(state, key, goal, 0), goal);
                (self.nodes, stopped) = (search.nodes, search.stopped);
            }
            if stopped {
                break;
            }
            bounds = bounds.and(found);
        }
        bounds
    }

    /// Solves a position: its value first, then the length of the game, then the line.
    pub fn solve(&mut self, game: &G, state: &G::State, stop_check: &mut dyn StopCheck) -> Solution<G> {
        let stop_check = &mut Relay { stop_check, stopped: false };
        let before = self.nodes();
        let bounds = self.value(game, state, stop_check);
        let mut solution = Solution {
            bounds,
            best: None,
            line: Vec::new(),
            plies: 0,
            plies_exact: false,
            line_exact: false,
            exact_steps: 0,
            nodes: 0,
        };
        match (game.turn(state), bounds.exact()) {
            (Turn::Over(_), _) => solution.plies_exact = true,
            (_, None) => solution.best = self.surest(game, state),
            (_, Some(_)) => {
                let searched = self.nodes() - before;
                // The line of the proof comes first: the length may take longer than there is time.
                if self.recalled_distance(game, state).is_none() {
                    solution.line = self.line(game, state, None, stop_check).0;
                }
                // The general search for the length knows nothing of what makes a game's own solver fast.
                let most = if self.own.is_some() { 0 } else { DISTANCE_FACTOR * searched };
                let most = most.max(LEAST_FOR_DISTANCE);
                let length = self.distance(game, state, most, stop_check);
                if let Some(plies) = length {
                    let (line, exact) = self.line(game, state, Some(Length { plies, most }), stop_check);
                    if exact > 0 {
                        solution.line = line;
                    }
                    solution.exact_steps = exact;
                    solution.line_exact = exact > 0 && exact == solution.line.len();
                }
                solution.best = solution.line.first().copied().or_else(|| self.surest(game, state));
                solution.plies = length.unwrap_or(solution.line.len() as u32);
                solution.plies_exact = length.is_some();
            }
        }
        solution.nodes = self.nodes() - before;
        solution
    }

    /// The length of the game as the tablebase has it. The position is not over, so a length of 0 is the lie of a file.
    fn recalled_distance(&self, game: &G, state: &G::State) -> Option<u32> {
        let (value, plies) = self.known.tablebase.as_ref()?.probe(game, state)?;
        plies.filter(|&plies| value != GameValue::Draw && plies > 0)
    }

    /// The exact length of a decided game, unless finding it takes more than `most` positions.
    fn distance(&mut self, game: &G, state: &G::State, most: u64, stop_check: &mut dyn StopCheck) -> Option<u32> {
        if let Some(plies) = self.recalled_distance(game, state) {
            return Some(plies);
        }
        let winner = self.winner(game, state)?;
        self.race(game, winner, most, stop_check, |race| race.distance(state))
    }

    /// Who wins a position that is solved and not over.
    fn winner(&self, game: &G, state: &G::State) -> Option<Player> {
        let Turn::Player(mover) = game.turn(state) else { return None };
        match self.recalled(game, state).exact()? {
            GameValue::Win => Some(mover),
            GameValue::Loss => Some(mover.other()),
            GameValue::Draw => None,
        }
    }

    /// Lets `question` be answered by a search for a win of `winner` that looks at no more than `most` positions.
    fn race<T>(
        &mut self,
        game: &G,
        winner: Player,
        most: u64,
        stop_check: &mut dyn StopCheck,
        question: impl FnOnce(&mut Race<'_, G>) -> Option<T>,
    ) -> Option<T> {
        let mut capped = Capped { before: self.nodes(), last: most, stop_check };
        let (known, distances) = (&self.known, &mut self.distances);
        let mut race = Race { game, known, distances, stop_check: &mut capped, winner, nodes: 0, stopped: false };
        let answer = question(&mut race);
        self.nodes += race.nodes;
        answer
    }

    /// The move that is sure to give the most, or leaves the most open.
    fn surest(&self, game: &G, state: &G::State) -> Option<G::Move> {
        let children = children(game, state);
        let best = children.into_iter().max_by_key(|(mv, child)| {
            let bounds = self.view(game, state, child);
            (bounds.least, bounds.most, std::cmp::Reverse(*mv))
        });
        best.map(|(mv, _)| mv)
    }

    /// The moves with what is known of each, in the view of the player to move.
    pub fn moves(&self, game: &G, state: &G::State) -> Vec<(G::Move, Bounds)> {
        children(game, state).into_iter().map(|(mv, child)| (mv, self.view(game, state, &child))).collect()
    }

    /// What is known of a child, in the view of the player who moves to it.
    fn view(&self, game: &G, state: &G::State, child: &G::State) -> Bounds {
        match (game.turn(child), game.turn(state)) {
            (Turn::Over(outcome), Turn::Player(mover)) => Bounds::exactly(GameValue::of(outcome, mover)),
            _ => self.recalled(game, child).opposite(),
        }
    }

    /// Best play from a position whose value is known, and how many of its steps are known to be the fastest or slowest.
    fn line(&mut self, game: &G, state: &G::State, length: Option<Length>, stop_check: &mut Relay<'_>) -> (Vec<G::Move>, usize) {
        let mut line = Vec::new();
        let mut exact = 0;
        let mut state = state.clone();
        let mut race = length.zip(self.winner(game, &state));
        while matches!(game.turn(&state), Turn::Player(_)) && (line.is_empty() || !stop_check.stopped) {
            let next = race.and_then(|(length, winner)| self.step_by_distance(game, &state, length, winner, stop_check));
            race = next.as_ref().and(race).map(|(length, winner)| (Length { plies: length.plies - 1, ..length }, winner));
            exact += usize::from(next.is_some());
            let Some((mv, child)) = next.or_else(|| self.step_by_worth(game, &state, stop_check)) else { break };
            line.push(mv);
            state = child;
        }
        (line, exact)
    }

    /// A move after which the game lasts exactly `plies - 1` more, in a position from which `winner` wins in exactly `plies`.
    fn step_by_distance(
        &mut self,
        game: &G,
        state: &G::State,
        Length { plies, most }: Length,
        winner: Player,
        stop_check: &mut dyn StopCheck,
    ) -> Option<(G::Move, G::State)> {
        let attacks = game.turn(state) == Turn::Player(winner);
        let children = children(game, state);
        let remembered = |solver: &Self, child: &G::State| match game.turn(child) {
            Turn::Over(outcome) if outcome.winner == Some(winner) => Some(0),
            Turn::Player(_) => solver.recalled_distance(game, child),
            Turn::Over(_) | Turn::Chance => None,
        };
        if let Some(found) = children.iter().find(|(_, child)| remembered(self, child) == Some(plies - 1)) {
            return Some(found.clone());
        }
        let live = children.into_iter().filter(|(_, child)| matches!(game.turn(child), Turn::Player(_)));
        // The length is known, so that half a question is enough: can the winner be as fast, can the loser be as slow?
        let fits = |race: &mut Race<'_, G>, child: &G::State| match plies - 1 {
            0 => Some(false),
            left if attacks => race.is_within(child, left),
            1 => Some(true),
            left => race.is_within(child, left - 1).map(|within| !within),
        };
        self.race(game, winner, most, stop_check, |race| {
            let mut live = live;
            live.find(|(_, child)| fits(race, child) == Some(true))
        })
    }

    /// A move that keeps the value: for a loser, into the position that took the most work.
    fn step_by_worth(&mut self, game: &G, state: &G::State, stop_check: &mut dyn StopCheck) -> Option<(G::Move, G::State)> {
        let value = self.value(game, state, stop_check).exact()?;
        let children = children(game, state);
        if value == GameValue::Loss {
            let work = |child: &G::State| match game.turn(child) {
                Turn::Over(_) => -1,
                _ => self.known.table.known(symmetric_key(game, child)).map_or(0, |known| i64::from(known.work)),
            };
            return children.into_iter().max_by_key(|(mv, child)| (work(child), std::cmp::Reverse(*mv)));
        }
        self.keep(game, state, children, value, stop_check)
    }

    /// A move after which the player to move has at least `least` still, with the position behind it; `None` if there is none, or the
    /// check ended the search.
    pub(super) fn keeping(
        &mut self,
        game: &G,
        state: &G::State,
        least: GameValue,
        stop_check: &mut dyn StopCheck,
    ) -> Option<(G::Move, G::State)> {
        let mut children = children(game, state);
        children.sort_by_cached_key(|(mv, child)| std::cmp::Reverse(game.solver_order(state, *mv, child)));
        self.keep(game, state, children, least, stop_check)
    }

    /// The first of these children that keeps the value, preferably one of which that is known already.
    fn keep(
        &mut self,
        game: &G,
        state: &G::State,
        children: Vec<(G::Move, G::State)>,
        value: GameValue,
        stop_check: &mut dyn StopCheck,
    ) -> Option<(G::Move, G::State)> {
        let keeps = |bounds: Bounds| bounds.least >= value;
        // What the search has found on its way comes first: a move that it did not need may take longer than all it needed.
        if let Some(found) = children.iter().find(|(_, child)| keeps(self.view(game, state, child))) {
            return Some(found.clone());
        }
        if let Some(own) = &mut self.own {
            let is_over = |child: &G::State| matches!(game.turn(child), Turn::Over(_));
            let mut kept = |child: &G::State| own.recall(game, child).is_some_and(|value_then| value_then.opposite() >= value);
            if let Some(found) = children.iter().find(|(_, child)| !is_over(child) && kept(child)) {
                return Some(found.clone());
            }
        }
        for (mv, child) in children {
            if matches!(game.turn(&child), Turn::Player(_)) && keeps(self.value(game, &child, stop_check).opposite()) {
                return Some((mv, child));
            }
        }
        None
    }

    /// The positions behind `state` for a tablebase: at most `most` (and the line), those that took the most work first.
    /// Positions that are found again in a thousand steps are left out.
    pub fn tablebase(&mut self, game: &G, state: &G::State, solution: &Solution<G>, most: usize) -> Tablebase {
        let mut entries = self.known_to_own(game, state, most);
        let mut seen = HashSet::from([symmetric_key(game, state)]);
        let mut states = vec![(state.clone(), 0)];
        let mut queue = BinaryHeap::from([(u32::MAX, 0_usize)]);
        while let Some((_, index)) = queue.pop().filter(|_| entries.len() < most) {
            let (state, ply) = states[index].clone();
            if let Some(value) = self.recalled(game, &state).exact() {
                entries.push((symmetric_key(game, &state), value, None));
            }
            for (_, child) in children(game, &state) {
                let key = symmetric_key(game, &child);
                if matches!(game.turn(&child), Turn::Over(_)) || game.known_value(&child).is_some() || !seen.insert(key) {
                    continue;
                }
                // Positions further from the root are in the table under their plain key.
                let table = &self.known.table;
                let known = table.known(key).or_else(|| table.known(game.value_key(&child)));
                let solved = known.filter(|known| known.bounds.exact().is_some());
                let work = match solved {
                    Some(known) if known.work >= LEAST_WORK => known.work,
                    // Behind what a stopped search has left open there may be solved positions.
                    None if ply < OPEN_PLIES => 0,
                    _ => continue,
                };
                states.push((child, ply + 1));
                queue.push((work, states.len() - 1));
            }
        }
        entries.extend(along_line(game, state, solution));
        let found = Tablebase::new(entries);
        self.known.tablebase.as_ref().map_or_else(|| found.clone(), |before| before.joined(&found))
    }

    /// A tablebase with which an agent keeps the value of a solved position against any play: a best reply of the winner (of both
    /// players in a draw) to everything that the opponent can do, and nothing else, because behind a position of another way to win
    /// there might be a reply that is not known. False beside it if it was stopped or is more than `most` positions.
    pub fn whole_strategy(
        &mut self,
        game: &G,
        state: &G::State,
        most: usize,
        stop_check: &mut dyn StopCheck,
    ) -> (Tablebase, bool) {
        let found = strategy(self, game, state, most, stop_check);
        (Tablebase::new(found.entries), found.whole)
    }

    /// What the game's own solver has found out about the positions of the next plies.
    fn known_to_own(&mut self, game: &G, state: &G::State, most: usize) -> Vec<Entry> {
        let Some(own) = &mut self.own else { return Vec::new() };
        let mut entries = Vec::new();
        let mut seen = HashSet::from([symmetric_key(game, state)]);
        let mut level = vec![state.clone()];
        for _ in 0..OPEN_PLIES {
            let mut next = Vec::new();
            for (_, child) in level.iter().flat_map(|state| children(game, state)) {
                let key = symmetric_key(game, &child);
                if matches!(game.turn(&child), Turn::Over(_)) || entries.len() >= most || !seen.insert(key) {
                    continue;
                }
                if let Some(value) = own.recall(game, &child) {
                    entries.push((key, value, None));
                    next.push(child);
                }
            }
            level = next;
        }
        entries
    }
}

impl<G: Solvable> ExactSolver<G> for Solver<G> {
    fn value(&mut self, game: &G, state: &G::State, stop_check: &mut dyn StopCheck) -> Option<GameValue> {
        Self::value(self, game, state, stop_check).exact()
    }

    fn recall(&mut self, game: &G, state: &G::State) -> Option<GameValue> {
        self.recalled(game, state).exact()
    }

    fn nodes(&self) -> u64 {
        Self::nodes(self)
    }
}

/// The exact length of a game is looked for with so many times the positions that its value took, and at least with so many.
const DISTANCE_FACTOR: u64 = 2;
const LEAST_FOR_DISTANCE: u64 = 3_000_000;

/// How far positions that are not solved themselves are followed.
const OPEN_PLIES: u32 = 4;

/// The work, as a power of two, from which on a position is kept in a tablebase.
const LEAST_WORK: u32 = 10;

/// The value of a finished game: the player who would be to move has lost, if one has. (The rules do not say who would be to move. It
/// is the loser in all games but Crosphere, where a player can complete the opponent's chain.)
fn over(outcome: Outcome) -> GameValue {
    if outcome.winner.is_some() { GameValue::Loss } else { GameValue::Draw }
}

fn children<G: Game>(game: &G, state: &G::State) -> Vec<(G::Move, G::State)> {
    let mut moves = Vec::new();
    game.moves(state, &mut moves);
    let child = |mv| {
        let mut child = state.clone();
        game.play(&mut child, mv);
        (mv, child)
    };
    moves.into_iter().map(child).collect()
}

/// The positions along the line, with their distances.
fn along_line<G: Solvable>(game: &G, state: &G::State, solution: &Solution<G>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut state = state.clone();
    let Some(mut value) = solution.bounds.exact() else { return entries };
    for (step, &mv) in solution.line.iter().enumerate() {
        let plies = (step < solution.exact_steps).then(|| solution.plies - step as u32);
        entries.push((symmetric_key(game, &state), value, plies));
        game.play(&mut state, mv);
        value = value.opposite();
    }
    entries
}
