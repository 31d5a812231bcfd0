//! Pairs, seeds, and runs that are made longer.

use std::collections::HashSet;

use plyground_core::{GameRecord, Player};
use plyground_match::{Format, GameRow, Results, RunPrefix, Seats};
use plyground_session::{open, replay};

use crate::common::{Directory, FirstInList, experiment, games, play, play_with};

#[test]
fn both_games_of_a_pair_have_one_opening_and_swapped_seats() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("clobber:size=5x4", &["random", "mcts:sims=20"], 2).run();
    play(&store, &run, 6);
    let games = games(&store, &run);
    assert_eq!(games.len(), 12);
    let mut openings = HashSet::new();
    for pair in games.chunks(2) {
        let [one, other] = pair else { panic!("a pair has two games") };
        assert_eq!((one.job.as_str(), one.pair, one.game, other.game), (other.job.as_str(), other.pair, 0, 1));
        assert_eq!((one.agents, other.agents), ([0, 1], [1, 0]));
        let opening =
            |number: usize| pair[number].moves[..pair[number].opening].iter().map(|m| m.text.clone()).collect::<Vec<_>>();
        assert_eq!(opening(0).len(), 2);
        assert_eq!(opening(0), opening(1));
        assert!(openings.insert(opening(0)), "an opening was used twice");
    }
}

#[test]
fn both_games_of_a_pair_have_the_same_luck_and_other_pairs_another() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("tuc-chess", &["random", "mcts:sims=10"], 0).run();
    play_with(&store, &FirstInList, &run, 4).unwrap();
    let mut rolled = HashSet::new();
    for pair in games(&store, &run).chunks(2) {
        let luck = |game: &GameRow| {
            game.moves.iter().filter(|played| played.chance).map(|played| played.text.clone()).collect::<Vec<_>>()
        };
        assert!(luck(&pair[0]).len() > 3);
        assert_eq!(pair[0].moves, pair[1].moves);
        rolled.insert(luck(&pair[0]));
    }
    assert_eq!(rolled.len(), 4);
}

#[test]
fn the_same_seed_gives_the_same_games_and_another_seed_others() {
    let settings = experiment("tuc-chess", &["random", "mcts:sims=10", "mc:playouts=3"], 2);
    let played = |seed: u64| {
        let directory = Directory::new();
        let store = directory.store();
        let mut settings = settings.clone();
        settings.seed = seed;
        let run = settings.run();
        play(&store, &run, 2);
        games(&store, &run).into_iter().map(|game| (game.agents, game.moves, game.outcome)).collect::<Vec<_>>()
    };
    let (one, again, other) = (played(1), played(1), played(2));
    assert_eq!(one.len(), 12);
    assert_eq!(one, again);
    assert!(one.iter().zip(&other).all(|(one, other)| one.1 != other.1));
}

#[test]
fn a_game_does_not_depend_on_who_else_takes_part() {
    let pair = |agents: &[&str]| {
        let directory = Directory::new();
        let store = directory.store();
        let run = experiment("connect-four", agents, 2).run();
        play(&store, &run, 1);
        let number = |name: &str| agents.iter().position(|&agent| agent == name).unwrap();
        let wanted = [number("random"), number("mcts:sims=10")];
        let of_both = games(&store, &run).into_iter().filter(|game| game.pairing() == wanted);
        of_both.map(|game| game.moves).collect::<Vec<_>>()
    };
    let two = pair(&["random", "mcts:sims=10"]);
    assert_eq!(two.len(), 2);
    assert_eq!(two, pair(&["random", "mc:playouts=2", "mcts:sims=10"]));
}

#[test]
fn more_pairs_make_a_run_longer_and_fewer_show_a_part_of_it() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("tictactoe", &["random", "mcts:sims=10"], 2).run();
    let few = play(&store, &run, 3);
    let first = games(&store, &run);
    let many = play(&store, &run, 8);
    let all = games(&store, &run);
    assert_eq!((few.pairs(), many.pairs(), all.len()), (3, 8, 16));
    assert_eq!(all[..6], first, "what was played stays as it was");
    let again = play(&store, &run, 3);
    assert_eq!((again.pairs(), again.between([0, 1])), (3, few.between([0, 1])));
    assert_eq!(games(&store, &run).len(), 16);
    let row = store.find(&run.id[..4]).unwrap();
    assert_eq!((row.pairs, row.done, row.games), (8, 8, 16));
}

#[test]
fn other_settings_are_another_run() {
    let base = experiment("tictactoe", &["random", "mcts:sims=10"], 2);
    let mut names = HashSet::from([base.clone().run().id]);
    assert!(!names.insert(base.clone().run().id), "the same settings are the same run");
    let mut seed = base.clone();
    seed.seed = 1;
    let mut clock = base.clone();
    clock.clock = Some(std::time::Duration::from_secs(1));
    let mut limits = base.clone();
    limits.limits.simulations = Some(7);
    let mut format = base.clone();
    format.format = Format::Gauntlet;
    let others = [
        seed,
        clock,
        limits,
        format,
        experiment("tictactoe", &["random", "mcts:sims=10"], 3),
        experiment("tictactoe", &["mcts:sims=10", "random"], 2),
        experiment("mnk:size=4x4,k=4", &["random", "mcts:sims=10"], 2),
    ];
    for other in others {
        let text = format!("{other:?}");
        assert!(names.insert(other.run().id), "{text}");
    }
}

#[test]
fn a_spelling_of_the_same_game_or_agent_is_the_same_run() {
    let name = |game, agent| experiment(game, &["random", agent], 2).run().id;
    assert_eq!(name("tictactoe", "level=4"), name("mnk:size=3x3,k=3", "level=4"));
    let level = open("tictactoe", None).unwrap().opponents().into_iter().find(|opponent| opponent.name == "level=4").unwrap();
    assert_eq!(name("tictactoe", "level=4"), name("tictactoe", &level.spec));
}

#[test]
fn the_counts_are_those_of_the_games() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("tictactoe", &["random", "mcts:sims=10", "mc:playouts=2"], 2).run();
    let results = play(&store, &run, 10);
    let games = games(&store, &run);
    let won = |agent: usize, seat: Player| {
        let mine = games.iter().filter(|game| game.agents[seat.index()] == agent);
        mine.filter(|game| game.outcome.winner == Some(seat)).count() as u64
    };
    for agent in 0..3 {
        let all = results.of(agent);
        assert_eq!(all.tally().games(), 40);
        for seat in Player::BOTH {
            assert_eq!(all[seat.index()].wins, won(agent, seat), "agent {agent}, {seat:?}");
        }
    }
    let by_first = games.iter().filter(|game| game.outcome.winner == Some(Player::First)).count() as u64;
    let drawn = games.iter().filter(|game| game.outcome.winner.is_none()).count() as u64;
    assert_eq!(results.by_seat(), [by_first, drawn, 60 - by_first - drawn]);
    let plies: usize = games.iter().map(|game| game.moves.len()).sum();
    assert_eq!(results.mean_plies(), Some(plies as f64 / 60.0));
    let distinct: HashSet<_> =
        games.iter().map(|game| (game.pairing(), game.moves.iter().map(|m| &m.text).collect::<Vec<_>>())).collect();
    assert!((results.redundancy() - (60 - distinct.len()) as f64 / 60.0).abs() < 1e-12);
}

#[test]
fn who_always_answers_alike_repeats_one_game_and_that_is_shown() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("connect-four", &["random", "mcts:sims=10"], 0).run();
    let results = play_with(&store, &FirstInList, &run, 10).unwrap();
    assert_eq!((results.redundancy(), results.redundancy_between([0, 1])), (19.0 / 20.0, 19.0 / 20.0));
}

#[test]
fn games_come_back_from_the_store_as_records_that_can_be_replayed() {
    let directory = Directory::new();
    let store = directory.store();
    let run = experiment("tuc-chess", &["random", "mcts:sims=5"], 2).run();
    play(&store, &run, 2);
    let records: Vec<GameRecord> = games(&store, &run).iter().map(|game| game.record(&run.experiment)).collect();
    assert_eq!(records.len(), 4);
    for record in &records {
        let session = replay(record).unwrap();
        assert_eq!(session.turn().result_word(), record.result);
        assert_eq!(session.points(), record.points);
        assert_eq!(session.why_over(), record.reason);
    }
    assert_eq!(records[0].seed, records[1].seed, "the luck of a pair");
    assert_eq!(Results::read(&store, Seats::Swapped, RunPrefix::all(&run.id)).unwrap().games(), 4);
}
