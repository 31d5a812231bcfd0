//! Series, round robins, games against the house; our own client.

use std::collections::HashSet;
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use plyground_core::CancelToken;
use plyground_match::{AgentFactory, FileResources, names_effort};
use plyground_session::{Limits, Player, Seed};
use plyground_tuc::{Client, Joined, Programme, Returning, without_limit};

use crate::common::{FOR_EVER, HostSetup, Hosting, Raw, play_out};

/// Our client plays so many games.
pub fn join(server: SocketAddr, name: &str, agent: &str, games: u64) -> Vec<Joined> {
    join_and_tell(server, name, agent, games, &|| ())
}

/// The same; `sent` is called after every message that it has sent.
fn join_and_tell(server: SocketAddr, name: &str, agent: &str, games: u64, sent: &dyn Fn()) -> Vec<Joined> {
    let client = Client {
        server,
        name,
        game: "tuc-chess:limit=10000",
        agent,
        players: &AgentFactory::new(&FileResources),
        limits: Limits::default(),
        cut_short: FOR_EVER,
        resend: None,
        patience: FOR_EVER,
        cancel: &CancelToken::new(),
        tell: &|_| {},
        listen: &|ours, _| {
            if ours {
                sent();
            }
        },
    };
    (0..games).map(|number| client.play(Seed(number)).unwrap().unwrap()).collect()
}

#[test]
fn our_client_plays_the_protocol_that_old_clients_play() {
    let mut host = Hosting::start(HostSetup::new(Programme::InTurn { games: Some(2) }));
    let address = host.address;
    for ours in [Player::First, Player::Second] {
        let old = Raw::new(address);
        if ours == Player::Second {
            old.say("old");
            assert_eq!(old.hear(), "PW");
        }
        let playing = std::thread::spawn(move || join(address, "ours", "random", 1));
        if ours == Player::First {
            while host.server.waiting().is_empty() {
                std::thread::sleep(Duration::from_millis(2));
            }
            old.say("old");
            assert_eq!(old.hear(), "PB");
        }
        assert_eq!(old.hear(), "GB");
        // The old one gives up by an illegal move in its second turn, or hears the end before that.
        let mut heard = String::new();
        if ours == Player::First {
            heard = old.hear();
        }
        while !heard.starts_with("GE") {
            old.say(if heard.is_empty() { "5444" } else { "0000" });
            heard = old.hear();
            if heard.starts_with(if ours == Player::First { "T0" } else { "T1" }) {
                heard = old.hear();
            }
        }
        let joined = playing.join().unwrap().remove(0);
        assert_eq!(joined.colour, ours);
        assert_eq!(heard, format!("GE{:02}{:02}", joined.points[0], joined.points[1]));
    }
    assert_eq!(host.games().len(), 2);
}

#[test]
fn a_series_changes_colours_and_waits_for_both() {
    let mut host = Hosting::start(HostSetup::new(Programme::Series { games: 5 }));
    let address = host.address;
    let clients = ["one", "two"].map(|name| std::thread::spawn(move || join(address, name, "random", 5)));
    let joined = clients.map(|client| client.join().unwrap());
    let games = host.games();
    assert_eq!(games.len(), 5);
    let firsts: Vec<usize> = {
        let mut games: Vec<_> = games.iter().map(|(game, _)| (game.pair, game.agents[0])).collect();
        games.sort_unstable();
        games.into_iter().map(|(_, first)| first).collect()
    };
    assert_eq!(firsts, [0, 1, 0, 1, 0]);
    for joined in joined {
        let colours: Vec<Player> = joined.iter().map(|game| game.colour).collect();
        assert!(colours.windows(2).all(|pair| pair[0] != pair[1]), "{colours:?}");
    }
    assert!(games.iter().all(|(game, _)| game.fault.is_none()));
}

#[test]
fn a_late_client_loses_the_game_that_it_does_not_come_for() {
    let mut setup = HostSetup::new(Programme::Series { games: 2 });
    setup.options.wait = Some(Duration::from_millis(300));
    let mut host = Hosting::start(setup);
    let [white, black] = crate::common::begun(&host);
    play_out([&white, &black], 2);
    // Only the first comes again, now as Black, and a stranger who is not asked.
    white.say("client15");
    let stranger = Raw::named(host.address, "somebody");
    assert_eq!([white.hear(), white.hear()], ["PB", "GE0000"]);
    assert!(stranger.is_quiet(Duration::from_millis(20)));
    let games = host.games();
    let (last, _) = games.iter().find(|(game, _)| game.fault.is_some()).unwrap();
    assert_eq!((games.len(), last.reason.as_str()), (2, "White stalled: it did not come within 0.3 s"));
    assert_eq!((last.outcome.winner, last.moves.len()), (Some(Player::Second), 0));
}

#[test]
fn a_client_that_draws_a_new_name_at_every_start_plays_its_series() {
    for returning in [Returning::Stem, Returning::Address] {
        let mut setup = HostSetup::new(Programme::Series { games: 3 });
        setup.options.returning = returning;
        let mut host = Hosting::start(setup);
        let [mut white, mut black] = crate::common::begun(&host);
        play_out([&white, &black], 2);
        for (number, seed) in [(70, 3), (80, 4)] {
            // As the template of the course: `client` and a number, from another port.
            [white, black] = [0, 1].map(|more| Raw::named(host.address, &format!("client{}", number + more)));
            let colours = [white.hear(), black.hear()];
            if colours[0] == "PB" {
                std::mem::swap(&mut white, &mut black);
            }
            assert_eq!([white.hear(), black.hear()], ["GB", "GB"], "{returning:?}: {colours:?}");
            play_out([&white, &black], seed);
        }
        let games = host.games();
        assert_eq!(games.len(), 3);
        assert!(games.iter().all(|(game, _)| game.fault.is_none()), "{games:?}");
        let players: HashSet<String> = games.iter().flat_map(|(game, experiment)| game.specs(experiment)).collect();
        assert_eq!(players.len(), 2, "{players:?}");
    }
}

#[test]
fn who_is_missing_and_who_was_turned_away_is_said() {
    let mut host = Hosting::start(HostSetup::new(Programme::Series { games: 2 }));
    let [white, black] = crate::common::begun(&host);
    play_out([&white, &black], 2);
    while host.server.awaited(Duration::ZERO) != ["client15", "client22"] {
        std::thread::sleep(Duration::from_millis(2));
    }
    white.say("client15");
    while host.server.awaited(Duration::ZERO) != ["client22"] {
        std::thread::sleep(Duration::from_millis(2));
    }
    let stranger = Raw::named(host.address, "client99");
    let is_told = || host.page.page().1.contains("client99");
    while !is_told() {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(stranger.is_quiet(Duration::from_millis(20)));
    black.say("client22");
    assert_eq!([white.hear(), black.hear()], ["PB", "PW"]);
    assert_eq!([white.hear(), black.hear()], ["GB", "GB"]);
    play_out([&black, &white], 3);
    assert_eq!(host.games().len(), 2);
    assert!(host.server.awaited(Duration::ZERO).is_empty());
}

/// On Debian the name of a computer is 127.0.1.1, and its answers come from 127.0.0.1.
#[cfg(target_os = "linux")]
#[test]
fn a_server_of_this_computer_may_answer_from_another_of_its_addresses() {
    let socket = UdpSocket::bind(("0.0.0.0", 0)).unwrap();
    let port = socket.local_addr().unwrap().port();
    let playing = std::thread::spawn(move || join(SocketAddr::from(([127, 0, 1, 1], port)), "guest", "random", 1));
    let mut buffer = [0; 300];
    let (_, client) = socket.recv_from(&mut buffer).unwrap();
    for message in ["PB", "GB", "T15444990000"] {
        socket.send_to(message.as_bytes(), client).unwrap();
    }
    let (length, _) = socket.recv_from(&mut buffer).unwrap();
    assert_eq!(length, 4, "a move");
    socket.send_to(b"GE0102", client).unwrap();
    let joined = playing.join().unwrap().remove(0);
    assert_eq!((joined.points, joined.moves), ([1, 2], 1));
    // What was followed is kept, and can be played again.
    let record = joined.record.unwrap();
    assert_eq!((record.result.as_str(), record.points), ("second", None));
    assert_eq!(record.reason, "the server ended the game, 1 : 2");
    assert_eq!(record.moves.iter().filter(|played| !played.chance).count(), 2, "{record:?}");
    plyground_session::replay(&record).unwrap();
}

#[test]
fn over_the_protocol_only_the_clock_ends_games_early() {
    assert_eq!(without_limit("tuc-chess"), "tuc-chess:limit=10000");
    assert_eq!(without_limit("tuc-chess:year=2021"), "tuc-chess:year=2021,limit=10000");
    assert_eq!(without_limit("tuc-chess:limit=30"), "tuc-chess:limit=30");
    assert!(names_effort("mcts:sims=100,time=1s") && names_effort("alphabeta:depth=3"));
    assert!(!names_effort("az:time=1900ms") && !names_effort("alphabeta") && !names_effort("cmd:./bot nodes=3"));
}

#[test]
fn in_a_round_robin_everybody_plays_everybody_and_names_stand_for_players() {
    let mut host = Hosting::start(HostSetup::new(Programme::RoundRobin { players: 4, double: true }));
    let address = host.address;
    // One that is started anew before it begins is still one player.
    let ghost = Raw::named(address, "dd");
    while host.server.waiting() != ["dd"] {
        std::thread::sleep(Duration::from_millis(2));
    }
    // The datagram with its name is at the host before those of the others, who would begin with the ghost.
    let (tell, told) = std::sync::mpsc::channel();
    let again = std::thread::spawn(move || join_and_tell(address, "dd", "random", 6, &|| tell.send(()).unwrap()));
    told.recv().unwrap();
    let others = ["aa", "bb", "cc"].map(|name| std::thread::spawn(move || join(address, name, "random", 6)));
    for client in others.into_iter().chain([again]) {
        assert_eq!(client.join().unwrap().len(), 6);
    }
    let games = host.games();
    assert_eq!(games.len(), 12);
    let met: HashSet<[String; 2]> = games.iter().map(|(game, experiment)| game.specs(experiment)).collect();
    assert_eq!(met.len(), 12);
    assert!(games.iter().all(|(game, _)| game.fault.is_none()), "{games:?}");
    assert!(ghost.is_quiet(Duration::from_millis(20)));
}

#[test]
fn every_client_plays_against_the_agent_of_the_host() {
    let mut host = Hosting::start(HostSetup::new(Programme::Against { spec: "level=1".to_owned(), games: Some(4) }));
    let joined = join(host.address, "guest", "random", 4);
    let colours: Vec<Player> = joined.iter().map(|game| game.colour).collect();
    assert_eq!(colours, [Player::First, Player::Second, Player::First, Player::Second]);
    let games = host.games();
    assert_eq!(games.len(), 4);
    assert!(games.iter().all(|(game, experiment)| game.specs(experiment).contains(&"udp:guest".to_owned())));
    // The level is weak on purpose, and does not think for the time of the protocol.
    assert!(games.iter().all(|(_, experiment)| experiment.own_limits));
}

#[test]
fn players_who_come_again_at_once_play_every_game() {
    let mut host = Hosting::start(HostSetup::new(Programme::InTurn { games: Some(30) }));
    let address = host.address;
    let clients = ["one", "two"].map(|name| std::thread::spawn(move || join(address, name, "random", 30)));
    for client in clients {
        let joined = client.join().unwrap();
        assert!(joined.iter().all(|game| game.moves > 0), "{joined:?}");
    }
    let games = host.games();
    assert_eq!(games.len(), 30);
    assert!(games.iter().all(|(game, _)| game.fault.is_none()));
}
