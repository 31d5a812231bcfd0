//! Other programs that play: UGI and UCI in both directions, and processes with limits.
//!
//! [`Programs`] starts them where an agent spec says `cmd:PROGRAM`, and [`converse`] is the other side: an agent of ours as a program that
//! others can ask.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod client;
mod command;
mod pool;
mod process;
mod process_limits;
mod score;
mod uci;
mod ugi;

pub use pool::Programs;
pub use process::Setting;
pub use process_limits::{Bounds, become_program};
pub use ugi::{Broken, Converser, converse};
