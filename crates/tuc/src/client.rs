//! The client: plays an agent of ours at the original TUC-Chess server, or at our host.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use plyground_core::{CancelToken, GameRecord, WallClock};
use plyground_match::{Fault, PlayerFactory};
use plyground_session::{InputError, Limits, Player, Seed, Turn};

use crate::client_game::{ClientGame, Meaning};
use crate::wire::{LONGEST, Message};

/// The interval at which a waiting client reads its token.
const POLL: Duration = Duration::from_millis(50);

/// The silence after which it is said that the server does not answer.
const NO_ANSWER: Duration = Duration::from_secs(3);

/// The error that ended a game of the client.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// A network error of the system.
    #[error("the server {server} cannot be reached: {error}")]
    Network {
        /// The address of the server.
        server: SocketAddr,
        /// The error of the system.
        error: std::io::Error,
    },
    /// No message for too long.
    #[error("nothing was heard from {server} for {} s: {during}", .time.as_secs_f64())]
    Silence {
        /// The address of the server.
        server: SocketAddr,
        /// The time without a message.
        time: Duration,
        /// The message that was waited for.
        during: &'static str,
    },
    /// A message of the server that does not fit the rules.
    #[error("the server and this client no longer agree on the game: {0}")]
    OutOfStep(InputError),
    /// The agent or the game could not be made.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The agent gave no move.
    #[error("the agent {}: {}", .0.word(), .0.detail())]
    Agent(Fault),
}

/// The result of a game of the client.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined {
    /// Our colour.
    pub colour: Player,
    /// The points of White and Black, as the server sent them.
    pub points: [i32; 2],
    /// The number of our moves.
    pub moves: u32,
    /// Messages that did not arrive, as far as that can be told.
    pub missed: u32,
    /// The game as it was followed; nothing if it did not begin.
    pub record: Option<GameRecord>,
}

/// The settings of a client.
pub struct Client<'a> {
    /// The address of the server.
    pub server: SocketAddr,
    /// The name that is sent to the server.
    pub name: &'a str,
    /// The game with its parameters.
    pub game: &'a str,
    /// The spec of the agent.
    pub agent: &'a str,
    /// The factory that makes it.
    pub players: &'a dyn PlayerFactory,
    /// The limits of a search.
    pub limits: Limits,
    /// The time after which a search is stopped and its best move played.
    pub cut_short: Duration,
    /// The silence after which the last message is sent again; `None` for never. The original server takes a name that comes twice for
    /// two players.
    pub resend: Option<Duration>,
    /// The silence after which the server counts as gone.
    pub patience: Duration,
    /// Stops it, also while the agent thinks.
    pub cancel: &'a CancelToken,
    /// Called with every message, ours (true) and those of the server.
    pub listen: &'a dyn Fn(bool, &str),
    /// Called with what happens, in words for people.
    pub tell: &'a dyn Fn(&str),
}

/// The name of a colour.
fn colour_name(colour: Player) -> &'static str {
    match colour {
        Player::First => "White",
        Player::Second => "Black",
    }
}

/// Does a datagram from an address come from the server that was asked? All loopback addresses are one computer, which answers by
/// 127.0.0.1 whichever was asked (on Debian its own name is 127.0.1.1).
fn answers_for(server: SocketAddr, from: SocketAddr) -> bool {
    from == server || (from.port() == server.port() && from.ip().is_loopback() && server.ip().is_loopback())
}

/// The socket of a game. Datagrams from other addresses are dropped.
struct Connection<'a> {
    client: &'a Client<'a>,
    socket: UdpSocket,
    /// The time of the last message in either direction, and of the last one received.
    quiet: Instant,
    received: Instant,
    /// Was it said that the server does not answer?
    complained: bool,
}

impl<'a> Connection<'a> {
    fn open(client: &'a Client<'a>) -> Result<Self, JoinError> {
        // A new port for every game: late datagrams of the last one do not arrive.
        let open = || {
            let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
            socket.set_read_timeout(Some(POLL))?;
            Ok(socket)
        };
        let socket = open().map_err(|error| client.network(error))?;
        Ok(Self { client, socket, quiet: Instant::now(), received: Instant::now(), complained: false })
    }

    fn send(&mut self, text: &str) -> Result<(), JoinError> {
        self.socket.send_to(text.as_bytes(), self.client.server).map_err(|error| self.client.network(error))?;
        (self.client.listen)(true, text);
        self.quiet = Instant::now();
        Ok(())
    }

    /// The next message, if one comes soon.
    fn receive(&mut self) -> Option<Message> {
        let mut buffer = [0; LONGEST + 1];
        // An error here is about an earlier datagram that could not be delivered; the next one may be.
        let (length, from) = self.socket.recv_from(&mut buffer).ok()?;
        let message = Message::read(&buffer[..length]).filter(|_| answers_for(self.client.server, from))?;
        (self.client.listen)(false, &message.to_string());
        (self.quiet, self.received) = (Instant::now(), Instant::now());
        Some(message)
    }
}

impl Client<'_> {
    fn network(&self, error: std::io::Error) -> JoinError {
        JoinError::Network { server: self.server, error }
    }

    /// Plays a game; `None` if it was cancelled.
    pub fn play(&self, seed: Seed) -> Result<Option<Joined>, JoinError> {
        let mut connection = Connection::open(self)?;
        (self.tell)(&format!("{} asks {} for a game", self.name, self.server));
        connection.send(self.name)?;
        let mut game: Option<ClientGame<'_>> = None;
        let mut moves = 0;
        while !self.cancel.is_cancelled() {
            let message = connection.receive();
            match (message, &mut game) {
                (None, _) => self.wait(&mut connection, game.as_ref())?,
                (Some(Message::Colour(colour)), known) => {
                    if known.as_ref().is_none_or(|known| known.colour != colour && !known.has_begun()) {
                        game = Some(self.game(colour, seed)?);
                        (self.tell)(&format!("{} plays {}; waiting for the beginning", self.name, colour_name(colour)));
                    }
                }
                // The message with the colour was lost. A client that is told of a move before it has made one is the next to move.
                (Some(Message::Moved(moved)), known @ None) => {
                    let new = known.insert(self.game(moved.next, seed)?);
                    new.take(moved).map_err(JoinError::OutOfStep)?;
                    self.answer(&mut connection, new, &mut moves)?;
                }
                (Some(Message::Begin), None) => {}
                (Some(Message::Begin), Some(known)) => {
                    if known.colour == Player::Second && known.has_begun() && moves == 0 {
                        // The end of a game in which we have not moved was lost, and this is another one.
                        game = Some(self.game(known.colour, seed)?);
                    } else if !known.has_begun() {
                        (self.tell)("the game has begun");
                        self.answer(&mut connection, known, &mut moves)?;
                    }
                }
                (Some(Message::Moved(moved)), Some(known)) => match known.take(moved).map_err(JoinError::OutOfStep)? {
                    Meaning::OurTurn | Meaning::Again => self.answer(&mut connection, known, &mut moves)?,
                    Meaning::Theirs => {}
                },
                (Some(Message::End(points)), _) => {
                    let (colour, missed) = game.as_ref().map_or((Player::First, 0), |known| (known.colour, known.missed));
                    let begun = game.filter(ClientGame::has_begun);
                    let record = begun.map(|known| known.record(&self.server.to_string(), self.name, self.agent, points));
                    return Ok(Some(Joined { colour, points, moves, missed, record }));
                }
            }
        }
        Ok(None)
    }

    fn game(&self, colour: Player, seed: Seed) -> Result<ClientGame<'_>, JoinError> {
        Ok(ClientGame::new(self.game, self.players.player(self.agent)?, colour, seed)?)
    }

    /// Handles a moment without a message: sends the last one again, or gives up.
    fn wait(&self, connection: &mut Connection<'_>, game: Option<&ClientGame<'_>>) -> Result<(), JoinError> {
        if connection.received.elapsed() >= self.patience {
            let during = match game {
                None => "it did not say which colour is ours",
                Some(known) if !known.has_begun() => "the game did not begin",
                Some(_) => "the game did not go on",
            };
            return Err(JoinError::Silence { server: self.server, time: self.patience, during });
        }
        if game.is_none() && !connection.complained && connection.received.elapsed() >= NO_ANSWER {
            connection.complained = true;
            (self.tell)(&format!("no answer from {} yet; going on waiting", self.server));
        }
        if self.resend.is_some_and(|silence| connection.quiet.elapsed() >= silence) {
            let last = game.and_then(|known| known.last_sent.clone());
            connection.send(last.as_deref().unwrap_or(self.name))?;
        }
        Ok(())
    }

    /// Sends a move, if it is our turn; sends the last one again if the server seems not to have received it.
    fn answer(&self, connection: &mut Connection<'_>, game: &mut ClientGame<'_>, moves: &mut u32) -> Result<(), JoinError> {
        if let Some(sent) = game.sent.clone() {
            return if self.resend.is_some() { connection.send(&sent) } else { Ok(()) };
        }
        if !game.is_our_turn() {
            debug_assert!(matches!(game.session.turn(), Turn::Over(_) | Turn::Player(_)));
            return Ok(());
        }
        let cancel = self.cancel.child_for(self.cut_short);
        let reply =
            game.player.choose(game.session.as_mut(), self.limits, &WallClock::start(), &cancel).map_err(JoinError::Agent)?;
        if self.cancel.is_cancelled() {
            return Ok(());
        }
        connection.send(&reply.mv)?;
        *moves += 1;
        game.sent = Some(reply.mv.clone());
        game.last_sent = Some(reply.mv);
        Ok(())
    }
}
