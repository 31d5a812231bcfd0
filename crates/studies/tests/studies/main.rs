//! Studies made of runs: balance, competitions, judging, reports, published tables, tuning.

mod balance;
#[path = "../../../match/tests/match/common.rs"]
#[allow(dead_code, reason = "the tests of each crate use a part of it")]
mod common;
mod competition;
mod judge;
mod printed_search;
mod puzzles;
mod report;
mod studies;
mod tune;
