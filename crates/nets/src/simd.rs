//! Which vector instructions the machine has, and the kernels compiled for each. The only unsafe code of this crate.

use crate::kernels::matrix::{self, Product};
use crate::kernels::plain::{self, AdamStep};
use crate::kernels::winograd::{self, Boards, Finish};
use crate::kernels::{Block, Simd};

/// A set of vector instructions that this machine has: it can only be made by looking.
///
/// All sets give the same numbers, bit by bit, except that [`Isa::PORTABLE`] rounds products before it adds them where the
/// processor family has no fused instruction in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Isa {
    /// What every machine has that this program was compiled for.
    pub const PORTABLE: Self = Self(Set::Portable);

    /// The fastest of this machine.
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            return Self(Set::Avx2);
        }
        Self::PORTABLE
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "AVX2",
        }
    }
}

/// Vectors of 4 numbers, as in SSE2, NEON and WebAssembly.
struct Portable;

impl Simd for Portable {
    // On x86-64 whoever has the instruction has AVX2, too.
    const FMA: bool = cfg!(target_arch = "aarch64");
    const ROWS: usize = if cfg!(target_arch = "aarch64") { 4 } else { 2 };
    type Vector = [f32; 4];
}

#[cfg(target_arch = "x86_64")]
struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Simd for Avx2 {
    const FMA: bool = true;
    // Twelve of sixteen registers for sums, two for weights, one for what they are multiplied by.
    const ROWS: usize = 6;
    type Vector = [f32; 8];
}

macro_rules! kernels {
    ($($module:ident::$name:ident($($argument:ident: $type:ty),*);)*) => {
        impl Isa {
            $(
                #[allow(unsafe_code, clippy::missing_docs_in_private_items)]
                pub(crate) fn $name(self, $($argument: $type),*) {
                    match self.0 {
                        Set::Portable => $module::$name::<Portable>($($argument),*),
                        #[cfg(target_arch = "x86_64")]
                        Set::Avx2 => {
                            #[target_feature(enable = "avx2,fma")]
                            fn compiled($($argument: $type),*) {
                                $module::$name::<Avx2>($($argument),*);
                            }
                            // SAFETY: this variant is made only by `Isa::best`, which has seen that the processor has AVX2 and FMA.
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
    plain::adam(step: AdamStep, gradient: &[Block], moments: [&mut [Block]; 2], parameters: &mut [Block]);
}
