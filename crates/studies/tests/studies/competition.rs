//! Competitions: single games, limits of the agents' own, the time of a game, those who do not come, and pages.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use plyground_core::{CancelToken, Clock, InputError, Limits, NoResources, Player, Resources, Seed};
use plyground_match::{
    AgentFactory, Experiment, Fault, Format, GameNotice, MatchPlayer, PlayerFactory, Reply, Results, Run, RunDriver, RunEvent,
    Seats, Store, Threads, is_complete, rounds_so_far,
};
use plyground_session::Session;
use plyground_studies::competition::{Bout, Competition};
use plyground_studies::report::{Provenance, Report};

use crate::common::{Directory, experiment, games, play_with};

/// Plays the first move, and notes what it is told; some do not come, some are slow.
struct Guest<'a> {
    spec: String,
    notes: &'a Notes,
}

#[derive(Default)]
struct Notes {
    limits: Mutex<HashMap<String, Limits>>,
    heard: Mutex<Vec<String>>,
}

impl MatchPlayer for Guest<'_> {
    fn start(&mut self, _: &mut dyn Session, _: Seed) -> Result<(), InputError> {
        Ok(())
    }

    fn ready(&mut self, _: &dyn Session) -> Result<(), Fault> {
        if self.spec.starts_with("absent") { Err(Fault::Stalled("it is asleep".to_owned())) } else { Ok(()) }
    }

    fn choose(&mut self, session: &mut dyn Session, limits: Limits, _: &dyn Clock, _: &CancelToken) -> Result<Reply, Fault> {
        self.notes.limits.lock().unwrap().insert(self.spec.clone(), limits);
        if self.spec == "slow" {
            std::thread::sleep(Duration::from_millis(40));
        }
        Ok(Reply { mv: session.moves()[0].text.clone(), value: None })
    }

    fn notify(&mut self, session: &dyn Session, notice: GameNotice<'_>) {
        let word = match notice {
            GameNotice::Started => "begun".to_owned(),
            GameNotice::Moved => session.history().iter().rfind(|played| !played.chance).unwrap().text.clone(),
            GameNotice::Over(played) => played.outcome.word().to_owned(),
        };
        self.notes.heard.lock().unwrap().push(format!("{} {word}", self.spec));
    }
}

impl PlayerFactory for Notes {
    fn player(&self, spec: &str) -> Result<Box<dyn MatchPlayer + '_>, InputError> {
        Ok(Box::new(Guest { spec: spec.to_owned(), notes: self }))
    }

    fn resources(&self) -> &(dyn Resources + Sync) {
        &NoResources
    }
}

/// One game between these.
fn single(game: &str, agents: [&str; 2], change: impl FnOnce(&mut Experiment)) -> (Notes, Run, plyground_match::GameRow) {
    let mut settings = Experiment {
        agents: agents.map(str::to_owned).to_vec(),
        format: Format::Games { rounds: None, double: false },
        seats: Seats::Fixed,
        ..experiment(game, &["random", "mcts:sims=10"], 0)
    };
    change(&mut settings);
    let directory = Directory::new();
    let (store, notes, run) = (directory.store(), Notes::default(), settings.run());
    play_with(&store, &notes, &run, 1).unwrap();
    let game = games(&store, &run).remove(0);
    (notes, run, game)
}

#[test]
fn both_hear_of_every_move_the_first_one_first() {
    let (notes, _, game) = single("tictactoe", ["one", "two"], |_| {});
    let mut expected = vec!["begun".to_owned()];
    expected.extend(game.moves[..game.moves.len() - 1].iter().map(|played| played.text.clone()));
    expected.push(game.outcome.word().to_owned());
    let expected: Vec<String> = expected.iter().flat_map(|word| [format!("one {word}"), format!("two {word}")]).collect();
    assert_eq!(notes.heard.into_inner().unwrap(), expected);
}

#[test]
fn an_entrant_that_names_limits_keeps_to_them_if_that_is_wanted() {
    let time = Some(Duration::from_mins(1));
    for own_limits in [true, false] {
        let (notes, ..) = single("tictactoe", ["one:sims=5", "two"], |settings| {
            settings.limits.time = time;
            settings.own_limits = own_limits;
        });
        let told = notes.limits.into_inner().unwrap();
        assert_eq!((told["one:sims=5"].time, told["two"].time), (time.filter(|_| !own_limits), time));
    }
}

#[test]
fn when_the_time_of_both_is_over_the_points_decide() {
    let (_, _, game) = single("tuc-chess", ["slow", "two"], |settings| settings.game_time = Some(Duration::from_millis(100)));
    assert!(game.reason.starts_with("the time of the game, 0.100 s, is over; White "), "{}", game.reason);
    let [white, black] = game.points.unwrap();
    assert_eq!((game.outcome.margin, game.plies() >= 2, game.fault), (white - black, true, None));
}

#[test]
fn an_absent_client_loses_at_once_and_two_of_them_draw() {
    let (_, _, game) = single("tictactoe", ["one", "absent"], |_| {});
    assert_eq!(
        (game.outcome.winner, game.reason.as_str(), game.moves.len()),
        (Some(Player::First), "Noughts stalled: it is asleep", 0)
    );
    let (_, _, game) = single("tictactoe", ["absent", "absent too"], |_| {});
    assert_eq!((game.outcome.winner, game.fault, game.reason.as_str()), (None, None, "neither player was there"));
}

const SWISS: &str = "title = 'Five & <more>'\ngame = 'clobber:size=4x4'\nformat = 'swiss'\nrounds = 3\ndouble = true\n\
    [[entrant]]\nagent = 'random'\n[[entrant]]\nagent = 'mcts:sims=20'\n[[entrant]]\nagent = 'mcts:sims=40'\n\
    [[entrant]]\nagent = 'mcts:sims=60'\n[[entrant]]\nname = 'deep'\nagent = 'mcts:sims=80'\n";

/// The competition until so many moves are made.
fn driven(store: &Store, run: &Run, most: u32) -> (Results, bool) {
    let (moves, cancel) = (AtomicU32::new(0), CancelToken::new());
    let observer = |_: &Run, event: &RunEvent<'_>| {
        if matches!(event, RunEvent::MoveMade { .. }) && moves.fetch_add(1, Ordering::Relaxed) >= most {
            cancel.cancel();
        }
    };
    let players = AgentFactory::of_run(&NoResources, run);
    let driver = RunDriver::new(store, run, &Threads(2), &players).for_command("ply compete");
    driver.cancelled_by(&cancel).observed_by(&observer).play_format(1).unwrap()
}

#[test]
fn a_swiss_competition_rests_one_entrant_in_each_round_and_is_complete_after_the_last() {
    let directory = Directory::new();
    let store = directory.store();
    let competition = Competition::read(SWISS, &NoResources).unwrap();
    let run = competition.run(&NoResources).unwrap();
    let (results, complete) = driven(&store, &run, 30);
    assert!(!complete && results.games() < 12, "it was stopped after {} games", results.games());
    let row = store.find(&run.id).unwrap();
    assert!(!is_complete(&row, &results));
    let (results, complete) = driven(&store, &run, u32::MAX);
    assert_eq!((complete, results.games()), (true, 12));
    assert!(is_complete(&store.find(&run.id).unwrap(), &results));
    let rounds = rounds_so_far(&run.experiment, &results);
    assert_eq!(rounds.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4, 4]);
    let bouts: Vec<Bout> = games(&store, &run).iter().map(Bout::from).collect();
    let ranking = competition.ranking(&run, &results, &bouts);
    // Twelve games, and two points for each of the three who rested.
    assert_eq!(ranking.places.iter().map(|place| place.points).sum::<f64>(), 12.0 + 6.0);
    assert!(ranking.places.windows(2).all(|pair| pair[0].points >= pair[1].points));
    let provenance = Provenance { command: "ply compete five.toml", machine: "a machine", seconds: 1.0 };
    let page = Report::on_competition(&competition, &run, &bouts, &ranking, &provenance).html();
    for words in ["Five &amp; &lt;more&gt;", "deep", "buchholz", "12 games so far", &run.id] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("<more>"));
}
