//! `cargo xtask load`: many games at once over real sockets, and how long a request that takes no thinking has to wait meanwhile.
//!
//! The server is a process of its own. Beside it stands a server that does nothing but answer, asked by the same clients in the same
//! seconds: what it takes is what the machine takes, the rest is ours. Then hostile clients come to a server of their own.

mod hostile;

use std::io::{BufRead, BufReader, Write as _};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use axum::Router;
use axum::extract::ws::{Message as Said, WebSocket, WebSocketUpgrade};
use axum::routing::any;
use clap::{Parser, ValueEnum};
use futures_util::{SinkExt, StreamExt};
use plyground_bench::verdict;
use plyground_serve::{Server, ServerLimits};
use plyground_session::infos;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::Barrier;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

/// Plays many games at once on a server and measures how long requests wait that take no thinking
#[derive(Parser)]
struct Args {
    /// Games at the same time
    #[arg(long, default_value_t = 500)]
    games: usize,
    /// Who plays them, on both sides
    #[arg(long, default_value = "level=2")]
    agent: String,
    /// How long; games that are being played then are played to their end
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    seconds: u64,
    /// Idle connections of the hostile company; 0 for no such company
    #[arg(long, value_name = "CONNECTIONS", default_value_t = 5_000)]
    idle: usize,
    /// Connections of the hostile company that search
    #[arg(long, value_name = "CONNECTIONS", default_value_t = 20)]
    searchers: usize,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Be one of the servers
    #[arg(long, hide = true)]
    serve: Option<Kind>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// `ply serve`.
    Ply,
    /// Answers every message with the same text.
    Idle,
}

/// The longest wait at the 99th percentile, in milliseconds.
const BAR: f64 = 50.0;

/// Connections that ask both servers in turn, each so often.
const PROBES: usize = 10;
const PROBE_EVERY: Duration = Duration::from_millis(20);

/// How long the servers are asked before the games begin.
const CALM: Duration = Duration::from_secs(3);

/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_mins(1);

/// 0: passed. 1: a bar was missed. 2: it could not be measured.
fn main() -> ExitCode {
    verdict(run())
}

fn run() -> Result<bool> {
    let args = Args::parse();
    let runtime = Runtime::new()?;
    if let Some(kind) = args.serve {
        runtime.block_on(serve(kind))?;
        return Ok(true);
    }
    let (ply, idle) = (Process::start(Kind::Ply)?, Process::start(Kind::Idle)?);
    let measured = runtime.block_on(measure(&args, ply.address, idle.address))?;
    drop((ply, idle));
    let company = hostile::Company { idle: args.idle, searchers: args.searchers, seconds: args.seconds };
    // Other systems do not have the addresses that it needs.
    let with_company = cfg!(target_os = "linux") && args.idle > 0;
    let beside = if with_company { Some(runtime.block_on(hostile::measure(company))?) } else { None };
    if args.json {
        let mut result = measured.json();
        result["hostile"] = json!(beside.as_ref().map(hostile::Beside::json));
        println!("{result:#}");
    } else {
        print!("{}{}", measured.table(), beside.as_ref().map(hostile::Beside::table).unwrap_or_default());
    }
    Ok(measured.passed() && beside.is_none_or(|beside| beside.passed()))
}

/// A server in a process of its own, which ends with it.
struct Process {
    child: Child,
    address: SocketAddr,
}

impl Process {
    fn start(kind: Kind) -> Result<Self> {
        let name = if kind == Kind::Ply { "ply" } else { "idle" };
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--serve", name])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("a server cannot be started")?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no output")?).read_line(&mut line)?;
        let address = line.trim().parse().with_context(|| format!("the server {name} says '{}'", line.trim()))?;
        Ok(Self { child, address })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn serve(kind: Kind) -> Result<()> {
    let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
    let tell = |address: SocketAddr| {
        println!("{address}");
        std::io::stdout().flush()
    };
    match kind {
        Kind::Ply => {
            let server = Server::bind(any_port, ServerLimits::default()).await?;
            tell(server.address()?)?;
            server.run(std::future::pending()).await;
        }
        Kind::Idle => {
            let listener = TcpListener::bind(any_port).await?;
            tell(listener.local_addr()?)?;
            let upgrade = |upgrade: WebSocketUpgrade| async { upgrade.on_upgrade(idle) };
            axum::serve(listener, Router::new().route("/engine", any(upgrade))).await?;
        }
    }
    Ok(())
}

async fn idle(mut socket: WebSocket) {
    while let Some(Ok(_)) = socket.recv().await {
        if socket.send(Said::text(r#"{"answer":1}"#)).await.is_err() {
            break;
        }
    }
}

/// What a server says.
#[derive(Deserialize)]
struct Reply<T> {
    answer: Option<T>,
    error: Option<String>,
    progress: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct State {
    turn: String,
}

#[derive(Deserialize)]
struct SearchRequest {
    #[serde(rename = "move")]
    mv: String,
}

/// A connection from an address of this computer.
async fn connect_from(from: [u8; 4], address: SocketAddr) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((from, 0)))?;
    Ok(socket.connect(address).await?)
}

/// A connection to one of the servers.
struct Client(WebSocketStream<TcpStream>);

impl Client {
    async fn connect(address: SocketAddr) -> Result<Self> {
        Self::connect_from([127, 0, 0, 1], address).await
    }

    async fn connect_from(from: [u8; 4], address: SocketAddr) -> Result<Self> {
        let stream = connect_from(from, address).await?;
        stream.set_nodelay(true)?;
        Ok(Self(client_async(format!("ws://{address}/engine"), stream).await?.0))
    }

    async fn send(&mut self, request: &Value) -> Result<()> {
        Ok(self.0.send(Message::text(request.to_string())).await?)
    }

    /// The number of the request that the next message answers; `None` for progress.
    async fn next_answered(&mut self) -> Result<Option<u64>> {
        let message: Value = serde_json::from_str(self.0.next().await.context("the server has gone")??.to_text()?)?;
        Ok(if message.get("progress").is_some() { None } else { message["id"].as_u64() })
    }

    /// Asks, and waits for the answer, of which it reads as little as possible: the servers are to be measured, not the clients.
    async fn ask<T: DeserializeOwned>(&mut self, request: &Value) -> Result<T> {
        self.send(request).await?;
        loop {
            let message =
                tokio::time::timeout(PATIENCE, self.0.next()).await.context("no answer")?.context("the server has gone")??;
            let Reply { answer, error, progress } = serde_json::from_str(message.to_text()?)?;
            if progress.is_none() {
                ensure!(error.is_none(), "{request} is answered with {}", error.unwrap_or_default());
                return answer.context("an answer without an answer");
            }
        }
    }

    /// Asks, and counts the milliseconds until the answer.
    async fn timed<T: DeserializeOwned>(&mut self, request: &Value, waits: &mut Vec<f64>) -> Result<T> {
        let begin = Instant::now();
        let answer = self.ask(request).await?;
        waits.push(1e3 * begin.elapsed().as_secs_f64());
        Ok(answer)
    }
}

/// What all clients share.
struct Stage {
    agent: String,
    /// All clients are connected.
    begin: Barrier,
    /// No new games.
    closing: AtomicBool,
    started: AtomicUsize,
    ended: AtomicUsize,
}

/// Milliseconds waited for requests that take no thinking, and for thoughts.
#[derive(Default)]
struct Waits {
    plain: Vec<f64>,
    thoughts: Vec<f64>,
}

/// Plays one game after another until the stage closes, and the last one to its end.
async fn player(address: SocketAddr, number: usize, stage: Arc<Stage>) -> Result<Waits> {
    let mut client = Client::connect(address).await?;
    let games = infos();
    let game = games[number % games.len()].name;
    let mut waits = Waits::default();
    stage.begin.wait().await;
    let mut round = 0;
    while !stage.closing.load(Ordering::Relaxed) {
        stage.started.fetch_add(1, Ordering::Relaxed);
        play(&mut client, game, &stage, (number + 1_000 * round) as u64, &mut waits).await.with_context(|| game.to_owned())?;
        stage.ended.fetch_add(1, Ordering::Relaxed);
        round += 1;
    }
    Ok(waits)
}

/// Plays a game to its end, as the page does: after each move it asks for the state.
async fn play(client: &mut Client, game: &str, stage: &Stage, seed: u64, waits: &mut Waits) -> Result<()> {
    let mut moves: Vec<String> = Vec::new();
    loop {
        let place =
            |task: &str| json!({"id": moves.len(), "do": task, "game": game, "moves": moves, "seed": seed + moves.len() as u64});
        // Waits count as long as all play.
        let mut late = Waits::default();
        let waits = if stage.closing.load(Ordering::Relaxed) { &mut late } else { &mut *waits };
        let State { turn } = client.timed(&place("state"), &mut waits.plain).await?;
        let mv = match turn.as_str() {
            "over" => return Ok(()),
            "chance" => client.timed(&place("chance"), &mut waits.plain).await?,
            "first" | "second" => {
                let mut request = place("think");
                request["agent"] = json!(stage.agent);
                client.timed::<SearchRequest>(&request, &mut waits.thoughts).await?.mv
            }
            other => bail!("no player has the turn: {other}"),
        };
        moves.push(mv);
    }
}

/// Asks both servers in turn until it is over.
async fn probe(addresses: [SocketAddr; 2], over: Arc<AtomicBool>) -> Result<[Vec<f64>; 2]> {
    let [mut ply, mut idle] = [Client::connect(addresses[0]).await?, Client::connect(addresses[1]).await?];
    let request = json!({"id": 1, "do": "state", "game": "crosphere", "moves": ["wd4", "we5"]});
    let mut waits = [Vec::new(), Vec::new()];
    while !over.load(Ordering::Relaxed) {
        ply.timed::<IgnoredAny>(&request, &mut waits[0]).await?;
        tokio::time::sleep(PROBE_EVERY).await;
        idle.timed::<IgnoredAny>(&request, &mut waits[1]).await?;
        tokio::time::sleep(PROBE_EVERY).await;
    }
    Ok(waits)
}

/// Asks both servers from several connections for a while, while `work` is going on.
async fn probed<T>(addresses: [SocketAddr; 2], work: impl Future<Output = Result<T>>) -> Result<(T, [Spread; 2])> {
    let over = Arc::new(AtomicBool::new(false));
    let mut probes = JoinSet::new();
    for _ in 0..PROBES {
        probes.spawn(probe(addresses, Arc::clone(&over)));
    }
    let result = work.await;
    over.store(true, Ordering::Relaxed);
    let mut waits = [Vec::new(), Vec::new()];
    while let Some(probe) = probes.join_next().await {
        for (all, some) in waits.iter_mut().zip(probe??) {
            all.extend(some);
        }
    }
    Ok((result?, waits.map(Spread::of)))
}

/// How long they waited, in milliseconds.
#[derive(Clone, Copy)]
struct Spread {
    count: usize,
    median: f64,
    p99: f64,
    longest: f64,
}

impl Spread {
    fn of(mut waits: Vec<f64>) -> Self {
        waits.sort_by(f64::total_cmp);
        let at = |share: f64| waits.get(((waits.len() as f64 * share) as usize).min(waits.len().saturating_sub(1))).copied();
        let [median, p99, longest] = [0.5, 0.99, 1.0].map(|share| at(share).unwrap_or(f64::NAN));
        Self { count: waits.len(), median, p99, longest }
    }

    /// The head of a table of waits.
    const HEAD: &str = "| milliseconds | requests | median | 99 % | longest |\n|---|---|---|---|---|\n";

    fn row(&self, name: &str) -> String {
        let Self { count, median, p99, longest } = self;
        format!("| {name} | {count} | {median:.2} | {p99:.2} | {longest:.1} |\n")
    }

    fn json(&self) -> Value {
        json!({"requests": self.count, "median_ms": self.median, "p99_ms": self.p99, "longest_ms": self.longest})
    }
}

struct Measured {
    games: usize,
    agent: String,
    started: usize,
    ended: usize,
    errors: Vec<String>,
    seconds: f64,
    calm: [Spread; 2],
    probes: [Spread; 2],
    plain: Spread,
    thoughts: Spread,
}

async fn measure(args: &Args, ply: SocketAddr, idle: SocketAddr) -> Result<Measured> {
    let addresses = [ply, idle];
    eprintln!("no games, {} s", CALM.as_secs());
    let ((), calm) = probed(addresses, async {
        tokio::time::sleep(CALM).await;
        Ok(())
    })
    .await?;
    eprintln!("{} games of {} at a time, {} s", args.games, args.agent, args.seconds);
    let stage = Arc::new(Stage {
        agent: args.agent.clone(),
        begin: Barrier::new(args.games + 1),
        closing: AtomicBool::new(false),
        started: AtomicUsize::new(0),
        ended: AtomicUsize::new(0),
    });
    let mut players = JoinSet::new();
    for number in 0..args.games {
        players.spawn(player(ply, number, Arc::clone(&stage)));
    }
    tokio::time::timeout(PATIENCE, stage.begin.wait()).await.context("not all clients could connect")?;
    let begin = Instant::now();
    let ((), probes) = probed(addresses, async {
        tokio::time::sleep(Duration::from_secs(args.seconds)).await;
        stage.closing.store(true, Ordering::Relaxed);
        Ok(())
    })
    .await?;
    let seconds = begin.elapsed().as_secs_f64();
    let (mut waits, mut errors) = (Waits::default(), Vec::new());
    while let Some(player) = players.join_next().await {
        match player? {
            Ok(Waits { plain, thoughts }) => {
                waits.plain.extend(plain);
                waits.thoughts.extend(thoughts);
            }
            Err(error) => errors.push(format!("{error:#}")),
        }
    }
    let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
    Ok(Measured {
        games: args.games,
        agent: args.agent.clone(),
        started: count(&stage.started),
        ended: count(&stage.ended),
        errors,
        seconds,
        calm,
        probes,
        plain: Spread::of(waits.plain),
        thoughts: Spread::of(waits.thoughts),
    })
}

impl Measured {
    fn lost(&self) -> usize {
        self.started - self.ended
    }

    fn passed(&self) -> bool {
        self.lost() == 0 && self.errors.is_empty() && [self.plain, self.probes[0]].iter().all(|spread| spread.p99 < BAR)
    }

    fn rows(&self) -> [(&'static str, Spread); 6] {
        [
            ("no games: a server that does nothing", self.calm[1]),
            ("no games: ply serve", self.calm[0]),
            ("all play: a server that does nothing", self.probes[1]),
            ("all play: ply serve, a spectator", self.probes[0]),
            ("all play: ply serve, the players", self.plain),
            ("all play: thoughts", self.thoughts),
        ]
    }

    fn table(&self) -> String {
        let mut text = format!(
            "{} games at a time, {} on both sides, {:.0} s: {} games begun, {} lost, {:.0} thoughts a second\n\n{}",
            self.games,
            self.agent,
            self.seconds,
            self.started,
            self.lost(),
            self.thoughts.count as f64 / self.seconds,
            Spread::HEAD,
        );
        for (name, spread) in self.rows() {
            text += &spread.row(name);
        }
        for error in self.errors.iter().take(5) {
            text += &format!("error: {error}\n");
        }
        let verdict = if self.passed() { "passed" } else { "MISSED" };
        text + &format!(
            "\nno game lost, and 99 % of requests without thinking answered within {BAR:.0} ms while all play: {verdict}\n"
        )
    }

    fn json(&self) -> Value {
        let rows: serde_json::Map<String, Value> =
            self.rows().iter().map(|(name, spread)| ((*name).to_owned(), spread.json())).collect();
        json!({
            "games": self.games, "agent": self.agent, "seconds": self.seconds, "begun": self.started, "lost": self.lost(),
            "errors": self.errors, "waits": rows, "passed": self.passed(),
        })
    }
}
