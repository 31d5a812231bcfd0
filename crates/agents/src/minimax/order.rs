//! Move ordering: the earlier the best move is tried, the more is cut off.

use plyground_core::{Evaluated, InputError, Player, hash_state};

/// The keys of the move ordering, the most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// The best move of the last search of the position comes first of all.
    pub hash: bool,
    /// Where the criteria stand in the sorting key, by their lowest bit.
    killers: Option<u32>,
    history: Option<u32>,
    hints: Option<u32>,
}

/// The number of a move among the legal ones is the lowest part of its sorting key.
const INDEX_BITS: u32 = 16;
const KILLER_BITS: u32 = 2;
const SCORE_BITS: u32 = 22;
const HASH_MOVE: u64 = 1 << 63;

impl Order {
    pub const DEFAULT: &'static str = "hash+hints+killers+history";

    pub fn read(text: &str) -> Result<Self, InputError> {
        let mut order = Self { hash: false, killers: None, history: None, hints: None };
        if text == "none" {
            return Ok(order);
        }
        let mut at = INDEX_BITS;
        for word in text.split('+').rev() {
            let (place, bits) = match word {
                "hash" if !order.hash => {
                    order.hash = true;
                    continue;
                }
                "killers" => (&mut order.killers, KILLER_BITS),
                "history" => (&mut order.history, SCORE_BITS),
                "hints" => (&mut order.hints, SCORE_BITS),
                "hash" => return Err(InputError::malformed("order", text, "'hash' is there twice")),
                _ => {
                    return Err(InputError::unknown("criterion of order", word, ["hash", "killers", "history", "hints", "none"]));
                }
            };
            if place.replace(at).is_some() {
                return Err(InputError::malformed("order", text, format!("'{word}' is there twice")));
            }
            at += bits;
        }
        Ok(order)
    }

    /// Are all moves alike?
    pub fn is_none(self) -> bool {
        !self.hash && self.killers.is_none() && self.history.is_none() && self.hints.is_none()
    }

    pub fn uses_hints(self) -> bool {
        self.hints.is_some()
    }
}

/// Moves that have cut off elsewhere at the same ply (Akl and Newborn 1977).
pub(super) type Killers<M> = [Option<M>; 2];

/// How often and how high up each move has cut off (Schaeffer 1983), by player and a hash of the move: moves of unknown games have no
/// numbers, and that two share a place now and then only spoils their order.
#[derive(Clone, Debug)]
pub(super) struct History(Vec<[u32; 2]>);

const HISTORY_SIZE: usize = 1 << 12;

impl Default for History {
    fn default() -> Self {
        Self(vec![[0; 2]; HISTORY_SIZE])
    }
}

impl History {
    #[inline]
    fn place<M: std::hash::Hash>(mv: &M) -> usize {
        hash_state(mv) as usize % HISTORY_SIZE
    }

    #[inline]
    fn get<M: std::hash::Hash>(&self, player: Player, mv: &M) -> u32 {
        self.0[Self::place(mv)][player.index()]
    }

    /// A move has cut off a search of some depth.
    pub fn praise<M: std::hash::Hash>(&mut self, player: Player, mv: &M, depth: i32) {
        let count = &mut self.0[Self::place(mv)][player.index()];
        *count += (depth * depth) as u32;
        if *count >= 1 << SCORE_BITS {
            self.fade();
        }
    }

    /// Old merits count half.
    pub fn fade(&mut self) {
        self.0.iter_mut().flatten().for_each(|count| *count /= 2);
    }
}

/// The legal moves of a position and the order in which they are tried.
#[derive(Debug)]
pub(super) struct Moves<M> {
    pub all: Vec<M>,
    /// Sorting keys; those before `sorted` are in their place.
    keys: Vec<u64>,
    sorted: usize,
}

impl<M> Default for Moves<M> {
    fn default() -> Self {
        Self { all: Vec::new(), keys: Vec::new(), sorted: 0 }
    }
}

impl<M: Copy + Eq + std::hash::Hash> Moves<M> {
    /// So many moves are looked for one by one, as most cut-offs come early; then the rest is sorted.
    const ONE_BY_ONE: usize = 4;

    /// Computes the sorting keys.
    pub fn rank<G: Evaluated<Move = M>>(&mut self, order: Order, by: &Ranking<'_, G>) {
        self.keys.clear();
        self.sorted = 0;
        let half = 1 << (SCORE_BITS - 1);
        for (index, mv) in self.all.iter().enumerate() {
            let mut key = ((1 << INDEX_BITS) - 1 - index as u64) & ((1 << INDEX_BITS) - 1);
            if let Some(at) = order.killers {
                let rank = if by.killers[0] == Some(*mv) { 2 } else { u64::from(by.killers[1] == Some(*mv)) };
                key |= rank << at;
            }
            if let Some(at) = order.history {
                key |= u64::from(by.history.get(by.player, mv)) << at;
            }
            if let Some(at) = order.hints {
                let hint = by.game.ordering_score(by.state, *mv).clamp(1 - half, half - 1);
                key |= ((hint + half) as u64) << at;
            }
            self.keys.push(key);
        }
        if order.hash
            && let Some(key) = self.keys.get_mut(by.hash_move)
        {
            *key |= HASH_MOVE;
        }
    }

    /// Leaves the moves in the order of the game.
    pub fn leave(&mut self) {
        self.keys.clear();
        self.sorted = 0;
        let last = (1 << INDEX_BITS) - 1;
        self.keys.extend((0..self.all.len() as u64).map(|index| last - index));
        self.sorted = self.keys.len();
    }

    /// The number (among all) of the move to be tried as number `turn`.
    #[inline]
    pub fn pick(&mut self, turn: usize) -> usize {
        if turn >= self.sorted {
            if turn < Self::ONE_BY_ONE {
                let best = (turn..self.keys.len()).max_by_key(|&at| self.keys[at]).unwrap_or(turn);
                self.keys.swap(turn, best);
                self.sorted = turn + 1;
            } else {
                self.keys[turn..].sort_unstable_by(|a, b| b.cmp(a));
                self.sorted = self.keys.len();
            }
        }
        (1 << INDEX_BITS) - 1 - (self.keys[turn] as usize & ((1 << INDEX_BITS) - 1))
    }
}

/// The ordering keys of the moves of a position.
pub(super) struct Ranking<'a, G: Evaluated> {
    pub game: &'a G,
    pub state: &'a G::State,
    pub player: Player,
    /// The number of the best move so far; out of range for none.
    pub hash_move: usize,
    pub killers: Killers<G::Move>,
    pub history: &'a History,
}
