//! Clients of the TUC-Chess protocol as players of a match.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use plyground_core::CancelToken;
use plyground_match::{AgentFactory, Fault, GameNotice, MatchPlayer, PlayerFactory, PlayerPair, REMOTE, Reply};
use plyground_session::{Clock, InputError, Limits, Player, Resources, Seed, Session, Turn};

use crate::server::{POLL, ServerState, UdpServer};
use crate::wire::{Message, Moved};

/// The delay of the network that is added to the time for a move.
const GRACE: Duration = Duration::from_millis(100);

/// The clients of a server by their names, and the agents of the host.
pub struct RemotePlayers<'a> {
    /// The server that the clients come to.
    pub server: &'a UdpServer,
    /// The agents of the host.
    pub agents: AgentFactory<'a>,
}

impl PlayerFactory for RemotePlayers<'_> {
    fn player(&self, spec: &str) -> Result<Box<dyn MatchPlayer + '_>, InputError> {
        self.agents.player(spec)
    }

    fn resources(&self) -> &(dyn Resources + Sync) {
        self.agents.resources()
    }

    fn players(&self, specs: &[String; 2], cancel: &CancelToken) -> Result<Option<PlayerPair<'_>>, InputError> {
        let server = self.server;
        let names = specs.each_ref().map(|spec| spec.strip_prefix(REMOTE));
        let Some(found) = server.await_both(names, cancel) else { return Ok(None) };
        let seat = |seat: Player| -> Result<Box<dyn MatchPlayer + '_>, InputError> {
            Ok(match (names[seat.index()], found[seat.index()]) {
                (None, _) => self.agents.player(&specs[seat.index()])?,
                (Some(_), None) => Box::new(AbsentPlayer { waited: server.options.wait.unwrap_or_default() }),
                (Some(name), Some(address)) => {
                    Box::new(RemotePlayer { server, address, seat, name: name.to_owned(), points: [0; 2], dismissed: false })
                }
            })
        };
        // Both are made before an error is returned, so that each client is dismissed by its drop.
        let [one, other] = Player::BOTH.map(seat);
        if !server.await_beginning(found, cancel) {
            return Ok(None);
        }
        Ok(Some([one?, other?]))
    }
}

impl UdpServer {
    /// Waits until all clients of a game are there and free, and takes both at once: two games that each held one client and waited
    /// for the other would wait for ever. `None` once the host is stopped; an address is missing if its client did not come in time.
    fn await_both(&self, names: [Option<&str>; 2], cancel: &CancelToken) -> Option<[Option<SocketAddr>; 2]> {
        let mut since = [Instant::now(); 2];
        let mut state = self.state();
        loop {
            if cancel.is_cancelled() {
                return None;
            }
            let found = names.map(|name| name.and_then(|name| waiting(&state, name)));
            let settled = [0, 1].map(|seat| {
                let Some(name) = names[seat] else { return true };
                if found[seat].is_some() || state.clients.values().any(|client| client.name == name) {
                    // A client that plays another game is not late.
                    since[seat] = Instant::now();
                }
                found[seat].is_some() || self.options.wait.is_some_and(|wait| since[seat].elapsed() >= wait)
            });
            for (seat, name) in names.iter().enumerate() {
                let Some(name) = name else { continue };
                let is_here = found[seat].is_some() || state.clients.values().any(|client| client.name == *name);
                if is_here || settled == [true, true] {
                    state.awaited.remove(*name);
                } else {
                    state.awaited.entry((*name).to_owned()).or_insert(since[seat]);
                }
            }
            if settled == [true, true] {
                for (address, colour) in found.into_iter().zip(Player::BOTH) {
                    let Some(address) = address else { continue };
                    if let Some(client) = state.clients.get_mut(&address) {
                        client.playing = true;
                    }
                    self.colour(&mut state, address, colour);
                }
                return Some(found);
            }
            state = self.wait_for_change(state, POLL);
        }
    }

    /// Waits for the delay between the arrival of the second player and the beginning; false if the host is stopped.
    fn await_beginning(&self, found: [Option<SocketAddr>; 2], cancel: &CancelToken) -> bool {
        let mut state = self.state();
        let arrivals = found.into_iter().flatten().filter_map(|address| Some(state.clients.get(&address)?.arrived));
        let Some(begin) = arrivals.max().map(|last| last + self.options.begin_delay) else { return !cancel.is_cancelled() };
        while !cancel.is_cancelled() {
            let left = begin.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            state = self.wait_for_change(state, left);
        }
        false
    }
}

/// The address of the waiting client with this name.
fn waiting(state: &ServerState, name: &str) -> Option<SocketAddr> {
    state.clients.iter().find(|(_, client)| client.name == name && !client.playing).map(|(&address, _)| address)
}

/// The player in the place of a client that did not come; it loses at once.
struct AbsentPlayer {
    waited: Duration,
}

impl MatchPlayer for AbsentPlayer {
    fn start(&mut self, _: &mut dyn Session, _: Seed) -> Result<(), InputError> {
        Ok(())
    }

    fn ready(&mut self, _: &dyn Session) -> Result<(), Fault> {
        Err(Fault::Stalled(format!("it did not come within {} s", self.waited.as_secs_f64())))
    }

    fn choose(&mut self, _: &mut dyn Session, _: Limits, _: &dyn Clock, _: &CancelToken) -> Result<Reply, Fault> {
        Err(Fault::Stalled("it is not there".to_owned()))
    }
}

/// A client that plays a game.
struct RemotePlayer<'a> {
    server: &'a UdpServer,
    address: SocketAddr,
    seat: Player,
    name: String,
    /// The points at the last event.
    points: [i32; 2],
    dismissed: bool,
}

impl MatchPlayer for RemotePlayer<'_> {
    fn start(&mut self, _: &mut dyn Session, _: Seed) -> Result<(), InputError> {
        Ok(())
    }

    fn choose(&mut self, _: &mut dyn Session, limits: Limits, clock: &dyn Clock, cancel: &CancelToken) -> Result<Reply, Fault> {
        let answer = self.receive_move(limits.time, clock, cancel);
        self.turn(&mut self.server.state(), false);
        answer
    }

    fn notify(&mut self, session: &dyn Session, notice: GameNotice<'_>) {
        self.points = session.points().unwrap_or(self.points);
        let message = match notice {
            GameNotice::Started => Message::Begin,
            GameNotice::Moved => match Moved::of(session) {
                Some(moved) => Message::Moved(moved),
                None => return,
            },
            GameNotice::Over(_) => return self.dismiss(),
        };
        let mut state = self.server.state();
        // The answer may arrive before the move is requested, so datagrams count as moves from now on.
        if session.turn() == Turn::Player(self.seat) {
            self.turn(&mut state, true);
        }
        self.server.send(&mut state, self.address, &message);
    }
}

impl RemotePlayer<'_> {
    /// Sets whether datagrams of the client count as moves, and drops earlier ones.
    fn turn(&self, state: &mut ServerState, to_move: bool) {
        if let Some(client) = state.clients.get_mut(&self.address) {
            client.to_move = to_move;
            client.inbox.clear();
        }
    }

    fn receive_move(&self, time: Option<Duration>, clock: &dyn Clock, cancel: &CancelToken) -> Result<Reply, Fault> {
        let deadline = time.map(|time| time + GRACE);
        let mut repeat_at = self.server.options.resend;
        let mut state = self.server.state();
        loop {
            let Some(client) = state.clients.get_mut(&self.address) else {
                return Err(Fault::Crashed("it has left the room".to_owned()));
            };
            if let Some(text) = client.inbox.pop_front() {
                client.last_move = Some(text.clone());
                drop(state);
                self.server.move_received(&self.name, &text);
                return Ok(Reply { mv: text, value: None });
            }
            let elapsed = clock.elapsed();
            if deadline.is_some_and(|deadline| elapsed >= deadline) {
                let time = time.unwrap_or_default().as_secs_f64();
                return Err(Fault::Overran(format!("no move came within {time} s")));
            }
            if cancel.is_cancelled() {
                return Err(Fault::Stalled("no move came".to_owned()));
            }
            if repeat_at.is_some_and(|at| elapsed >= at) {
                repeat_at = None;
                self.server.repeat(&state, self.address);
            }
            let left = deadline.map_or(POLL, |deadline| deadline.saturating_sub(elapsed));
            state = self.server.wait_for_change(state, left.max(Duration::from_millis(1)));
        }
    }

    fn dismiss(&mut self) {
        if !std::mem::replace(&mut self.dismissed, true) {
            self.server.dismiss(&mut self.server.state(), self.address, self.points);
        }
    }
}

/// Dismisses the client of a game that is broken off.
impl Drop for RemotePlayer<'_> {
    fn drop(&mut self) {
        self.dismiss();
    }
}
