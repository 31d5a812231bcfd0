//! The room in which clients of the TUC-Chess protocol wait and play: one socket, everybody known by address and port.
//!
//! A thread of its own takes what comes and puts it where it belongs, so that nobody who is silent, slow or noisy holds up the others.

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

/// How often a thread that waits looks whether it is still to wait.
pub(super) const GLANCE: Duration = Duration::from_millis(50);
/// Clients that wait or play at the same time, and those that have gone and are remembered.
const MOST_GUESTS: usize = 256;
const REMEMBERED: usize = 64;
/// What a player to move may send before it is read.
const INBOX: usize = 16;

/// How clients are received.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// The time between the second player's coming and the beginning.
    pub begin_delay: Duration,
    /// Whoever has not come for its game after this time loses it; without it, games wait for ever.
    pub wait: Option<Duration>,
    /// Is the last message repeated to a player that has been silent for so long? Old clients would take it for a new move.
    pub resend: Option<Duration>,
}

impl Default for HostOptions {
    fn default() -> Self {
        Self { begin_delay: Duration::from_secs(3), wait: None, resend: None }
    }
}

/// Who is let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Anybody: the first plays White, the next Black, and they are told so at once.
    InTurn,
    /// Anybody, against an opponent of the house: White and Black in turn.
    Alone,
    /// Anybody, each name once. Nobody is told a colour yet.
    Gathering,
    /// Those with these names.
    Only(Vec<String>),
}

/// What was received and led to nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// From somebody who is no player, and no name that is let in.
    pub foreign: u64,
    /// From a player who is not to move.
    pub early: u64,
    /// A repeat of what was known.
    pub repeated: u64,
    /// From the player to move, but no move.
    pub malformed: u64,
}

impl Dropped {
    /// All of them.
    pub fn all(&self) -> u64 {
        self.counts().iter().map(|(_, count)| count).sum()
    }

    /// Each of them, by reason.
    pub fn counts(&self) -> [(&'static str, u64); 4] {
        [("foreign", self.foreign), ("early", self.early), ("repeated", self.repeated), ("malformed", self.malformed)]
    }
}

/// What there is to tell about the room.
#[derive(Clone, Debug)]
pub enum Notice<'a> {
    /// Somebody has come.
    Came {
        /// What it is called here.
        name: &'a str,
        /// Where it is.
        address: SocketAddr,
    },
    /// A message was sent to a player.
    Sent {
        /// Who.
        name: &'a str,
        /// What.
        text: &'a str,
    },
    /// A player has moved.
    Heard {
        /// Who.
        name: &'a str,
        /// What.
        text: &'a str,
    },
}

impl Notice<'_> {
    /// The player that it is about, whether the host has received it (or sent it), and the text.
    pub fn message(&self) -> (&str, bool, &str) {
        match self {
            Self::Came { name, .. } => (name, true, name),
            Self::Sent { name, text } => (name, false, text),
            Self::Heard { name, text } => (name, true, text),
        }
    }
}

type Listener = Box<dyn Fn(&Notice<'_>) + Send + Sync>;

/// A client that waits or plays.
pub(super) struct Guest {
    pub name: String,
    pub arrived: Instant,
    number: u64,
    /// The colour that it was told.
    pub colour: Option<Player>,
    pub playing: bool,
    /// Is it its turn?
    pub to_move: bool,
    pub inbox: VecDeque<String>,
    pub last_move: Option<String>,
    last_sent: Option<String>,
}

/// A client whose game is over, and what it was told at the end.
struct Gone {
    address: SocketAddr,
    name: String,
    farewell: String,
}

pub(super) struct State {
    pub guests: HashMap<SocketAddr, Guest>,
    gone: VecDeque<Gone>,
    admission: Admission,
    /// Those who were told colours and wait for their game, White first.
    pairs: VecDeque<Vec<SocketAddr>>,
    arrivals: u64,
    pub dropped: Dropped,
}

/// The room.
pub struct Room {
    socket: UdpSocket,
    pub(super) customs: HostOptions,
    state: Mutex<State>,
    changed: Condvar,
    closed: AtomicBool,
    listener: Listener,
}

impl Room {
    /// Opens a room at this socket.
    pub fn open(
        socket: UdpSocket,
        customs: HostOptions,
        admission: Admission,
        listener: impl Fn(&Notice<'_>) + Send + Sync + 'static,
    ) -> std::io::Result<OpenRoom> {
        socket.set_read_timeout(Some(GLANCE))?;
        socket.set_write_timeout(Some(GLANCE))?;
        let state = State {
            guests: HashMap::new(),
            gone: VecDeque::new(),
            admission,
            pairs: VecDeque::new(),
            arrivals: 0,
            dropped: Dropped::default(),
        };
        let room = Arc::new(Self {
            socket,
            customs,
            state: Mutex::new(state),
            changed: Condvar::new(),
            closed: AtomicBool::new(false),
            listener: Box::new(listener),
        });
        let receiver = Arc::clone(&room);
        let thread = std::thread::Builder::new().name("datagrams".to_owned()).spawn(move || receiver.receive())?;
        Ok(OpenRoom { room, thread: Some(thread) })
    }

    /// Where it is.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// What has been dropped so far.
    pub fn dropped(&self) -> Dropped {
        self.state().dropped
    }

    /// Those who wait, in the order in which they came.
    pub fn waiting(&self) -> Vec<String> {
        let state = self.state();
        let mut waiting: Vec<&Guest> = state.guests.values().filter(|guest| !guest.playing).collect();
        waiting.sort_by_key(|guest| guest.number);
        waiting.into_iter().map(|guest| guest.name.clone()).collect()
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Waits until something has changed, but not long.
    pub(super) fn glance<'a>(&self, state: MutexGuard<'a, State>, most: Duration) -> MutexGuard<'a, State> {
        wait_timeout(&self.changed, state, most.min(GLANCE))
    }

    /// The next two who have come (one, where they play against the house), by name, White first; `None` once it is cancelled.
    pub fn next_pair(&self, cancel: &CancelToken) -> Option<Vec<(String, Player)>> {
        let mut state = self.state();
        while !cancel.is_cancelled() {
            let whole =
                |pair: &Vec<SocketAddr>, state: &State| pair.len() == if state.admission == Admission::Alone { 1 } else { 2 };
            if state.pairs.front().is_some_and(|pair| whole(pair, &state)) {
                let pair = state.pairs.pop_front().unwrap_or_default();
                let named = |address| state.guests.get(address).and_then(|guest| Some((guest.name.clone(), guest.colour?)));
                let named: Option<Vec<(String, Player)>> = pair.iter().map(named).collect();
                match named {
                    Some(pair) => return Some(pair),
                    None => continue,
                }
            }
            state = self.glance(state, GLANCE);
        }
        None
    }

    /// Waits until so many have come, and lets nobody else in; `None` once it is cancelled.
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
            drop(self.glance(self.state(), GLANCE));
        }
    }

    /// From now on only those with these names are let in; others who wait are sent home.
    pub fn admit_only(&self, names: &[String]) {
        let mut state = self.state();
        state.admission = Admission::Only(names.to_vec());
        state.pairs.clear();
        let strangers: Vec<SocketAddr> =
            state.guests.iter().filter(|(_, guest)| !guest.playing && !names.contains(&guest.name)).map(|(&at, _)| at).collect();
        for address in strangers {
            self.dismiss(&mut state, address, [0, 0]);
        }
    }

    /// Sends a message to a guest, and remembers it.
    pub(super) fn send(&self, state: &mut State, address: SocketAddr, message: &Message) {
        let Some(guest) = state.guests.get_mut(&address) else { return };
        let text = message.to_string();
        self.transmit(&text, address);
        (self.listener)(&Notice::Sent { name: &guest.name, text: &text });
        guest.last_sent = Some(text);
    }

    /// Once more what a guest was told last.
    pub(super) fn repeat(&self, state: &State, address: SocketAddr) {
        let Some(guest) = state.guests.get(&address) else { return };
        if let Some(text) = &guest.last_sent {
            self.transmit(text, address);
            (self.listener)(&Notice::Sent { name: &guest.name, text });
        }
    }

    fn transmit(&self, text: &str, address: SocketAddr) {
        // Nobody knows whether a datagram arrives; one that cannot even be sent is no different.
        let _ = self.socket.send_to(text.as_bytes(), address);
    }

    /// A move of a guest has been taken.
    pub(super) fn heard(&self, name: &str, text: &str) {
        (self.listener)(&Notice::Heard { name, text });
    }

    /// A guest's game is over. Whoever wants to play another comes again.
    pub(super) fn dismiss(&self, state: &mut State, address: SocketAddr, points: [i32; 2]) {
        let message = Message::End(points);
        self.send(state, address, &message);
        if let Some(guest) = state.guests.remove(&address) {
            state.gone.retain(|gone| gone.address != address);
            state.gone.push_back(Gone { address, name: guest.name, farewell: message.to_string() });
            if state.gone.len() > REMEMBERED {
                state.gone.pop_front();
            }
        }
    }

    fn receive(&self) {
        // One byte more than is allowed: what fills it is too long.
        let mut buffer = [0; LONGEST + 1];
        while !self.closed.load(Ordering::Relaxed) {
            // Some systems report here that an earlier datagram found nobody. That changes nothing.
            let Ok((length, from)) = self.socket.recv_from(&mut buffer) else { continue };
            let mut state = self.state();
            self.take(&mut state, &buffer[..length], from);
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Puts a datagram where it belongs.
    fn take(&self, state: &mut State, datagram: &[u8], from: SocketAddr) {
        let text = trimmed(datagram).filter(|_| datagram.len() <= LONGEST);
        let Some(guest) = state.guests.get_mut(&from) else { return self.receive_stranger(state, datagram, from) };
        let is_name = text.is_some_and(|text| is_called(&guest.name, &tidy(text)));
        match text {
            Some(text) if guest.playing && guest.to_move && !is_name => {
                if guest.last_move.as_deref() == Some(text) {
                    // After a move its first square is empty until its owner moves again: this can be no new move. Whoever says it
                    // has not heard what came after it.
                    state.dropped.repeated += 1;
                    if self.customs.resend.is_some() {
                        self.repeat(state, from);
                    }
                } else if is_move(text) && guest.inbox.len() < INBOX {
                    guest.inbox.push_back(text.to_owned());
                } else {
                    state.dropped.malformed += 1;
                }
            }
            // A client that has heard nothing says its name again.
            Some(_) if is_name => {
                state.dropped.repeated += 1;
                if self.customs.resend.is_some() || !guest.playing {
                    let colour = guest.colour.map(Message::Colour);
                    if let Some(colour) = &colour {
                        self.transmit(&colour.to_string(), from);
                    }
                    if guest.playing && guest.last_sent != colour.map(|colour| colour.to_string()) {
                        self.repeat(state, from);
                    }
                }
            }
            Some(text) if guest.playing && guest.last_move.as_deref() == Some(text) => {
                state.dropped.repeated += 1;
                if self.customs.resend.is_some() {
                    self.repeat(state, from);
                }
            }
            Some(_) => state.dropped.early += 1,
            None => state.dropped.malformed += 1,
        }
    }

    /// Somebody who neither waits nor plays: a new client, one that has missed the end of its game, or noise.
    fn receive_stranger(&self, state: &mut State, datagram: &[u8], from: SocketAddr) {
        let name = name_in(datagram).map(tidy);
        match name.and_then(|name| label(state, &name, from)) {
            Some(name) if state.guests.len() < MOST_GUESTS => self.welcome(state, name, from),
            _ => {
                let gone = state.gone.iter().find(|gone| gone.address == from);
                match gone.filter(|_| self.customs.resend.is_some() && trimmed(datagram).is_some_and(is_move)) {
                    Some(gone) => {
                        self.transmit(&gone.farewell, from);
                        (self.listener)(&Notice::Sent { name: &gone.name, text: &gone.farewell });
                        state.dropped.repeated += 1;
                    }
                    None => state.dropped.foreign += 1,
                }
            }
        }
    }

    fn welcome(&self, state: &mut State, name: String, from: SocketAddr) {
        (self.listener)(&Notice::Came { name: &name, address: from });
        let number = state.arrivals;
        state.arrivals += 1;
        let guest = Guest {
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
        state.guests.insert(from, guest);
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

    /// Tells a guest its colour, unless it knows it.
    pub(super) fn colour(&self, state: &mut State, address: SocketAddr, colour: Player) {
        let Some(guest) = state.guests.get_mut(&address) else { return };
        if guest.colour != Some(colour) {
            guest.colour = Some(colour);
            self.send(state, address, &Message::Colour(colour));
        }
    }
}

/// The most characters of a name that are shown and kept.
const NAME: usize = 48;

/// A name as it is shown and kept. Braces would mean something in the spec of an agent.
fn tidy(name: &str) -> String {
    let plain = |letter: char| match letter {
        '{' => '(',
        '}' => ')',
        letter => letter,
    };
    name.trim().chars().take(NAME).map(plain).collect()
}

/// Is this what the guest with this label calls itself?
fn is_called(label: &str, name: &str) -> bool {
    label == name || label.strip_prefix(name).is_some_and(|rest| rest.starts_with('#'))
}

/// What somebody who calls itself like this is called here; nothing if it is not let in.
fn label(state: &mut State, name: &str, from: SocketAddr) -> Option<String> {
    let is_here = |state: &State, label: &str| state.guests.values().any(|guest| guest.name == label);
    match &state.admission {
        // Two copies of one program have one name, and may well play each other.
        Admission::InTurn | Admission::Alone => {
            let numbered = |number: usize| if number == 1 { name.to_owned() } else { format!("{name}#{number}") };
            (1..=MOST_GUESTS + 1).map(numbered).find(|label| !is_here(state, label))
        }
        // Here a name stands for a player. One that comes again from elsewhere was started anew.
        Admission::Gathering => {
            state.guests.retain(|at, guest| guest.name != name || *at == from);
            Some(name.to_owned())
        }
        Admission::Only(names) => {
            let own: Vec<String> = names.iter().filter(|label| is_called(label, name)).cloned().collect();
            let waits = |state: &State, label: &String| state.guests.values().any(|guest| guest.name == *label && !guest.playing);
            let chosen = own.iter().find(|label| !waits(state, label)).or(own.first())?.clone();
            state.guests.retain(|_, guest| guest.name != chosen || guest.playing);
            Some(chosen)
        }
    }
}

/// A room whose thread is at work. When it is dropped, those who still wait are sent home.
pub struct OpenRoom {
    room: Arc<Room>,
    thread: Option<JoinHandle<()>>,
}

impl std::ops::Deref for OpenRoom {
    type Target = Room;

    fn deref(&self) -> &Room {
        &self.room
    }
}

impl Drop for OpenRoom {
    fn drop(&mut self) {
        self.room.closed.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // Its end is all that is waited for.
            let _ = thread.join();
        }
        let mut state = self.room.state();
        let all: Vec<SocketAddr> = state.guests.keys().copied().collect();
        for address in all {
            self.room.dismiss(&mut state, address, [0, 0]);
        }
    }
}
