//! One run on several machines, and what happens to machines. The machines are network namespaces where that is allowed, and otherwise
//! processes on the loopback interface; everything is bounded and stays on this computer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::workspace::Workspace;
use crate::{browser, nats, process};

/// Without time limits, so that the same seed gives the same games everywhere.
const RUN: &str = "match clobber:size=5x4 mcts:sims=20000 mcts:sims=26000 --seed 7 --json --pairs 120";
const WORKERS: usize = 3;
const LEASE: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_mins(10);
const PORT: u16 = 4277;

/// What happens to a run while it is played.
struct Mishap {
    name: &'static str,
    /// Only machines with networks of their own can be cut off.
    needs_network: bool,
    act: fn(&mut Cluster<'_>) -> Result<()>,
}

static MISHAPS: [Mishap; 6] = [
    Mishap { name: "nothing", needs_network: false, act: |_| Ok(()) },
    Mishap { name: "a worker is killed", needs_network: false, act: |cluster| cluster.workers[0].kill() },
    Mishap { name: "a worker is frozen past its lease", needs_network: false, act: freeze },
    Mishap { name: "the server is killed and restarted", needs_network: false, act: restart },
    Mishap { name: "a second coordinator, and the first is killed", needs_network: false, act: replace },
    Mishap { name: "a worker's network is cut past its lease", needs_network: true, act: cut },
];

fn freeze(cluster: &mut Cluster<'_>) -> Result<()> {
    cluster.workers[0].signal("-STOP")?;
    std::thread::sleep(2 * LEASE);
    cluster.workers[0].signal("-CONT")
}

fn restart(cluster: &mut Cluster<'_>) -> Result<()> {
    cluster.server.kill()?;
    std::thread::sleep(Duration::from_secs(1));
    cluster.server = cluster.site.server()?;
    Ok(())
}

fn replace(cluster: &mut Cluster<'_>) -> Result<()> {
    let second = cluster.site.coordinator(&cluster.data)?;
    std::thread::sleep(Duration::from_secs(2));
    let mut first = std::mem::replace(&mut cluster.coordinator, second);
    first.kill()
}

fn cut(cluster: &mut Cluster<'_>) -> Result<()> {
    let link = |state: &str| process::output(Command::new("ip").args(["-n", &host(0), "link", "set", "eth0", state]));
    link("down")?;
    std::thread::sleep(4 * LEASE);
    link("up")?;
    ensure!(!cluster.workers.is_empty(), "no worker was cut off");
    Ok(())
}

/// True if every run came to the same table and the same games as one computer alone.
pub fn run() -> Result<bool> {
    let workspace = Workspace::load()?;
    let server = nats::server(&workspace)?;
    // A binary that was built before may be named.
    let ply = std::env::var_os("PLYGROUND_PLY").map_or_else(|| browser::ply(&workspace), |ply| Ok(ply.into()))?;
    let folder = workspace.target.join("cluster");
    let network = Network::new(WORKERS).inspect_err(|why| println!("no namespaces here, so all on loopback: {why:#}")).ok();
    println!("machines: {}", if network.is_some() { "network namespaces with virtual cables" } else { "processes on loopback" });
    let begun = Instant::now();
    let site = Site { folder, server, ply, network };
    site.fresh("alone")?;
    let alone = site.folder.join("alone");
    let expected = Running::start(site.command(None, &alone, RUN))?.result()?;
    let games = site.games(&alone)?;
    println!("{:48}{:>6} games in {:>5.1} s", "one computer alone", games.len(), begun.elapsed().as_secs_f64());
    let mut all_well = true;
    for mishap in &MISHAPS {
        if mishap.needs_network && site.network.is_none() {
            println!("{:48}SKIPPED, it takes network namespaces", mishap.name);
            continue;
        }
        let begun = Instant::now();
        let (table, found) = site.play(mishap).with_context(|| mishap.name.to_owned())?;
        let well = (&table, &found) == (&expected, &games);
        all_well &= well;
        let verdict = if well { "the same table, the same games" } else { "DIFFERENT" };
        println!("{:48}{:>6} games in {:>5.1} s: {verdict}", mishap.name, found.len(), begun.elapsed().as_secs_f64());
    }
    Ok(all_well)
}

/// Where everything is.
struct Site {
    folder: PathBuf,
    server: PathBuf,
    ply: PathBuf,
    network: Option<Network>,
}

/// Those who play one run.
struct Cluster<'a> {
    site: &'a Site,
    data: PathBuf,
    server: Running,
    coordinator: Running,
    workers: Vec<Running>,
}

impl Site {
    fn fresh(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("{} cannot be emptied", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        Ok(folder)
    }

    fn url(&self) -> String {
        format!("nats://{}:{PORT}", if self.network.is_some() { HUB_ADDRESS } else { "127.0.0.1" })
    }

    /// A program on one of the machines; without a number, on the one with the server.
    fn on(&self, machine: Option<usize>, program: &Path) -> Command {
        if self.network.is_none() {
            return Command::new(program);
        }
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &machine.map_or_else(|| HUB.to_owned(), host)]).arg(program);
        command
    }

    fn command(&self, machine: Option<usize>, data: &Path, words: &str) -> Command {
        let mut command = self.on(machine, &self.ply);
        command.arg("--data").arg(data).args(words.split(' ')).arg("--quiet");
        command
    }

    fn server(&self) -> Result<Running> {
        let mut command = self.on(None, &self.server);
        let address = if self.network.is_some() { HUB_ADDRESS } else { "127.0.0.1" };
        command.args(["--addr", address, "--port", &PORT.to_string(), "--jetstream", "--store_dir"]);
        command.arg(self.folder.join("server/data")).arg("--log").arg(self.folder.join("server/log"));
        Running::start(command)
    }

    fn coordinator(&self, data: &Path) -> Result<Running> {
        let events = data.join("events.jsonl");
        let words = format!("{RUN} --queue {} --lease {}s --events {}", self.url(), LEASE.as_secs(), events.display());
        Running::start(self.command(None, data, &words))
    }

    fn play(&self, mishap: &Mishap) -> Result<(Value, Vec<String>)> {
        self.fresh("server")?;
        let (data, files) = (self.fresh("coordinator")?, self.fresh("workers")?);
        let server = self.server()?;
        std::thread::sleep(Duration::from_secs(1));
        let worker = |number: usize| {
            let words = format!("worker --queue {} --cores 1 --name machine-{number}", self.url());
            Running::start(self.command(Some(number), &files.join(number.to_string()), &words))
        };
        let workers = (0..WORKERS).map(worker).collect::<Result<Vec<_>>>()?;
        let coordinator = self.coordinator(&data)?;
        let mut cluster = Cluster { site: self, data: data.clone(), server, coordinator, workers };
        cluster.wait_for_games(20)?;
        (mishap.act)(&mut cluster)?;
        let Cluster { coordinator, .. } = cluster;
        Ok((coordinator.result()?, self.games(&data)?))
    }

    /// All games of the only run in a store, without their times.
    fn games(&self, data: &Path) -> Result<Vec<String>> {
        let runs: Value = serde_json::from_str(&process::output(&mut self.command(None, data, "runs --json"))?)?;
        let run = runs[0]["run"].as_str().context("there is no run")?;
        let table = process::output(&mut self.command(None, data, &format!("runs games {run} --csv")))?;
        Ok(table.lines().skip(1).filter_map(|line| line.rsplitn(4, ',').nth(3)).map(str::to_owned).collect())
    }
}

impl Cluster<'_> {
    /// Then everybody is at work.
    fn wait_for_games(&self, least: usize) -> Result<()> {
        let begun = Instant::now();
        let events = self.data.join("events.jsonl");
        while fs::read_to_string(&events).unwrap_or_default().matches("game-finished").count() < least {
            ensure!(begun.elapsed() < PATIENCE, "no games came back");
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

/// A program that ends with this one.
struct Running(Child);

impl Running {
    fn start(mut command: Command) -> Result<Self> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn();
        Ok(Self(child.with_context(|| format!("{} cannot be started", command.get_program().display()))?))
    }

    /// `ip netns exec` becomes the program that it starts, so its number is that of the program.
    fn signal(&self, signal: &str) -> Result<()> {
        process::output(Command::new("kill").args([signal, &self.0.id().to_string()])).map(drop)
    }

    fn kill(&mut self) -> Result<()> {
        self.0.kill()?;
        self.0.wait()?;
        Ok(())
    }

    /// Waits for its end; what it printed last.
    fn result(mut self) -> Result<Value> {
        let begun = Instant::now();
        while self.0.try_wait()?.is_none() {
            ensure!(begun.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(50));
        }
        let mut text = String::new();
        std::io::Read::read_to_string(self.0.stdout.as_mut().context("its output is gone")?, &mut text)?;
        let status = self.0.wait()?;
        ensure!(status.success(), "it failed ({status})");
        let Some(last) = text.lines().last() else { bail!("it printed nothing") };
        Ok(serde_json::from_str(last)?)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const HUB: &str = "plyground-hub";
const HUB_ADDRESS: &str = "10.77.0.1";

fn host(number: usize) -> String {
    format!("plyground-{number}")
}

/// Machines as network namespaces: a bridge in the middle, and a virtual cable to each.
struct Network {
    names: Vec<String>,
}

impl Network {
    fn new(machines: usize) -> Result<Self> {
        let ip = |words: &str| process::output(Command::new("ip").args(words.split(' '))).map(drop);
        let mut network = Self { names: Vec::new() };
        for name in std::iter::once(HUB.to_owned()).chain((0..machines).map(host)) {
            ip(&format!("netns add {name}"))?;
            network.names.push(name);
        }
        ip(&format!("-n {HUB} link add bridge type bridge"))?;
        ip(&format!("-n {HUB} addr add {HUB_ADDRESS}/24 dev bridge"))?;
        ip(&format!("-n {HUB} link set bridge up"))?;
        ip(&format!("-n {HUB} link set lo up"))?;
        for number in 0..machines {
            let name = host(number);
            ip(&format!("-n {HUB} link add cable{number} type veth peer name eth0 netns {name}"))?;
            ip(&format!("-n {HUB} link set cable{number} master bridge up"))?;
            ip(&format!("-n {name} addr add 10.77.0.{}/24 dev eth0", number + 10))?;
            ip(&format!("-n {name} link set eth0 up"))?;
        }
        Ok(network)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for name in &self.names {
            // With a namespace go its cables.
            let _ = process::output(Command::new("ip").args(["netns", "del", name]));
        }
    }
}
