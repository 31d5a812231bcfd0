//! Alpha-beta with three values: a search for a goal ("at least a draw", "a win") is alpha-beta with an empty window.

use plyground_core::{GameValue, Player, Solvable, StopCheck, Turn};

use super::{
    lookup::{Lookup, key_at},
    table::Bounds,
};

/// What the opponent must reach so that the player to move does not reach `goal`.
#[inline]
pub(crate) fn counter(goal: GameValue) -> GameValue {
    if goal == GameValue::Win { GameValue::Draw } else { GameValue::Win }
}

struct Child<G: Solvable> {
    mv: G::Move,
    state: G::State,
    key: u128,
    promise: i32,
}

/// Room for what belongs to a position on the way, kept so that nothing is allocated for each.
struct Frame<G: Solvable> {
    moves: Vec<G::Move>,
    /// What has to be searched, the most promising first.
    children: Vec<Child<G>>,
}

impl<G: Solvable> Default for Frame<G> {
    fn default() -> Self {
        Self { moves: Vec::new(), children: Vec::new() }
    }
}

/// An alpha-beta search with a null window for the value of positions.
pub(crate) struct AlphaBeta<'a, G: Solvable> {
    pub game: &'a G,
    pub known: &'a mut Lookup,
    pub stop_check: &'a mut dyn StopCheck,
    pub nodes: u64,
    /// Positions looked at, those included that were known at a glance.
    looked: u64,
    next_beat: u64,
    pub stopped: bool,
    frames: Vec<Frame<G>>,
}

/// Positions looked at between two stop checks: about a tenth of a millisecond.
pub(crate) const BEAT: u64 = 2_048;

impl<'a, G: Solvable> AlphaBeta<'a, G> {
    pub fn new(game: &'a G, known: &'a mut Lookup, stop_check: &'a mut dyn StopCheck, nodes: u64) -> Self {
        Self { game, known, stop_check, nodes, looked: 0, next_beat: BEAT, stopped: false, frames: Vec::new() }
    }

    /// Is the position (not over) worth at least `goal` to the player to move? The answer is a value: a lower bound when it reaches
    /// the goal, an upper bound otherwise; meaningless once stopped.
    pub fn search(&mut self, state: &G::State, key: u128, goal: GameValue, ply: usize) -> GameValue {
        self.nodes += 1;
        if self.looked >= self.next_beat {
            self.next_beat = self.looked + BEAT;
            self.stopped |= self.stop_check.check(self.nodes).is_break();
        }
        if self.stopped {
            return GameValue::Loss;
        }
        let before = self.nodes;
        if self.frames.len() <= ply {
            self.frames.resize_with(ply + 1, Default::default);
        }
        let mut frame = std::mem::take(&mut self.frames[ply]);
        let seen = self.look(state, goal, ply, &mut frame);
        let best = if seen >= goal { seen } else { self.descend(&frame.children, seen, goal, ply) };
        self.frames[ply] = frame;
        if !self.stopped {
            self.known.store(key, Bounds::found(best, goal), self.nodes - before + 1);
        }
        best
    }

    /// Looks at all children without searching them (enhanced transposition cut-off: Schaeffer and Plaat, 1996). Gives the best
    /// worth seen, and leaves in the frame those children that have to be searched.
    #[inline]
    fn look(&mut self, state: &G::State, goal: GameValue, ply: usize, frame: &mut Frame<G>) -> GameValue {
        let Frame { moves, children } = frame;
        children.clear();
        self.game.undominated_moves(state, moves);
        self.looked += 1 + moves.len() as u64;
        let mover = self.mover(state);
        let mut best = GameValue::Loss;
        for &mv in &*moves {
            let mut child = state.clone();
            self.game.play(&mut child, mv);
            let certain = match self.game.turn(&child) {
                Turn::Over(outcome) => Some(GameValue::of(outcome, mover)),
                Turn::Player(_) | Turn::Chance => self.game.known_value(&child).map(GameValue::opposite),
            };
            match certain {
                Some(value) if value >= goal => return value,
                Some(value) => best = best.max(value),
                None => {
                    let key = key_at(self.game, &child, ply + 1);
                    children.push(Child { mv, state: child, key, promise: 0 });
                }
            }
        }
        let mut index = 0;
        while index < children.len() {
            let bounds = self.known.probe(children[index].key, ply + 1).opposite();
            if bounds.least >= goal {
                return bounds.least;
            }
            if bounds.most < goal {
                best = best.max(bounds.most);
                children.swap_remove(index);
            } else {
                index += 1;
            }
        }
        if children.len() > 1 {
            for child in &mut *children {
                child.promise = self.game.solver_order(state, child.mv, &child.state);
            }
            children.sort_by_key(|child| -child.promise);
        }
        best
    }

    fn descend(&mut self, children: &[Child<G>], mut best: GameValue, goal: GameValue, ply: usize) -> GameValue {
        for (number, child) in children.iter().enumerate() {
            // A search of an elder sibling may have come by this position.
            let bounds = if number == 0 { Bounds::OPEN } else { self.known.probe(child.key, ply + 1).opposite() };
            let value = if bounds.least >= goal {
                bounds.least
            } else if bounds.most < goal {
                bounds.most
            } else {
                self.search(&child.state, child.key, counter(goal), ply + 1).opposite()
            };
            best = best.max(value);
            if best >= goal || self.stopped {
                break;
            }
        }
        best
    }

    #[inline]
    fn mover(&self, state: &G::State) -> Player {
        match self.game.turn(state) {
            Turn::Player(player) => player,
            Turn::Chance | Turn::Over(_) => Player::First,
        }
    }
}
