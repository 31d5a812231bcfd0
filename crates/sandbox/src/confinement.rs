//! What a confined program gets.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The way in which namespaces are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// By the program `bwrap` (bubblewrap).
    Bubblewrap,
    /// By ourselves.
    Namespaces,
    /// Not at all: the program runs with the rights of the user, within limits. For programs that are trusted.
    Unconfined,
}

/// The sandbox of a program: its folder, and the most that it gets of everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// How it is made.
    pub isolation: Isolation,
    /// The folder that the program sees as `/bot`, read-only; without one, `/bot` is empty.
    pub folder: Option<PathBuf>,
    /// Other folders that it sees at their own places, read-only: runtimes that are not installed under `/usr`.
    pub visible: Vec<PathBuf>,
    /// Memory of each process, in megabytes. The launcher ends a program whose processes take more together.
    pub memory: u64,
    /// Processor time of each process, in seconds.
    pub cpu: u64,
    /// Processes and threads together.
    pub processes: u64,
    /// The size of `/tmp`, in megabytes.
    pub tmp: u64,
    /// Set by ourselves in the process that is inside already: the user that it becomes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage_uid: Option<u32>,
}

impl Confinement {
    /// A sandbox without a folder, with room for a small program.
    pub fn new(isolation: Isolation) -> Self {
        Self { isolation, folder: None, visible: Vec::new(), memory: 256, cpu: 600, processes: 64, tmp: 16, stage_uid: None }
    }

    /// It as one word of a command line.
    pub fn to_word(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// From such a word.
    pub fn from_word(word: &str) -> Result<Self, String> {
        serde_json::from_str(word).map_err(|error| format!("expected the description of a sandbox: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_goes_through_a_command_line() {
        let sandbox = Confinement { folder: Some("/a b/ü".into()), ..Confinement::new(Isolation::Namespaces) };
        assert_eq!(Confinement::from_word(&sandbox.to_word()), Ok(sandbox));
        assert!(Confinement::from_word("bwrap").unwrap_err().contains("expected the description of a sandbox"));
    }
}
