//! Hostile company: idle connections and floods of searches from addresses of their own, beside one player and one reader of pages.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::{Client, Kind, PATIENCE, Process, SearchRequest, Spread, State, connect_from};

/// The longest wait for a page, and for a move of a player of level 1, in milliseconds.
const BAR: f64 = 1_000.0;

/// The addresses of the player, of the idle connections, and of the searches. Linux gives them all to every program.
const PLAYER: [u8; 4] = [127, 0, 0, 1];
const IDLE: [u8; 4] = [127, 0, 0, 2];
const SEARCHERS: [u8; 4] = [127, 0, 0, 3];

/// The searches of a hostile connection at the same time.
const SEARCHES: u64 = 4;

/// The pause between two pages.
const PAGE_EVERY: Duration = Duration::from_millis(100);

/// What hostile clients do.
#[derive(Clone, Copy)]
pub struct Company {
    /// Connections that say nothing.
    pub idle: usize,
    /// Connections that have four searches each at all times.
    pub searchers: usize,
    pub seconds: u64,
}

/// How long others waited beside them.
pub struct Beside {
    company: Company,
    pages: Spread,
    pages_of_idle: Spread,
    moves: Spread,
}

/// Measures on a server of its own, since the hostile clients have to find it empty.
pub async fn measure(company: Company) -> Result<Beside> {
    let server = Process::start(Kind::Ply)?;
    let address = server.address;
    eprintln!("{} idle connections, {} x {SEARCHES} searches, {} s", company.idle, company.searchers, company.seconds);
    let over = AtomicBool::new(false);
    let mut hostile = JoinSet::new();
    for _ in 0..company.searchers {
        hostile.spawn(search_for_ever(address));
    }
    let idle = async {
        let held = hold_idle(address, company).await;
        over.store(true, Ordering::Relaxed);
        held
    };
    let (idle, pages, pages_of_idle, moves) =
        tokio::join!(idle, read_pages(PLAYER, address, &over), read_pages(IDLE, address, &over), play(address, &over));
    idle?;
    if let Some(ended) = hostile.try_join_next() {
        ended??;
    }
    Ok(Beside { company, pages: pages?, pages_of_idle: pages_of_idle?, moves: moves? })
}

/// Opens connections that say nothing, and holds them for a time.
async fn hold_idle(address: SocketAddr, company: Company) -> Result<()> {
    let mut open = Vec::new();
    for _ in 0..company.idle {
        open.push(connect_from(IDLE, address).await.context("an idle connection (ulimit -n may be too small)")?);
    }
    tokio::time::sleep(Duration::from_secs(company.seconds)).await;
    Ok(())
}

/// Has four searches at all times, each as long as it may take.
async fn search_for_ever(address: SocketAddr) -> Result<()> {
    let mut client = Client::connect_from(SEARCHERS, address).await?;
    let request = |id: u64| json!({"id": id, "do": "think", "game": "clobber:size=10x10", "agent": "mcts:sims=4000000000"});
    for id in 0..SEARCHES {
        client.send(&request(id)).await?;
    }
    loop {
        if let Some(id) = client.next_answered().await? {
            client.send(&request(id)).await?;
        }
    }
}

/// Reads a page again and again, each time over a new connection.
async fn read_pages(from: [u8; 4], address: SocketAddr, over: &AtomicBool) -> Result<Spread> {
    let (mut waits, mut begin) = (Vec::new(), Instant::now());
    while !over.load(Ordering::Relaxed) {
        let page = timeout(PATIENCE, read_page(from, address)).await.context("no page")?;
        // A connection from the address of the flood may be displaced before its request has come; it is asked for again then.
        if let Ok(page) = page {
            ensure!(page.starts_with("HTTP/1.1 200"), "a page is answered with {page}");
            waits.push(1e3 * begin.elapsed().as_secs_f64());
            tokio::time::sleep(PAGE_EVERY).await;
            begin = Instant::now();
        } else {
            ensure!(from == IDLE, "a page of a modest client was not served");
        }
    }
    Ok(Spread::of(waits))
}

async fn read_page(from: [u8; 4], address: SocketAddr) -> Result<String> {
    let mut stream = connect_from(from, address).await?;
    stream.write_all(format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes()).await?;
    let mut page = Vec::new();
    stream.read_to_end(&mut page).await?;
    ensure!(!page.is_empty(), "the connection was closed");
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// Plays games of level 1, one after the other.
async fn play(address: SocketAddr, over: &AtomicBool) -> Result<Spread> {
    let mut client = Client::connect_from(PLAYER, address).await?;
    let (mut waits, mut moves) = (Vec::new(), Vec::<String>::new());
    while !over.load(Ordering::Relaxed) {
        let place = |task: &str| json!({"id": 1, "do": task, "game": "clobber", "moves": moves, "agent": "level=1"});
        let State { turn } = client.ask(&place("state")).await?;
        if turn == "over" {
            moves.clear();
            continue;
        }
        moves.push(client.timed::<SearchRequest>(&place("think"), &mut waits).await?.mv);
    }
    Ok(Spread::of(waits))
}

impl Beside {
    pub fn passed(&self) -> bool {
        self.rows().iter().all(|(_, spread)| spread.count > 0 && spread.longest < BAR)
    }

    fn rows(&self) -> [(&'static str, Spread); 3] {
        [
            ("hostile company: pages", self.pages),
            ("hostile company: pages, from the address of the idle connections", self.pages_of_idle),
            ("hostile company: moves of level 1", self.moves),
        ]
    }

    pub fn table(&self) -> String {
        let Company { idle, searchers, seconds } = self.company;
        let rows: String = self.rows().iter().map(|(name, spread)| spread.row(name)).collect();
        let verdict = if self.passed() { "passed" } else { "MISSED" };
        format!(
            "\n{idle} idle connections and {searchers} x {SEARCHES} searches from other addresses, {seconds} s\n\n{}{rows}\n\
             every page and every move within {BAR:.0} ms: {verdict}\n",
            Spread::HEAD
        )
    }

    pub fn json(&self) -> Value {
        let rows: serde_json::Map<String, Value> =
            self.rows().iter().map(|(name, spread)| ((*name).to_owned(), spread.json())).collect();
        json!({"idle": self.company.idle, "searchers": self.company.searchers, "waits": rows, "passed": self.passed()})
    }
}
