//! Which vector instructions the machine has, and the kernels compiled for each. The only unsafe code of this crate.

use crate::kernels::matrix::{self, Product};
use crate::kernels::plain::{self, AdamStep};
use crate::kernels::winograd::{self, Boards, Finish};
use crate::kernels::{Block, Four, Simd, Wide};

/// A set of vector instructions that this machine has: it can only be made by looking.
///
/// AVX2 and AVX-512 give the same numbers, bit by bit. [`Isa::PORTABLE`] rounds products before it adds them, unless all processors of the
/// family can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Isa {
    /// The instructions of every machine that this program was compiled for.
    pub const PORTABLE: Self = Self(Set::Portable);

    /// All that this machine has, the fastest last.
    pub fn all() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            let mut all = vec![Self::PORTABLE, Self(Set::Avx2)];
            all.extend(std::arch::is_x86_feature_detected!("avx512f").then_some(Self(Set::Avx512)));
            return all;
        }
        vec![Self::PORTABLE]
    }

    /// The fastest of this machine.
    pub fn best() -> Self {
        Self::all().pop().unwrap_or(Self::PORTABLE)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => "AVX-512",
        }
    }
}

/// Vectors of 4 numbers, as in SSE2, NEON and WebAssembly.
#[derive(Clone, Copy)]
struct Portable;

impl Simd for Portable {
    // Every x86-64 processor with the instruction has AVX2, too.
    const FMA: bool = cfg!(target_arch = "aarch64");
    // Of 16 registers (32 on ARM), 8 (16) for sums.
    const SUMS: usize = if cfg!(target_arch = "aarch64") { 4 } else { 2 };
    type Vector = Four<Self>;
    type Wide = Wide<Four<Self>, 4>;
}

/// The vectors of AVX2 (with fused multiplication and addition) and of AVX-512.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64 as instructions;

    use crate::kernels::{Block, LANES, Simd, Vector, Wide};

    /// 16 registers of 8 numbers.
    pub struct Avx2;

    impl Simd for Avx2 {
        const FMA: bool = true;
        // Twelve registers for sums, two for weights, one for what they are multiplied by.
        const SUMS: usize = 6;
        type Vector = Eight;
        type Wide = Wide<Eight, 2>;
    }

    /// 32 registers of 16 numbers.
    pub struct Avx512;

    impl Simd for Avx512 {
        const FMA: bool = true;
        const SUMS: usize = 12;
        type Vector = Sixteen;
        type Wide = Sixteen;
    }

    /// Numbers in a register. Only kernels that are compiled for it have them.
    macro_rules! vector {
        ($name:ident, $lanes:literal, $register:ident, $zero:ident $splat:ident $load:ident $store:ident
         $add:ident $sub:ident $mul:ident $max:ident $fma:ident) => {
            #[derive(Clone, Copy)]
            pub struct $name(instructions::$register);

            // SAFETY (all of them): the instructions are there, as this vector is used only in kernels that are called after the processor
            // was asked whether it has them; loads and stores are within an array of as many numbers.
            #[allow(unsafe_code)]
            impl Vector for $name {
                const PARTS: usize = LANES / $lanes;

                #[inline(always)]
                fn zero() -> Self {
                    Self(unsafe { instructions::$zero() })
                }
                #[inline(always)]
                fn load(block: &Block, part: usize) -> Self {
                    let numbers: &[f32; $lanes] = &block.0.as_chunks().0[part];
                    Self(unsafe { instructions::$load(numbers.as_ptr()) })
                }
                #[inline(always)]
                fn store(self, block: &mut Block, part: usize) {
                    let numbers: &mut [f32; $lanes] = &mut block.0.as_chunks_mut().0[part];
                    unsafe { instructions::$store(numbers.as_mut_ptr(), self.0) }
                }
                #[inline(always)]
                fn add(self, other: Self) -> Self {
                    Self(unsafe { instructions::$add(self.0, other.0) })
                }
                #[inline(always)]
                fn sub(self, other: Self) -> Self {
                    Self(unsafe { instructions::$sub(self.0, other.0) })
                }
                #[inline(always)]
                fn mul(self, factor: f32) -> Self {
                    Self(unsafe { instructions::$mul(self.0, instructions::$splat(factor)) })
                }
                #[inline(always)]
                fn max(self, other: Self) -> Self {
                    Self(unsafe { instructions::$max(self.0, other.0) })
                }
                #[inline(always)]
                fn fma(self, factor: f32, other: Self) -> Self {
                    Self(unsafe { instructions::$fma(self.0, instructions::$splat(factor), other.0) })
                }
                #[inline(always)]
                fn prefetch(block: &Block, ahead: usize) {
                    // Any address may be asked for; nothing is read.
                    let address = std::ptr::from_ref(block).wrapping_add(ahead).cast();
                    unsafe { instructions::_mm_prefetch::<{ instructions::_MM_HINT_T0 }>(address) }
                }
            }
        };
    }

    vector!(Eight, 8, __m256, _mm256_setzero_ps _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps
        _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_max_ps _mm256_fmadd_ps);
    vector!(Sixteen, 16, __m512, _mm512_setzero_ps _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps
        _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_max_ps _mm512_fmadd_ps);
}

/// Every kernel for every set.
macro_rules! kernels {
    ($($module:ident::$name:ident($($argument:ident: $type:ty),*);)*) => {
        impl Isa {
            $(
                #[allow(unsafe_code)]
                pub(crate) fn $name(self, $($argument: $type),*) {
                    match self.0 {
                        Set::Portable => $module::$name::<Portable>($($argument),*),
                        #[cfg(target_arch = "x86_64")]
                        Set::Avx2 => {
                            #[target_feature(enable = "avx2,fma")]
                            fn compiled($($argument: $type),*) {
                                $module::$name::<x86::Avx2>($($argument),*);
                            }
                            // SAFETY: this variant is made only where `Isa::all` has seen that the processor has AVX2 and FMA.
                            unsafe { compiled($($argument),*) }
                        }
                        #[cfg(target_arch = "x86_64")]
                        Set::Avx512 => {
                            #[target_feature(enable = "avx512f")]
                            fn compiled($($argument: $type),*) {
                                $module::$name::<x86::Avx512>($($argument),*);
                            }
                            // SAFETY: this variant is made only where `Isa::all` has seen that the processor has AVX-512F.
                            unsafe { compiled($($argument),*) }
                        }
                    }
                }
            )*
        }
    };
}

kernels! {
    winograd::tiles_in(boards: Boards, from: &[Block], tiles: &mut [Block]);
    winograd::tiles_out(boards: Boards, tiles: &[Block], finish: Finish<'_>, to: &mut [Block]);
    winograd::tiles_out_back(boards: Boards, from: &[Block], tiles: &mut [Block]);
    winograd::tiles_in_back(boards: Boards, tiles: &[Block], to: &mut [Block]);
    winograd::weights_in(weights: &[Block], transformed: &mut [Block]);
    winograd::weights_in_back(transformed: &[Block], weights: &mut [Block]);
    matrix::multiply(product: Product, left: &[Block], right: &[Block], result: &mut [Block]);
    matrix::multiply_transposed(product: Product, left: &[Block], right: &[Block], result: &mut [Block]);
    plain::finish(how: Finish<'_>, values: &mut [Block]);
    plain::add_to(from: &[Block], to: &mut [Block]);
    plain::relu_back(outcome: &[Block], gradient: &mut [Block]);
    plain::add_rows(rows: &[Block], sum: &mut [Block]);
    plain::logits(squares: usize, features: &[Block], rows_and_bias: [&[Block]; 2], moves: &[usize], logits: &mut [f32]);
    plain::add_scaled(factor: f32, from: &[Block], to: &mut [Block]);
    plain::decay(factor: f32, values: &mut [Block]);
    plain::adam(step: AdamStep, gradient: &[Block], moments: [&mut [Block]; 2], parameters: &mut [Block]);
}
