//! The JavaScript of the app: its linter and its types, and the packages for both and for the tests in a browser.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::app;
use crate::process::{self, find};
use crate::test::Outcome;
use crate::workspace::Workspace;

/// The oldest version of Node.js on which the packages run.
const NODE: u32 = 20;

/// The configurations of tsc: the page, and what runs in workers.
const TYPES: [&str; 2] = ["app/tsconfig.json", "app/tsconfig.worker.json"];

/// The linter and `tsc --checkJs`, from the root of the workspace, so that what they say names files as people do.
pub fn check(workspace: &Workspace) -> Result<Outcome> {
    let node = match node() {
        Ok(node) => node,
        Err(why) if std::env::var_os("CI").is_some() => return Err(why),
        Err(why) => return Ok(Outcome::Skipped(format!("{why:#}"))),
    };
    let folder = prepare(workspace)?;
    let program = |file: &str| {
        let mut program = Command::new(&node);
        program.current_dir(&workspace.root).arg(folder.join("node_modules").join(file));
        program
    };
    let config = folder.join("eslint.config.js");
    let mut linter = program("eslint/bin/eslint.js");
    process::run(linter.args(["--max-warnings", "0", "--config"]).arg(config).args(["app", "app-tests"]))?;
    for project in TYPES {
        process::run(program("typescript/bin/tsc").args(["--project", project]))?;
    }
    Ok(Outcome::Passed)
}

/// Node.js, installed if it is missing, and with it npm.
pub fn node() -> Result<PathBuf> {
    let node = process::find_or_install(&[("node", "nodejs"), ("npm", "npm")])?.swap_remove(0);
    let version = process::output(Command::new(&node).arg("--version"))?;
    let major = version.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse().ok());
    ensure!(major >= Some(NODE), "Node.js {NODE} or newer is needed, found {}", version.trim());
    Ok(node)
}

/// Copies the tests to where their packages may be installed without littering the repository, and gives that folder.
pub fn prepare(workspace: &Workspace) -> Result<PathBuf> {
    let (source, folder) = (workspace.root.join("app-tests"), workspace.target.join("app-tests"));
    let lock = |folder: &Path| fs::read(folder.join("package-lock.json")).ok();
    // npm writes this file when everything is there.
    let installed = folder.join("node_modules/.package-lock.json").is_file() && lock(&source) == lock(&folder);
    for part in ["lib", "tests"].map(|part| folder.join(part)).iter().filter(|part| part.exists()) {
        fs::remove_dir_all(part)?;
    }
    app::copy(&source, &folder, &|name| name != OsStr::new("node_modules"))?;
    if !installed {
        let npm = find("npm").context("`npm` is not there")?;
        process::run(Command::new(npm).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&folder))?;
    }
    Ok(folder)
}
