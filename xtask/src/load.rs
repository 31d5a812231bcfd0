//! `cargo xtask load`: 500 games at once on a server; see `bench/src/bin/load.rs`.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{self, cargo};
use crate::workspace::Workspace;

/// Builds and measures. True if no bar was missed.
pub fn run() -> Result<bool> {
    let workspace = Workspace::load()?;
    process::run(cargo().args(["build", "--release", "--package", "plyground-bench", "--bin", "load"]))?;
    let status = Command::new(workspace.target.join("release/load")).status().context("the measurement cannot be started")?;
    match status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => bail!("the measurement failed ({status})"),
    }
}
