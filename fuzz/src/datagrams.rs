//! The UDP protocol of TUC-Chess: datagrams of several clients to a host, and messages of a server to a client.

use std::net::{SocketAddr, UdpSocket};
use std::sync::LazyLock;
use std::time::Duration;

use plyground_session::Player;
use plyground_tuc::fuzzing::{DatagramServer, FollowedGame};
use plyground_tuc::{Admission, HostOptions, Message};

use crate::{choice, chosen};

/// The sockets of the clients, two addresses with three ports each, one more than they have seats. They take what a server answers; it is not read.
static CLIENTS: LazyLock<Vec<UdpSocket>> = LazyLock::new(|| {
    let hosts = if cfg!(target_os = "linux") { ["127.0.0.1:0", "127.0.0.2:0"] } else { ["127.0.0.1:0"; 2] };
    hosts.iter().flat_map(|host| [bound(host), bound(host), bound(host)]).collect()
});

fn bound(address: &str) -> UdpSocket {
    let socket = UdpSocket::bind(address).expect("a free port of this computer can be bound");
    socket.set_nonblocking(true).expect("a socket can be told not to wait");
    socket
}

/// Sequences of datagrams keep the limits of a host: each is dropped and counted, or is a name or a move. Lines of the input are
/// datagrams; their first byte says from which client, and `!` makes the host act instead: begin a game, take a move, end it.
pub fn datagrams(input: &[u8]) -> bool {
    let Some((number, rest)) = choice(input, 8) else { return false };
    let resend = (number >= 4).then_some(Duration::from_secs(1));
    let admission = match number % 4 {
        0 => Admission::InTurn,
        1 => Admission::Alone,
        2 => Admission::Gathering,
        _ => Admission::Only(vec!["client15".to_owned(), "Anna".to_owned(), "Anna#2".to_owned()]),
    };
    let options = HostOptions { resend, seats_per_address: 2, ..HostOptions::default() };
    let addresses: Vec<SocketAddr> = CLIENTS.iter().map(|client| client.local_addr().expect("it is bound")).collect();
    let server = DatagramServer::new(bound("127.0.0.1:0"), options, admission);
    let mut accepted = false;
    for line in rest.split(|&byte| byte == b'\n').take(100) {
        let Some((client, datagram)) = choice(line, addresses.len()) else { continue };
        let address = addresses[client];
        match datagram {
            b"!begin white" => server.begin(address, Player::First),
            b"!begin black" => server.begin(address, Player::Second),
            b"!move" => accepted |= server.next_move(address).is_some(),
            b"!end" => server.dismiss(address, [1, 14]),
            datagram => server.take(datagram, address),
        }
        server.check();
    }
    accepted | !server.waiting().is_empty()
}

pub fn seeds() -> Vec<Vec<u8>> {
    let games = [
        "\0client15\n\u{1}Anna\n\0!begin white\n\u{1}!begin black\n\u{0}5444\n\0!move\n\u{1}1323\n\u{1}!move\n\0!end\n\0client15",
        "\0Anna\n\u{2}Anna\n\0Anna\n\u{3}client15\n\u{3}5444\n\u{3}\u{7f}\n\u{1}PW",
    ];
    (0..8).flat_map(|number| games.map(|game| chosen(number, game))).collect()
}

/// A message of a server is refused, or it is written with the same bytes; a game is followed by the rules, whatever is said.
pub fn server_messages(input: &[u8]) -> bool {
    let Some((colour, rest)) = choice(input, 2) else { return false };
    let mut game = FollowedGame::new("tuc-chess:limit=10000", Player::BOTH[colour]).expect("the game is one of ours");
    let mut accepted = false;
    for datagram in rest.split(|&byte| byte == b'\n').take(60) {
        let Some(message) = Message::read(datagram) else { continue };
        let text = message.to_string();
        assert!(datagram.starts_with(text.as_bytes()), "{text} was read from {datagram:?}");
        assert_eq!(Message::read(text.as_bytes()).as_ref(), Some(&message));
        accepted |= game.follow(&message).is_ok();
    }
    accepted
}

pub fn message_seeds() -> Vec<Vec<u8>> {
    let game = "PW\nGB\nT15444990000\nT01323990000\nT15343420000\nT02333400001\nT16454990001\nT03344210002\nT16353990002\nGE0114";
    vec![chosen(0, game), chosen(1, game)]
}
