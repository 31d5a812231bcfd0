//! The live page of a host, over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;

use plyground_serve::{Server, ServerLimits};
use plyground_tuc::Programme;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::common::{FOR_EVER, HostSetup, Hosting, begun};

fn ask(address: SocketAddr, path: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(FOR_EVER)).unwrap();
    stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n").as_bytes()).unwrap();
    BufReader::new(stream)
}

fn get(address: SocketAddr, path: &str) -> String {
    let mut answer = String::new();
    ask(address, path).read_to_string(&mut answer).unwrap();
    answer
}

/// The next event and its data.
fn next(events: &mut impl BufRead) -> (String, String) {
    let mut event = String::new();
    loop {
        let mut line = String::new();
        assert!(events.read_line(&mut line).unwrap() > 0, "the stream has ended");
        if let Some(name) = line.strip_prefix("event: ") {
            event = name.trim().to_owned();
        } else if let Some(data) = line.strip_prefix("data: ") {
            return (event, data.trim().to_owned());
        }
    }
}

#[test]
fn every_visitor_sees_the_games_and_can_change_nothing() {
    let mut host = Hosting::start(HostSetup::new(Programme::InTurn { games: Some(1) }));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let limits = ServerLimits { listeners: 1, ..ServerLimits::default() };
    let mut server = runtime.block_on(Server::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), limits)).unwrap();
    server.show_live_page(Arc::clone(&host.page));
    let address = server.address().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = runtime.spawn(server.run(async { drop(stopped.await) }));

    let mut events = ask(address, "/live/events");
    assert_eq!(next(&mut events).0, "clock");
    assert!(get(address, "/live/events").starts_with("HTTP/1.0 503"), "one too many");
    let [white, black] = begun(&host);
    white.say("5444");
    assert_eq!(white.hear(), black.hear());
    loop {
        let (event, data) = next(&mut events);
        assert_eq!(event, "live");
        let page: Value = serde_json::from_str(&data).unwrap();
        let board = &page["boards"][0];
        if board["turn"] != "second" {
            continue;
        }
        assert_eq!(board["players"][0], "client15");
        assert_eq!(board["moves"][0], "e2e3");
        assert!(board["since"].as_i64() >= board["begun"].as_i64() && board["move_ms"].is_u64());
        let said: Vec<&str> =
            page["messages"].as_array().unwrap().iter().map(|message| message["text"].as_str().unwrap()).collect();
        assert!(said.contains(&"PW") && said.contains(&"5444") && said.iter().any(|text| text.starts_with("T15444")), "{said:?}");
        break;
    }
    black.say("0000");
    assert!(white.hear().starts_with("GE"));
    host.only_game();
    host.page.close();
    let page = get(address, "/live.json");
    let page: Value = serde_json::from_str(page.split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!((page["over"].as_bool(), page["finished"].as_u64()), (Some(true), Some(1)));
    assert_eq!(page["rows"][0][0], "client15");
    assert!(page["games"][0]["reason"].as_str().unwrap().contains("Black cheated"));

    let page = get(address, "/");
    for guard in ["HTTP/1.0 200", "content-security-policy: default-src 'none'", "nosniff", "live.js"] {
        assert!(page.contains(guard), "{guard}: {page}");
    }
    assert!(get(address, "/js/live.js").starts_with("HTTP/1.0 200"));
    for closed in ["/engine", "/lab/runs", "/server.json"] {
        assert!(get(address, closed).starts_with("HTTP/1.0 404"), "{closed}");
    }
    stop.send(()).unwrap();
    drop(events);
    runtime.block_on(async { tokio::time::timeout(FOR_EVER, serving).await.expect("it ends").unwrap() });
}
