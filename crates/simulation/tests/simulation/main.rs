//! Histories from seeds: whatever happens, the run comes to the table of one computer.

use std::sync::atomic::{AtomicU64, Ordering};

use plyground_simulation::{SimulatedHistory, simulate};

/// The histories of every test run.
const SEEDS: u64 = 500;

#[test]
fn five_hundred_histories_come_to_the_table_of_one_computer() {
    let (next, failed) = (AtomicU64::new(0), std::sync::Mutex::new(Vec::<SimulatedHistory>::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= SEEDS {
                        return;
                    }
                    let history = simulate(seed, false);
                    if history.failure.is_some() {
                        failed.lock().unwrap().push(history);
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap();
    failed.sort_by_key(|history| history.seed);
    let words: Vec<String> = failed
        .iter()
        .map(|history| format!("seed {}: {}", history.seed, history.failure.as_deref().unwrap_or_default()))
        .collect();
    assert!(words.is_empty(), "{} histories failed (cargo xtask simulate --seed SEED):\n{}", words.len(), words.join("\n"));
}

#[test]
fn the_same_seed_is_the_same_history() {
    for seed in [1, 7, 42, 1000, 65_537] {
        let (one, other) = (simulate(seed, true), simulate(seed, true));
        assert!(one.log.len() > 20, "{:?}", one.log);
        assert_eq!(one.log, other.log, "seed {seed}");
        assert_eq!((one.time, one.starts, one.failure), (other.time, other.starts, other.failure));
    }
}
