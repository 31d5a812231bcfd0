//! `cargo xtask simulate`: histories of a cluster from seeds, in which everything goes wrong that can, and what came of them.
//!
//! Every seed is a history of its own (`crates/simulation/src`); the threads of this computer share them. A history that
//! fails is told with its seed and the end of its log, and the same seed gives the same history again.

use std::io::{IsTerminal as _, Write as _};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use plyground_bench::verdict;
use plyground_core::sync::lock;
use plyground_simulation::{SimulatedHistory, simulate};

/// Simulates histories of a cluster, and compares what the run came to with what one computer comes to
#[derive(Parser)]
struct Args {
    /// The number of histories
    #[arg(long, default_value_t = 2_000)]
    seeds: u64,
    /// The seed of the first history
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Simulate only this seed, and print its log
    #[arg(long, conflicts_with_all = ["seeds", "first"])]
    seed: Option<u64>,
    /// Histories at the same time [default: one for each core]
    #[arg(long)]
    cores: Option<NonZeroUsize>,
    /// The lines of a log that are shown of a history that failed
    #[arg(long, default_value_t = 40)]
    lines: usize,
}

/// The failures that are told; the rest are counted.
const TOLD: usize = 5;

fn main() -> ExitCode {
    let args = Args::parse();
    verdict(Ok(match args.seed {
        Some(seed) => one(seed),
        None => many(&args),
    }))
}

/// One history with all of its log. True if it is right.
fn one(seed: u64) -> bool {
    let history = simulate(seed, true);
    history.log.iter().for_each(|line| println!("{line}"));
    println!("{}", told(&history));
    history.failure.is_none()
}

/// A history in a line.
fn told(history: &SimulatedHistory) -> String {
    let ended =
        history.failure.as_ref().map_or_else(|| "the table of one computer".to_owned(), |failure| format!("FAILED: {failure}"));
    let minutes = history.time.as_secs_f64() / 60.0;
    format!("seed {}: {minutes:.1} minutes, {} starts of programs, {ended}", history.seed, history.starts)
}

/// What many histories came to.
#[derive(Default)]
struct Tally {
    done: u64,
    time: Duration,
    failed: Vec<u64>,
}

fn many(args: &Args) -> bool {
    let (next, tally, begun) = (AtomicU64::new(0), Mutex::new(Tally::default()), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..args.cores.or(std::thread::available_parallelism().ok()).map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= args.seeds {
                        return;
                    }
                    let history = simulate(args.first + number, false);
                    let mut tally = lock(&tally);
                    tally.done += 1;
                    tally.time += history.time;
                    if history.failure.is_some() {
                        tally.failed.push(history.seed);
                    }
                }
            });
        }
        scope.spawn(|| show_progress(args.seeds, &tally, begun));
    });
    let mut tally = lock(&tally);
    tally.failed.sort_unstable();
    for &seed in tally.failed.iter().take(TOLD) {
        let history = simulate(seed, true);
        let skipped = history.log.len().saturating_sub(args.lines);
        println!("{}\n  the last {} of {} lines of its log:", told(&history), history.log.len() - skipped, history.log.len());
        history.log.iter().skip(skipped).for_each(|line| println!("  {line}"));
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "{} histories of {:.0} hours in {seconds:.1} s ({:.0} a minute), {} failed{}",
        tally.done,
        tally.time.as_secs_f64() / 3600.0,
        60.0 * tally.done as f64 / seconds,
        tally.failed.len(),
        if tally.failed.is_empty() { String::new() } else { format!(": seeds {:?}", tally.failed) },
    );
    tally.failed.is_empty()
}

/// Shows on a terminal how far it is, until all is done.
fn show_progress(all: u64, tally: &Mutex<Tally>, begun: Instant) {
    let is_shown = std::io::stderr().is_terminal();
    loop {
        let (done, failed) = {
            let tally = lock(tally);
            (tally.done, tally.failed.len())
        };
        if is_shown {
            let rate = done as f64 / begun.elapsed().as_secs_f64().max(1e-3);
            let left = (all - done) as f64 / rate.max(1e-3);
            eprint!("\r\x1b[K{done} of {all} histories, {:.0} a minute, {failed} failed, {left:.0} s left", 60.0 * rate);
            let _ = std::io::stderr().flush();
        }
        if done >= all {
            if is_shown {
                eprint!("\r\x1b[K");
            }
            return;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}
