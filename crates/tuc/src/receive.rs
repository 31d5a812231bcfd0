//! The receiving side of the UDP server: which datagrams are names, which are moves, and which are dropped.
//!
//! Everything here is done for every datagram of a flood. So what is dropped is dropped before anything is allocated, sent or told to
//! other threads.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use plyground_session::Player;

use crate::server::{Admission, ClientState, HostEvent, MOST_CLIENTS, RepeatAllowance, Returning, ServerState, UdpServer};
use crate::wire::{LONGEST, Message, is_move, is_plausible_name, name_in, trimmed};

/// The most unread datagrams of a player to move.
pub(super) const INBOX: usize = 16;
/// The numbers of datagrams without sense that cost a client its seat, while it waits and in a game. Real clients say their name, wait,
/// and make moves.
const STRIKES_WAITING: u32 = 8;
const STRIKES_PLAYING: u32 = 32;
/// So many clients that may not come are told of.
const MOST_TURNED_AWAY: usize = 64;
/// The interval at which silent clients are looked for.
const SWEEP: Duration = Duration::from_millis(200);

impl UdpServer {
    /// Receives datagrams until the server is closed.
    pub(super) fn receive(&self) {
        // One byte more than is allowed: what fills it is too long.
        let mut buffer = [0; LONGEST + 1];
        let mut swept = Instant::now();
        while !self.closed.load(Ordering::Relaxed) {
            let received = self.socket.recv_from(&mut buffer);
            if swept.elapsed() >= SWEEP {
                swept = Instant::now();
                self.free_silent_seats(&mut self.state());
            }
            // Some systems report here that an earlier datagram could not be delivered.
            let Ok((length, from)) = received else { continue };
            let changed = self.take(&mut self.state(), &buffer[..length], from);
            // Other threads are not woken for noise.
            if changed {
                self.changed.notify_all();
            }
        }
    }

    /// Handles a datagram. Has a client or a move come, or a client gone?
    pub(super) fn take(&self, state: &mut ServerState, datagram: &[u8], from: SocketAddr) -> bool {
        let text = trimmed(datagram).filter(|_| datagram.len() <= LONGEST);
        let Some(client) = state.clients.get_mut(&from) else { return self.receive_unknown(state, datagram, from) };
        let is_name = text.is_some_and(|text| is_called(&client.name, text));
        let resend = self.options.resend.is_some();
        match text {
            Some(text) if client.playing && client.to_move && !is_name => {
                if client.last_move.as_deref() == Some(text) {
                    // After a move its first square is empty until its owner moves again, so this is no new move: the client has not
                    // received the messages after it.
                    state.dropped.repeated += 1;
                    if resend && client.repeats.take() {
                        self.repeat(state, from);
                    }
                } else if is_move(text) && client.inbox.len() < INBOX {
                    client.inbox.push_back(text.to_owned());
                    return true;
                } else {
                    state.dropped.malformed += 1;
                    return !is_move(text) && strike(state, from);
                }
            }
            // A client without an answer sends its name again.
            Some(_) if is_name => {
                state.dropped.repeated += 1;
                client.heard = Instant::now();
                if (resend || !client.playing) && client.repeats.take() {
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
                if resend && client.repeats.take() {
                    self.repeat(state, from);
                }
            }
            Some(text) => {
                state.dropped.early += 1;
                return !(client.playing && is_move(text)) && strike(state, from);
            }
            None => {
                state.dropped.malformed += 1;
                return strike(state, from);
            }
        }
        false
    }

    /// Handles a datagram from an unknown address: a new client, one that has missed the end of its game, or noise. Has a client come?
    fn receive_unknown(&self, state: &mut ServerState, datagram: &[u8], from: SocketAddr) -> bool {
        let name = name_in(datagram).filter(|_| !state.expelled.contains(from));
        if let Some(label) = name.and_then(|name| self.label(state, name, from)) {
            self.admit(state, label, from);
            return true;
        }
        let is_late = self.options.resend.is_some() && trimmed(datagram).is_some_and(is_move);
        match state.past.iter_mut().find(|past| is_late && past.address == from) {
            Some(past) => {
                if past.repeats.take() {
                    self.transmit(&past.last_message, from);
                    (self.listener)(&HostEvent::Sent { name: &past.name, text: &past.last_message });
                }
                state.dropped.repeated += 1;
            }
            None => state.dropped.foreign += 1,
        }
        false
    }

    fn admit(&self, state: &mut ServerState, name: String, from: SocketAddr) {
        (self.listener)(&HostEvent::Arrived { name: &name, address: from });
        if state.known_addresses.len() < MOST_CLIENTS {
            state.known_addresses.insert(name.clone(), from.ip());
        }
        let number = state.arrivals;
        state.arrivals += 1;
        let now = Instant::now();
        let client = ClientState {
            name,
            arrived: now,
            heard: now,
            number,
            colour: None,
            called: false,
            playing: false,
            to_move: false,
            inbox: VecDeque::new(),
            last_move: None,
            last_sent: None,
            strikes: 0,
            repeats: RepeatAllowance::new(),
        };
        state.clients.insert(from, client);
        let colour = match state.admission {
            Admission::InTurn => pair_up(state, from),
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

    /// The label of a new client with this name; `None` if it is not admitted.
    fn label(&self, state: &mut ServerState, name: &str, from: SocketAddr) -> Option<String> {
        let Admission::Only(names) = &state.admission else { return self.label_of_stranger(state, name, from) };
        let waits = |label: &String| state.clients.values().any(|client| client.name == *label && !client.playing);
        let mut own = names.iter().filter(|label| is_called(label, name));
        let by_name = own.clone().find(|label| !waits(label)).or_else(|| own.next());
        let Some(chosen) = by_name.or_else(|| self.returned(state, names, name, from)).cloned() else {
            self.turn_away(state, name, from);
            return None;
        };
        state.clients.retain(|_, client| client.name != chosen || client.playing);
        (state.clients.len() < MOST_CLIENTS).then_some(chosen)
    }

    /// The label of a player that comes again with another name: one that is not here, and was at this address before if there are several.
    fn returned<'a>(&self, state: &ServerState, names: &'a [String], name: &str, from: SocketAddr) -> Option<&'a String> {
        let is_here = |label: &String| state.clients.values().any(|client| client.name == *label);
        let was_there = |label: &String| state.known_addresses.get(label) == Some(&from.ip());
        let name: String = tidied(name).collect();
        let mut missing = names.iter().filter(|label| !is_here(label)).filter(|label| match self.options.returning {
            Returning::Name => false,
            Returning::Stem => stem(label) == stem(&name),
            Returning::Address => was_there(label),
        });
        let first = missing.clone().find(|label| was_there(label));
        first.or_else(|| missing.next())
    }

    /// Tells the listener of a client that may not come, once.
    fn turn_away(&self, state: &mut ServerState, name: &str, from: SocketAddr) {
        let known = (tidied(name).collect::<String>(), from.ip());
        let is_told = state.turned_away.contains(&known);
        let Admission::Only(awaited) = &state.admission else { return };
        if !is_plausible_name(name) || is_told || state.turned_away.len() >= MOST_TURNED_AWAY {
            return;
        }
        (self.listener)(&HostEvent::TurnedAway { name: &known.0, address: known.1, awaited });
        state.turned_away.push(known);
    }

    /// The label of a new client whose name is not expected; `None` if it is not plausible, or has no seat left.
    fn label_of_stranger(&self, state: &mut ServerState, name: &str, from: SocketAddr) -> Option<String> {
        if !is_plausible_name(name) {
            return None;
        }
        // Here a name stands for a player. One that comes again from another address was restarted.
        let is_gathering = state.admission == Admission::Gathering;
        let is_replaced = |client: &ClientState| is_gathering && tidied(name).eq(client.name.chars());
        let replaced = state.clients.iter().find(|(_, client)| is_replaced(client)).map(|(address, _)| address.ip());
        // The seat of the one that is replaced is free, and is one of the same address only if it was there before.
        let taken = state.clients.len() - usize::from(replaced.is_some());
        let of_address = state.clients_of(from.ip()) - usize::from(replaced == Some(from.ip()));
        if taken >= MOST_CLIENTS || of_address >= self.options.seats_per_address {
            return None;
        }
        let name: String = tidied(name).collect();
        if is_gathering {
            state.clients.retain(|_, client| client.name != name);
            return Some(name);
        }
        // Two copies of one program have one name, and may well play each other.
        let is_here = |label: &str| state.clients.values().any(|client| client.name == label);
        let numbered = |number: usize| if number == 1 { name.clone() } else { format!("{name}#{number}") };
        (1..=MOST_CLIENTS + 1).map(numbered).find(|label| !is_here(label))
    }

    /// Dismisses clients that wait for an opponent and have been silent for too long. Those that are expected by their names, or have
    /// an opponent, may wait.
    fn free_silent_seats(&self, state: &mut ServerState) {
        let Some(seat_time) = self.options.seat_time else { return };
        let is_alone = |address: &SocketAddr| state.pairs.iter().any(|pair| pair.len() == 1 && pair.contains(address));
        let waits_for_an_opponent = |address: &SocketAddr| match state.admission {
            Admission::InTurn => is_alone(address),
            Admission::Gathering => true,
            Admission::Alone | Admission::Only(_) => false,
        };
        let is_silent = |client: &ClientState| !client.playing && !client.called && client.heard.elapsed() >= seat_time;
        let silent = state.clients.iter().filter(|(address, client)| is_silent(client) && waits_for_an_opponent(address));
        let silent: Vec<SocketAddr> = silent.map(|(&address, _)| address).collect();
        for address in silent {
            self.dismiss(state, address, [0, 0]);
        }
    }
}

/// Counts a datagram without sense of a client. Has it lost its seat by that?
fn strike(state: &mut ServerState, from: SocketAddr) -> bool {
    let Some(client) = state.clients.get_mut(&from) else { return false };
    client.strikes += 1;
    let most = if client.playing { STRIKES_PLAYING } else { STRIKES_WAITING };
    // A game that is about to begin has counted on it.
    let expels = client.strikes >= most && (client.playing || !client.called);
    if expels {
        state.expel(from);
    }
    expels
}

/// Pairs a new client with one that waits, or lets it wait; its colour.
fn pair_up(state: &mut ServerState, from: SocketAddr) -> Player {
    let Some(pair) = state.pairs.iter_mut().find(|pair| pair.len() == 1) else {
        state.pairs.push_back(vec![from]);
        return Player::First;
    };
    let partner = state.clients.get(&pair[0]).and_then(|client| client.colour).unwrap_or(Player::First);
    // White first.
    pair.insert(partner.other().index(), from);
    partner.other()
}

/// The most characters of a name that are shown and kept.
pub(super) const NAME: usize = 48;

/// A name as it is shown and stored. Braces have a meaning in the spec of an agent.
fn tidied(name: &str) -> impl Iterator<Item = char> {
    let plain = |letter: char| match letter {
        '{' => '(',
        '}' => ')',
        letter => letter,
    };
    name.trim().chars().take(NAME).map(plain)
}

/// A name without the number at its end.
fn stem(label: &str) -> &str {
    let name = label.rsplit_once('#').map_or(label, |(name, _)| name);
    name.trim_end_matches(|letter: char| letter.is_ascii_digit())
}

/// Does the client with this label send this name?
fn is_called(label: &str, name: &str) -> bool {
    let mut rest = label.chars();
    tidied(name).all(|letter| rest.next() == Some(letter)) && matches!(rest.next(), None | Some('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_a_name_or_a_name_with_a_number() {
        assert!(is_called("client15", " client15 ") && is_called("client15#2", "client15") && is_called("(a)", "{a}"));
        assert!(!is_called("client15", "client1") && !is_called("client1", "client15") && !is_called("client15", ""));
        let long = "x".repeat(200);
        assert!(is_called(&long[..NAME], &long));
    }
}
