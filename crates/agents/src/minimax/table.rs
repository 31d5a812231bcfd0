//! The transposition table (Greenblatt, Eastlake and Crocker 1967): what earlier visits have found out about a position.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use plyground_core::WIN_SCORE;

use super::SURE;

/// The replacement strategy of the transposition table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Replacement {
    /// Two places: one keeps the deeper search, the other takes whatever comes (Breuker, Uiterwijk and van den Herik 1994).
    TwoTier,
    /// The deeper search stays, unless it is from an earlier thought.
    Depth,
    /// The last comer stays.
    Always,
}

/// A table entry: bounds on the value of a position for the player to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    /// The depth of the search; 0 for no entry.
    pub depth: u8,
    /// The number of the best move among the legal ones; [`Entry::NO_MOVE`] for none.
    pub best: u16,
    pub lower: f32,
    pub upper: f32,
    /// Was no position judged before its end, so that deeper searches come to the same bound?
    pub final_lower: bool,
    pub final_upper: bool,
}

impl Entry {
    pub const NO_MOVE: u16 = 0xfff;

    pub const UNKNOWN: Self = Self {
        depth: 0,
        best: Self::NO_MOVE,
        lower: f32::NEG_INFINITY,
        upper: f32::INFINITY,
        final_lower: false,
        final_upper: false,
    };

    /// The bounds that a search of some depth would find too, and whether a deeper one would as well.
    ///
    /// These are the bounds of a search of the same depth, those that rest on finished games alone, and wins and losses within the
    /// depth: all that a search of just this depth can see, so that its value is exactly the one of plain minimax. Whether a win
    /// within n plies is one does not depend on how much deeper the search went, unless `chance` averages over wins and others.
    #[inline]
    pub fn bounds_at(&self, depth: i32, chance: bool) -> [(f32, bool); 2] {
        let holds = |bound: f32, is_final: bool| {
            let sure = !chance && bound.abs() >= SURE && (WIN_SCORE - bound.abs()) as i32 <= depth;
            let lasting = sure || (is_final && i32::from(self.depth) <= depth);
            (lasting || i32::from(self.depth) == depth, lasting)
        };
        let (lower_holds, lower_lasts) = holds(self.lower, self.final_lower);
        let (upper_holds, upper_lasts) = holds(self.upper, self.final_upper);
        [
            (if lower_holds { self.lower } else { f32::NEG_INFINITY }, lower_lasts),
            (if upper_holds { self.upper } else { f32::INFINITY }, upper_lasts),
        ]
    }
}

/// Two words, so that a new table is zeroed memory that the system hands out page by page as it is used: the two bounds, and 40 bits
/// of the key, 12 of the best move, 8 of the depth, 2 of the age, and whether the bounds are final.
type Slot = [u64; 2];

const KEY_BITS: u64 = !0 << 24;

fn pack(key: u64, age: u8, entry: &Entry) -> Slot {
    let bounds = u64::from(entry.lower.to_bits()) | u64::from(entry.upper.to_bits()) << 32;
    let rest = u64::from(entry.best.min(Entry::NO_MOVE))
        | u64::from(entry.depth) << 12
        | u64::from(age & 3) << 20
        | u64::from(entry.final_lower) << 22
        | u64::from(entry.final_upper) << 23;
    [bounds, (key & KEY_BITS) | rest]
}

#[inline]
fn unpack([bounds, rest]: Slot) -> Entry {
    Entry {
        depth: (rest >> 12) as u8,
        best: (rest & 0xfff) as u16,
        lower: f32::from_bits(bounds as u32),
        upper: f32::from_bits((bounds >> 32) as u32),
        final_lower: rest >> 22 & 1 != 0,
        final_upper: rest >> 23 & 1 != 0,
    }
}

/// The transposition table.
#[derive(Clone, Debug)]
pub(super) struct Table {
    slots: Vec<Slot>,
    replacement: Replacement,
    age: u8,
}

impl Table {
    /// A table of so many megabytes; without any if there are none.
    pub fn new(megabytes: usize, replacement: Replacement) -> Self {
        Self { slots: vec![[0; 2]; megabytes * (1 << 20) / size_of::<Slot>()], replacement, age: 0 }
    }

    pub fn is_on(&self) -> bool {
        !self.slots.is_empty()
    }

    /// A new thought begins: what is there may be used, and be replaced.
    pub fn next_age(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.fill([0; 2]);
    }

    /// The entry of a position.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry> {
        let place = place(key, self.slots.len());
        found(key, [self.slots[place], self.slots[place + 1]])
    }

    /// Remembers what a search has found: together with the other bound, if it comes from an equally deep search.
    pub fn put(&mut self, key: u64, entry: Entry) {
        let place = place(key, self.slots.len());
        let pair = [self.slots[place], self.slots[place + 1]];
        if let Some((at, slot)) = replaced(pair, key, self.age, self.replacement, entry) {
            self.slots[place + at] = slot;
        }
    }
}

/// The first of the two neighbouring places of a key: chosen by its upper bits, while 40 of its bits, the lower ones among them turned up,
/// are kept to tell keys apart.
#[inline]
fn place(key: u64, slots: usize) -> usize {
    ((u128::from(key) * slots as u128) >> 64) as usize & !1
}

/// The entry of a key among the two places that it may be in.
#[inline]
fn found(key: u64, pair: [Slot; 2]) -> Option<Entry> {
    let kept = key.rotate_left(24);
    let own = pair.into_iter().filter(|slot| (slot[1] ^ kept) & KEY_BITS == 0);
    own.map(unpack).find(|entry| entry.depth > 0)
}

/// Which of the two places an entry takes, and what is written there.
fn replaced(pair: [Slot; 2], key: u64, age: u8, replacement: Replacement, mut entry: Entry) -> Option<(usize, Slot)> {
    let kept = key.rotate_left(24);
    let age_of = |slot: &Slot| (slot[1] >> 20 & 3) as u8;
    let same = |slot: &Slot| (slot[1] ^ kept) & KEY_BITS == 0 && unpack(*slot).depth > 0;
    let chosen = if let Some(at) = pair.iter().position(same) {
        let known = unpack(pair[at]);
        if known.depth == entry.depth {
            if entry.lower == f32::NEG_INFINITY && known.lower <= entry.upper {
                (entry.lower, entry.final_lower) = (known.lower, known.final_lower);
            }
            if entry.upper == f32::INFINITY && known.upper >= entry.lower {
                (entry.upper, entry.final_upper) = (known.upper, known.final_upper);
            }
        }
        at
    } else {
        let own = (key & 1) as usize;
        let outranks = |slot: &Slot| age_of(slot) != age & 3 || unpack(*slot).depth <= entry.depth;
        match replacement {
            Replacement::Always => own,
            Replacement::Depth if outranks(&pair[own]) => own,
            Replacement::Depth => return None,
            Replacement::TwoTier => usize::from(!outranks(&pair[0])),
        }
    };
    Some((chosen, pack(kept, age, &entry)))
}

/// A table that several threads use at the same time, without locks: the second word of a slot is kept mixed with the first, so that a slot
/// of which two threads have written half each is one of no key (Hyatt and Mann 2002).
#[derive(Debug)]
pub(super) struct SharedTable {
    slots: Vec<[AtomicU64; 2]>,
    replacement: Replacement,
    age: u8,
}

impl SharedTable {
    /// An empty table of so many megabytes.
    pub fn new(megabytes: usize, replacement: Replacement) -> Self {
        let slots = megabytes * (1 << 20) / size_of::<Slot>();
        Self { slots: std::iter::repeat_with(Default::default).take(slots).collect(), replacement, age: 0 }
    }

    pub fn next_age(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    pub fn clear(&mut self) {
        self.slots.iter_mut().for_each(|slot| *slot = Default::default());
    }

    #[inline]
    fn pair(&self, place: usize) -> [Slot; 2] {
        [place, place + 1].map(|at| {
            let [bounds, mixed] = [0, 1].map(|word: usize| self.slots[at][word].load(Relaxed));
            [bounds, mixed ^ scattered(bounds)]
        })
    }

    #[inline]
    fn get(&self, key: u64) -> Option<Entry> {
        found(key, self.pair(place(key, self.slots.len())))
    }

    fn put(&self, key: u64, entry: Entry) {
        let place = place(key, self.slots.len());
        if let Some((at, [bounds, rest])) = replaced(self.pair(place), key, self.age, self.replacement, entry) {
            self.slots[place + at][0].store(bounds, Relaxed);
            self.slots[place + at][1].store(rest ^ scattered(bounds), Relaxed);
        }
    }
}

/// Bounds spread over all bits of a word; nothing stays nothing.
#[inline]
fn scattered(bounds: u64) -> u64 {
    bounds.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32)
}

/// The table of a search: its own, or one that it shares with other threads.
#[derive(Debug)]
pub(super) enum TableAccess<'a> {
    Own(&'a mut Table),
    Shared(&'a SharedTable),
}

impl TableAccess<'_> {
    #[inline]
    pub fn is_on(&self) -> bool {
        match self {
            Self::Own(table) => table.is_on(),
            Self::Shared(table) => !table.slots.is_empty(),
        }
    }

    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry> {
        match self {
            Self::Own(table) => table.get(key),
            Self::Shared(table) => table.get(key),
        }
    }

    #[inline]
    pub fn put(&mut self, key: u64, entry: Entry) {
        match self {
            Self::Own(table) => table.put(key, entry),
            Self::Shared(table) => table.put(key, entry),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_written_slots_of_a_shared_table_are_no_entries() {
        let table = SharedTable::new(1, Replacement::TwoTier);
        let entry = |lower: f32| Entry { depth: 3, best: 7, lower, final_lower: true, ..Entry::UNKNOWN };
        let key = 0x1234_5678_9abc_def0;
        assert_eq!(table.get(key), None);
        table.put(key, entry(1.5));
        assert_eq!(table.get(key), Some(entry(1.5)));
        // Another thread has written the bounds of another position, and not yet the rest.
        let at = place(key, table.slots.len());
        let slot = table.slots[at..at + 2].iter().find(|slot| slot[0].load(Relaxed) != 0).unwrap();
        slot[0].store(u64::from(2.5_f32.to_bits()), Relaxed);
        assert_eq!(table.get(key), None);
    }
}
