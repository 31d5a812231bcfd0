//! Other programs that play: UGI and UCI in both directions, and processes with limits.
//!
//! [`Programs`] starts them where an agent spec says `cmd:PROGRAM`, and [`converse`] is the other side: an agent of ours as a program that
//! others can ask.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod command;
mod dialogue;
mod guard;
mod pool;
mod process;
mod score;
mod uci;
mod ugi;

pub use guard::{Bounds, become_program};
pub use pool::Programs;
pub use process::Setting;
pub use ugi::{Broken, Converser, converse};
