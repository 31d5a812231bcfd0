//! Products of matrices, large numbers of small ones.

use super::{Block, LANES, Simd, Vector};

/// The sizes of `count` products in a row: each `rows` x `depth` times `depth` x `outputs`. Depth and outputs are counted in blocks.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    pub count: usize,
    pub rows: usize,
    pub depth: usize,
    pub outputs: usize,
    /// Is the product added to what is there, or does it replace it?
    pub accumulate: bool,
}

impl Product {
    /// The product by which the gradient goes back from the result to the left side.
    pub fn back(self) -> Self {
        Self { depth: self.outputs, outputs: self.depth, ..self }
    }

    fn left(self) -> usize {
        self.rows * self.depth
    }
    fn right(self) -> usize {
        self.outputs * self.depth * LANES
    }
    fn result(self) -> usize {
        self.rows * self.outputs
    }
}

/// result = left * right. `left` and `result` lie row by row; `right` lies in panels of 16 columns, each row by row.
#[inline(always)]
pub fn multiply<S: Simd>(product: Product, left: &[Block], right: &[Block], result: &mut [Block]) {
    let Product { count, rows, depth, outputs, accumulate } = product;
    let left = left[..count * product.left()].chunks_exact(product.left());
    let right = right[..count * product.right()].chunks_exact(product.right());
    let result = result[..count * product.result()].chunks_exact_mut(product.result());
    for ((left, right), result) in left.zip(right).zip(result) {
        let panels = Panels { depth, blocks: right, outputs, accumulate };
        // As even as can be: 9 rows are 5 and 4, not 6 and 3.
        let most = rows.div_ceil(rows.div_ceil(S::SUMS.min(6)));
        let mut row = 0;
        while row < rows {
            let now = most.min(rows - row);
            let left = &left[row * depth..(row + now) * depth];
            let result = &mut result[row * outputs..(row + now) * outputs];
            match (now, S::SUMS / now) {
                (1, 4..) => panels.strip::<S, 1, 4>(left, result),
                (1, _) => panels.strip::<S, 1, 2>(left, result),
                (2, 4..) => panels.strip::<S, 2, 4>(left, result),
                (2, 2..) => panels.strip::<S, 2, 2>(left, result),
                (2, _) => panels.strip::<S, 2, 1>(left, result),
                (3, 2..) => panels.strip::<S, 3, 2>(left, result),
                (3, _) => panels.strip::<S, 3, 1>(left, result),
                (4, 2..) => panels.strip::<S, 4, 2>(left, result),
                (4, _) => panels.strip::<S, 4, 1>(left, result),
                (5, 2..) => panels.strip::<S, 5, 2>(left, result),
                (5, _) => panels.strip::<S, 5, 1>(left, result),
                (6, 2..) => panels.strip::<S, 6, 2>(left, result),
                _ => panels.strip::<S, 6, 1>(left, result),
            }
            row += now;
        }
    }
}

/// The right side of a product.
struct Panels<'a> {
    depth: usize,
    blocks: &'a [Block],
    outputs: usize,
    accumulate: bool,
}

impl Panels<'_> {
    /// R rows times all panels, P at a time.
    #[inline(always)]
    fn strip<S: Simd, const R: usize, const P: usize>(&self, left: &[Block], result: &mut [Block]) {
        let mut panel = 0;
        while panel + P <= self.outputs {
            self.tile::<S, R, P>(left, panel, result);
            panel += P;
        }
        while panel < self.outputs {
            self.tile::<S, R, 1>(left, panel, result);
            panel += 1;
        }
    }

    /// R rows times P panels, in registers.
    #[inline(always)]
    fn tile<S: Simd, const R: usize, const P: usize>(&self, left: &[Block], panel: usize, result: &mut [Block]) {
        let depth = self.depth;
        let rows: [&[Block]; R] = std::array::from_fn(|row| &left[row * depth..][..depth]);
        let blocks = self.blocks.as_chunks::<LANES>().0;
        let panels: [&[[Block; LANES]]; P] = std::array::from_fn(|number| &blocks[(panel + number) * depth..][..depth]);
        let mut sums = [[S::Wide::zero(); P]; R];
        for step in 0..depth {
            for lane in 0..LANES {
                for p in 0..P {
                    let right = S::Wide::load(&panels[p][step][lane], 0);
                    S::Wide::prefetch(&panels[p][step][lane], P * depth * LANES);
                    for r in 0..R {
                        sums[r][p] = right.fma(rows[r][step].0[lane], sums[r][p]);
                    }
                }
            }
        }
        for (sums, result) in sums.iter().zip(result.chunks_exact_mut(self.outputs)) {
            for (sum, block) in sums.iter().zip(&mut result[panel..panel + P]) {
                let before = if self.accumulate { S::Wide::load(block, 0) } else { S::Wide::zero() };
                sum.add(before).store(block, 0);
            }
        }
    }
}

/// The other product that learning needs: result = transposed left * right, where all rows of both are summed over. `left` is
/// rows x depth, `right` is rows x outputs, `result` lies in panels as the right side of [`multiply`].
#[inline(always)]
pub fn multiply_transposed<S: Simd>(product: Product, left: &[Block], right: &[Block], result: &mut [Block]) {
    const AT_ONCE: usize = 4;
    let Product { count, depth, outputs, accumulate, .. } = product;
    let left = left[..count * product.left()].chunks_exact(product.left());
    let right = right[..count * product.result()].chunks_exact(product.result());
    let result = result[..count * product.right()].chunks_exact_mut(product.right());
    for ((left, right), result) in left.zip(right).zip(result) {
        for (number, panel) in result.chunks_exact_mut(depth * LANES).enumerate() {
            for (step, part) in panel.as_chunks_mut::<AT_ONCE>().0.iter_mut().enumerate() {
                let (block, part_of_block) = (step / (LANES / AT_ONCE), step % (LANES / AT_ONCE));
                let mut sums = [S::Wide::zero(); AT_ONCE];
                for (left, right) in left.chunks_exact(depth).zip(right.chunks_exact(outputs)) {
                    let left = &left[block].0.as_chunks::<AT_ONCE>().0[part_of_block];
                    let right = S::Wide::load(&right[number], 0);
                    for r in 0..AT_ONCE {
                        sums[r] = right.fma(left[r], sums[r]);
                    }
                }
                for (sum, block) in sums.iter().zip(part) {
                    let before = if accumulate { S::Wide::load(block, 0) } else { S::Wide::zero() };
                    sum.add(before).store(block, 0);
                }
            }
        }
    }
}
