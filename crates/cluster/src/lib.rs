//! Distributed runs and trainings over NATS JetStream: coordinator, workers, job queue.
//!
//! Jobs are a work-queue stream with explicit acknowledgements; results are a stream that coordinators read from its beginning. A
//! result is published before its job is acknowledged and kept under the name of the job, so that work done twice counts once:
//! whatever is killed, frozen or cut off, something is done again, and nothing is lost. Only what NATS 2.9 knows is used.

mod announcement;
mod batcher;
mod broker;
mod coordinator;
mod files;
mod fleet;
mod handshake;
mod leadership;
mod names;
mod notes;
mod queue;
mod result_reader;
mod sample;
mod simulated_workers;
mod training;
mod trust;
mod wire;
mod worker;

pub use broker::{Access, Broker};
pub use coordinator::Fleet;
pub use fleet::{FleetView, FleetWatch, Presence};
pub use handshake::Handshake;
pub use plyground_match::RefusedResults;
pub use queue::{DELIVERIES, NatsQueue};
pub use simulated_workers::SimulatedWorkers;
pub use training::SelfPlayers;
pub use worker::{WorkerOptions, run_worker};
