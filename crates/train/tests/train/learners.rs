//! Learning agents, as text and bytes; networks that come with the program.

use std::ops::ControlFlow;

use plyground_core::Seed;
use plyground_match::NETWORKS;
use plyground_train::{read_network, trainable_agent};

#[test]
fn a_trained_agent_is_checked_and_its_file_plays() {
    let mut training = trainable_agent("tictactoe", "q").unwrap();
    training.train(2_000, &mut |_| ControlFlow::Continue(()));
    assert_eq!((training.learnt().games, training.learnt().positions), (2_000, 764));
    let mut told = 0;
    let [first, second] = training
        .check(100, Seed(6), &mut |played| {
            told = played;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((first.games(), second.games(), first.lost + second.lost, told), (100, 100, 0, 200));
    assert_eq!(first.guesses + second.guesses, 0, "it knows every position");
    assert!(first.score().unwrap() > 0.9 && second.score().unwrap() > 0.7, "{first:?} {second:?}");
    let [stopped, _] = training.check(100, Seed(6), &mut |_| ControlFlow::Break(())).unwrap();
    assert_eq!(stopped.games(), 1);

    let mut again = trainable_agent("tictactoe", "q").unwrap();
    again.load("FILE", &training.save()).unwrap();
    assert_eq!(again.save(), training.save());
    assert!(trainable_agent("pawn", "q").unwrap().load("FILE", &training.save()).is_err());
    assert!(trainable_agent("tictactoe", "mcts").is_err() && trainable_agent("tictactoe", "q:nonsense=1").is_err());
}

#[test]
fn every_network_that_comes_with_the_program_fits_its_game() {
    for network in NETWORKS {
        read_network(network.name, network.file).unwrap();
    }
}
