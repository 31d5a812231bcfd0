//! A game between two people: seats, moves, clock, rematch. It knows no connections, and time and luck only as they are handed in.

use plyground_core::{InputError, Player, Rng, Seed, Turn};
use plyground_session::{Session, open};
use serde_json::{Value, json};

use super::clock::FriendClock;
use super::request::{FriendOrder, FriendRequest};

/// The longest game, in moves and outcomes of chance.
const PLIES: usize = 2_000;
/// The longest start, and the longest move, in bytes: nothing that can be played is longer.
const LONGEST: usize = 2_000;

/// A person with a seat: the one who has opened the game, or the one who came by the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Person {
    /// The one who has opened it.
    Host,
    /// The one who came first by the link.
    Guest,
}

/// How a game ended before the rules ended it.
#[derive(Clone, Copy, Debug)]
enum Early {
    Resigned(Player),
    Late(Player),
}

/// A game between two people, and those that follow it.
pub struct FriendGame {
    order: FriendOrder,
    session: Box<dyn Session>,
    chance: Rng,
    seed: Seed,
    /// The side of the host in this game.
    host: Player,
    clock: Option<FriendClock>,
    early: Option<Early>,
    /// Who asks for the next game, by persons.
    again: [bool; 2],
    /// The games before this one.
    number: u32,
}

impl FriendGame {
    /// A game by an order; what luck decides comes from the seed.
    pub fn new(order: FriendOrder, seed: Seed) -> Result<Self, InputError> {
        short("game", &order.game)?;
        short("position", order.start.as_deref().unwrap_or_default())?;
        order.clock.map_or(Ok(()), super::request::ClockOrder::check)?;
        let session = open(&order.game, order.start.as_deref())?;
        let host = order.side.player(seed.numbered(0).0.is_multiple_of(2));
        let clock = order.clock.map(FriendClock::new);
        let mut game =
            Self { order, session, chance: seed.numbered(1).rng(), seed, host, clock, early: None, again: [false; 2], number: 0 };
        game.roll();
        Ok(game)
    }

    /// The side of a person.
    pub fn side(&self, person: Person) -> Player {
        if person == Person::Host { self.host } else { self.host.other() }
    }

    /// The player to move; none when it is over.
    fn due(&self) -> Option<Player> {
        match (self.early, self.session.turn()) {
            (None, Turn::Player(player)) => Some(player),
            _ => None,
        }
    }

    /// Is it over?
    pub fn is_over(&self) -> bool {
        self.due().is_none()
    }

    /// Lets chance decide all that it has to.
    fn roll(&mut self) {
        while self.session.history().len() < PLIES && self.session.roll(&mut self.chance).is_some() {}
    }

    /// Does what a person asks for. What has been done already is done once: a move that has arrived can be sent again.
    pub fn apply(&mut self, person: Person, request: &FriendRequest, now: u64) -> Result<(), InputError> {
        self.expire(now);
        match request {
            FriendRequest::Open(_) | FriendRequest::Join { .. } => {
                Err(InputError::malformed("message", "open or join", "expected play, resign or rematch in a game"))
            }
            FriendRequest::Play { text, ply } => self.play(person, text, *ply, now),
            FriendRequest::Resign => {
                if !self.is_over() {
                    self.early = Some(Early::Resigned(self.side(person)));
                    self.stop_clock(now);
                }
                Ok(())
            }
            FriendRequest::Rematch => self.rematch(person),
        }
    }

    fn play(&mut self, person: Person, text: &str, ply: usize, now: u64) -> Result<(), InputError> {
        short("move", text)?;
        let played = self.session.history().len();
        if ply < played && self.session.mover(ply) == Some(self.side(person)) && self.session.history()[ply].text == text {
            return Ok(());
        }
        let refuse = |detail: &str| Err(InputError::malformed("move", text, detail));
        let mover = match self.due() {
            _ if ply != played => return refuse("expected a move in the position of today"),
            Some(due) if due == self.side(person) => due,
            Some(_) => return refuse("it is the turn of the other player"),
            None => return refuse("the game is over"),
        };
        if played >= PLIES {
            return refuse("the game is too long");
        }
        self.session.play(text)?;
        self.roll();
        let next = self.due();
        // The first move of each player takes no time: people find their places.
        let both_have_moved = self.session.history().len() >= 2;
        if let Some(clock) = &mut self.clock {
            clock.press(mover, next.filter(|_| both_have_moved), now);
        }
        Ok(())
    }

    fn rematch(&mut self, person: Person) -> Result<(), InputError> {
        if !self.is_over() {
            return Err(InputError::malformed("message", "rematch", "the game is not over"));
        }
        self.again[person as usize] = true;
        if self.again == [true; 2] {
            self.session = open(&self.order.game, self.order.start.as_deref())?;
            (self.early, self.again, self.number, self.host) = (None, [false; 2], self.number + 1, self.host.other());
            self.chance = self.seed.numbered(1 + u64::from(self.number)).rng();
            self.clock = self.clock.map(FriendClock::again);
            self.roll();
        }
        Ok(())
    }

    fn stop_clock(&mut self, now: u64) {
        if let Some(clock) = &mut self.clock {
            clock.stop(now);
        }
    }

    /// Ends the game if a clock has fallen. True if it did.
    pub fn expire(&mut self, now: u64) -> bool {
        let fallen = self.clock.as_ref().and_then(|clock| clock.fallen(now)).filter(|_| !self.is_over());
        if let Some(player) = fallen {
            self.early = Some(Early::Late(player));
            self.stop_clock(now);
        }
        fallen.is_some()
    }

    /// When a clock falls.
    pub fn deadline(&self) -> Option<u64> {
        self.clock.as_ref().filter(|_| !self.is_over()).and_then(FriendClock::deadline)
    }

    /// All that a page has to know of the game.
    pub fn state(&self, now: u64) -> Value {
        let moves: Vec<&str> = self.session.history().iter().map(|played| played.text.as_str()).collect();
        let (ended, winner) = match (self.early, self.session.turn()) {
            (Some(Early::Resigned(player)), _) => ("resigned", player.other().word()),
            (Some(Early::Late(player)), _) => ("late", player.other().word()),
            (None, Turn::Over(outcome)) => ("rules", outcome.word()),
            (None, _) => ("", ""),
        };
        let word = |text: &'static str| Some(text).filter(|text| !text.is_empty());
        let clock = self.clock.as_ref().map(|clock| {
            json!({
                "left": [clock.left(Player::First, now), clock.left(Player::Second, now)],
                "running": clock.running().map(Player::word),
            })
        });
        json!({
            "number": self.number,
            "spec": self.session.spec(),
            "start": self.order.start,
            "moves": moves,
            "turn": self.due().map(Player::word),
            "ended": word(ended),
            "winner": word(winner),
            "clock": clock,
            "again": { "host": self.again[0], "guest": self.again[1] },
        })
    }
}

/// Refuses what is longer than anything that can be meant.
fn short(what: &'static str, text: &str) -> Result<(), InputError> {
    if text.len() <= LONGEST {
        return Ok(());
    }
    Err(InputError::malformed(what, &text.chars().take(40).collect::<String>(), format!("expected at most {LONGEST} bytes")))
}
