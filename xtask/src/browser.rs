//! The app in a real browser: the tests in `app-tests/`, run with Debian's Chromium.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{self, cargo};
use crate::test::Outcome;
use crate::workspace::Workspace;
use crate::{app, js, wasm};

pub fn check(workspace: &Workspace) -> Result<Outcome> {
    let found = Browser::find().and_then(|browser| wasm::compiler().map(|_| browser));
    let browser = match found {
        Ok(browser) => browser,
        Err(why) if std::env::var_os("CI").is_some() => return Err(why),
        Err(why) => return Ok(Outcome::Skipped(format!("{why:#}"))),
    };
    let dist = app::build(workspace)?;
    let ply = ply(workspace)?;
    let folder = js::prepare(workspace)?;
    let shots = workspace.target.join("screenshots");
    if shots.exists() {
        fs::remove_dir_all(&shots).context("the old screenshots cannot be removed")?;
    }
    let mut tests: Vec<PathBuf> = fs::read_dir(folder.join("tests"))?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    tests.sort();
    process::run(
        browser
            .node(&folder)
            .args(["--test", "--test-concurrency=2", "--test-reporter=spec"])
            .args(tests.iter().filter_map(|file| file.strip_prefix(&folder).ok()))
            .env("PLYGROUND_PLY", ply)
            .env("PLYGROUND_DIST", dist)
            .env("PLYGROUND_SHOTS", &shots),
    )?;
    process::say(&format!("pictures of all screens: {}", shots.strip_prefix(&workspace.root).unwrap_or(&shots).display()));
    Ok(Outcome::Passed)
}

/// A browser and what drives it.
pub struct Browser {
    chromium: PathBuf,
    node: PathBuf,
}

impl Browser {
    /// Finds them, or installs what is missing. Chromium without windows is the same browser for two thirds of the processor time.
    pub fn find() -> Result<Self> {
        const CHROMIUM: [&str; 2] = ["chromium-headless-shell", "chromium"];
        let install = |package| Ok(process::find_or_install(&[(package, package)])?.swap_remove(0));
        let found = CHROMIUM.iter().find_map(|program| process::find(program));
        let chromium = found.map_or_else(|| install(CHROMIUM[0]).or_else(|_: anyhow::Error| install(CHROMIUM[1])), Ok)?;
        Ok(Self { chromium, node: js::node()? })
    }

    /// Node.js in a folder that [`js::prepare`] has set up.
    pub fn node(&self, folder: &Path) -> Command {
        let mut node = Command::new(&self.node);
        node.current_dir(folder).env("PLYGROUND_CHROMIUM", &self.chromium);
        node
    }
}

/// The `ply` that the tests of the workspace have built already.
pub fn ply(workspace: &Workspace) -> Result<PathBuf> {
    // Built with all else, because with fewer packages the features of some dependencies are others, and everything is built twice.
    process::run(cargo().args(["test", "--workspace", "--no-run", "--quiet"]))?;
    Ok(workspace.target.join("debug/ply"))
}
