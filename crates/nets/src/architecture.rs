//! A network described by data: what goes in, a trunk, and a head for each thing that is asked of it.

use serde::{Deserialize, Serialize};

use crate::NetError;

/// The layers of a network. As JSON: `{"input": {"planes": 3, "ranks": 8, "files": 8}, "trunk": [{"conv3": 32}, "relu"], …}`.
///
/// The policy head ends in the layer that makes the logits: a 1x1 convolution (the index of a move is then
/// `plane * squares + square`, as encoders count) or a dense layer (an index is an output). Only the logits of legal moves are
/// ever computed. The value head ends in one number, by tanh (-1 to 1) or sigmoid (0 to 1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    /// The shape of a position as planes.
    pub input: Shape,
    /// What both heads stand on.
    #[serde(default)]
    pub trunk: Vec<Layer>,
    /// From the trunk to the logits of moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Vec<Layer>>,
    /// From the trunk to the expected result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Vec<Layer>>,
}

/// Planes of numbers, each as large as the board. A plain list of numbers is a board of one square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// The number of planes.
    pub planes: usize,
    /// Rows of the board.
    pub ranks: usize,
    /// Columns of the board.
    pub files: usize,
}

/// A step of a network. Convolutions and dense layers have a bias.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// A 3x3 convolution to this many planes; beyond the edge of the board everything is 0.
    Conv3(usize),
    /// A 1x1 convolution to this many planes: the same dense layer on every square.
    Conv1(usize),
    /// A 3x3x3 convolution to this many channels, over ranks, files and levels; beyond the edges everything is 0. The planes that come
    /// in are the levels of one channel, and the levels stay: 11 planes of 8x8 become so many channels of 11x8x8.
    Conv3d(usize),
    /// This many sums over everything that comes in.
    Dense(usize),
    /// max(x, 0)
    Relu,
    /// Between -1 and 1.
    Tanh,
    /// The logistic function 1 / (1 + exp(-steepness x)), between 0 and 1.
    Sigmoid(f32),
    /// x + f(x). Where f ends in one square, it is added to every square of the board.
    Residual(Vec<Layer>),
    /// The mean and then the maximum of every plane over the board.
    Pool,
}

/// The size of the usual policy and value network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Planes in the trunk.
    pub channels: usize,
    /// Residual blocks of two convolutions.
    pub blocks: usize,
}

impl Size {
    /// Fast enough for thousands of evaluations in a move.
    pub const SMALL: Self = Self { channels: 32, blocks: 3 };
    /// Six times as slow, and stronger.
    pub const MEDIUM: Self = Self { channels: 64, blocks: 5 };

    /// The size with this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "small" => Some(Self::SMALL),
            "medium" => Some(Self::MEDIUM),
            _ => None,
        }
    }
}

/// Numbers in one layer, and in one weight tensor. More is a mistake or an attack: the largest sensible network has a hundredth.
const MOST_NUMBERS: usize = 1 << 26;
/// Layers inside layers.
const DEEPEST: usize = 8;
/// Layers in all.
const MOST_LAYERS: usize = 1_000;

impl Shape {
    /// Squares of the board.
    pub fn squares(self) -> usize {
        self.ranks * self.files
    }

    /// The number of numbers.
    pub fn numbers(self) -> usize {
        self.planes * self.squares()
    }

    fn flat(planes: usize) -> Self {
        Self { planes, ranks: 1, files: 1 }
    }

    fn checked(self, what: &str) -> Result<Self, NetError> {
        let numbers = self.planes.checked_mul(self.ranks).and_then(|number| number.checked_mul(self.files));
        match numbers {
            Some(1..=MOST_NUMBERS) => Ok(self),
            _ => Err(NetError::architecture(format!(
                "{what} has {} planes of {}x{}; expected at least one number and at most {MOST_NUMBERS}",
                self.planes, self.ranks, self.files
            ))),
        }
    }
}

impl Architecture {
    /// The policy and value network of AlphaZero (Silver et al., 2017) without batch normalisation, which small networks do not
    /// need. Nothing in it depends on the size of the board: the value is read from the mean and the maximum over the board.
    pub fn policy_value(input: Shape, move_planes: usize, size: Size) -> Self {
        let channels = size.channels;
        let mut trunk = vec![Layer::Conv3(channels), Layer::Relu];
        for _ in 0..size.blocks {
            trunk.push(Layer::Residual(vec![Layer::Conv3(channels), Layer::Relu, Layer::Conv3(channels)]));
            trunk.push(Layer::Relu);
        }
        let policy = vec![Layer::Conv1(channels), Layer::Relu, Layer::Conv1(move_planes)];
        let value = vec![
            Layer::Conv1(channels),
            Layer::Relu,
            Layer::Pool,
            Layer::Dense(2 * channels),
            Layer::Relu,
            Layer::Dense(1),
            Layer::Tanh,
        ];
        Self { input, trunk, policy: Some(policy), value: Some(value) }
    }

    /// The network of the Crosphere thesis: two convolutions, a hidden layer that sees the whole board, and the expected result
    /// between 0 and 1.
    pub fn crosphere_thesis(input: Shape) -> Self {
        let value = vec![
            Layer::Conv3(32),
            Layer::Relu,
            Layer::Conv3(64),
            Layer::Relu,
            Layer::Dense(128),
            Layer::Relu,
            Layer::Dense(1),
            Layer::Sigmoid(1.0),
        ];
        Self { input, trunk: Vec::new(), policy: None, value: Some(value) }
    }

    /// The same with its filters of 3x3x3 as the thesis describes them: three-dimensional convolutions over 11x8x8.
    pub fn crosphere_thesis_3d(input: Shape) -> Self {
        let mut architecture = Self::crosphere_thesis(input);
        for layer in architecture.value.iter_mut().flatten() {
            if let Layer::Conv3(channels) = *layer {
                *layer = Layer::Conv3d(channels);
            }
        }
        architecture
    }

    /// The deeper alternative of the Crosphere thesis: four convolutions and three dense layers. How wide they were is not printed:
    /// here the convolutions have the 32 and 64 filters of the network that was chosen, twice each, and the dense layers halve.
    pub fn crosphere_thesis_deep(input: Shape) -> Self {
        let mut value = Vec::new();
        for channels in [32, 32, 64, 64] {
            value.extend([Layer::Conv3(channels), Layer::Relu]);
        }
        for nodes in [128, 64] {
            value.extend([Layer::Dense(nodes), Layer::Relu]);
        }
        value.extend([Layer::Dense(1), Layer::Sigmoid(1.0)]);
        Self { input, trunk: Vec::new(), policy: None, value: Some(value) }
    }

    /// The network of the Clobber thesis: a list of numbers, one hidden layer, one output, all logistic.
    pub fn clobber_thesis(inputs: usize, hidden: usize, steepness: f32) -> Self {
        let value = vec![Layer::Dense(hidden), Layer::Sigmoid(steepness), Layer::Dense(1), Layer::Sigmoid(steepness)];
        Self { input: Shape::flat(inputs), trunk: Vec::new(), policy: None, value: Some(value) }
    }

    /// The same network for a board of another size. Only where no dense layer looks at the board.
    pub fn resized(&self, ranks: usize, files: usize) -> Result<Self, NetError> {
        let resized = Self { input: Shape { ranks, files, ..self.input }, ..self.clone() };
        if (ranks, files) != (self.input.ranks, self.input.files)
            && let Some(place) = self.board_bound()?
        {
            return Err(NetError::architecture(format!(
                "this network is for boards of {}x{} only, not for {ranks}x{files}: the dense layer {place} looks at the board",
                self.input.ranks, self.input.files
            )));
        }
        resized.check()?;
        Ok(resized)
    }

    /// Refuses what makes no network, with the reason.
    pub fn check(&self) -> Result<(), NetError> {
        self.walk(&mut |_, _, _| ())
    }

    /// The number of index numbers of moves; 0 without a policy.
    pub fn moves(&self) -> usize {
        match self.policy.as_ref().and_then(|layers| layers.last()) {
            Some(Layer::Conv1(planes)) => planes.saturating_mul(self.input.squares()),
            Some(Layer::Dense(outputs)) => *outputs,
            _ => 0,
        }
    }

    /// Does its value go from 0 (lost) to 1 (won) instead of from -1?
    pub fn speaks_from_zero(&self) -> bool {
        matches!(self.value.as_ref().and_then(|layers| layers.last()), Some(Layer::Sigmoid(_)))
    }

    /// The first dense layer that sees more than one square.
    fn board_bound(&self) -> Result<Option<String>, NetError> {
        let mut found = None;
        self.walk(&mut |place, layer, volume| {
            if matches!(layer, Layer::Dense(_)) && volume.shape.squares() > 1 && found.is_none() {
                found = Some(place.to_owned());
            }
        })?;
        Ok(found)
    }

    /// Shows every layer with its place and the shape of what goes into it, and checks everything on the way.
    fn walk(&self, see: &mut dyn FnMut(&str, &Layer, Volume)) -> Result<(), NetError> {
        self.input.checked("the input")?;
        if self.policy.is_none() && self.value.is_none() {
            return Err(NetError::architecture("it has neither a policy nor a value head"));
        }
        let mut walk = Walk { see, layers: 0 };
        let trunk = walk.layers("trunk", &self.trunk, Volume::flat(self.input), 0)?;
        if let Some(layers) = &self.policy {
            let end = walk.layers("policy", layers, trunk, 0)?.shape;
            match layers.last() {
                Some(Layer::Dense(_)) => (),
                Some(Layer::Conv1(_)) if (end.ranks, end.files) == (self.input.ranks, self.input.files) => (),
                _ => {
                    let expected = "expected a dense layer, or a 1x1 convolution on the whole board";
                    return Err(NetError::architecture(format!("the policy head does not end in logits; {expected}")));
                }
            }
        }
        if let Some(layers) = &self.value {
            let end = walk.layers("value", layers, trunk, 0)?.shape;
            if end.numbers() != 1 || !matches!(layers.last(), Some(Layer::Tanh | Layer::Sigmoid(_))) {
                let found = format!("{} planes of {}x{}", end.planes, end.ranks, end.files);
                let expected = "expected one number by tanh or sigmoid";
                return Err(NetError::architecture(format!("the value head ends in {found}; {expected}")));
            }
        }
        Ok(())
    }
}

/// What is between two layers: planes on a board, or channels on several boards, one above the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Volume {
    /// Channels as planes, and the ranks of all boards.
    pub shape: Shape,
    /// The number of boards; nothing where planes are not levels.
    pub levels: Option<usize>,
}

impl Volume {
    pub fn flat(shape: Shape) -> Self {
        Self { shape, levels: None }
    }

    /// What a three-dimensional convolution sees: planes become the levels of one channel.
    pub fn raised(self) -> Self {
        if self.levels.is_some() {
            return self;
        }
        let Shape { planes, ranks, files } = self.shape;
        Self { shape: Shape { planes: 1, ranks: planes * ranks, files }, levels: Some(planes) }
    }

    /// The same boards with other channels.
    pub fn with_channels(self, planes: usize) -> Self {
        Self { shape: Shape { planes, ..self.shape }, ..self }
    }
}

impl std::fmt::Display for Volume {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Shape { planes, ranks, files } = self.shape;
        match self.levels {
            None => write!(f, "{planes} planes of {ranks}x{files}"),
            Some(levels) => write!(f, "{planes} channels of {levels}x{}x{files}", ranks / levels),
        }
    }
}

struct Walk<'a> {
    see: &'a mut dyn FnMut(&str, &Layer, Volume),
    layers: usize,
}

impl Walk<'_> {
    fn layers(&mut self, path: &str, layers: &[Layer], mut volume: Volume, depth: usize) -> Result<Volume, NetError> {
        if depth > DEEPEST {
            return Err(NetError::architecture(format!("{path}: layers inside layers, more than {DEEPEST} deep")));
        }
        for (index, layer) in layers.iter().enumerate() {
            self.layers += 1;
            if self.layers > MOST_LAYERS {
                return Err(NetError::architecture(format!("it has more than {MOST_LAYERS} layers")));
            }
            let place = format!("{path}.{index}");
            (self.see)(&place, layer, volume);
            let shape = volume.shape;
            volume = match layer {
                Layer::Conv3(_) | Layer::Conv1(_) if volume.levels.is_some() => {
                    return Err(NetError::architecture(format!(
                        "{place}: a flat convolution of {volume}; expected conv3d, or a dense layer or a pool before it"
                    )));
                }
                Layer::Conv3(planes) => weighted(&place, 9 * shape.planes, volume.with_channels(*planes))?,
                Layer::Conv1(planes) => weighted(&place, shape.planes, volume.with_channels(*planes))?,
                Layer::Conv3d(channels) => {
                    let raised = volume.raised();
                    weighted(&place, 27 * raised.shape.planes, raised.with_channels(*channels))?
                }
                Layer::Dense(outputs) => weighted(&place, shape.numbers(), Volume::flat(Shape::flat(*outputs)))?,
                Layer::Relu | Layer::Tanh => volume,
                Layer::Sigmoid(steepness) if steepness.is_finite() && *steepness > 0.0 => volume,
                Layer::Sigmoid(steepness) => {
                    return Err(NetError::architecture(format!("{place}: a sigmoid of steepness {steepness}; expected above 0")));
                }
                Layer::Pool => Volume::flat(Shape::flat(2 * shape.planes).checked(&place)?),
                Layer::Residual(inner) => {
                    let end = self.layers(&place, inner, volume, depth + 1)?;
                    let fits = end == volume || end == Volume::flat(Shape::flat(shape.planes));
                    if inner.is_empty() || !fits {
                        return Err(NetError::architecture(format!(
                            "{place}: x + f(x) with x of {volume} and f(x) of {end}; expected a step in f, the same planes, and the \
                             same board or one square"
                        )));
                    }
                    volume
                }
            };
        }
        Ok(volume)
    }
}

/// The shape behind a layer with weights, if it is not too large.
fn weighted(place: &str, inputs: usize, volume: Volume) -> Result<Volume, NetError> {
    let shape = volume.shape.checked(place)?;
    match inputs.checked_mul(shape.planes) {
        Some(..=MOST_NUMBERS) => Ok(volume),
        _ => Err(NetError::architecture(format!(
            "{place}: {inputs} inputs for each of {} outputs; expected at most {MOST_NUMBERS} weights",
            shape.planes
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: Shape = Shape { planes: 12, ranks: 8, files: 8 };

    fn refused(json: &str) -> String {
        let architecture: Architecture = serde_json::from_str(json).unwrap();
        architecture.check().unwrap_err().to_string()
    }

    #[test]
    fn descriptions_round_trip_and_read_well() {
        let size = Size { channels: 8, blocks: 1 };
        let architecture = Architecture::policy_value(BOARD, 4, size);
        let json = serde_json::to_string(&architecture).unwrap();
        assert_eq!(
            json,
            r#"{"input":{"planes":12,"ranks":8,"files":8},"trunk":[{"conv3":8},"relu",{"residual":[{"conv3":8},"relu",{"conv3":8}]},"relu"],"policy":[{"conv1":8},"relu",{"conv1":4}],"value":[{"conv1":8},"relu","pool",{"dense":16},"relu",{"dense":1},"tanh"]}"#
        );
        assert_eq!(serde_json::from_str::<Architecture>(&json).unwrap(), architecture);
        assert_eq!(architecture.moves(), 256);
    }

    #[test]
    fn the_known_networks_are_networks() {
        for size in [Size::SMALL, Size::MEDIUM] {
            Architecture::policy_value(BOARD, 4, size).check().unwrap();
        }
        Architecture::crosphere_thesis(Shape { planes: 11, ..BOARD }).check().unwrap();
        Architecture::clobber_thesis(65, 20, 2.0).check().unwrap();
    }

    #[test]
    fn a_network_changes_its_board_only_where_no_dense_layer_looks_at_it() {
        let architecture = Architecture::policy_value(BOARD, 4, Size::SMALL);
        assert_eq!(architecture.resized(10, 9).unwrap().input, Shape { planes: 12, ranks: 10, files: 9 });
        let thesis = Architecture::crosphere_thesis(Shape { planes: 11, ..BOARD });
        assert!(thesis.resized(8, 8).is_ok());
        assert_eq!(
            thesis.resized(10, 10).unwrap_err().to_string(),
            "not a network: this network is for boards of 8x8 only, not for 10x10: the dense layer value.4 looks at the board"
        );
    }

    #[test]
    fn what_makes_no_network_is_refused_with_the_reason() {
        let input = r#""input": {"planes": 2, "ranks": 3, "files": 3}"#;
        let said = refused(&format!("{{{input}}}"));
        assert!(said.ends_with("it has neither a policy nor a value head"), "{said}");
        let said = refused(&format!(r#"{{{input}, "value": ["tanh"]}}"#));
        assert!(said.ends_with("the value head ends in 2 planes of 3x3; expected one number by tanh or sigmoid"), "{said}");
        let said = refused(&format!(r#"{{{input}, "value": [{{"dense": 1}}]}}"#));
        assert!(said.contains("expected one number by tanh"), "{said}");
        let said = refused(&format!(r#"{{{input}, "policy": [{{"conv3": 4}}]}}"#));
        assert!(said.contains("the policy head does not end in logits"), "{said}");
        let said = refused(&format!(r#"{{{input}, "policy": ["pool", {{"conv1": 4}}]}}"#));
        assert!(said.contains("the policy head does not end in logits"), "{said}");
        let said = refused(&format!(r#"{{{input}, "trunk": [{{"residual": [{{"conv3": 4}}]}}], "policy": [{{"conv1": 4}}]}}"#));
        assert!(said.contains("trunk.0: x + f(x) with x of 2 planes of 3x3 and f(x) of 4 planes of 3x3"), "{said}");
        let said = refused(&format!(r#"{{{input}, "trunk": [{{"residual": []}}], "policy": [{{"conv1": 4}}]}}"#));
        assert!(said.contains("expected a step in f"), "{said}");
        let said = refused(&format!(r#"{{{input}, "policy": [{{"dense": 18446744073709551615}}]}}"#));
        assert!(said.contains("policy.0 has 18446744073709551615 planes"), "{said}");
        let said = refused(&format!(r#"{{{input}, "policy": [{{"dense": 60000000}}]}}"#));
        assert!(said.contains("policy.0: 18 inputs for each of 60000000 outputs"), "{said}");
        let said = refused(&format!(r#"{{{input}, "value": [{{"dense": 1}}, {{"sigmoid": 0.0}}]}}"#));
        assert!(said.contains("steepness 0; expected above 0"), "{said}");
        let said = refused(r#"{"input": {"planes": 2, "ranks": 0, "files": 3}, "value": ["tanh"]}"#);
        assert!(said.contains("the input has 2 planes of 0x3"), "{said}");
        let deep = format!("{}{}{}", r#"{"residual":["#.repeat(20), r#""relu""#, "]}".repeat(20));
        let said = refused(&format!(r#"{{{input}, "trunk": [{deep}], "policy": [{{"conv1": 4}}]}}"#));
        assert!(said.contains("more than 8 deep"), "{said}");
        let many = vec![r#""relu""#; 1001].join(",");
        let said = refused(&format!(r#"{{{input}, "trunk": [{many}], "policy": [{{"conv1": 4}}]}}"#));
        assert!(said.contains("more than 1000 layers"), "{said}");
    }
}
