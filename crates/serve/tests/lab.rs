//! The lab as a page meets it: runs are started, followed, stopped, resumed and reported on, and strangers are kept out.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use plyground_core::CancelToken;
use plyground_match::{
    AgentFactory, Experiment, FileResources, Format, Lease, Openings, Queue as _, RefusedResults, Run, RunDriver, RunEvent,
    RunPrefix, Store, Threads, Worker, opening_plies,
};
use plyground_serve::{Server, ServerLimits};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

/// Nothing here takes so long; a test that waits longer has failed.
const FOR_EVER: Duration = Duration::from_mins(2);

/// A directory of its own for a test, gone when the test is over.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("plyground-serve-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn runs(&self) -> PathBuf {
        self.0.join("runs.sqlite")
    }

    fn store(&self) -> Store {
        Store::open(&self.runs()).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct Running {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    ended: tokio::task::JoinHandle<()>,
}

async fn serve(runs: &Path, limits: ServerLimits) -> Running {
    serve_with(runs, limits, |_| {}).await
}

/// The same, with something done to the server before it answers.
async fn serve_with(runs: &Path, limits: ServerLimits, prepare: impl FnOnce(&Server)) -> Running {
    let mut server = Server::bind(SocketAddr::from(([127, 0, 0, 1], 0)), limits).await.unwrap();
    server.open_lab(runs).unwrap();
    prepare(&server);
    let address = server.address().unwrap();
    let (stop, stopped) = oneshot::channel();
    let ended = tokio::spawn(async move { server.run(async { drop(stopped.await) }).await });
    Running { address, stop, ended }
}

/// An answer: its status, its head and its body.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    fn error(&self) -> String {
        self.json()["error"].as_str().unwrap().to_owned()
    }
}

impl Running {
    /// Sends a request. HTTP/1.0 knows no chunks: the body is what comes until the connection ends.
    async fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let host = if headers.to_lowercase().contains("host:") { String::new() } else { format!("Host: {}\r\n", self.address) };
        let head = format!("{method} {path} HTTP/1.0\r\n{host}{headers}Content-Length: {}\r\n\r\n", body.len());
        stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        BufReader::new(stream)
    }

    async fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let mut text = String::new();
        let mut stream = self.send(method, path, headers, body).await;
        tokio::time::timeout(FOR_EVER, stream.read_to_string(&mut text)).await.expect("an answer").unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "", "").await
    }

    async fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, "", &body.to_string()).await
    }

    /// Starts a run and gives its name.
    async fn start(&self, settings: &Value) -> String {
        let answer = self.post("/lab/runs", settings).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.json()["run"].as_str().unwrap().to_owned()
    }

    async fn follow(&self, run: &str) -> Events {
        let stream = self.send("GET", &format!("/lab/runs/{run}/events"), "", "").await;
        Events { stream }
    }

    async fn end(self) {
        self.stop.send(()).unwrap();
        tokio::time::timeout(FOR_EVER, self.ended).await.expect("it ends").unwrap();
    }
}

struct Events {
    stream: BufReader<TcpStream>,
}

impl Events {
    /// The next event and its data; nothing when the stream has ended.
    async fn next(&mut self) -> Option<(String, Value)> {
        let mut event = String::new();
        loop {
            let mut line = String::new();
            let read = tokio::time::timeout(FOR_EVER, self.stream.read_line(&mut line)).await.expect("an event").unwrap();
            if read == 0 {
                return None;
            }
            if let Some(name) = line.strip_prefix("event: ") {
                event = name.trim().to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                return Some((event, serde_json::from_str(data).unwrap()));
            }
        }
    }

    /// Waits until so many pairs are done.
    async fn until(&mut self, pairs: u64) {
        while let Some((event, data)) = self.next().await {
            assert_ne!(event, "end", "it ended before {pairs} were done: {data}");
            if event == "run" && data["done"].as_u64().unwrap() >= pairs {
                return;
            }
        }
        panic!("it ended without a word");
    }

    /// Reads to the end and gives the last word, and what was known then.
    async fn last(&mut self) -> (Value, Value) {
        let (mut end, mut run) = (Value::Null, Value::Null);
        while let Some((event, data)) = self.next().await {
            match event.as_str() {
                "run" => run = data,
                "end" => end = data,
                _ => {}
            }
        }
        (end, run)
    }
}

/// Some seconds of games, without time limits: the same on every machine.
fn slow_match(pairs: u64) -> Value {
    json!({"game": "connect-four:size=6x5", "agents": ["mcts:sims=1000", "mcts:sims=4000"], "pairs": pairs})
}

/// Every game of a run by its job and number: all its moves.
fn games(store: &Store, run: &str) -> HashMap<(String, u8), (Vec<String>, String)> {
    let mut games = HashMap::new();
    let take = |game: plyground_match::GameRow| {
        let moves = game.moves.iter().map(|played| played.text.clone()).collect();
        let before = games.insert((game.job, game.game), (moves, game.outcome.word().to_owned()));
        assert!(before.is_none(), "a game is there twice");
    };
    store.games(RunPrefix::all(run), take).unwrap();
    games
}

/// A run as the command line drives it, until so many pairs are played. (That jobs are done is told in batches, and too late for this.)
fn drive(store: &Store, experiment: Experiment, most: u64, act: impl FnOnce(&RunDriver<'_>)) -> String {
    let run = experiment.run();
    let (over, cancel) = (AtomicU64::new(0), CancelToken::new());
    let observer = |_: &Run, event: &RunEvent<'_>| {
        if matches!(event, RunEvent::GameEnded { .. }) && over.fetch_add(1, Ordering::Relaxed) + 1 >= 2 * most {
            cancel.cancel();
        }
    };
    let (executor, players) = (Threads(2), AgentFactory::of_run(&FileResources, &run));
    let driver = RunDriver::new(store, &run, &executor, &players).for_command("ply something");
    act(&driver.cancelled_by(&cancel).observed_by(&observer));
    run.id
}

/// All pairs of a run, or as many as are wanted.
fn play_here(store: &Store, experiment: Experiment, pairs: u64, most: u64) -> String {
    drive(store, experiment, most, |driver| drop(driver.play_format(pairs).unwrap()))
}

fn experiment(settings: &Value, format: Format) -> Experiment {
    let agents: Vec<String> =
        settings["agents"].as_array().unwrap().iter().map(|agent| agent.as_str().unwrap().to_owned()).collect();
    let mut experiment = Experiment::new(settings["game"].as_str().unwrap(), &agents, &FileResources).unwrap();
    experiment.format = format;
    experiment.openings = Openings::Random { plies: opening_plies(&experiment.game).unwrap() };
    experiment
}

#[tokio::test]
async fn a_match_is_followed_to_its_end_move_by_move() {
    let directory = Directory::new("followed");
    let server = serve(&directory.runs(), ServerLimits::default()).await;
    assert_eq!(server.get("/server.json").await.json()["lab"], true);
    let run = server.start(&slow_match(12)).await;
    let mut events = server.follow(&run).await;
    let (mut boards, mut watched) = (HashMap::<String, Vec<String>>::new(), HashMap::new());
    let (mut known, mut end) = (Value::Null, Value::Null);
    let moves = |board: &Value| board["moves"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect();
    while let Some((event, data)) = events.next().await {
        let name = data["game"].as_str().unwrap_or_default().to_owned();
        match event.as_str() {
            "run" => known = data,
            "boards" => {
                for board in data.as_array().unwrap() {
                    boards.insert(board["game"].as_str().unwrap().to_owned(), moves(board));
                }
            }
            "started" => drop(boards.insert(name, moves(&data))),
            "move" => boards.get_mut(&name).unwrap().push(data["move"].as_str().unwrap().to_owned()),
            "over" => {
                drop(watched.insert(name.clone(), (boards.remove(&name).unwrap(), data["result"].as_str().unwrap().to_owned())));
            }
            "end" => end = data,
            other => panic!("{other}: {data}"),
        }
    }
    assert_eq!(end, json!({"complete": true, "trouble": null}));
    assert_eq!(
        (&known["state"], &known["done"], &known["pairs"], &known["games"]),
        (&json!("complete"), &json!(12), &json!(12), &json!(24))
    );
    // What was seen at the boards is what is kept.
    let kept = games(&directory.store(), &run);
    assert_eq!(kept.len(), 24);
    assert!(watched.len() >= 2, "{}", watched.len());
    for (name, seen) in watched {
        let (job, game) = name.split_once('/').unwrap();
        assert_eq!(kept[&(job.to_owned(), game.parse().unwrap())], seen, "{name}");
    }
    // The table adds up, and says how sure it is.
    let [best, other] = known["standings"].as_array().unwrap().as_slice() else { panic!("{known}") };
    assert_eq!(best["wins"].as_u64().unwrap() + best["draws"].as_u64().unwrap() + best["losses"].as_u64().unwrap(), 24);
    assert_eq!((&best["wins"], &best["losses"]), (&other["losses"], &other["wins"]));
    assert!(
        best["score_low"].as_f64() < best["score"].as_f64() && best["score"].as_f64() < best["score_high"].as_f64(),
        "{best}"
    );
    // The command line would have played the same, and shows it.
    let row = directory.store().find(&run).unwrap();
    assert_eq!(row.command, "ply match connect-four:size=6x5 mcts:sims=1000 mcts:sims=4000 --pairs 12");
    assert_eq!(experiment(&slow_match(12), Format::RoundRobin).run().id, run);
    let list = server.get("/lab/runs").await.json();
    assert_eq!((&list["of"], &list["runs"][0]["run"], &list["runs"][0]["state"]), (&json!(1), &json!(run), &json!("complete")));
    assert_eq!(list["runs"][0]["leader"], *best);
    let shown = server.get(&format!("/lab/runs/{}", &run[..6])).await.json();
    assert_eq!((&shown["standings"], &shown["matches"]), (&known["standings"], &known["matches"]));
    let report = server.get(&format!("/lab/runs/{run}/report")).await;
    assert!(report.body.starts_with("<!DOCTYPE html>") && report.body.contains(&run), "{}", report.body);
    assert!(report.head.contains("content-security-policy: default-src 'none'; style-src 'unsafe-inline'; img-src data:;"));
    assert!(!report.head.contains("script-src"), "{}", report.head);
    assert!(report.head.contains("x-content-type-options: nosniff"), "{}", report.head);
    // The same again finds all of it played.
    assert_eq!(server.start(&slow_match(12)).await, run);
    assert_eq!(server.follow(&run).await.last().await.0["complete"], true);
    assert_eq!(games(&directory.store(), &run), kept);
    server.end().await;
}

#[tokio::test]
async fn stopped_and_resumed_nothing_is_lost_or_played_twice() {
    const PAIRS: u64 = 100;
    let (directory, straight) = (Directory::new("stopped"), Directory::new("straight"));
    let server = serve(&directory.runs(), ServerLimits::default()).await;
    // Enough pairs that a stop comes before the end, however fast they are played.
    let settings = slow_match(PAIRS);
    let run = server.start(&settings).await;
    server.follow(&run).await.until(2).await;
    let stopped = server.post(&format!("/lab/runs/{run}/stop"), &Value::Null).await.json();
    assert_eq!(stopped["state"], "unfinished");
    let first = games(&directory.store(), &run);
    assert_eq!(stopped["games"].as_u64().unwrap(), first.len() as u64);
    assert!(first.len() >= 4 && first.len() < 2 * PAIRS as usize, "{}", first.len());
    let shown = server.get(&format!("/lab/runs/{run}")).await.json();
    assert_eq!((&shown["state"], &shown["pairs"], &shown["done"]), (&json!("unfinished"), &json!(PAIRS), &stopped["done"]));
    assert_eq!(server.post(&format!("/lab/runs/{run}/stop"), &Value::Null).await.status, 409);

    // Again, and this time the whole server stops.
    assert_eq!(server.post(&format!("/lab/runs/{run}/resume"), &Value::Null).await.status, 200);
    let mut events = server.follow(&run).await;
    events.until(stopped["done"].as_u64().unwrap() + 2).await;
    server.end().await;
    while events.next().await.is_some() {}
    let second = games(&directory.store(), &run);
    assert!(second.len() >= first.len() + 4 && second.len() < 2 * PAIRS as usize, "{}", second.len());
    // What was being played is given back at once, and not only when its lease is over.
    let left = directory.store().queue(RunPrefix::all(&run)).lease(&Worker("one".to_owned()), 2 * PAIRS as usize).unwrap();
    let Lease::Jobs(left) = left else { panic!("{left:?}") };
    assert_eq!(left.len(), PAIRS as usize - second.len() / 2);
    directory.store().queue(RunPrefix::all(&run)).release(&Worker("one".to_owned())).unwrap();

    let server = serve(&directory.runs(), ServerLimits::default()).await;
    assert_eq!(server.get(&format!("/lab/runs/{run}")).await.json()["state"], "unfinished");
    assert_eq!(server.post(&format!("/lab/runs/{run}/resume"), &Value::Null).await.status, 200);
    let (end, known) = server.follow(&run).await.last().await;
    assert_eq!((&end["complete"], &known["games"]), (&json!(true), &json!(2 * PAIRS)));
    let all = games(&directory.store(), &run);
    assert!(first.iter().chain(&second).all(|(name, game)| all[name] == *game));
    // And it is what would have been played in one go.
    assert_eq!(play_here(&straight.store(), experiment(&settings, Format::RoundRobin), PAIRS, PAIRS), run);
    assert_eq!(games(&straight.store(), &run), all);
    server.end().await;
}

#[tokio::test]
async fn a_tournament_of_the_command_line_goes_on_with_all_its_rounds() {
    let (directory, straight) = (Directory::new("swiss"), Directory::new("swiss-straight"));
    let settings = json!({"game": "tictactoe", "agents": ["random", "mcts:sims=3", "mcts:sims=30", "mcts:sims=300"]});
    let format = Format::swiss(4, Some(3), 4);
    let run = play_here(&directory.store(), experiment(&settings, format), 4, 3);
    assert!(directory.store().find(&run).unwrap().done < 8, "it was stopped in its first round");
    let server = serve(&directory.runs(), ServerLimits::default()).await;
    assert_eq!(server.get(&format!("/lab/runs/{run}")).await.json()["state"], "unfinished");
    assert_eq!(server.post(&format!("/lab/runs/{run}/resume"), &Value::Null).await.status, 200);
    let (end, known) = server.follow(&run).await.last().await;
    assert_eq!((&end["complete"], &known["state"], &known["games"]), (&json!(true), &json!("complete"), &json!(48)));
    play_here(&straight.store(), experiment(&settings, format), 4, 100);
    assert_eq!(games(&directory.store(), &run), games(&straight.store(), &run));
    // A tournament whose first round is over is not over.
    let another = Experiment { seed: 1, ..experiment(&settings, format) };
    let round = drive(&directory.store(), another, 100, |driver| {
        driver.request_format(4).unwrap();
        assert!(driver.play_requested(4).unwrap().1);
    });
    let shown = server.get(&format!("/lab/runs/{round}")).await.json();
    assert_eq!((&shown["state"], &shown["done"], &shown["pairs"]), (&json!("unfinished"), &json!(8), &json!(8)));
    server.end().await;
}

#[tokio::test]
async fn agents_that_have_met_no_other_lead_nothing() {
    let directory = Directory::new("alone");
    let settings = json!({"game": "tictactoe", "agents": ["random"]});
    play_here(&directory.store(), experiment(&settings, Format::SelfPlay), 3, 100);
    let server = serve(&directory.runs(), ServerLimits::default()).await;
    let line = server.get("/lab/runs").await.json()["runs"][0].clone();
    assert_eq!((&line["games"], &line["leader"]), (&json!(6), &Value::Null), "{line}");
    server.end().await;
}

#[tokio::test]
async fn damage_of_the_store_and_refused_results_are_on_the_pages() {
    let directory = Directory::new("damage");
    let settings = json!({"game": "tictactoe", "agents": ["random", "mcts:sims=3"]});
    let run = play_here(&directory.store(), experiment(&settings, Format::RoundRobin), 4, 100);
    let refused = RefusedResults { worker: "liar".to_owned(), results: 2, reason: "moves: none".to_owned(), banned: true };
    directory.store().note_refused(&run, &[refused]).unwrap();
    let spoil = |statement: &str| {
        assert!(rusqlite::Connection::open(directory.runs()).unwrap().execute(statement, []).unwrap() > 0, "{statement}");
    };
    spoil("UPDATE games SET margin = 7 WHERE pair = 2");
    let server = serve(&directory.runs(), ServerLimits::default()).await;
    let page = server.get(&format!("/lab/runs/{run}")).await.json();
    assert_eq!((&page["games"], &page["refused"]["most"][0]["worker"]), (&json!(6), &json!("liar")));
    assert!(page["damage"][0].as_str().unwrap().contains("a game does not have its checksum"), "{page}");
    let report = server.get(&format!("/lab/runs/{run}/report")).await;
    assert!(report.body.contains("What does not count") && report.body.contains("from liar"), "{}", report.body);
    // A run that cannot be listed at all.
    spoil("UPDATE runs SET begun = 7");
    let page = server.get("/lab/runs").await.json();
    assert!(page["damage"].as_array().unwrap().iter().any(|line| line.as_str().unwrap().contains("its settings")), "{page}");
    server.end().await;
}

#[tokio::test]
async fn what_cannot_be_done_is_refused_in_words() {
    let directory = Directory::new("refused");
    let limits = ServerLimits { listeners: 1, message: 2_000, run_threads: 1, ..ServerLimits::default() };
    let server = serve(&directory.runs(), limits).await;
    for (settings, words) in [
        (json!({"game": "clober", "agents": ["random", "level=1"], "pairs": 1}), "did you mean 'clobber'?"),
        (json!({"game": "clobber", "agents": ["random", "mtcs"], "pairs": 1}), "unknown agent 'mtcs'"),
        (json!({"game": "clobber", "agents": ["random"], "pairs": 1}), "expected two or more"),
        (json!({"game": "clobber", "agents": ["random", "level=3"], "pairs": 0}), "expected a whole number from 1"),
        (json!({"game": "clobber", "agents": ["random", "level=3"], "pairs": 30_000}), "expected at most 20000"),
        (json!({"game": "clobber", "agents": ["random", "mcts:memory=600"], "pairs": 1}), "600"),
        (json!({"game": "clobber", "agents": ["random", "level=3"]}), "missing field `pairs`"),
        (json!({"game": "clobber", "agents": ["random", "level=3"], "pairs": 1, "format": "knock-out"}), "unknown variant"),
        (json!([1, 2]), "malformed request"),
    ] {
        let answer = server.post("/lab/runs", &settings).await;
        assert_eq!(answer.status, 400, "{settings}: {}", answer.body);
        assert!(answer.error().contains(words), "{settings}: {}", answer.body);
    }
    assert_eq!(server.post("/lab/runs", &json!("x".repeat(3_000))).await.status, 413);
    assert!(directory.store().runs().unwrap().is_empty(), "nothing of this was begun");
    for path in ["/lab/runs/abc", "/lab/runs/abc/report", "/lab/runs/abc/events"] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
    assert_eq!(server.post("/lab/runs/abc/resume", &Value::Null).await.status, 404);
    assert_eq!(server.get("/lab/runs/abc/stop").await.status, 405);

    let run = server.start(&slow_match(500)).await;
    let mut events = server.follow(&run).await;
    events.until(0).await;
    let crowded = server.get(&format!("/lab/runs/{run}/events")).await;
    assert_eq!((crowded.status, crowded.error().as_str()), (503, "too many follow runs; try again in a minute"));
    let another = json!({"game": "tictactoe", "agents": ["random", "level=2"], "pairs": 1});
    let refused = server.post("/lab/runs", &another).await;
    assert_eq!(refused.status, 409);
    assert!(refused.error().contains(&format!("run {run} is being played, and at most 1 at a time")), "{}", refused.body);
    let twice = server.post(&format!("/lab/runs/{run}/resume"), &Value::Null).await;
    assert_eq!((twice.status, twice.error()), (409, format!("run {run} is being played already")));
    drop(events);
    server.end().await;
    assert!(directory.store().find(&run).unwrap().done < 500);
}

#[tokio::test]
async fn pages_of_others_and_other_computers_are_kept_out() {
    let directory = Directory::new("strangers");
    let server = serve(&directory.runs(), ServerLimits::default()).await;
    let settings = json!({"game": "tictactoe", "agents": ["random", "level=2"], "pairs": 1}).to_string();
    let own = format!("Origin: http://{}\r\n", server.address);
    let strangers = [
        "Origin: http://example.org\r\n".to_owned(),
        "Origin: null\r\n".to_owned(),
        // A name of another site that resolves to this computer.
        "Host: example.org\r\n".to_owned(),
        format!("Host: example.org:{0}\r\nOrigin: http://example.org:{0}\r\n", server.address.port()),
    ];
    for headers in &strangers {
        for (method, path) in
            [("POST", "/lab/runs"), ("POST", "/lab/runs/a/stop"), ("GET", "/lab/runs"), ("GET", "/lab/runs/a/events")]
        {
            let answer = server.ask(method, path, headers, &settings).await;
            assert_eq!(answer.status, 403, "{method} {path} {headers}: {}", answer.body);
        }
    }
    assert!(directory.store().runs().unwrap().is_empty());
    let elsewhere = server.ask("GET", "/server.json", "Host: example.org\r\n", "").await;
    assert_eq!(elsewhere.json()["lab"], false);
    assert_eq!(server.ask("POST", "/lab/runs", &own, &settings).await.status, 201);
    assert_eq!(directory.store().runs().unwrap().len(), 1);
    server.end().await;
}

#[tokio::test]
async fn without_a_lab_there_is_none() {
    let server = Server::bind(SocketAddr::from(([127, 0, 0, 1], 0)), ServerLimits::default()).await.unwrap();
    let address = server.address().unwrap();
    let (stop, stopped) = oneshot::channel();
    let ended = tokio::spawn(async move { server.run(async { drop(stopped.await) }).await });
    let server = Running { address, stop, ended };
    assert_eq!(server.get("/server.json").await.json()["lab"], false);
    assert_eq!(server.get("/lab/runs").await.status, 404);
    server.end().await;
}

/// A training as `ply train` leaves it, with so many rounds.
fn write_training(folder: &Path, game: &str, rounds: u64) {
    let round = |number: u64| {
        json!({"round": number, "seconds": 60.0 * number as f64, "taught": number == 1, "games": 100 * number, "steps": 50 * number,
            "window": 1000, "age": 50.0, "reuse": 1.5, "policy_loss": 2.0, "value_loss": 0.5, "plies": 20.0, "first_score": 0.5,
            "redundancy": 0.0, "games_per_hour": 6000.0, "judgements_per_second": 5000.0, "network_share": 0.7, "steps_per_second": 40.0,
            "measured": [{"player": "search", "anchor": "random", "games": 40, "score": 0.9, "elo": [200.0, 500.0]}]})
    };
    std::fs::create_dir_all(folder).unwrap();
    let plan = plyground_train::TrainingPlan::new(game, None, plyground_nets::Size::SMALL).unwrap();
    std::fs::write(folder.join("plan.json"), serde_json::to_string(&plan).unwrap()).unwrap();
    let lines: String = (1..=rounds).map(|number| round(number).to_string() + "\n").collect();
    std::fs::write(folder.join("rounds.jsonl"), lines).unwrap();
}

#[tokio::test]
async fn trainings_are_listed_and_their_new_rounds_are_told() {
    let directory = Directory::new("trainings");
    let server = serve(&directory.runs(), ServerLimits::default()).await;
    assert_eq!(server.get("/lab/trainings").await.json(), json!({"trainings": []}));
    let folder = directory.0.join("training");
    write_training(&folder.join("clobber-small"), "clobber", 3);
    write_training(&folder.join("begun"), "tictactoe", 0);
    std::fs::create_dir_all(folder.join("empty")).unwrap();
    std::fs::create_dir_all(folder.join("damaged")).unwrap();
    std::fs::write(folder.join("damaged/plan.json"), "{").unwrap();
    let list = server.get("/lab/trainings").await.json();
    let names: Vec<&str> = list["trainings"].as_array().unwrap().iter().map(|line| line["training"].as_str().unwrap()).collect();
    assert_eq!(names, ["begun", "clobber-small"]);
    assert_eq!((&list["trainings"][1]["rounds"], &list["trainings"][1]["games"]), (&json!(3), &json!(300)));
    let page = server.get("/lab/trainings/clobber-small").await.json();
    assert_eq!((page["rounds"].as_array().unwrap().len(), &page["of"]), (3, &json!(3)));
    assert_eq!(page["rounds"][2]["measured"][0]["anchor"], "random");
    assert!(page["plan"]["game"].as_str().unwrap().starts_with("clobber"));
    // What is known is not told again, and what is new is.
    assert_eq!(server.get("/lab/trainings/clobber-small?skip=3").await.json()["rounds"], json!([]));
    write_training(&folder.join("clobber-small"), "clobber", 4);
    let page = server.get("/lab/trainings/clobber-small?skip=3").await.json();
    assert_eq!((page["rounds"].as_array().unwrap().len(), &page["rounds"][0]["round"]), (1, &json!(4)));
    // A client may know more rounds than there are: then the training began anew.
    assert_eq!(server.get("/lab/trainings/clobber-small?skip=9").await.json()["of"], 4);
    assert_eq!(server.get("/lab/trainings/clobber-small?skip=x").await.status, 400);
    server.end().await;
}

#[tokio::test]
async fn nothing_outside_the_training_folder_can_be_named() {
    let directory = Directory::new("outside");
    let folder = directory.0.join("training");
    write_training(&folder.join("inside"), "clobber", 1);
    write_training(&directory.0.join("outside"), "clobber", 1);
    #[cfg(unix)]
    std::os::unix::fs::symlink(directory.0.join("outside"), folder.join("linked")).unwrap();
    let server = serve(&directory.runs(), ServerLimits::default()).await;
    let names = [
        "..%2Foutside",
        "%2e%2e%2foutside",
        "..%5Coutside",
        "inside%2F..%2F..%2Foutside",
        "linked",
        ".",
        "..",
        "%2e%2e",
        "nobody",
        "INSIDE%00",
    ];
    for name in names {
        let answer = server.get(&format!("/lab/trainings/{name}")).await;
        assert!(matches!(answer.status, 400 | 404), "{name}: {} {}", answer.status, answer.body);
        assert!(!answer.body.contains("rounds"), "{name}");
    }
    assert_eq!(server.get("/lab/trainings/inside").await.status, 200);
    assert_eq!(server.get("/lab/trainings").await.json()["trainings"].as_array().unwrap().len(), 1);
    let stranger = server.ask("GET", "/lab/trainings", "Origin: http://elsewhere.example\r\n", "").await;
    assert_eq!(stranger.status, 403, "{}", stranger.body);
    server.end().await;
}

#[tokio::test]
async fn the_workers_at_a_queue_are_shown_where_there_is_one() {
    let directory = Directory::new("fleet");
    let server = serve(&directory.runs(), ServerLimits::default()).await;
    assert_eq!(server.get("/lab/fleet").await.json(), json!({"queue": null, "workers": []}));
    server.end().await;
    let looks = AtomicU64::new(0);
    let page = json!({"queue": "nats://host", "queued": 3, "workers": [{"worker": "one", "cores": 4}]});
    let (shown, gone) = (page.clone(), "nats://host: the server is gone");
    let look = move || if looks.fetch_add(1, Ordering::Relaxed) == 0 { Ok(shown.clone()) } else { Err(gone.to_owned()) };
    let server = serve_with(&directory.runs(), ServerLimits::default(), |server| server.show_fleet(look)).await;
    assert_eq!(server.get("/lab/fleet").await.json(), page);
    let answer = server.get("/lab/fleet").await;
    assert_eq!((answer.status, answer.error()), (502, gone.to_owned()));
    server.end().await;
}
