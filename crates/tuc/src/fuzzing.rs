//! The state machines of the UDP protocol without a thread and without waiting, for the fuzz targets (`fuzz/`).

use std::collections::HashSet;
use std::net::{SocketAddr, UdpSocket};

use plyground_match::{AgentPlayer, MatchPlayer};
use plyground_session::{InputError, NoResources, Player, Seed};

use crate::client_game::ClientGame;
use crate::receive::{INBOX, NAME};
use crate::server::{Admission, HostOptions, MOST_CLIENTS, UdpServer};
use crate::wire::{Message, is_move};

/// A server that is fed with datagrams by its caller. What it sends goes to the addresses that it is told.
pub struct DatagramServer(UdpServer);

impl DatagramServer {
    /// A server on a socket that nothing is read from.
    pub fn new(socket: UdpSocket, options: HostOptions, admission: Admission) -> Self {
        Self(UdpServer::new(socket, options, admission, Box::new(|_| {})))
    }

    /// Handles a datagram; it is counted as dropped, or it is a name or a move.
    pub fn take(&self, datagram: &[u8], from: SocketAddr) {
        let mut state = self.0.state();
        let before = state.dropped.all();
        let changed = self.0.take(&mut state, datagram, from);
        let dropped = state.dropped.all() - before;
        assert!(dropped <= 1 && (dropped == 1 || changed), "a datagram is dropped, or changes something");
    }

    /// Lets the clients of an address play, with this player to move, as a game does.
    pub fn begin(&self, address: SocketAddr, colour: Player) {
        let mut state = self.0.state();
        if let Some(client) = state.clients.get_mut(&address) {
            (client.playing, client.called, client.to_move) = (true, true, colour == Player::First);
        }
        self.0.colour(&mut state, address, colour);
        self.0.send(&mut state, address, &Message::Begin);
    }

    /// Takes the next move of a client out of its inbox, as its game does. It is a move, legal or not.
    pub fn next_move(&self, address: SocketAddr) -> Option<String> {
        let mut state = self.0.state();
        let client = state.clients.get_mut(&address)?;
        let text = client.inbox.pop_front()?;
        assert!(is_move(&text), "{text:?} is no move");
        client.last_move = Some(text.clone());
        Some(text)
    }

    /// Ends the game of a client.
    pub fn dismiss(&self, address: SocketAddr, points: [i32; 2]) {
        self.0.dismiss(&mut self.0.state(), address, points);
    }

    /// The names of the waiting clients.
    pub fn waiting(&self) -> Vec<String> {
        self.0.waiting()
    }

    /// Panics if the state breaks a law: limits of clients, seats and inboxes; labels that are unique; pairs of clients that are there.
    pub fn check(&self) {
        let state = self.0.state();
        assert!(state.clients.len() <= MOST_CLIENTS);
        let labels: HashSet<&str> =
            state.clients.values().filter(|client| !client.playing).map(|client| client.name.as_str()).collect();
        assert_eq!(
            labels.len(),
            state.clients.values().filter(|client| !client.playing).count(),
            "waiting clients have labels of their own"
        );
        for (address, client) in &state.clients {
            assert!(client.inbox.len() <= INBOX && client.inbox.iter().all(|text| is_move(text)));
            // A label is a name, with the number of the copy behind it.
            assert!((1..=NAME + 5).contains(&client.name.chars().count()), "{:?}", client.name);
            assert!(!client.name.chars().any(char::is_control) && !client.name.contains(['{', '}']), "{:?}", client.name);
            if !matches!(state.admission, Admission::Only(_)) {
                assert!(
                    state.clients_of(address.ip()) <= self.0.options.seats_per_address,
                    "an address has its seats and no more"
                );
            }
        }
        let paired: Vec<&SocketAddr> = state.pairs.iter().flatten().collect();
        assert_eq!(paired.iter().collect::<HashSet<_>>().len(), paired.len(), "a client is in one pair");
        assert!(paired.iter().all(|address| state.clients.contains_key(address)), "pairs are of clients that are there");
        assert!(state.pairs.iter().all(|pair| (1..=2).contains(&pair.len())));
    }
}

/// A client's view of a game, fed with the messages of a server.
pub struct FollowedGame(ClientGame<'static>);

impl FollowedGame {
    /// A game of this spec with an agent that moves at random.
    pub fn new(game: &str, colour: Player) -> Result<Self, InputError> {
        let player: Box<dyn MatchPlayer> = Box::new(AgentPlayer::new("random", &NoResources));
        ClientGame::new(game, player, colour, Seed(1)).map(Self)
    }

    /// Follows a message. The position can be opened again, whatever the server has said.
    pub fn follow(&mut self, message: &Message) -> Result<(), InputError> {
        let Message::Moved(moved) = message else { return Ok(()) };
        self.0.take(moved.clone())?;
        let (spec, position) = (self.0.session.spec(), self.0.session.position());
        let again = plyground_session::open(&spec, Some(&position)).expect("the position of a game can be opened");
        assert_eq!(again.position(), position);
        if self.0.is_our_turn()
            && let Some(mv) = self.0.session.moves().first()
        {
            self.0.sent = Some(mv.text.clone());
        }
        Ok(())
    }
}
