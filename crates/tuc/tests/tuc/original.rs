//! Clients of the original server, byte for byte.

use std::time::Duration;

use plyground_session::replay;
use plyground_tuc::Programme;

use crate::common::{HostSetup, Hosting, Raw, begun, play_out};

#[test]
fn old_clients_play_whole_games_and_everything_is_kept() {
    let mut host = Hosting::start(HostSetup::new(Programme::InTurn { games: Some(3) }));
    let mut ends = Vec::new();
    for seed in 0..3 {
        let [white, black] = begun(&host);
        ends.push(play_out([&white, &black], seed));
    }
    let games = host.games();
    assert_eq!(games.len(), 3);
    for ((game, experiment), points) in games.iter().zip(ends) {
        assert_eq!(game.points, Some(points));
        assert_eq!(game.specs(experiment), ["udp:client15", "udp:client22"]);
        assert_eq!(game.fault, None);
        let record = game.record(experiment);
        assert_eq!(replay(&record).unwrap().turn().result_word(), record.result);
    }
    let runs = host.directory.store().runs().unwrap();
    assert_eq!((runs.len(), runs[0].games, runs[0].done), (1, 3, 3), "the games of the same two are one run");
}

#[test]
fn names_may_end_with_a_nul_and_two_copies_of_one_program_may_play_each_other() {
    let mut host = Hosting::start(HostSetup::new(Programme::InTurn { games: Some(1) }));
    let [white, black] = [Raw::named(host.address, "client15\0"), Raw::new(host.address)];
    assert_eq!(white.hear(), "PW");
    black.say(b"client15");
    assert_eq!(black.hear(), "PB");
    assert_eq!([white.hear(), black.hear()], ["GB", "GB"]);
    play_out([&white, &black], 3);
    let (game, experiment) = host.only_game();
    assert_eq!(game.specs(&experiment), ["udp:client15", "udp:client15#2"]);
}

#[test]
fn the_chances_are_those_of_the_year() {
    let mut setup = HostSetup::new(Programme::InTurn { games: Some(1) });
    setup.game = "tuc-chess:year=2021";
    let mut host = Hosting::start(setup);
    let [white, black] = begun(&host);
    play_out([&white, &black], 1);
    assert_eq!(host.only_game().1.game, "tuc-chess:year=2021");
}

#[test]
fn no_message_is_sent_twice_unless_resending_is_on() {
    let silence = Duration::from_millis(300);
    for resend in [None, Some(silence)] {
        let mut setup = HostSetup::new(Programme::InTurn { games: Some(1) }).move_time(Duration::from_millis(1_200));
        setup.options.resend = resend;
        let mut host = Hosting::start(setup);
        let [white, black] = begun(&host);
        white.say("5444");
        let told = white.hear();
        assert_eq!(black.hear(), told);
        // Black is silent. With resending it hears the last message once more, and once only; White does not.
        let next = black.hear();
        if resend.is_some() {
            assert_eq!(next, told);
            assert_eq!(black.hear(), "GE0000");
        } else {
            assert_eq!(next, "GE0000");
        }
        assert_eq!(white.hear(), "GE0000");
        let (game, _) = host.only_game();
        assert_eq!(game.reason, "Black overran: no move came within 1.2 s");
    }
}
