//! The network of the agent `ffn`: one hidden layer as in the Clobber thesis, or more layers and convolutions, which it names as
//! future work.

use plyground_core::{InputError, Rng, Seed};
use plyground_nets::{Architecture, Batch, Layer, Learning, NetError, Network, Predictor, Rule, Shape, Trainer};

use super::perceptron::Perceptron;

/// The layers between the numbers of a position and the output. All are logistic, with the same steepness.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HiddenLayers {
    /// The filters of a 3x3 convolution before the others; 0 for none.
    pub filters: usize,
    /// The nodes of each dense layer.
    pub dense: Vec<usize>,
    /// The steepness of the logistic function.
    pub steepness: f32,
}

impl HiddenLayers {
    /// Reads the nodes of the layers, joined by `+`.
    pub fn nodes(text: &str) -> Result<Vec<usize>, InputError> {
        const EXPECTED: &str = "expected hidden from 1 to 1000, or those of at most 8 layers like 20+20";
        let malformed = || InputError::malformed("value", &format!("hidden={text}"), EXPECTED);
        let number = |part: &str| part.parse().ok().filter(|nodes| (1..=1_000).contains(nodes));
        let nodes: Option<Vec<usize>> = text.split('+').map(number).collect();
        nodes.filter(|nodes| nodes.len() <= 8).ok_or_else(malformed)
    }

    /// The nodes as they are read.
    pub fn words(&self) -> String {
        self.dense.iter().map(usize::to_string).collect::<Vec<_>>().join("+")
    }

    /// The network with these layers.
    pub fn architecture(&self, input: Shape) -> Architecture {
        if let (0, [hidden]) = (self.filters, &self.dense[..]) {
            return Perceptron::architecture(input, *hidden, self.steepness);
        }
        let convolution = (self.filters > 0).then_some(Layer::Conv3(self.filters));
        let layers = convolution.into_iter().chain(self.dense.iter().map(|&nodes| Layer::Dense(nodes))).chain([Layer::Dense(1)]);
        let value = layers.flat_map(|layer| [layer, Layer::Sigmoid(self.steepness)]).collect();
        Architecture { input, trunk: Vec::new(), policy: None, value: Some(value) }
    }
}

/// A network with one output, which learns from one position at a time.
pub(super) enum ValueNetwork {
    /// With one hidden layer, fast.
    OneLayer(Perceptron),
    /// With any layers.
    Deep(Box<DeepNetwork>),
}

/// A network with any layers.
pub(super) struct DeepNetwork {
    trainer: Trainer,
    /// Evaluates with the weights as they are; made anew after learning.
    predictor: Option<Predictor>,
}

impl ValueNetwork {
    /// A network that has learnt nothing. With one hidden layer all weights are drawn evenly from -1 to 1; a larger network would be
    /// saturated by those, and draws them by the size of its layers.
    pub fn new(input: Shape, layers: &HiddenLayers, seed: Seed) -> Result<Self, NetError> {
        if let (0, [hidden]) = (layers.filters, &layers.dense[..]) {
            let rng: &mut Rng = &mut seed.rng();
            return Ok(Self::OneLayer(Perceptron::new(input, *hidden, layers.steepness, rng)));
        }
        Ok(Self::deep(Network::new(layers.architecture(input), seed)?))
    }

    fn deep(network: Network) -> Self {
        let learning = Learning {
            rate: 0.0,
            rule: Rule::Descent,
            policy_weight: 0.0,
            value_weight: 0.5,
            longest_gradient: None,
            ..Learning::default()
        };
        Self::Deep(Box::new(DeepNetwork { trainer: Trainer::new(network, learning, 1), predictor: None }))
    }

    /// A network from a file.
    pub fn from_network(network: &Network) -> Self {
        Perceptron::from_network(network).map_or_else(|| Self::deep(network.clone()), Self::OneLayer)
    }

    /// As others know it.
    pub fn network(&self) -> Result<Network, NetError> {
        match self {
            Self::OneLayer(perceptron) => perceptron.network(),
            Self::Deep(deep) => Ok(deep.trainer.network().clone()),
        }
    }

    /// The output for a position, from 0 to 1.
    pub fn say(&mut self, numbers: &[f32]) -> f32 {
        match self {
            Self::OneLayer(perceptron) => perceptron.say(numbers),
            Self::Deep(deep) => {
                let DeepNetwork { trainer, predictor } = &mut **deep;
                let predictor = predictor.get_or_insert_with(|| Predictor::new(trainer.network()));
                predictor.evaluate(numbers, &[], &mut []).expect("the network was made for the encoder")
            }
        }
    }

    /// One step down the slope of half the squared error. A step that would lead out of the numbers is left out.
    pub fn learn(&mut self, numbers: &[f32], target: f32, rate: f32) {
        match self {
            Self::OneLayer(perceptron) => perceptron.learn(numbers, target, rate),
            Self::Deep(deep) => {
                deep.predictor = None;
                let mut batch = Batch::new(deep.trainer.network().architecture());
                batch.push(numbers, &[], &[], Some(target)).expect("the network was made for the encoder");
                deep.trainer.learning.rate = rate;
                let _ = deep.trainer.step(&batch);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers(filters: usize, dense: &[usize]) -> HiddenLayers {
        HiddenLayers { filters, dense: dense.to_vec(), steepness: 2.0 }
    }

    #[test]
    fn every_network_learns_one_position_by_heart() {
        let input = Shape { planes: 3, ranks: 4, files: 4 };
        let numbers: Vec<f32> = (0..48).map(|number| (number % 3) as f32 - 1.0).collect();
        for layers in [layers(0, &[5]), layers(0, &[5, 4]), layers(2, &[6])] {
            let mut network = ValueNetwork::new(input, &layers, Seed(4)).unwrap();
            let (before, target) = (network.say(&numbers), if network.say(&numbers) > 0.5 { 0.0 } else { 1.0 });
            (0..2_000).for_each(|_| network.learn(&numbers, target, 0.1));
            let after = network.say(&numbers);
            assert!((after - target).abs() < 0.2, "{layers:?}: {before}, then {after}");
            let mut copy = ValueNetwork::from_network(&network.network().unwrap());
            assert!(
                (copy.say(&numbers) - after).abs() < 1e-6
                    && *network.network().unwrap().architecture() == layers.architecture(input)
            );
        }
    }

    #[test]
    fn nodes_are_read_and_written() {
        assert_eq!(HiddenLayers::nodes("20").unwrap(), [20]);
        assert_eq!(layers(0, &HiddenLayers::nodes("20+7").unwrap()).words(), "20+7");
        for text in ["", "0", "20+", "1001", "a", "1+1+1+1+1+1+1+1+1"] {
            assert!(HiddenLayers::nodes(text).unwrap_err().to_string().contains("expected hidden from 1 to 1000"), "{text}");
        }
    }
}
