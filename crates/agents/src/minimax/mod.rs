//! Agents that look at every reply.

pub(crate) mod plain;

pub use plain::Minimax;
