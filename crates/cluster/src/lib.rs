//! Distributed runs and trainings over NATS JetStream: coordinator, workers, job queue.
//!
//! Jobs are a work-queue stream with explicit acknowledgements; results are a stream that coordinators read from its beginning. A
//! result is published before its job is acknowledged and kept under the name of the job, so that work done twice counts once:
//! whatever is killed, frozen or cut off, something is done again, and nothing is lost. Only what NATS 2.9 knows is used.

mod access;
mod announcement;
mod batcher;
mod broker;
mod coordinator;
mod files;
mod fleet;
#[doc(hidden)]
pub mod fuzzing;
mod handshake;
mod leadership;
mod machine;
mod message_server;
mod names;
mod nats;
mod notes;
mod permissions;
mod queue;
mod result_reader;
mod role;
mod sample;
mod setup;
mod simulated_workers;
mod training;
mod trust;
mod wire;
mod worker;

pub use access::Access;
pub use broker::Broker;
pub use coordinator::Fleet;
pub use fleet::{FleetView, FleetWatch, Presence};
pub use handshake::Handshake;
pub use plyground_match::RefusedResults;
pub use queue::{DELIVERIES, NatsQueue};
pub use role::{Role, RoleCredentials};
pub use setup::{MOST_WORKER_FILES, QueueFiles, QueueSetup};
pub use simulated_workers::SimulatedWorkers;
pub use training::SelfPlayers;
pub use worker::{WorkerOptions, run_worker};

/// The parts of coordinators and workers, for those who put them together at other servers and on other machines than those of
/// production, as `plyground-simulation` does.
///
/// [`MessageServer`](parts::MessageServer) is what both need of a server, [`Machine`](parts::Machine) what they need of the machine
/// that they run on, and a [`Broker`] has one of each.
pub mod parts {
    pub use crate::machine::{Machine, Task};
    pub use crate::message_server::{
        ANSWER, Acknowledgement, Answer, Archive, Delivery, Heard, Kept, MessageServer, Reading, Ticket, jobs_of, results_of,
    };
    pub use crate::nats::KEY_KEPT;
    pub use crate::notes::Notes;
    pub use crate::wire::{BatchResults, Failure, packed};
    pub use crate::worker::{AnnouncedRuns, Heartbeats, KnownRun, PlayableJobs};
}
