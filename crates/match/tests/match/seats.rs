//! Fixed seats, agents against themselves, and numbers that are drawn for every game.

use std::collections::HashSet;

use plyground_core::{GameRecord, NoResources, Player};
use plyground_match::{Experiment, Run, Seats, csv};
use plyground_session::replay;

use crate::common::{Directory, experiment, games, play_pairings};

fn fixed(game: &str, agents: &[&str]) -> Run {
    Experiment { seats: Seats::Fixed, ..experiment(game, agents, 0) }.run()
}

#[test]
fn swapped_seats_do_not_change_the_name_of_a_run() {
    let settings = experiment("tictactoe", &["random", "mcts:sims=10"], 2);
    let text = serde_json::to_string(&settings).unwrap();
    assert!(!text.contains("seats"), "{text}");
    assert_eq!(serde_json::from_str::<Experiment>(&text).unwrap(), settings);
    let other = Experiment { seats: Seats::Fixed, ..settings.clone() };
    let written = serde_json::to_string(&other).unwrap();
    assert_eq!(serde_json::from_str::<Experiment>(&written).unwrap(), other);
    assert_ne!(other.run().id, settings.run().id);
}

#[test]
fn with_fixed_seats_every_job_is_one_game_and_the_first_named_moves_first() {
    let directory = Directory::new();
    let store = directory.store();
    let run = fixed("tictactoe", &["random", "mcts:sims=30"]);
    let results = play_pairings(&store, &run, &[[0, 1], [1, 0], [1, 1]], 20);
    let played = games(&store, &run);
    assert_eq!((played.len(), results.jobs(), results.pairs(), results.games()), (60, 60, 0, 60));
    assert_eq!(played.iter().map(|game| &game.job).collect::<HashSet<_>>().len(), 60);
    for agents in [[0, 1], [1, 0], [1, 1]] {
        let these: Vec<_> = played.iter().filter(|game| game.agents == agents).collect();
        assert!(these.len() == 20 && these.iter().all(|game| game.game == 0));
        let won = |player| these.iter().filter(|game| game.outcome.winner == Some(player)).count() as u64;
        let tally = results.between(agents)[0];
        assert_eq!((tally.wins, tally.losses), (won(Player::First), won(Player::Second)), "{agents:?}");
        assert_eq!(results.lengths(agents), these.iter().map(|game| game.plies() as f64).collect::<Vec<_>>());
    }
    // In the view of either, all games between two are there, each once.
    let [one, other] = [[0, 1], [1, 0]].map(|agents| results.between(agents));
    assert_eq!((one, one.tally().games(), one.pairs().count()), (other.reversed(), 40, 0));
    assert_eq!((results.of(0).tally().games(), results.of(1).tally().games()), (40, 60));
}

#[test]
fn an_agent_plays_itself_with_two_streams_of_randomness() {
    let directory = Directory::new();
    let store = directory.store();
    let run = fixed("clobber:size=4x4", &["random"]);
    let results = play_pairings(&store, &run, &[[0, 0]], 30);
    assert_eq!(results.games(), 30);
    let seeds = |record: &GameRecord| record.players.clone().map(|player| player.seed.unwrap());
    let records: Vec<GameRecord> = games(&store, &run).iter().map(|game| game.record(&run.experiment)).collect();
    assert_eq!(records.iter().flat_map(seeds).collect::<HashSet<_>>().len(), 60);
}

#[test]
fn a_game_names_the_numbers_that_were_drawn_for_it() {
    let directory = Directory::new();
    let store = directory.store();
    let range = "mcts:sims={3..6}";
    let run = fixed("tictactoe", &[range]);
    play_pairings(&store, &run, &[[0, 0]], 40);
    let played = games(&store, &run);
    let records: Vec<GameRecord> = played.iter().map(|game| game.record(&run.experiment)).collect();
    let names: HashSet<&str> = records.iter().flat_map(|record| &record.players).map(|player| player.name.as_str()).collect();
    assert_eq!(names, HashSet::from(["mcts:sims=3", "mcts:sims=4", "mcts:sims=5", "mcts:sims=6"]));
    assert!(records.iter().any(|record| record.players[0].name != record.players[1].name), "each player has its own number");
    let table = csv(&store, &run).unwrap();
    assert!(table.contains(",mcts:sims=3,") && !table.contains(range));
    // Who is made from what the record says plays the same game.
    for record in &records {
        let mut session = plyground_session::open(&record.game, None).unwrap();
        let seats = record
            .players
            .clone()
            .map(|player| session.seat(&player.name, plyground_core::Seed(player.seed.unwrap()), &NoResources).unwrap());
        for (number, played) in record.moves.iter().enumerate() {
            let limits = plyground_core::Limits::default();
            let advice =
                session.think(seats[number % 2], limits, &plyground_core::NoClock, &mut plyground_core::NoObserver).unwrap();
            assert_eq!(advice.mv, played.text);
            session.play(&advice.mv).unwrap();
        }
        assert_eq!(replay(record).unwrap().turn().result_word(), record.result);
    }
}

#[test]
fn a_range_of_which_an_end_makes_no_agent_is_refused() {
    let refused = |agent: &str| Experiment::new("tictactoe", &[agent.to_owned()], &NoResources).unwrap_err().to_string();
    assert!(refused("mcts:sims={0..6}").contains("sims"), "{}", refused("mcts:sims={0..6}"));
    assert!(refused("mcts:sims={6..3}").contains("the lower one first"));
}
