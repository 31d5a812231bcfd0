//! Strangers that take seats, and floods: honest clients come and play all the same.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use plyground_tuc::{Admission, HostEvent, HostOptions, Programme, UdpServer};

use crate::common::{FOR_EVER, HostSetup, Hosting, Raw, play_out};

fn open_table(games: Option<u64>) -> HostSetup {
    HostSetup::new(Programme::InTurn { games })
}

/// Waits until something is so.
fn await_that(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < FOR_EVER, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Alice and Bob come one after the other, and play to the end.
fn alice_and_bob_play(host: &Hosting) {
    let alice = Raw::named(host.address, "alice");
    assert_eq!(alice.hear(), "PW");
    let bob = Raw::named(host.address, "bob");
    assert_eq!(bob.hear(), "PB");
    assert_eq!([alice.hear(), bob.hear()], ["GB", "GB"]);
    play_out([&alice, &bob], 11);
}

#[test]
fn a_squatter_with_one_byte_does_not_keep_bob_from_playing() {
    let mut host = Hosting::start(open_table(Some(1)));
    let alice = Raw::named(host.address, "alice");
    assert_eq!(alice.hear(), "PW");
    let squatters: Vec<Raw> = ["x", "7", "?", "\u{fffd}", "?!"].map(|noise| Raw::named(host.address, noise)).into();
    let bob = Raw::named(host.address, "bob");
    assert_eq!(bob.hear(), "PB");
    assert_eq!([alice.hear(), bob.hear()], ["GB", "GB"]);
    play_out([&alice, &bob], 4);
    let (game, experiment) = host.only_game();
    assert_eq!((game.specs(&experiment), game.fault), (["udp:alice".to_owned(), "udp:bob".to_owned()], None));
    assert_eq!(host.dropped().foreign, squatters.len() as u64);
}

#[test]
fn ten_thousand_names_from_two_hundred_sockets_leave_the_table_to_honest_clients() {
    let host = Hosting::start(open_table(None).move_time(Duration::from_secs(5)));
    let flood: Vec<Raw> = (0..200).map(|_| Raw::new(host.address)).collect();
    let mut number = 0;
    let mut round = || {
        for socket in &flood {
            socket.say(format!("squatter-{number}"));
            number += 1;
        }
    };
    (0..50).for_each(|_| round());
    // What the system has dropped meanwhile is said again.
    await_that("the squatters still wait", || {
        let is_free = host.server.waiting().is_empty();
        if !is_free {
            round();
        }
        is_free
    });
    alice_and_bob_play(&host);
    await_that("the game is not in the store", || {
        let games = crate::common::kept(&host.directory.store());
        games.iter().any(|(game, experiment)| game.fault.is_none() && game.specs(experiment) == ["udp:alice", "udp:bob"])
    });
}

#[test]
fn a_flood_of_oversized_datagrams_leaves_room_for_names_and_moves() {
    let mut host = Hosting::start(open_table(Some(1)));
    let (address, stop) = (host.address, AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| flood(address, &vec![b'x'; 60_000], &stop));
        }
        // The flood is on its way.
        std::thread::sleep(Duration::from_millis(200));
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| alice_and_bob_play(&host)));
        stop.store(true, Ordering::Relaxed);
        played.unwrap();
    });
    assert_eq!(host.only_game().0.fault, None);
}

#[cfg(target_os = "linux")]
#[test]
fn long_datagrams_take_no_room_in_the_buffer_while_the_host_is_busy() {
    let ((begin, begun), (release, held)) = (mpsc::channel(), mpsc::channel::<()>());
    let held = Mutex::new(held);
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    // The host is busy with the first client until it is released.
    let server = UdpServer::open(socket, HostOptions::default(), Admission::InTurn, move |event| {
        if matches!(event, HostEvent::Arrived { name: "first", .. }) {
            begin.send(()).unwrap();
            let _ = held.lock().unwrap().recv_timeout(FOR_EVER);
        }
    })
    .unwrap();
    let address = server.address().unwrap();
    let first = Raw::named(address, "first");
    begun.recv_timeout(FOR_EVER).unwrap();
    let attacker = Raw::new(address);
    // Until there is no gap left for a short one, if they are let in.
    for (length, times) in [(60_000, 400), (2_000, 400), (201, 20_000)] {
        (0..times).for_each(|_| attacker.say(vec![b'x'; length]));
    }
    let alice = Raw::named(address, "alice");
    release.send(()).unwrap();
    assert_eq!([first.hear(), alice.hear()], ["PW", "PB"]);
}

/// Sends a datagram again and again, as fast as it goes.
fn flood(host: SocketAddr, datagram: &[u8], stop: &AtomicBool) {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    while !stop.load(Ordering::Relaxed) {
        let _ = socket.send_to(datagram, host);
    }
}

#[test]
fn the_seat_of_a_silent_stranger_is_freed() {
    let mut setup = open_table(Some(1));
    setup.options.seat_time = Some(Duration::from_millis(400));
    let mut host = Hosting::start(setup);
    let silent = Raw::named(host.address, "passer-by");
    assert_eq!([silent.hear(), silent.hear()], ["PW", "GE0000"]);
    alice_and_bob_play(&host);
    assert_eq!(host.only_game().0.fault, None);
}

#[test]
fn a_waiting_client_that_says_its_name_again_keeps_its_seat() {
    let mut setup = open_table(None);
    setup.options.seat_time = Some(Duration::from_secs(2));
    let host = Hosting::start(setup);
    let patient = Raw::named(host.address, "patient");
    assert_eq!(patient.hear(), "PW");
    for _ in 0..12 {
        std::thread::sleep(Duration::from_millis(250));
        patient.say("patient");
        assert_eq!(patient.hear(), "PW", "the colour is told again");
    }
    assert_eq!(host.server.waiting(), ["patient"]);
}

#[test]
fn the_partner_of_a_client_that_sends_noise_waits_for_another_one() {
    // One board, which is taken: everybody else waits in pairs.
    let mut setup = open_table(None);
    setup.boards = 1;
    let host = Hosting::start(setup);
    let [_white, _black] = crate::common::begun(&host);
    let noisy = Raw::named(host.address, "noisy");
    assert_eq!(noisy.hear(), "PW");
    let bob = Raw::named(host.address, "bob");
    assert_eq!(bob.hear(), "PB");
    (0..20).for_each(|number| noisy.say(format!("noisy-{number}")));
    await_that("it still waits", || host.server.waiting() == ["bob"]);
    // Not at once again, either.
    noisy.say("noisy");
    assert!(noisy.is_quiet(Duration::from_millis(100)));
    let alice = Raw::named(host.address, "alice");
    assert_eq!(alice.hear(), "PW", "Bob has been told that he is Black");
}

#[cfg(target_os = "linux")]
#[test]
fn an_address_has_so_many_seats_and_others_have_theirs() {
    let mut setup = HostSetup::new(Programme::RoundRobin { players: 200, double: false });
    setup.options.seats_per_address = 5;
    let host = Hosting::start(setup);
    let squatters: Vec<Raw> = (0..20).map(|number| Raw::named(host.address, &format!("squatter-{number}"))).collect();
    let other = UdpSocket::bind((Ipv4Addr::new(127, 0, 0, 2), 0)).unwrap();
    other.send_to(b"alice", host.address).unwrap();
    await_that("Alice has no seat", || host.server.waiting().contains(&"alice".to_owned()));
    assert_eq!((host.server.waiting().len(), host.dropped().foreign), (6, 15));
    // One that is started anew is still the same player, and needs no other seat.
    let again = Raw::named(host.address, "squatter-3");
    await_that("it was not let in again", || host.server.waiting().last().is_some_and(|last| last == "squatter-3"));
    assert_eq!(host.server.waiting().len(), 6);
    drop((squatters, again));
}
