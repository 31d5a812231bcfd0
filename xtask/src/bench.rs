//! Measurements that are commands of the workshop; what they do is in `bench/src/bin/`.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{self, cargo};
use crate::workspace::Workspace;

/// Builds one and lets it measure. True if no bar was missed.
pub fn run(name: &str, args: &[&str]) -> Result<bool> {
    let workspace = Workspace::load()?;
    process::run(cargo().args(["build", "--release", "--package", "plyground-bench", "--bin", name]))?;
    let program = workspace.target.join("release").join(name);
    let status = Command::new(program).args(args).status().context("the measurement cannot be started")?;
    match status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => bail!("the measurement failed ({status})"),
    }
}
