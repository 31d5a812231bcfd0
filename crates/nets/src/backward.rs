//! The way back of the gradient, from the ends of the heads to the weights.

use crate::forward::{Pass, Workspace, row_product, tile_product};
use crate::kernels::matrix::Product;
use crate::kernels::winograd::{Boards, POINTS};
use crate::kernels::{Block, LANES, blocks};
use crate::plan::{ExecutionPlan, ExecutionStep, Function, INPUT, PolicyEnd, ValueId};
use crate::stack::Stack;

/// Room for the gradients of a few positions.
#[derive(Clone, Debug)]
pub struct Gradients {
    values: Vec<Vec<Block>>,
    /// The gradient of transformed weights.
    transformed: Vec<Block>,
}

impl Gradients {
    pub fn new(plan: &ExecutionPlan, capacity: usize) -> Self {
        let values = (0..plan.shapes.len()).map(|value| vec![Block::ZERO; capacity * plan.value_blocks(value)]).collect();
        let transformed = plan.weights.iter().filter(|weights| weights.taps == 9);
        let most = transformed.map(|weights| weights.weight_blocks() / 9 * POINTS).max().unwrap_or(0);
        Self { values, transformed: vec![Block::ZERO; most] }
    }

    /// Forgets what came from other positions.
    pub fn clear(&mut self) {
        for blocks in &mut self.values {
            blocks.fill(Block::ZERO);
        }
    }

    /// The gradient of the loss by a value.
    pub fn of(&mut self, value: ValueId) -> &mut [Block] {
        &mut self.values[value]
    }
}

impl Pass<'_> {
    /// Brings the gradients of the values at the ends of the heads back, and adds those of weights and biases to `parameters`. The
    /// workspace has to hold all values of these positions.
    pub fn backward(&self, workspace: &mut Workspace, count: usize, gradients: &mut Gradients, parameters: &mut [Block]) {
        for step in self.plan.steps.iter().rev() {
            let to = step.writes();
            let size = count * self.plan.value_blocks(to);
            let mut all = std::mem::take(&mut gradients.values[to]);
            let gradient = &mut all[..size];
            match *step {
                ExecutionStep::Sums { weights, from, add, relu, .. } => {
                    if relu {
                        self.isa.relu_back(&workspace.value(to)[..size], gradient);
                    }
                    if let Some(add) = add {
                        self.isa.add_to(gradient, &mut gradients.values[add]);
                    }
                    self.isa.add_rows(gradient, &mut parameters[self.plan.weights[weights].bias_range()]);
                    self.sums_back([weights, from], count, workspace, gradient, gradients, parameters);
                }
                ExecutionStep::Stack { from, .. } if from != INPUT => {
                    let stack = Stack::new(self.plan, from, to);
                    let each = gradients.values[from].chunks_exact_mut(self.plan.value_blocks(from));
                    for (onward, gradient) in each.zip(gradient.chunks_exact(self.plan.value_blocks(to))) {
                        stack.backward(self.isa, gradient, onward);
                    }
                }
                ExecutionStep::Stack { .. } => (),
                ExecutionStep::Add { a, b, relu, .. } => {
                    if relu {
                        self.isa.relu_back(&workspace.value(to)[..size], gradient);
                    }
                    self.isa.add_to(gradient, &mut gradients.values[a]);
                    let each = self.plan.value_blocks(b);
                    let boards = gradient.chunks_exact(self.plan.value_blocks(a));
                    for (board, b) in boards.zip(gradients.values[b].chunks_exact_mut(each)) {
                        self.isa.add_rows(board, b);
                    }
                }
                ExecutionStep::Pool { from, .. } => {
                    self.pool_back(from, workspace.value(from), gradient, &mut gradients.values[from]);
                }
                ExecutionStep::Activate { from, function, .. } => {
                    activate_back(function, &workspace.value(to)[..size], gradient, &mut gradients.values[from]);
                }
            }
            gradients.values[to] = all;
        }
    }

    fn sums_back(
        &self,
        [number, from]: [usize; 2],
        count: usize,
        workspace: &mut Workspace,
        gradient: &[Block],
        gradients: &mut Gradients,
        parameters: &mut [Block],
    ) {
        let weights = &self.plan.weights[number];
        let outputs = blocks(weights.outputs);
        let boards = self.boards(from, count);
        let parameters = &mut parameters[weights.weight_range()];
        let transposed = &self.prepared.backward[number];
        let onward = from != INPUT;
        if weights.taps == 9 {
            let product = tile_product(weights, boards.tiles());
            let mut tiles = std::mem::take(&mut workspace.tiles);
            let [before, after] = &mut tiles;
            self.isa.tiles_out_back(Boards { blocks: outputs, ..boards }, gradient, after);
            self.isa.tiles_in(boards, workspace.value(from), before);
            self.isa.multiply_transposed(product, before, after, &mut gradients.transformed);
            self.isa.weights_in_back(&gradients.transformed, parameters);
            if onward {
                self.isa.multiply(product.back(), after, transposed, before);
                self.isa.tiles_in_back(boards, before, &mut gradients.values[from]);
            }
            workspace.tiles = tiles;
        } else {
            let product = Product { accumulate: true, ..row_product(weights, boards) };
            self.isa.multiply_transposed(product, workspace.value(from), gradient, parameters);
            if onward {
                self.isa.multiply(product.back(), gradient, transposed, &mut gradients.values[from]);
            }
        }
    }

    fn pool_back(&self, value: ValueId, from: &[Block], gradient: &[Block], to: &mut [Block]) {
        let shape = self.plan.shapes[value];
        let (squares, width) = (shape.squares(), blocks(shape.planes));
        let boards = from.chunks_exact(squares * width).zip(to.chunks_exact_mut(squares * width));
        for ((from, to), gradient) in boards.zip(gradient.chunks_exact(blocks(2 * shape.planes))) {
            let get = |index: usize| gradient[index / LANES].0[index % LANES];
            for plane in 0..shape.planes {
                let (block, lane) = (plane / LANES, plane % LANES);
                let mut most = 0;
                for square in 0..squares {
                    to[square * width + block].0[lane] += get(plane) / squares as f32;
                    if from[square * width + block].0[lane] > from[most * width + block].0[lane] {
                        most = square;
                    }
                }
                to[most * width + block].0[lane] += get(shape.planes + plane);
            }
        }
    }

    /// The gradients of the logits of some moves in one position.
    pub fn logits_back(
        &self,
        end: PolicyEnd,
        place: MovesAt<'_>,
        slopes: &[f32],
        gradients: &mut Gradients,
        parameters: &mut [Block],
    ) {
        let weights = &self.plan.weights[end.weights];
        let size = self.plan.value_blocks(end.from);
        let squares = if end.per_square { self.plan.shapes[end.from].squares() } else { 1 };
        let width = size / squares;
        let features = &place.workspace.value(end.from)[place.position * size..][..size];
        let onward = &mut gradients.values[end.from][place.position * size..][..size];
        let rows = &self.parameters[weights.weight_range()];
        for (&mv, &slope) in place.moves.iter().zip(slopes) {
            let (plane, square) = (mv / squares, mv % squares);
            let (row, square) = (plane * width..(plane + 1) * width, square * width..(square + 1) * width);
            self.isa.add_scaled(slope, &features[square.clone()], &mut parameters[weights.weight_range()][row.clone()]);
            self.isa.add_scaled(slope, &rows[row], &mut onward[square]);
            parameters[weights.bias_range()][plane / LANES].0[plane % LANES] += slope;
        }
    }
}

/// Moves in one of the positions that were computed.
#[derive(Clone, Copy)]
pub struct MovesAt<'a> {
    pub workspace: &'a Workspace,
    pub position: usize,
    pub moves: &'a [usize],
}

fn activate_back(function: Function, outcome: &[Block], gradient: &[Block], to: &mut [Block]) {
    for ((to, gradient), outcome) in to.iter_mut().zip(gradient).zip(outcome) {
        for ((to, gradient), &y) in to.0.iter_mut().zip(&gradient.0).zip(&outcome.0) {
            let slope = match function {
                Function::Relu => f32::from(u8::from(y > 0.0)),
                Function::Tanh => 1.0 - y * y,
                Function::Sigmoid(steepness) => steepness * y * (1.0 - y),
            };
            *to += gradient * slope;
        }
    }
}
