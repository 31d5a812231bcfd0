//! How cost grows: `cargo run --release -p plyground-bench --bin curves -- docs/performance`
//!
//! Nodes against depth, memory against simulations, and the speed-up with threads, as tables and plots.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Parser;
use plyground_bench::plot::{Line, Plot};
use plyground_core::Seed;
use plyground_core::WallClock;
use plyground_session::{Advice, Limits, NoObserver, NoResources, open, parse_duration};

/// Measures how cost grows and plots it
#[derive(Parser)]
struct Args {
    /// Where the plots go
    directory: PathBuf,
    /// No search beyond this many positions
    #[arg(long, default_value_t = 20_000_000)]
    nodes: u64,
    /// How long the speed with threads is measured
    #[arg(long, default_value = "2s", value_parser = |text: &str| parse_duration(text).map_err(|error| error.to_string()))]
    time: std::time::Duration,
}

const DEPTH_GAMES: [&str; 2] = ["pawn:size=6x6", "clobber:size=5x6"];
const SEARCHES: [&str; 6] = ["minimax", "alphabeta:tt=0,order=none", "alphabeta", "pvs", "mtdf", "sss"];
const SIMULATION_GAMES: [&str; 5] = ["crosphere", "clobber:size=8x8", "pawn:size=6x6", "tuc-chess", "connect-four"];

fn main() -> Result<()> {
    let args = Args::parse();
    std::fs::create_dir_all(&args.directory).with_context(|| format!("cannot make {}", args.directory.display()))?;
    nodes_against_depth(&args)?;
    memory_against_simulations(&args.directory)?;
    speed_with_threads(&args)
}

fn think(game: &str, agent: &str, limits: Limits) -> Result<Advice> {
    let mut session = open(game, None)?;
    let seat = session.seat(agent, Seed(1), &NoResources)?;
    Ok(session.think(seat, limits, &WallClock::start(), &mut NoObserver)?)
}

fn nodes_against_depth(args: &Args) -> Result<()> {
    for game in DEPTH_GAMES {
        println!("\n### {game}: nodes against depth\n\n| search | depth: nodes |\n|---|---|");
        let mut lines = Vec::new();
        for search in SEARCHES {
            let mut points = Vec::new();
            for depth in 1..=30 {
                let limits = Limits { depth: Some(depth), nodes: Some(args.nodes), ..Limits::default() };
                let advice = think(game, search, limits)?;
                if advice.nodes >= args.nodes || advice.depth.is_some_and(|reached| reached < depth) {
                    break;
                }
                points.push((f64::from(depth), advice.nodes as f64));
            }
            let cells: Vec<String> = points.iter().map(|(depth, nodes)| format!("{depth}: {nodes}")).collect();
            println!("| `{search}` | {} |", cells.join(", "));
            lines.push(Line { name: search.to_owned(), points });
        }
        let title = format!("{game}: nodes against depth");
        let plot = Plot { title: &title, across: "depth in plies", up: "nodes", logarithmic: false };
        let family = game.split(':').next().unwrap_or(game);
        plot.write(&args.directory.join(format!("nodes-{family}.svg")), &lines)?;
    }
    Ok(())
}

fn memory_against_simulations(directory: &Path) -> Result<()> {
    println!("\n### Memory of the tree against simulations\n\n| game | simulations: MB |\n|---|---|");
    let mut lines = Vec::new();
    for game in SIMULATION_GAMES {
        let mut points = Vec::new();
        for simulations in [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000] {
            let limits = Limits { simulations: Some(simulations), ..Limits::default() };
            let advice = think(game, "mcts:memory=4000", limits)?;
            let memory = advice.facts.iter().find(|fact| fact.name == "memory in MB").context("mcts says what its tree takes")?;
            points.push((simulations as f64, memory.value));
        }
        let cells: Vec<String> = points.iter().map(|(simulations, memory)| format!("{simulations}: {memory:.2}")).collect();
        println!("| {game} | {} |", cells.join(", "));
        lines.push(Line { name: game.to_owned(), points });
    }
    let title = "mcts: memory of the tree against simulations";
    let plot = Plot { title, across: "simulations", up: "megabytes", logarithmic: true };
    plot.write(&directory.join("memory.svg"), &lines)
}

fn speed_with_threads(args: &Args) -> Result<()> {
    println!("\n### Simulations per second with threads\n\n| game | 1 thread | 2 threads | speed-up |\n|---|---|---|---|");
    let mut lines = Vec::new();
    for game in SIMULATION_GAMES {
        // The best of three: whatever else runs on the machine only ever slows a run down.
        let rate = |threads: u32| -> Result<f64> {
            let limits = Limits { time: Some(args.time), ..Limits::default() };
            let mut best = 0.0_f64;
            for _ in 0..3 {
                let advice = think(game, &format!("mcts:memory=4000,threads={threads}"), limits)?;
                best = best.max(advice.simulations as f64 / advice.elapsed.as_secs_f64());
            }
            Ok(best)
        };
        let [one, two] = [rate(1)?, rate(2)?];
        println!("| {game} | {:.2} M/s | {:.2} M/s | {:.2} |", one / 1e6, two / 1e6, two / one);
        lines.push(Line { name: game.to_owned(), points: vec![(1.0, one), (2.0, two)] });
    }
    let plot = Plot { title: "mcts: speed with threads", across: "threads", up: "simulations per second", logarithmic: false };
    plot.write(&args.directory.join("threads.svg"), &lines)
}
