//! Other programs that play: as they should, and in every way in which they should not.
#![cfg(unix)]

mod bots;
mod descendants;
mod faults;
mod guests;
mod outside;
mod served;
mod ugi;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A directory of its own for a test, gone when the test is over.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("plyground-engines-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn ply(data: &Directory) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ply"));
    command.arg("--data").arg(&data.0).args(["--seed", "5"]).current_dir(root());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a command, with something to read.
fn run(mut command: Command, input: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    // Whoever does not want to read it all need not.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The spec of a mock engine that behaves in this way, with keys if there are any.
fn mock(keys: &str, way: &str) -> String {
    let gap = if keys.is_empty() { "" } else { " " };
    format!("cmd:{keys}{gap}sh crates/cli/tests/engines/mock.sh {way}")
}

/// Plays a match and gives the lines about its finished games.
fn play_match(data: &Directory, game: &str, agents: [&str; 2], more: &[&str]) -> Vec<Value> {
    let events = data.0.join("events.jsonl");
    let output = ply(data)
        .args(["match", game])
        .args(agents)
        .args(["--opening-plies", "0", "--json", "--events"])
        .arg(&events)
        .args(if more.contains(&"--threads") { &[][..] } else { &["--threads", "2"] })
        .args(more)
        .output()
        .unwrap();
    assert!(output.status.success(), "{agents:?}: {}", err(&output));
    let lines = fs::read_to_string(&events).unwrap();
    let events = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    events.filter(|event| event["event"] == "game-finished").collect()
}

/// How each of the games ended for which agent.
fn endings(games: &[Value]) -> Vec<String> {
    games.iter().map(|game| format!("{} {}", game["fault"], game["reason"].as_str().unwrap())).collect()
}
