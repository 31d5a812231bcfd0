//! Inference against the oracle, for every layer, size of board and set of instructions.

use plyground_core::Seed;
use plyground_nets::{Architecture, Isa, Layer, NetError, Network, Predictor, Shape, Size, softmax};

use crate::oracle;

/// The largest difference to the oracle over all logits and the value.
fn difference(architecture: &Architecture, isa: Isa, seed: u64) -> f64 {
    let network = oracle::random_network(architecture, seed);
    let mut predictor = Predictor::with(&network, 1, isa);
    let mut rng = Seed(seed).named("positions").rng();
    let moves: Vec<usize> = (0..architecture.moves()).collect();
    let mut logits = vec![0.0; moves.len()];
    let mut most = 0.0_f64;
    // Twice, as nothing may be left over from the position before.
    for _ in 0..2 {
        let planes = oracle::random(&mut rng, architecture.input.numbers());
        let value = predictor.evaluate(&planes, &moves, &mut logits).unwrap();
        let (expected, expected_value) = oracle::evaluate(architecture, &oracle::weights(&network), &planes);
        assert_eq!(expected.len(), logits.len());
        for (&logit, expected) in logits.iter().zip(expected) {
            most = most.max((f64::from(logit) - expected).abs() / expected.abs().max(1.0));
        }
        most = most.max((f64::from(value) - expected_value).abs());
    }
    most
}

#[test]
fn every_network_of_the_zoo_agrees_with_the_oracle() {
    for (name, architecture) in oracle::zoo() {
        for isa in Isa::all() {
            let difference = difference(&architecture, isa, 1);
            assert!(difference < 2e-5, "{name}, {}: {difference}", isa.name());
        }
    }
}

#[test]
fn convolutions_agree_with_the_oracle_on_every_board() {
    let sizes = (1..=10).flat_map(|ranks| (1..=10).map(move |files| (ranks, files))).chain([(15, 15), (1, 19), (13, 4)]);
    for (ranks, files) in sizes {
        for (planes, channels) in [(3, 5), (17, 32)] {
            let input = Shape { planes, ranks, files };
            let policy = vec![Layer::Conv3(channels), Layer::Conv1(2)];
            let architecture = Architecture { input, trunk: Vec::new(), policy: Some(policy), value: None };
            for isa in Isa::all() {
                let difference = difference(&architecture, isa, 2);
                assert!(difference < 2e-5, "{planes} planes of {ranks}x{files}, {}: {difference}", isa.name());
            }
        }
    }
}

#[test]
fn one_network_serves_boards_of_all_sizes() {
    let input = Shape { planes: 4, ranks: 8, files: 8 };
    let network = oracle::random_network(&Architecture::policy_value(input, 2, Size { channels: 16, blocks: 2 }), 3);
    let large = network.resized(10, 10).unwrap();
    let planes = oracle::random(&mut Seed(4).rng(), 400);
    let moves: Vec<usize> = (0..200).collect();
    let mut logits = [0.0; 200];
    let value = Predictor::new(&large).evaluate(&planes, &moves, &mut logits).unwrap();
    let (expected, expected_value) = oracle::evaluate(large.architecture(), &oracle::weights(&network), &planes);
    assert!((f64::from(value) - expected_value).abs() < 1e-5);
    assert!(logits.iter().zip(expected).all(|(&logit, expected)| (f64::from(logit) - expected).abs() < 1e-4));
}

#[test]
fn only_legal_moves_are_asked_for_in_any_order() {
    let input = Shape { planes: 4, ranks: 3, files: 5 };
    let network = oracle::random_network(&Architecture::policy_value(input, 3, Size { channels: 16, blocks: 1 }), 5);
    let mut predictor = Predictor::new(&network);
    let planes = oracle::random(&mut Seed(6).rng(), 60);
    let mut all = [0.0; 45];
    let everything: Vec<usize> = (0..45).collect();
    let value = predictor.evaluate(&planes, &everything, &mut all).unwrap();
    let moves = [44, 3, 17, 17, 0];
    let mut logits = [0.0; 5];
    assert_eq!(predictor.clone().evaluate(&planes, &moves, &mut logits).unwrap(), value);
    assert_eq!(logits, moves.map(|mv| all[mv]));
    assert_eq!(predictor.evaluate(&planes, &[], &mut []).unwrap(), value);
}

#[test]
fn many_positions_at_once_are_what_they_are_alone() {
    for (name, architecture) in oracle::zoo() {
        let network = oracle::random_network(&architecture, 7);
        let mut rng = Seed(8).rng();
        let positions: Vec<Vec<f32>> = (0..5).map(|_| oracle::random(&mut rng, architecture.input.numbers())).collect();
        let moves: Vec<usize> = (0..architecture.moves()).collect();
        let (mut together, mut alone) = (vec![0.0; moves.len()], vec![0.0; moves.len()]);
        for isa in Isa::all() {
            let mut many = Predictor::with(&network, 6, isa);
            let mut one = Predictor::with(&network, 1, isa);
            for (place, planes) in positions.iter().enumerate() {
                many.load(place, planes).unwrap();
            }
            many.run(positions.len());
            for (place, planes) in positions.iter().enumerate() {
                assert_eq!(one.evaluate(planes, &moves, &mut alone).unwrap(), many.value(place), "{name}, {}", isa.name());
                many.logits(place, &moves, &mut together).unwrap();
                assert_eq!(alone, together, "{name}, {}", isa.name());
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let input = Shape { planes: 4, ranks: 3, files: 5 };
    let network = oracle::random_network(&Architecture::policy_value(input, 3, Size { channels: 16, blocks: 1 }), 5);
    let mut predictor = Predictor::new(&network);
    let said = |result: Result<f32, NetError>| result.unwrap_err().to_string();
    assert_eq!(
        said(predictor.evaluate(&[0.0; 59], &[], &mut [])),
        "this does not fit the network: 59 numbers for a position; the network wants 60"
    );
    assert_eq!(
        said(predictor.evaluate(&[0.0; 60], &[0, 45], &mut [0.0; 2])),
        "this does not fit the network: a move with index 45; the network knows 45 moves"
    );
    assert_eq!(
        said(predictor.evaluate(&[0.0; 60], &[0, 1], &mut [0.0])),
        "this does not fit the network: room for 1 logits of 2 moves"
    );
}

#[test]
fn probabilities_add_up_to_one_however_large_the_logits_are() {
    let mut logits = [1000.0, 999.0, -1000.0];
    softmax(&mut logits);
    assert!((logits.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{logits:?}");
    assert!((logits[0] / logits[1] - std::f32::consts::E).abs() < 1e-5 && logits[2] == 0.0, "{logits:?}");
}

/// 32 filters of 3x3x3 over 11x8x8, 64 over their outputs, padded to the same size, then 128 nodes that see all 64 x 11 x 8 x 8 numbers.
#[test]
fn the_crosphere_thesis_describes_five_million_eight_hundred_thousand_weights() {
    let input = Shape { planes: 11, ranks: 8, files: 8 };
    let network = Network::new(Architecture::crosphere_thesis_3d(input), Seed(1)).unwrap();
    let sizes = [32 * 27 + 32, 64 * 32 * 27 + 64, 128 * 64 * 11 * 8 * 8 + 128, 128 + 1];
    assert_eq!(network.size(), sizes.iter().sum::<usize>());
    assert_eq!(network.size(), 5_823_681);
    let shapes: Vec<Vec<usize>> =
        network.tensors().into_iter().map(|tensor| tensor.shape).filter(|shape| shape.len() > 1).collect();
    assert_eq!(shapes, [vec![32, 1, 3, 3, 3], vec![64, 32, 3, 3, 3], vec![128, 45_056], vec![1, 128]]);
    let flat = Network::new(Architecture::crosphere_thesis(input), Seed(1)).unwrap();
    assert_eq!(flat.size(), 546_241);
}

#[test]
fn a_flat_convolution_of_a_volume_is_refused() {
    let json =
        r#"{"input": {"planes": 3, "ranks": 4, "files": 3}, "value": [{"conv3d": 4}, {"conv3": 2}, {"dense": 1}, "tanh"]}"#;
    let said = serde_json::from_str::<Architecture>(json).unwrap().check().unwrap_err().to_string();
    assert!(said.contains("value.1: a flat convolution of 4 channels of 3x4x3; expected conv3d"), "{said}");
    let json = r#"{"input": {"planes": 3, "ranks": 4, "files": 3}, "policy": [{"conv3d": 4}, {"conv1": 2}]}"#;
    let said = serde_json::from_str::<Architecture>(json).unwrap().check().unwrap_err().to_string();
    assert!(said.contains("policy.1: a flat convolution"), "{said}");
}
