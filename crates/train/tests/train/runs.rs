//! Runs of agents that have networks.

use std::sync::Mutex;

use plyground_core::{InputError, Resources, Seed};
use plyground_match::{AgentFactory, Experiment, RunDriver, Threads};
use plyground_nets::{Network, Size, weights};
use plyground_train::trainable_game;

use crate::common::{Directory, games};

/// One file, whatever it is called, that may be replaced.
struct OneFile(Mutex<Vec<u8>>);

impl Resources for OneFile {
    fn read(&self, _: &str) -> Result<Vec<u8>, InputError> {
        Ok(self.0.lock().unwrap().clone())
    }
}

#[test]
fn the_same_spec_with_another_network_is_another_run() {
    let trainable = trainable_game("tictactoe", None).unwrap();
    let network = |seed| {
        let network = Network::new(trainable.architecture(Size { channels: 4, blocks: 1 }), Seed(seed)).unwrap();
        weights::write(&trainable.header(&network), &network).unwrap()
    };
    let directory = Directory::new();
    let (store, resources) = (directory.store(), OneFile(Mutex::new(network(1))));
    let asked = || Experiment::new("tictactoe", &["net:net=x".into(), "random".into()], &resources).unwrap().run();
    let run = asked();
    assert_eq!(asked(), run);
    assert_eq!(run.experiment.files["x"].len(), 64);
    let (executor, players) = (Threads(1), AgentFactory::of_run(&resources, &run));
    let driver = RunDriver::new(&store, &run, &executor, &players).for_command("ply test");
    assert!(driver.play_format(2).unwrap().1);
    *resources.0.lock().unwrap() = network(2);
    assert_ne!(asked().id, run.id);
    // Nothing is played with it under the old name.
    let refused = driver.play_format(4).unwrap_err().to_string();
    assert!(refused.contains("malformed file 'x': it is not what it was when this run began"), "{refused}");
    assert_eq!(games(&store, &run).len(), 4);
}
