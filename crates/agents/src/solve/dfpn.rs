//! Depth-first proof-number search (df-pn: Nagai, 2002): always looks where the least is missing to a proof or a disproof.
//!
//! A position has two numbers: about how many positions must be decided in its favour to prove that the player to move reaches the
//! goal, and how many to disprove it. In negamax form (Nagai's phi and delta) a position's `proof` is the least `disproof` of its
//! children, since one good move is enough, and its `disproof` grows with the `proof` of all of them. In games full of
//! transpositions a sum would count the same position many times; the greatest and one for each other child do not (weak proof
//! numbers: Ueda, Hashimoto, Hashimoto and Iida, 2008).

use plyground_core::{GameValue, Player, Solvable, StopCheck, Turn};

use super::{
    alphabeta::{BEAT, counter},
    lookup::{Lookup, key_at},
    table::{Bounds, zeroed},
};

/// Cannot be proved, or disproved, any more.
const NEVER: u32 = u32::MAX / 4;
const BUCKET: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    proof: u32,
    disproof: u32,
}

impl Numbers {
    const PROVED: Self = Self { proof: 0, disproof: NEVER };
    const DISPROVED: Self = Self { proof: NEVER, disproof: 0 };

    fn decided(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

/// The numbers of positions that are not decided yet.
pub(crate) struct NumberTable {
    /// A tag of 58 bits with the work as a power of two, and the two numbers.
    entries: Vec<[u64; 2]>,
    buckets: u64,
}

impl NumberTable {
    pub fn new(memory: usize) -> Self {
        let entries: Vec<[u64; 2]> = zeroed((memory / (16 * BUCKET)).max(256) * BUCKET);
        Self { buckets: (entries.len() / BUCKET) as u64, entries }
    }

    fn bucket(&self, key: u128) -> usize {
        ((u128::from((key >> 64) as u64) * u128::from(self.buckets)) >> 64) as usize * BUCKET
    }

    fn probe(&self, key: u128) -> Option<Numbers> {
        let bucket = self.bucket(key);
        let tag = key as u64 >> 6;
        let entry = self.entries[bucket..bucket + BUCKET].iter().find(|entry| entry[0] >> 6 == tag && entry[1] != 0)?;
        Some(Numbers { proof: (entry[1] >> 32) as u32, disproof: entry[1] as u32 })
    }

    fn store(&mut self, key: u128, numbers: Numbers, nodes: u64) {
        let bucket = self.bucket(key);
        let tag = key as u64 >> 6;
        let entries = &mut self.entries[bucket..bucket + BUCKET];
        let same = entries.iter().position(|entry| entry[0] >> 6 == tag);
        let cheapest = || (0..BUCKET).min_by_key(|&place| if entries[place][1] == 0 { 0 } else { 1 + (entries[place][0] & 63) });
        let place = same.or_else(cheapest).unwrap_or(0);
        let work = u64::from(nodes.max(1).ilog2());
        entries[place] = [tag << 6 | work, u64::from(numbers.proof) << 32 | u64::from(numbers.disproof)];
    }
}

struct Child<G: Solvable> {
    state: G::State,
    key: u128,
    numbers: Numbers,
    /// What is known of it, in the view of the player who moves to it.
    bounds: Bounds,
}

/// A search for a proof.
pub(crate) struct DfPn<'a, G: Solvable> {
    game: &'a G,
    known: &'a mut Lookup,
    numbers: &'a mut NumberTable,
    stop_check: &'a mut dyn StopCheck,
    pub nodes: u64,
    looked: u64,
    next_beat: u64,
    pub stopped: bool,
}

/// The two goals have different numbers: for one of them the key is changed.
fn key_for(key: u128, goal: GameValue) -> u128 {
    if goal == GameValue::Win { key } else { key ^ 0xf39c_c060_5ced_c834_9e37_79b9_7f4a_7c15 }
}

impl<'a, G: Solvable> DfPn<'a, G> {
    pub fn new(
        game: &'a G,
        known: &'a mut Lookup,
        numbers: &'a mut NumberTable,
        stop_check: &'a mut dyn StopCheck,
        nodes: u64,
    ) -> Self {
        Self { game, known, numbers, stop_check, nodes, looked: 0, next_beat: BEAT, stopped: false }
    }

    /// Is the position (not over) worth at least `goal` to the player to move? Bounds on its value; none when stopped.
    pub fn search(&mut self, state: &G::State, key: u128, goal: GameValue) -> Bounds {
        let most = Numbers { proof: NEVER, disproof: NEVER };
        self.expand(state, key, goal, most, 0);
        self.known.probe(key, 0)
    }

    /// Searches below a position until one of its numbers reaches the limit.
    fn expand(&mut self, state: &G::State, key: u128, goal: GameValue, limit: Numbers, ply: usize) -> Numbers {
        self.nodes += 1;
        let before = self.nodes;
        let mut children = self.children(state, goal, ply);
        self.looked += 1 + children.len() as u64;
        if self.looked >= self.next_beat {
            self.next_beat = self.looked + BEAT;
            self.stopped |= self.stop_check.check(self.nodes).is_break();
        }
        loop {
            let numbers = combined(&children);
            if numbers.decided() {
                let best = |bound: fn(&Child<G>) -> GameValue| children.iter().map(bound).max().unwrap_or(GameValue::Loss);
                // Behind a move that reaches the goal the others were not even listed.
                let most = if numbers.proof == 0 { GameValue::Win } else { best(|child| child.bounds.most) };
                let bounds = Bounds { least: best(|child| child.bounds.least), most };
                self.known.store(key, bounds, self.nodes - before + 1);
                return numbers;
            }
            if numbers.proof >= limit.proof || numbers.disproof >= limit.disproof || self.stopped {
                self.numbers.store(key_for(key, goal), numbers, self.nodes - before + 1);
                return numbers;
            }
            let (best, second) = best_two(&children);
            let child = &children[best];
            // Not back to this position before it is a quarter worse than the next (1 + epsilon: Pawlewicz and Lew, 2007).
            let limit = Numbers {
                proof: (limit.disproof - numbers.disproof + child.numbers.proof).min(NEVER),
                disproof: limit.proof.min(second.saturating_add(second / 4 + 1)),
            };
            let (state, key) = (child.state.clone(), child.key);
            let numbers = self.expand(&state, key, counter(goal), limit, ply + 1);
            let child = &mut children[best];
            child.numbers = numbers;
            if numbers.decided() {
                child.bounds = self.known.probe(key, ply + 1).opposite();
                // What is decided but no longer in the table is known at least for this goal.
                let sure = Bounds::found(if numbers.proof == 0 { counter(goal) } else { below(counter(goal)) }, counter(goal));
                child.bounds = child.bounds.and(sure.opposite());
            }
        }
    }

    fn children(&mut self, state: &G::State, goal: GameValue, ply: usize) -> Vec<Child<G>> {
        let mut moves = Vec::new();
        self.game.undominated_moves(state, &mut moves);
        let mover = match self.game.turn(state) {
            Turn::Player(player) => player,
            Turn::Chance | Turn::Over(_) => Player::First,
        };
        let mut children = Vec::with_capacity(moves.len());
        for mv in moves {
            let mut child = state.clone();
            self.game.play(&mut child, mv);
            let certain = match self.game.turn(&child) {
                Turn::Over(outcome) => Some(GameValue::of(outcome, mover)),
                Turn::Player(_) | Turn::Chance => self.game.known_value(&child).map(GameValue::opposite),
            };
            let key = if certain.is_some() { 0 } else { key_at(self.game, &child, ply + 1) };
            let bounds = match certain {
                Some(value) => Bounds::exactly(value),
                None => self.known.probe(key, ply + 1).opposite(),
            };
            let numbers = if bounds.least >= goal {
                Numbers::DISPROVED
            } else if bounds.most < goal {
                Numbers::PROVED
            } else {
                self.numbers.probe(key_for(key, counter(goal))).unwrap_or(Numbers { proof: 1, disproof: 1 })
            };
            children.push(Child { state: child, key, numbers, bounds });
            if numbers == Numbers::DISPROVED {
                break;
            }
        }
        children
    }
}

fn below(goal: GameValue) -> GameValue {
    if goal == GameValue::Win { GameValue::Draw } else { GameValue::Loss }
}

fn combined<G: Solvable>(children: &[Child<G>]) -> Numbers {
    let proof = children.iter().map(|child| child.numbers.disproof).min().unwrap_or(NEVER);
    if proof == 0 {
        return Numbers::PROVED;
    }
    let open = children.iter().filter(|child| child.numbers.proof > 0);
    let (greatest, count) = open.fold((0, 0), |(greatest, count), child| (child.numbers.proof.max(greatest), count + 1));
    if count == 0 {
        return Numbers::DISPROVED;
    }
    Numbers { proof: proof.min(NEVER - 1), disproof: (greatest + count - 1).min(NEVER - 1) }
}

/// The child that is easiest to refute, and how hard the next one is.
fn best_two<G: Solvable>(children: &[Child<G>]) -> (usize, u32) {
    let (mut best, mut least, mut second) = (0, u32::MAX, NEVER);
    for (index, child) in children.iter().enumerate() {
        if child.numbers.disproof < least {
            second = least.min(NEVER);
            (best, least) = (index, child.numbers.disproof);
        } else if child.numbers.disproof < second {
            second = child.numbers.disproof;
        }
    }
    (best, second)
}
