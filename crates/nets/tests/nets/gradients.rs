//! The gradient against differences of the oracle's losses, for every layer.

use plyground_core::{Rng, Seed};
use plyground_nets::{Architecture, Batch, Isa, Learning, Rule, Trainer, ValueLoss};

use crate::oracle::{self, Weights};

/// A position and its targets.
pub struct Sample {
    pub planes: Vec<f32>,
    pub moves: Vec<usize>,
    pub probabilities: Vec<f32>,
    pub value: Option<f32>,
}

pub fn samples(architecture: &Architecture, count: usize, seed: u64) -> Vec<Sample> {
    let mut rng = Seed(seed).named("samples").rng();
    (0..count).map(|number| sample(architecture, number, &mut rng)).collect()
}

fn sample(architecture: &Architecture, number: usize, rng: &mut Rng) -> Sample {
    // Every fifth position teaches the policy nothing, every seventh the value.
    let mut moves: Vec<usize> = (0..architecture.moves()).filter(|_| rng.below(2) == 0).collect();
    if number % 5 == 4 {
        moves.clear();
    }
    let mut probabilities: Vec<f32> = moves.iter().map(|_| rng.unit() as f32).collect();
    let sum: f32 = probabilities.iter().sum();
    for probability in &mut probabilities {
        *probability /= sum;
    }
    let value = (architecture.value.is_some() && number % 7 != 6).then(|| rng.unit() as f32);
    Sample { planes: oracle::random(rng, architecture.input.numbers()), moves, probabilities, value }
}

pub fn batch(architecture: &Architecture, samples: &[Sample]) -> Batch {
    let mut batch = Batch::new(architecture);
    for sample in samples {
        batch.push(&sample.planes, &sample.moves, &sample.probabilities, sample.value).unwrap();
    }
    batch
}

/// The means of the cross-entropy of the policy and of the loss of the value.
fn losses(architecture: &Architecture, weights: &Weights, samples: &[Sample], loss: ValueLoss) -> [f64; 2] {
    let (mut sums, mut counts) = ([0.0; 2], [0.0_f64; 2]);
    for sample in samples {
        let (logits, value) = oracle::evaluate(architecture, weights, &sample.planes);
        if !sample.moves.is_empty() {
            let sum: f64 = sample.moves.iter().map(|&mv| logits[mv].exp()).sum();
            let targets = sample.moves.iter().zip(&sample.probabilities);
            sums[0] += targets.map(|(&mv, &target)| f64::from(target) * (sum.ln() - logits[mv])).sum::<f64>();
            counts[0] += 1.0;
        }
        if let Some(target) = sample.value {
            let target = f64::from(target);
            let [p, t] = [value, target].map(|x| if architecture.speaks_from_zero() { x } else { 0.5 + 0.5 * x });
            sums[1] += match loss {
                ValueLoss::Squared => (value - target).powi(2),
                ValueLoss::Absolute => (value - target).abs(),
                ValueLoss::CrossEntropy => -(t * p.ln() + (1.0 - t) * (1.0 - p).ln()),
            };
            counts[1] += 1.0;
        }
    }
    [sums[0] / counts[0].max(1.0), sums[1] / counts[1].max(1.0)]
}

/// The slopes of the loss at a few numbers of every tensor, by differences of the oracle: name, index, slope.
fn slopes(architecture: &Architecture, weights: &Weights, samples: &[Sample], loss: ValueLoss) -> Vec<(String, usize, f64)> {
    const STEP: f64 = 1e-6;
    let mut rng = Seed(3).rng();
    let mut names: Vec<&String> = weights.keys().collect();
    names.sort();
    let mut slopes = Vec::new();
    for name in names {
        for _ in 0..4 {
            let index = rng.below(weights[name].len() as u32) as usize;
            let total = |shift: f64| {
                let mut weights = weights.clone();
                weights.get_mut(name).unwrap()[index] += shift;
                let [policy, value] = losses(architecture, &weights, samples, loss);
                0.7 * policy + 1.3 * value
            };
            slopes.push((name.clone(), index, (total(STEP) - total(-STEP)) / (2.0 * STEP)));
        }
    }
    slopes
}

#[test]
fn the_gradient_of_every_layer_is_that_of_the_oracle() {
    for (name, architecture) in oracle::zoo() {
        gradient_is_that_of_the_oracle(name, &architecture, ValueLoss::Squared);
    }
}

#[test]
fn the_gradient_of_every_loss_is_that_of_the_oracle() {
    for (name, architecture) in oracle::zoo().into_iter().filter(|(_, architecture)| architecture.value.is_some()).take(5) {
        for loss in [ValueLoss::Absolute, ValueLoss::CrossEntropy] {
            gradient_is_that_of_the_oracle(name, &architecture, loss);
        }
    }
}

fn gradient_is_that_of_the_oracle(name: &str, architecture: &Architecture, loss: ValueLoss) {
    let samples = samples(architecture, 7, 1);
    let network = oracle::random_network(architecture, 2);
    let weights = oracle::weights(&network);
    let expected = losses(architecture, &weights, &samples, loss);
    let slopes = slopes(architecture, &weights, &samples, loss);
    let learning =
        Learning { policy_weight: 0.7, value_weight: 1.3, value_loss: loss, longest_gradient: None, ..Learning::default() };
    for isa in Isa::all() {
        let mut trainer = Trainer::with_isa(network.clone(), learning, 2, isa);
        let found = trainer.step(&batch(architecture, &samples)).unwrap();
        assert!((found.policy - expected[0]).abs() < 1e-5 && (found.value - expected[1]).abs() < 1e-5, "{name}: {found:?}");
        let gradient = trainer.gradient();
        for (tensor, index, slope) in &slopes {
            let values = &gradient.iter().find(|found| &found.name == tensor).unwrap().values;
            let largest = values.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
            assert!(largest > 0.0, "{name}: {tensor} learns nothing");
            let error = (f64::from(values[*index]) - slope).abs();
            let found = values[*index];
            let allowed = 1e-4 * f64::from(largest) + 1e-7;
            assert!(error < allowed, "{name}, {}: number {index} of {tensor} is {found}, not {slope}", isa.name());
        }
    }
}

#[test]
fn wide_vectors_give_the_same_numbers_as_narrow_ones() {
    // All that fuse multiplication and addition add in the same order.
    let fused = &Isa::all()[1..];
    for (name, architecture) in oracle::zoo() {
        let batch = batch(&architecture, &samples(&architecture, 21, 1));
        let learnt = |&isa: &Isa| {
            let mut trainer = Trainer::with_isa(oracle::random_network(&architecture, 2), Learning::default(), 1, isa);
            let losses = [trainer.step(&batch).unwrap(), trainer.step(&batch).unwrap()];
            (losses, trainer.network().tensors())
        };
        let found: Vec<_> = fused.iter().map(learnt).collect();
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{name}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let (_, architecture) = oracle::zoo().swap_remove(0);
    let learnt = |threads: usize| {
        let mut trainer = Trainer::new(oracle::random_network(&architecture, 4), Learning::default(), threads);
        for step in 0..3 {
            trainer.step(&batch(&architecture, &samples(&architecture, 37, step))).unwrap();
        }
        trainer.network().tensors()
    };
    let alone = learnt(1);
    for threads in [2, 3, 100] {
        assert!(learnt(threads) == alone, "{threads} threads");
    }
}

#[test]
fn a_long_gradient_is_shortened_and_plain_descent_goes_down_it() {
    let (_, architecture) = oracle::zoo().swap_remove(3);
    let network = oracle::random_network(&architecture, 5);
    let before = network.tensors();
    let batch = batch(&architecture, &samples(&architecture, 9, 6));
    let learning = Learning { rate: 0.5, rule: Rule::Descent, longest_gradient: Some(1e-3), ..Learning::default() };
    let mut trainer = Trainer::new(network, learning, 1);
    let losses = trainer.step(&batch).unwrap();
    assert!(losses.gradient > 1e-3);
    let moved =
        trainer.network().tensors().iter().zip(&before).zip(trainer.gradient()).fold(0.0, |sum, ((after, before), slope)| {
            let numbers = after.values.iter().zip(&before.values).zip(slope.values);
            numbers.fold(sum, |sum, ((after, before), slope)| {
                let expected = -0.5e-3 * slope / losses.gradient as f32;
                assert!((after - before - expected).abs() < 1e-6);
                sum + f64::from(after - before).powi(2)
            })
        });
    assert!((moved.sqrt() - 0.5e-3).abs() < 1e-5, "{moved}");
    let measured = trainer.measure(&batch).unwrap();
    assert!(measured.value < losses.value, "{measured:?} after {losses:?}");
}

/// The steps of each rule, told number by number from the gradients that it was given.
#[test]
fn every_rule_takes_the_steps_of_its_paper() {
    let (_, architecture) = oracle::zoo().swap_remove(3);
    let rules = [Rule::Descent, Rule::Momentum { beta: 0.9 }, Rule::RmsProp { beta: 0.9, epsilon: 1e-7 }];
    for rule in rules {
        let network = oracle::random_network(&architecture, 5);
        let mut expected: Vec<Vec<f64>> = network.tensors().iter().map(|tensor| doubles(&tensor.values)).collect();
        let mut memory: Vec<Vec<f64>> = expected.iter().map(|values| vec![0.0; values.len()]).collect();
        let learning = Learning { rate: 0.01, rule, longest_gradient: None, ..Learning::default() };
        let mut trainer = Trainer::new(network, learning, 1);
        for step in 0..3 {
            trainer.step(&batch(&architecture, &samples(&architecture, 9, step))).unwrap();
            for ((expected, memory), slopes) in expected.iter_mut().zip(&mut memory).zip(trainer.gradient()) {
                for ((number, memory), slope) in expected.iter_mut().zip(memory).zip(doubles(&slopes.values)) {
                    *number -= 0.01
                        * match rule {
                            Rule::Momentum { beta } => {
                                *memory = f64::from(beta) * *memory + slope;
                                *memory
                            }
                            Rule::RmsProp { beta, epsilon } => {
                                *memory = f64::from(beta) * *memory + (1.0 - f64::from(beta)) * slope * slope;
                                slope / (memory.sqrt() + f64::from(epsilon))
                            }
                            _ => slope,
                        };
                }
            }
        }
        for (found, expected) in trainer.network().tensors().iter().zip(&expected) {
            let off = found
                .values
                .iter()
                .zip(expected)
                .fold(0.0_f64, |most, (&found, wanted)| most.max((f64::from(found) - wanted).abs()));
            assert!(off < 1e-5, "{rule:?}: {} is {off} off", found.name);
        }
    }
}

fn doubles(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&value| f64::from(value)).collect()
}

#[test]
fn steps_that_lead_nowhere_are_not_taken() {
    let (_, architecture) = oracle::zoo().swap_remove(0);
    let learning = Learning { rate: 1e30, ..Learning::default() };
    let mut trainer = Trainer::new(oracle::random_network(&architecture, 7), learning, 1);
    let batch = batch(&architecture, &samples(&architecture, 9, 8));
    let error = (0..10).find_map(|_| trainer.step(&batch).err()).expect("a rate of 1e30 leads nowhere");
    assert!(error.to_string().ends_with("the rate of learning is too high"), "{error}");
    assert!(trainer.network().tensors().iter().all(|tensor| tensor.values.iter().all(|number| number.is_finite())));
}

#[test]
fn targets_that_do_not_fit_are_refused() {
    let (_, architecture) = oracle::zoo().swap_remove(6);
    let mut batch = Batch::new(&architecture);
    let planes = [0.0; 18];
    let mut said = |planes: &[f32], moves: &[usize], probabilities: &[f32], value| {
        batch.push(planes, moves, probabilities, value).unwrap_err().to_string()
    };
    let text = said(&planes[1..], &[], &[], None);
    assert!(text.ends_with("17 numbers for a position; the network wants 18"), "{text}");
    let text = said(&[f32::NAN; 18], &[], &[], None);
    assert!(text.ends_with("NaN among the numbers of a position"), "{text}");
    let text = said(&planes, &[9], &[1.0], None);
    assert!(text.ends_with("a move with index 9; the network knows 9 moves"), "{text}");
    let text = said(&planes, &[1, 2], &[1.0], None);
    assert!(text.ends_with("1 probabilities for 2 moves"), "{text}");
    let text = said(&planes, &[1, 2], &[0.5, 0.6], None);
    assert!(text.ends_with("probabilities of moves that add up to 1.1; expected 1, and none below 0"), "{text}");
    let text = said(&planes, &[1], &[1.0], Some(0.0));
    assert!(text.ends_with("a value, but the network has no value head"), "{text}");
    assert!(batch.is_empty());
    let mut trainer = Trainer::new(oracle::random_network(&architecture, 7), Learning::default(), 1);
    assert!(trainer.step(&batch).unwrap_err().to_string().ends_with("a batch without positions"));
    let other = Batch::new(&oracle::zoo()[0].1);
    assert!(trainer.step(&other).is_err());
}

/// A position with the weight w teaches the policy w times what it teaches otherwise, and the opposite below 0; the value does not care.
#[test]
fn weights_scale_what_the_policy_learns() {
    let learning = Learning { rate: 0.0, rule: Rule::Descent, longest_gradient: None, ..Learning::default() };
    for (name, architecture) in oracle::zoo().into_iter().filter(|(_, architecture)| architecture.policy.is_some()) {
        let taught = |policy_weight: f32, weight: f32| {
            let learning = Learning { policy_weight, ..learning };
            let mut trainer = Trainer::new(oracle::random_network(&architecture, 3), learning, 1);
            let mut batch = batch(&architecture, &samples(&architecture, 1, 6));
            batch.weigh_last(weight).unwrap();
            let losses = trainer.step(&batch).unwrap();
            (losses, trainer.gradient())
        };
        for weight in [0.0, 0.5, -2.0] {
            let ((weighted, found), (plain, wanted)) = (taught(1.0, weight), taught(weight, 1.0));
            assert!((weighted.policy - f64::from(weight) * plain.policy).abs() < 1e-5, "{name}: {weighted:?} {plain:?}");
            for (found, wanted) in found.iter().zip(&wanted) {
                for (found, wanted) in found.values.iter().zip(&wanted.values) {
                    assert!((found - wanted).abs() < 1e-5, "{name}: {found} {wanted}");
                }
            }
        }
    }
    let (_, architecture) = oracle::zoo().swap_remove(1);
    assert!(Batch::new(&architecture).weigh_last(1.0).is_err());
    assert!(batch(&architecture, &samples(&architecture, 1, 6)).weigh_last(f32::NAN).is_err());
}
