//! The executor of a run, as the command line asks for it.

use std::sync::Arc;

use plyground_cluster::{Access, Broker, Fleet, Presence};
use plyground_match::{Executor, Threads};

use crate::runs::threads;
use plyground_args::FleetArgs;
use plyground_terminal::{count, print_notes};

/// The threads of this computer, or the workers at a queue.
pub fn executor(asked: Option<u32>, args: &FleetArgs, quiet: bool) -> anyhow::Result<Box<dyn Executor>> {
    let Some(access) = args.queue.access()? else { return Ok(Box::new(Threads(threads(asked)))) };
    let mut fleet = Fleet::new(Arc::new(connect(&access, quiet)?))?.telling(move |note| print_notes(&[note.to_owned()], quiet));
    if let Some(percent) = args.sample {
        fleet = fleet.with_sample(percent / 100.0);
    }
    let workers = fleet.view().workers();
    let told = if workers.is_empty() {
        let place = if access.role.is_some() { "FILE".to_owned() } else { format!("--queue {}", access.shown()) };
        format!("no worker is at {} yet; start workers with: ply worker {place}", access.shown())
    } else {
        format!("at {}: {}", access.shown(), strength(&workers))
    };
    print_notes(&[told], quiet);
    Ok(Box::new(fleet))
}

/// A connection to a queue, with a word about a server that lets everyone in.
pub fn connect(access: &Access, quiet: bool) -> anyhow::Result<Broker> {
    let broker = Broker::connect(access)?;
    print_notes(&broker.warning().into_iter().collect::<Vec<_>>(), quiet);
    Ok(broker)
}

/// The number of workers, their cores, and their speed together.
pub fn strength(workers: &[Presence]) -> String {
    let cores: usize = workers.iter().map(|worker| worker.cores).sum();
    let speed: f64 = workers.iter().map(|worker| worker.speed * worker.cores as f64).sum();
    let plural = |number: usize, word: &str| format!("{} {word}{}", count(number as u64), if number == 1 { "" } else { "s" });
    format!("{} with {}, {} simulations a second", plural(workers.len(), "worker"), plural(cores, "core"), count(speed as u64))
}
