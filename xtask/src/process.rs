//! Running other programs.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

/// The cargo that runs this program, so that every step uses the same compiler.
pub fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    // What is built once and thrown away need not be ready for changes.
    if std::env::var_os("CI").is_some() && std::env::var_os("CARGO_INCREMENTAL").is_none() {
        cargo.env("CARGO_INCREMENTAL", "0");
    }
    cargo
}

/// The command as one would type it.
fn line(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| {
            let word = word.to_string_lossy();
            // A full path to cargo says nothing that the reader needs.
            if word.ends_with("/cargo") { "cargo".into() } else { word }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

thread_local! {
    /// The file that takes what is printed by this thread and by the commands that it runs; the terminal if there is none.
    static LOG: RefCell<Option<File>> = const { RefCell::new(None) };
}

/// Calls `act` with everything that it prints, and that its commands print, in a file instead of on the terminal.
pub fn with_log<T>(file: &Path, act: impl FnOnce() -> T) -> Result<T> {
    let log = File::create(file).with_context(|| format!("{} cannot be written", file.display()))?;
    LOG.set(Some(log));
    let result = act();
    LOG.set(None);
    Ok(result)
}

/// Prints a line, on the terminal or in the log of this thread.
pub fn say(text: &str) {
    LOG.with_borrow_mut(|log| match log {
        Some(log) => drop(writeln!(log, "{text}")),
        None => println!("{text}"),
    });
}

/// Shows the command and runs it; its output goes where ours goes. An error when it fails.
pub fn run(command: &mut Command) -> Result<()> {
    let line = line(command);
    say(&format!("$ {line}"));
    LOG.with_borrow(|log| {
        if let Some(log) = log {
            command.stdout(log.try_clone()?).stderr(log.try_clone()?);
        }
        Ok::<_, std::io::Error>(())
    })?;
    let status = command.stdin(Stdio::null()).status().with_context(|| format!("`{line}` could not be started"))?;
    ensure!(status.success(), "`{line}` failed ({status})");
    Ok(())
}

/// The same, within a time; a command that takes longer is killed.
pub fn run_within(command: &mut Command, patience: Duration) -> Result<()> {
    let line = line(command);
    println!("$ {line}");
    let mut child = command.stdin(Stdio::null()).spawn().with_context(|| format!("`{line}` could not be started"))?;
    let deadline = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait()? {
            ensure!(status.success(), "`{line}` failed ({status})");
            return Ok(());
        }
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            bail!("`{line}` was not done after {} minutes", patience.as_secs() / 60);
        }
        thread::sleep(Duration::from_millis(200));
    }
}

/// What the command prints; an error when it fails.
pub fn output(command: &mut Command) -> Result<String> {
    let line = line(command);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("`{line}` could not be started"))?;
    if !output.status.success() {
        // Some programs (python3 -m venv) give their reason in the ordinary output.
        let said = if output.stderr.is_empty() { &output.stdout } else { &output.stderr };
        bail!("`{line}` failed ({}): {}", output.status, String::from_utf8_lossy(said).trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("the output of `{line}` is not text"))
}

/// A program in the search path.
pub fn find(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Programs with the Debian packages that they are in: where each is, after those that are missing were installed.
pub fn find_or_install(programs: &[(&str, &str)]) -> Result<Vec<PathBuf>> {
    // Only what is missing: a Node.js from elsewhere brings its own npm, and Debian's npm conflicts with it.
    let missing: Vec<&str> =
        programs.iter().filter(|(program, _)| find(program).is_none()).map(|&(_, package)| package).collect();
    if !missing.is_empty() {
        say(&format!("not here: {}; asking Debian for it", missing.join(", ")));
        apt_install(&missing)?;
    }
    programs.iter().map(|(program, _)| find(program).with_context(|| format!("`{program}` is not there"))).collect()
}

/// Installs Debian packages, where that needs no password. One call at a time: packages are installed under a lock.
pub fn apt_install(packages: &[&str]) -> Result<()> {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    output(Command::new("apt-get").arg("--version")).context("this machine has no apt-get")?;
    let install = || run(apt().args(["install", "--yes", "--quiet", "--no-install-recommends", "--no-remove"]).args(packages));
    // The lists of a fresh machine are empty or old.
    install().or_else(|_| {
        apt_update()?;
        install()
    })
}

/// Renews the lists of Debian packages.
pub fn apt_update() -> Result<()> {
    run(apt().args(["update", "--quiet"]))
}

/// A command as root, or by sudo without a password.
fn apt() -> Command {
    let root = output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    let mut apt = Command::new(if root { "apt-get" } else { "sudo" });
    if !root {
        apt.args(["-n", "apt-get"]);
    }
    apt.env("DEBIAN_FRONTEND", "noninteractive");
    apt
}
