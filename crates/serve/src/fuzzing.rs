//! The parsers of what pages send, for the fuzz targets (`fuzz/`).

use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;
use plyground_core::Seed;
use plyground_match::Run;
use serde_json::Value;

use crate::friend::{FriendGame, FriendRequest, Person};
use crate::lab::RunRequest;
use crate::origin::{ClientNetwork, TrustedWays, same_site};
use crate::{EngineAllowList, ServerLimits};

/// The run that the body of a request asks for, with the command line of the same run; a reason in words if it is refused.
pub fn requested_run(body: &[u8], limits: &ServerLimits) -> Result<(Run, String), String> {
    let request: RunRequest = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let allowed = EngineAllowList::default();
    let run = request.run(limits, &allowed).map_err(|error| error.to_string())?;
    Ok((run, request.command(&allowed)))
}

/// The judgement of the server on the headers of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderJudgement {
    /// Are limits and turns counted by the address of the connection?
    pub by_peer: bool,
    /// Does it count as a request from this computer, which may use the lab?
    pub local: bool,
    /// Does it come from a page of this server, or from a program?
    pub same_site: bool,
}

/// The judgement on headers that came over a connection from `peer`, with these named proxies.
pub fn judge_headers(peer: SocketAddr, proxies: &[IpAddr], headers: &HeaderMap) -> HeaderJudgement {
    let ways = TrustedWays::new(proxies, &[]);
    let source = ways.source(peer, headers);
    HeaderJudgement {
        by_peer: source.client == ClientNetwork::from(peer.ip()),
        local: source.is_local(headers),
        same_site: same_site(headers),
    }
}

/// Whether headers are of a request to a name of this server, whose operator has named none.
pub fn names_this_server(headers: &HeaderMap) -> bool {
    TrustedWays::default().is_own_name(headers)
}

/// The milliseconds between two messages of a game between people.
const BETWEEN_MESSAGES: u64 = 700;

/// Plays the messages of two people: the first opens the game, those of the guest begin with `>`. Gives what a page is told after each
/// message that is not refused; a reason in words if no game is opened.
pub fn friend_states(text: &str) -> Result<Vec<Value>, String> {
    let mut lines = text.lines();
    let first = FriendRequest::parse(lines.next().unwrap_or_default()).map_err(|error| error.to_string())?;
    let FriendRequest::Open(order) = first else { return Err("expected open first".to_owned()) };
    let mut game = FriendGame::new(order, Seed(1)).map_err(|error| error.to_string())?;
    let mut states = vec![game.state(0)];
    for (line, now) in lines.zip((1..).map(|number| number * BETWEEN_MESSAGES)) {
        let (person, message) = line.strip_prefix('>').map_or((Person::Host, line), |rest| (Person::Guest, rest));
        let done = FriendRequest::parse(message).and_then(|request| game.apply(person, &request, now));
        assert!(game.deadline().is_none_or(|deadline| deadline > now), "a clock that has fallen ends the game");
        if done.is_ok() {
            states.push(game.state(now));
        }
    }
    Ok(states)
}
