//! The compiler for browsers.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::process::{self, cargo};

pub const TARGET: &str = "wasm32-unknown-unknown";
/// A cargo that can build for the browser: the one in use, with rustup's help if need be, or Debian's.
pub fn compiler() -> Result<Command> {
    if has_target() {
        return Ok(cargo());
    }
    process::say(&format!("the compiler in use cannot build for {TARGET} yet: asking rustup for it"));
    let rustup = process::run(Command::new("rustup").args(["target", "add", TARGET]));
    if has_target() {
        return Ok(cargo());
    }
    process::say("that did not work: trying the compiler of Debian, which comes with the sources of the standard library");
    match (rustup, debian()) {
        (_, Ok(debian)) => Ok(debian),
        (Ok(()), Err(debian)) => Err(debian.context("rustup's target is not where the compiler looks for it")),
        (Err(rustup), Err(debian)) => bail!("no compiler for {TARGET}: {rustup:#}; {debian:#}"),
    }
}

/// Asks the compiler and not rustup, as it may come from elsewhere.
fn has_target() -> bool {
    process::output(Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]))
        .is_ok_and(|folder| Path::new(folder.trim()).read_dir().is_ok_and(|mut files| files.next().is_some()))
}

/// Debian has no standard library for the browser, but its sources: cargo builds it (unstable, hence the bootstrap switch).
fn debian() -> Result<Command> {
    const PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-19"];
    let installed = || {
        process::output(Command::new("dpkg-query").args(["--show", "--showformat", "${db:Status-Status}\n"]).args(PACKAGES))
            .is_ok_and(|statuses| statuses.lines().all(|status| status == "installed"))
    };
    if !installed() {
        process::apt_install(&PACKAGES)?;
        ensure!(installed(), "the packages {} are not all installed", PACKAGES.join(", "));
    }
    let path = std::env::var("PATH").context("PATH is not set")?;
    let mut cargo = Command::new("/usr/bin/cargo");
    cargo
        .args(["-Z", "build-std=std,panic_abort"])
        // Without it, cargo takes the first compiler in PATH for its own.
        .env("RUSTC", "/usr/bin/rustc")
        .env("RUSTC_BOOTSTRAP", "1")
        .env("PATH", format!("/usr/bin:{path}"))
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld-19");
    Ok(cargo)
}
