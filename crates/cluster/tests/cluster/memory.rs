//! The memory of a coordinator, which is a process of its own, under floods of messages that are made to take much of it.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plyground_cluster::{Access, Broker, Fleet, WorkerOptions, run_worker};
use plyground_core::{CancelToken, NoResources};
use plyground_match::{AgentFactory, Run, RunDriver, Store};
use serde_json::{Value, json};

use crate::common::{Directory, experiment, games, play};
use crate::hostile::AtTheEnd;
use crate::liar::{Liar, packed};
use crate::nats::broker;
use crate::server::Server;

/// The bound, in megabytes.
const MOST: u64 = 300;
const PAIRS: u64 = 30;
/// Nothing here takes as long as this.
const PATIENCE: Duration = Duration::from_mins(5);
/// The address of the server and the file of the store, for the process of the coordinator.
const ADDRESS: &str = "PLYGROUND_TEST_COORDINATOR_AT";
const STORE: &str = "PLYGROUND_TEST_COORDINATOR_STORE";

fn run() -> Run {
    experiment("tictactoe", &["random", "mcts:sims=10"], 2).run()
}

/// The coordinator: this program, started again by the other test. Nothing where it was started otherwise.
#[test]
fn the_coordinator_of_the_test_below() {
    let (Ok(url), Ok(file)) = (std::env::var(ADDRESS), std::env::var(STORE)) else { return };
    let (run, store) = (run(), Store::open(file.as_ref()).unwrap());
    let fleet = Fleet::new(std::sync::Arc::new(Broker::connect(&Access::new(&url)).unwrap())).unwrap();
    let players = AgentFactory::of_run(&NoResources, &run);
    let (_, complete) = RunDriver::new(&store, &run, &fleet, &players).play_format(PAIRS).unwrap();
    assert!(complete);
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The most memory that a process has had so far, in megabytes.
fn most_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? / 1024)
}

/// Sends whatever takes memory where it is read.
fn flood(liar: &mut Liar, run: &Run) {
    let results = format!("ply.results.{}", run.id);
    let game = |moves: &Value| {
        json!({"job": "none", "pair": 0, "number": 0, "agents": [0, 1], "winner": null, "margin": 0, "reason": "", "fault": null,
            "points": null, "opening": 0, "moves": moves, "movers": "1", "ms": [], "values": [], "ended": 0})
    };
    let message = |jobs: &Value| json!({"worker": "liar", "seconds": 0.1, "jobs": jobs}).to_string();
    // Messages of some kilobytes that are lists of a million small things, and one that is much too long.
    let lists = [json!([[game(&json!(vec!["a"; 1_000_000]))]]), json!(vec![json!([]); 1_300_000])];
    for text in lists.iter().map(message).chain([" ".repeat(1 << 26)]) {
        let payload = packed(text.as_bytes());
        (0..15).for_each(|_| liar.send(&results, &payload));
    }
    // 400 MB that do not get smaller when they are packed, and have to be read to their end.
    let mut state = 7_u64;
    let letters = (0..1_150_000).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-"[(state >> 58) as usize])
    });
    let failure = json!({"job": "none", "error": letters.collect::<String>(), "certain": true});
    let payload = packed(json!({"worker": "liar", "seconds": 0.1, "jobs": [], "failures": [failure]}).to_string().as_bytes());
    assert!((800_000..1 << 20).contains(&payload.len()), "{}", payload.len());
    (0..400).for_each(|_| liar.send(&results, &payload));
    // More workers than there are, with long descriptions, and jobs of runs that are not there.
    for number in 0..30_000 {
        let presence = json!({"worker": format!("{number:0>128}"), "machine": "x".repeat(600), "version": "1", "rules": "ab",
            "cores": 4096, "speed": 1.0, "jobs": 0, "retries": 0, "failed": 0});
        liar.send("ply.workers", presence.to_string().as_bytes());
    }
    (0..20_000).for_each(|number| liar.send(&format!("ply.jobs.{number:0>60}"), b"rubbish"));
    liar.flush();
}

#[test]
fn a_coordinator_takes_less_than_300_megabytes_whatever_arrives() {
    // What a process has had is known on Linux only.
    if most_memory(std::process::id()).is_none() {
        return;
    }
    let Some(server) = Server::start() else { return };
    let (run, directory, cache, over) = (run(), Directory::new(), Directory::new(), CancelToken::new());
    let file = directory.0.join("coordinator.sqlite");
    let watcher = broker(&server, Duration::from_secs(5));
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "memory::the_coordinator_of_the_test_below"]).env(ADDRESS, server.url()).env(STORE, &file);
    let mut coordinator = Running(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap());
    let begun = Instant::now();
    while watcher.announced("run.").unwrap().is_empty() {
        assert!(begun.elapsed() < PATIENCE, "no run is announced");
        std::thread::sleep(Duration::from_millis(20));
    }
    let before = most_memory(coordinator.0.id()).unwrap();
    flood(&mut Liar::new(&server), &run);
    let mut most = 0;
    std::thread::scope(|scope| {
        let _end = AtTheEnd(&over);
        scope.spawn(|| {
            let options = WorkerOptions {
                broker: broker(&server, Duration::from_secs(5)),
                name: "honest".to_owned(),
                cores: 1,
                cache: cache.0.clone(),
                cancel: &over,
                begun: &|_| {},
                told: &|_| {},
            };
            run_worker(&options).unwrap();
        });
        while coordinator.0.try_wait().unwrap().is_none() {
            most = most_memory(coordinator.0.id()).unwrap_or(0).max(most);
            assert!(begun.elapsed() < PATIENCE, "it has not ended");
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    assert!(coordinator.0.wait().unwrap().success());
    println!("the coordinator had {before} MB before, and {most} MB at most");
    let alone = directory.store();
    play(&alone, &run, PAIRS);
    assert_eq!(games(&Store::open(&file).unwrap(), &run), games(&alone, &run));
    assert!((before..MOST).contains(&most), "{most} MB");
}
