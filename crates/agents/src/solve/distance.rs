//! Distance to the end of a decided game: the fastest win against the slowest loss.

use plyground_core::{GameValue, Outcome, Player, Solvable, StopCheck, Turn};

use super::{
    alphabeta::BEAT,
    lookup::{Lookup, key_at},
    table::zeroed,
};

/// Longer than any game.
const NEVER: u32 = 255;
const BUCKET: usize = 4;

/// Bounds on the distance to the end, by position and by who wins.
pub(crate) struct Distances {
    entries: Vec<u64>,
    buckets: u64,
}

impl Distances {
    pub fn new(memory: usize) -> Self {
        let entries: Vec<u64> = zeroed((memory / (8 * BUCKET)).max(1_024) * BUCKET);
        Self { buckets: (entries.len() / BUCKET) as u64, entries }
    }

    fn bucket(&self, key: u128) -> usize {
        ((u128::from((key >> 64) as u64) * u128::from(self.buckets)) >> 64) as usize * BUCKET
    }

    /// The least and the most plies.
    fn probe(&self, key: u128) -> [u32; 2] {
        let bucket = self.bucket(key);
        let tag = key as u64 >> 16;
        let entry = self.entries[bucket..bucket + BUCKET].iter().find(|&&entry| entry >> 16 == tag && entry as u16 != 0);
        entry.map_or([1, NEVER], |&entry| [(entry >> 8 & 255) as u32, (entry & 255) as u32])
    }

    fn store(&mut self, key: u128, [least, most]: [u32; 2]) {
        let bucket = self.bucket(key);
        let tag = key as u64 >> 16;
        let entries = &mut self.entries[bucket..bucket + BUCKET];
        let same = entries.iter().position(|&entry| entry >> 16 == tag || entry == 0);
        // The last place is for what comes along; the others keep what was there first, which is nearer to the root.
        let place = same.unwrap_or(BUCKET - 1);
        entries[place] = tag << 16 | u64::from(least) << 8 | u64::from(most);
    }
}

/// A search for the number of plies in which one of the players wins.
pub(crate) struct Race<'a, G: Solvable> {
    pub game: &'a G,
    pub known: &'a Lookup,
    pub distances: &'a mut Distances,
    pub stop_check: &'a mut dyn StopCheck,
    pub winner: Player,
    pub nodes: u64,
    pub stopped: bool,
}

struct Child<G: Solvable> {
    state: G::State,
    key: u128,
    /// What is tried first has the smallest number.
    order: i64,
}

impl<G: Solvable> Race<'_, G> {
    /// The distance to the winner's win from a position (not over) that is known to be won; `None` when stopped.
    pub fn distance(&mut self, state: &G::State) -> Option<u32> {
        let key = key_at(self.game, state, 0);
        let mut within = 1;
        while within < NEVER {
            let plies = self.within(state, key, within, 0);
            if self.stopped {
                return None;
            }
            if plies <= within {
                return Some(plies);
            }
            within = plies;
        }
        None
    }

    /// Does the winner win within so many plies (one at least)? `None` when stopped.
    pub fn is_within(&mut self, state: &G::State, plies: u32) -> Option<bool> {
        let found = self.within(state, key_at(self.game, state, 0), plies, 0);
        (!self.stopped).then_some(found <= plies)
    }

    /// The key of a position together with who wins.
    fn key_with_winner(&self, key: u128, mover: Player) -> u128 {
        if mover == self.winner { key ^ 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834 } else { key }
    }

    /// Does the winner win within so many plies (one at least) of a position that is not over? The answer is a number of plies: an
    /// upper bound when it is within, a lower bound otherwise.
    fn within(&mut self, state: &G::State, key: u128, plies: u32, ply: usize) -> u32 {
        let Turn::Player(mover) = self.game.turn(state) else { return NEVER };
        self.nodes += 1;
        if self.nodes.is_multiple_of(BEAT / 16) {
            self.stopped |= self.stop_check.check(self.nodes).is_break();
        }
        if self.stopped {
            return NEVER;
        }
        let entry = self.key_with_winner(key, mover);
        let [least, most] = self.distances.probe(entry);
        if most <= plies {
            return most;
        }
        if least > plies {
            return least;
        }
        if self.hopeless(state, key, mover, ply) {
            self.distances.store(entry, [NEVER, NEVER]);
            return NEVER;
        }
        let found = self.try_moves(state, plies, ply, mover);
        if !self.stopped {
            self.distances.store(entry, if found <= plies { [least, found] } else { [found, most] });
        }
        found
    }

    /// Is it known that the winner does not win here?
    fn hopeless(&self, state: &G::State, key: u128, mover: Player, ply: usize) -> bool {
        let wanted = GameValue::of(Outcome::win(self.winner), mover);
        let bounds = self.known.probe(key, ply);
        wanted < bounds.least || wanted > bounds.most || self.game.known_value(state).is_some_and(|value| value != wanted)
    }

    fn try_moves(&mut self, state: &G::State, plies: u32, ply: usize, mover: Player) -> u32 {
        let mut moves = Vec::new();
        self.game.moves(state, &mut moves);
        let attacks = mover == self.winner;
        let mut children: Vec<Child<G>> = Vec::new();
        let mut best = if attacks { NEVER } else { 0 };
        for mv in moves {
            let mut child = state.clone();
            self.game.play(&mut child, mv);
            let further = match self.game.turn(&child) {
                Turn::Over(outcome) if outcome.winner == Some(self.winner) => 1,
                Turn::Over(_) => NEVER,
                // The last ply ends the game or does not.
                Turn::Player(_) | Turn::Chance if plies == 1 => 2,
                Turn::Player(_) | Turn::Chance => {
                    let key = key_at(self.game, &child, ply + 1);
                    let promise = i64::from(self.game.solver_order(state, mv, &child));
                    let order = self.order(key, ply + 1, mover) * 1_000_000 - promise;
                    children.push(Child { state: child, key, order });
                    continue;
                }
            };
            best = if attacks { best.min(further) } else { best.max(further) };
            if (best <= plies) == attacks {
                return best;
            }
        }
        children.sort_by_key(|child| child.order);
        for child in children {
            let further = (self.within(&child.state, child.key, plies - 1, ply + 1) + 1).min(NEVER);
            if self.stopped {
                break;
            }
            best = if attacks { best.min(further) } else { best.max(further) };
            // One fast way is enough for the winner, one slow way for the loser.
            if (best <= plies) == attacks {
                break;
            }
        }
        best
    }

    /// Fast ways first for the winner, slow ones for the loser.
    fn order(&self, key: u128, ply: usize, mover: Player) -> i64 {
        let [least, most] = self.distances.probe(self.key_with_winner(key, mover.other()));
        if mover != self.winner {
            return -i64::from(least);
        }
        let surely_won = self.known.probe(key, ply).most == GameValue::Loss;
        i64::from(most) + i64::from(least) - 100 * i64::from(surely_won)
    }
}
