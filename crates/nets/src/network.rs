//! A network: an architecture with numbers.

use plyground_core::Seed;

use crate::kernels::{Block, LANES};
use crate::plan::{ExecutionPlan, Start};
use crate::{Architecture, NetError};

/// An architecture with weights.
#[derive(Clone, Debug)]
pub struct Network {
    architecture: Architecture,
    pub(crate) plan: ExecutionPlan,
    /// Weights and biases of all layers, as the plan says.
    pub(crate) parameters: Vec<Block>,
}

/// Numbers with a name and a shape, in the order of PyTorch: the last dimension varies fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// As PyTorch would name it, `trunk.0.weight`.
    pub name: String,
    /// Its dimensions.
    pub shape: Vec<usize>,
    /// Its numbers.
    pub values: Vec<f32>,
}

impl Network {
    /// A network that has learnt nothing yet. Weights are drawn evenly with the variance of He et al. (2015), biases are 0, and the
    /// last layer of each residual branch is 0.
    pub fn new(architecture: Architecture, seed: Seed) -> Result<Self, NetError> {
        let plan = ExecutionPlan::new(&architecture)?;
        let mut parameters = vec![Block::ZERO; plan.parameter_blocks];
        for weights in &plan.weights {
            let Start::Random { relu } = weights.start else { continue };
            let mut rng = seed.named(&weights.name).rng();
            let gain = if relu { 2.0 } else { 1.0 };
            let limit = (3.0 * gain / (weights.inputs * weights.squares * weights.taps) as f64).sqrt();
            for (block, lane) in weights.order() {
                parameters[block].0[lane] = ((2.0 * rng.unit() - 1.0) * limit) as f32;
            }
        }
        Ok(Self { architecture, plan, parameters })
    }

    /// Its layers.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The number of its parameters.
    pub fn size(&self) -> usize {
        self.plan.weights.iter().map(|weights| weights.dimensions.iter().product::<usize>() + weights.outputs).sum()
    }

    /// The same weights for a board of another size. Only where no dense layer looks at the board.
    pub fn resized(&self, ranks: usize, files: usize) -> Result<Self, NetError> {
        let architecture = self.architecture.resized(ranks, files)?;
        let plan = ExecutionPlan::new(&architecture)?;
        Ok(Self { architecture, plan, parameters: self.parameters.clone() })
    }

    /// Moves every number by a share of the way to that of another network of the same architecture: the running average of a network in
    /// training is better than the network itself.
    pub fn approach(&mut self, other: &Self, share: f32) -> Result<(), NetError> {
        if self.architecture != other.architecture {
            return Err(NetError::architecture("an average of two networks that are not made alike"));
        }
        for (mine, theirs) in self.parameters.iter_mut().zip(&other.parameters) {
            for (mine, theirs) in mine.0.iter_mut().zip(theirs.0) {
                *mine += share * (theirs - *mine);
            }
        }
        Ok(())
    }

    /// All weights and biases.
    pub fn tensors(&self) -> Vec<Tensor> {
        tensors(&self.plan, &self.parameters)
    }

    /// A network with these weights and biases; each must be there once, with the right shape and finite numbers.
    pub fn from_tensors(architecture: Architecture, tensors: &[Tensor]) -> Result<Self, NetError> {
        let plan = ExecutionPlan::new(&architecture)?;
        let parameters = parameters(&plan, tensors)?;
        Ok(Self { architecture, plan, parameters })
    }
}

/// Parameters (or anything else that lies like them) as they are shown to others.
pub fn tensors(plan: &ExecutionPlan, parameters: &[Block]) -> Vec<Tensor> {
    let mut tensors = Vec::new();
    for weights in &plan.weights {
        let values = weights.order().map(|(block, lane)| parameters[block].0[lane]).collect();
        tensors.push(Tensor { name: format!("{}.weight", weights.name), shape: weights.dimensions.clone(), values });
        let bias = parameters[weights.bias_range()].iter().flat_map(|block| block.0).take(weights.outputs).collect();
        tensors.push(Tensor { name: format!("{}.bias", weights.name), shape: vec![weights.outputs], values: bias });
    }
    tensors
}

/// The way back from [`tensors`], with all doubts that a file from elsewhere deserves.
pub fn parameters(plan: &ExecutionPlan, tensors: &[Tensor]) -> Result<Vec<Block>, NetError> {
    let mut parameters = vec![Block::ZERO; plan.parameter_blocks];
    let find = |name: &str, shape: &[usize]| {
        let mut named = tensors.iter().filter(|tensor| tensor.name == name);
        let tensor = named.next().ok_or_else(|| NetError::weights(format!("it has no {name}")))?;
        if named.next().is_some() {
            return Err(NetError::weights(format!("it has {name} twice")));
        }
        if tensor.shape != shape || tensor.values.len() != shape.iter().product::<usize>() {
            let found = &tensor.shape;
            return Err(NetError::weights(format!("{name} has the shape {found:?}; the network wants {shape:?}")));
        }
        if let Some(at) = tensor.values.iter().position(|value| !value.is_finite()) {
            return Err(NetError::weights(format!("number {at} of {name} is {}", tensor.values[at])));
        }
        Ok(&tensor.values)
    };
    for weights in &plan.weights {
        let values = find(&format!("{}.weight", weights.name), &weights.dimensions)?;
        for ((block, lane), &value) in weights.order().zip(values) {
            parameters[block].0[lane] = value;
        }
        let values = find(&format!("{}.bias", weights.name), &[weights.outputs])?;
        for (index, &value) in values.iter().enumerate() {
            parameters[weights.bias_range().start + index / LANES].0[index % LANES] = value;
        }
    }
    if tensors.len() != 2 * plan.weights.len() {
        let known = |tensor: &&Tensor| {
            plan.weights
                .iter()
                .any(|weights| tensor.name.strip_prefix(&*weights.name).is_some_and(|rest| rest == ".weight" || rest == ".bias"))
        };
        let stranger = tensors.iter().find(|tensor| !known(tensor)).map_or("", |tensor| &tensor.name);
        return Err(NetError::weights(format!("it has {stranger}, which the network does not know")));
    }
    Ok(parameters)
}
