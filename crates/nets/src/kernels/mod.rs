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

/// The number of blocks that hold so many numbers.
pub fn blocks(numbers: usize) -> usize {
    numbers.div_ceil(LANES)
}

/// A set of vector instructions that the compiler may use.
pub trait Simd {
    /// Is there an instruction for a * b + c? Without one, it would be a call into a library, a hundred times slower.
    const FMA: bool;
    /// Registers for [`Simd::Wide`] that sums can be held in.
    const SUMS: usize;
    /// What fits into a register.
    type Vector: Vector;
    /// A whole block, in as many registers as it takes.
    type Wide: Vector;
}

/// A part of a block in a register.
pub trait Vector: Copy {
    /// Parts of a block.
    const PARTS: usize;
    fn zero() -> Self;
    fn load(block: &Block, part: usize) -> Self;
    fn store(self, block: &mut Block, part: usize);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, factor: f32) -> Self;
    fn max(self, other: Self) -> Self;
    /// self * factor + other
    fn fma(self, factor: f32, other: Self) -> Self;
    /// Asks for what lies so many blocks further on, which will be needed soon.
    #[inline(always)]
    fn prefetch(_block: &Block, _ahead: usize) {}
}

/// A block in N registers.
#[derive(Clone, Copy)]
pub struct Wide<V, const N: usize>([V; N]);

impl<V: Vector, const N: usize> Wide<V, N> {
    #[inline(always)]
    fn with(mut self, other: Self, function: impl Fn(V, V) -> V) -> Self {
        for part in 0..N {
            self.0[part] = function(self.0[part], other.0[part]);
        }
        self
    }
}

impl<V: Vector, const N: usize> Vector for Wide<V, N> {
    const PARTS: usize = 1;

    #[inline(always)]
    fn zero() -> Self {
        Self([V::zero(); N])
    }
    #[inline(always)]
    fn load(block: &Block, _: usize) -> Self {
        let mut wide = Self::zero();
        for part in 0..N {
            wide.0[part] = V::load(block, part);
        }
        wide
    }
    #[inline(always)]
    fn store(self, block: &mut Block, _: usize) {
        for part in 0..N {
            self.0[part].store(block, part);
        }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, V::add)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, V::sub)
    }
    #[inline(always)]
    fn mul(self, factor: f32) -> Self {
        self.with(self, |x, _| x.mul(factor))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.with(other, V::max)
    }
    #[inline(always)]
    fn fma(self, factor: f32, other: Self) -> Self {
        self.with(other, |x, other| x.fma(factor, other))
    }
    #[inline(always)]
    fn prefetch(block: &Block, ahead: usize) {
        V::prefetch(block, ahead);
    }
}

/// Four numbers side by side, which every compiler turns into a vector where there are vectors.
#[derive(Clone, Copy)]
pub struct Four<S>([f32; 4], std::marker::PhantomData<S>);

impl<S: Simd + Copy> Four<S> {
    #[inline(always)]
    fn with(mut self, other: Self, function: impl Fn(f32, f32) -> f32) -> Self {
        for lane in 0..4 {
            self.0[lane] = function(self.0[lane], other.0[lane]);
        }
        self
    }
}

impl<S: Simd + Copy> Vector for Four<S> {
    const PARTS: usize = LANES / 4;

    #[inline(always)]
    fn zero() -> Self {
        Self([0.0; 4], std::marker::PhantomData)
    }
    #[inline(always)]
    fn load(block: &Block, part: usize) -> Self {
        Self(block.0.as_chunks().0[part], std::marker::PhantomData)
    }
    #[inline(always)]
    fn store(self, block: &mut Block, part: usize) {
        block.0.as_chunks_mut().0[part] = self.0;
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |x, y| x + y)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |x, y| x - y)
    }
    #[inline(always)]
    fn mul(self, factor: f32) -> Self {
        self.with(self, |x, _| x * factor)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.with(other, |x, y| if x > y { x } else { y })
    }
    #[inline(always)]
    fn fma(self, factor: f32, other: Self) -> Self {
        self.with(other, |x, other| fma::<S>(x, factor, other))
    }
}

/// a * b + c
#[inline(always)]
pub fn fma<S: Simd>(a: f32, b: f32, c: f32) -> f32 {
    if S::FMA { a.mul_add(b, c) } else { a * b + c }
}
