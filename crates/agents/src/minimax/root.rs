//! The root of a search: iterative deepening, the windows in which each method asks, and the choice of the move.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use plyground_core::{
    Agent, AgentError, Budget, Candidate, Choice, Evaluated, Evaluator, Fact, InputError, Limits, NoClock, Opinion, Params,
    Player, Progress, Rng, SearchObserver, SearchRequest, Seed, sort_moves,
};

use super::order::{History, Moves};
use super::progress::LastMoves;
use super::search::{LOOK_EVERY, NodeDepth, Search, Stats, Window};
use super::settings::{DEFAULT_DEPTH, Method, Settings};
use super::sss::OpenList;
use super::table::{Entry, SharedTable, Table, TableAccess};
use super::{DEEPEST, SURE, expected, family};
use crate::futures::{ChanceMode, Futures};
use crate::limit_checker::LimitChecker;

/// Bounds of averages need not be averages themselves, so that null windows could close in on a value by tiny steps: after so many of
/// them the rest is left to a window of the usual kind.
const MOST_STEPS_WITH_CHANCE: u32 = 8;

/// An agent of the minimax family: finds the value of plain minimax, and a move that has it, without looking at everything.
///
/// It keeps its table between thoughts.
#[derive(Debug)]
pub struct Searcher<E> {
    evaluator: E,
    settings: Settings,
    memory: Memory,
    history: History,
    /// Has the game shown chance events in earlier thoughts?
    chance: bool,
    /// Who thought last.
    mover: Option<Player>,
    last_moves: LastMoves,
}

/// The table of an agent, for one thread or for several.
#[derive(Debug)]
enum Memory {
    Own(Table),
    Shared(SharedTable),
}

impl Memory {
    fn new(settings: &Settings) -> Self {
        let Settings { table, replacement, threads, .. } = *settings;
        if threads > 1 { Self::Shared(SharedTable::new(table, replacement)) } else { Self::Own(Table::new(table, replacement)) }
    }

    /// Begins a new thought; whether everything is forgotten before.
    fn begin(&mut self, anew: bool) {
        match self {
            Self::Own(table) => {
                if anew {
                    table.clear();
                }
                table.next_age();
            }
            Self::Shared(table) => {
                if anew {
                    table.clear();
                }
                table.next_age();
            }
        }
    }
}

impl<E> Searcher<E> {
    /// The agent with this name (`alphabeta`, `pvs`, `negascout`, `mtdf`, `sss` or `expectimax`) and these keys, with any evaluator.
    pub fn new(name: &str, params: &Params, evaluator: E) -> Result<Self, InputError> {
        let settings = Settings::read(family::method(name, params)?, params)?;
        // Values that rest on chance are told apart from others by their keys, and one thread cannot see what another has met.
        let chance = settings.threads > 1 && settings.chance == ChanceMode::Expect;
        let (memory, history) = (Memory::new(&settings), History::default());
        Ok(Self { evaluator, settings, memory, history, chance, mover: None, last_moves: LastMoves::default() })
    }
}

impl<G: Evaluated, E: Evaluator<G>> Agent<G> for Searcher<E> {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        let mover = request.mover()?;
        let SearchRequest { game, state, budget, rng, observer } = request;
        let contempt = self.settings.contempt;
        // What a draw counts depends on who thinks, and so may what a position counts.
        let judges_otherwise = self.evaluator.side_with(mover);
        let thought_for_other = self.mover.replace(mover).is_some_and(|last| last != mover);
        self.memory.begin(thought_for_other && (contempt != 0.0 || judges_otherwise));
        self.history.fade();
        let mut moves = Vec::new();
        game.moves(state, &mut moves);
        if self.settings.shuffle {
            rng.shuffle(&mut moves);
        } else {
            let place = |&mv: &G::Move| self.evaluator.list_place(game, state, mv);
            sort_moves(&mut moves, |a, b| place(a).cmp(&place(b)));
        }
        let futures = Futures::new(self.settings.chance, rng);
        let sample_seed = if self.settings.samples > 0 { rng.bits() } else { 0 };
        let progress = self.settings.progress;
        let cost = |mv| if progress > 0.0 { progress * self.last_moves.cost(game, state, mv) } else { 0.0 };
        let moves: Vec<(G::Move, f32)> = moves.into_iter().map(|mv| (mv, cost(mv))).collect();
        let draw = if contempt == 0.0 { 0.0 } else { -contempt * mover.sign() };
        let (evaluator, settings) = (&self.evaluator, &self.settings);
        let thought = Thought { game, state, mover, evaluator, settings, moves, futures, sample_seed, chance: self.chance, draw };
        let checker = LimitChecker::new(&budget, observer, budget.limits.nodes, LOOK_EVERY);
        let (mut choice, chance) = match &mut self.memory {
            Memory::Own(table) => thought.think(TableAccess::Own(table), &mut self.history, checker, budget.limits),
            Memory::Shared(table) => thought.think_together(table, &mut self.history, checker, budget.limits, rng),
        };
        self.chance = chance;
        if progress > 0.0 {
            self.last_moves.add(game, state, choice.mv);
        }
        choice.elapsed = budget.clock.elapsed();
        Ok(choice)
    }
}

/// What all threads of a search have in common.
struct Thought<'a, G: Evaluated, E> {
    game: &'a G,
    state: &'a G::State,
    mover: Player,
    evaluator: &'a E,
    settings: &'a Settings,
    /// The moves in the order in which equal ones are chosen, with what each costs.
    moves: Vec<(G::Move, f32)>,
    futures: Futures,
    sample_seed: u64,
    chance: bool,
    draw: f32,
}

impl<G: Evaluated, E: Evaluator<G>> Thought<'_, G, E> {
    /// The choice, and whether chance was met.
    fn think(
        &self,
        table: TableAccess<'_>,
        history: &mut History,
        checker: LimitChecker<'_, '_, G::Move>,
        limits: Limits,
    ) -> (Choice<G>, bool) {
        let mut search = Search {
            game: self.game,
            evaluator: self.evaluator,
            settings: self.settings,
            table,
            history,
            checker,
            opinion: Opinion::default(),
            stats: Stats::default(),
            lines: Vec::new(),
            killers: Vec::new(),
            spare_moves: Vec::new(),
            spare_events: Vec::new(),
            scores: Vec::new(),
            stop: false,
            cut_short: false,
            chance: self.chance,
            draw: self.draw,
            futures: self.futures,
            sample_seed: self.sample_seed,
            root_depth: 0,
            passed_before: u32::MAX,
        };
        let mut root = Root::new(&mut search, self.state, self.mover, &self.moves);
        root.deepen(limits);
        let choice = root.choice();
        (choice, search.chance)
    }

    /// The same with helpers, which fill the table that all share (lazy SMP; Hyatt and Mann, Österlund 2017): each searches the root by
    /// itself, with its moves in another order, and what one finds cuts off in the others. The first thread decides.
    fn think_together(
        &self,
        table: &SharedTable,
        history: &mut History,
        checker: LimitChecker<'_, '_, G::Move>,
        limits: Limits,
        rng: &mut Rng,
    ) -> (Choice<G>, bool) {
        let stop = AtomicBool::new(false);
        let seeds: Vec<Seed> = (1..self.settings.threads).map(|_| Seed(rng.bits())).collect();
        std::thread::scope(|scope| {
            let mut helpers = Vec::new();
            for seed in seeds {
                let stop = &stop;
                match std::thread::Builder::new().spawn_scoped(scope, move || self.help(table, seed, limits, stop)) {
                    Ok(helper) => helpers.push(helper),
                    // In a browser there are no threads.
                    Err(_) => break,
                }
            }
            let (mut choice, chance) = self.think(TableAccess::Shared(table), history, checker, limits);
            stop.store(true, Relaxed);
            for helper in helpers {
                match helper.join() {
                    Ok(nodes) => choice.nodes += nodes,
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            (choice, chance)
        })
    }

    /// Searches until it is told to stop; the nodes.
    fn help(&self, table: &SharedTable, seed: Seed, limits: Limits, stop: &AtomicBool) -> u64 {
        let mut moves = self.moves.clone();
        seed.rng().shuffle(&mut moves);
        let helper = Thought { moves, ..*self };
        let limits = Limits { time: Some(Duration::MAX), nodes: None, ..limits };
        let budget = Budget { limits, clock: &NoClock };
        let mut observer = StoppedBy(stop);
        let checker = LimitChecker::new(&budget, &mut observer, None, LOOK_EVERY);
        helper.think(TableAccess::Shared(table), &mut History::default(), checker, limits).0.nodes
    }
}

/// Ends a search when the flag is set.
struct StoppedBy<'a>(&'a AtomicBool);

impl<M> SearchObserver<M> for StoppedBy<'_> {
    fn progress(&mut self, _: &Progress<'_, M>) -> ControlFlow<()> {
        if self.0.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A move of the root and what the current iteration has found out about it, in the mover's view.
#[derive(Clone, Copy)]
struct RootMove<M> {
    mv: M,
    /// Its place in the shuffled order: of equal moves the first one is played.
    rank: usize,
    lower: f32,
    upper: f32,
    /// What the move counts less than what it leads to.
    cost: f32,
}

/// What an iteration came to.
#[derive(Clone, Debug)]
struct Best<M> {
    mv: M,
    rank: usize,
    value: f32,
    line: Vec<M>,
}

pub(super) struct Root<'s, 'a, 'b, 'c, G: Evaluated, E> {
    search: &'s mut Search<'a, 'b, 'c, G, E>,
    state: &'s G::State,
    mover: Player,
    /// In the order in which they are searched.
    moves: Vec<RootMove<G::Move>>,
    /// Of the last iteration that says something.
    best: Option<Best<G::Move>>,
    /// The last completed one.
    depth: u32,
    branching: f64,
    notes: Vec<String>,
}

impl<'s, 'a, 'b, 'c, G: Evaluated, E: Evaluator<G>> Root<'s, 'a, 'b, 'c, G, E> {
    fn new(search: &'s mut Search<'a, 'b, 'c, G, E>, state: &'s G::State, mover: Player, moves: &[(G::Move, f32)]) -> Self {
        let unknown = |(rank, &(mv, cost))| RootMove { mv, rank, lower: f32::NEG_INFINITY, upper: f32::INFINITY, cost };
        let mut moves: Vec<_> = moves.iter().enumerate().map(unknown).collect();
        if search.settings.order.uses_hints() {
            let hint = |root: &RootMove<G::Move>| search.game.ordering_score(state, root.mv);
            sort_moves(&mut moves, |a, b| hint(b).cmp(&hint(a)));
        }
        Self { search, state, mover, moves, best: None, depth: 0, branching: 0.0, notes: Vec::new() }
    }

    /// Iterative deepening (Slate and Atkin 1977), or one search at once.
    fn deepen(&mut self, limits: Limits) {
        let open_ended = self.search.settings.iterative && (limits.time.is_some() || limits.nodes.is_some());
        let deepest = limits.depth.unwrap_or(if open_ended { DEEPEST } else { DEFAULT_DEPTH });
        let deepest = deepest.saturating_add(self.search.settings.plies_more).min(DEEPEST);
        let mut depth = if self.search.settings.iterative { 1 } else { deepest };
        loop {
            let before = self.search.checker.steps;
            self.search.cut_short = false;
            self.search.root_depth = depth;
            for root in &mut self.moves {
                (root.lower, root.upper) = (f32::NEG_INFINITY, f32::INFINITY);
            }
            self.iterate(depth);
            if self.search.stop {
                break;
            }
            self.depth = depth;
            self.branching = ((self.search.checker.steps - before) as f64).powf(1.0 / f64::from(depth));
            self.bring_forward();
            self.report();
            if depth >= deepest || self.is_settled() {
                break;
            }
            depth += 1;
        }
    }

    /// Would every deeper search come to the same result?
    fn is_settled(&self) -> bool {
        let is_sure = self.best.as_ref().is_some_and(|best| best.value.abs() >= SURE);
        !self.search.cut_short || (is_sure && !self.search.chance)
    }

    fn iterate(&mut self, depth: u32) {
        let node = NodeDepth { depth: depth as i32, ply: 0 };
        let guess = self.best.as_ref().map_or(0.0, |best| best.value);
        let best = match self.search.settings.method {
            Method::AlphaBeta | Method::PrincipalVariation => match self.search.settings.aspiration {
                Some(width) if self.best.is_some() => self.aspire(node, guess, width),
                _ => self.in_window(node, Window::WHOLE),
            },
            Method::FromGuess => self.in_null_windows(node, guess),
            Method::FromAbove => self.in_null_windows(node, f32::INFINITY),
            Method::OpenList => self.by_open_list(node),
        };
        if let Some(best) = best {
            self.best = Some(best);
            self.report();
        }
    }

    /// Aspiration windows: the value is expected near the last one; where it is not, that side is opened.
    fn aspire(&mut self, node: NodeDepth, guess: f32, width: f32) -> Option<Best<G::Move>> {
        let mut window = Window { alpha: guess - width, beta: guess + width };
        loop {
            let before = self.best.clone();
            let best = self.in_window(node, window);
            if self.search.stop {
                return best;
            }
            match best {
                None => window.alpha = f32::NEG_INFINITY,
                Some(best) if best.value >= window.beta => {
                    window.beta = f32::INFINITY;
                    self.best = before;
                }
                within => return within,
            }
        }
    }

    /// Searches all moves in a window that shrinks to what is better than the best so far: or as good, for a move that goes before it
    /// in the shuffled order. Nothing if no move is above `alpha`.
    fn in_window(&mut self, node: NodeDepth, window: Window) -> Option<Best<G::Move>> {
        let mut best: Option<Best<G::Move>> = None;
        for at in 0..self.moves.len() {
            let RootMove { mv, rank, cost, .. } = self.moves[at];
            let alpha = match &best {
                Some(best) if rank < best.rank => best.value.next_down(),
                Some(best) => best.value,
                None => window.alpha,
            };
            let inner = Window { alpha: alpha.max(window.alpha), ..window };
            let narrow = best.is_some() && self.search.settings.method == Method::PrincipalVariation;
            self.search.line(1).clear();
            let mut value = f32::INFINITY;
            if narrow {
                value = self.after(mv, cost, node, Window::above(inner.alpha));
            }
            if value > inner.alpha && (!narrow || value < inner.beta) {
                value = self.after(mv, cost, node, inner);
            }
            if self.search.stop {
                break;
            }
            let root = &mut self.moves[at];
            if value > inner.alpha {
                root.lower = value;
            }
            if value < inner.beta {
                root.upper = value;
            }
            if value > inner.alpha {
                self.search.extend_line(0, mv);
                let line = self.search.line(0).clone();
                best = Some(Best { mv, rank, value, line });
                if value >= window.beta {
                    break;
                }
            }
        }
        best
    }

    /// The value of a root move, in the mover's view, less what the move costs. Wins and losses stay what they are.
    fn after(&mut self, mv: G::Move, cost: f32, node: NodeDepth, window: Window) -> f32 {
        let mut child = self.state.clone();
        self.search.play(&mut child, mv);
        if cost == 0.0 {
            return self.search.value(&child, self.mover, node.next(), window);
        }
        let moved = |score: f32, by: f32| if score.abs() >= SURE { score } else { score + by };
        let window = Window { alpha: moved(window.alpha, cost).next_down(), beta: moved(window.beta, cost).next_up() };
        moved(self.search.value(&child, self.mover, node.next(), window), -cost)
    }

    /// MTD: asks again and again whether the value is at least so much, until the bounds meet.
    fn in_null_windows(&mut self, node: NodeDepth, guess: f32) -> Option<Best<G::Move>> {
        let (mut lower, mut upper) = (f32::NEG_INFINITY, f32::INFINITY);
        let mut beta = guess;
        let mut steps = 0;
        while lower < upper {
            if steps >= MOST_STEPS_WITH_CHANCE && self.search.chance {
                return self.in_window(node, Window { alpha: lower.next_down(), beta: upper.next_up() });
            }
            steps += 1;
            let value = self.at_least(node, beta);
            if self.search.stop {
                return None;
            }
            if value < beta {
                upper = value;
            } else {
                lower = value;
            }
            beta = if value == lower { value.next_up() } else { value };
        }
        self.first_with(node, lower)
    }

    /// One step of MTD: the best of all moves as far as needed to know whether it reaches `beta`.
    fn at_least(&mut self, node: NodeDepth, beta: f32) -> f32 {
        let mut best = f32::NEG_INFINITY;
        for at in 0..self.moves.len() {
            let value = self.test(at, node, beta);
            best = best.max(value);
            if best >= beta || self.search.stop {
                break;
            }
        }
        best
    }

    /// A bound of a root move that tells whether it reaches `beta`.
    fn test(&mut self, at: usize, node: NodeDepth, beta: f32) -> f32 {
        let RootMove { mv, lower, upper, cost, .. } = self.moves[at];
        if lower >= beta {
            return lower;
        }
        if upper < beta {
            return upper;
        }
        let value = self.after(mv, cost, node, Window { alpha: beta.next_down(), beta });
        let root = &mut self.moves[at];
        if value >= beta {
            root.lower = value;
        } else {
            root.upper = value;
        }
        value
    }

    /// The first move in the shuffled order that has the value of the root.
    fn first_with(&mut self, node: NodeDepth, value: f32) -> Option<Best<G::Move>> {
        let mut by_rank: Vec<usize> = (0..self.moves.len()).collect();
        sort_moves(&mut by_rank, |&a, &b| self.moves[a].rank.cmp(&self.moves[b].rank));
        for at in by_rank {
            let reached = self.test(at, node, value);
            if self.search.stop {
                return None;
            }
            if reached >= value {
                let root = &mut self.moves[at];
                (root.lower, root.upper) = (value, value);
                return Some(Best { mv: root.mv, rank: root.rank, value, line: vec![root.mv] });
            }
        }
        None
    }

    /// SSS* as it was published; when its list outgrows the memory, in the form that does without.
    fn by_open_list(&mut self, node: NodeDepth) -> Option<Best<G::Move>> {
        let mut ranked: Vec<(usize, G::Move)> = self.moves.iter().map(|root| (root.rank, root.mv)).collect();
        sort_moves(&mut ranked, |a, b| a.0.cmp(&b.0));
        let moves: Vec<G::Move> = ranked.into_iter().map(|(_, mv)| mv).collect();
        match OpenList::solve(self.search, self.state, self.mover, node, &moves) {
            Some((rank, value)) => {
                let at = self.moves.iter().position(|root| root.rank == rank)?;
                let root = &mut self.moves[at];
                (root.lower, root.upper) = (value, value);
                Some(Best { mv: root.mv, rank, value, line: vec![root.mv] })
            }
            None if self.search.stop => None,
            None => {
                let note = format!(
                    "at depth {} the list of open positions needs more than {} MB (tt=): null windows took over",
                    node.depth, self.search.settings.table
                );
                self.notes.push(note);
                self.in_null_windows(node, f32::INFINITY)
            }
        }
    }

    /// The best move is searched first next time.
    fn bring_forward(&mut self) {
        if let Some(best) = &self.best
            && let Some(at) = self.moves.iter().position(|root| root.rank == best.rank)
        {
            self.moves[..=at].rotate_right(1);
        }
    }

    /// Tells the observer what the best move is now.
    fn report(&mut self) {
        let Some(best) = &self.best else { return };
        let value = expected(self.search.evaluator, best.value * self.mover.sign(), self.mover);
        self.search.opinion = Opinion {
            value: Some(value),
            depth: Some(self.search.root_depth),
            line: self.search.futures.written(self.search.game, self.state, &best.line),
            candidates: self.candidates(best),
        };
    }

    /// The best move, then the others in the order of what is known about them; a value only where it is exact.
    fn candidates(&self, best: &Best<G::Move>) -> Vec<Candidate<G::Move>> {
        let mut others: Vec<&RootMove<G::Move>> = self.moves.iter().filter(|root| root.rank != best.rank).collect();
        sort_moves(&mut others, |a, b| b.upper.total_cmp(&a.upper).then(a.rank.cmp(&b.rank)));
        let value = |score: f32| Some(expected(self.search.evaluator, score * self.mover.sign(), self.mover));
        let first = Candidate { mv: best.mv, visits: 0, value: value(best.value) };
        let rest = others.into_iter().map(|root| Candidate {
            mv: root.mv,
            visits: 0,
            value: if root.lower == root.upper { value(root.lower) } else { None },
        });
        std::iter::once(first).chain(rest).collect()
    }

    /// Follows the best moves of the table from the end of a line on.
    fn lengthen(&mut self, line: &mut Vec<G::Move>) {
        let mut state = self.state.clone();
        for &mv in line.iter() {
            self.search.play(&mut state, mv);
        }
        let mut moves = Moves::default();
        while self.search.table.is_on() && line.len() < self.depth as usize {
            self.search.game.moves(&state, &mut moves.all);
            let key = self.search.key(&state, line.len() as u32);
            let best = self.search.table.get(key).map_or(Entry::NO_MOVE, |entry| entry.best);
            let Some(&mv) = moves.all.get(usize::from(best)) else { break };
            self.search.play(&mut state, mv);
            line.push(mv);
        }
    }

    fn choice(&mut self) -> Choice<G> {
        let nodes = self.search.checker.steps;
        let facts = self.facts();
        let notes = std::mem::take(&mut self.notes);
        // Stopped before the first move was searched: the one that looks best.
        let Some(mut best) = self.best.take() else {
            return Choice { nodes, facts, notes, ..Choice::bare(self.moves[0].mv) };
        };
        self.lengthen(&mut best.line);
        Choice {
            value: Some(expected(self.search.evaluator, best.value * self.mover.sign(), self.mover)),
            candidates: self.candidates(&best),
            principal_variation: self.search.futures.written(self.search.game, self.state, &best.line),
            nodes,
            depth: Some(self.depth),
            facts,
            notes,
            ..Choice::bare(best.mv)
        }
    }

    fn facts(&self) -> Vec<Fact> {
        let Stats { expanded, cut_offs, first_cut_offs, probes, hits, table_cut_offs } = self.search.stats;
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let score = self.best.as_ref().map(|best| Fact { name: "score", value: f64::from(best.value) });
        let mut facts = Vec::from_iter(score);
        facts.extend([
            Fact { name: "cut-off rate", value: share(cut_offs, expanded) },
            Fact { name: "cut-offs by the first move", value: share(first_cut_offs, cut_offs) },
            Fact { name: "effective branching factor", value: self.branching },
        ]);
        if self.search.table.is_on() {
            facts.extend([
                Fact { name: "table probes", value: probes as f64 },
                Fact { name: "table hits", value: hits as f64 },
                Fact { name: "table cut-offs", value: table_cut_offs as f64 },
            ]);
        }
        facts
    }
}
