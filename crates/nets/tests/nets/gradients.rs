//! The gradient against differences of the oracle's losses, for every layer.

use plyground_core::{Rng, Seed};
use plyground_nets::{Architecture, Batch, Isa, Learning, Rule, Trainer};

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
    probabilities.iter_mut().for_each(|probability| *probability /= sum);
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

/// The means of cross-entropy and squared error.
fn losses(architecture: &Architecture, weights: &Weights, samples: &[Sample]) -> [f64; 2] {
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
            sums[1] += (value - f64::from(target)).powi(2);
            counts[1] += 1.0;
        }
    }
    [sums[0] / counts[0].max(1.0), sums[1] / counts[1].max(1.0)]
}

#[test]
fn the_gradient_of_every_layer_is_that_of_the_oracle() {
    const STEP: f64 = 1e-6;
    for (name, architecture) in oracle::zoo() {
        for isa in [Isa::PORTABLE, Isa::best()] {
            let samples = samples(&architecture, 8, 1);
            let network = oracle::random_network(&architecture, 2);
            let mut weights = oracle::weights(&network);
            let learning = Learning { policy_weight: 0.7, value_weight: 1.3, longest_gradient: None, ..Learning::default() };
            let mut trainer = Trainer::with_isa(network, learning, 2, isa);
            let found = trainer.step(&batch(&architecture, &samples)).unwrap();
            let expected = losses(&architecture, &weights, &samples);
            assert!((found.policy - expected[0]).abs() < 1e-5 && (found.value - expected[1]).abs() < 1e-5, "{name}: {found:?}");
            let mut rng = Seed(3).rng();
            for tensor in trainer.gradient() {
                let largest = tensor.values.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
                assert!(largest > 0.0, "{name}: {} learns nothing", tensor.name);
                for _ in 0..4 {
                    let index = rng.below(tensor.values.len() as u32) as usize;
                    let mut total = |shift: f64| {
                        let numbers = weights.get_mut(&tensor.name).unwrap();
                        let before = numbers[index];
                        numbers[index] += shift;
                        let [policy, value] = losses(&architecture, &weights, &samples);
                        weights.get_mut(&tensor.name).unwrap()[index] = before;
                        0.7 * policy + 1.3 * value
                    };
                    let slope = (total(STEP) - total(-STEP)) / (2.0 * STEP);
                    let error = (f64::from(tensor.values[index]) - slope).abs();
                    let allowed = 1e-4 * f64::from(largest) + 1e-7;
                    assert!(
                        error < allowed,
                        "{name}, {}: number {index} of {} is {}, not {slope}",
                        isa.name(),
                        tensor.name,
                        tensor.values[index]
                    );
                }
            }
        }
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
