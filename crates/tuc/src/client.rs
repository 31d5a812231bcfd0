//! A client of the TUC-Chess protocol: an agent of ours at the original server, or at ours.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use plyground_core::{CancelToken, WallClock};
use plyground_match::{Fault, PlayerFactory};
use plyground_session::{InputError, Limits, Player, Seed, Turn};

use crate::client_game::{Follower, Heard};
use crate::wire::{LONGEST, Message};

/// How often a client that waits looks whether it is still to wait.
const GLANCE: Duration = Duration::from_millis(50);

/// Why a game could not be played.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// The system does not let us send or receive.
    #[error("the server {server} cannot be reached: {error}")]
    Network {
        /// Where it should be.
        server: SocketAddr,
        /// What the system says.
        error: std::io::Error,
    },
    /// Nothing was heard.
    #[error("nothing was heard from {server} for {} s: {during}", .time.as_secs_f64())]
    Silence {
        /// Where it should be.
        server: SocketAddr,
        /// For how long.
        time: Duration,
        /// While what was waited for.
        during: &'static str,
    },
    /// The server speaks of something that cannot be.
    #[error("the server and this client no longer agree on the game: {0}")]
    OutOfStep(InputError),
    /// The agent or the game could not be made.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The agent gave no move.
    #[error("the agent {}: {}", .0.word(), .0.detail())]
    Agent(Fault),
}

/// A game that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// Ours.
    pub colour: Player,
    /// Of White and Black, as the server says.
    pub points: [i32; 2],
    /// Our moves.
    pub moves: u32,
    /// Messages that did not arrive, as far as that can be told.
    pub missed: u32,
}

/// What a client knows before a game.
pub struct Client<'a> {
    /// Where the server is.
    pub server: SocketAddr,
    /// What we are called there.
    pub name: &'a str,
    /// The game with its parameters.
    pub game: &'a str,
    /// The agent.
    pub agent: &'a str,
    /// Where it comes from.
    pub players: &'a dyn PlayerFactory,
    /// How long it may think.
    pub limits: Limits,
    /// After this time it is told to answer with what it has.
    pub cut_short: Duration,
    /// Is something said again that may have been lost, after so long a silence? The original server would take a name that comes
    /// twice for two players.
    pub resend: Option<Duration>,
    /// After so long a silence there is no server.
    pub patience: Duration,
    /// Stops it, also while the agent thinks.
    pub cancel: &'a CancelToken,
    /// Hears every message, ours (true) and those of the server.
    pub listen: &'a dyn Fn(bool, &str),
}

/// Our end of the line. Nobody else is listened to.
struct Line<'a> {
    client: &'a Client<'a>,
    socket: UdpSocket,
    /// When something was heard or said for the last time, and only heard.
    quiet: Instant,
    heard: Instant,
}

impl<'a> Line<'a> {
    fn open(client: &'a Client<'a>) -> Result<Self, JoinError> {
        // A new port for every game: what is still on its way from the last one goes nowhere.
        let open = || {
            let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
            socket.set_read_timeout(Some(GLANCE))?;
            Ok(socket)
        };
        let socket = open().map_err(|error| client.network(error))?;
        Ok(Self { client, socket, quiet: Instant::now(), heard: Instant::now() })
    }

    fn say(&mut self, text: &str) -> Result<(), JoinError> {
        self.socket.send_to(text.as_bytes(), self.client.server).map_err(|error| self.client.network(error))?;
        (self.client.listen)(true, text);
        self.quiet = Instant::now();
        Ok(())
    }

    /// The next message, if one comes soon.
    fn hear(&mut self) -> Option<Message> {
        let mut buffer = [0; LONGEST + 1];
        // An error here says that an earlier datagram found nobody; perhaps the next one does.
        let (length, from) = self.socket.recv_from(&mut buffer).ok()?;
        let message = Message::read(&buffer[..length]).filter(|_| from == self.client.server)?;
        (self.client.listen)(false, &message.to_string());
        (self.quiet, self.heard) = (Instant::now(), Instant::now());
        Some(message)
    }
}

impl Client<'_> {
    fn network(&self, error: std::io::Error) -> JoinError {
        JoinError::Network { server: self.server, error }
    }

    /// Plays a game; `None` if it was cancelled.
    pub fn play(&self, seed: Seed) -> Result<Option<Joined>, JoinError> {
        let mut line = Line::open(self)?;
        line.say(self.name)?;
        let mut follower: Option<Follower<'_>> = None;
        let mut moves = 0;
        while !self.cancel.is_cancelled() {
            let message = line.hear();
            match (message, &mut follower) {
                (None, _) => self.wait(&mut line, follower.as_ref())?,
                (Some(Message::Colour(colour)), known) => {
                    if known.as_ref().is_none_or(|known| known.colour != colour && !known.has_begun()) {
                        follower = Some(self.follower(colour, seed)?);
                    }
                }
                // The colour was lost on the way. Whoever hears of a move before it has made one is the next to move.
                (Some(Message::Moved(moved)), known @ None) => {
                    let new = known.insert(self.follower(moved.next, seed)?);
                    new.take(moved).map_err(JoinError::OutOfStep)?;
                    self.answer(&mut line, new, &mut moves)?;
                }
                (Some(Message::Begin), None) => {}
                (Some(Message::Begin), Some(known)) => {
                    if known.colour == Player::Second && known.has_begun() && moves == 0 {
                        // The end of a game in which we have not moved was lost, and this is another one.
                        follower = Some(self.follower(known.colour, seed)?);
                    } else if !known.has_begun() {
                        self.answer(&mut line, known, &mut moves)?;
                    }
                }
                (Some(Message::Moved(moved)), Some(known)) => match known.take(moved).map_err(JoinError::OutOfStep)? {
                    Heard::OurTurn | Heard::Again => self.answer(&mut line, known, &mut moves)?,
                    Heard::Theirs => {}
                },
                (Some(Message::End(points)), known) => {
                    let (colour, missed) = known.as_ref().map_or((Player::First, 0), |known| (known.colour, known.missed));
                    return Ok(Some(Joined { colour, points, moves, missed }));
                }
            }
        }
        Ok(None)
    }

    fn follower(&self, colour: Player, seed: Seed) -> Result<Follower<'_>, JoinError> {
        Ok(Follower::new(self.game, self.players.player(self.agent)?, colour, seed)?)
    }

    /// Nothing was heard for a moment.
    fn wait(&self, line: &mut Line<'_>, follower: Option<&Follower<'_>>) -> Result<(), JoinError> {
        if line.heard.elapsed() >= self.patience {
            let during = match follower {
                None => "it did not say which colour is ours",
                Some(known) if !known.has_begun() => "the game did not begin",
                Some(_) => "the game did not go on",
            };
            return Err(JoinError::Silence { server: self.server, time: self.patience, during });
        }
        if self.resend.is_some_and(|silence| line.quiet.elapsed() >= silence) {
            let last = follower.and_then(|known| known.last_sent.clone());
            line.say(last.as_deref().unwrap_or(self.name))?;
        }
        Ok(())
    }

    /// Moves, if it is our turn; says a move again of which the server seems not to have heard.
    fn answer(&self, line: &mut Line<'_>, follower: &mut Follower<'_>, moves: &mut u32) -> Result<(), JoinError> {
        if let Some(sent) = follower.sent.clone() {
            return if self.resend.is_some() { line.say(&sent) } else { Ok(()) };
        }
        if !follower.is_our_turn() {
            debug_assert!(matches!(follower.session.turn(), Turn::Over(_) | Turn::Player(_)));
            return Ok(());
        }
        let cancel = self.cancel.child_for(self.cut_short);
        let reply = follower
            .player
            .choose(follower.session.as_mut(), self.limits, &WallClock::start(), &cancel)
            .map_err(JoinError::Agent)?;
        if self.cancel.is_cancelled() {
            return Ok(());
        }
        line.say(&reply.mv)?;
        *moves += 1;
        follower.sent = Some(reply.mv.clone());
        follower.last_sent = Some(reply.mv);
        Ok(())
    }
}
