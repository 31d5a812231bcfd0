//! Who plays what a run asks for: the threads of this computer, or whoever listens at a queue on the network.

use plyground_core::Shelf;

use crate::files::Unchanged;
use crate::{Event, LabError, Lot, Orders, Run, Setting, Standard, Store, work};

/// What is to be played.
pub struct Task<'a> {
    /// Where everything is kept, and what was asked for.
    pub store: &'a Store,
    /// The run.
    pub run: &'a Run,
    /// Where agents find the files that they name.
    pub shelf: &'a (dyn Shelf + Sync),
    /// How many pairs of each pairing are wanted.
    pub pairs: u64,
    /// Is asked again and again whether to stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Hears what happens, from any thread.
    pub events: &'a (dyn Fn(&Event<'_>) + Sync),
}

impl<'a> Task<'a> {
    /// What is wanted of the run.
    pub fn lot(&self) -> Lot<'a> {
        Lot { run: &self.run.id, pairs: self.pairs }
    }
}

/// Those who play.
pub trait Crew: Sync {
    /// Plays what was asked for and is not done, until nothing is left or somebody says stop.
    fn play(&self, task: &Task<'_>) -> Result<(), LabError>;
}

/// So many games at the same time, on this computer.
pub struct Threads(pub usize);

impl Crew for Threads {
    fn play(&self, task: &Task<'_>) -> Result<(), LabError> {
        let shelf = Unchanged::new(task.shelf, &task.run.experiment.files);
        work(&Orders {
            keeper: task.store,
            queue: &task.store.queue(task.lot()),
            runs: &Setting { run: task.run, roster: &Standard(&shelf), tempo: 1.0 },
            threads: self.0,
            stop: task.stop,
            events: task.events,
        })
    }
}
