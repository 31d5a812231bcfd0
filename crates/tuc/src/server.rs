//! The UDP server: one socket, with clients that wait or play, known by address and port.
//!
//! A thread receives all datagrams and sorts them by client (`receive.rs`), so that a silent, slow or noisy client does not hold up
//! the others.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use plyground_core::CancelToken;
use plyground_core::sync::{lock, wait_timeout};
use plyground_session::Player;

use crate::expelled::Expelled;
use crate::socket::prepare;
use crate::wire::Message;

/// The interval at which waiting threads read their token.
pub(super) const POLL: Duration = Duration::from_millis(50);
/// The most clients at the same time, and the most past clients that are remembered.
pub(super) const MOST_CLIENTS: usize = 256;
const REMEMBERED: usize = 64;

/// The options of a host.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// The time between the arrival of the second player and the beginning.
    pub begin_delay: Duration,
    /// The time after which a client that has not come loses its game; `None` to wait for ever.
    pub wait: Option<Duration>,
    /// The silence of a player to move after which the last message is sent again; `None` for never. Old clients take a repeat for a
    /// new move.
    pub resend: Option<Duration>,
    /// The silence after which a client that was not expected by its name and waits for an opponent is dismissed; `None` for never.
    pub seat_time: Option<Duration>,
    /// The most clients of one address (with any ports) at the same time, where clients are not expected by their names.
    pub seats_per_address: usize,
    /// The rule by which clients that are expected by their names are known when they come again.
    pub returning: Returning,
}

/// The rule by which a client that is expected by its name is known when it comes again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Returning {
    /// By its name.
    #[default]
    Name,
    /// By its name without the digits at its end: some clients draw a new number at every start.
    Stem,
    /// By the address that it came from the last time, with any name and port.
    Address,
}

impl Default for HostOptions {
    fn default() -> Self {
        Self {
            begin_delay: Duration::from_secs(3),
            wait: None,
            resend: None,
            seat_time: Some(Duration::from_mins(10)),
            seats_per_address: 64,
            returning: Returning::Name,
        }
    }
}

/// The admission rule for new clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// All: the first plays White, the next Black, and they are told so at once.
    InTurn,
    /// All, against an agent of the host: White and Black in turn.
    Alone,
    /// All, each name once. No colours are sent yet.
    Gathering,
    /// Clients with these names only.
    Only(Vec<String>),
}

/// The numbers of dropped datagrams, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DroppedDatagrams {
    /// From an unknown address, without a name that is admitted. Datagrams that the system drops are not counted.
    pub foreign: u64,
    /// From a player that is not to move.
    pub early: u64,
    /// A repeat of an earlier datagram.
    pub repeated: u64,
    /// From the player to move, but no move.
    pub malformed: u64,
}

impl DroppedDatagrams {
    /// All of them.
    pub fn all(&self) -> u64 {
        self.counts().iter().map(|(_, count)| count).sum()
    }

    /// Each of them, by reason.
    pub fn counts(&self) -> [(&'static str, u64); 4] {
        [("foreign", self.foreign), ("early", self.early), ("repeated", self.repeated), ("malformed", self.malformed)]
    }
}

/// An event of the host, for its listener.
#[derive(Clone, Debug)]
pub enum HostEvent<'a> {
    /// A client has arrived.
    Arrived {
        /// Its name here.
        name: &'a str,
        /// Its address.
        address: SocketAddr,
    },
    /// A client has come that is not one of those who are awaited. It is told once for each name and address.
    TurnedAway {
        /// Its name.
        name: &'a str,
        /// Its address.
        address: IpAddr,
        /// The names of those who may come.
        awaited: &'a [String],
    },
    /// A message was sent to a player.
    Sent {
        /// The name of the player.
        name: &'a str,
        /// The text of the message.
        text: &'a str,
    },
    /// A move was received from a player.
    Received {
        /// The name of the player.
        name: &'a str,
        /// The text of the message.
        text: &'a str,
    },
}

impl HostEvent<'_> {
    /// The player, whether the message was received (or sent), and its text.
    pub fn message(&self) -> (&str, bool, &str) {
        match self {
            Self::Arrived { name, .. } | Self::TurnedAway { name, .. } => (name, true, name),
            Self::Sent { name, text } => (name, false, text),
            Self::Received { name, text } => (name, true, text),
        }
    }
}

pub(super) type Listener = Box<dyn Fn(&HostEvent<'_>) + Send + Sync>;

/// The state of a client that waits or plays.
pub(super) struct ClientState {
    pub name: String,
    pub arrived: Instant,
    /// The time at which it last sent its name.
    pub heard: Instant,
    pub number: u64,
    /// The colour that it was sent.
    pub colour: Option<Player>,
    /// Has a board been found for its game?
    pub called: bool,
    pub playing: bool,
    /// Is it the player to move?
    pub to_move: bool,
    pub inbox: VecDeque<String>,
    pub last_move: Option<String>,
    pub last_sent: Option<String>,
    /// The number of its datagrams that made no sense.
    pub strikes: u32,
    pub repeats: RepeatAllowance,
}

/// The number of repeats that a client was sent in the current second.
#[derive(Clone, Copy, Debug)]
pub(super) struct RepeatAllowance {
    since: Instant,
    sent: u32,
}

impl RepeatAllowance {
    /// The most repeats in a second.
    const MOST: u32 = 20;

    pub fn new() -> Self {
        Self { since: Instant::now(), sent: 0 }
    }

    /// Takes one of them, if there is one left.
    pub fn take(&mut self) -> bool {
        if self.since.elapsed() >= Duration::from_secs(1) {
            *self = Self::new();
        }
        self.sent += 1;
        self.sent <= Self::MOST
    }
}

/// A client whose game is over, with its last message.
pub(super) struct PastClient {
    pub address: SocketAddr,
    pub name: String,
    pub last_message: String,
    pub repeats: RepeatAllowance,
}

pub(super) struct ServerState {
    pub clients: HashMap<SocketAddr, ClientState>,
    pub past: VecDeque<PastClient>,
    pub admission: Admission,
    /// Pairs of clients that know their colours and wait for their game, White first; one of them may still be missing.
    pub pairs: VecDeque<Vec<SocketAddr>>,
    pub arrivals: u64,
    pub dropped: DroppedDatagrams,
    /// Addresses that get no seat for a while.
    pub expelled: Expelled,
    /// The players that games wait for, since when.
    pub awaited: HashMap<String, Instant>,
    /// The addresses that players have come from, by their labels.
    pub known_addresses: HashMap<String, IpAddr>,
    /// Names and addresses that were turned away, as far as they were told.
    pub turned_away: Vec<(String, IpAddr)>,
}

impl ServerState {
    /// The number of clients of this address, whatever their ports.
    pub fn clients_of(&self, address: IpAddr) -> usize {
        self.clients.keys().filter(|client| client.ip() == address).count()
    }

    /// The place of the next pair that is complete. The pair whose addresses play the fewest games goes first, so that an address
    /// with many clients does not hold up all others; among equals, the one that came first.
    fn next_whole_pair(&self) -> Option<usize> {
        let whole = if self.admission == Admission::Alone { 1 } else { 2 };
        let playing =
            |address: &SocketAddr| self.clients.iter().filter(|(at, client)| at.ip() == address.ip() && client.called).count();
        let pairs = self.pairs.iter().enumerate().filter(|(_, pair)| pair.len() == whole);
        pairs.min_by_key(|(_, pair)| pair.iter().map(playing).max()).map(|(place, _)| place)
    }

    /// Takes a client out of the pairs, whose partner then waits for another one.
    fn unpair(&mut self, address: SocketAddr) {
        for pair in &mut self.pairs {
            pair.retain(|at| *at != address);
        }
        self.pairs.retain(|pair| !pair.is_empty());
    }

    /// Takes the seat of a client that sends noise, and gives its address and port no other one for a while.
    pub fn expel(&mut self, address: SocketAddr) {
        self.unpair(address);
        self.clients.remove(&address);
        self.expelled.add(address);
    }
}

/// The UDP server of a host.
pub struct UdpServer {
    pub(super) socket: UdpSocket,
    pub(super) options: HostOptions,
    state: Mutex<ServerState>,
    pub(super) changed: Condvar,
    pub(super) closed: AtomicBool,
    pub(super) listener: Listener,
}

impl UdpServer {
    /// Starts a server on a socket.
    pub fn open(
        socket: UdpSocket,
        options: HostOptions,
        admission: Admission,
        listener: impl Fn(&HostEvent<'_>) + Send + Sync + 'static,
    ) -> std::io::Result<RunningUdpServer> {
        prepare(&socket);
        socket.set_read_timeout(Some(POLL))?;
        socket.set_write_timeout(Some(POLL))?;
        let server = Arc::new(Self::new(socket, options, admission, Box::new(listener)));
        let receiver = Arc::clone(&server);
        let thread = std::thread::Builder::new().name("datagrams".to_owned()).spawn(move || receiver.receive())?;
        Ok(RunningUdpServer { server, thread: Some(thread) })
    }

    /// A server whose datagrams are not received yet.
    pub(super) fn new(socket: UdpSocket, options: HostOptions, admission: Admission, listener: Listener) -> Self {
        let state = ServerState {
            clients: HashMap::new(),
            past: VecDeque::new(),
            admission,
            pairs: VecDeque::new(),
            arrivals: 0,
            dropped: DroppedDatagrams::default(),
            expelled: Expelled::default(),
            awaited: HashMap::new(),
            known_addresses: HashMap::new(),
            turned_away: Vec::new(),
        };
        Self { socket, options, state: Mutex::new(state), changed: Condvar::new(), closed: AtomicBool::new(false), listener }
    }

    /// The address of its socket.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// The numbers of dropped datagrams so far.
    pub fn dropped(&self) -> DroppedDatagrams {
        self.state().dropped
    }

    /// The names of the waiting clients, in the order of their arrival.
    pub fn waiting(&self) -> Vec<String> {
        let state = self.state();
        let mut waiting: Vec<&ClientState> = state.clients.values().filter(|client| !client.playing).collect();
        waiting.sort_by_key(|client| client.number);
        waiting.into_iter().map(|client| client.name.clone()).collect()
    }

    /// The names of the players that games have waited for at least so long, in alphabetical order.
    pub fn awaited(&self, at_least: Duration) -> Vec<String> {
        let state = self.state();
        let missing = state.awaited.iter().filter(|(_, since)| since.elapsed() >= at_least);
        let mut names: Vec<String> = missing.map(|(name, _)| name.clone()).collect();
        names.sort();
        names
    }

    pub(super) fn state(&self) -> MutexGuard<'_, ServerState> {
        lock(&self.state)
    }

    /// Waits until a datagram has arrived, but not long.
    pub(super) fn wait_for_change<'a>(&self, state: MutexGuard<'a, ServerState>, most: Duration) -> MutexGuard<'a, ServerState> {
        wait_timeout(&self.changed, state, most.min(POLL))
    }

    /// The names and colours of the next two clients (one, against an agent of the host), White first; `None` once the host is
    /// stopped.
    pub fn next_pair(&self, cancel: &CancelToken) -> Option<Vec<(String, Player)>> {
        let mut state = self.state();
        while !cancel.is_cancelled() {
            if let Some(place) = state.next_whole_pair() {
                let pair = state.pairs.remove(place).unwrap_or_default();
                let call = |address| {
                    let client = state.clients.get_mut(address)?;
                    client.called = true;
                    Some((client.name.clone(), client.colour?))
                };
                let named: Option<Vec<(String, Player)>> = pair.iter().map(call).collect();
                match named {
                    Some(pair) => return Some(pair),
                    None => continue,
                }
            }
            state = self.wait_for_change(state, POLL);
        }
        None
    }

    /// Waits until so many clients have come, and admits no others; `None` once the host is stopped.
    pub fn gather(&self, players: usize, cancel: &CancelToken) -> Option<Vec<String>> {
        loop {
            if cancel.is_cancelled() {
                return None;
            }
            let mut names = self.waiting();
            if names.len() >= players {
                names.truncate(players);
                self.admit_only(&names);
                return Some(names);
            }
            drop(self.wait_for_change(self.state(), POLL));
        }
    }

    /// Admits only these names from now on, and dismisses other waiting clients.
    pub fn admit_only(&self, names: &[String]) {
        let mut state = self.state();
        state.admission = Admission::Only(names.to_vec());
        state.pairs.clear();
        let others: Vec<SocketAddr> = state
            .clients
            .iter()
            .filter(|(_, client)| !client.playing && !names.contains(&client.name))
            .map(|(&at, _)| at)
            .collect();
        for address in others {
            self.dismiss(&mut state, address, [0, 0]);
        }
    }

    /// Sends a message to a client, and keeps it for repeats.
    pub(super) fn send(&self, state: &mut ServerState, address: SocketAddr, message: &Message) {
        let Some(client) = state.clients.get_mut(&address) else { return };
        let text = message.to_string();
        self.transmit(&text, address);
        (self.listener)(&HostEvent::Sent { name: &client.name, text: &text });
        client.last_sent = Some(text);
    }

    /// Sends the last message to a client again.
    pub(super) fn repeat(&self, state: &ServerState, address: SocketAddr) {
        let Some(client) = state.clients.get(&address) else { return };
        if let Some(text) = &client.last_sent {
            self.transmit(text, address);
            (self.listener)(&HostEvent::Sent { name: &client.name, text });
        }
    }

    pub(super) fn transmit(&self, text: &str, address: SocketAddr) {
        // Datagrams can be lost; one that cannot be sent is treated like a lost one.
        let _ = self.socket.send_to(text.as_bytes(), address);
    }

    /// Tells the listener about a move.
    pub(super) fn move_received(&self, name: &str, text: &str) {
        (self.listener)(&HostEvent::Received { name, text });
    }

    /// Ends the game of a client, which may then join again.
    pub(super) fn dismiss(&self, state: &mut ServerState, address: SocketAddr, points: [i32; 2]) {
        let message = Message::End(points);
        self.send(state, address, &message);
        state.unpair(address);
        if let Some(client) = state.clients.remove(&address) {
            state.past.retain(|past| past.address != address);
            let (last_message, repeats) = (message.to_string(), RepeatAllowance::new());
            state.past.push_back(PastClient { address, name: client.name, last_message, repeats });
            if state.past.len() > REMEMBERED {
                state.past.pop_front();
            }
        }
    }
}

/// A running server with its thread. When it is dropped, waiting clients are dismissed.
pub struct RunningUdpServer {
    server: Arc<UdpServer>,
    thread: Option<JoinHandle<()>>,
}

impl std::ops::Deref for RunningUdpServer {
    type Target = UdpServer;

    fn deref(&self) -> &UdpServer {
        &self.server
    }
}

impl Drop for RunningUdpServer {
    fn drop(&mut self) {
        self.server.closed.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported already.
            let _ = thread.join();
        }
        let mut state = self.server.state();
        let all: Vec<SocketAddr> = state.clients.keys().copied().collect();
        for address in all {
            self.server.dismiss(&mut state, address, [0, 0]);
        }
    }
}
