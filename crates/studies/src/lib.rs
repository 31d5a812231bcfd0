//! Studies made of runs: published tables beside ours, balance, judging, tuning, competitions, reports with plots.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod balance;
pub mod competition;
pub mod judge;
pub mod measure;
pub mod report;
pub mod study;
pub mod tune;
pub mod verdict;
