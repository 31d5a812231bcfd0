//! Experiments one can defend: many games, and what they prove.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod statistics;
