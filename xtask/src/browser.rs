//! The app in a real browser: the tests in `app-tests/`, run with Debian's Chromium.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::{self, cargo};
use crate::test::Outcome;
use crate::workspace::Workspace;
use crate::{app, wasm};

/// What drives the browser needs at least this version of Node.js.
const NODE: u32 = 20;

pub fn check(workspace: &Workspace) -> Result<Outcome> {
    let found = Browser::find().and_then(|browser| wasm::compiler().map(|_| browser));
    let browser = match found {
        Ok(browser) => browser,
        Err(why) if std::env::var_os("CI").is_some() => return Err(why),
        Err(why) => return Ok(Outcome::Skipped(format!("{why:#}"))),
    };
    let dist = app::build(workspace)?;
    let ply = ply(workspace)?;
    let folder = prepare(workspace)?;
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
    println!("pictures of all screens: {}", shots.strip_prefix(&workspace.root).unwrap_or(&shots).display());
    Ok(Outcome::Passed)
}

/// A browser and what drives it.
pub struct Browser {
    chromium: PathBuf,
    node: PathBuf,
}

impl Browser {
    /// Finds them, or installs what is missing.
    pub fn find() -> Result<Self> {
        // Only what is missing: a Node.js from elsewhere brings its own npm, and Debian's npm conflicts with it.
        let packages = [("chromium", "chromium"), ("node", "nodejs"), ("npm", "npm")];
        let missing: Vec<&str> =
            packages.iter().filter(|(program, _)| find(program).is_none()).map(|&(_, package)| package).collect();
        if !missing.is_empty() {
            println!("not here: {}; asking Debian for it", missing.join(", "));
            process::apt_install(&missing)?;
        }
        let found = |program| find(program).with_context(|| format!("`{program}` is not there"));
        let browser = Self { chromium: found("chromium")?, node: found("node")? };
        found("npm")?;
        let version = process::output(Command::new(&browser.node).arg("--version"))?;
        let major = version.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse().ok());
        ensure!(major >= Some(NODE), "Node.js {NODE} or newer is needed, found {}", version.trim());
        Ok(browser)
    }

    /// Node.js in a folder that [`prepare`] has set up.
    pub fn node(&self, folder: &Path) -> Command {
        let mut node = Command::new(&self.node);
        node.current_dir(folder).env("PLYGROUND_CHROMIUM", &self.chromium);
        node
    }
}

/// A program in the search path.
pub fn find(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// The `ply` that the tests of the workspace have built already.
pub fn ply(workspace: &Workspace) -> Result<PathBuf> {
    // Built with all else, because with fewer packages the features of some dependencies are others, and everything is built twice.
    process::run(cargo().args(["test", "--workspace", "--no-run", "--quiet"]))?;
    Ok(workspace.target.join("debug/ply"))
}

/// Copies the tests to where their packages may be installed without littering the repository, and gives that folder.
pub fn prepare(workspace: &Workspace) -> Result<PathBuf> {
    let (source, folder) = (workspace.root.join("app-tests"), workspace.target.join("app-tests"));
    let lock = |folder: &Path| fs::read(folder.join("package-lock.json")).ok();
    let installed = folder.join("node_modules").is_dir() && lock(&source) == lock(&folder);
    for part in ["lib", "tests"].map(|part| folder.join(part)).iter().filter(|part| part.exists()) {
        fs::remove_dir_all(part)?;
    }
    app::copy(&source, &folder, &|name| name != OsStr::new("node_modules"))?;
    if !installed {
        process::run(Command::new("npm").args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&folder))?;
    }
    Ok(folder)
}
