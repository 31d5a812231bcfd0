//! A player that crashes, cheats, stalls or is late loses that game, and the run goes on.

use std::time::Duration;

use plyground_core::{CancelToken, Clock, InputError, Limits, NoResources, Player, Resources, Seed};
use plyground_match::{AgentFactory, Experiment, Fault, MatchPlayer, PlayerFactory, Reply, RunError};
use plyground_session::Session;

use crate::common::{Directory, experiment, games, play_with};

/// Plays the first move in the list, or misbehaves as its name says.
struct Actor(&'static str);

/// More than is allowed and forgiven, by far.
const TOO_LONG: Duration = Duration::from_millis(600);

impl MatchPlayer for Actor {
    fn start(&mut self, _: &mut dyn Session, _: Seed) -> Result<(), InputError> {
        if self.0 == "unseated" { Err(InputError::malformed("agent", self.0, "it has no chair")) } else { Ok(()) }
    }

    fn choose(&mut self, session: &mut dyn Session, _: Limits, _: &dyn Clock, cancel: &CancelToken) -> Result<Reply, Fault> {
        let second_move = session.history().len() >= 2;
        match self.0 {
            "panics" if second_move => panic!("out of ideas"),
            "gives up" if second_move => return Err(Fault::Crashed("no move today".to_owned())),
            "silent" if second_move => return Err(Fault::Stalled("nothing was heard".to_owned())),
            "cheats" if second_move => return Ok(Reply { mv: session.history()[0].text.clone(), value: None }),
            "stuck" if second_move => while !cancel.is_cancelled() {},
            "late" if second_move => std::thread::sleep(TOO_LONG),
            _ => {}
        }
        Ok(Reply { mv: session.moves()[0].text.clone(), value: Some(0.25) })
    }
}

struct Actors;

impl PlayerFactory for Actors {
    fn player(&self, spec: &str) -> Result<Box<dyn MatchPlayer + '_>, InputError> {
        let names = ["plain", "panics", "gives up", "silent", "cheats", "late", "stuck", "unseated"];
        let name = names.into_iter().find(|name| *name == spec).expect("the names of this test");
        Ok(Box::new(Actor(name)))
    }

    fn resources(&self) -> &(dyn Resources + Sync) {
        &NoResources
    }
}

fn between(agents: &[&str]) -> Experiment {
    let agents = agents.iter().map(|&agent| agent.to_owned()).collect();
    Experiment { agents, ..experiment("connect-four", &["random", "mcts:sims=10"], 0) }
}

/// A match of a plain one against one that misbehaves: the word for it, and what the games say about it.
fn fault_of(mut settings: Experiment, pace: impl FnOnce(&mut Experiment)) -> (String, String) {
    pace(&mut settings);
    let directory = Directory::new();
    let store = directory.store();
    let run = settings.run();
    let results = play_with(&store, &Actors, &run, 2).unwrap();
    assert_eq!((results.pairs(), results.between([0, 1]).tally().wins), (2, 4), "the plain one wins all games");
    let games = games(&store, &run);
    for game in &games {
        let loser = if game.agents[0] == 1 { Player::First } else { Player::Second };
        assert_eq!(game.outcome.winner, Some(loser.other()));
        assert!(game.moves.len() >= 2, "what was played before is kept");
    }
    let faults: Vec<(usize, &str, u64)> = results.faults().collect();
    let [(1, word, 4)] = faults[..] else { panic!("expected 4 faults of agent 1, found {faults:?}") };
    (word.to_owned(), games[0].reason.clone())
}

#[test]
fn a_player_that_never_answers_is_cut_short() {
    let pace = |experiment: &mut Experiment| experiment.patience = Some(Duration::from_millis(30));
    let expected = ("stalled".to_owned(), "Red stalled: no answer within 0.030 s".to_owned());
    assert_eq!(fault_of(between(&["plain", "stuck"]), pace), expected);
}

#[test]
fn an_agent_that_thinks_for_hours_is_cut_short() {
    let directory = Directory::new();
    let store = directory.store();
    let mut settings = experiment("crosphere", &["random", "minimax:depth=30"], 0);
    settings.patience = Some(Duration::from_millis(50));
    let results = play_with(&store, &AgentFactory::new(&NoResources), &settings.run(), 1).unwrap();
    assert_eq!(results.faults().collect::<Vec<_>>(), [(1, "stalled", 2)]);
}

#[test]
fn each_fault_costs_the_game_and_is_counted_apart() {
    let cases = [
        ("panics", "crashed", "Red crashed: out of ideas"),
        ("gives up", "crashed", "Red crashed: no move today"),
        ("silent", "stalled", "Red stalled: nothing was heard"),
    ];
    for (name, word, reason) in cases {
        assert_eq!(fault_of(between(&["plain", name]), |_| {}), (word.to_owned(), reason.to_owned()));
    }
}

#[test]
fn an_illegal_move_is_cheating() {
    // A square that is taken; in Connect Four a file would only fill up.
    let agents = ["plain", "cheats"].map(str::to_owned).to_vec();
    let settings = Experiment { agents, ..experiment("tictactoe", &["random", "mcts:sims=10"], 0) };
    let (word, reason) = fault_of(settings, |_| {});
    assert_eq!(word, "cheated");
    assert!(reason.contains("cheated: illegal move 'a1'"), "{reason}");
}

#[test]
fn a_move_that_takes_too_long_loses() {
    let (word, reason) =
        fault_of(between(&["plain", "late"]), |settings| settings.limits.time = Some(Duration::from_millis(250)));
    assert_eq!(word, "overran");
    assert!(reason.contains("for a move, 0.250 s were allowed"), "{reason}");
}

#[test]
fn a_clock_that_runs_out_loses() {
    let (word, reason) = fault_of(between(&["plain", "late"]), |settings| settings.clock = Some(Duration::from_millis(250)));
    assert_eq!(word, "overran");
    assert!(reason.contains("for the game, 0.250 s were allowed"), "{reason}");
}

#[test]
fn faults_of_some_leave_the_games_of_the_others_alone() {
    let directory = Directory::new();
    let store = directory.store();
    let run = between(&["plain", "panics", "silent"]).run();
    let results = play_with(&store, &Actors, &run, 3).unwrap();
    assert_eq!(results.pairs(), 9);
    let faults: Vec<(usize, &str, u64)> = results.faults().collect();
    // Both misbehave on their second turn: the first player does so first.
    assert_eq!(faults, [(1, "crashed", 6 + 3), (2, "stalled", 6 + 3)]);
}

#[test]
fn agents_keep_to_a_clock() {
    let directory = Directory::new();
    let store = directory.store();
    let mut settings = experiment("tictactoe", &["mcts:sims=1000000", "mcts:sims=1000000,c=2"], 2);
    settings.clock = Some(Duration::from_millis(400));
    let run = settings.run();
    let results = play_with(&store, &AgentFactory::new(&NoResources), &run, 2).unwrap();
    assert_eq!((results.pairs(), results.faults().count()), (2, 0));
}

#[test]
fn a_contestant_that_cannot_be_seated_ends_the_run_with_a_reason() {
    let directory = Directory::new();
    let store = directory.store();
    let run = between(&["plain", "unseated"]).run();
    let error = play_with(&store, &Actors, &run, 2).unwrap_err();
    assert!(matches!(&error, RunError::Input(_)) && error.to_string().contains("it has no chair"), "{error}");
}
