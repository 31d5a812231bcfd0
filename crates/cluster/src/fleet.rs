//! Who works, as all can see.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use plyground_core::sync::lock;
use plyground_match::RunError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::broker::Broker;

/// A worker says this often that it is there.
pub const BEAT: Duration = Duration::from_secs(5);
/// Whoever has not been heard for this long is gone.
const SILENCE: Duration = Duration::from_secs(16);
/// All workers speak here; with `.hello` they are asked to speak at once.
pub(super) const SUBJECT: &str = "ply.workers";
pub(super) const ROLL_CALL: &str = "ply.roll-call";

/// What a worker says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Presence {
    /// Which one.
    pub worker: String,
    /// The computer in a line.
    pub machine: String,
    /// Of the program.
    pub version: String,
    /// A hash of its games.
    pub rules: String,
    /// Games at the same time.
    pub cores: usize,
    /// Simulations a second on a fixed position, on one core.
    pub speed: f64,
    /// Jobs done.
    pub jobs: u64,
    /// Jobs that somebody else had been given before.
    pub retries: u64,
    /// Jobs that could not be done.
    pub failed: u64,
    /// Games played for trainings.
    #[serde(default)]
    pub lessons: u64,
    /// The last word of a worker that leaves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaving: bool,
}

impl Broker {
    /// Tells all who listen; whether anybody does does not matter.
    pub(super) fn present(&self, presence: &Presence) {
        let payload = serde_json::to_vec(presence).expect("a presence is plain data");
        self.wait(async {
            let _ = tokio::time::timeout(BEAT, self.client.publish(SUBJECT, payload.into())).await;
        });
    }

    /// Says whenever somebody wants to know who is there, from now on.
    pub(super) fn roll_calls(&self) -> Result<mpsc::Receiver<()>, RunError> {
        let mut calls = self.wait(self.client.subscribe(ROLL_CALL)).map_err(|error| self.refused(error))?;
        let (sender, receiver) = mpsc::channel();
        self.spawn(async move { while calls.next().await.is_some() && sender.send(()).is_ok() {} });
        Ok(receiver)
    }
}

/// The workers that were heard lately.
pub struct FleetView {
    seen: Arc<Mutex<HashMap<String, (Instant, Presence)>>>,
    task: tokio::task::JoinHandle<()>,
}

impl FleetView {
    /// Listens from now on, and asks all to speak.
    pub fn new(broker: &Broker) -> Result<Self, RunError> {
        let seen: Arc<Mutex<HashMap<String, (Instant, Presence)>>> = Arc::default();
        let mut heard = broker.wait(broker.client.subscribe(SUBJECT)).map_err(|error| broker.refused(error))?;
        let noted = Arc::clone(&seen);
        let task = broker.spawn(async move {
            while let Some(message) = heard.next().await {
                let Ok(presence) = serde_json::from_slice::<Presence>(&message.payload) else { continue };
                let mut seen = lock(&noted);
                if presence.leaving {
                    seen.remove(&presence.worker);
                } else {
                    seen.insert(presence.worker.clone(), (Instant::now(), presence));
                }
            }
        });
        broker.wait(broker.client.publish(ROLL_CALL, bytes::Bytes::new())).map_err(|error| broker.refused(error))?;
        Ok(Self { seen, task })
    }

    /// Games that those who are there now play at the same time.
    pub fn cores(&self) -> usize {
        let seen = lock(&self.seen);
        seen.values().filter(|(heard, _)| heard.elapsed() < SILENCE).map(|(_, presence)| presence.cores).sum()
    }

    /// Those who are there now, by name.
    pub fn workers(&self) -> Vec<Presence> {
        let mut seen = lock(&self.seen);
        seen.retain(|_, (heard, _)| heard.elapsed() < SILENCE);
        let mut workers: Vec<Presence> = seen.values().map(|(_, presence)| presence.clone()).collect();
        workers.sort_by(|one, other| one.worker.cmp(&other.worker));
        workers
    }
}

/// Workers and queue as one looks at them from outside, in JSON.
pub struct FleetWatch {
    broker: Arc<Broker>,
    view: FleetView,
}

impl FleetWatch {
    /// Looks at this queue from now on.
    pub fn new(broker: Arc<Broker>) -> Result<Self, RunError> {
        Ok(Self { view: FleetView::new(&broker)?, broker })
    }

    /// Who works, and how many messages with jobs there are.
    pub fn page(&self) -> Result<Value, RunError> {
        let queued = self.broker.wait(self.broker.queued(None))?;
        Ok(json!({
            "queue": self.broker.access().shown(),
            "server": self.broker.server_version(),
            "queued": queued,
            "workers": self.view.workers(),
        }))
    }
}

impl Drop for FleetView {
    fn drop(&mut self) {
        self.task.abort();
    }
}
