//! Whole strategies for tablebases: a best reply to everything that the opponent can do.

use std::collections::HashSet;

use plyground_core::{GameValue, Player, Solvable, StopCheck, Turn};

use super::lookup::symmetric_key;
use super::solver::Solver;
use super::tablebase::{Entry, REPLY};

/// The positions that a tablebase needs so that an agent which plays by it keeps the value of a position against any play.
#[derive(Clone, Debug, Default)]
pub(super) struct Strategy {
    pub entries: Vec<Entry>,
    /// Is it all, or was it stopped or cut at the most entries?
    pub whole: bool,
}

/// The walk through a strategy for one player.
struct Walk<'a, G: Solvable> {
    solver: &'a mut Solver<G>,
    game: &'a G,
    player: Player,
    most: usize,
    seen: HashSet<u128>,
    entries: Vec<Entry>,
    /// Drawn positions in which the player is to move.
    drawn: Vec<Entry>,
}

/// The strategy behind a position whose value is known: of the winner, or of both players where it is a draw. At most `most` entries.
pub(super) fn strategy<G: Solvable>(
    solver: &mut Solver<G>,
    game: &G,
    state: &G::State,
    most: usize,
    stop_check: &mut dyn StopCheck,
) -> Strategy {
    let (Turn::Player(mover), Some(value)) = (game.turn(state), solver.value(game, state, stop_check).exact()) else {
        return Strategy::default();
    };
    let players: &[Player] = match value {
        GameValue::Win => &[mover],
        GameValue::Loss => &[mover.other()],
        GameValue::Draw => &Player::BOTH,
    };
    let mut strategy = Strategy { entries: Vec::new(), whole: true };
    let mut drawn = Vec::new();
    for &player in players {
        let seen = HashSet::new();
        let entries = std::mem::take(&mut strategy.entries);
        let mut walk = Walk { solver: &mut *solver, game, player, most, seen, entries, drawn: std::mem::take(&mut drawn) };
        strategy.whole &= walk.follow(state, stop_check).is_some();
        (strategy.entries, drawn) = (walk.entries, walk.drawn);
    }
    // Of equal keys the last counts: where a position is drawn for both players, the mark of the one whose reply leads there.
    drawn.append(&mut strategy.entries);
    Strategy { entries: drawn, ..strategy }
}

impl<G: Solvable> Walk<'_, G> {
    /// Adds what is needed behind a position; `None` if it was stopped or is too much.
    fn follow(&mut self, state: &G::State, stop_check: &mut dyn StopCheck) -> Option<()> {
        match self.game.turn(state) {
            Turn::Over(_) | Turn::Chance => Some(()),
            Turn::Player(mover) if mover == self.player => self.reply(state, stop_check),
            Turn::Player(_) => {
                let mut moves = Vec::new();
                self.game.moves(state, &mut moves);
                moves.into_iter().try_for_each(|mv| {
                    let mut child = state.clone();
                    self.game.play(&mut child, mv);
                    self.follow(&child, stop_check)
                })
            }
        }
    }

    fn reply(&mut self, state: &G::State, stop_check: &mut dyn StopCheck) -> Option<()> {
        let key = symmetric_key(self.game, state);
        if !self.seen.insert(key) {
            return Some(());
        }
        let full = self.entries.len() + self.drawn.len() + 2 > self.most;
        if full || stop_check.check(self.solver.nodes()).is_break() {
            return None;
        }
        // In a drawn game the opponent may lose on the way: the value here can be better than that of the start.
        let value = self.solver.value(self.game, state, stop_check).exact()?;
        let (_, child) = self.solver.keeping(self.game, state, value, stop_check)?;
        // Both players have a strategy where the game is drawn, and a move that only the other one has looked behind may lose.
        let mark = (value == GameValue::Draw).then_some(REPLY);
        if value == GameValue::Draw {
            self.drawn.push((key, value, None));
        }
        if matches!(self.game.turn(&child), Turn::Player(_)) {
            self.entries.push((symmetric_key(self.game, &child), value.opposite(), mark));
        }
        self.follow(&child, stop_check)
    }
}
