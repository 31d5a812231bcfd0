//! Where the laws of queues are tried: a NATS server of its own.

use std::sync::Arc;
use std::time::Duration;

use plyground_cluster::{Access, Broker, NatsQueue};
use plyground_match::{Job, Queue, Run, Store};

use crate::common::{Directory, all_jobs};
use crate::server::Server;

/// A store, a run, and a way to its queue.
pub struct Place {
    pub store: Store,
    pub run: Run,
    pub jobs: Vec<Job>,
    broker: Arc<Broker>,
    pub directory: Directory,
    /// Stopped when it is dropped.
    _server: Server,
}

impl Place {
    /// So many pairs of a run that are asked for and not begun; `None` where there is no server.
    pub fn new(lease: Duration, run: Run, pairs: u64) -> Option<Self> {
        let directory = Directory::new();
        let store = directory.store().with_lease(lease);
        store.begin(&run, "ply match", "a machine").unwrap();
        let jobs = all_jobs(&run, pairs);
        let server = Server::start()?;
        let access = Access { lease: Some(lease), ..Access::new(&server.url()) };
        let broker = Arc::new(Broker::connect(&access).unwrap());
        let place = Self { store, run, jobs, broker, directory, _server: server };
        assert_eq!(place.queue(&place.store).push(&place.jobs).unwrap() as u64, pairs);
        Some(place)
    }

    /// The queue, as a process with this store sees it.
    pub fn queue<'a>(&'a self, _: &'a Store) -> Box<dyn Queue + 'a> {
        Box::new(NatsQueue::new(Arc::clone(&self.broker)))
    }
}
