//! Learning without a teacher: a table by Q-learning, then a small network by self-play.

use std::ops::ControlFlow;

use plyground::games::{mnk::Mnk, typed};
use plyground::prelude::*;
use plyground::training::{End, Round, Size, Training, TrainingObserver, TrainingPlan, TrainingStage};

/// An observer that prints a line for every round.
struct Report;

impl TrainingObserver for Report {
    fn stage(&self, _: TrainingStage) {}
    fn round(&self, round: &Round) {
        println!("round {}: {} games, value loss {:.2}", round.round, round.games, round.value_loss);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (game, start) = typed::<Mnk<u64>>("tictactoe", None)?;
    let mut learner = QLearning::default();
    learner.train(&game, 20_000, &mut |_| ControlFlow::Continue(()));
    let choice = learner.choose_move(&game, &start, &mut Seed(1).rng())?;
    let known = Learner::<Mnk<u64>>::learnt(&learner).positions;
    println!("Q-learning knows {known} positions and plays {}", game.move_text(&start, choice.mv));

    let folder = std::env::temp_dir().join(format!("plyground-train-{}", std::process::id()));
    let usual = TrainingPlan::new("tictactoe", None, Size { channels: 8, blocks: 1 })?;
    let plan = TrainingPlan { teacher_games: 50, round_games: 50, anchors: Vec::new(), ..usual };
    let mut training = Training::begin(&folder, plan, 2)?;
    training.run(End::Rounds(2), "an example", &NoResources, &CancelToken::new(), &Report)?;
    println!("the network is a file of {} bytes", std::fs::metadata(training.network_file())?.len());
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
