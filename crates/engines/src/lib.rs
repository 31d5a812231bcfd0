//! External engines: UGI and UCI in both directions, in processes with resource limits.
//!
//! [`EnginePool`] starts engines for agent specs of the form `cmd:PROGRAM`; [`serve_ugi`] is the other side: an agent of ours as a UGI
//! engine.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod client;
mod command;
#[doc(hidden)]
pub mod fuzzing;
#[cfg(target_os = "linux")]
mod launcher;
mod pool;
mod process;
mod process_limits;
mod score;
mod uci;
mod ugi;

pub use command::ConfinedProgram;
#[cfg(target_os = "linux")]
pub use launcher::launch_program;
pub use pool::EnginePool;
pub use process::ProcessOptions;
pub use process_limits::{ProcessLimits, become_program};
pub use ugi::{UgiError, UgiOptions, serve_ugi};
