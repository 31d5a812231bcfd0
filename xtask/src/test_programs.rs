//! The test programs of the workspace, run side by side.
//!
//! `cargo test` runs one program after the other. Many of ours wait most of their time, for other processes and for time limits.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::process::{self, cargo};
use crate::test::span;

/// The programs that take longest. They begin first, so that none of them is alone at the end.
const LONG: [&str; 4] = ["lockstep", "cluster", "agents", "book"];

/// A program with tests.
#[derive(Debug, PartialEq, Eq)]
struct TestProgram {
    file: PathBuf,
    /// The folder of its package, in which it runs.
    folder: PathBuf,
    /// The package and the target, as in `plyground-games, lockstep`.
    name: String,
}

/// Builds all test programs, and runs them in one lane more than there are cores. What a program prints is shown when it has ended.
/// One that failed is run once more, alone: an error names those that failed again, and the answer those that did not.
pub fn run(environment: &[(&str, &Path)]) -> Result<Vec<String>> {
    let messages = process::output(cargo().args(["test", "--workspace", "--no-run", "--message-format=json"]))?;
    let mut programs = parse(&messages).context("`cargo test` printed something unexpected")?;
    programs.sort_by_key(|program| !LONG.iter().any(|long| program.name.ends_with(&format!(", {long}"))));
    let waiting = Mutex::new(VecDeque::from(programs));
    let failed = Mutex::new(Vec::new());
    let lane = || {
        let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        while let Some(program) = next() {
            if !program.run(environment) {
                failed.lock().unwrap_or_else(PoisonError::into_inner).push(program);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..=thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(lane);
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (unsteady, failed): (Vec<_>, Vec<_>) = failed.into_iter().partition(|program| program.run(environment));
    let names = |programs: Vec<TestProgram>| programs.into_iter().map(|program| program.name).collect::<Vec<_>>();
    ensure!(failed.is_empty(), "tests failed in {}", names(failed).join("; "));
    Ok(names(unsteady))
}

impl TestProgram {
    /// Runs it and shows what it printed. Have all tests passed?
    fn run(&self, environment: &[(&str, &Path)]) -> bool {
        let begin = Instant::now();
        let mut command = Command::new(&self.file);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder).stdin(Stdio::null());
        command.envs(environment.iter().copied());
        let (passed, text) = match command.output() {
            Ok(Output { status, stdout, stderr }) => {
                let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned()).join("\n");
                (status.success(), if status.code().is_some() { text } else { format!("{text}\n{status}") })
            }
            Err(error) => (false, format!("it could not be started: {error}")),
        };
        let verdict = if passed { "passed" } else { "FAILED" };
        // One call, so that lines of two programs are not mixed.
        println!("-- {}: {verdict} in {}\n{}", self.name, span(begin.elapsed()), text.trim());
        passed
    }
}

/// The test programs among the messages of cargo.
fn parse(messages: &str) -> Result<Vec<TestProgram>> {
    let mut programs = Vec::new();
    for line in messages.lines() {
        let message: Value = serde_json::from_str(line)?;
        let text = |pointer: &str| message.pointer(pointer).and_then(Value::as_str);
        let is_test = message.pointer("/profile/test").and_then(Value::as_bool) == Some(true);
        let (Some(file), true) = (text("/executable"), is_test) else { continue };
        let manifest = Path::new(text("/manifest_path").context("a program without a manifest")?);
        let folder = manifest.parent().context("a manifest without a folder")?;
        let package = folder.file_name().unwrap_or_default().to_string_lossy();
        let target = text("/target/name").context("a program without a name")?;
        programs.push(TestProgram { file: file.into(), folder: folder.to_owned(), name: format!("{package}, {target}") });
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_programs_are_found_among_the_messages() {
        let messages = [
            r#"{"reason":"compiler-artifact","manifest_path":"/a/games/Cargo.toml","target":{"name":"laws"},"profile":{"test":true},"executable":"/t/laws-1"}"#,
            r#"{"reason":"compiler-artifact","manifest_path":"/a/cli/Cargo.toml","target":{"name":"ply"},"profile":{"test":false},"executable":"/t/ply"}"#,
            r#"{"reason":"compiler-artifact","manifest_path":"/a/core/Cargo.toml","target":{"name":"core"},"profile":{"test":true},"executable":null}"#,
            r#"{"reason":"build-finished","success":true}"#,
        ];
        let laws = TestProgram { file: "/t/laws-1".into(), folder: "/a/games".into(), name: "games, laws".to_owned() };
        assert_eq!(parse(&messages.join("\n")).unwrap(), [laws]);
        assert!(parse("no JSON").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_program_passes_by_its_exit_code() {
        let program = |file: &str| TestProgram { file: file.into(), folder: "/".into(), name: file.to_owned() };
        assert!(program("/bin/true").run(&[]));
        assert!(!program("/bin/false").run(&[]));
        assert!(!program("/no/such/program").run(&[]));
    }
}
