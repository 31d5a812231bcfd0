//! A multilayer perceptron with one hidden layer and one output, all logistic, that learns from one position at a time, as in the
//! Clobber thesis.
//!
//! [`plyground_nets::Trainer`] learns the same from batches of one, twenty times as slowly: it is made for networks of another size. A
//! test holds the two together.

use plyground_core::Rng;
use plyground_nets::{Architecture, Layer, NetError, Network, Shape, Tensor};

/// The network, laid out for lists of numbers most of which are 0.
#[derive(Clone, Debug)]
pub(crate) struct Perceptron {
    input: Shape,
    steepness: f32,
    /// For each input its weights to the hidden nodes.
    to_hidden: Vec<f32>,
    hidden_bias: Vec<f32>,
    to_output: Vec<f32>,
    output_bias: f32,
    /// What the hidden nodes said last.
    hidden: Vec<f32>,
    slopes: Vec<f32>,
}

const NAMES: [&str; 4] = ["value.0.weight", "value.0.bias", "value.2.weight", "value.2.bias"];

/// A smaller step changes nothing, but numbers that are smaller still are computed a hundred times as slowly.
const SMALLEST: f32 = 1e-20;

impl Perceptron {
    /// The same as a network is described.
    pub fn architecture(input: Shape, hidden: usize, steepness: f32) -> Architecture {
        let thesis = Architecture::clobber_thesis(input.numbers(), hidden, steepness);
        Architecture { input, ..thesis }
    }

    /// A network that has learnt nothing: all weights are drawn evenly from -1 to 1.
    pub fn new(input: Shape, hidden: usize, steepness: f32, rng: &mut Rng) -> Self {
        let mut draw = |count: usize| (0..count).map(|_| (2.0 * rng.unit() - 1.0) as f32).collect::<Vec<f32>>();
        Self {
            input,
            steepness,
            to_hidden: draw(input.numbers() * hidden),
            hidden_bias: draw(hidden),
            to_output: draw(hidden),
            output_bias: draw(1)[0],
            hidden: vec![0.0; hidden],
            slopes: vec![0.0; hidden],
        }
    }

    /// The perceptron in a network of this architecture; `None` for any other.
    pub fn from_network(network: &Network) -> Option<Self> {
        let architecture = network.architecture();
        let Some([Layer::Dense(hidden), Layer::Sigmoid(steepness), ..]) = architecture.value.as_deref() else { return None };
        let (input, hidden, steepness) = (architecture.input, *hidden, *steepness);
        if *architecture != Self::architecture(input, hidden, steepness) {
            return None;
        }
        let tensors = network.tensors();
        let [first, hidden_bias, second, output_bias] =
            NAMES.map(|name| tensors.iter().find(|tensor| tensor.name == name).map(|tensor| tensor.values.clone()));
        let (inputs, first) = (input.numbers(), first?);
        let to_hidden = (0..inputs).flat_map(|input| (0..hidden).map(move |node| (input, node)));
        Some(Self {
            input,
            steepness,
            to_hidden: to_hidden.map(|(input, node)| first[node * inputs + input]).collect(),
            hidden_bias: hidden_bias?,
            to_output: second?,
            output_bias: output_bias?[0],
            hidden: vec![0.0; hidden],
            slopes: vec![0.0; hidden],
        })
    }

    /// As others know it.
    pub fn network(&self) -> Result<Network, NetError> {
        let (inputs, hidden) = (self.input.numbers(), self.hidden.len());
        let first = (0..hidden).flat_map(|node| (0..inputs).map(move |input| input * hidden + node));
        let shapes = [vec![hidden, inputs], vec![hidden], vec![1, hidden], vec![1]];
        let values = [
            first.map(|place| self.to_hidden[place]).collect(),
            self.hidden_bias.clone(),
            self.to_output.clone(),
            vec![self.output_bias],
        ];
        let parts = NAMES.into_iter().zip(shapes).zip(values);
        let tensors: Vec<Tensor> = parts.map(|((name, shape), values)| Tensor { name: name.to_owned(), shape, values }).collect();
        Network::from_tensors(Self::architecture(self.input, hidden, self.steepness), &tensors)
    }

    /// The output for a position, from 0 to 1.
    pub fn say(&mut self, numbers: &[f32]) -> f32 {
        self.hidden.copy_from_slice(&self.hidden_bias);
        for (&number, weights) in numbers.iter().zip(self.to_hidden.chunks_exact(self.hidden.len())) {
            if number != 0.0 {
                for (sum, weight) in self.hidden.iter_mut().zip(weights) {
                    *sum += number * weight;
                }
            }
        }
        let mut sum = self.output_bias;
        for (node, weight) in self.hidden.iter_mut().zip(&self.to_output) {
            *node = logistic(self.steepness, *node);
            sum += *node * weight;
        }
        logistic(self.steepness, sum)
    }

    /// One step down the slope of half the squared error, as backpropagation is usually written (Rumelhart, Hinton and Williams,
    /// 1986).
    pub fn learn(&mut self, numbers: &[f32], target: f32, rate: f32) {
        let said = self.say(numbers);
        let step = rate * (target - said) * self.steepness * said * (1.0 - said);
        if step.abs() < SMALLEST {
            return;
        }
        for ((slope, node), weight) in self.slopes.iter_mut().zip(&self.hidden).zip(&mut self.to_output) {
            let steep = step * *weight * self.steepness * node * (1.0 - node);
            *slope = if steep.abs() < SMALLEST { 0.0 } else { steep };
            *weight += step * node;
        }
        self.output_bias += step;
        for (bias, slope) in self.hidden_bias.iter_mut().zip(&self.slopes) {
            *bias += slope;
        }
        for (&number, weights) in numbers.iter().zip(self.to_hidden.chunks_exact_mut(self.hidden.len())) {
            if number != 0.0 {
                for (weight, slope) in weights.iter_mut().zip(&self.slopes) {
                    *weight += number * slope;
                }
            }
        }
    }
}

fn logistic(steepness: f32, x: f32) -> f32 {
    1.0 / (1.0 + (-steepness * x).exp())
}

#[cfg(test)]
mod tests {
    use plyground_core::Seed;
    use plyground_nets::{Batch, Learning, Rule, Trainer};

    use super::*;

    #[test]
    fn it_learns_what_the_trainer_learns() {
        let input = Shape { planes: 3, ranks: 2, files: 5 };
        let mut rng = Seed(3).rng();
        let mut fast = Perceptron::new(input, 7, 2.0, &mut rng);
        let learning = Learning {
            rate: 0.05,
            rule: Rule::Descent,
            policy_weight: 0.0,
            value_weight: 0.5,
            longest_gradient: None,
            ..Learning::default()
        };
        let mut slow = Trainer::new(fast.network().unwrap(), learning, 1);
        for step in 0..50 {
            let numbers: Vec<f32> = (0..30).map(|_| rng.below(3) as f32 - 1.0).collect();
            let (target, rate) = ([1.0, -1.0, 0.5][rng.below(3) as usize], 0.05 * 1.1_f32.powi(step % 8));
            let mut batch = Batch::new(slow.network().architecture());
            batch.push(&numbers, &[], &[], Some(target)).unwrap();
            slow.learning.rate = rate;
            slow.step(&batch).unwrap();
            fast.learn(&numbers, target, rate);
        }
        for (mine, theirs) in fast.network().unwrap().tensors().iter().zip(slow.network().tensors()) {
            for (mine, theirs) in mine.values.iter().zip(theirs.values) {
                assert!((mine - theirs).abs() < 1e-4, "{mine} {theirs}");
            }
        }
    }

    #[test]
    fn a_network_comes_back_as_it_was() {
        let input = Shape { planes: 17, ranks: 1, files: 1 };
        let mut one = Perceptron::new(input, 20, 2.0, &mut Seed(1).rng());
        let mut other = Perceptron::from_network(&one.network().unwrap()).unwrap();
        let numbers: Vec<f32> = (0..17).map(|number| (number % 3) as f32 - 1.0).collect();
        assert_eq!(one.say(&numbers), other.say(&numbers));
        assert_eq!(one.network().unwrap().tensors(), other.network().unwrap().tensors());
        let strange = Network::new(Architecture::crosphere_thesis(Shape { planes: 2, ranks: 3, files: 3 }), Seed(1)).unwrap();
        assert!(Perceptron::from_network(&strange).is_none());
    }
}
