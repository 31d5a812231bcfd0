//! Games between people by a link, as two pages, a spectator and a stranger meet them.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use plyground_serve::{FriendLimits, Server, ServerLimits};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn start(friends: FriendLimits) -> SocketAddr {
    let limits = ServerLimits { friends, ..ServerLimits::default() };
    let server = Server::bind(SocketAddr::from(([127, 0, 0, 1], 0)), limits).await.unwrap();
    let address = server.address().unwrap();
    // It ends with the test.
    tokio::spawn(server.run(std::future::pending()));
    address
}

/// A page of one person: its connection, and what it was told first.
struct Page {
    socket: Socket,
    kept: Value,
}

impl Page {
    async fn open(address: SocketAddr, first: Value) -> Self {
        let mut socket = connect_async(format!("ws://{address}/friend")).await.unwrap().0;
        socket.send(Message::text(first.to_string())).await.unwrap();
        let kept = next(&mut socket).await;
        Self { socket, kept }
    }

    async fn host(address: SocketAddr, order: Value) -> Self {
        let mut first = json!({"do": "open", "side": "first"});
        first.as_object_mut().unwrap().extend(order.as_object().unwrap().clone());
        Self::open(address, first).await
    }

    async fn join(address: SocketAddr, table: &Value) -> Self {
        Self::open(address, json!({"do": "join", "table": table})).await
    }

    async fn send(&mut self, message: Value) {
        self.socket.send(Message::text(message.to_string())).await.unwrap();
    }

    async fn play(&mut self, text: &str, ply: usize) {
        self.send(json!({"do": "play", "move": text, "ply": ply})).await;
    }

    /// Waits for a state that fits.
    async fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = next(&mut self.socket).await;
            if message.get("game").is_some() && fits(&message) {
                return message;
            }
        }
    }

    /// Waits for a refusal.
    async fn refusal(&mut self) -> String {
        loop {
            if let Some(error) = next(&mut self.socket).await["error"].as_str() {
                return error.to_owned();
            }
        }
    }
}

async fn next(socket: &mut Socket) -> Value {
    let message = tokio::time::timeout(Duration::from_mins(1), socket.next()).await.expect("a message").unwrap().unwrap();
    serde_json::from_str(message.to_text().unwrap()).unwrap()
}

fn moves(state: &Value) -> usize {
    state["game"]["moves"].as_array().unwrap().len()
}

#[tokio::test]
async fn two_people_play_to_the_end_while_another_watches_and_swap_sides_for_the_next_game() {
    let address = start(FriendLimits::default()).await;
    let mut host = Page::host(address, json!({"game": "tictactoe"})).await;
    let table = host.kept["table"].clone();
    host.play("b2", 0).await;
    assert!(host.refusal().await.contains("has not come yet"));
    let mut guest = Page::join(address, &table).await;
    assert!(guest.kept["key"].is_string() && guest.kept["key"] != host.kept["key"]);
    let mut third = Page::join(address, &table).await;
    assert_eq!(third.kept["key"], Value::Null);
    let state = guest.until(|state| state["watching"] == 1).await;
    assert_eq!(
        (&state["you"], &state["guest"]["side"], &state["host"]["here"]),
        (&json!("guest"), &json!("second"), &json!(true))
    );
    for (ply, text) in ["a1", "a3", "b1", "b3", "c1"].into_iter().enumerate() {
        let mover = if ply % 2 == 0 { &mut host } else { &mut guest };
        mover.play(text, ply).await;
        guest.until(|state| moves(state) == ply + 1).await;
    }
    let end = third.until(|state| moves(state) == 5).await;
    assert_eq!((&end["game"]["ended"], &end["game"]["winner"], &end["you"]), (&json!("rules"), &json!("first"), &Value::Null));
    third.send(json!({"do": "resign"})).await;
    assert!(third.refusal().await.contains("spectators"));
    host.send(json!({"do": "rematch"})).await;
    guest.until(|state| state["game"]["again"]["host"] == true).await;
    guest.send(json!({"do": "rematch"})).await;
    let again = host.until(|state| state["game"]["number"] == 1).await;
    assert_eq!((moves(&again), &again["host"]["side"]), (0, &json!("second")));
}

#[tokio::test]
async fn a_lost_connection_loses_neither_the_seat_nor_a_move_and_a_move_that_is_sent_twice_counts_once() {
    let address = start(FriendLimits::default()).await;
    let mut host = Page::host(address, json!({"game": "connect-four"})).await;
    let table = host.kept["table"].clone();
    let mut guest = Page::join(address, &table).await;
    host.play("d", 0).await;
    host.play("d", 0).await;
    guest.until(|state| moves(state) == 1).await;
    let key = guest.kept["key"].clone();
    drop(guest);
    host.until(|state| state["guest"]["here"] == false).await;
    // A stranger with the link does not get the seat of one who is away.
    let stranger = Page::join(address, &table).await;
    assert_eq!(stranger.kept["key"], Value::Null);
    let mut guest = Page::open(address, json!({"do": "join", "table": table, "key": key})).await;
    let state = guest.until(|state| moves(state) == 1).await;
    assert_eq!(state["you"], "guest");
    guest.play("d", 0).await;
    assert!(guest.refusal().await.contains("position of today"));
    guest.play("e", 1).await;
    let state = host.until(|state| moves(state) == 2).await;
    assert_eq!(state["game"]["moves"], json!(["d", "e"]));
    host.send(json!({"do": "resign"})).await;
    let state = guest.until(|state| state["game"]["ended"] == "resigned").await;
    assert_eq!(state["game"]["winner"], "second");
}

#[tokio::test]
async fn a_clock_that_falls_ends_the_game_though_nobody_sends_anything() {
    let address = start(FriendLimits::default()).await;
    let mut host = Page::host(address, json!({"game": "tictactoe", "clock": {"seconds": 1, "increment": 0}})).await;
    let mut guest = Page::join(address, &host.kept["table"]).await;
    host.play("a1", 0).await;
    guest.until(|state| moves(state) == 1 && state["game"]["clock"]["running"].is_null()).await;
    guest.play("b2", 1).await;
    let state = guest.until(|state| state["game"]["ended"] == "late").await;
    assert_eq!((&state["game"]["winner"], &state["game"]["clock"]["left"][0]), (&json!("second"), &json!(0)));
    assert_eq!(host.until(|state| state["game"]["ended"] == "late").await["game"]["winner"], "second");
}

#[tokio::test]
async fn chance_is_the_servers() {
    let address = start(FriendLimits::default()).await;
    let mut host = Page::host(address, json!({"game": "tuc-chess"})).await;
    let mut guest = Page::join(address, &host.kept["table"]).await;
    host.play("a2a3", 0).await;
    let state = guest.until(|state| moves(state) > 0).await;
    assert_eq!((state["game"]["moves"][0].as_str(), state["game"]["turn"].as_str()), (Some("a2a3"), Some("second")));
    assert!(moves(&state) > 1, "{state}");
}

#[tokio::test]
async fn what_no_page_sends_is_refused_in_words() {
    let address = start(FriendLimits::default()).await;
    for (first, words) in [
        (json!({"do": "open", "game": "nonsense"}), "nonsense"),
        (json!({"do": "open", "game": "tictactoe", "start": "9".repeat(3_000)}), "at most 2000 bytes"),
        (json!({"do": "open", "game": "tictactoe", "clock": {"seconds": 0}}), "expected 1 to"),
        (json!({"do": "open", "game": "tictactoe", "clock": {"seconds": 4_000_000_000_u32}}), "expected 1 to"),
        (json!({"do": "open", "game": "tictactoe", "more": 1}), "unknown field"),
        (json!({"do": "join", "table": "../../etc/passwd"}), "no such game"),
        (json!({"do": "play", "move": "a1", "ply": 0}), "open or join first"),
        (json!([]), "malformed message"),
    ] {
        let page = Page::open(address, first.clone()).await;
        let error = page.kept["error"].as_str().unwrap_or_default();
        assert!(error.contains(words), "{first}: {error}");
    }
    let mut host = Page::host(address, json!({"game": "tictactoe"})).await;
    let _guest = Page::join(address, &host.kept["table"]).await;
    for (message, words) in [
        (json!({"do": "play", "move": "z9", "ply": 0}), "z9"),
        (json!({"do": "play", "move": "a1".repeat(2_000), "ply": 0}), "at most 2000 bytes"),
        (json!({"do": "play", "move": "a1", "ply": 7}), "position of today"),
        (json!({"do": "play", "move": "a1", "ply": -1}), "malformed message"),
        (json!({"do": "rematch"}), "not over"),
        (json!({"do": "open", "game": "tictactoe"}), "expected play"),
        (json!({"nonsense": 1}), "malformed message"),
    ] {
        host.send(message.clone()).await;
        let error = host.refusal().await;
        assert!(error.contains(words), "{message}: {error}");
    }
    // And after all that, the game goes on.
    host.play("a1", 0).await;
    host.until(|state| moves(state) == 1).await;
    // A longer message than any is the end of the connection, and of nothing else.
    host.send(json!({"do": "play", "move": "a".repeat(100_000), "ply": 0})).await;
    while let Some(Ok(message)) = host.socket.next().await {
        assert!(!message.is_text() || message.to_text().unwrap().contains("game"));
    }
}

#[tokio::test]
async fn there_is_a_limit_of_games_and_spectators_and_a_game_that_was_left_makes_room() {
    let address = start(FriendLimits { tables: 3, tables_of_client: 2, watchers: 1, ..FriendLimits::default() }).await;
    let first = Page::host(address, json!({"game": "tictactoe"})).await;
    let second = Page::host(address, json!({"game": "tictactoe"})).await;
    let refused = Page::host(address, json!({"game": "tictactoe"})).await;
    assert!(refused.kept["error"].as_str().unwrap().contains("too many"), "{}", refused.kept);
    let _guest = Page::join(address, &second.kept["table"]).await;
    let _watcher = Page::join(address, &second.kept["table"]).await;
    let late = Page::join(address, &second.kept["table"]).await;
    assert!(late.kept["error"].as_str().unwrap().contains("no more can watch"));
    // The server learns that a page is gone when its connection ends, so the room may take a moment.
    let left = first.kept["table"].clone();
    drop(first);
    let mut opened = Page::host(address, json!({"game": "tictactoe"})).await;
    while opened.kept.get("error").is_some() {
        tokio::task::yield_now().await;
        opened = Page::host(address, json!({"game": "tictactoe"})).await;
    }
    assert!(Page::join(address, &left).await.kept["error"].as_str().unwrap().contains("no such game"));
}

#[tokio::test]
async fn pages_of_other_sites_get_no_seat() {
    let address = start(FriendLimits::default()).await;
    for (name, value) in [("origin", "https://evil.example"), ("origin", "null"), ("host", "evil.example")] {
        let mut request = format!("ws://{address}/friend").into_client_request().unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
        match connect_async(request).await {
            Err(Error::Http(answer)) => assert_eq!(answer.status(), 403, "{name}: {value}"),
            other => panic!("{name}: {value}: {}", other.is_ok()),
        }
    }
    let mut request = format!("ws://{address}/friend").into_client_request().unwrap();
    request.headers_mut().insert("origin", format!("http://{address}").parse().unwrap());
    assert!(connect_async(request).await.is_ok());
}
