//! How far one NATS server and one coordinator carry: workers that sleep instead of thinking, up to ten thousand.
//!
//! `cargo run --release -p plyground-bench --bin scale` starts a nats-server on a free port of this computer, a coordinator (this
//! process) and the workers (another one), and measures each number of workers for a while.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use plyground_bench::plot::{Line, Plot};
use plyground_cluster::{Access, Broker, Fleet, SimulatedWorkers};
use plyground_core::{CancelToken, NoResources};
use plyground_match::{
    AgentFactory, Book, Experiment, GameRow, Job, Openings, ResultVerifier, RunDriver, RunPrefix, Store, Threads, jobs, pairings,
};
use serde_json::Value;

/// Measure a queue with simulated workers.
#[derive(Parser)]
struct Args {
    /// Numbers of workers to measure
    #[arg(long, value_delimiter = ',', default_value = "10,100,1000,3000,10000")]
    workers: Vec<usize>,
    /// Seconds that a pair of games takes a worker
    #[arg(long, default_value_t = 2.0)]
    pair: f64,
    /// Seconds until all workers have something to do
    #[arg(long, default_value_t = 30.0)]
    warm: f64,
    /// Seconds to measure
    #[arg(long, default_value_t = 30.0)]
    measure: f64,
    /// Write the plot to this file
    #[arg(long)]
    plot: Option<PathBuf>,
    /// Be the workers at this server (for the program itself)
    #[arg(long, hide = true)]
    sleep_at: Option<String>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    if let Some(url) = &args.sleep_at {
        return sleep(&args, url);
    }
    let folder = std::env::temp_dir().join(format!("plyground-scale-{}", std::process::id()));
    let verifying = verifying()?;
    println!("replaying a pair by the rules takes {:.2} µs", 1e6 * verifying);
    let mut rows = Vec::new();
    println!(
        "{:>8} {:>9} {:>8} {:>9} {:>9} {:>10} {:>11} {:>11} {:>11} {:>11} {:>9}",
        "workers",
        "pairs/s",
        "of ideal",
        "msgs in/s",
        "msgs out",
        "kB in/s",
        "bytes/game",
        "coord. CPU",
        "server CPU",
        "sleep. CPU",
        "replaying"
    );
    for &workers in &args.workers {
        let row = measured(&args, workers, &folder.join(workers.to_string()))?;
        let ideal = workers as f64 / args.pair;
        println!(
            "{workers:>8} {:>9.1} {:>7.1}% {:>9.0} {:>9.0} {:>10.1} {:>11.0} {:>10.1}% {:>10.1}% {:>10.1}% {:>8.1}%",
            row.pairs,
            100.0 * row.pairs / ideal,
            row.messages_in,
            row.messages_out,
            row.bytes_in / 1e3,
            row.bytes_in / (2.0 * row.pairs).max(1e-9),
            100.0 * row.cpu[0],
            100.0 * row.cpu[1],
            100.0 * row.cpu[2],
            // Of the time of the coordinator.
            100.0 * verifying * row.pairs / row.cpu[0]
        );
        rows.push((workers as f64, row));
    }
    std::fs::remove_dir_all(&folder).ok();
    if let Some(file) = &args.plot {
        let line = |name: &str, of: &dyn Fn(&Measured) -> f64| Line {
            name: name.to_owned(),
            points: rows.iter().map(|(workers, row)| (*workers, of(row).max(1e-3))).collect(),
        };
        let lines = [
            line("messages to the server a second", &|row| row.messages_in),
            line("pairs of games a second", &|row| row.pairs),
            line("coordinator, % of a core", &|row| 100.0 * row.cpu[0]),
            line("server, % of a core", &|row| 100.0 * row.cpu[1]),
        ];
        let title = format!("One server, one coordinator, pairs of {} s", args.pair);
        Plot { title: &title, across: "workers", up: "", logarithmic: true }.write(file, &lines)?;
    }
    Ok(())
}

/// What a second costs.
struct Measured {
    pairs: f64,
    messages_in: f64,
    messages_out: f64,
    bytes_in: f64,
    /// Of a core: coordinator, server, workers.
    cpu: [f64; 3],
}

fn measured(args: &Args, workers: usize, folder: &Path) -> Result<Measured> {
    std::fs::create_dir_all(folder)?;
    let [port, monitor] = [0, 0].map(|_| free_port());
    let (port, monitor) = (port?, monitor?);
    let server = start(
        Command::new(std::env::var_os("PLYGROUND_NATS_SERVER").unwrap_or_else(|| "nats-server".into()))
            .args(["--addr", "127.0.0.1", "--port", &port.to_string(), "--http_port", &monitor.to_string()])
            .args(["--jetstream", "--store_dir"])
            .arg(folder.join("server"))
            .arg("--log")
            .arg(folder.join("server.log")),
    )
    .context("nats-server cannot be started (cargo xtask test fetches one)")?;
    wait_for(port)?;
    let url = format!("nats://127.0.0.1:{port}");
    let sleepers = start(Command::new(std::env::current_exe()?).args([
        "--sleep-at",
        &url,
        "--workers",
        &workers.to_string(),
        "--pair",
        &args.pair.to_string(),
    ]))?;
    let store = Store::open(&folder.join("runs.sqlite"))?;
    let run = settings(["random", "mcts:sims=1"])?.run();
    // The sleepers send games of other agents: legal, but not those that would be played here.
    let fleet = Fleet::new(Arc::new(Broker::connect(&Access::new(&url))?))?.with_sample(0.0);
    let pairs = (workers as f64 / args.pair * (args.warm + args.measure) * 1.5) as u64 + 10_000;
    let cancel = CancelToken::new().child_for(Duration::from_secs_f64(args.warm + args.measure));
    let players = AgentFactory::of_run(&NoResources, &run);
    let driver = RunDriver::new(&store, &run, &fleet, &players).for_command("scale").cancelled_by(&cancel);
    let ids = [std::process::id(), server.0.id(), sleepers.0.id()];
    let look = || -> Result<[f64; 7]> {
        let page = varz(monitor)?;
        let number = |key: &str| page[key].as_f64().unwrap_or(0.0);
        let [one, two, three] = ids.map(cpu_seconds);
        let done = Store::open(&folder.join("runs.sqlite"))?.done(RunPrefix::all(&run.id))? as f64;
        Ok([done, number("in_msgs"), number("out_msgs"), number("in_bytes"), one?, two?, three?])
    };
    let (before, after, took) = std::thread::scope(|scope| {
        let player = scope.spawn(|| driver.play_format(pairs));
        std::thread::sleep(Duration::from_secs_f64(args.warm));
        let (begun, before) = (Instant::now(), look());
        std::thread::sleep(Duration::from_secs_f64(args.measure * 0.95));
        let (after, took) = (look(), begun.elapsed().as_secs_f64());
        player.join().expect("the coordinator holds no panics")?;
        anyhow::Ok((before?, after?, took))
    })?;
    let [pairs, messages_in, messages_out, bytes_in, coordinator, server_cpu, sleeping] =
        std::array::from_fn(|place| (after[place] - before[place]) / took);
    drop((server, sleepers));
    Ok(Measured { pairs, messages_in, messages_out, bytes_in, cpu: [coordinator, server_cpu, sleeping] })
}

/// Runs the workers until this process is ended.
fn sleep(args: &Args, url: &str) -> Result<()> {
    let sleepers = SimulatedWorkers { workers: args.workers[0], pair: Duration::from_secs_f64(args.pair), games: real_games()? };
    Ok(sleepers.run(&Access::new(url))?)
}

/// Games from the start, so that the games of one pair fit every job.
fn settings(agents: [&str; 2]) -> Result<Experiment> {
    let experiment = Experiment::new("clobber", &agents.map(str::to_owned), &NoResources)?;
    Ok(Experiment { openings: Openings::Start, ..experiment })
}

/// The seconds of computing that a coordinator needs to replay a pair.
fn verifying() -> Result<f64> {
    const TIMES: u32 = 50_000;
    let run = settings(["random", "mcts:sims=1"])?.run();
    let players = AgentFactory::of_run(&NoResources, &run);
    let pairings = pairings(run.experiment.format, run.experiment.agents.len());
    let job: Job = jobs(&run, &mut Book::new(&run.experiment, &players)?, &pairings, 0..1)?.remove(0);
    let of_job = |(number, row): (usize, GameRow)| GameRow { job: job.id.clone(), pair: job.pair, game: number as u8, ..row };
    let games: Vec<GameRow> = real_games()?.into_iter().enumerate().map(of_job).collect();
    let verifier = ResultVerifier::new(&run.experiment, &players)?;
    let begun = cpu_seconds(std::process::id())?;
    for _ in 0..TIMES {
        verifier.verify(&job, std::hint::black_box(&games))?;
    }
    Ok((cpu_seconds(std::process::id())? - begun) / f64::from(TIMES))
}

/// A pair as a real worker would send it.
fn real_games() -> Result<Vec<GameRow>> {
    let (store, executor) = (Store::in_memory()?, Threads(1));
    let run = settings(["mcts:sims=50", "mcts:sims=100"])?.run();
    let players = AgentFactory::of_run(&NoResources, &run);
    RunDriver::new(&store, &run, &executor, &players).play_format(1)?;
    let mut games = Vec::new();
    store.games(RunPrefix::all(&run.id), |game| games.push(game))?;
    Ok(games)
}

/// A program that ends with this one.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(command: &mut Command) -> Result<Running> {
    Ok(Running(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?))
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

fn wait_for(port: u16) -> Result<()> {
    let begun = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        ensure!(begun.elapsed() < Duration::from_secs(30), "the server does not answer");
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// What the server says of itself.
fn varz(port: u16) -> Result<Value> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    write!(stream, "GET /varz HTTP/1.0\r\nHost: localhost\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let (_, body) = text.split_once("\r\n\r\n").context("expected an answer with a body")?;
    Ok(serde_json::from_str(body)?)
}

/// Seconds that a process has computed (Linux).
fn cpu_seconds(process: u32) -> Result<f64> {
    /// Linux counts in hundredths of a second, whatever its clock does inside.
    const TICKS: f64 = 100.0;
    let text = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    let (_, fields) = text.rsplit_once(')').context("expected a line of /proc")?;
    let numbers: Vec<f64> = fields.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    // The state is no number, so user and system time are the 11th and 12th numbers behind it.
    Ok((numbers[10] + numbers[11]) / TICKS)
}
