//! Simulated workers that sleep instead of playing: load tests of a queue with more machines than there are.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use plyground_match::{GameRow, Job, RunError};

use crate::access::Access;
use crate::announcement::end_of;
use crate::broker::{Broker, results_of};
use crate::fleet::{BEAT, Presence, ROLL_CALL};
use crate::message_server::{Acknowledgement, Delivery};
use crate::names::WorkerName;
use crate::queue::{BATCH, HEARTBEAT, PATIENCE};
use crate::training::TRAINING_SUBJECT;
use crate::wire::{BatchResults, JobBatch, WireGame, packed, unpacked};

/// Simulated workers. Each has its own connection, publishes what a real worker publishes, as often, and has the same subscriptions.
pub struct SimulatedWorkers {
    /// The number of workers, with one core each.
    pub workers: usize,
    /// The time for a pair.
    pub pair: Duration,
    /// The games that are sent as the result of every pair.
    pub games: Vec<GameRow>,
}

impl SimulatedWorkers {
    /// Works until the process ends.
    pub fn run(self, access: &Access) -> Result<(), RunError> {
        let (threads, all) = (std::thread::available_parallelism().map_or(1, usize::from), Arc::new(self));
        let runtime = access.runtime(threads)?;
        for number in 0..all.workers {
            let (all, access) = (Arc::clone(&all), access.clone());
            runtime.spawn(async move {
                // A server does not accept ten thousand connections at once.
                let broker = loop {
                    match Broker::try_connect_here(&access).await {
                        Ok(Some(broker)) => break broker,
                        _ => tokio::time::sleep(BEAT).await,
                    }
                };
                SimulatedWorker { number, broker, all }.run().await;
            });
        }
        runtime.block_on(std::future::pending::<()>());
        Ok(())
    }
}

/// One simulated worker.
struct SimulatedWorker {
    number: usize,
    broker: Broker,
    all: Arc<SimulatedWorkers>,
}

impl SimulatedWorker {
    fn name(&self) -> String {
        format!("simulated-{}", self.number)
    }

    /// A number below 1 that differs between workers, so that their heartbeats are spread over time (by the golden ratio).
    fn phase(&self) -> f64 {
        (self.number as f64 * 0.618_034).fract()
    }

    async fn run(&self) {
        let broker = &self.broker;
        // The subscriptions of a real worker.
        let (Ok(_ends), Ok(_trainings), Ok(mut calls)) =
            (broker.hear(&end_of("*")).await, broker.hear(TRAINING_SUBJECT).await, broker.hear(ROLL_CALL).await)
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
                self.publish_presence().await;
                if let Ok(Some(_)) = tokio::time::timeout(BEAT, calls.next()).await {
                    self.broker.learn_lease().await;
                }
            }
        };
        tokio::join!(working, present);
    }

    async fn publish_presence(&self) {
        let presence = Presence {
            worker: self.name(),
            machine: "simulated".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            rules: String::new(),
            cores: 1,
            speed: 1.0,
            jobs: 0,
            retries: 0,
            failed: 0,
            self_play_games: 0,
            leaving: false,
        };
        self.broker.publish_presence(&presence).await;
    }

    /// Takes a batch, sleeps as long as its games would take, and sends results.
    async fn work(&self) {
        let Ok(next) = self.broker.next_jobs(Some(PATIENCE)).await else {
            tokio::time::sleep(BEAT).await;
            return;
        };
        let Some(message) = next else { return };
        let Ok(batch) = unpacked::<JobBatch>(&message.payload) else { return };
        // No two machines are equally fast.
        let pair = self.all.pair.mul_f64(0.8 + 0.4 * self.phase());
        let at_once = (BATCH.as_secs_f64() / pair.as_secs_f64()).ceil().max(1.0) as usize;
        let done = async {
            for jobs in batch.jobs.chunks(at_once) {
                let time = pair * jobs.len() as u32;
                tokio::time::sleep(time).await;
                self.send(jobs, time).await;
            }
            let _ = message.ticket.acknowledge(Acknowledgement::Done, true).await;
        };
        tokio::select! {
            () = done => {}
            () = extend(&message) => {}
        }
    }

    async fn send(&self, jobs: &[Job], time: Duration) {
        let results = BatchResults {
            worker: WorkerName::of(&self.name()),
            seconds: time.as_secs_f64(),
            jobs: jobs.iter().map(|job| self.games(job)).collect(),
            ..BatchResults::default()
        };
        let payload = packed(&results);
        let name = blake3::hash(&payload).to_hex();
        let subject = results_of(&jobs[0].run);
        let never = || false;
        let _ = self.broker.retry(&never, || self.broker.publish(&subject, Some(&name), payload.clone())).await;
    }

    fn games(&self, job: &Job) -> Vec<WireGame> {
        let of_job = |(number, row): (usize, &GameRow)| {
            let row = GameRow { job: job.id.clone(), pair: job.pair, game: number as u8, ..row.clone() };
            WireGame::from(&row)
        };
        self.all.games.iter().enumerate().map(of_job).collect()
    }
}

/// Extends the lease of a message again and again.
async fn extend(message: &Delivery) {
    loop {
        tokio::time::sleep(HEARTBEAT).await;
        let _ = message.ticket.acknowledge(Acknowledgement::Progress, false).await;
    }
}
