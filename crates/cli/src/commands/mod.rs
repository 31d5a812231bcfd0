//! One file per subcommand.

pub mod agents;
pub mod apply;
pub mod convert;
pub mod games;
pub mod moves;
pub mod perft;
pub mod play;
pub mod replay;
pub mod rules;
pub mod show;
pub mod start;
