//! Histories of a cluster from one seed: the coordinator and the worker of production on simulated machines, with a simulated server.
//!
//! In a history everything goes wrong that can: messages get lost, doubled, late and changed, the server loses what it had,
//! programs are killed, frozen and cut off, clocks are wrong, disks forget, workers lie. Then it is calm, and the run must come to
//! the table that one computer comes to. What is simulated and what is not: `docs/simulation.md`.

mod client;
mod disk;
mod experiments;
mod faults;
mod history;
mod liars;
mod programs;
mod server;
mod world;

pub use history::{SimulatedHistory, simulate};
