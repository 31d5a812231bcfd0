//! Where the laws of queues are tried: a store on this computer.

use std::time::Duration;

use plyground_match::{Job, Queue, Run, RunPrefix, Store};

use crate::common::{Directory, all_jobs};

/// A store, a run, and a way to its queue.
pub struct Place {
    pub store: Store,
    pub run: Run,
    pub jobs: Vec<Job>,
    pub directory: Directory,
}

impl Place {
    /// So many pairs of a run that are asked for and not begun. Always there: the laws are also tried where a server may be missing.
    #[expect(clippy::unnecessary_wraps, reason = "a queue on the network may not be there")]
    pub fn new(lease: Duration, run: Run, pairs: u64) -> Option<Self> {
        let directory = Directory::new();
        let store = directory.store().with_lease(lease);
        store.begin(&run, "ply match", "a machine").unwrap();
        let jobs = all_jobs(&run, pairs);
        let place = Self { store, run, jobs, directory };
        assert_eq!(place.queue(&place.store).push(&place.jobs).unwrap() as u64, pairs);
        Some(place)
    }

    /// The queue, as a process with this store sees it.
    pub fn queue<'a>(&'a self, store: &'a Store) -> Box<dyn Queue + 'a> {
        Box::new(store.queue(RunPrefix::all(&self.run.id)))
    }
}
