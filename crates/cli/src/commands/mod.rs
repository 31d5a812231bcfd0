//! One file per subcommand.

pub mod agents;
pub mod apply;
pub mod compare;
pub mod convert;
pub mod games;
pub mod moves;
pub mod perft;
pub mod play;
pub mod regions;
pub mod replay;
pub mod rules;
pub mod show;
pub mod solve;
pub mod start;
pub mod think;
pub mod train;
