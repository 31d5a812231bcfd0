//! The table of the exact search for four in a row: of fixed size, and exact.

/// Entries that share a line of the processor's cache.
const BUCKET: usize = 8;
/// In an entry, the rest of the key stands above the work (six bits) and the bounds (four).
const SHIFT: u32 = 10;
/// Odd numbers: to multiply by them loses nothing (from the generator `SplitMix64` of Steele, Lea and Flood, 2014).
const FACTORS: [u64; 2] = [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];

/// Bounds of values. A key is mixed in a way that can be undone; the first bits of the result name a bucket and the others stand in the
/// entry. So an entry belongs to one key for certain.
pub struct Table {
    entries: Vec<u64>,
    /// The first entry at the beginning of a cache line.
    first: usize,
    /// Of a key.
    bits: u32,
    /// Of the number of a bucket.
    bucket_bits: u32,
}

impl Table {
    /// For keys of so many bits; of at most so many bytes, or less where there is not so much (but of 64 kB at least).
    pub fn new(bits: u32, memory: usize) -> Self {
        // What is not in the number of the bucket has to fit into an entry. A small board would have no bits left for it.
        let bits = bits.max(16);
        let least = bits.saturating_sub(u64::BITS - SHIFT).max(10);
        let mut bucket_bits = (memory / (8 * BUCKET)).max(1).ilog2().clamp(least, bits.min(30));
        while bucket_bits > least && Vec::<u64>::new().try_reserve_exact(((1 << bucket_bits) + 1) * BUCKET).is_err() {
            bucket_bits -= 1;
        }
        let entries = vec![0_u64; ((1 << bucket_bits) + 1) * BUCKET];
        let first = (entries.as_ptr() as usize).wrapping_neg() % (8 * BUCKET) / 8;
        Self { entries, first, bits, bucket_bits }
    }

    /// The place of a key's bucket, and the rest of the key.
    #[inline]
    fn place(&self, key: u64) -> (usize, u64) {
        let (all, half) = (u64::MAX >> (64 - self.bits), self.bits / 2);
        let mixed = FACTORS.into_iter().fold(key, |key, factor| {
            let key = key ^ key >> half;
            key.wrapping_mul(factor) & all
        });
        let mixed = mixed ^ mixed >> half;
        let rest = self.bits - self.bucket_bits;
        (self.first + (mixed >> rest) as usize * BUCKET, mixed & ((1 << rest) - 1))
    }

    /// The least and the most value that the table knows: 0 to 2.
    #[inline]
    pub fn find(&self, key: u64) -> [u8; 2] {
        let (place, rest) = self.place(key);
        let entry = self.entries[place..place + BUCKET].iter().find(|&&entry| entry >> SHIFT == rest && entry & 15 != 0);
        entry.map_or([0, 2], |&entry| bounds(entry))
    }

    /// Adds what was found out by searching so many positions. Of a full bucket, what was cheapest to find out is forgotten.
    #[inline]
    pub fn keep(&mut self, key: u64, [least, most]: [u8; 2], nodes: u64) {
        let (place, rest) = self.place(key);
        let entries = &mut self.entries[place..place + BUCKET];
        let work = u64::from(nodes.max(1).ilog2());
        let (mut cheapest, mut worth) = (0, u64::MAX);
        for (number, entry) in entries.iter_mut().enumerate() {
            if *entry >> SHIFT == rest && *entry & 15 != 0 {
                let [known_least, known_most] = bounds(*entry);
                *entry = packed(rest, work.max(*entry >> 4 & 63), [least.max(known_least), most.min(known_most)]);
                return;
            }
            let worth_keeping = if *entry == 0 { 0 } else { 1 + (*entry >> 4 & 63) };
            if worth_keeping < worth {
                (cheapest, worth) = (number, worth_keeping);
            }
        }
        entries[cheapest] = packed(rest, work, [least, most]);
    }
}

/// Never 0: the upper bound is kept with one added.
#[inline]
fn packed(rest: u64, work: u64, [least, most]: [u8; 2]) -> u64 {
    rest << SHIFT | work << 4 | u64::from(most + 1) << 2 | u64::from(least)
}

#[inline]
fn bounds(entry: u64) -> [u8; 2] {
    [(entry & 3) as u8, (entry >> 2 & 3) as u8 - 1]
}
