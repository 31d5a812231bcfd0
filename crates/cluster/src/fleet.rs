//! Presence of workers: heartbeats, and views of the workers that are alive.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use plyground_core::sync::lock;
use plyground_match::RunError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::broker::Broker;
use crate::names::WorkerName;

/// The interval of a worker's heartbeats.
pub const BEAT: Duration = Duration::from_secs(5);
/// The time without a heartbeat after which a worker counts as gone.
const SILENCE: Duration = Duration::from_secs(16);
/// The subject of heartbeats, and the one on which workers are asked for a heartbeat at once.
pub(super) const SUBJECT: &str = "ply.workers";
pub(super) const ROLL_CALL: &str = "ply.roll-call";
/// The largest heartbeat in bytes, and the most workers that are known at a time.
const LARGEST_BEAT: usize = 4_096;
const MOST_WORKERS: usize = 50_000;
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
}

impl Broker {
    /// Publishes a heartbeat; there need not be a subscriber.
    pub(super) fn publish_presence(&self, presence: &Presence) {
        let payload = serde_json::to_vec(presence).expect("a presence is plain data");
        self.wait(async {
            let _ = tokio::time::timeout(BEAT, self.client.publish(SUBJECT, payload.into())).await;
        });
    }

    /// A message for each request for heartbeats, from now on.
    pub(super) fn roll_calls(&self) -> Result<mpsc::Receiver<()>, RunError> {
        let mut calls = self.wait(self.client.subscribe(ROLL_CALL)).map_err(|error| self.refused(error))?;
        let (sender, receiver) = mpsc::channel();
        self.spawn(async move { while calls.next().await.is_some() && sender.send(()).is_ok() {} });
        Ok(receiver)
    }
}

/// The live workers by their latest heartbeats.
pub struct FleetView {
    seen: Arc<Mutex<HashMap<String, (Instant, Presence)>>>,
    task: tokio::task::JoinHandle<()>,
}

impl FleetView {
    /// Subscribes to heartbeats, and asks all workers for one.
    pub fn new(broker: &Broker) -> Result<Self, RunError> {
        let seen: Arc<Mutex<HashMap<String, (Instant, Presence)>>> = Arc::default();
        let mut heard = broker.wait(broker.client.subscribe(SUBJECT)).map_err(|error| broker.refused(error))?;
        let noted = Arc::clone(&seen);
        let task = broker.spawn(async move {
            while let Some(message) = heard.next().await {
                let Some(presence) = Presence::read(&message.payload) else { continue };
                let mut seen = lock(&noted);
                if seen.len() >= MOST_WORKERS {
                    seen.retain(|_, (heard, _)| heard.elapsed() < SILENCE);
                }
                if presence.leaving {
                    seen.remove(&presence.worker);
                } else if seen.len() < MOST_WORKERS || seen.contains_key(&presence.worker) {
                    seen.insert(presence.worker.clone(), (Instant::now(), presence));
                }
            }
        });
        broker.wait(broker.client.publish(ROLL_CALL, bytes::Bytes::new())).map_err(|error| broker.refused(error))?;
        Ok(Self { seen, task })
    }

    /// The cores of all live workers together.
    pub fn cores(&self) -> usize {
        let seen = lock(&self.seen);
        seen.values().filter(|(heard, _)| heard.elapsed() < SILENCE).map(|(_, presence)| presence.cores).sum()
    }

    /// The live workers, by name.
    pub fn workers(&self) -> Vec<Presence> {
        let mut seen = lock(&self.seen);
        seen.retain(|_, (heard, _)| heard.elapsed() < SILENCE);
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

impl Drop for FleetView {
    fn drop(&mut self) {
        self.task.abort();
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
        assert!(beat("worker", "\u{1b}[2J".into()).is_none() && beat("machine", "x".repeat(5_000).into()).is_none());
    }
}
