//! Many games over a network that loses datagrams, with an attacker.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use plyground_core::CancelToken;
use plyground_match::{AgentFactory, FileResources};
use plyground_session::{Limits, Seed};
use plyground_tuc::{Client, CompetitionTimes, HostOptions, Programme};

use crate::common::{HostSetup, Hosting};

/// Of a hundred datagrams, in each direction.
const LOST: u32 = 1;
const SILENCE: Duration = Duration::from_millis(200);

/// A way between a client and the host on which datagrams get lost. Every port of the client has one of its own at the other end.
struct Relay<'a> {
    front: UdpSocket,
    host: SocketAddr,
    stop: &'a CancelToken,
    lost: &'a AtomicU64,
    carried: &'a AtomicU64,
    /// The latest datagrams, for the attacker.
    overheard: &'a Mutex<Vec<Vec<u8>>>,
}

impl Relay<'_> {
    fn carry(&self, seed: u64) {
        let mut rng = Seed(seed).rng();
        let mut ends: HashMap<SocketAddr, UdpSocket> = HashMap::new();
        let mut latest = None;
        let mut buffer = [0; 300];
        self.front.set_nonblocking(true).unwrap();
        while !self.stop.is_cancelled() {
            let mut idle = true;
            if let Ok((length, client)) = self.front.recv_from(&mut buffer) {
                idle = false;
                if latest != Some(client) {
                    ends.retain(|known, _| Some(*known) == latest);
                    latest = Some(client);
                }
                let end = ends.entry(client).or_insert_with(|| {
                    let end = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
                    end.set_nonblocking(true).unwrap();
                    end
                });
                if self.arrives(&mut rng, &buffer[..length]) {
                    let _ = end.send_to(&buffer[..length], self.host);
                }
            }
            for (client, end) in &ends {
                if let Ok((length, _)) = end.recv_from(&mut buffer) {
                    idle = false;
                    if self.arrives(&mut rng, &buffer[..length]) {
                        let _ = self.front.send_to(&buffer[..length], client);
                    }
                }
            }
            if idle {
                std::thread::sleep(Duration::from_micros(200));
            }
        }
    }

    fn arrives(&self, rng: &mut plyground_core::Rng, datagram: &[u8]) -> bool {
        let mut overheard = self.overheard.lock().unwrap();
        overheard.push(datagram.to_vec());
        if overheard.len() > 100 {
            overheard.remove(0);
        }
        self.carried.fetch_add(1, Ordering::Relaxed);
        let arrives = rng.below(100) >= LOST;
        self.lost.fetch_add(u64::from(!arrives), Ordering::Relaxed);
        arrives
    }
}

/// Random bytes, moves, and what others have said, from a socket that plays no part; to the host, and to the clients' ends.
fn disturb(host: SocketAddr, overheard: &Mutex<Vec<Vec<u8>>>, stop: &CancelToken) -> u64 {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let mut rng = Seed(99).rng();
    let mut sent = 0;
    while !stop.is_cancelled() {
        let datagram: Vec<u8> = match rng.below(4) {
            0 => (0..rng.below(260)).map(|_| rng.bits() as u8).collect(),
            1 => format!("{}{}{}{}", rng.below(7), rng.below(5), rng.below(7), rng.below(5)).into_bytes(),
            _ => {
                let overheard = overheard.lock().unwrap();
                let count = overheard.len() as u32;
                let chosen = if count == 0 { Vec::new() } else { overheard[rng.below(count) as usize].clone() };
                // The protocol knows players by their names only. One in a hundred is enough to see that
                // it costs a game and nothing else.
                if chosen.starts_with(b"soak") && rng.below(100) > 0 { Vec::new() } else { chosen }
            }
        };
        let _ = socket.send_to(&datagram, host);
        sent += 1;
        std::thread::sleep(Duration::from_millis(1));
    }
    sent
}

/// Plays so many games under these conditions; every one of them must end with a result in the store.
fn soak(games: u64, longest: Duration) {
    let mut setup = HostSetup::new(Programme::Series { games });
    setup.options = HostOptions {
        begin_delay: Duration::from_millis(1),
        wait: Some(Duration::from_secs(10)),
        resend: Some(SILENCE),
        ..HostOptions::default()
    };
    setup.time = CompetitionTimes { a_move: Duration::from_secs(2), a_game: Duration::from_mins(5) };
    let mut host = Hosting::start(setup);
    let begin = Instant::now();
    let (stop, lost, carried, overheard) = (CancelToken::new(), AtomicU64::new(0), AtomicU64::new(0), Mutex::new(Vec::new()));
    let address = host.address;
    let (played, noise) = std::thread::scope(|scope| {
        let noise = scope.spawn(|| disturb(address, &overheard, &stop));
        for (number, name) in ["soak-one", "soak-two"].into_iter().enumerate() {
            let front = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let server = front.local_addr().unwrap();
            let relay = Relay { front, host: address, stop: &stop, lost: &lost, carried: &carried, overheard: &overheard };
            scope.spawn(move || relay.carry(number as u64));
            let stop = &stop;
            scope.spawn(move || {
                let client = Client {
                    server,
                    name,
                    game: "tuc-chess:limit=10000",
                    agent: "random",
                    players: &AgentFactory::new(&FileResources),
                    limits: Limits::default(),
                    cut_short: Duration::from_secs(2),
                    resend: Some(SILENCE),
                    patience: Duration::from_secs(5),
                    cancel: stop,
                    listen: &|_, _| (),
                    tell: &|_| {},
                };
                let mut number = 0;
                while !stop.is_cancelled() {
                    // A game that was lost on the way is no reason to stay away from the next one.
                    let _ = client.play(Seed(number));
                    number += 1;
                }
            });
        }
        let played = host.games_within(longest);
        stop.cancel();
        (played, noise.join().unwrap())
    });
    assert_eq!(played.len() as u64, games, "every game ends with a result in the store");
    let mut ways: HashMap<&str, u32> = HashMap::new();
    for (game, experiment) in &played {
        assert!(!game.reason.is_empty());
        let record = game.record(experiment);
        let replayed = plyground_session::replay(&record);
        assert!(game.fault.is_some() || replayed.is_ok(), "{record:?}");
        // A rook that runs into a bonus belongs to a client that has not heard of it; other illegal moves are those of the third socket,
        // which had a player's name.
        let unheard = game.reason.contains("in the way of the rook");
        let way = if unheard { "a bonus not heard of" } else { game.fault.as_deref().unwrap_or("on the board") };
        *ways.entry(way).or_default() += 1;
    }
    let dropped = host.dropped();
    println!(
        "{games} games in {:.1} s; {} datagrams carried, {} lost, {noise} of a third socket; dropped by the host: {dropped:?}; ends: {ways:?}",
        begin.elapsed().as_secs_f64(),
        carried.load(Ordering::Relaxed),
        lost.load(Ordering::Relaxed),
    );
    assert!(dropped.foreign > 0 && lost.load(Ordering::Relaxed) > 0, "the soak has lost its salt: {dropped:?}");
    assert!(
        ways.get("on the board").is_some_and(|&count| u64::from(count) * 10 > games * 8),
        "most games are played to the end: {ways:?}"
    );
}

#[test]
fn games_survive_losses_and_noise() {
    soak(40, Duration::from_mins(10));
}

#[test]
#[ignore = "takes some minutes: cargo test -p plyground-tuc --test tuc thousand -- --ignored --nocapture"]
fn a_thousand_games_survive_losses_and_noise() {
    soak(1_000, Duration::from_hours(2));
}
