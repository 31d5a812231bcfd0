//! Sets of squares as machine words.

use std::fmt::Debug;
use std::hash::Hash;
use std::hint::select_unpredictable;
use std::ops::{BitAnd, BitOr, Not, Shl, Shr};

/// A set of squares, one bit each. Boards choose the smallest word that holds them.
pub trait Bits:
    Copy
    + Eq
    + Hash
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// How many squares fit.
    const WIDTH: u32;
    /// The set with one square.
    fn bit(index: u32) -> Self;
    /// How many squares are in the set.
    fn count(self) -> u32;
    /// The number of the lowest square; the set must not be empty.
    fn lowest(self) -> u32;
    /// The number of the square with `rank` squares of the set below it; `rank` must be smaller than the count.
    fn select(self, rank: u32) -> u32;
    /// The set with only the square that [`Bits::select`] names.
    #[must_use]
    fn pick(self, rank: u32) -> Self;

    /// Is there no square in the set?
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::default()
    }
    /// Is the square in the set?
    #[inline]
    fn has(self, index: u32) -> bool {
        !(self & Self::bit(index)).is_empty()
    }
    /// The squares of the set from the lowest up.
    #[inline]
    fn squares(self) -> Squares<Self> {
        Squares(self)
    }
}

/// Iterates over a set of squares from the lowest up.
#[derive(Clone, Debug)]
pub struct Squares<B>(B);

impl<B: Bits> Iterator for Squares<B> {
    type Item = u32;
    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.0.is_empty() {
            return None;
        }
        let index = self.0.lowest();
        self.0 = self.0 & !B::bit(index);
        Some(index)
    }
}

impl Bits for u64 {
    const WIDTH: u32 = 64;
    #[inline]
    fn bit(index: u32) -> Self {
        1 << index
    }
    #[inline]
    fn count(self) -> u32 {
        self.count_ones()
    }
    #[inline]
    fn lowest(self) -> u32 {
        self.trailing_zeros()
    }
    #[inline]
    fn select(self, rank: u32) -> u32 {
        self.pick(rank).trailing_zeros()
    }
    #[inline]
    fn pick(self, rank: u32) -> Self {
        #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
        #[allow(unsafe_code)]
        {
            // SAFETY: the cfg above lets this line exist only in builds whose target has the BMI2 instructions.
            unsafe { std::arch::x86_64::_pdep_u64(1 << rank, self) }
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
        {
            1 << select_by_halving(self, rank)
        }
    }
}

/// [`Bits::select`] by bisection: count the lower half, go into the half that holds the wanted bit.
#[cfg_attr(all(target_arch = "x86_64", target_feature = "bmi2"), allow(dead_code))]
#[inline]
fn select_by_halving(word: u64, mut rank: u32) -> u32 {
    let mut position = 0;
    let mut width = 32;
    while width > 0 {
        let below = ((word >> position) & ((1 << width) - 1)).count_ones();
        if rank >= below {
            rank -= below;
            position += width;
        }
        width /= 2;
    }
    position
}

impl Bits for u128 {
    const WIDTH: u32 = 128;
    #[inline]
    fn bit(index: u32) -> Self {
        1 << index
    }
    #[inline]
    fn count(self) -> u32 {
        self.count_ones()
    }
    #[inline]
    fn lowest(self) -> u32 {
        self.trailing_zeros()
    }
    #[inline]
    fn select(self, rank: u32) -> u32 {
        let low = self as u64;
        let below = low.count_ones();
        if rank < below { low.select(rank) } else { 64 + ((self >> 64) as u64).select(rank - below) }
    }
    #[inline]
    fn pick(self, rank: u32) -> Self {
        let (low, high) = (self as u64, (self >> 64) as u64);
        let below = low.count();
        // Which word it is cannot be foreseen: select, do not branch.
        let in_low = rank < below;
        let rank = select_unpredictable(in_low, rank, rank.wrapping_sub(below));
        let picked = select_unpredictable(in_low, low, high).pick(rank);
        let [low, high] = select_unpredictable(in_low, [picked, 0], [0, picked]);
        u128::from(low) | u128::from(high) << 64
    }
}

/// 256 squares: enough for a 15x15 board with a column of padding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct U256 {
    low: u128,
    high: u128,
}

impl BitAnd for U256 {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self { low: self.low & other.low, high: self.high & other.high }
    }
}

impl BitOr for U256 {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self { low: self.low | other.low, high: self.high | other.high }
    }
}

impl Not for U256 {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self { low: !self.low, high: !self.high }
    }
}

impl Shl<u32> for U256 {
    type Output = Self;
    #[inline]
    fn shl(self, by: u32) -> Self {
        match by {
            0 => self,
            1..128 => Self { low: self.low << by, high: self.high << by | self.low >> (128 - by) },
            _ => Self { low: 0, high: self.low.checked_shl(by - 128).unwrap_or(0) },
        }
    }
}

impl Shr<u32> for U256 {
    type Output = Self;
    #[inline]
    fn shr(self, by: u32) -> Self {
        match by {
            0 => self,
            1..128 => Self { low: self.low >> by | self.high << (128 - by), high: self.high >> by },
            _ => Self { low: self.high.checked_shr(by - 128).unwrap_or(0), high: 0 },
        }
    }
}

impl Bits for U256 {
    const WIDTH: u32 = 256;
    #[inline]
    fn bit(index: u32) -> Self {
        Self { low: 1, high: 0 } << index
    }
    #[inline]
    fn count(self) -> u32 {
        self.low.count_ones() + self.high.count_ones()
    }
    #[inline]
    fn lowest(self) -> u32 {
        if self.low == 0 { 128 + self.high.trailing_zeros() } else { self.low.trailing_zeros() }
    }
    #[inline]
    fn select(self, rank: u32) -> u32 {
        let below = self.low.count_ones();
        if rank < below { self.low.select(rank) } else { 128 + self.high.select(rank - below) }
    }
    #[inline]
    fn pick(self, rank: u32) -> Self {
        Self::bit(self.select(rank))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plyground_core::Seed;

    fn laws<B: Bits>(word: B) {
        let listed: Vec<u32> = word.squares().collect();
        assert_eq!(listed.len() as u32, word.count());
        for (rank, &index) in listed.iter().enumerate() {
            assert!(word.has(index));
            assert_eq!(word.select(rank as u32), index);
            assert_eq!(word.pick(rank as u32), B::bit(index));
        }
        for by in 0..B::WIDTH {
            let moved: Vec<u32> = listed.iter().map(|index| index + by).filter(|&index| index < B::WIDTH).collect();
            assert_eq!((word << by).squares().collect::<Vec<_>>(), moved);
            let moved: Vec<u32> = listed.iter().filter(|&&index| index >= by).map(|index| index - by).collect();
            assert_eq!((word >> by).squares().collect::<Vec<_>>(), moved);
        }
    }

    #[test]
    fn words_are_sets_of_squares() {
        let mut rng = Seed(3).rng();
        for _ in 0..200 {
            // Dense, sparse and empty words.
            let thin = rng.bits() & if rng.below(2) == 0 { rng.bits() & rng.bits() } else { !0 };
            let mut word = || u128::from(thin & rng.bits()) << 64 | u128::from(rng.bits());
            laws(word() as u64);
            laws(word());
            laws(U256 { low: word(), high: word() });
        }
        laws(0_u64);
        laws(!0_u64);
        laws(U256::default());
    }

    #[test]
    fn select_by_halving_agrees_with_counting() {
        let mut rng = Seed(4).rng();
        for _ in 0..1_000 {
            let word = rng.bits() & rng.bits();
            for (rank, index) in word.squares().enumerate() {
                assert_eq!(select_by_halving(word, rank as u32), index);
            }
        }
    }
}
