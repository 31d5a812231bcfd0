//! The fuzz targets are a workspace of their own, which nothing else builds: here they are kept from rotting.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{self, cargo};
use crate::test::Outcome;
use crate::workspace::Workspace;

/// The manifest of the fuzz targets.
pub fn manifest(workspace: &Workspace) -> PathBuf {
    workspace.root.join("fuzz/Cargo.toml")
}

pub fn check(workspace: &Workspace) -> Result<Outcome> {
    // libFuzzer is C++.
    if process::output(Command::new("c++").arg("--version")).is_err() {
        process::apt_install(&["g++"]).context("a C++ compiler is needed and could not be installed")?;
    }
    process::run(
        cargo()
            .args(["check", "--all-targets", "--manifest-path"])
            .arg(manifest(workspace))
            .arg("--target-dir")
            .arg(workspace.target.join("fuzz"))
            .env("RUSTFLAGS", "--cfg fuzzing -D warnings"),
    )?;
    match cargo_fuzz() {
        // Not optimised: this build is a check, and not used for fuzzing.
        Ok(mut cargo_fuzz) => process::run(cargo_fuzz.args(["build", "--dev"]))?,
        Err(why) => process::say(&format!("checked, but not built with the fuzzer's instrumentation: {why:#}")),
    }
    Ok(Outcome::Passed)
}

/// `cargo fuzz` on the nightly compiler, which its instrumentation needs.
fn cargo_fuzz() -> Result<Command> {
    let nightly = |arg: &str| {
        let mut command = Command::new("rustup");
        command.args(["run", "nightly", "cargo", arg]);
        command
    };
    process::output(&mut nightly("--version")).context("there is no nightly toolchain")?;
    if process::output(nightly("fuzz").arg("--version")).is_err() {
        process::run(cargo().args(["install", "cargo-fuzz", "--locked"])).context("there is no cargo-fuzz")?;
    }
    Ok(nightly("fuzz"))
}
