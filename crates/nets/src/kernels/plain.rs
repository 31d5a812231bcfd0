//! What is done number by number.

use super::winograd::Finish;
use super::{Block, LANES, Simd, Vector, fma};

/// Bias, residual sum and ReLU on activations that lie square by square.
#[inline(always)]
pub fn finish<S: Simd>(finish: Finish<'_>, values: &mut [Block]) {
    let width = finish.bias.len();
    if let Some(add) = finish.add {
        add_to::<S>(add, values);
    }
    for (index, bias) in finish.bias.iter().enumerate() {
        let bias = S::Wide::load(bias, 0);
        for block in values.iter_mut().skip(index).step_by(width) {
            let mut sum = S::Wide::load(block, 0).add(bias);
            if finish.relu {
                sum = sum.max(S::Wide::zero());
            }
            sum.store(block, 0);
        }
    }
}

/// to += from
#[inline(always)]
pub fn add_to<S: Simd>(from: &[Block], to: &mut [Block]) {
    for (to, from) in to.iter_mut().zip(from) {
        S::Wide::load(to, 0).add(S::Wide::load(from, 0)).store(to, 0);
    }
}

/// The gradient on its way back through a ReLU: it stops where the outcome was 0.
#[inline(always)]
pub fn relu_back<S: Simd>(outcome: &[Block], gradient: &mut [Block]) {
    for (gradient, outcome) in gradient.iter_mut().zip(outcome) {
        for l in 0..LANES {
            gradient.0[l] = if outcome.0[l] > 0.0 { gradient.0[l] } else { 0.0 };
        }
    }
}

/// Adds all rows to one.
#[inline(always)]
pub fn add_rows<S: Simd>(rows: &[Block], sum: &mut [Block]) {
    let width = sum.len();
    for (index, sum) in sum.iter_mut().enumerate() {
        let mut total = S::Wide::load(sum, 0);
        for block in rows.iter().skip(index).step_by(width) {
            total = total.add(S::Wide::load(block, 0));
        }
        total.store(sum, 0);
    }
}

/// Logits of some moves, each the product of a row of weights with a square: move `plane * squares + square`. With one square, that
/// is a dense layer.
#[inline(always)]
pub fn logits<S: Simd>(squares: usize, features: &[Block], rows_and_bias: [&[Block]; 2], moves: &[usize], logits: &mut [f32]) {
    let width = features.len() / squares;
    let [rows, bias] = rows_and_bias;
    for (&mv, logit) in moves.iter().zip(logits) {
        let (plane, square) = (mv / squares, mv % squares);
        let product = dot::<S>(&features[square * width..][..width], &rows[plane * width..][..width]);
        *logit = product + bias[plane / LANES].0[plane % LANES];
    }
}

#[inline(always)]
fn dot<S: Simd>(a: &[Block], b: &[Block]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a.iter().zip(b) {
        for l in 0..LANES {
            sums[l] = fma::<S>(a.0[l], b.0[l], sums[l]);
        }
    }
    // Halving keeps the order of additions the same however wide the vectors are.
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            sums[l] += sums[l + width];
        }
        width /= 2;
    }
    sums[0]
}

/// to += factor * from
#[inline(always)]
pub fn add_scaled<S: Simd>(factor: f32, from: &[Block], to: &mut [Block]) {
    for (to, from) in to.iter_mut().zip(from) {
        S::Wide::load(from, 0).fma(factor, S::Wide::load(to, 0)).store(to, 0);
    }
}

/// values *= factor
#[inline(always)]
pub fn decay<S: Simd>(factor: f32, values: &mut [Block]) {
    for block in values {
        S::Wide::load(block, 0).mul(factor).store(block, 0);
    }
}

/// The numbers of a step of Adam, corrected for its first steps.
#[derive(Clone, Copy, Debug)]
pub struct AdamStep {
    pub rate: f32,
    /// What is left of the parameter itself.
    pub keep: f32,
    pub beta: [f32; 2],
    pub epsilon: f32,
    /// 1 / (1 - beta^step) for both moments.
    pub correction: [f32; 2],
    /// What the gradient is multiplied by first (clipping).
    pub scale: f32,
}

/// Parameters and both moments after a step of Adam with decoupled weight decay (Loshchilov and Hutter, 2019).
#[inline(always)]
pub fn adam<S: Simd>(step: AdamStep, gradient: &[Block], moments: [&mut [Block]; 2], parameters: &mut [Block]) {
    let [first, second] = moments;
    for (((parameter, gradient), first), second) in parameters.iter_mut().zip(gradient).zip(first).zip(second) {
        for l in 0..LANES {
            let gradient = gradient.0[l] * step.scale;
            first.0[l] = step.beta[0] * first.0[l] + (1.0 - step.beta[0]) * gradient;
            second.0[l] = step.beta[1] * second.0[l] + (1.0 - step.beta[1]) * gradient * gradient;
            let size = (second.0[l] * step.correction[1]).sqrt() + step.epsilon;
            parameter.0[l] = parameter.0[l] * step.keep - step.rate * (first.0[l] * step.correction[0]) / size;
        }
    }
}
