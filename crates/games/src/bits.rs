//! Sets of squares as machine words.

use std::fmt::Debug;
use std::hash::Hash;
use std::hint::select_unpredictable;
use std::ops::{BitAnd, BitOr, Not, Shl, Shr};

/// A set of squares, one bit each. Boards choose the smallest word that holds them.
pub trait Bits:
    Copy
    + Ord
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

    /// The set read from the other end: square number 0 becomes the last of the word.
    #[must_use]
    fn reversed(self) -> Self;
    /// The set with some of its first 64 squares changed: those whose bits are set.
    #[must_use]
    fn flipped(self, bits: u64) -> Self;

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
    fn reversed(self) -> Self {
        self.reverse_bits()
    }
    #[inline]
    fn flipped(self, bits: u64) -> Self {
        self ^ bits
    }
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
    fn reversed(self) -> Self {
        self.reverse_bits()
    }
    #[inline]
    fn flipped(self, bits: u64) -> Self {
        self ^ Self::from(bits)
    }
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

/// 256 squares: enough for a 15x15 board with a column of padding. Four words, the lowest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct U256([u64; 4]);

impl BitAnd for U256 {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }
}

impl BitOr for U256 {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }
}

impl Not for U256 {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

impl Shl<u32> for U256 {
    type Output = Self;
    #[inline]
    fn shl(self, by: u32) -> Self {
        let [a, b, c, d] = self.0;
        let [a, b, c, d] = match by / 64 {
            0 => [a, b, c, d],
            1 => [0, a, b, c],
            2 => [0, 0, a, b],
            3 => [0, 0, 0, a],
            _ => [0; 4],
        };
        // Shifted in two steps, as a shift by a whole word is none.
        let (by, over) = (by % 64, 63 - by % 64);
        Self([a << by, b << by | a >> 1 >> over, c << by | b >> 1 >> over, d << by | c >> 1 >> over])
    }
}

impl Shr<u32> for U256 {
    type Output = Self;
    #[inline]
    fn shr(self, by: u32) -> Self {
        let [a, b, c, d] = self.0;
        let [a, b, c, d] = match by / 64 {
            0 => [a, b, c, d],
            1 => [b, c, d, 0],
            2 => [c, d, 0, 0],
            3 => [d, 0, 0, 0],
            _ => [0; 4],
        };
        let (by, over) = (by % 64, 63 - by % 64);
        Self([a >> by | b << 1 << over, b >> by | c << 1 << over, c >> by | d << 1 << over, d >> by])
    }
}

impl Bits for U256 {
    const WIDTH: u32 = 256;
    #[inline]
    fn reversed(self) -> Self {
        let Self([a, b, c, d]) = self;
        Self([d, c, b, a].map(u64::reverse_bits))
    }
    #[inline]
    fn flipped(self, bits: u64) -> Self {
        let Self([a, b, c, d]) = self;
        Self([a ^ bits, b, c, d])
    }
    #[inline]
    fn bit(index: u32) -> Self {
        Self(std::array::from_fn(|word| if index / 64 == word as u32 { 1 << (index % 64) } else { 0 }))
    }
    #[inline]
    fn count(self) -> u32 {
        self.0.into_iter().map(u64::count_ones).sum()
    }
    #[inline]
    fn lowest(self) -> u32 {
        let word = self.0.into_iter().position(|word| word != 0).unwrap_or(3);
        64 * word as u32 + self.0[word].trailing_zeros()
    }
    #[inline]
    fn select(self, mut rank: u32) -> u32 {
        let mut word = 0;
        while word < 3 && rank >= self.0[word].count() {
            rank -= self.0[word].count();
            word += 1;
        }
        64 * word as u32 + self.0[word].select(rank)
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
        let mut turned: Vec<u32> = word.reversed().squares().map(|index| B::WIDTH - 1 - index).collect();
        turned.reverse();
        assert_eq!(turned, listed);
        assert_eq!((word.flipped(5).has(0), word.flipped(5).has(1)), (!word.has(0), word.has(1)));
        assert_eq!(word.flipped(5).flipped(5), word);
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
            let mut word = || thin & rng.bits();
            laws(word());
            laws(u128::from(word()) << 64 | u128::from(word()));
            laws(U256([word(), word(), word(), word()]));
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
