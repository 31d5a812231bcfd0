//! Measurements that need more than a benchmark harness: agents beside their peers in one run, levels against each other.
//!
//! Nothing that is shipped depends on this crate; it is the only place where a peer is linked.
#![forbid(unsafe_code)]

pub mod matches;
pub mod peer;
pub mod plot;
pub mod python;

use std::process::ExitCode;

/// How a measurement with bars ends: 0 if they were met, 1 if one was missed, 2 if it could not be made.
pub fn verdict(met: anyhow::Result<bool>) -> ExitCode {
    match met {
        Ok(met) => ExitCode::from(u8::from(!met)),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
