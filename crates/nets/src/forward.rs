//! From planes to values and logits: one walk over the steps of a plan, for inference and for training.

use crate::Isa;
use crate::kernels::matrix::Product;
use crate::kernels::winograd::{Boards, Finish, POINTS};
use crate::kernels::{Block, LANES, blocks};
use crate::plan::{ExecutionPlan, ExecutionStep, Function, INPUT, Layout, PolicyEnd, ValueId, Weights};
use crate::stack::Stack;

/// Weights as the kernels want them, made once for as long as they do not change.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// For each layer with weights: the transformed ones of a 3x3 convolution; nothing where the parameters serve as they are.
    pub forward: Vec<Vec<Block>>,
    /// For the way back: the same with inputs and outputs exchanged; nothing where there is no way back.
    pub backward: Vec<Vec<Block>>,
}

impl Prepared {
    /// Room for the weights of a plan. With `learning`, for the way back as well.
    pub fn new(plan: &ExecutionPlan, learning: bool) -> Self {
        let room = |weights: &Weights, outputs: usize, depth: usize| {
            let points = if weights.taps == 9 { POINTS } else { 1 };
            vec![Block::ZERO; points * blocks(outputs) * depth]
        };
        let forward = |weights: &Weights| {
            if weights.taps == 9 { room(weights, weights.outputs, weights.depth()) } else { Vec::new() }
        };
        let backward = |weights: &Weights| {
            let wanted = learning && weights.layout == Layout::Panels;
            if wanted { room(weights, weights.depth(), blocks(weights.outputs) * LANES) } else { Vec::new() }
        };
        Self { forward: plan.weights.iter().map(forward).collect(), backward: plan.weights.iter().map(backward).collect() }
    }

    /// Takes over new weights.
    pub fn fill(&mut self, plan: &ExecutionPlan, isa: Isa, parameters: &[Block]) {
        let rooms = self.forward.iter_mut().zip(&mut self.backward);
        for (weights, (forward, backward)) in plan.weights.iter().zip(rooms) {
            let parameters = &parameters[weights.weight_range()];
            if !forward.is_empty() {
                isa.weights_in(parameters, forward);
            }
            if !backward.is_empty() {
                if weights.taps == 9 {
                    isa.weights_in(&transposed(weights, parameters), backward);
                } else {
                    *backward = transposed(weights, parameters);
                }
            }
        }
    }
}

/// The panels of each tap with inputs and outputs exchanged.
fn transposed(weights: &Weights, parameters: &[Block]) -> Vec<Block> {
    let (inputs, outputs) = (weights.depth(), blocks(weights.outputs) * LANES);
    let mut result = vec![Block::ZERO; parameters.len()];
    let each = parameters.len() / weights.taps;
    for (from, to) in parameters.chunks_exact(each).zip(result.chunks_exact_mut(each)) {
        for (panel, rows) in from.chunks_exact(inputs).enumerate() {
            for (input, row) in rows.iter().enumerate() {
                for (lane, &number) in row.0.iter().enumerate() {
                    to[input / LANES * outputs + panel * LANES + lane].0[input % LANES] = number;
                }
            }
        }
    }
    result
}

/// Activations of a few positions, and room for what lies between.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// How many positions fit.
    capacity: usize,
    slots: Vec<Vec<Block>>,
    slot_of: Vec<usize>,
    /// Transformed tiles before and after the product.
    pub tiles: [Vec<Block>; 2],
}

impl Workspace {
    /// With `keep`, every value has its own place, as the way back needs them all. Otherwise a place is used again as soon as its value
    /// is no longer needed, so that all of it stays in the nearest cache.
    pub fn new(plan: &ExecutionPlan, capacity: usize, keep: bool) -> Self {
        let (slot_of, sizes) = if keep {
            ((0..plan.shapes.len()).collect(), (0..plan.shapes.len()).map(|value| plan.value_blocks(value)).collect())
        } else {
            share_slots(plan)
        };
        let mut tiles = [0, 0];
        for step in &plan.steps {
            if let ExecutionStep::Sums { weights, from, to, .. } = *step
                && plan.weights[weights].taps == 9
            {
                let (shape, levels) = (plan.shapes[from], plan.levels[from]);
                let each = POINTS * levels * Boards::tiles_each(shape.ranks / levels, shape.files);
                for (room, value) in tiles.iter_mut().zip([from, to]) {
                    *room = (*room).max(each * blocks(plan.shapes[value].planes));
                }
            }
        }
        Self {
            capacity,
            slots: sizes.into_iter().map(|size: usize| vec![Block::ZERO; capacity * size]).collect(),
            slot_of,
            tiles: tiles.map(|room| vec![Block::ZERO; capacity * room]),
        }
    }

    pub fn value(&self, value: ValueId) -> &[Block] {
        &self.slots[self.slot_of[value]]
    }

    /// Takes a value out to write it; [`Workspace::put`] brings it back.
    fn take(&mut self, value: ValueId) -> Vec<Block> {
        std::mem::take(&mut self.slots[self.slot_of[value]])
    }

    fn put(&mut self, value: ValueId, blocks: Vec<Block>) {
        self.slots[self.slot_of[value]] = blocks;
    }

    /// Puts the planes of a position in, square by square.
    pub fn load(&mut self, plan: &ExecutionPlan, position: usize, planes: &[f32]) {
        let shape = plan.shapes[INPUT];
        let (squares, width) = (shape.squares(), blocks(shape.planes));
        let slot = &mut self.slots[self.slot_of[INPUT]][position * squares * width..][..squares * width];
        for (number, plane) in planes.chunks_exact(squares).enumerate() {
            for (square, &value) in slot.chunks_exact_mut(width).zip(plane) {
                square[number / LANES].0[number % LANES] = value;
            }
        }
    }
}

/// A place for each value, shared by those of the same size that are never needed at the same time.
fn share_slots(plan: &ExecutionPlan) -> (Vec<usize>, Vec<usize>) {
    let mut last_read = vec![0; plan.shapes.len()];
    for (number, step) in plan.steps.iter().enumerate() {
        for value in step.reads() {
            last_read[value] = number;
        }
    }
    for value in plan.value.into_iter().chain(plan.policy.map(|end| end.from)) {
        last_read[value] = usize::MAX;
    }
    let mut sizes = vec![plan.value_blocks(INPUT)];
    let mut slot_of = vec![0; plan.shapes.len()];
    // The number of the last step that still needs what is in each slot. The input's is never shared: the blocks that fill it up must
    // stay 0.
    let mut taken = vec![usize::MAX];
    for (number, step) in plan.steps.iter().enumerate() {
        let (value, size) = (step.writes(), plan.value_blocks(step.writes()));
        let free = (0..sizes.len()).find(|&slot| sizes[slot] == size && taken[slot] < number);
        let slot = free.unwrap_or_else(|| {
            sizes.push(size);
            taken.push(0);
            sizes.len() - 1
        });
        slot_of[value] = slot;
        taken[slot] = last_read[value];
    }
    (slot_of, sizes)
}

/// A plan with all that is needed to walk through it.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    pub plan: &'a ExecutionPlan,
    pub isa: Isa,
    pub parameters: &'a [Block],
    pub prepared: &'a Prepared,
}

impl Pass<'_> {
    /// Computes everything for the first `count` positions that were loaded.
    pub fn forward(&self, workspace: &mut Workspace, count: usize) {
        assert!(count <= workspace.capacity, "{count} positions in room for {}", workspace.capacity);
        for step in &self.plan.steps {
            let mut to = workspace.take(step.writes());
            self.step(*step, workspace, count, &mut to);
            workspace.put(step.writes(), to);
        }
    }

    fn step(&self, step: ExecutionStep, workspace: &mut Workspace, count: usize, to: &mut [Block]) {
        match step {
            ExecutionStep::Sums { weights, from, add, relu, .. } => {
                let number = weights;
                let weights = &self.plan.weights[number];
                let boards = self.boards(from, count);
                let Workspace { slots, slot_of, tiles, .. } = workspace;
                let from: &[Block] = &slots[slot_of[from]];
                let size = self.plan.value_blocks(step.writes()) * count;
                let add = add.map(|add| &slots[slot_of[add]][..size]);
                let finish = Finish { bias: &self.parameters[weights.bias_range()], add, relu };
                let to = &mut to[..size];
                if weights.taps == 9 {
                    let product = tile_product(weights, boards.tiles());
                    let [before, after] = tiles;
                    self.isa.tiles_in(boards, from, before);
                    self.isa.multiply(product, before, &self.prepared.forward[number], after);
                    self.isa.tiles_out(Boards { blocks: product.outputs, ..boards }, after, finish, to);
                } else {
                    let product = row_product(weights, boards);
                    self.isa.multiply(product, from, &self.parameters[weights.weight_range()], to);
                    self.isa.finish(finish, to);
                }
            }
            ExecutionStep::Stack { from, to: number } => {
                let stack = Stack::new(self.plan, from, number);
                let each = workspace.value(from).chunks_exact(self.plan.value_blocks(from));
                for (from, to) in each.zip(to.chunks_exact_mut(self.plan.value_blocks(number))).take(count) {
                    stack.forward(from, to);
                }
            }
            ExecutionStep::Add { a, b, relu, .. } => self.add(workspace, count, [a, b], relu, to),
            ExecutionStep::Pool { from, .. } => self.pool(workspace.value(from), from, count, to),
            ExecutionStep::Activate { from, function, .. } => {
                let planes = self.plan.shapes[from].planes;
                let size = count * self.plan.value_blocks(from);
                activate(function, planes, &workspace.value(from)[..size], &mut to[..size]);
            }
        }
    }

    pub fn boards(&self, value: ValueId, count: usize) -> Boards {
        let (shape, levels) = (self.plan.shapes[value], self.plan.levels[value]);
        Boards { count: count * levels, ranks: shape.ranks / levels, files: shape.files, blocks: blocks(shape.planes) }
    }

    fn add(&self, workspace: &Workspace, count: usize, [a, b]: [ValueId; 2], relu: bool, to: &mut [Block]) {
        let size = self.plan.value_blocks(a);
        let each = self.plan.value_blocks(b);
        let boards = workspace.value(a)[..count * size].chunks_exact(size).zip(to[..count * size].chunks_exact_mut(size));
        for ((a, to), b) in boards.zip(workspace.value(b).chunks_exact(each)) {
            to.copy_from_slice(a);
            for square in to.chunks_exact_mut(each) {
                self.isa.add_to(b, square);
            }
        }
        if relu {
            let bias = &[Block::ZERO];
            self.isa.finish(Finish { bias, add: None, relu }, &mut to[..count * size]);
        }
    }

    fn pool(&self, from: &[Block], value: ValueId, count: usize, to: &mut [Block]) {
        let shape = self.plan.shapes[value];
        let width = blocks(shape.planes);
        let boards = from[..count * self.plan.value_blocks(value)].chunks_exact(shape.squares() * width);
        for (board, to) in boards.zip(to.chunks_exact_mut(blocks(2 * shape.planes))) {
            to.fill(Block::ZERO);
            for plane in 0..shape.planes {
                let squares = board.iter().skip(plane / LANES).step_by(width).map(|block| block.0[plane % LANES]);
                let (sum, most) = squares.fold((0.0, f32::NEG_INFINITY), |(sum, most), number| (sum + number, most.max(number)));
                let mut set = |index: usize, number: f32| to[index / LANES].0[index % LANES] = number;
                set(plane, sum / shape.squares() as f32);
                set(shape.planes + plane, most);
            }
        }
    }

    /// The logits of some moves in one of the positions that were computed.
    pub fn logits(&self, end: PolicyEnd, workspace: &Workspace, position: usize, moves: &[usize], logits: &mut [f32]) {
        let weights = &self.plan.weights[end.weights];
        let size = self.plan.value_blocks(end.from);
        let features = &workspace.value(end.from)[position * size..][..size];
        let squares = if end.per_square { self.plan.shapes[end.from].squares() } else { 1 };
        let rows_and_bias = [&self.parameters[weights.weight_range()], &self.parameters[weights.bias_range()]];
        self.isa.logits(squares, features, rows_and_bias, moves, logits);
    }
}

/// The 36 products of a 3x3 convolution.
pub fn tile_product(weights: &Weights, tiles: usize) -> Product {
    let (depth, outputs) = (blocks(weights.inputs), blocks(weights.outputs));
    Product { count: POINTS, rows: tiles, depth, outputs, accumulate: false }
}

/// The product of any other layer, on boards as they go in: a row for each square, or for each board if the layer sees it whole.
pub fn row_product(weights: &Weights, boards: Boards) -> Product {
    let rows = boards.count * boards.ranks * boards.files / weights.squares;
    Product { count: 1, rows, depth: weights.depth() / LANES, outputs: blocks(weights.outputs), accumulate: false }
}

/// A function of each number, and 0 where there is none.
fn activate(function: Function, planes: usize, from: &[Block], to: &mut [Block]) {
    let width = blocks(planes);
    for (number, (to, from)) in to.iter_mut().zip(from).enumerate() {
        let filled = (planes - number % width * LANES).min(LANES);
        to.0[filled..].fill(0.0);
        for (to, &x) in to.0.iter_mut().zip(&from.0).take(filled) {
            *to = match function {
                Function::Relu => x.max(0.0),
                Function::Tanh => x.tanh(),
                Function::Sigmoid(steepness) => 1.0 / (1.0 + (-steepness * x).exp()),
            };
        }
    }
}
