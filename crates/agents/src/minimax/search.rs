//! The search that all agents of the family share: fail-soft negamax with everything that can be switched on or off.

use plyground_core::{Evaluated, Evaluator, Opinion, Outcome, Player, Turn, WIN_SCORE};

use super::SURE;
use super::chance::Event;
use super::order::{History, Killers, Moves, Ranking};
use super::settings::{Follow, Method, Settings, UsableEntries};
use super::table::{Entry, TableAccess};
use crate::futures::Futures;
use crate::limit_checker::LimitChecker;

/// The clock is read and the observer called once in so many nodes: slow evaluations take a microsecond or two.
pub(super) const LOOK_EVERY: u64 = 256;

/// Nearer to the end of the look-ahead, looking a position up takes longer than searching it.
const TABLE_FROM: i32 = 2;
/// Nearer to the end, ordering the moves takes longer than what it saves.
pub(super) const ORDER_FROM: i32 = 2;
/// Singular extensions take three plies to be worth anything.
const SINGULAR_FROM: i32 = 3;

/// An open interval of scores in the view of some player. What is outside of it need not be known exactly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub alpha: f32,
    pub beta: f32,
}

impl Window {
    pub const WHOLE: Self = Self { alpha: f32::NEG_INFINITY, beta: f32::INFINITY };

    /// Asks only whether the score is above `alpha`: no number is in between.
    #[inline]
    pub fn above(alpha: f32) -> Self {
        Self { alpha, beta: alpha.next_up() }
    }

    /// The same in the view of the opponent.
    #[inline]
    fn opposite(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    #[inline]
    pub fn is_null(self) -> bool {
        self.beta <= self.alpha.next_up()
    }
}

/// The depth of a node: plies left to search, and plies from the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeDepth {
    /// Moves of the players still to be looked ahead; from 0 down while only noisy moves are followed.
    pub depth: i32,
    /// Moves of the players since the root.
    pub ply: u32,
}

impl NodeDepth {
    #[inline]
    pub fn next(self) -> Self {
        Self { depth: self.depth - 1, ply: self.ply + 1 }
    }
}

/// The counters that `--explain` prints.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stats {
    /// Positions whose moves were searched.
    pub expanded: u64,
    pub cut_offs: u64,
    pub first_cut_offs: u64,
    pub probes: u64,
    pub hits: u64,
    pub table_cut_offs: u64,
}

pub(super) struct Search<'a, 'b, 'c, G: Evaluated, E> {
    pub game: &'a G,
    pub evaluator: &'a E,
    pub settings: &'a Settings,
    pub table: TableAccess<'a>,
    pub history: &'a mut History,
    pub checker: LimitChecker<'b, 'c, G::Move>,
    /// The progress for the observer.
    pub opinion: Opinion<G::Move>,
    pub stats: Stats,
    /// The best lines from each ply on, up to the first chance event.
    pub lines: Vec<Vec<G::Move>>,
    pub killers: Vec<Killers<G::Move>>,
    /// Lists that are used again and again, so that no node allocates.
    pub spare_moves: Vec<Moves<G::Move>>,
    pub spare_events: Vec<Event<G::Move>>,
    pub scores: Vec<f32>,
    /// Must the search end now? What it returns then means nothing.
    pub stop: bool,
    /// Was a position judged before its end?
    pub cut_short: bool,
    /// Has a chance event been met? Then scores near a win may be averages.
    pub chance: bool,
    /// The value of a draw in the first player's view (contempt).
    pub draw: f32,
    /// What moves lead to.
    pub futures: Futures,
    /// The seed of the sampling of chance outcomes.
    pub sample_seed: u64,
    /// The depth of the search at the root.
    pub root_depth: u32,
    /// The ply at which no null move is made, because the one before was one.
    pub passed_before: u32,
}

impl<G: Evaluated, E: Evaluator<G>> Search<'_, '_, '_, G, E> {
    /// The value of a position in the view of `viewer`: exact inside the window, a bound outside.
    pub fn value(&mut self, state: &G::State, viewer: Player, node: NodeDepth, window: Window) -> f32 {
        if self.stop {
            return 0.0;
        }
        self.count();
        match self.game.turn(state) {
            Turn::Over(outcome) => self.end(state, outcome, node.ply) * viewer.sign(),
            Turn::Chance => self.average(state, viewer, node, window),
            Turn::Player(player) if player == viewer => self.best(state, player, node, window),
            Turn::Player(player) => -self.best(state, player, node, window.opposite()),
        }
    }

    /// Counts a position, and finds out now and then whether to stop.
    #[inline]
    pub fn count(&mut self) {
        let opinion = &self.opinion;
        self.stop = self.checker.step(|| opinion.clone());
    }

    /// Plays a move of a player.
    #[inline]
    pub fn play(&self, state: &mut G::State, mv: G::Move) {
        self.futures.play(self.game, state, mv);
    }

    /// The score of a finished game, in the first player's view: shorter wins and longer losses are better.
    #[inline]
    fn end(&self, state: &G::State, outcome: Outcome, ply: u32) -> f32 {
        match outcome.winner {
            _ if self.settings.judges_ends => self.evaluator.score(self.game, state),
            Some(winner) => winner.sign() * (WIN_SCORE - ply as f32),
            None => self.draw,
        }
    }

    /// The value of a position for the player to move.
    fn best(&mut self, state: &G::State, player: Player, node: NodeDepth, window: Window) -> f32 {
        if node.depth <= 0 {
            return self.horizon(state, player, node, window);
        }
        let key = (self.table.is_on() && node.depth >= TABLE_FROM).then(|| self.key(state, node.ply));
        let mut hash_move = usize::MAX;
        if let Some(entry) = key.and_then(|key| self.look_up(key)) {
            hash_move = usize::from(entry.best);
            if let Some(value) = self.known(&entry, node, window) {
                return value;
            }
        }
        if let Some(value) = self.enough_without_moves(state, player, node, window) {
            return value;
        }
        let mut moves = self.spare_moves.pop().unwrap_or_default();
        self.game.moves(state, &mut moves.all);
        let best = if node.depth == 1 && self.judges_at_once() {
            self.frontier(state, player, node, &moves.all)
        } else if node.depth == 1 && self.settings.quiescence == 0 {
            self.try_leaves(state, player, node, window, &moves.all)
        } else {
            // Whether this position hangs on a judgement is asked apart from what came before.
            let cut_short = std::mem::take(&mut self.cut_short);
            let (best, best_move) = self.try_moves(state, player, node, window, hash_move, &mut moves);
            if let Some(key) = key.filter(|_| !self.stop) {
                self.remember(key, node, window, best, best_move);
            }
            self.cut_short |= cut_short;
            best
        };
        self.spare_moves.push(moves);
        best
    }

    pub fn rank(&mut self, state: &G::State, player: Player, node: NodeDepth, hash_move: usize, moves: &mut Moves<G::Move>) {
        let order = self.settings.order;
        if order.is_none() || node.depth < ORDER_FROM {
            return moves.leave();
        }
        let ply = node.ply as usize;
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, [None; 2]);
        }
        let killers = self.killers[ply];
        moves.rank(order, &Ranking { game: self.game, state, player, hash_move, killers, history: self.history });
    }

    /// The best value and the number of its move.
    fn try_moves(
        &mut self,
        state: &G::State,
        player: Player,
        node: NodeDepth,
        window: Window,
        hash_move: usize,
        moves: &mut Moves<G::Move>,
    ) -> (f32, usize) {
        self.stats.expanded += 1;
        // The best move of an earlier search is often enough: the others are ranked when it was not.
        let is_first_known = self.settings.order.hash && hash_move < moves.all.len();
        if !is_first_known {
            if let Some(value) = self.known_to_be_enough(state, player, node, window, moves) {
                return value;
            }
            self.rank(state, player, node, hash_move, moves);
        }
        let singular = self.singular(state, player, node, moves);
        let is_null = window.is_null();
        if !is_null {
            self.line(node.ply).clear();
        }
        let (mut best, mut best_move) = (f32::NEG_INFINITY, usize::from(Entry::NO_MOVE));
        for turn in 0..moves.all.len() {
            if turn == 1 && is_first_known {
                if let Some(value) = self.known_to_be_enough(state, player, node, window, moves) {
                    return value;
                }
                self.rank(state, player, node, hash_move, moves);
                moves.pick(0);
            }
            let number = if turn == 0 && is_first_known { hash_move } else { moves.pick(turn) };
            let mv = moves.all[number];
            let mut child = state.clone();
            self.play(&mut child, mv);
            if !is_null {
                self.line(node.ply + 1).clear();
            }
            let inner = Window { alpha: window.alpha.max(best), ..window };
            let mut next = node.next();
            if singular == Some(number) {
                next.depth += 1;
            }
            let less = if singular.is_none() { self.reduction(state, mv, turn, node) } else { 0 };
            let value = self.try_move(&child, player, next, inner, turn, less);
            if self.stop {
                break;
            }
            if value > best {
                (best, best_move) = (value, number);
                if value >= window.beta {
                    self.cut(player, mv, turn, node);
                    break;
                }
                if value > window.alpha && !is_null {
                    self.extend_line(node.ply, mv);
                }
            }
        }
        (best, best_move)
    }

    /// Enhanced transposition cut-offs (Schaeffer and Plaat 1996): does the table know of a move that is enough? Its value and number.
    fn known_to_be_enough(
        &mut self,
        state: &G::State,
        player: Player,
        node: NodeDepth,
        window: Window,
        moves: &Moves<G::Move>,
    ) -> Option<(f32, usize)> {
        let next = node.next();
        if !self.table.is_on() || next.depth < TABLE_FROM || window.beta == f32::INFINITY || !self.settings.is_even() {
            return None;
        }
        for (number, &mv) in moves.all.iter().enumerate() {
            let mut child = state.clone();
            self.play(&mut child, mv);
            let Some(entry) = self.look_up(self.key(&child, next.ply)) else { continue };
            let [(lower, lower_lasts), (upper, upper_lasts)] = entry.bounds_at(next.depth, self.chance);
            let (bound, lasts) = match self.game.turn(&child) {
                Turn::Player(mover) if mover == player => (self.counted_from_root(lower, next.ply), lower_lasts),
                Turn::Player(_) => (-self.counted_from_root(upper, next.ply), upper_lasts),
                Turn::Over(_) | Turn::Chance => continue,
            };
            if bound >= window.beta {
                self.cut_short |= !lasts;
                self.stats.table_cut_offs += 1;
                return Some((bound, number));
            }
        }
        None
    }

    /// A ply before the end of the look-ahead: the best of the children, judged one after the other. The same as [`Search::try_moves`]
    /// with all that has no effect there left out.
    fn try_leaves(&mut self, state: &G::State, player: Player, node: NodeDepth, window: Window, moves: &[G::Move]) -> f32 {
        self.stats.expanded += 1;
        let next = node.next();
        let mut best = f32::NEG_INFINITY;
        if !window.is_null() {
            self.line(node.ply).clear();
        }
        for (turn, &mv) in moves.iter().enumerate() {
            let mut child = state.clone();
            self.play(&mut child, mv);
            self.count();
            let value = match self.game.turn(&child) {
                Turn::Over(outcome) => self.end(&child, outcome, next.ply) * player.sign(),
                Turn::Player(_) => {
                    self.cut_short = true;
                    self.evaluator.score(self.game, &child) * player.sign()
                }
                Turn::Chance => self.average(&child, player, next, Window { alpha: window.alpha.max(best), ..window }),
            };
            if self.stop {
                break;
            }
            if value > best {
                best = value;
                if value >= window.beta {
                    self.cut(player, mv, turn, node);
                    break;
                }
                if value > window.alpha && !window.is_null() {
                    self.line(next.ply).clear();
                    self.extend_line(node.ply, mv);
                }
            }
        }
        best
    }

    /// The value of a move that is tried as number `turn`.
    #[inline]
    fn try_move(&mut self, child: &G::State, player: Player, next: NodeDepth, window: Window, turn: usize, less: i32) -> f32 {
        if less > 0 {
            let less = NodeDepth { depth: next.depth - less, ..next };
            let value = self.value(child, player, less, Window::above(window.alpha));
            if value <= window.alpha {
                return value;
            }
        }
        // At the end of the look-ahead a narrow window saves nothing.
        if turn > 0 && next.depth > 0 && self.settings.method == Method::PrincipalVariation && !window.is_null() {
            let value = self.value(child, player, next, Window::above(window.alpha));
            if value <= window.alpha || value >= window.beta {
                return value;
            }
        }
        self.value(child, player, next, window)
    }

    /// Singular extensions (Anantharaman, Campbell and Hsu 1990): the number of the move, if there is one, that is better than all
    /// others by more than the margin when all are searched three plies less deep.
    fn singular(&mut self, state: &G::State, player: Player, node: NodeDepth, moves: &mut Moves<G::Move>) -> Option<usize> {
        let margin = self.settings.singular?;
        // A line of forced moves ends after as many plies again as were asked for.
        if node.depth < SINGULAR_FROM || moves.all.len() < 2 || node.ply >= 2 * self.root_depth {
            return None;
        }
        let less = NodeDepth { depth: node.depth - 3, ply: node.ply + 1 };
        let after = |search: &mut Self, number: usize, window| {
            let mut child = state.clone();
            search.play(&mut child, moves.all[number]);
            search.value(&child, player, less, window)
        };
        let (mut best, mut best_move) = (f32::NEG_INFINITY, 0);
        for number in 0..moves.all.len() {
            let value = after(self, number, Window { alpha: best, beta: f32::INFINITY });
            if value > best {
                (best, best_move) = (value, number);
            }
        }
        let near = best - margin;
        let others = (0..moves.all.len()).filter(|&number| number != best_move);
        for number in others {
            if after(self, number, Window::above(near.next_down())) >= near {
                return None;
            }
        }
        Some(best_move)
    }

    /// At the end of the look-ahead: the evaluation, or with quiescence the best of it and what the noisy moves lead to.
    fn horizon(&mut self, state: &G::State, player: Player, node: NodeDepth, window: Window) -> f32 {
        self.cut_short = true;
        let mut best = self.evaluator.score(self.game, state) * player.sign();
        if -node.depth >= self.settings.quiescence || best >= window.beta {
            return best;
        }
        let mut moves = self.spare_moves.pop().unwrap_or_default();
        if self.settings.follow == Follow::Gains {
            self.game.gaining_moves(state, &mut moves.all);
        } else {
            self.game.moves(state, &mut moves.all);
            moves.all.retain(|&mv| self.game.is_noisy(state, mv));
        }
        self.rank(state, player, NodeDepth { depth: ORDER_FROM, ..node }, usize::MAX, &mut moves);
        for turn in 0..moves.all.len() {
            let number = moves.pick(turn);
            let mut child = state.clone();
            self.play(&mut child, moves.all[number]);
            let inner = Window { alpha: window.alpha.max(best), ..window };
            let value = self.value(&child, player, node.next(), inner);
            if self.stop {
                break;
            }
            best = best.max(value);
            if best >= window.beta {
                break;
            }
        }
        self.spare_moves.push(moves);
        best
    }

    /// Can all children of a position be judged at once? Not when a draw must be told from a level position, and not when ends are none.
    fn judges_at_once(&self) -> bool {
        let Settings { quiescence, judges_ends, .. } = *self.settings;
        !self.chance && quiescence == 0 && !judges_ends && self.draw == 0.0 && self.evaluator.judges_children_at_once()
    }

    /// A ply before the end of the look-ahead: the best of all children, judged at once.
    fn frontier(&mut self, state: &G::State, player: Player, node: NodeDepth, moves: &[G::Move]) -> f32 {
        self.checker.steps += moves.len() as u64;
        self.evaluator.evaluate_children(self.game, state, moves, &mut self.scores);
        let best = self.scores.iter().fold(f32::NEG_INFINITY, |best, score| best.max(score * player.sign()));
        if best.abs() == WIN_SCORE {
            return best.signum() * (WIN_SCORE - node.next().ply as f32);
        }
        self.cut_short = true;
        best
    }

    /// The line from a ply on.
    pub fn line(&mut self, ply: u32) -> &mut Vec<G::Move> {
        let ply = ply as usize;
        if self.lines.len() <= ply {
            self.lines.resize_with(ply + 1, Vec::new);
        }
        &mut self.lines[ply]
    }

    /// The line from a ply on is this move and what follows it.
    pub fn extend_line(&mut self, ply: u32, mv: G::Move) {
        let reply = std::mem::take(self.line(ply + 1));
        let line = self.line(ply);
        line.clear();
        line.push(mv);
        line.extend_from_slice(&reply);
        *self.line(ply + 1) = reply;
    }

    /// Notes that a move was enough.
    fn cut(&mut self, player: Player, mv: G::Move, turn: usize, node: NodeDepth) {
        self.stats.cut_offs += 1;
        self.stats.first_cut_offs += u64::from(turn == 0);
        if node.depth < ORDER_FROM || self.settings.order.is_none() {
            return;
        }
        self.history.praise(player, &mv, node.depth);
        if let Some(killers) = self.killers.get_mut(node.ply as usize)
            && killers[0] != Some(mv)
        {
            *killers = [Some(mv), killers[0]];
        }
    }

    /// The key of a position in the table. Averages over wins and other results depend on the ply in a way that cannot be undone, so
    /// with chance around the ply is part of the key.
    #[inline]
    pub fn key(&self, state: &G::State, ply: u32) -> u64 {
        let key = self.game.hash(state) ^ self.futures.salt();
        if self.chance { key ^ u64::from(ply).wrapping_mul(0x9e37_79b9_7f4a_7c15) } else { key }
    }

    #[inline]
    fn look_up(&mut self, key: u64) -> Option<Entry> {
        self.stats.probes += 1;
        let entry = self.table.get(key)?;
        self.stats.hits += 1;
        Some(entry)
    }

    /// What the table knows, if it is enough.
    #[inline]
    fn known(&mut self, entry: &Entry, node: NodeDepth, window: Window) -> Option<f32> {
        let is_deeper = self.settings.usable == UsableEntries::Deeper;
        let depth = if is_deeper { node.depth.max(i32::from(entry.depth)) } else { node.depth };
        let [(lower, lower_lasts), (upper, upper_lasts)] = entry.bounds_at(depth, self.chance);
        let (lower, upper) = (self.counted_from_root(lower, node.ply), self.counted_from_root(upper, node.ply));
        let (value, lasts) = if lower >= window.beta || lower == upper {
            (lower, lower_lasts && (lower >= window.beta || upper_lasts))
        } else if upper <= window.alpha {
            (upper, upper_lasts)
        } else {
            return None;
        };
        self.cut_short |= !lasts;
        self.stats.table_cut_offs += 1;
        Some(value)
    }

    fn remember(&mut self, key: u64, node: NodeDepth, window: Window, value: f32, best_move: usize) {
        // The key may have become another one when the search met chance for the first time: then the entry is never found.
        let value_here = self.counted_from_here(value, node.ply);
        let is_final = !self.cut_short;
        let mut entry = Entry { depth: node.depth as u8, best: best_move as u16, ..Entry::UNKNOWN };
        if value > window.alpha {
            (entry.lower, entry.final_lower) = (value_here, is_final);
        }
        if value < window.beta {
            (entry.upper, entry.final_upper) = (value_here, is_final);
        }
        self.table.put(key, entry);
    }

    /// Wins and losses are counted from the root in the search, and from the position in the table.
    fn counted_from_here(&self, value: f32, ply: u32) -> f32 {
        if value.abs() >= SURE && value.is_finite() && !self.chance { value + value.signum() * ply as f32 } else { value }
    }

    #[inline]
    fn counted_from_root(&self, value: f32, ply: u32) -> f32 {
        if value.abs() >= SURE && value.is_finite() && !self.chance { value - value.signum() * ply as f32 } else { value }
    }
}
