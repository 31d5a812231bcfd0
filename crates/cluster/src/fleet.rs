//! Presence of workers: heartbeats, and views of the workers that are alive.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use plyground_core::sync::lock;
use plyground_match::RunError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::broker::Broker;
use crate::machine::Task;
use crate::names::WorkerName;

/// The interval of a worker's heartbeats.
pub const BEAT: Duration = Duration::from_secs(5);
/// The time without a heartbeat after which a worker counts as gone.
const SILENCE: Duration = Duration::from_secs(16);
/// The subject of heartbeats, and the one on which workers are asked for a heartbeat at once.
const SUBJECT: &str = "ply.workers";
pub(super) const ROLL_CALL: &str = "ply.roll-call";
/// The largest heartbeat in bytes, and the most workers that are known at a time.
const LARGEST_BEAT: usize = 1_024;
const MOST_WORKERS: usize = 20_000;
/// More cores than a machine has.
const MOST_CORES: usize = 4_096;

/// The heartbeat of a worker: what it is and what it has done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Presence {
    /// The name of the worker.
    pub worker: String,
    /// A description of its machine.
    pub machine: String,
    /// The version of its program.
    pub version: String,
    /// A hash of its rules.
    pub rules: String,
    /// Games at the same time.
    pub cores: usize,
    /// Simulations a second on a fixed position, on one core.
    pub speed: f64,
    /// Jobs done.
    pub jobs: u64,
    /// Jobs that another worker had leased before.
    pub retries: u64,
    /// Jobs that could not be done.
    pub failed: u64,
    /// Self-play games for trainings.
    #[serde(default, rename = "lessons")]
    pub self_play_games: u64,
    /// True in the last heartbeat of a worker that stops.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaving: bool,
}

impl Presence {
    /// A heartbeat from a message; `None` if it is none that a worker sends.
    pub(super) fn read(payload: &[u8]) -> Option<Self> {
        let presence: Self = (payload.len() <= LARGEST_BEAT).then(|| serde_json::from_slice(payload).ok())??;
        let printable = |text: &String| !text.chars().any(char::is_control);
        let named = presence.worker.parse::<WorkerName>().is_ok()
            && [&presence.machine, &presence.version, &presence.rules].into_iter().all(printable);
        let plausible = presence.cores <= MOST_CORES && presence.speed.is_finite() && presence.speed >= 0.0;
        (named && plausible).then_some(presence)
    }

    /// Is its name behind that of this client of the server?
    fn is_of(&self, client: &str) -> bool {
        self.worker.strip_prefix(client).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl Broker {
    /// Publishes a heartbeat; there need not be a subscriber.
    pub(super) async fn publish_presence(&self, presence: &Presence) {
        let payload = serde_json::to_vec(presence).expect("a presence is plain data");
        let _ = self.within(BEAT, self.tell(SUBJECT, payload.into())).await;
    }
}

/// The live workers by their latest heartbeats.
pub struct FleetView {
    seen: Arc<Mutex<HashMap<String, (Duration, Presence)>>>,
    broker: Arc<Broker>,
    /// The task that listens; it ends with the view.
    _task: Task,
}

impl FleetView {
    /// Subscribes to heartbeats, and asks all workers for one.
    pub fn new(broker: &Arc<Broker>) -> Result<Self, RunError> {
        broker.wait(Self::subscribe(broker))
    }

    /// The same without blocking.
    pub async fn subscribe(broker: &Arc<Broker>) -> Result<Self, RunError> {
        let seen: Arc<Mutex<HashMap<String, (Duration, Presence)>>> = Arc::default();
        let mut heard = broker.hear(SUBJECT).await?;
        let (noted, clock) = (Arc::clone(&seen), Arc::clone(broker));
        let task = broker.spawn(async move {
            while let Some(message) = heard.next().await {
                let Some(presence) = Presence::read(&message.payload) else { continue };
                // No worker can be there in the name of another.
                if clock.subjects().sender(&message.subject).is_some_and(|sender| !presence.is_of(sender.as_str())) {
                    continue;
                }
                let mut seen = lock(&noted);
                if seen.len() >= MOST_WORKERS {
                    seen.retain(|_, (heard, _)| clock.since(*heard) < SILENCE);
                }
                if presence.leaving {
                    seen.remove(&presence.worker);
                } else if seen.len() < MOST_WORKERS || seen.contains_key(&presence.worker) {
                    seen.insert(presence.worker.clone(), (clock.now(), presence));
                }
            }
        });
        // Onlookers only read: they wait for the next heartbeats.
        if broker.subjects().coordinates() {
            broker.tell(ROLL_CALL, bytes::Bytes::new()).await?;
        }
        Ok(Self { seen, broker: Arc::clone(broker), _task: task })
    }

    /// The cores of all live workers together.
    pub fn cores(&self) -> usize {
        let seen = lock(&self.seen);
        seen.values().filter(|(heard, _)| self.broker.since(*heard) < SILENCE).map(|(_, presence)| presence.cores).sum()
    }

    /// The live workers, by name.
    pub fn workers(&self) -> Vec<Presence> {
        let mut seen = lock(&self.seen);
        seen.retain(|_, (heard, _)| self.broker.since(*heard) < SILENCE);
        let mut workers: Vec<Presence> = seen.values().map(|(_, presence)| presence.clone()).collect();
        workers.sort_by(|one, other| one.worker.cmp(&other.worker));
        workers
    }
}

/// A JSON report on the live workers and the queue.
pub struct FleetWatch {
    broker: Arc<Broker>,
    view: FleetView,
}

impl FleetWatch {
    /// Subscribes to the heartbeats at this queue.
    pub fn new(broker: Arc<Broker>) -> Result<Self, RunError> {
        Ok(Self { view: FleetView::new(&broker)?, broker })
    }

    /// The report: the live workers, and the number of queued messages with jobs.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heartbeats_that_no_worker_sends_are_not_read() {
        let beat = |key: &str, value: Value| {
            let mut beat = json!({"worker": "w", "machine": "m", "version": "1", "rules": "ab", "cores": 2, "speed": 1.0, "jobs": 0,
                "retries": 0, "failed": 0});
            beat[key] = value;
            Presence::read(beat.to_string().as_bytes())
        };
        assert_eq!(beat("cores", 4.into()).unwrap().cores, 4);
        assert!(beat("cores", (1_u64 << 40).into()).is_none() && beat("speed", (-1).into()).is_none());
        let of = |name: &str, client: &str| beat("worker", name.into()).unwrap().is_of(client);
        assert!(of("worker-1/laptop", "worker-1") && of("worker-1", "worker-1"));
        assert!(!of("worker-12/laptop", "worker-1") && !of("laptop", "worker-1"));
        assert!(beat("worker", "\u{1b}[2J".into()).is_none() && beat("machine", "x".repeat(1_000).into()).is_none());
    }
}
