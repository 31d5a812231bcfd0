//! Networks for other programs: ONNX, as onnxruntime and many others read it.
//!
//! The input is called `planes` (positions, planes, ranks, files), the outputs `policy` (positions, logits of all moves) and `value`
//! (positions, 1). The format is a handful of protocol buffers, written here field by field (onnx.proto, opset 17).

use crate::{Layer, NetError, Network, Tensor};

/// The network as the bytes of an ONNX file.
pub fn export(network: &Network) -> Result<Vec<u8>, NetError> {
    let architecture = network.architecture();
    let mut graph = Graph { tensors: network.tensors(), message: Message::default(), values: 0 };
    let input = architecture.input;
    let trunk = graph.layers("trunk", &architecture.trunk, Name { text: "planes".to_owned(), rank: Rank::Board })?;
    let mut outputs = Vec::new();
    for (name, head, numbers) in [("policy", &architecture.policy, architecture.moves()), ("value", &architecture.value, 1)] {
        if let Some(layers) = head {
            let end = graph.layers(name, layers, trunk.clone())?;
            graph.node_to("Flatten", &[&end.text], name, &[Attribute::Number("axis", 1)]);
            outputs.push((name, numbers));
        }
    }
    let mut message = graph.message;
    message.text(2, "plyground");
    message.message(11, &value_info("planes", &[input.planes, input.ranks, input.files]));
    for (name, numbers) in outputs {
        message.message(12, &value_info(name, &[numbers]));
    }
    let mut opset = Message::default();
    opset.text(1, "");
    opset.number(2, 17);
    let mut model = Message::default();
    model.number(1, 8);
    model.text(2, "plyground");
    model.message(7, &message);
    model.message(8, &opset);
    Ok(model.0)
}

/// Something computed: its name and its dimensions.
#[derive(Clone)]
struct Name {
    text: String,
    rank: Rank,
}

/// The dimensions of something computed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rank {
    /// (positions, numbers)
    Flat,
    /// (positions, planes, ranks, files)
    Board,
    /// (positions, channels, levels, ranks, files)
    Volume,
}

struct Graph {
    tensors: Vec<Tensor>,
    message: Message,
    values: usize,
}

enum Attribute {
    Number(&'static str, u64),
    Numbers(&'static str, Vec<u64>),
}

impl Graph {
    fn layers(&mut self, path: &str, layers: &[Layer], mut x: Name) -> Result<Name, NetError> {
        for (index, layer) in layers.iter().enumerate() {
            let place = format!("{path}.{index}");
            x = match layer {
                Layer::Conv3(_) => self.convolution(&place, x, Rank::Board, 3)?,
                Layer::Conv1(_) => self.convolution(&place, x, Rank::Board, 1)?,
                Layer::Conv3d(_) => self.convolution(&place, x, Rank::Volume, 3)?,
                Layer::Dense(_) => {
                    let x = self.with_rank(x, Rank::Flat);
                    let [weight, bias] = self.weights(&place)?;
                    self.node("Gemm", &[&x.text, &weight, &bias], Rank::Flat, &[Attribute::Number("transB", 1)])
                }
                Layer::Relu => self.node("Relu", &[&x.text], x.rank, &[]),
                Layer::Tanh => self.node("Tanh", &[&x.text], x.rank, &[]),
                Layer::Sigmoid(steepness) => {
                    let factor = format!("{place}.steepness");
                    self.initializer(&factor, &[], 1, &steepness.to_le_bytes());
                    let steep = self.node("Mul", &[&x.text, &factor], x.rank, &[]);
                    self.node("Sigmoid", &[&steep.text], x.rank, &[])
                }
                Layer::Pool => {
                    let x = if x.rank == Rank::Flat { self.with_rank(x, Rank::Board) } else { x };
                    let mean = self.node("GlobalAveragePool", &[&x.text], x.rank, &[]);
                    let most = self.node("GlobalMaxPool", &[&x.text], x.rank, &[]);
                    let pooled = self.node("Concat", &[&mean.text, &most.text], x.rank, &[Attribute::Number("axis", 1)]);
                    if x.rank == Rank::Volume { self.with_rank(pooled, Rank::Flat) } else { pooled }
                }
                Layer::Residual(inner) => {
                    let branch = self.layers(&place, inner, x.clone())?;
                    let branch = self.with_rank(branch, x.rank);
                    self.node("Add", &[&x.text, &branch.text], x.rank, &[])
                }
            };
        }
        Ok(x)
    }

    fn convolution(&mut self, place: &str, x: Name, rank: Rank, side: u64) -> Result<Name, NetError> {
        // A list of numbers is a board of one square, and its planes are levels.
        let x = if x.rank == Rank::Flat { self.with_rank(x, Rank::Board) } else { x };
        let x = self.with_rank(x, rank);
        let [weight, bias] = self.weights(place)?;
        let sides = if rank == Rank::Volume { 3 } else { 2 };
        let attributes =
            [Attribute::Numbers("kernel_shape", vec![side; sides]), Attribute::Numbers("pads", vec![side / 2; 2 * sides])];
        Ok(self.node("Conv", &[&x.text, &weight, &bias], rank, &attributes))
    }

    /// The same numbers with the rank that the next node wants.
    fn with_rank(&mut self, x: Name, rank: Rank) -> Name {
        let axes: &[i64] = match (x.rank, rank) {
            (found, wanted) if found == wanted => return x,
            (_, Rank::Flat) => return self.node("Flatten", &[&x.text], rank, &[Attribute::Number("axis", 1)]),
            // Planes are the levels of one channel.
            (Rank::Board, Rank::Volume) => &[1],
            (_, Rank::Board) => &[2, 3],
            (_, Rank::Volume) => &[2, 3, 4],
        };
        let name = format!("{}.axes", x.text);
        let bytes: Vec<u8> = axes.iter().flat_map(|axis| axis.to_le_bytes()).collect();
        self.initializer(&name, &[axes.len()], 7, &bytes);
        self.node("Unsqueeze", &[&x.text, &name], rank, &[])
    }

    /// Writes the weights and the bias of a layer, and gives their names.
    fn weights(&mut self, place: &str) -> Result<[String; 2], NetError> {
        let names = [format!("{place}.weight"), format!("{place}.bias")];
        for name in &names {
            let tensor = self.tensors.iter().find(|tensor| &tensor.name == name).cloned();
            let tensor = tensor.ok_or_else(|| NetError::weights(format!("it has no {name}")))?;
            let bytes: Vec<u8> = tensor.values.iter().flat_map(|number| number.to_le_bytes()).collect();
            self.initializer(name, &tensor.shape, 1, &bytes);
        }
        Ok(names)
    }

    /// A constant; kind 1 is f32, kind 7 is i64.
    fn initializer(&mut self, name: &str, shape: &[usize], kind: u64, bytes: &[u8]) {
        let mut tensor = Message::default();
        for &dimension in shape {
            tensor.number(1, dimension as u64);
        }
        tensor.number(2, kind);
        tensor.text(8, name);
        tensor.bytes(9, bytes);
        self.message.message(5, &tensor);
    }

    fn node(&mut self, operator: &str, inputs: &[&str], rank: Rank, attributes: &[Attribute]) -> Name {
        self.values += 1;
        let text = format!("value-{}", self.values);
        self.node_to(operator, inputs, &text, attributes);
        Name { text, rank }
    }

    fn node_to(&mut self, operator: &str, inputs: &[&str], output: &str, attributes: &[Attribute]) {
        let mut node = Message::default();
        for input in inputs {
            node.text(1, input);
        }
        node.text(2, output);
        node.text(4, operator);
        for attribute in attributes {
            let mut message = Message::default();
            match attribute {
                Attribute::Number(name, number) => {
                    message.text(1, name);
                    message.number(3, *number);
                    message.number(20, 2);
                }
                Attribute::Numbers(name, numbers) => {
                    message.text(1, name);
                    for &number in numbers {
                        message.number(8, number);
                    }
                    message.number(20, 7);
                }
            }
            node.message(5, &message);
        }
        self.message.message(1, &node);
    }
}

/// Name and shape of an input or output; the first dimension is the number of positions.
fn value_info(name: &str, shape: &[usize]) -> Message {
    let mut positions = Message::default();
    positions.text(2, "positions");
    let mut dimensions = Message::default();
    dimensions.message(1, &positions);
    for &dimension in shape {
        let mut message = Message::default();
        message.number(1, dimension as u64);
        dimensions.message(1, &message);
    }
    let mut tensor = Message::default();
    tensor.number(1, 1);
    tensor.message(2, &dimensions);
    let mut kind = Message::default();
    kind.message(1, &tensor);
    let mut info = Message::default();
    info.text(1, name);
    info.message(2, &kind);
    info
}

/// A protocol buffer.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn number(&mut self, field: u64, number: u64) {
        self.varint(field << 3);
        self.varint(number);
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn text(&mut self, field: u64, text: &str) {
        self.bytes(field, text.as_bytes());
    }

    fn message(&mut self, field: u64, message: &Self) {
        self.bytes(field, &message.0);
    }
}
