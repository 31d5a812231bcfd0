//! Workers that sleep instead of thinking: what a queue costs with more machines than there are.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_nats::jetstream::AckKind;
use futures_util::StreamExt as _;

use super::broker::{Access, Broker, results_of};
use super::fleet::{BEAT, Presence};
use super::wire::{Game, Parcel, Returns, packed, unpacked};
use crate::{GameRow, Job, LabError};

/// As often as real ones.
const RESULTS_EVERY: Duration = Duration::from_secs(3);
const PATIENCE: Duration = Duration::from_secs(10);
/// Real workers have a connection each; so many processes are too much for one computer.
const ON_A_CONNECTION: usize = 250;

/// Workers that are simulated.
pub struct Sleepers {
    /// How many, with one core each.
    pub workers: usize,
    /// How long a pair takes.
    pub pair: Duration,
    /// What they send as the games of a pair.
    pub games: Vec<GameRow>,
}

/// What they have done.
#[derive(Debug, Default)]
pub struct Slept {
    /// Messages with jobs.
    pub parcels: AtomicU64,
    /// Pairs.
    pub pairs: AtomicU64,
}

impl Sleepers {
    /// Works until the result is dropped: then the connections end, as if all machines had gone.
    pub fn start(self, access: &Access) -> Result<(Arc<Slept>, Vec<Arc<Broker>>), LabError> {
        let (slept, myself) = (Arc::new(Slept::default()), Arc::new(self));
        let mut connections = Vec::new();
        for first in (0..myself.workers).step_by(ON_A_CONNECTION) {
            let broker = Arc::new(Broker::connect(access)?);
            for number in first..(first + ON_A_CONNECTION).min(myself.workers) {
                let sleeper =
                    Sleeper { number, broker: Arc::downgrade(&broker), all: Arc::clone(&myself), slept: Arc::clone(&slept) };
                let present = Sleeper { ..sleeper.clone() };
                broker.spawn(async move { while sleeper.work().await.is_some() {} });
                broker.spawn(async move { while present.be_present().await.is_some() {} });
            }
            connections.push(broker);
        }
        Ok((slept, connections))
    }
}

/// One of them. It does not hold the connection: whoever drops that ends all.
#[derive(Clone)]
struct Sleeper {
    number: usize,
    broker: std::sync::Weak<Broker>,
    all: Arc<Sleepers>,
    slept: Arc<Slept>,
}

impl Sleeper {
    async fn be_present(&self) -> Option<()> {
        let presence = Presence {
            worker: format!("sleeper-{}", self.number),
            machine: "nothing but a bed".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            rules: String::new(),
            cores: 1,
            speed: 1.0,
            jobs: 0,
            retries: 0,
            failed: 0,
            lessons: 0,
            leaving: false,
        };
        let client = self.broker.upgrade()?.client.clone();
        let payload = serde_json::to_vec(&presence).expect("a presence is plain data");
        let _ = client.publish("ply.workers", payload.into()).await;
        drop(client);
        // Not all in the same moment.
        tokio::time::sleep(BEAT + Duration::from_millis(self.number as u64 % 100)).await;
        Some(())
    }

    /// Takes a parcel and sends what it would have brought; nothing when the connection is gone.
    async fn work(&self) -> Option<()> {
        let workers = self.broker.upgrade()?.workers().clone();
        let Ok(mut batch) = workers.batch().max_messages(1).expires(PATIENCE).messages().await else {
            tokio::time::sleep(BEAT).await;
            return Some(());
        };
        let Some(Ok(message)) = batch.next().await else { return Some(()) };
        let Ok(parcel) = unpacked::<Parcel>(&message.payload) else { return Some(()) };
        // No two machines are equally fast, and so they do not all speak in the same moment (the golden ratio spreads them evenly).
        let pair = self.all.pair.mul_f64(0.8 + 0.4 * (self.number as f64 * 0.618_034).fract());
        let at_once = (RESULTS_EVERY.as_secs_f64() / pair.as_secs_f64()).ceil().max(1.0) as usize;
        for jobs in parcel.jobs.chunks(at_once) {
            let time = pair * jobs.len() as u32;
            tokio::time::sleep(time).await;
            let returns = Returns {
                worker: format!("sleeper-{}", self.number),
                seconds: time.as_secs_f64(),
                jobs: jobs.iter().map(|job| self.games(job)).collect(),
                failures: Vec::new(),
            };
            let broker = self.broker.upgrade()?;
            let payload = packed(&returns);
            let name = blake3::hash(&payload).to_hex();
            let subject = results_of(&jobs[0].run);
            let give_up = || false;
            let _ = broker.insist(&give_up, || broker.publish(&subject, Some(&name), payload.clone())).await;
            let _ = message.ack_with(AckKind::Progress).await;
            self.slept.pairs.fetch_add(jobs.len() as u64, Ordering::Relaxed);
        }
        let _ = message.double_ack().await;
        self.slept.parcels.fetch_add(1, Ordering::Relaxed);
        Some(())
    }

    fn games(&self, job: &Job) -> Vec<Game> {
        let of_job = |(number, row): (usize, &GameRow)| {
            let row = GameRow { job: job.id.clone(), pair: job.pair, game: number as u8, ..row.clone() };
            Game::from(&row)
        };
        self.all.games.iter().enumerate().map(of_job).collect()
    }
}
