//! The transposition table of the solvers: bounds on values, eight bytes each.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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
///
/// An entry is one word, read and written as a whole: threads that share a table need no lock. Where two write to one place, one of the
/// two findings is lost, and the other is whole.
pub(crate) struct Table {
    entries: Arc<Vec<AtomicU64>>,
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

    /// A table of `memory` bytes at most that does not grow, so that others can share it.
    pub fn fixed(memory: usize) -> Self {
        let growing = Self::new(memory);
        let mut bits = growing.most_bits;
        // Half of it where there is no memory for all.
        while bits > LEAST_BITS && Vec::<u64>::new().try_reserve_exact(((1 << bits) + 1) * BUCKET).is_err() {
            bits -= 1;
        }
        Self::with_bits(bits, bits)
    }

    /// The same table for another thread; it must be a fixed one.
    pub fn share(&self) -> Self {
        Self { entries: Arc::clone(&self.entries), ..*self }
    }

    fn with_bits(bits: u32, most_bits: u32) -> Self {
        let mut length = ((1 << bits) + 1) * BUCKET;
        let mut entries: Vec<AtomicU64> = Vec::new();
        while entries.try_reserve_exact(length).is_err() {
            length /= 2;
        }
        entries.resize_with(length, AtomicU64::default);
        let misplaced = entries.as_ptr() as usize % (8 * BUCKET) / 8;
        Self { first: (BUCKET - misplaced) % BUCKET, entries: Arc::new(entries), bits, most_bits, used: 0 }
    }

    fn entries(&self) -> impl Iterator<Item = u64> {
        self.entries[self.first..self.first + (BUCKET << self.bits)].iter().map(|entry| entry.load(Relaxed))
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
        for (place, entry) in self.entries().enumerate().filter(|&(_, entry)| entry != 0) {
            let next = entry >> (63 - spent) & 1;
            let bucket = grown.first + ((place / BUCKET) << 1 | next as usize) * BUCKET;
            let free = grown.entries[bucket..bucket + BUCKET].iter().position(|entry| entry.load(Relaxed) == 0);
            grown.entries[bucket + free.expect("a bucket is split in two")].store(entry, Relaxed);
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
        let mut entries = self.entries[bucket..bucket + BUCKET].iter().map(|entry| entry.load(Relaxed));
        entries.find(|&entry| entry >> TAG_SHIFT == tag && entry & 15 != 0)
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
        let entries = &self.entries[bucket..bucket + BUCKET];
        let work = u64::from(nodes.max(1).ilog2());
        let mut cheapest = 0;
        let mut least = u64::MAX;
        for (place, kept) in entries.iter().enumerate() {
            let entry = kept.load(Relaxed);
            if entry >> TAG_SHIFT == tag && entry & 15 != 0 {
                let bounds = bounds.and(Bounds::from_bits(entry));
                kept.store(tag << TAG_SHIFT | work.max(entry >> 4 & 63) << 4 | bounds.bits(), Relaxed);
                return;
            }
            let worth_keeping = if entry == 0 { 0 } else { 1 + (entry >> 4 & 63) };
            if worth_keeping < least {
                (cheapest, least) = (place, worth_keeping);
            }
        }
        self.used += usize::from(least == 0);
        entries[cheapest].store(tag << TAG_SHIFT | work << 4 | bounds.bits(), Relaxed);
    }

    /// Writes the entries, for a program that goes on later: the size, the entries, and a checksum. Others may search meanwhile.
    pub fn write(&self, to: &mut dyn io::Write) -> io::Result<()> {
        to.write_all(&self.bits.to_le_bytes())?;
        let (mut sum, mut block) = (SEED, Vec::with_capacity(8 * BLOCK));
        for entry in self.entries() {
            sum = summed(sum, entry);
            block.extend(entry.to_le_bytes());
            if block.len() == 8 * BLOCK {
                to.write_all(&block)?;
                block.clear();
            }
        }
        to.write_all(&block)?;
        to.write_all(&sum.to_le_bytes())
    }

    /// Reads what [`Table::write`] has written. An error leaves the table empty.
    pub fn read(&mut self, from: &mut dyn io::Read) -> io::Result<()> {
        let read = self.read_entries(from);
        if read.is_err() {
            self.entries.iter().for_each(|entry| entry.store(0, Relaxed));
        }
        read
    }

    fn read_entries(&self, from: &mut dyn io::Read) -> io::Result<()> {
        let refuse = |why: String| Err(io::Error::new(io::ErrorKind::InvalidData, why));
        let mut bits = [0; 4];
        from.read_exact(&mut bits)?;
        let bits = u32::from_le_bytes(bits);
        if bits != self.bits {
            return refuse(format!(
                "it is of another size (2^{bits} places, expected 2^{}): --memory was another one",
                self.bits
            ));
        }
        let places = &self.entries[self.first..self.first + (BUCKET << self.bits)];
        let (mut sum, mut block) = (SEED, vec![0; 8 * BLOCK]);
        for places in places.chunks(BLOCK) {
            let block = &mut block[..8 * places.len()];
            from.read_exact(block)?;
            for (place, bytes) in places.iter().zip(block.as_chunks::<8>().0) {
                let entry = u64::from_le_bytes(*bytes);
                sum = summed(sum, entry);
                place.store(entry, Relaxed);
            }
        }
        let mut expected = [0; 8];
        from.read_exact(&mut expected)?;
        if sum != u64::from_le_bytes(expected) {
            return refuse("its checksum is wrong: it was changed or damaged".to_owned());
        }
        Ok(())
    }
}

/// Entries that are written or read at once.
const BLOCK: usize = 1 << 13;
/// The checksum of nothing.
const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// A checksum with one more word: FNV-1a (Fowler, Noll and Vo), a word at a time.
fn summed(sum: u64, word: u64) -> u64 {
    (sum ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key with bounds that follow from it.
    fn kept(number: u64) -> (u128, Bounds) {
        let key =
            u128::from(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)) << 64 | u128::from(number.wrapping_mul(0xd6e8_feb8_6659_fd93));
        let value = [GameValue::Loss, GameValue::Draw, GameValue::Win][(number % 3) as usize];
        (key, Bounds::exactly(value))
    }

    /// A table far too small for what four threads write into it: whatever is found is whole and belongs to its key.
    #[test]
    fn threads_that_share_a_table_never_see_half_an_entry() {
        let table = Table::fixed(1 << 20);
        let found: u64 = std::thread::scope(|scope| {
            let stress = |thread: u64| {
                let mut table = table.share();
                let mut found = 0;
                for round in 0..200_000_u64 {
                    // Keys of all threads, again and again.
                    let number = (round * 7 + thread * 11) % 150_000;
                    let (key, bounds) = kept(number);
                    let known = table.probe(key);
                    assert!(known == Bounds::OPEN || known == bounds, "{number}: {known:?}");
                    found += u64::from(known == bounds);
                    table.store(key, bounds, number);
                }
                found
            };
            let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || stress(thread))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert!(found > 100_000, "{found}");
    }

    #[test]
    fn a_table_is_written_read_and_refused() {
        let mut table = Table::fixed(1 << 20);
        (0..50_000).map(kept).for_each(|(key, bounds)| table.store(key, bounds, 5));
        let mut bytes = Vec::new();
        table.write(&mut bytes).unwrap();
        let mut again = Table::fixed(1 << 20);
        again.read(&mut bytes.as_slice()).unwrap();
        assert!(again.entries().eq(table.entries()));
        for place in [0, 4, 1_000, bytes.len() / 2, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[place] ^= 4;
            assert!(again.read(&mut changed.as_slice()).is_err(), "{place}");
            assert!(again.entries().all(|entry| entry == 0));
        }
        assert!(again.read(&mut &bytes[..bytes.len() - 1]).is_err());
        let told = Table::fixed(1 << 21).read(&mut bytes.as_slice()).unwrap_err().to_string();
        assert!(told.contains("another size"), "{told}");
    }
}
