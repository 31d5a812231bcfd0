//! Clients of the TUC-Chess protocol as contestants of the lab: what the protocol says is said here, and the game is played there.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use plyground_core::CancelToken;
use plyground_match::{AgentFactory, Fault, GameNotice, MatchPlayer, PlayerFactory, PlayerPair, REMOTE, Reply};
use plyground_session::{Clock, InputError, Limits, Player, Resources, Seed, Session, Turn};

use crate::server::{GLANCE, Room, State};
use crate::wire::{Message, Moved};

/// How much later than its time a move may come: networks and machines have other things to do, too.
const GRACE: Duration = Duration::from_millis(100);

/// The clients of a server by their names, and the agents of the catalogue.
pub struct RemotePlayers<'a> {
    /// The server that the clients come to.
    pub room: &'a Room,
    /// The agents.
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
        let room = self.room;
        let names = specs.each_ref().map(|spec| spec.strip_prefix(REMOTE));
        let Some(found) = room.await_both(names, cancel) else { return Ok(None) };
        let seat = |seat: Player| -> Result<Box<dyn MatchPlayer + '_>, InputError> {
            Ok(match (names[seat.index()], found[seat.index()]) {
                (None, _) => self.agents.player(&specs[seat.index()])?,
                (Some(_), None) => Box::new(Absent { waited: room.customs.wait.unwrap_or_default() }),
                (Some(name), Some(address)) => {
                    Box::new(Visitor { room, address, seat, name: name.to_owned(), points: [0; 2], dismissed: false })
                }
            })
        };
        // Both are made before an error is looked at, so that nobody is left behind.
        let [one, other] = Player::BOTH.map(seat);
        if !room.await_beginning(found, cancel) {
            return Ok(None);
        }
        Ok(Some([one?, other?]))
    }
}

impl Room {
    /// Waits until all guests among these are there and free, and takes them out of the waiting room together: whoever waited for one
    /// while it held the other could wait for ever. `None` once somebody says stop; an address is missing if its owner did not come.
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
                if found[seat].is_some() || state.guests.values().any(|guest| guest.name == name) {
                    // Whoever plays elsewhere is not late.
                    since[seat] = Instant::now();
                }
                found[seat].is_some() || self.customs.wait.is_some_and(|wait| since[seat].elapsed() >= wait)
            });
            if settled == [true, true] {
                for (address, colour) in found.into_iter().zip(Player::BOTH) {
                    let Some(address) = address else { continue };
                    if let Some(guest) = state.guests.get_mut(&address) {
                        guest.playing = true;
                    }
                    self.colour(&mut state, address, colour);
                }
                return Some(found);
            }
            state = self.glance(state, GLANCE);
        }
    }

    /// Gives the players a moment between the second one's coming and the beginning; false if somebody says stop.
    fn await_beginning(&self, found: [Option<SocketAddr>; 2], cancel: &CancelToken) -> bool {
        let mut state = self.state();
        let arrivals = found.into_iter().flatten().filter_map(|address| Some(state.guests.get(&address)?.arrived));
        let Some(begin) = arrivals.max().map(|last| last + self.customs.begin_delay) else { return !cancel.is_cancelled() };
        while !cancel.is_cancelled() {
            let left = begin.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            state = self.glance(state, left);
        }
        false
    }
}

/// Where the guest with this name waits.
fn waiting(state: &State, name: &str) -> Option<SocketAddr> {
    state.guests.iter().find(|(_, guest)| guest.name == name && !guest.playing).map(|(&address, _)| address)
}

/// Somebody who did not come.
struct Absent {
    waited: Duration,
}

impl MatchPlayer for Absent {
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

/// A client at a game.
struct Visitor<'a> {
    room: &'a Room,
    address: SocketAddr,
    seat: Player,
    name: String,
    /// As they were when something was last heard.
    points: [i32; 2],
    dismissed: bool,
}

impl MatchPlayer for Visitor<'_> {
    fn start(&mut self, _: &mut dyn Session, _: Seed) -> Result<(), InputError> {
        Ok(())
    }

    fn choose(&mut self, _: &mut dyn Session, limits: Limits, clock: &dyn Clock, cancel: &CancelToken) -> Result<Reply, Fault> {
        let answer = self.listen(limits.time, clock, cancel);
        self.turn(&mut self.room.state(), false);
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
        let mut state = self.room.state();
        // The answer may be there before anybody has asked for it, so it is listened for from now on.
        if session.turn() == Turn::Player(self.seat) {
            self.turn(&mut state, true);
        }
        self.room.send(&mut state, self.address, &message);
    }
}

impl Visitor<'_> {
    /// What comes before its turn is not kept for it.
    fn turn(&self, state: &mut State, to_move: bool) {
        if let Some(guest) = state.guests.get_mut(&self.address) {
            guest.to_move = to_move;
            guest.inbox.clear();
        }
    }

    fn listen(&self, time: Option<Duration>, clock: &dyn Clock, cancel: &CancelToken) -> Result<Reply, Fault> {
        let deadline = time.map(|time| time + GRACE);
        let mut repeat_at = self.room.customs.resend;
        let mut state = self.room.state();
        loop {
            let Some(guest) = state.guests.get_mut(&self.address) else {
                return Err(Fault::Crashed("it has left the room".to_owned()));
            };
            if let Some(text) = guest.inbox.pop_front() {
                guest.last_move = Some(text.clone());
                drop(state);
                self.room.heard(&self.name, &text);
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
                self.room.repeat(&state, self.address);
            }
            let left = deadline.map_or(GLANCE, |deadline| deadline.saturating_sub(elapsed));
            state = self.room.glance(state, left.max(Duration::from_millis(1)));
        }
    }

    fn dismiss(&mut self) {
        if !std::mem::replace(&mut self.dismissed, true) {
            self.room.dismiss(&mut self.room.state(), self.address, self.points);
        }
    }
}

/// A game that is broken off ends for its players, too.
impl Drop for Visitor<'_> {
    fn drop(&mut self) {
        self.dismiss();
    }
}
