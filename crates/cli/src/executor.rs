//! The executor of a run, as the command line asks for it.

use std::sync::Arc;

use plyground_cluster::{Broker, Fleet, Presence};
use plyground_match::{Executor, Threads};

use crate::args::QueueArgs;
use crate::runs::threads;
use plyground_terminal::{count, print_notes};

/// The threads of this computer, or the workers at a queue.
pub fn executor(asked: Option<u32>, queue: &QueueArgs, quiet: bool) -> anyhow::Result<Box<dyn Executor>> {
    let Some(url) = &queue.queue else { return Ok(Box::new(Threads(threads(asked)))) };
    let access = queue.door.access(url, queue.lease);
    let fleet = Fleet::new(Arc::new(Broker::connect(&access)?))?.telling(move |note| print_notes(&[note.to_owned()], quiet));
    let workers = fleet.view().workers();
    let told = if workers.is_empty() {
        format!("no worker is at {0} yet; start workers with: ply worker --queue {0}", access.shown())
    } else {
        format!("at {}: {}", access.shown(), strength(&workers))
    };
    print_notes(&[told], quiet);
    Ok(Box::new(fleet))
}

/// How many workers there are, with how many cores, and how fast they are together.
pub fn strength(workers: &[Presence]) -> String {
    let cores: usize = workers.iter().map(|worker| worker.cores).sum();
    let speed: f64 = workers.iter().map(|worker| worker.speed * worker.cores as f64).sum();
    let plural = |number: usize, word: &str| format!("{} {word}{}", count(number as u64), if number == 1 { "" } else { "s" });
    format!("{} with {}, {} simulations a second", plural(workers.len(), "worker"), plural(cores, "core"), count(speed as u64))
}
