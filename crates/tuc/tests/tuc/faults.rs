//! Whatever the original server could not bear.

use std::time::Duration;

use plyground_session::Player;
use plyground_tuc::{CompetitionTimes, DroppedDatagrams, Programme};

use crate::common::{FOR_EVER, HostSetup, Hosting, Raw, begun, play_out};

fn one_game() -> Hosting {
    Hosting::start(HostSetup::new(Programme::InTurn { games: Some(1) }))
}

/// Waits until so much was dropped; datagrams take their time.
fn await_dropped(host: &Hosting, enough: impl Fn(DroppedDatagrams) -> bool) {
    let begin = std::time::Instant::now();
    while !enough(host.dropped()) {
        assert!(begin.elapsed() < FOR_EVER, "{:?}", host.dropped());
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn only_the_player_to_move_can_move() {
    let mut host = one_game();
    let [white, black] = begun(&host);
    let stranger = Raw::new(host.address);
    stranger.say("5444");
    stranger.say("T15444990000");
    stranger.say("PW");
    stranger.say([0xff; 40]);
    // This one is dropped by the system, where that is possible, and not counted then.
    stranger.say([b'x'; 250]);
    stranger.say(b"");
    black.say("1323");
    let counted = if cfg!(target_os = "linux") { 5 } else { 6 };
    await_dropped(&host, |dropped| dropped.foreign == counted && dropped.early == 1);
    // Nothing of this was a move: White may still make any.
    play_out([&white, &black], 5);
    let (game, _) = host.only_game();
    assert_eq!((game.fault, stranger.is_quiet(Duration::from_millis(50))), (None, true));
}

#[test]
fn what_is_no_move_is_dropped_and_a_repeated_move_is_no_new_one() {
    let mut host = one_game();
    let [white, black] = begun(&host);
    for noise in ["hello", "52", "client15", "", "54444"] {
        white.say(noise);
    }
    await_dropped(&host, |dropped| dropped.all() == 5);
    white.say("5444");
    white.say("5444");
    assert_eq!([white.hear(), black.hear()].map(|told| told[..6].to_owned()), ["T15444", "T15444"]);
    black.say("1323\0");
    assert_eq!([white.hear(), black.hear()].map(|told| told[..6].to_owned()), ["T01323", "T01323"]);
    // Something that was on its way for long: White's first move again, in its second turn.
    let before = host.dropped().repeated;
    white.say("5444");
    await_dropped(&host, |dropped| dropped.repeated > before);
    white.say("9999");
    assert_eq!([white.hear(), black.hear()].map(|told| told[..2].to_owned()), ["GE", "GE"]);
    let (game, _) = host.only_game();
    assert_eq!((game.fault.as_deref(), game.plies()), (Some("cheated"), 2));
}

#[test]
fn an_illegal_move_loses_and_both_are_told_that_it_is_over() {
    let mut host = one_game();
    let [white, black] = begun(&host);
    white.say("5233");
    assert_eq!([white.hear(), black.hear()], ["GE0000", "GE0000"]);
    let (game, _) = host.only_game();
    assert_eq!(game.outcome.winner, Some(Player::Second));
    assert!(game.reason.starts_with("White cheated: illegal move '5233': "), "{}", game.reason);
}

#[test]
fn a_client_that_vanishes_loses_when_its_time_is_over() {
    let mut host = Hosting::start(HostSetup::new(Programme::InTurn { games: Some(1) }).move_time(Duration::from_millis(150)));
    let [white, black] = begun(&host);
    drop(white);
    assert_eq!(black.hear(), "GE0000");
    let (game, _) = host.only_game();
    assert_eq!((game.reason.as_str(), game.outcome.winner), ("White overran: no move came within 0.15 s", Some(Player::Second)));
}

#[test]
fn when_the_time_of_the_game_is_over_the_points_decide() {
    let mut setup = HostSetup::new(Programme::InTurn { games: Some(1) });
    setup.time = CompetitionTimes { a_move: FOR_EVER, a_game: Duration::from_millis(700) };
    let mut host = Hosting::start(setup);
    let [white, black] = begun(&host);
    // The rook's pawn steps ahead and takes a bonus; then no player moves any more.
    for (client, mv) in [(&white, "5040"), (&black, "1020"), (&white, "4030")] {
        client.say(mv);
        assert_eq!(white.hear(), black.hear());
    }
    let end = black.hear();
    assert_eq!(white.hear(), end);
    let (game, _) = host.only_game();
    assert_eq!(game.fault, None);
    assert!(game.reason.starts_with("the time of the game, 0.700 s, is over; White "), "{}", game.reason);
    let [first, second] = game.points.unwrap();
    assert_eq!(end, format!("GE{first:02}{second:02}"));
    assert_eq!(game.outcome.margin, first - second);
}

#[test]
fn waiting_clients_are_dismissed_when_the_host_stops() {
    let host = Hosting::start(HostSetup::new(Programme::InTurn { games: None }));
    let [white, black] = begun(&host);
    let third = Raw::named(host.address, "client3");
    assert_eq!(third.hear(), "PW");
    host.stop();
    assert_eq!([white.hear(), black.hear()], ["GE0000", "GE0000"]);
    let address = host.address;
    drop(host);
    assert_eq!(third.hear(), "GE0000");
    // The port is free at once.
    drop(std::net::UdpSocket::bind(address).unwrap());
}
