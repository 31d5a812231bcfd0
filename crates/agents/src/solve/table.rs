//! The transposition table of the solvers: bounds on values, eight bytes each.

use plyground_core::GameValue;

/// Bounds of the value of a position for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The lower bound.
    pub least: GameValue,
    /// The upper bound.
    pub most: GameValue,
}

impl Bounds {
    /// Nothing is known.
    pub const OPEN: Self = Self { least: GameValue::Loss, most: GameValue::Win };

    /// Both bounds at one value.
    pub const fn exactly(value: GameValue) -> Self {
        Self { least: value, most: value }
    }

    /// The value, where it is known.
    pub fn exact(self) -> Option<GameValue> {
        (self.least == self.most).then_some(self.least)
    }

    /// The same for the opponent.
    #[must_use]
    pub fn opposite(self) -> Self {
        Self { least: self.most.opposite(), most: self.least.opposite() }
    }

    /// Everything that these and the other bounds say.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Self { least: self.least.max(other.least), most: self.most.min(other.most) }
    }

    /// The bounds that a search for `goal` has found: a value that reaches it is a lower bound, one that does not an upper bound.
    pub(crate) fn found(value: GameValue, goal: GameValue) -> Self {
        if value >= goal { Self { least: value, ..Self::OPEN } } else { Self { most: value, ..Self::OPEN } }
    }

    const fn bits(self) -> u64 {
        // Never 0, so that an empty entry is known by its bits.
        (self.least as u64) | (self.most as u64 + 1) << 2
    }

    const fn from_bits(bits: u64) -> Self {
        const VALUES: [GameValue; 4] = [GameValue::Loss, GameValue::Draw, GameValue::Win, GameValue::Win];
        Self { least: VALUES[(bits & 3) as usize], most: VALUES[((bits >> 2 & 3) as usize).saturating_sub(1)] }
    }
}

/// So many zeros, or as many as the system has memory for: half, a quarter … The system gives memory when it is written to, but
/// refuses what it could never give.
pub(crate) fn zeroed<T: Clone + Default>(mut length: usize) -> Vec<T> {
    while Vec::<T>::new().try_reserve_exact(length).is_err() {
        length /= 2;
    }
    vec![T::default(); length]
}

/// Entries that share a line of the processor's cache: looking at all of them costs one access to memory.
const BUCKET: usize = 8;
/// A bucket is named by the leading bits of the key: at first by so many, at last by so many.
const LEAST_BITS: u32 = 14;
const MOST_BITS: u32 = 28;
/// In an entry, the tag stands above the work (six bits) and the bounds (four).
const TAG_SHIFT: u32 = 10;
const GROWTH_BITS: u32 = MOST_BITS - LEAST_BITS;

/// A table of bounds, eight bytes an entry: 54 bits of the key to tell positions apart, six for the work it took, four for the
/// bounds. With its place, an entry knows 68 bits of its key: in a table of a gigabyte, two positions are taken for one once in
/// 2^41 probes. The table begins small and doubles until it fills its memory: pages that are never used cost time, too.
pub(crate) struct Table {
    entries: Vec<u64>,
    /// The first entry at the beginning of a cache line.
    first: usize,
    bits: u32,
    most_bits: u32,
    used: usize,
}

/// An entry of the table.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub bounds: Bounds,
    /// The positions that were searched for it, as a power of two.
    pub work: u32,
}

/// The part of the key that an entry holds: the bits that will name its bucket when the table has grown, and others.
#[inline]
const fn tag(key: u128) -> u64 {
    let next = (key >> (128 - MOST_BITS)) as u64 & ((1 << GROWTH_BITS) - 1);
    let others = key as u64 >> (TAG_SHIFT + GROWTH_BITS);
    next << (64 - TAG_SHIFT - GROWTH_BITS) | others
}

impl Table {
    /// A table that grows to at most `memory` bytes.
    pub fn new(memory: usize) -> Self {
        let possible = (memory / (8 * BUCKET)).max(1).ilog2();
        // The number of a bucket has to fit into a word, with room for its bytes.
        let most_bits = possible.clamp(LEAST_BITS, MOST_BITS.min(usize::BITS - 10));
        Self::with_bits(LEAST_BITS, most_bits)
    }

    fn with_bits(bits: u32, most_bits: u32) -> Self {
        let entries: Vec<u64> = zeroed(((1 << bits) + 1) * BUCKET);
        let misplaced = entries.as_ptr() as usize % (8 * BUCKET) / 8;
        Self { first: (BUCKET - misplaced) % BUCKET, entries, bits, most_bits, used: 0 }
    }

    /// Twice the size: the bits that name the new place of an entry are those of its old place and the first of its tag. Where there
    /// is no memory for it, the table stays as it is.
    #[cold]
    fn grow(&mut self) {
        let mut grown = Self::with_bits(self.bits + 1, self.most_bits);
        if grown.entries.len() < 2 * (self.entries.len() - BUCKET) {
            self.most_bits = self.bits;
            return;
        }
        let spent = self.bits - LEAST_BITS;
        for (place, &entry) in self.entries[self.first..].iter().enumerate().filter(|&(_, &entry)| entry != 0) {
            let next = entry >> (63 - spent) & 1;
            let bucket = grown.first + ((place / BUCKET) << 1 | next as usize) * BUCKET;
            let free = grown.entries[bucket..bucket + BUCKET].iter().position(|&entry| entry == 0);
            grown.entries[bucket + free.expect("a bucket is split in two")] = entry;
        }
        grown.used = self.used;
        *self = grown;
    }

    #[inline]
    fn bucket(&self, key: u128) -> usize {
        self.first + (key >> (128 - self.bits)) as usize * BUCKET
    }

    #[inline]
    fn entry(&self, key: u128) -> Option<u64> {
        let bucket = self.bucket(key);
        let tag = tag(key);
        self.entries[bucket..bucket + BUCKET].iter().copied().find(|&entry| entry >> TAG_SHIFT == tag && entry & 15 != 0)
    }

    /// The bounds of the position with this key, as far as they are known.
    #[inline]
    pub fn probe(&self, key: u128) -> Bounds {
        self.entry(key).map_or(Bounds::OPEN, Bounds::from_bits)
    }

    /// The entry of the position with this key, with the work behind it.
    pub fn known(&self, key: u128) -> Option<Known> {
        self.entry(key).map(|entry| Known { bounds: Bounds::from_bits(entry), work: (entry >> 4 & 63) as u32 })
    }

    /// Adds what was found out by searching `nodes` positions. Of a full bucket, what was cheapest to find out is forgotten.
    #[inline]
    pub fn store(&mut self, key: u128, bounds: Bounds, nodes: u64) {
        if self.bits < self.most_bits && self.used >= self.entries.len() / 2 {
            self.grow();
        }
        let bucket = self.bucket(key);
        let tag = tag(key);
        let entries = &mut self.entries[bucket..bucket + BUCKET];
        let work = u64::from(nodes.max(1).ilog2());
        let mut cheapest = 0;
        let mut least = u64::MAX;
        for (place, &entry) in entries.iter().enumerate() {
            if entry >> TAG_SHIFT == tag && entry & 15 != 0 {
                let bounds = bounds.and(Bounds::from_bits(entry));
                entries[place] = tag << TAG_SHIFT | work.max(entry >> 4 & 63) << 4 | bounds.bits();
                return;
            }
            let worth_keeping = if entry == 0 { 0 } else { 1 + (entry >> 4 & 63) };
            if worth_keeping < least {
                (cheapest, least) = (place, worth_keeping);
            }
        }
        self.used += usize::from(least == 0);
        entries[cheapest] = tag << TAG_SHIFT | work << 4 | bounds.bits();
    }
}
