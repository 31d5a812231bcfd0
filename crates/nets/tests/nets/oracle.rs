//! The whole network again, as plainly as it can be written, in double precision: what the fast one is held to.

use std::collections::HashMap;

use plyground_core::{Rng, Seed};
use plyground_nets::{Architecture, Layer, Network, Shape};

/// Planes one after the other, each row by row.
#[derive(Clone, Debug)]
pub struct Planes {
    shape: Shape,
    /// How many boards lie one above the other, each with `ranks / levels` ranks; nothing where planes are no levels.
    levels: Option<usize>,
    numbers: Vec<f64>,
}

/// Weights by name, in the order of PyTorch.
pub type Weights = HashMap<String, Vec<f64>>;

pub fn weights(network: &Network) -> Weights {
    network.tensors().into_iter().map(|tensor| (tensor.name, tensor.values.into_iter().map(f64::from).collect())).collect()
}

/// All logits, and the value.
pub fn evaluate(architecture: &Architecture, weights: &Weights, planes: &[f32]) -> (Vec<f64>, f64) {
    let input =
        Planes { shape: architecture.input, levels: None, numbers: planes.iter().map(|&number| f64::from(number)).collect() };
    let trunk = layers("trunk", &architecture.trunk, weights, input);
    let head = |name: &str, head: &Option<Vec<Layer>>| head.as_ref().map(|list| layers(name, list, weights, trunk.clone()));
    let policy = head("policy", &architecture.policy).map_or(Vec::new(), |planes| planes.numbers);
    let value = head("value", &architecture.value).map_or(0.0, |planes| planes.numbers[0]);
    (policy, value)
}

fn layers(path: &str, list: &[Layer], weights: &Weights, mut x: Planes) -> Planes {
    for (index, layer) in list.iter().enumerate() {
        let place = format!("{path}.{index}");
        let get = |what: &str| &weights[&format!("{place}.{what}")];
        x = match layer {
            Layer::Conv3(outputs) => convolution(&x, get("weight"), get("bias"), *outputs, 3),
            Layer::Conv1(outputs) => convolution(&x, get("weight"), get("bias"), *outputs, 1),
            Layer::Conv3d(outputs) => convolution_3d(&x, get("weight"), get("bias"), *outputs),
            Layer::Dense(outputs) => {
                let rows = get("weight").chunks_exact(x.numbers.len());
                let sum = |row: &[f64]| row.iter().zip(&x.numbers).map(|(a, b)| a * b).sum::<f64>();
                let numbers = rows.zip(get("bias")).map(|(row, bias)| sum(row) + bias).collect();
                Planes { shape: Shape { planes: *outputs, ranks: 1, files: 1 }, levels: None, numbers }
            }
            Layer::Relu => each(x, |x| x.max(0.0)),
            Layer::Tanh => each(x, f64::tanh),
            Layer::Sigmoid(steepness) => each(x, |x| 1.0 / (1.0 + (-f64::from(*steepness) * x).exp())),
            Layer::Pool => {
                let planes: Vec<&[f64]> = x.numbers.chunks_exact(x.shape.squares()).collect();
                let means = planes.iter().map(|plane| plane.iter().sum::<f64>() / plane.len() as f64);
                let maxima = planes.iter().map(|plane| plane.iter().copied().fold(f64::NEG_INFINITY, f64::max));
                let numbers = means.chain(maxima).collect();
                Planes { shape: Shape { planes: 2 * x.shape.planes, ranks: 1, files: 1 }, levels: None, numbers }
            }
            Layer::Residual(inner) => {
                let branch = layers(&place, inner, weights, x.clone());
                let repeat = x.numbers.len() / branch.numbers.len();
                let numbers = x.numbers.iter().enumerate().map(|(index, number)| number + branch.numbers[index / repeat]);
                Planes { numbers: numbers.collect(), ..x }
            }
        };
    }
    x
}

fn each(x: Planes, function: impl Fn(f64) -> f64) -> Planes {
    Planes { numbers: x.numbers.into_iter().map(function).collect(), ..x }
}

fn convolution(x: &Planes, weights: &[f64], bias: &[f64], outputs: usize, side: usize) -> Planes {
    let Shape { planes, ranks, files } = x.shape;
    let mut numbers = Vec::new();
    for output in 0..outputs {
        for rank in 0..ranks {
            for file in 0..files {
                let mut sum = bias[output];
                for plane in 0..planes {
                    for (y, x_) in (0..side).flat_map(|y| (0..side).map(move |x| (y, x))) {
                        let (rank, file) = (rank + y, file + x_);
                        let (Some(rank), Some(file)) = (rank.checked_sub(side / 2), file.checked_sub(side / 2)) else { continue };
                        if rank < ranks && file < files {
                            let weight = weights[((output * planes + plane) * side + y) * side + x_];
                            sum += weight * x.numbers[(plane * ranks + rank) * files + file];
                        }
                    }
                }
                numbers.push(sum);
            }
        }
    }
    Planes { shape: Shape { planes: outputs, ..x.shape }, levels: None, numbers }
}

fn convolution_3d(x: &Planes, weights: &[f64], bias: &[f64], outputs: usize) -> Planes {
    let Shape { planes, ranks, files } = x.shape;
    let (channels, levels, ranks) = x.levels.map_or((1, planes, ranks), |levels| (planes, levels, ranks / levels));
    let at = |channel: usize, [z, y, x_]: [isize; 3]| {
        let inside = [(z, levels), (y, ranks), (x_, files)].iter().all(|&(at, length)| at >= 0 && at < length as isize);
        let number = ((channel * levels) as isize + z) * (ranks * files) as isize + y * files as isize + x_;
        if inside { x.numbers[number as usize] } else { 0.0 }
    };
    let mut numbers = Vec::new();
    for (output, square) in (0..outputs).flat_map(|output| (0..levels * ranks * files).map(move |square| (output, square))) {
        let here = [square / (ranks * files), square / files % ranks, square % files].map(|at| at as isize);
        let mut sum = bias[output];
        for channel in 0..channels {
            for tap in 0..27 {
                let step = [tap / 9, tap / 3 % 3, tap % 3];
                let there = std::array::from_fn(|axis| here[axis] + step[axis] as isize - 1);
                sum += weights[(output * channels + channel) * 27 + tap] * at(channel, there);
            }
        }
        numbers.push(sum);
    }
    Planes { shape: Shape { planes: outputs, ranks: levels * ranks, files }, levels: Some(levels), numbers }
}

/// Numbers between -1 and 1.
pub fn random(rng: &mut Rng, count: usize) -> Vec<f32> {
    (0..count).map(|_| (2.0 * rng.unit() - 1.0) as f32).collect()
}

/// A network in which every weight and bias is something, also those that start at 0.
pub fn random_network(architecture: &Architecture, seed: u64) -> Network {
    let network = Network::new(architecture.clone(), Seed(seed)).unwrap();
    let mut rng = Seed(seed).named("all").rng();
    let mut tensors = network.tensors();
    for tensor in &mut tensors {
        let inputs = tensor.shape[1..].iter().product::<usize>();
        let limit = if tensor.shape.len() > 1 { (4.0 / inputs as f32).sqrt() } else { 0.3 };
        tensor.values = random(&mut rng, tensor.values.len()).into_iter().map(|number| number * limit).collect();
    }
    Network::from_tensors(architecture.clone(), &tensors).unwrap()
}

/// Networks that have every layer in every place where it behaves differently.
pub fn zoo() -> Vec<(&'static str, Architecture)> {
    let parse = |json: &str| serde_json::from_str::<Architecture>(json).unwrap();
    let board = |planes, ranks, files| Shape { planes, ranks, files };
    vec![
        ("usual", Architecture::policy_value(board(5, 8, 8), 3, plyground_nets::Size { channels: 16, blocks: 2 })),
        ("usual, odd", Architecture::policy_value(board(3, 5, 7), 2, plyground_nets::Size { channels: 20, blocks: 1 })),
        ("Crosphere thesis", Architecture::crosphere_thesis(board(11, 5, 5))),
        ("Clobber thesis", Architecture::clobber_thesis(65, 20, 2.0)),
        (
            "dense policy",
            parse(
                r#"{"input": {"planes": 3, "ranks": 4, "files": 3}, "trunk": [{"conv1": 18}, "tanh"],
                "policy": [{"conv1": 2}, "relu", {"dense": 7}], "value": [{"dense": 5}, {"sigmoid": 1.5}, {"dense": 1}, "tanh"]}"#,
            ),
        ),
        (
            "pooling in the trunk",
            parse(
                r#"{"input": {"planes": 4, "ranks": 6, "files": 3}, "trunk": [{"conv3": 17}, {"residual": ["pool", {"dense": 17}]}, "relu",
                {"residual": ["relu", {"conv3": 6}, "tanh", {"conv1": 17}]}, {"residual": [{"conv1": 17}, "relu"]}, "relu"],
                "policy": ["relu", {"conv1": 3}], "value": ["relu", "pool", {"dense": 1}, "tanh"]}"#,
            ),
        ),
        (
            "residual inside residual",
            parse(
                r#"{"input": {"planes": 2, "ranks": 3, "files": 3}, "trunk": [{"residual": [{"residual": [{"conv3": 2}]}, "relu"]}],
                "policy": [{"conv1": 1}]}"#,
            ),
        ),
        ("Crosphere thesis in three dimensions", Architecture::crosphere_thesis_3d(board(4, 3, 5))),
        (
            "volumes",
            parse(
                r#"{"input": {"planes": 3, "ranks": 4, "files": 3}, "trunk": [{"conv3": 5}, "relu"], "policy": [{"conv1": 2}],
                "value": [{"conv3d": 4}, {"residual": [{"conv3d": 17}, "relu", {"conv3d": 4}]}, "relu",
                {"residual": ["pool", {"dense": 4}]}, {"conv3d": 3}, "relu", "pool", {"dense": 4}, {"conv3d": 2}, {"dense": 1}, "tanh"]}"#,
            ),
        ),
    ]
}
