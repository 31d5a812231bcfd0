//! Training that can be killed and goes on, data sets of positions, learning agents.

#[path = "../../../match/tests/match/common.rs"]
#[allow(dead_code, reason = "the tests of each crate use a part of it")]
mod common;
mod learners;
mod positions;
mod remote;
mod runs;
mod train;
