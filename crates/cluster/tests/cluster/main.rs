//! Runs on many machines: a real NATS server, real workers, the same games as on one machine.

mod access;
#[path = "../../../match/tests/match/common.rs"]
#[allow(dead_code, reason = "the tests of each crate use a part of it")]
mod common;
mod hostile;
mod liar;
mod memory;
mod nats;
mod place;
mod queue;
#[path = "../../../match/tests/match/queue_laws.rs"]
mod queue_laws;
mod roles;
mod server;
