//! An architecture as a list of steps on buffers, with everything fused that can be: what inference and training walk through.

use crate::architecture::Volume;
use crate::kernels::{LANES, blocks};
use crate::{Architecture, Layer, NetError, Shape};

/// Blocks of 16 numbers that a network may take, so that a hostile description cannot eat the memory: 256 MB of weights, and 16 MB for
/// each position.
const MOST_PARAMETERS: usize = 1 << 22;
const MOST_VALUES: usize = 1 << 18;

/// The number of something that is computed: activations of one shape.
pub type ValueId = usize;

/// Value 0 is the input.
pub const INPUT: ValueId = 0;

#[derive(Clone, Debug)]
pub struct ExecutionPlan {
    /// A volume has the ranks of all its boards, one above the other.
    pub shapes: Vec<Shape>,
    /// How many boards a value is on; 1 where it is no volume.
    pub levels: Vec<usize>,
    pub steps: Vec<ExecutionStep>,
    pub weights: Vec<Weights>,
    pub policy: Option<PolicyEnd>,
    pub value: Option<ValueId>,
    /// How many blocks all parameters take.
    pub parameter_blocks: usize,
}

/// One thing to compute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExecutionStep {
    /// Sums by weights, with what follows them: + bias, + `add`, max(0, .).
    Sums { weights: usize, from: ValueId, to: ValueId, add: Option<ValueId>, relu: bool },
    /// Each board of a volume with those below and above it as further channels, which makes a convolution over three levels one over
    /// boards. Planes come in as the levels of one channel if there is another number of boards before.
    Stack { from: ValueId, to: ValueId },
    /// a + b; `b` may be one square that is added to all.
    Add { a: ValueId, b: ValueId, to: ValueId, relu: bool },
    /// Mean and maximum over the board.
    Pool { from: ValueId, to: ValueId },
    /// A function of each number.
    Activate { from: ValueId, to: ValueId, function: Function },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Function {
    Relu,
    Tanh,
    Sigmoid(f32),
}

/// The last layer of the policy, of which only what is legal is computed.
#[derive(Clone, Copy, Debug)]
pub struct PolicyEnd {
    pub weights: usize,
    pub from: ValueId,
    /// Is an index a plane and a square (otherwise an output that looks at everything)?
    pub per_square: bool,
}

/// The layout of the weights of a layer in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// For sums over many positions: (tap, output / 16, square, input; output % 16).
    Panels,
    /// For single sums: (output, square; input).
    Rows,
}

/// Weights and bias of a layer: where they are among the parameters, and which number is where.
///
/// Inputs and outputs are counted in blocks of 16 numbers; what the last block has too many is always 0.
#[derive(Clone, Debug)]
pub struct Weights {
    /// As in `trunk.0`.
    pub name: String,
    pub layout: Layout,
    /// 9 for a 3x3 convolution, otherwise 1.
    pub taps: usize,
    /// More than 1 for a dense layer that looks at the board.
    pub squares: usize,
    /// 3 for a convolution over three levels, whose inputs are those of each level in turn; otherwise 1.
    pub levels: usize,
    pub inputs: usize,
    pub outputs: usize,
    /// The shape of the weights in PyTorch.
    pub dimensions: Vec<usize>,
    /// Blocks before the weights.
    pub offset: usize,
    /// How the weights are drawn.
    pub start: Start,
}

/// The distribution of weights at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// For what follows, a ReLU or not (He et al., 2015).
    Random { relu: bool },
    /// All 0: the last layer of a residual branch, so that a deep network begins as a shallow one (Zhang et al., 2019).
    Zero,
}

impl Weights {
    /// Rows of a panel: the inputs with those that fill up the last block, for each square.
    pub fn depth(&self) -> usize {
        self.squares * blocks(self.inputs) * LANES
    }

    pub fn weight_blocks(&self) -> usize {
        match self.layout {
            Layout::Panels => self.taps * blocks(self.outputs) * self.depth(),
            Layout::Rows => self.outputs * self.squares * blocks(self.inputs),
        }
    }

    pub fn weight_range(&self) -> std::ops::Range<usize> {
        self.offset..self.offset + self.weight_blocks()
    }

    pub fn bias_range(&self) -> std::ops::Range<usize> {
        let begin = self.offset + self.weight_blocks();
        begin..begin + blocks(self.outputs)
    }

    /// Block and lane of each weight, in the order of PyTorch: output, input, level, then square or tap.
    pub fn order(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let inner = self.taps * self.squares;
        let channels = self.inputs / self.levels;
        (0..self.outputs * self.inputs * inner).map(move |number| {
            let (output, rest) = (number / (self.inputs * inner), number % (self.inputs * inner));
            let (input, at) = (rest / inner, rest % inner);
            let input = input % self.levels * channels + input / self.levels;
            let (tap, square) = if self.taps > 1 { (at, 0) } else { (0, at) };
            match self.layout {
                Layout::Panels => {
                    let row = square * blocks(self.inputs) * LANES + input;
                    let panel = tap * blocks(self.outputs) + output / LANES;
                    (self.offset + panel * self.depth() + row, output % LANES)
                }
                Layout::Rows => {
                    let block = (output * self.squares + square) * blocks(self.inputs) + input / LANES;
                    (self.offset + block, input % LANES)
                }
            }
        })
    }
}

impl ExecutionPlan {
    pub fn new(architecture: &Architecture) -> Result<Self, NetError> {
        architecture.check()?;
        let mut builder = Builder { volumes: vec![Volume::flat(architecture.input)], ..Builder::default() };
        let trunk = builder.layers("trunk", &architecture.trunk, INPUT);
        builder.pinned.push(trunk);
        let policy = architecture.policy.as_ref().and_then(|layers| layers.split_last()).map(|(last, layers)| {
            let from = builder.layers("policy", layers, trunk);
            let name = format!("policy.{}", layers.len());
            let weights = builder.weights(name, last, builder.volumes[from].shape, Layout::Rows);
            PolicyEnd { weights, from, per_square: matches!(last, Layer::Conv1(_)) }
        });
        // The value head must not change what the policy is read from.
        builder.pinned.extend(policy.map(|end| end.from));
        let value = architecture.value.as_ref().map(|layers| builder.layers("value", layers, trunk));
        let Builder { volumes, steps, weights, parameter_blocks, .. } = builder;
        let shapes = volumes.iter().map(|volume| volume.shape).collect();
        let levels = volumes.iter().map(|volume| volume.levels.unwrap_or(1)).collect();
        let plan = Self { shapes, levels, steps, weights, policy, value, parameter_blocks };
        let value_blocks = (0..plan.shapes.len()).map(|value| plan.value_blocks(value)).fold(0, usize::saturating_add);
        if parameter_blocks > MOST_PARAMETERS || value_blocks > MOST_VALUES {
            return Err(NetError::architecture(format!(
                "it takes {parameter_blocks} blocks of weights and {value_blocks} blocks of memory for a position; expected at most \
                 {MOST_PARAMETERS} and {MOST_VALUES}"
            )));
        }
        Ok(plan)
    }

    /// The number of blocks for the numbers of one position.
    pub fn value_blocks(&self, value: ValueId) -> usize {
        let shape = self.shapes[value];
        shape.squares() * blocks(shape.planes)
    }
}

impl ExecutionStep {
    /// The values that it reads.
    pub fn reads(&self) -> impl Iterator<Item = ValueId> {
        let (first, second) = match *self {
            Self::Sums { from, add, .. } => (from, add),
            Self::Add { a, b, .. } => (a, Some(b)),
            Self::Stack { from, .. } | Self::Pool { from, .. } | Self::Activate { from, .. } => (from, None),
        };
        std::iter::once(first).chain(second)
    }

    /// The value that it computes.
    pub fn writes(&self) -> ValueId {
        match *self {
            Self::Sums { to, .. }
            | Self::Stack { to, .. }
            | Self::Add { to, .. }
            | Self::Pool { to, .. }
            | Self::Activate { to, .. } => to,
        }
    }
}

#[derive(Default)]
struct Builder {
    volumes: Vec<Volume>,
    steps: Vec<ExecutionStep>,
    weights: Vec<Weights>,
    /// Values that another layer still needs as they are.
    pinned: Vec<ValueId>,
    parameter_blocks: usize,
}

impl Builder {
    fn layers(&mut self, path: &str, layers: &[Layer], mut value: ValueId) -> ValueId {
        for (index, layer) in layers.iter().enumerate() {
            let place = format!("{path}.{index}");
            if matches!(layer, Layer::Conv3d(_)) {
                value = self.stack(value);
            }
            let volume = self.volumes[value];
            value = match layer {
                Layer::Conv3(_) | Layer::Conv1(_) | Layer::Conv3d(_) | Layer::Dense(_) => {
                    let weights = self.weights(place, layer, volume.shape, Layout::Panels);
                    if layers.get(index + 1) == Some(&Layer::Relu) {
                        self.weights[weights].start = Start::Random { relu: true };
                    }
                    let outputs = self.weights[weights].outputs;
                    let dense = Volume::flat(Shape { planes: outputs, ranks: 1, files: 1 });
                    let to = self.value(if matches!(layer, Layer::Dense(_)) { dense } else { volume.with_channels(outputs) });
                    self.push(ExecutionStep::Sums { weights, from: value, to, add: None, relu: false })
                }
                Layer::Relu => self.relu(value),
                Layer::Tanh => self.activate(value, Function::Tanh),
                Layer::Sigmoid(steepness) => self.activate(value, Function::Sigmoid(*steepness)),
                Layer::Pool => {
                    let to = self.value(Volume::flat(Shape { planes: 2 * volume.shape.planes, ranks: 1, files: 1 }));
                    self.push(ExecutionStep::Pool { from: value, to })
                }
                Layer::Residual(inner) => self.residual(&place, inner, value),
            };
        }
        value
    }

    fn stack(&mut self, from: ValueId) -> ValueId {
        let raised = self.volumes[from].raised();
        let to = self.value(raised.with_channels(3 * raised.shape.planes));
        self.push(ExecutionStep::Stack { from, to })
    }

    fn residual(&mut self, place: &str, inner: &[Layer], x: ValueId) -> ValueId {
        self.pinned.push(x);
        let branch = self.layers(place, inner, x);
        self.pinned.pop();
        if let Some(ExecutionStep::Sums { weights, .. }) = self.steps.last()
            && matches!(inner.last(), Some(Layer::Conv3(_) | Layer::Conv1(_) | Layer::Conv3d(_) | Layer::Dense(_)))
        {
            self.weights[*weights].start = Start::Zero;
        }
        let same_board = self.volumes[branch] == self.volumes[x];
        match self.last_into(branch) {
            Some(ExecutionStep::Sums { add: add @ None, relu: false, .. }) if same_board => {
                *add = Some(x);
                branch
            }
            _ => {
                let to = self.value(self.volumes[x]);
                self.push(ExecutionStep::Add { a: x, b: branch, to, relu: false })
            }
        }
    }

    /// The step that has just computed a value, if it may still be changed.
    fn last_into(&mut self, value: ValueId) -> Option<&mut ExecutionStep> {
        let pinned = self.pinned.contains(&value);
        self.steps.last_mut().filter(|step| step.writes() == value && !pinned)
    }

    fn relu(&mut self, value: ValueId) -> ValueId {
        if let Some(ExecutionStep::Sums { relu, .. } | ExecutionStep::Add { relu, .. }) = self.last_into(value) {
            *relu = true;
            return value;
        }
        self.activate(value, Function::Relu)
    }

    fn activate(&mut self, from: ValueId, function: Function) -> ValueId {
        let to = self.value(self.volumes[from]);
        self.push(ExecutionStep::Activate { from, to, function })
    }

    fn value(&mut self, volume: Volume) -> ValueId {
        self.volumes.push(volume);
        self.volumes.len() - 1
    }

    fn push(&mut self, step: ExecutionStep) -> ValueId {
        self.steps.push(step);
        step.writes()
    }

    fn weights(&mut self, name: String, layer: &Layer, shape: Shape, layout: Layout) -> usize {
        let inputs = shape.planes;
        let levels = if matches!(layer, Layer::Conv3d(_)) { 3 } else { 1 };
        let (taps, squares, outputs, dimensions) = match *layer {
            Layer::Conv3(outputs) => (9, 1, outputs, vec![outputs, inputs, 3, 3]),
            Layer::Conv1(outputs) => (1, 1, outputs, vec![outputs, inputs, 1, 1]),
            Layer::Conv3d(outputs) => (9, 1, outputs, vec![outputs, inputs / levels, 3, 3, 3]),
            Layer::Dense(outputs) => (1, shape.squares(), outputs, vec![outputs, shape.numbers()]),
            _ => unreachable!("only layers with weights are asked for"),
        };
        let start = Start::Random { relu: false };
        let offset = self.parameter_blocks;
        let weights = Weights { name, layout, taps, squares, levels, inputs, outputs, dimensions, offset, start };
        self.parameter_blocks = offset.saturating_add(weights.bias_range().len() + weights.weight_blocks());
        self.weights.push(weights);
        self.weights.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;

    #[test]
    fn residual_blocks_are_two_steps() {
        let input = Shape { planes: 12, ranks: 8, files: 8 };
        let plan = ExecutionPlan::new(&Architecture::policy_value(input, 4, Size { channels: 32, blocks: 1 })).unwrap();
        let sums = |weights, from, to, add, relu| ExecutionStep::Sums { weights, from, to, add, relu };
        assert_eq!(
            plan.steps,
            [
                sums(0, 0, 1, None, true),
                sums(1, 1, 2, None, true),
                sums(2, 2, 3, Some(1), true),
                sums(3, 3, 4, None, true),
                sums(5, 3, 5, None, true),
                ExecutionStep::Pool { from: 5, to: 6 },
                sums(6, 6, 7, None, true),
                sums(7, 7, 8, None, false),
                ExecutionStep::Activate { from: 8, to: 9, function: Function::Tanh },
            ]
        );
        let names: Vec<&str> = plan.weights.iter().map(|weights| &*weights.name).collect();
        assert_eq!(
            names,
            ["trunk.0", "trunk.2.0", "trunk.2.2", "policy.0", "policy.2", "value.0", "value.3", "value.5"],
            "as PyTorch names the layers of nn.Sequential"
        );
        assert_eq!(plan.weights[2].start, Start::Zero);
    }

    #[test]
    fn what_others_need_is_not_changed_in_place() {
        let json = r#"{"input": {"planes": 2, "ranks": 3, "files": 3},
            "trunk": [{"conv1": 2}, {"residual": ["relu"]}, {"residual": ["relu", "pool", {"dense": 2}]}],
            "policy": ["relu", {"conv1": 1}], "value": ["relu", {"dense": 1}, "tanh"]}"#;
        let plan = ExecutionPlan::new(&serde_json::from_str(json).unwrap()).unwrap();
        let relu = |from, to| ExecutionStep::Activate { from, to, function: Function::Relu };
        assert_eq!(
            plan.steps,
            [
                ExecutionStep::Sums { weights: 0, from: 0, to: 1, add: None, relu: false },
                relu(1, 2),
                ExecutionStep::Add { a: 1, b: 2, to: 3, relu: false },
                relu(3, 4),
                ExecutionStep::Pool { from: 4, to: 5 },
                ExecutionStep::Sums { weights: 1, from: 5, to: 6, add: None, relu: false },
                ExecutionStep::Add { a: 3, b: 6, to: 7, relu: false },
                relu(7, 8),
                relu(7, 9),
                ExecutionStep::Sums { weights: 3, from: 9, to: 10, add: None, relu: false },
                ExecutionStep::Activate { from: 10, to: 11, function: Function::Tanh },
            ]
        );
    }

    #[test]
    fn every_weight_has_a_place_of_its_own() {
        let json = r#"{"input": {"planes": 3, "ranks": 2, "files": 3}, "trunk": [{"conv3": 20}, {"conv1": 17}],
            "policy": [{"dense": 5}], "value": [{"dense": 1}, "tanh"]}"#;
        let plan = ExecutionPlan::new(&serde_json::from_str(json).unwrap()).unwrap();
        let mut seen = std::collections::HashSet::new();
        for weights in &plan.weights {
            assert_eq!(weights.order().count(), weights.dimensions.iter().product::<usize>());
            for place in weights.order() {
                assert!(weights.weight_range().contains(&place.0) && place.1 < LANES);
                assert!(seen.insert(place), "{}: {place:?} twice", weights.name);
            }
        }
    }
}
