//! A nats-server: the installed one, or Debian's, unpacked into the target folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;
use crate::workspace::Workspace;

/// Finds the program, or fetches it. It is not installed: Debian's package would start a server for the whole computer.
pub fn server(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target.join("nats-server");
    let unpacked = folder.join("usr/sbin/nats-server");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).chain([Path::new("/usr/sbin").to_owned()]);
    let found = places.map(|place| place.join("nats-server")).chain([unpacked.clone()]).find(|file| file.is_file());
    if let Some(found) = found {
        return Ok(found);
    }
    println!("nats-server is missing: asking Debian for it");
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let download = || process::run(Command::new("apt-get").args(["download", "--quiet", "nats-server"]).current_dir(&folder));
    // The lists of a fresh machine are empty or old.
    download().or_else(|_| {
        process::apt_update()?;
        download()
    })?;
    let packages = fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    let package = packages.filter(|file| file.extension().is_some_and(|ending| ending == "deb")).max();
    let package = package.context("apt-get has left no package")?;
    process::run(Command::new("dpkg-deb").arg("--extract").arg(&package).arg(&folder))?;
    anyhow::ensure!(unpacked.is_file(), "{} is not in the package", unpacked.display());
    Ok(unpacked)
}
