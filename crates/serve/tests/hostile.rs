//! The server among hostile clients: idle connections, bodies that do not come, answers that are not read, floods of searches, and
//! requests under foreign names. Clients have addresses of their own (127.0.0.2 and so on), which Linux gives to every program.
#![cfg(target_os = "linux")]

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use plyground_serve::{LivePage, Server, ServerLimits};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

type Socket = WebSocketStream<TcpStream>;

/// Nothing here takes so long; a test that waits longer has failed.
const FOR_EVER: Duration = Duration::from_mins(1);
/// The time in which a page or a move has to come. It takes milliseconds, but other tests run beside this one.
const SOON: Duration = Duration::from_secs(10);

const PLAYER: [u8; 4] = [127, 0, 0, 1];
const HOSTILE: [u8; 4] = [127, 0, 0, 2];

/// A search that takes as long as it may.
const LONG: &str = "mcts:sims=4000000000";

struct Running {
    address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

async fn start(limits: ServerLimits) -> Running {
    start_with(limits, |_| {}).await
}

/// A server, with something done to it before it answers.
async fn start_with(limits: ServerLimits, prepare: impl FnOnce(&mut Server)) -> Running {
    let mut server = Server::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), limits).await.unwrap();
    prepare(&mut server);
    let address = server.address().unwrap();
    let (stop, stopped) = oneshot::channel();
    tokio::spawn(async move { server.run(async { drop(stopped.await) }).await });
    Running { address, _stop: stop }
}

impl Running {
    async fn connect(&self, from: [u8; 4]) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::from((from, 0))).unwrap();
        socket.connect(self.address).await.unwrap()
    }

    /// The answer to a request with these headers.
    async fn ask(&self, from: [u8; 4], path: &str, headers: &str) -> String {
        let mut stream = self.connect(from).await;
        let host = if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", self.address) };
        let request = format!("GET {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Is a page served soon?
    async fn serves(&self, from: [u8; 4]) -> bool {
        timeout(SOON, self.ask(from, "/", "")).await.is_ok_and(|page| page.starts_with("HTTP/1.1 200"))
    }

    async fn engine(&self, from: [u8; 4]) -> Result<Socket, Error> {
        let request = format!("ws://{}/engine", self.address).into_client_request().unwrap();
        client_async(request, self.connect(from).await).await.map(|(socket, _)| socket)
    }

    /// The status of a handshake with these headers.
    async fn handshake(&self, headers: &[(&'static str, &str)]) -> u16 {
        let mut request = format!("ws://{}/engine", self.address).into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        match client_async(request, self.connect(PLAYER).await).await {
            Ok(_) => 101,
            Err(Error::Http(refused)) => refused.status().as_u16(),
            Err(error) => panic!("{error}"),
        }
    }
}

async fn send(socket: &mut Socket, request: &Value) {
    socket.send(Message::text(request.to_string())).await.unwrap();
}

/// The next message that is an answer and not progress.
async fn answer(socket: &mut Socket) -> Value {
    loop {
        let message = timeout(FOR_EVER, socket.next()).await.expect("an answer").unwrap().unwrap();
        let message: Value = serde_json::from_str(message.to_text().unwrap()).unwrap();
        if message.get("progress").is_none() {
            return message;
        }
    }
}

fn think(id: u64, agent: &str) -> Value {
    json!({"id": id, "do": "think", "game": "clobber:size=10x10", "agent": agent})
}

/// Reads until the server closes the connection; `None` if it does not.
async fn read_to_end(stream: &mut TcpStream) -> Option<String> {
    let mut text = Vec::new();
    // A reset is an end, too.
    let _ = timeout(FOR_EVER, stream.read_to_end(&mut text)).await.ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

#[tokio::test]
async fn a_search_by_any_spelling_runs_beside_the_pages() {
    let server = start(ServerLimits::default()).await;
    let mut socket = server.engine(HOSTILE).await.unwrap();
    let request = json!({"id": 1, "do": {"think": null}, "game": "clobber:size=10x10", "agent": LONG, "time": 15_000});
    send(&mut socket, &request).await;
    let begin = Instant::now();
    assert!(server.serves(PLAYER).await);
    assert!(begin.elapsed() < SOON);
    // It is in the queue like all searches: it can be stopped.
    send(&mut socket, &json!({"stop": 1})).await;
    let stopped = answer(&mut socket).await;
    assert!(stopped["id"] == 1 && stopped["answer"]["move"].is_string(), "{stopped}");
    assert!(begin.elapsed() < Duration::from_secs(12), "it was stopped before its time was over");
}

#[tokio::test]
async fn idle_connections_keep_no_page_from_being_served() {
    // More than the server takes and the kernel keeps for it; together with the server's, fewer than the 1,024 files of a process.
    let server = start(ServerLimits { header_timeout: FOR_EVER, http_connections: 50, ..ServerLimits::default() }).await;
    let mut idle = Vec::new();
    for _ in 0..600 {
        // On a server that accepts no more, this waits for the kernel.
        let Ok(stream) = timeout(Duration::from_secs(1), server.connect(HOSTILE)).await else { break };
        idle.push(stream);
    }
    for from in [PLAYER, HOSTILE] {
        assert!(server.serves(from).await, "{from:?} beside {} idle connections", idle.len());
    }
}

#[tokio::test]
async fn requests_that_are_never_finished_keep_no_page_from_being_served() {
    let server = start(ServerLimits { header_timeout: FOR_EVER, http_connections: 50, ..ServerLimits::default() }).await;
    let mut slow = Vec::new();
    for _ in 0..100 {
        let mut stream = server.connect(HOSTILE).await;
        // The server may have closed it already.
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: ").await;
        slow.push(stream);
    }
    assert!(server.serves(PLAYER).await && server.serves(HOSTILE).await);
}

#[tokio::test]
async fn a_live_page_has_the_same_limits() {
    let limits = ServerLimits { header_timeout: FOR_EVER, http_connections: 50, listeners: 3, ..ServerLimits::default() };
    let page = Arc::new(LivePage::new("a competition", []));
    let server = start_with(limits, |server| server.show_live_page(page)).await;
    let mut idle = Vec::new();
    for _ in 0..300 {
        let Ok(stream) = timeout(Duration::from_secs(1), server.connect(HOSTILE)).await else { break };
        idle.push(stream);
    }
    assert!(server.serves(PLAYER).await && server.serves(HOSTILE).await);
    // One client has taken all event streams; another one gets one all the same.
    let follow = async |from: [u8; 4]| {
        let mut stream = server.connect(from).await;
        stream.write_all(format!("GET /live/events HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).as_bytes()).await.unwrap();
        let mut head = [0; 12];
        stream.read_exact(&mut head).await.unwrap();
        (stream, String::from_utf8_lossy(&head).into_owned())
    };
    let mut streams = Vec::new();
    for (from, status) in [(HOSTILE, "200"), (HOSTILE, "200"), (HOSTILE, "200"), (HOSTILE, "503"), (PLAYER, "200")] {
        let (stream, head) = timeout(FOR_EVER, follow(from)).await.expect("an answer");
        assert!(head.ends_with(status), "{from:?}: {head}");
        streams.push(stream);
    }
}

#[tokio::test]
async fn a_connection_has_a_deadline_from_its_first_moment() {
    let server = start(ServerLimits { header_timeout: Duration::from_millis(300), ..ServerLimits::default() }).await;
    let mut silent = server.connect(HOSTILE).await;
    assert_eq!(read_to_end(&mut silent).await.as_deref(), Some(""));
    // Another request over the same connection is answered, and then it is closed as well.
    let mut kept = server.connect(PLAYER).await;
    for _ in 0..2 {
        let request = format!("GET /manifest.webmanifest HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
        kept.write_all(request.as_bytes()).await.unwrap();
    }
    let answers = read_to_end(&mut kept).await.expect("it is closed");
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 2, "{answers}");
}

/// A file for the runs of a test, gone when the test is over.
struct RunsFile(PathBuf);

impl RunsFile {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("plyground-hostile-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder.join("runs.sqlite"))
    }
}

impl Drop for RunsFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.0.parent().unwrap());
    }
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let runs = RunsFile::new("body");
    let limits = ServerLimits { body_timeout: Duration::from_millis(300), ..ServerLimits::default() };
    let server = start_with(limits, |server| server.open_lab(&runs.0).unwrap()).await;
    let mut stream = server.connect(PLAYER).await;
    let head = format!("POST /lab/runs HTTP/1.1\r\nHost: {}\r\nContent-Length: 100\r\n\r\n{{", server.address);
    stream.write_all(head.as_bytes()).await.unwrap();
    let refusal = read_to_end(&mut stream).await.expect("it is closed");
    assert!(refusal.starts_with("HTTP/1.1 400") && refusal.contains("expected the body of the request"), "{refusal}");
}

#[tokio::test]
async fn answers_that_are_not_read_are_given_up() {
    let server = start(ServerLimits { write_timeout: Duration::from_millis(300), ..ServerLimits::default() }).await;
    // By HTTP: requests are sent until the server reads no more, since it cannot write, and then it closes the connection.
    let mut greedy = server.connect(HOSTILE).await;
    let request = format!("GET /js/main.js HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    let flood = async { while greedy.write_all(request.as_bytes()).await.is_ok() {} };
    assert!(timeout(FOR_EVER, flood).await.is_ok(), "the connection is still open");
    // By WebSocket.
    let mut socket = server.engine(HOSTILE).await.unwrap();
    let request = json!({"id": 1, "do": "games"}).to_string();
    let flood = async { while socket.send(Message::text(request.clone())).await.is_ok() {} };
    assert!(timeout(FOR_EVER, flood).await.is_ok(), "the socket is still open");
    assert!(server.serves(PLAYER).await);
}

#[tokio::test]
async fn a_flood_of_searches_leaves_the_others_their_turns() {
    let limits = ServerLimits { searches: 2, searches_of_client: 1, ..ServerLimits::default() };
    let server = start(limits).await;
    let mut hostile = Vec::new();
    for _ in 0..20 {
        let mut socket = server.engine(HOSTILE).await.unwrap();
        for id in 0..4 {
            send(&mut socket, &think(id, LONG)).await;
        }
        hostile.push(socket);
    }
    let mut player = server.engine(PLAYER).await.unwrap();
    for id in 0..3 {
        send(&mut player, &think(id, "level=1")).await;
        let moved = timeout(SOON, answer(&mut player)).await.expect("a move soon");
        assert!(moved["answer"]["move"].is_string(), "{moved}");
    }
}

#[tokio::test]
async fn connections_of_one_client_are_served_in_turns() {
    let limits =
        ServerLimits { searches: 1, searches_of_client: 1, search_turn: Duration::from_millis(200), ..ServerLimits::default() };
    let server = start(limits).await;
    let mut greedy = server.engine(PLAYER).await.unwrap();
    for id in 0..4 {
        send(&mut greedy, &think(id, LONG)).await;
    }
    let mut modest = server.engine(PLAYER).await.unwrap();
    send(&mut modest, &think(9, "level=1")).await;
    let moved = timeout(SOON, answer(&mut modest)).await.expect("a move soon");
    assert!(moved["id"] == 9 && moved["answer"]["move"].is_string(), "{moved}");
    // The search that made room has answered with the best that it had.
    let ended = answer(&mut greedy).await;
    assert!(ended["answer"]["move"].is_string(), "{ended}");
}

#[tokio::test]
async fn one_client_cannot_take_all_connections_to_the_engine() {
    let server = start(ServerLimits { engine_connections: 10, ..ServerLimits::default() }).await;
    let mut hostile = Vec::new();
    for _ in 0..10 {
        hostile.push(server.engine(HOSTILE).await.unwrap());
    }
    assert!(matches!(server.engine(HOSTILE).await, Err(Error::Http(full)) if full.status() == 503));
    let mut player = server.engine(PLAYER).await.unwrap();
    send(&mut player, &think(1, "level=1")).await;
    assert!(answer(&mut player).await["answer"]["move"].is_string());
}

#[tokio::test]
async fn the_engine_answers_only_under_names_of_this_server() {
    let trusted = |server: &mut Server| server.trust(&[], &["play.example.org".to_owned()]);
    let server = start_with(ServerLimits::default(), trusted).await;
    let port = server.address.port();
    for (host, status) in [
        ("evil.example.com".to_owned(), 403),
        (format!("127.0.0.1.evil.example.com:{port}"), 403),
        (format!("localhost:{port}"), 101),
        (format!("127.0.0.1:{port}"), 101),
        (format!("play.example.org:{port}"), 101),
    ] {
        let origin = format!("http://{host}");
        assert_eq!(server.handshake(&[("host", &host), ("origin", &origin)]).await, status, "{host}");
    }
}

#[tokio::test]
async fn clients_of_a_named_proxy_are_told_apart() {
    let limits = ServerLimits { engine_connections: 4, ..ServerLimits::default() };
    let proxy = |server: &mut Server| server.trust(&[IpAddr::from(PLAYER)], &[]);
    let statuses = async |server: &Running, headers: [(&'static str, &str); 2]| {
        let mut kept = Vec::new();
        for _ in 0..4 {
            let mut request = format!("ws://{}/engine", server.address).into_client_request().unwrap();
            request.headers_mut().insert("x-forwarded-for", "203.0.113.1".parse().unwrap());
            kept.push(client_async(request, server.connect(PLAYER).await).await.unwrap());
        }
        server.handshake(&headers).await
    };
    let of_another = [("x-forwarded-for", "198.51.100.3, 203.0.113.2"), ("host", "play.example.org")];
    let server = start_with(limits, proxy).await;
    assert_eq!(statuses(&server, of_another).await, 101, "another client of a named proxy has its share");
    let server = start(limits).await;
    let of_another = [("x-forwarded-for", "203.0.113.2"), ("x-real-ip", "203.0.113.2")];
    assert_eq!(statuses(&server, of_another).await, 503, "what others say of themselves is not believed");
}

#[tokio::test]
async fn the_lab_is_closed_to_clients_of_a_proxy() {
    let runs = RunsFile::new("proxy");
    for proxies in [&[][..], &[IpAddr::from(PLAYER)]] {
        let prepare = |server: &mut Server| {
            server.trust(proxies, &[]);
            server.open_lab(&runs.0).unwrap();
        };
        let server = start_with(ServerLimits::default(), prepare).await;
        let headers = ["X-Forwarded-For: 203.0.113.9\r\n", "Forwarded: for=203.0.113.9\r\n", "X-Forwarded-For: 127.0.0.1\r\n"];
        for header in headers {
            let refused = server.ask(PLAYER, "/lab/runs", header).await;
            assert!(refused.starts_with("HTTP/1.1 403"), "{header}: {refused}");
            assert!(server.ask(PLAYER, "/server.json", header).await.contains("\"lab\":false"), "{header}");
        }
        let direct = server.ask(PLAYER, "/lab/runs", "").await;
        assert_eq!(direct.starts_with("HTTP/1.1 200"), proxies.is_empty(), "{direct}");
    }
}
