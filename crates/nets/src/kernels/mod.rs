//! The inner loops, written once for every set of vector instructions.
//!
//! Nothing here names an instruction. The loops run over arrays of a fixed length that the compiler turns into vectors; [`crate::simd`]
//! compiles each kernel once per instruction set. Everything is `inline(always)`, as only what is inlined there is compiled with its
//! instructions.
// Indices of arrays of a known length say more than iterators here, and the compiler unrolls them as surely.
#![allow(clippy::inline_always, clippy::needless_range_loop)]

pub mod matrix;
pub mod plain;
pub mod winograd;

/// Numbers in a [`Block`].
pub const LANES: usize = 16;

/// Sixteen neighbouring channels of a square, sixteen outputs of a layer: what is loaded at once. One line of the cache.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Block(pub [f32; LANES]);

impl Block {
    pub const ZERO: Self = Self([0.0; LANES]);
}

/// How many blocks hold so many numbers.
pub fn blocks(numbers: usize) -> usize {
    numbers.div_ceil(LANES)
}

/// What the compiler may count on.
pub trait Simd {
    /// Is there an instruction for a * b + c? Without one, it would be a call into a library, a hundred times slower.
    const FMA: bool;
    /// Rows that are summed at once: as many as the registers hold.
    const ROWS: usize;
    /// What fits into a register.
    type Vector: Vector;
}

/// A part of a block.
pub trait Vector: Copy {
    const ZERO: Self;
    /// Parts of a block.
    const PARTS: usize;
    fn load(block: &Block, part: usize) -> Self;
    fn store(self, block: &mut Block, part: usize);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, factor: f32) -> Self;
    fn max(self, other: Self) -> Self;
    /// self * factor + other
    fn fma<S: Simd>(self, factor: f32, other: Self) -> Self;
}

impl<const L: usize> Vector for [f32; L] {
    const ZERO: Self = [0.0; L];
    const PARTS: usize = LANES / L;

    #[inline(always)]
    fn load(block: &Block, part: usize) -> Self {
        block.0.as_chunks::<L>().0[part]
    }
    #[inline(always)]
    fn store(self, block: &mut Block, part: usize) {
        block.0.as_chunks_mut::<L>().0[part] = self;
    }
    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        for lane in 0..L {
            self[lane] += other[lane];
        }
        self
    }
    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        for lane in 0..L {
            self[lane] -= other[lane];
        }
        self
    }
    #[inline(always)]
    fn mul(mut self, factor: f32) -> Self {
        for number in &mut self {
            *number *= factor;
        }
        self
    }
    #[inline(always)]
    fn max(mut self, other: Self) -> Self {
        for lane in 0..L {
            self[lane] = if self[lane] > other[lane] { self[lane] } else { other[lane] };
        }
        self
    }
    #[inline(always)]
    fn fma<S: Simd>(mut self, factor: f32, other: Self) -> Self {
        for lane in 0..L {
            self[lane] = fma::<S>(self[lane], factor, other[lane]);
        }
        self
    }
}

/// a * b + c
#[inline(always)]
pub fn fma<S: Simd>(a: f32, b: f32, c: f32) -> f32 {
    if S::FMA { a.mul_add(b, c) } else { a * b + c }
}
