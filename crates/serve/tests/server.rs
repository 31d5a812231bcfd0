//! The server as a browser and as a stranger meet it.

use std::io::Read;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use plyground_serve::{Server, ServerLimits};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

struct Running {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    ended: tokio::task::JoinHandle<()>,
}

async fn start(limits: ServerLimits) -> Running {
    let server = Server::bind(SocketAddr::from(([127, 0, 0, 1], 0)), limits).await.unwrap();
    let address = server.address().unwrap();
    let (stop, stopped) = oneshot::channel();
    let ended = tokio::spawn(async move { server.run(async { drop(stopped.await) }).await });
    Running { address, stop, ended }
}

impl Running {
    async fn connect(&self) -> Socket {
        connect_async(format!("ws://{}/engine", self.address)).await.unwrap().0
    }

    /// An answer to a plain request, head and body.
    async fn get(&self, path: &str) -> String {
        String::from_utf8_lossy(&self.get_with(path, "").await).into_owned()
    }

    /// The answer as it comes; `headers` are further lines of the request.
    async fn get_with(&self, path: &str, headers: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{headers}Connection: close\r\n\r\n", self.address);
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        answer
    }
}

async fn send(socket: &mut Socket, request: Value) {
    socket.send(Message::text(request.to_string())).await.unwrap();
}

async fn next(socket: &mut Socket) -> Value {
    let message = tokio::time::timeout(Duration::from_secs(20), socket.next()).await.expect("an answer").unwrap().unwrap();
    serde_json::from_str(message.to_text().unwrap()).unwrap()
}

/// The next message that is an answer and not progress.
async fn answer(socket: &mut Socket) -> Value {
    loop {
        let message = next(socket).await;
        if message.get("progress").is_none() {
            return message;
        }
    }
}

#[tokio::test]
async fn the_app_is_served_with_headers_that_guard_it_and_nothing_else_is() {
    let server = start(ServerLimits::default()).await;
    for path in ["/", "/js/main.js", "/style.css", "/manifest.webmanifest", "/icons/icon.svg"] {
        let page = server.get(path).await;
        assert!(page.starts_with("HTTP/1.1 200"), "{path}: {page}");
        for guard in ["content-security-policy: default-src 'none'", "x-content-type-options: nosniff", "frame-ancestors 'none'"]
        {
            assert!(page.contains(guard), "{path}: {guard}");
        }
    }
    for path in ["/../Cargo.toml", "/js/../../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/js", "/nothing"] {
        let page = server.get(path).await;
        assert!(page.starts_with("HTTP/1.1 404"), "{path}: {page}");
    }
}

/// The head of an answer, and its body.
fn parted(answer: &[u8]) -> (String, &[u8]) {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    (String::from_utf8(answer[..end].to_vec()).unwrap(), &answer[end + 4..])
}

#[tokio::test]
async fn files_come_compressed_and_only_once() {
    let server = start(ServerLimits::default()).await;
    let plain = server.get_with("/style.css", "").await;
    let (head, text) = parted(&plain);
    assert!(!head.contains("content-encoding") && head.contains("vary: accept-encoding"), "{head}");
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
    for refused in ["Accept-Encoding: br\r\n", "Accept-Encoding: gzip;q=0, br\r\n", "Accept-Encoding: gzip; q=0.00\r\n"] {
        assert_eq!(parted(&server.get_with("/style.css", refused).await).1, text, "{refused}");
    }
    let compressed = server.get_with("/style.css", "Accept-Encoding: br, gzip;q=0.5\r\n").await;
    let (head, body) = parted(&compressed);
    assert!(head.contains("content-encoding: gzip") && head.contains(tag), "{head}");
    assert!(2 * body.len() < text.len());
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(body).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, text);
    let known = server.get_with("/style.css", &format!("If-None-Match: \"other\", {tag}\r\n")).await;
    let (head, body) = parted(&known);
    assert!(head.starts_with("HTTP/1.1 304") && body.is_empty(), "{head}");
    assert!(server.get_with("/style.css", "If-None-Match: W/\"other\"\r\n").await.starts_with(b"HTTP/1.1 200"));
}

#[tokio::test]
async fn a_game_is_played_over_a_socket() {
    let server = start(ServerLimits::default()).await;
    let mut socket = server.connect().await;
    send(&mut socket, json!({"id": 1, "do": "state", "game": "tictactoe", "moves": ["b2"]})).await;
    let state = answer(&mut socket).await;
    assert_eq!((state["id"].as_u64(), state["answer"]["turn"].as_str()), (Some(1), Some("second")));
    send(&mut socket, json!({"id": 2, "do": "think", "game": "tictactoe", "moves": ["b2"], "agent": "level=8"})).await;
    let thought = answer(&mut socket).await;
    assert!(["a1", "a3", "c1", "c3"].contains(&thought["answer"]["move"].as_str().unwrap()), "{thought}");
    send(&mut socket, json!({"nonsense": 1})).await;
    assert!(answer(&mut socket).await["error"].as_str().unwrap().contains("malformed request"));
}

#[tokio::test]
async fn a_thought_can_be_stopped_and_does_not_hold_up_the_rest() {
    let server = start(ServerLimits { searches: 1, ..ServerLimits::default() }).await;
    let mut socket = server.connect().await;
    send(&mut socket, json!({"id": 1, "do": "think", "game": "clobber:size=10x10", "agent": "mcts:sims=4000000000"})).await;
    assert!(next(&mut socket).await["progress"]["done"].is_number());
    send(&mut socket, json!({"id": 2, "do": "state", "game": "clobber"})).await;
    assert_eq!(answer(&mut socket).await["id"], 2);
    send(&mut socket, json!({"stop": 1})).await;
    let stopped = answer(&mut socket).await;
    assert_eq!(stopped["id"], 1);
    assert!(stopped["answer"]["move"].is_string(), "{stopped}");
}

#[tokio::test]
async fn strangers_and_the_greedy_are_refused() {
    let limits = ServerLimits { engine_connections: 1, message: 1_000, searches_each: 1, ..ServerLimits::default() };
    let server = start(limits).await;
    let mut foreign = format!("ws://{}/engine", server.address).into_client_request().unwrap();
    foreign.headers_mut().insert("origin", "http://example.org".parse().unwrap());
    let Err(Error::Http(refused)) = connect_async(foreign).await else { panic!("a page of others was let in") };
    assert_eq!(refused.status(), 403);
    let mut own = format!("ws://{}/engine", server.address).into_client_request().unwrap();
    own.headers_mut().insert("origin", format!("http://{}", server.address).parse().unwrap());
    let (mut socket, _) = connect_async(own).await.unwrap();
    let Err(Error::Http(full)) = connect_async(format!("ws://{}/engine", server.address)).await else { panic!("one too many") };
    assert_eq!(full.status(), 503);
    let long = json!({"do": "think", "game": "crosphere", "agent": "mcts:sims=4000000000"});
    for id in [1, 2] {
        let mut request = long.clone();
        request["id"] = id.into();
        send(&mut socket, request).await;
    }
    let refused = answer(&mut socket).await;
    assert_eq!(refused["id"], 2);
    assert!(refused["error"].as_str().unwrap().contains("at most 1 thoughts"), "{refused}");
    socket.send(Message::text("x".repeat(2_000))).await.unwrap();
    while let Some(Ok(message)) = socket.next().await {
        assert!(message.is_close() || message.is_text(), "{message}");
    }
}

#[tokio::test]
async fn no_page_can_start_a_program() {
    let server = start(ServerLimits::default()).await;
    let mut socket = server.connect().await;
    let mark = std::env::temp_dir().join(format!("plyground-started-{}", std::process::id()));
    for (id, command) in [format!("touch {}", mark.display()), "sh".to_owned(), "time=1s /bin/sh".to_owned()].iter().enumerate() {
        send(&mut socket, json!({"id": id, "do": "think", "game": "tictactoe", "agent": format!("cmd:{command}")})).await;
        let refused = answer(&mut socket).await;
        assert!(refused["error"].as_str().is_some(), "{command}: {refused}");
    }
    assert!(!mark.exists());
    send(&mut socket, json!({"id": 9, "do": "opponents", "game": "tictactoe"})).await;
    assert!(!answer(&mut socket).await.to_string().contains("cmd:"));
}

#[tokio::test]
async fn a_connection_without_a_request_is_closed() {
    let server =
        start(ServerLimits { http_connections: 1, header_timeout: Duration::from_millis(200), ..ServerLimits::default() }).await;
    let mut slow = TcpStream::connect(server.address).await.unwrap();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: ").await.unwrap();
    // There is no other place, so this page is answered after the slow connection is closed.
    assert!(server.get("/").await.starts_with("HTTP/1.1 200"));
    let mut rest = Vec::new();
    // What it has sent was not read, so the connection may end with a reset.
    let _ = slow.read_to_end(&mut rest).await;
    assert!(!rest.starts_with(b"HTTP/1.1 200"));
}

#[tokio::test]
async fn it_stops_when_it_is_told_to() {
    let server = start(ServerLimits::default()).await;
    let mut socket = server.connect().await;
    send(&mut socket, json!({"id": 1, "do": "think", "game": "crosphere", "agent": "mcts:sims=4000000000"})).await;
    assert!(next(&mut socket).await["progress"].is_object());
    server.stop.send(()).unwrap();
    assert!(answer(&mut socket).await["answer"]["move"].is_string(), "a running search answers at once");
    drop(socket);
    tokio::time::timeout(Duration::from_secs(10), server.ended).await.expect("it ends").unwrap();
}
