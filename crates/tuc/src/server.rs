//! The UDP server: one socket, with clients that wait or play, known by address and port.
//!
//! A thread receives all datagrams and sorts them by client, so that a silent, slow or noisy client does not hold up the others.

use std::collections::{HashMap, VecDeque};
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use plyground_core::CancelToken;
use plyground_core::sync::{lock, wait_timeout};
use plyground_session::Player;

use crate::wire::{LONGEST, Message, is_move, name_in, trimmed};

/// The interval at which waiting threads read their token.
pub(super) const POLL: Duration = Duration::from_millis(50);
/// The most clients at the same time, and the most past clients that are remembered.
const MOST_CLIENTS: usize = 256;
const REMEMBERED: usize = 64;
/// The most unread datagrams of a player to move.
const INBOX: usize = 16;

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
}

impl Default for HostOptions {
    fn default() -> Self {
        Self { begin_delay: Duration::from_secs(3), wait: None, resend: None }
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
    /// From an unknown address, without a name that is admitted.
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
            Self::Arrived { name, .. } => (name, true, name),
            Self::Sent { name, text } => (name, false, text),
            Self::Received { name, text } => (name, true, text),
        }
    }
}

type Listener = Box<dyn Fn(&HostEvent<'_>) + Send + Sync>;

/// The state of a client that waits or plays.
pub(super) struct ClientState {
    pub name: String,
    pub arrived: Instant,
    number: u64,
    /// The colour that it was sent.
    pub colour: Option<Player>,
    pub playing: bool,
    /// Is it the player to move?
    pub to_move: bool,
    pub inbox: VecDeque<String>,
    pub last_move: Option<String>,
    last_sent: Option<String>,
}

/// A client whose game is over, with its last message.
struct PastClient {
    address: SocketAddr,
    name: String,
    last_message: String,
}

pub(super) struct ServerState {
    pub clients: HashMap<SocketAddr, ClientState>,
    past: VecDeque<PastClient>,
    admission: Admission,
    /// Pairs of clients that know their colours and wait for their game, White first.
    pairs: VecDeque<Vec<SocketAddr>>,
    arrivals: u64,
    pub dropped: DroppedDatagrams,
}

/// The UDP server of a host.
pub struct UdpServer {
    socket: UdpSocket,
    pub(super) options: HostOptions,
    state: Mutex<ServerState>,
    changed: Condvar,
    closed: AtomicBool,
    listener: Listener,
}

impl UdpServer {
    /// Starts a server on a socket.
    pub fn open(
        socket: UdpSocket,
        options: HostOptions,
        admission: Admission,
        listener: impl Fn(&HostEvent<'_>) + Send + Sync + 'static,
    ) -> std::io::Result<RunningUdpServer> {
        socket.set_read_timeout(Some(POLL))?;
        socket.set_write_timeout(Some(POLL))?;
        let state = ServerState {
            clients: HashMap::new(),
            past: VecDeque::new(),
            admission,
            pairs: VecDeque::new(),
            arrivals: 0,
            dropped: DroppedDatagrams::default(),
        };
        let server = Arc::new(Self {
            socket,
            options,
            state: Mutex::new(state),
            changed: Condvar::new(),
            closed: AtomicBool::new(false),
            listener: Box::new(listener),
        });
        let receiver = Arc::clone(&server);
        let thread = std::thread::Builder::new().name("datagrams".to_owned()).spawn(move || receiver.receive())?;
        Ok(RunningUdpServer { server, thread: Some(thread) })
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
            let whole = |pair: &Vec<SocketAddr>, state: &ServerState| {
                pair.len() == if state.admission == Admission::Alone { 1 } else { 2 }
            };
            if state.pairs.front().is_some_and(|pair| whole(pair, &state)) {
                let pair = state.pairs.pop_front().unwrap_or_default();
                let named = |address| state.clients.get(address).and_then(|client| Some((client.name.clone(), client.colour?)));
                let named: Option<Vec<(String, Player)>> = pair.iter().map(named).collect();
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

    fn transmit(&self, text: &str, address: SocketAddr) {
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
        if let Some(client) = state.clients.remove(&address) {
            state.past.retain(|past| past.address != address);
            state.past.push_back(PastClient { address, name: client.name, last_message: message.to_string() });
            if state.past.len() > REMEMBERED {
                state.past.pop_front();
            }
        }
    }

    fn receive(&self) {
        // One byte more than is allowed: what fills it is too long.
        let mut buffer = [0; LONGEST + 1];
        while !self.closed.load(Ordering::Relaxed) {
            // Some systems report here that an earlier datagram could not be delivered.
            let Ok((length, from)) = self.socket.recv_from(&mut buffer) else { continue };
            let mut state = self.state();
            self.take(&mut state, &buffer[..length], from);
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Handles a datagram.
    fn take(&self, state: &mut ServerState, datagram: &[u8], from: SocketAddr) {
        let text = trimmed(datagram).filter(|_| datagram.len() <= LONGEST);
        let Some(client) = state.clients.get_mut(&from) else { return self.receive_unknown(state, datagram, from) };
        let is_name = text.is_some_and(|text| is_called(&client.name, &tidy(text)));
        match text {
            Some(text) if client.playing && client.to_move && !is_name => {
                if client.last_move.as_deref() == Some(text) {
                    // After a move its first square is empty until its owner moves again, so this is no new move: the client has not
                    // received the messages after it.
                    state.dropped.repeated += 1;
                    if self.options.resend.is_some() {
                        self.repeat(state, from);
                    }
                } else if is_move(text) && client.inbox.len() < INBOX {
                    client.inbox.push_back(text.to_owned());
                } else {
                    state.dropped.malformed += 1;
                }
            }
            // A client without an answer sends its name again.
            Some(_) if is_name => {
                state.dropped.repeated += 1;
                if self.options.resend.is_some() || !client.playing {
                    let colour = client.colour.map(Message::Colour);
                    if let Some(colour) = &colour {
                        self.transmit(&colour.to_string(), from);
                    }
                    if client.playing && client.last_sent != colour.map(|colour| colour.to_string()) {
                        self.repeat(state, from);
                    }
                }
            }
            Some(text) if client.playing && client.last_move.as_deref() == Some(text) => {
                state.dropped.repeated += 1;
                if self.options.resend.is_some() {
                    self.repeat(state, from);
                }
            }
            Some(_) => state.dropped.early += 1,
            None => state.dropped.malformed += 1,
        }
    }

    /// Handles a datagram from an unknown address: a new client, one that has missed the end of its game, or noise.
    fn receive_unknown(&self, state: &mut ServerState, datagram: &[u8], from: SocketAddr) {
        let name = name_in(datagram).map(tidy);
        match name.and_then(|name| label(state, &name, from)) {
            Some(name) if state.clients.len() < MOST_CLIENTS => self.admit(state, name, from),
            _ => {
                let past = state.past.iter().find(|past| past.address == from);
                match past.filter(|_| self.options.resend.is_some() && trimmed(datagram).is_some_and(is_move)) {
                    Some(past) => {
                        self.transmit(&past.last_message, from);
                        (self.listener)(&HostEvent::Sent { name: &past.name, text: &past.last_message });
                        state.dropped.repeated += 1;
                    }
                    None => state.dropped.foreign += 1,
                }
            }
        }
    }

    fn admit(&self, state: &mut ServerState, name: String, from: SocketAddr) {
        (self.listener)(&HostEvent::Arrived { name: &name, address: from });
        let number = state.arrivals;
        state.arrivals += 1;
        let client = ClientState {
            name,
            arrived: Instant::now(),
            number,
            colour: None,
            playing: false,
            to_move: false,
            inbox: VecDeque::new(),
            last_move: None,
            last_sent: None,
        };
        state.clients.insert(from, client);
        let colour = match state.admission {
            Admission::InTurn => {
                if let Some(pair) = state.pairs.back_mut().filter(|pair| pair.len() == 1) {
                    pair.push(from);
                    Player::Second
                } else {
                    state.pairs.push_back(vec![from]);
                    Player::First
                }
            }
            Admission::Alone => {
                state.pairs.push_back(vec![from]);
                Player::BOTH[(number % 2) as usize]
            }
            Admission::Gathering | Admission::Only(_) => return,
        };
        self.colour(state, from, colour);
    }

    /// Sends its colour to a client, unless it was sent before.
    pub(super) fn colour(&self, state: &mut ServerState, address: SocketAddr, colour: Player) {
        let Some(client) = state.clients.get_mut(&address) else { return };
        if client.colour != Some(colour) {
            client.colour = Some(colour);
            self.send(state, address, &Message::Colour(colour));
        }
    }
}

/// The most characters of a name that are shown and kept.
const NAME: usize = 48;

/// A name as it is shown and stored. Braces have a meaning in the spec of an agent.
fn tidy(name: &str) -> String {
    let plain = |letter: char| match letter {
        '{' => '(',
        '}' => ')',
        letter => letter,
    };
    name.trim().chars().take(NAME).map(plain).collect()
}

/// Does the client with this label send this name?
fn is_called(label: &str, name: &str) -> bool {
    label == name || label.strip_prefix(name).is_some_and(|rest| rest.starts_with('#'))
}

/// The label of a new client with this name; `None` if it is not admitted.
fn label(state: &mut ServerState, name: &str, from: SocketAddr) -> Option<String> {
    let is_here = |state: &ServerState, label: &str| state.clients.values().any(|client| client.name == label);
    match &state.admission {
        // Two copies of one program have one name, and may well play each other.
        Admission::InTurn | Admission::Alone => {
            let numbered = |number: usize| if number == 1 { name.to_owned() } else { format!("{name}#{number}") };
            (1..=MOST_CLIENTS + 1).map(numbered).find(|label| !is_here(state, label))
        }
        // Here a name stands for a player. One that comes again from another address was restarted.
        Admission::Gathering => {
            state.clients.retain(|at, client| client.name != name || *at == from);
            Some(name.to_owned())
        }
        Admission::Only(names) => {
            let own: Vec<String> = names.iter().filter(|label| is_called(label, name)).cloned().collect();
            let waits = |state: &ServerState, label: &String| {
                state.clients.values().any(|client| client.name == *label && !client.playing)
            };
            let chosen = own.iter().find(|label| !waits(state, label)).or(own.first())?.clone();
            state.clients.retain(|_, client| client.name != chosen || client.playing);
            Some(chosen)
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
