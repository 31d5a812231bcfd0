//! Workers that sleep instead of thinking: what a queue costs with more machines than there are.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt as _;
use plyground_match::{GameRow, Job, RunError};

use crate::broker::{Access, Broker, results_of};
use crate::coordinator::end_of;
use crate::fleet::{BEAT, Presence, ROLL_CALL, SUBJECT};
use crate::queue::{BATCH, HEARTBEAT, PATIENCE};
use crate::training::LECTURES;
use crate::wire::{Game, Parcel, Returns, packed, unpacked};

/// Workers that are simulated. Each has a connection of its own, says what real ones say, as often, and listens to the same.
pub struct SimulatedWorkers {
    /// How many, with one core each.
    pub workers: usize,
    /// How long a pair takes.
    pub pair: Duration,
    /// What they send as the games of a pair.
    pub games: Vec<GameRow>,
}

impl SimulatedWorkers {
    /// Works until the process ends; then all machines are gone.
    pub fn sleep(self, access: &Access) -> Result<(), RunError> {
        let (threads, all) = (std::thread::available_parallelism().map_or(1, usize::from), Arc::new(self));
        let runtime = access.runtime(threads)?;
        for number in 0..all.workers {
            let (all, access) = (Arc::clone(&all), access.clone());
            runtime.spawn(async move {
                // A server at which ten thousand knock in one moment does not answer all of them at once.
                let broker = loop {
                    match Broker::connect_here(&access).await {
                        Ok(broker) => break broker,
                        Err(_) => tokio::time::sleep(BEAT).await,
                    }
                };
                Sleeper { number, broker, all }.live().await;
            });
        }
        runtime.block_on(std::future::pending::<()>());
        Ok(())
    }
}

/// One of them.
struct Sleeper {
    number: usize,
    broker: Broker,
    all: Arc<SimulatedWorkers>,
}

impl Sleeper {
    fn name(&self) -> String {
        format!("sleeper-{}", self.number)
    }

    /// A number below 1 that is another one for every sleeper: they do not all speak in the same moment (the golden ratio spreads evenly).
    fn phase(&self) -> f64 {
        (self.number as f64 * 0.618_034).fract()
    }

    async fn live(&self) {
        let client = &self.broker.client;
        // What real ones listen to; what is said there while nothing is played is a word now and then.
        let (Ok(_ends), Ok(_lectures), Ok(mut calls)) =
            (client.subscribe(end_of("*")).await, client.subscribe(LECTURES).await, client.subscribe(ROLL_CALL).await)
        else {
            return;
        };
        let working = async {
            loop {
                self.work().await;
            }
        };
        let present = async {
            tokio::time::sleep(BEAT.mul_f64(self.phase())).await;
            loop {
                self.be_present().await;
                if let Ok(Some(_)) = tokio::time::timeout(BEAT, calls.next()).await {
                    let _ = self.broker.workers().get_info().await;
                }
            }
        };
        tokio::join!(working, present);
    }

    async fn be_present(&self) {
        let presence = Presence {
            worker: self.name(),
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
        let payload = serde_json::to_vec(&presence).expect("a presence is plain data");
        let _ = self.broker.client.publish(SUBJECT, payload.into()).await;
    }

    /// Takes a parcel and sends what it would have brought.
    async fn work(&self) {
        let Ok(mut batch) = self.broker.workers().batch().max_messages(1).expires(PATIENCE).messages().await else {
            tokio::time::sleep(BEAT).await;
            return;
        };
        let Some(Ok(message)) = batch.next().await else { return };
        let Ok(parcel) = unpacked::<Parcel>(&message.payload) else { return };
        // No two machines are equally fast.
        let pair = self.all.pair.mul_f64(0.8 + 0.4 * self.phase());
        let at_once = (BATCH.as_secs_f64() / pair.as_secs_f64()).ceil().max(1.0) as usize;
        let done = async {
            for jobs in parcel.jobs.chunks(at_once) {
                let time = pair * jobs.len() as u32;
                tokio::time::sleep(time).await;
                self.send(jobs, time).await;
            }
            let _ = message.double_ack().await;
        };
        tokio::select! {
            () = done => {}
            () = extend(&message) => {}
        }
    }

    async fn send(&self, jobs: &[Job], time: Duration) {
        let returns = Returns {
            worker: self.name(),
            seconds: time.as_secs_f64(),
            jobs: jobs.iter().map(|job| self.games(job)).collect(),
            failures: Vec::new(),
        };
        let payload = packed(&returns);
        let name = blake3::hash(&payload).to_hex();
        let subject = results_of(&jobs[0].run);
        let never = || false;
        let _ = self.broker.insist(&never, || self.broker.publish(&subject, Some(&name), payload.clone())).await;
    }

    fn games(&self, job: &Job) -> Vec<Game> {
        let of_job = |(number, row): (usize, &GameRow)| {
            let row = GameRow { job: job.id.clone(), pair: job.pair, game: number as u8, ..row.clone() };
            Game::from(&row)
        };
        self.all.games.iter().enumerate().map(of_job).collect()
    }
}

/// Says again and again that somebody is at it.
async fn extend(message: &Message) {
    loop {
        tokio::time::sleep(HEARTBEAT).await;
        let _ = message.ack_with(AckKind::Progress).await;
    }
}
