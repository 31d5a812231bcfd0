//! What works on this computer: each way is tried, with all that a program will get.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Confinement, Isolation};

/// The ways that work, and why others do not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detection {
    /// Those that work, the preferred one first.
    pub works: Vec<Isolation>,
    /// Why each of the others does not, in sentences.
    pub reasons: Vec<String>,
}

/// A program that every Linux has, and that does nothing.
const NOTHING: &str = "/usr/bin/true";

/// Tries each way. `guard` is the program that calls [`crate::enter`] when it is started as `GUARD run-engine --cpu S --memory MB --sandbox
/// WORD -- PROGRAM`.
pub fn detect(guard: &Path) -> Detection {
    let mut detection = Detection::default();
    if !cfg!(target_os = "linux") {
        detection.reasons.push("this is not Linux".to_owned());
        return detection;
    }
    for isolation in [Isolation::Bubblewrap, Isolation::Namespaces] {
        match attempt(guard, isolation) {
            Ok(()) => detection.works.push(isolation),
            Err(why) => detection.reasons.push(format!("{}: {why}", isolation.title())),
        }
    }
    detection
}

fn attempt(guard: &Path, isolation: Isolation) -> Result<(), String> {
    let word = Confinement::new(isolation).to_word();
    let mut command = Command::new(guard);
    command.args(["run-engine", "--cpu", "10", "--memory", "256", "--sandbox", &word, "--", NOTHING]);
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let last = words.lines().map(str::trim).rfind(|line| !line.is_empty());
    Err(last.map_or_else(|| format!("it ended with {}", output.status), str::to_owned))
}

impl Isolation {
    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Bubblewrap => "bubblewrap",
            Self::Namespaces => "namespaces of our own",
            Self::Unconfined => "none",
        }
    }
}
