//! What pages send: messages over a WebSocket, bodies of requests to the lab, headers.

use std::net::{IpAddr, SocketAddr};
use std::ops::ControlFlow;
use std::str::from_utf8;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use plyground_api::{Allowance, Api, PageMessage};
use plyground_core::{NoResources, WallClock};
use plyground_serve::ServerLimits;
use plyground_serve::fuzzing::{HeaderJudgement, friend_states, judge_headers, names_this_server, requested_run};
use plyground_session::{infos, open};
use serde_json::Value;

use crate::{choice, chosen};

/// The limits of a small server.
pub const ALLOWANCE: Allowance = Allowance { time: Duration::from_millis(20), memory: 8, threads: 1, plies: 200 };

/// A message of a page is answered with JSON and its number: with an answer, or with an error in words. A state can be opened again.
pub fn requests(input: &[u8]) -> bool {
    let Ok(text) = from_utf8(input) else { return false };
    let request = match PageMessage::parse(text) {
        Ok(PageMessage::Request(request)) => request,
        Ok(PageMessage::Stop(_)) => return true,
        Err(refusal) => {
            let refusal: Value = serde_json::from_str(&refusal).expect("a refusal is JSON");
            assert!(refusal["error"].is_string());
            return false;
        }
    };
    let api = Api { resources: &NoResources, allowance: ALLOWANCE };
    let answer = api.respond(&request, &WallClock::start(), &mut |progress| {
        serde_json::from_str::<Value>(progress).expect("progress is JSON");
        ControlFlow::Continue(())
    });
    let answer: Value = serde_json::from_str(&answer).expect("an answer is JSON");
    assert_eq!(answer["id"], request.id);
    assert!(answer["error"].is_string() || !answer["answer"].is_null(), "{answer}");
    if let (Some(game), Some(position)) = (answer["answer"]["game"].as_str(), answer["answer"]["position"].as_str()) {
        assert_eq!(open(game, Some(position)).expect("a state can be opened").position(), position);
    }
    answer["error"].is_null()
}

pub fn request_seeds() -> Vec<Vec<u8>> {
    let mut texts = vec![
        r#"{"id":1,"do":"games"}"#.to_owned(),
        r#"{"stop":1}"#.to_owned(),
        r#"{"id":3,"do":"chance","game":"tuc-chess","moves":["5444"],"seed":3}"#.to_owned(),
        r#"{"id":4,"do":"export","game":"tictactoe","moves":["b2"],"format":"jsonl","players":["a","b"]}"#.to_owned(),
    ];
    for info in infos() {
        let name = info.name;
        texts.push(format!(r#"{{"id":5,"do":"opponents","game":"{name}"}}"#));
        texts.push(format!(r#"{{"id":6,"do":"state","game":"{name}","moves":[],"start":null}}"#));
        texts.push(format!(r#"{{"id":7,"do":"think","game":"{name}","agent":"mcts:sims=9","seed":1,"time":5,"watch":true}}"#));
    }
    texts.push(r#"{"id":8,"do":"solve","game":"tictactoe","moves":["b2"],"time":5}"#.to_owned());
    texts.push(r#"{"id":9,"do":"import","text":"{\"plyground\":1,\"game\":\"tictactoe\",\"players\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"moves\":[{\"move\":\"b2\"}],\"result\":\"open\"}"}"#.to_owned());
    texts.into_iter().map(String::into_bytes).collect()
}

/// A request for a run is refused with an error, or it is a run whose name is the hash of its settings, of a bounded size.
pub fn run_requests(input: &[u8]) -> bool {
    let limits = ServerLimits { allowance: ALLOWANCE, ..ServerLimits::default() };
    let Ok((run, command)) = requested_run(input, &limits) else { return false };
    assert_eq!(run.experiment.clone().run(), run);
    assert!((2..=limits.run_agents).contains(&run.experiment.agents.len()));
    assert!(run.experiment.files.values().all(|hash| hash.len() == 64));
    assert!(run.experiment.agents.iter().all(|agent| !agent.trim().starts_with("cmd:")), "a page starts no program: {run:?}");
    assert!(command.starts_with("ply "));
    true
}

pub fn run_request_seeds() -> Vec<Vec<u8>> {
    let texts = [
        r#"{"game":"clobber:size=4x4","agents":["random","mcts:sims={5..20}","level=2"],"pairs":3,"format":"gauntlet","sims":9,"move_time":"1.5s","seed":4}"#,
        r#"{"game":"tictactoe","agents":["random","mc"],"pairs":1,"format":"swiss","rounds":2}"#,
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

/// Messages of two people who play each other are refused in words, or lead to a game by the rules, whose moves only grow until the next
/// game, and that stays as it is once it is over.
pub fn friends(input: &[u8]) -> bool {
    let Ok(text) = from_utf8(input) else { return false };
    let Ok(states) = friend_states(text) else { return false };
    let moves = |state: &Value| -> Vec<String> { serde_json::from_value(state["moves"].clone()).expect("moves are texts") };
    for pair in states.windows(2) {
        let [before, after] = pair else { continue };
        if before["number"] == after["number"] {
            assert!(moves(after).starts_with(&moves(before)));
            assert!(before["ended"].is_null() || before["ended"] == after["ended"]);
        }
    }
    for state in states {
        let mut session =
            open(state["spec"].as_str().expect("a spec"), state["start"].as_str()).expect("a game that can be opened");
        for text in moves(&state) {
            session.play(&text).expect("a legal move");
        }
        assert_eq!(state["turn"].is_null(), !state["ended"].is_null(), "{state}");
        assert_eq!(state["winner"].is_null(), state["ended"].is_null(), "{state}");
    }
    true
}

pub fn friend_seeds() -> Vec<Vec<u8>> {
    let texts = [
        "{\"do\":\"open\",\"game\":\"tictactoe\",\"side\":\"first\",\"clock\":{\"seconds\":2,\"increment\":1}}\n{\"do\":\"play\",\"move\":\"b2\",\"ply\":0}\n\
        >{\"do\":\"play\",\"move\":\"a1\",\"ply\":1}\n>{\"do\":\"resign\"}\n{\"do\":\"rematch\"}\n>{\"do\":\"rematch\"}\n>{\"do\":\"play\",\"move\":\"c3\",\"ply\":0}",
        "{\"do\":\"open\",\"game\":\"tuc-chess\",\"side\":\"second\"}\n>{\"do\":\"play\",\"move\":\"5242\",\"ply\":0}",
        "{\"do\":\"open\",\"game\":\"clobber\",\"start\":\"oo1xo/1xo1x/1x3/2oox/x2x1/1xo1o x\"}\n{\"do\":\"join\",\"table\":\"a\",\"key\":null}\n{\"do\":\"resign\"}",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

/// The connections that headers arrive over.
const PEERS: [&str; 3] = ["127.0.0.1:5", "192.0.2.7:5", "[2001:db8::1]:5"];

/// Headers (one a line, `name: value`) never make a request more than its connection is: without a named proxy the client is the
/// connection, only a direct request from this computer is local, and a page of another site is of another site.
pub fn headers(input: &[u8]) -> bool {
    let Some((number, rest)) = choice(input, 2 * PEERS.len()) else { return false };
    let peer: SocketAddr = PEERS[number / 2].parse().expect("it is an address");
    let proxies: &[IpAddr] = if number % 2 == 1 { &[peer.ip()] } else { &[] };
    let mut map = HeaderMap::new();
    for line in rest.split(|&byte| byte == b'\n').take(30) {
        let Some(place) = line.iter().position(|&byte| byte == b':') else { continue };
        let (name, value) = (&line[..place], line[place + 1..].trim_ascii());
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
            map.append(name, value);
        }
    }
    let HeaderJudgement { by_peer, local, same_site } = judge_headers(peer, proxies, &map);
    let is_forwarded = ["x-forwarded-for", "forwarded", "x-real-ip", "via"].iter().any(|name| map.contains_key(*name));
    assert!(by_peer || !proxies.is_empty(), "only a named proxy is believed");
    assert!(!local || peer.ip().is_loopback() && proxies.is_empty() && !is_forwarded, "this is not local: {map:?}");
    assert!(!local || names_this_server(&map), "a request from here is one to this server: {map:?}");
    let text = |name: HeaderName| map.get(name).and_then(|value| value.to_str().ok());
    if let Some(origin) = text(header::ORIGIN) {
        let own = text(header::HOST).is_some_and(|host| origin.ends_with(&format!("://{host}")));
        assert!(own || !same_site, "this is a page of another site: {map:?}");
    }
    local || same_site
}

pub fn header_seeds() -> Vec<Vec<u8>> {
    vec![
        chosen(0, "host: localhost:7777\norigin: http://localhost:7777"),
        chosen(1, "host: play.example\nx-forwarded-for: 203.0.113.9, 127.0.0.1"),
        chosen(3, "host: [::1]:7777\nforwarded: for=\"[2001:db8::9]:4711\";proto=https, for=192.0.2.7"),
    ]
}
