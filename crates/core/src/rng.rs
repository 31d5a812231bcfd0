//! Randomness: always seeded, always handed in, the same on every machine.

use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Names a stream of random numbers. From one seed any number of independent ones are derived by name or number, so that adding a
/// consumer of randomness does not shift the numbers of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(pub u64);

impl Seed {
    /// The seed of the part called `name`.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        name.bytes().fold(self.numbered(name.len() as u64), |seed, byte| seed.numbered(u64::from(byte)))
    }

    /// The seed of part number `index`.
    #[must_use]
    pub fn numbered(self, index: u64) -> Self {
        // SplitMix64 (Steele, Lea and Flood, 2014): one step, offset by the index.
        let mut z = self.0.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self(z ^ (z >> 31))
    }

    /// The random numbers of this seed.
    pub fn rng(self) -> Rng {
        Rng(Xoshiro256PlusPlus::seed_from_u64(self.0))
    }
}

/// A stream of random numbers (xoshiro256++, Blackman and Vigna 2019).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, which must not be 0. (Lemire's multiplication without his rejection step: the bias is below
    /// bound / 2^32, far under what any number of playouts can show.)
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.0.next_u64() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// A number in [0, 1).
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Puts a slice into random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_seed_never_change() {
        // Recorded games and published tables depend on these: a change here is a change of format.
        let mut rng = Seed(1).rng();
        assert_eq!([rng.bits(), rng.bits()], [14_971_601_782_005_023_387, 13_781_649_495_232_077_965]);
        assert_eq!(Seed(1).named("opening").numbered(7), Seed(6_509_919_473_184_231_786));
    }

    #[test]
    fn below_reaches_every_number_and_no_other() {
        let mut rng = Seed(2).rng();
        let mut seen = [0_u32; 7];
        for _ in 0..70_000 {
            seen[rng.below(7) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| (9_600..10_400).contains(&count)), "{seen:?}");
    }

    #[test]
    fn derived_seeds_differ() {
        let seeds = [Seed(1), Seed(1).numbered(0), Seed(1).numbered(1), Seed(1).named("a"), Seed(1).named("b"), Seed(2)];
        for (i, a) in seeds.iter().enumerate() {
            assert!(seeds[..i].iter().all(|b| a != b));
        }
    }
}
