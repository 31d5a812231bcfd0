//! One file per subcommand.

pub mod agents;
pub mod apply;
pub mod compare;
pub mod convert;
pub mod duel;
pub mod games;
pub mod judge;
pub mod moves;
pub mod perft;
pub mod play;
pub mod ratings;
pub mod regions;
pub mod replay;
pub mod report;
pub mod rules;
pub mod runs;
pub mod show;
pub mod solve;
pub mod sprt;
pub mod start;
pub mod study;
pub mod think;
pub mod tournament;
pub mod train;
pub mod tune;
