//! One run on many machines, and everything that happens to machines: workers that are killed and frozen, a server that is restarted,
//! coordinators that are killed and started twice. The table at the end, and every game, is that of one computer alone.

#[path = "../../cluster/tests/cluster/server.rs"]
mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use server::{Server, free_port};

/// Long enough that something can happen meanwhile, and no time limits: the same seed gives the same games everywhere.
const RUN: &str = "match clobber:size=5x4 mcts:sims=20000 mcts:sims=26000 --pairs 60 --seed 7 --json";
const PAIRS: usize = 60;
const LEASE: Duration = Duration::from_secs(2);
/// Nothing here takes as long as this.
const PATIENCE: Duration = Duration::from_mins(5);

/// A directory of its own for a test, gone when the test is over.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("plyground-cluster-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A program that ends with the test.
struct Running(Child);

impl Running {
    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.0.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Waits for its end; what it printed last.
    fn result(mut self) -> Value {
        let begun = Instant::now();
        while self.0.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < PATIENCE, "it has not ended");
            std::thread::sleep(Duration::from_millis(50));
        }
        let mut text = String::new();
        std::io::Read::read_to_string(self.0.stdout.as_mut().unwrap(), &mut text).unwrap();
        assert!(self.0.wait().unwrap().success(), "{text}");
        serde_json::from_str(text.lines().last().unwrap()).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn ply(data: &Path, words: &str) -> Running {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ply"));
    command.arg("--data").arg(data).args(words.split(' ')).arg("--quiet");
    Running(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap())
}

/// All games of the only run, without their times.
fn games(data: &Path) -> Vec<String> {
    let runs = ply(data, "runs --json").result();
    let run = runs[0]["run"].as_str().unwrap().to_owned();
    let file = data.join("games.csv");
    let mut written = Command::new(env!("CARGO_BIN_EXE_ply"));
    written.arg("--data").arg(data).args(["runs", "games", &run, "--csv", "--out"]).arg(&file);
    assert!(written.status().unwrap().success());
    let table = fs::read_to_string(&file).unwrap();
    table.lines().skip(1).map(|line| line.rsplitn(4, ',').nth(3).unwrap().to_owned()).collect()
}

/// What one computer alone makes of it.
fn alone() -> &'static (Value, Vec<String>) {
    static ALONE: OnceLock<(Value, Vec<String>)> = OnceLock::new();
    ALONE.get_or_init(|| {
        let directory = Directory::new();
        let table = ply(&directory.0, RUN).result();
        let games = games(&directory.0);
        assert_eq!(games.len(), 2 * PAIRS);
        (table, games)
    })
}

/// A server, and those who use it.
struct Cluster {
    server: Server,
    data: Directory,
    workers: Vec<Running>,
}

impl Cluster {
    /// Nothing where there is no server to be had.
    fn new(workers: usize) -> Option<Self> {
        let server = Server::start()?;
        let mut cluster = Self { server, data: Directory::new(), workers: Vec::new() };
        let url = cluster.server.url();
        for _ in 0..workers {
            cluster.add_worker(&url);
        }
        Some(cluster)
    }

    fn add_worker(&mut self, url: &str) {
        let words = format!("worker --queue {url} --cores 1");
        self.workers.push(ply(&self.data.0.join(format!("worker-{}", self.workers.len())), &words));
    }

    fn events(data: &Path) -> PathBuf {
        data.join("events.jsonl")
    }

    fn coordinator(&self, data: &Path) -> Running {
        let words =
            format!("{RUN} --queue {} --lease {}s --events {}", self.server.url(), LEASE.as_secs(), Self::events(data).display());
        ply(data, &words)
    }

    /// Waits until so many games have come back to a coordinator: then everybody is at work.
    fn wait_for_games(data: &Path, least: usize) {
        let begun = Instant::now();
        let count = || fs::read_to_string(Self::events(data)).unwrap_or_default().matches("game-finished").count();
        while count() < least {
            assert!(begun.elapsed() < PATIENCE, "{} games came back", count());
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(count() < 2 * PAIRS, "it was over before anything happened");
    }

    /// Nothing is missing, nothing is there twice, and all is as it would be on one computer.
    fn same_as_alone(data: &Path, table: &Value) {
        let (expected, expected_games) = alone();
        assert_eq!(table, expected);
        assert_eq!(&games(data), expected_games);
    }
}

#[test]
fn a_worker_is_killed() {
    let Some(mut cluster) = Cluster::new(2) else { return };
    let data = Directory::new();
    let coordinator = cluster.coordinator(&data.0);
    Cluster::wait_for_games(&data.0, 8);
    cluster.workers[0].kill();
    Cluster::same_as_alone(&data.0, &coordinator.result());
}

#[test]
fn a_worker_is_frozen_for_longer_than_its_lease() {
    let Some(cluster) = Cluster::new(2) else { return };
    let data = Directory::new();
    let coordinator = cluster.coordinator(&data.0);
    Cluster::wait_for_games(&data.0, 8);
    cluster.workers[0].signal("-STOP");
    std::thread::sleep(2 * LEASE);
    cluster.workers[0].signal("-CONT");
    Cluster::same_as_alone(&data.0, &coordinator.result());
}

#[test]
fn the_server_is_killed_and_started_again() {
    let Some(mut cluster) = Cluster::new(2) else { return };
    let data = Directory::new();
    let coordinator = cluster.coordinator(&data.0);
    for least in [6, 20] {
        Cluster::wait_for_games(&data.0, least);
        cluster.server.kill();
        std::thread::sleep(Duration::from_secs(1));
        cluster.server.run();
    }
    Cluster::same_as_alone(&data.0, &coordinator.result());
}

#[test]
fn the_server_is_slow() {
    let Some(mut cluster) = Cluster::new(0) else { return };
    let far = cluster.server.far_away(LEASE / 8);
    cluster.add_worker(&far);
    cluster.add_worker(&far);
    let data = Directory::new();
    let coordinator = cluster.coordinator(&data.0);
    Cluster::same_as_alone(&data.0, &coordinator.result());
}

#[test]
fn the_coordinator_is_started_twice_and_one_of_them_is_killed() {
    let Some(cluster) = Cluster::new(2) else { return };
    let (data, elsewhere) = (Directory::new(), Directory::new());
    let mut first = cluster.coordinator(&data.0);
    Cluster::wait_for_games(&data.0, 4);
    // One beside it in the same store, and one on another computer.
    let second = cluster.coordinator(&data.0);
    let third = cluster.coordinator(&elsewhere.0);
    Cluster::wait_for_games(&elsewhere.0, 12);
    first.kill();
    let (second, third) = (second.result(), third.result());
    Cluster::same_as_alone(&data.0, &second);
    Cluster::same_as_alone(&elsewhere.0, &third);
}

/// What `ply` says and its exit code.
fn said(words: &[&str]) -> (Option<i32>, String) {
    let data = Directory::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ply"));
    let output = command.arg("--data").arg(&data.0).args(words).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

/// A run that takes a second.
const SHORT_RUN: &str = "match tictactoe random mcts:sims=50 --pairs 30 --seed 7 --json";

#[test]
fn a_queue_with_roles_is_set_up_by_one_command() {
    let (folder, port) = (Directory::new(), free_port().to_string());
    let queue = folder.0.join("queue");
    let init = ["queue", "init", queue.to_str().unwrap(), "--host", "127.0.0.1", "--port", &port, "--workers", "2"];
    let (code, text) = said(&init);
    assert_eq!((code, text.lines().count()), (Some(0), 3), "{text}");
    assert!(text.contains("nats-server -c ") && text.contains("worker-1.queue") && text.contains("coordinator.queue"), "{text}");
    let (code, text) = said(&init);
    assert!(code == Some(2) && text.contains("is not replaced"), "{text}");
    let Some(server) = Server::configured(&queue.join("nats-server.conf"), port.parse().unwrap()) else { return };
    let file = |name: &str| queue.join(name).display().to_string();
    // Before the first coordinator: the workers wait.
    let workers = [1, 2].map(|number| {
        ply(&folder.0.join(format!("data-{number}")), &format!("worker {} --cores 1", file(&format!("worker-{number}.queue"))))
    });
    let coordinator = ply(&folder.0.join("coordinator"), &format!("{SHORT_RUN} --queue {}", file("coordinator.queue")));
    let table = coordinator.result();
    let alone = Directory::new();
    assert_eq!(table, ply(&alone.0, SHORT_RUN).result());
    assert_eq!(games(&folder.0.join("coordinator")), games(&alone.0));
    drop(workers);
    // Files in the wrong hands: the sentence says what was expected.
    for (words, expected) in [
        (vec!["worker", &file("coordinator.queue")], "expected the file of worker, found that of the coordinator"),
        (
            vec!["serve", "--queue", &file("worker-1.queue")],
            "expected the file of onlooker or coordinator, found that of the worker worker-1",
        ),
        (
            vec!["match", "tictactoe", "random", "mcts:sims=5", "--queue", &file("onlooker.queue")],
            "expected the file of coordinator, found that of the onlooker",
        ),
    ] {
        let (code, text) = said(&words);
        assert!(code == Some(2) && text.contains(expected), "{words:?}: {text}");
    }
    drop(server);
    let (code, text) = said(&["match", "tictactoe", "random", "mcts:sims=5", "--queue", &file("coordinator.queue")]);
    assert!(code == Some(2) && text.contains(&format!("tls://127.0.0.1:{port}")), "{text}");
}

#[test]
fn queue_files_that_are_none_are_refused_in_words() {
    let folder = Directory::new();
    let garbage = folder.0.join("garbage.queue");
    fs::write(&garbage, "rubbish").unwrap();
    let missing = folder.0.join("missing.queue");
    for (file, expected) in
        [(&garbage, "expected a file that `ply queue init` has written"), (&missing, "queue file"), (&folder.0, "queue file")]
    {
        let (code, text) = said(&["worker", file.to_str().unwrap()]);
        assert!(code == Some(2) && text.contains(expected) && text.contains(file.to_str().unwrap()), "{text}");
        let (code, text) = said(&["match", "tictactoe", "random", "mcts:sims=5", "--queue", file.to_str().unwrap()]);
        assert!(code == Some(2) && text.contains("`ply queue init` has written") | text.contains("queue file"), "{text}");
    }
    let (code, text) = said(&["worker"]);
    assert!(code == Some(2) && text.contains("<FILE>"), "{text}");
}
