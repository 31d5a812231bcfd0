//! Verification of results: honest ones pass, and any change of an honest one is refused or harmless.

use std::time::Duration;

use plyground_core::{Limits, NoResources, Outcome, Player};
use plyground_match::{
    AgentFactory, Experiment, GameRow, Job, Refusal, Run, RunPrefix, Seats, is_reproducible, verify_games, verify_job,
    verify_same,
};
use proptest::prelude::*;

use crate::common::{Directory, all_jobs, experiment, play};

/// A change of the games of a job.
type Forgery<'a> = &'a dyn Fn(&mut Vec<GameRow>);

/// A run, its jobs, and the games of each of them as they were played.
struct Honest {
    run: Run,
    jobs: Vec<Job>,
    games: Vec<Vec<GameRow>>,
}

impl Honest {
    fn new(experiment: Experiment, pairs: u64) -> Self {
        let (run, directory) = (experiment.run(), Directory::new());
        let store = directory.store();
        play(&store, &run, pairs);
        let mut rows = Vec::new();
        store.games(RunPrefix::all(&run.id), |row| rows.push(row)).unwrap();
        let jobs = all_jobs(&run, pairs);
        let of_job = |job: &Job| rows.iter().filter(|row| row.job == job.id).cloned().collect();
        let games = jobs.iter().map(of_job).collect();
        Self { run, jobs, games }
    }

    fn verify(&self, job: usize, rows: &[GameRow]) -> Result<(), Refusal> {
        verify_games(&self.run.experiment, &AgentFactory::new(&NoResources), &self.jobs[job], rows)
    }

    /// The refusal of the first job's games after a change.
    fn refusal(&self, change: impl FnOnce(&mut Vec<GameRow>)) -> Refusal {
        let mut rows = self.games[0].clone();
        change(&mut rows);
        self.verify(0, &rows).unwrap_err()
    }
}

/// Games with points, chance, draws, one seat, and time limits.
fn honest_runs() -> Vec<Honest> {
    let two = ["random", "mcts:sims=10"];
    let fixed = Experiment { seats: Seats::Fixed, ..experiment("tictactoe", &two, 0) };
    let limits = Limits { time: Some(Duration::from_millis(20)), ..Limits::default() };
    let timed = Experiment { limits, clock: Some(Duration::from_secs(5)), ..experiment("clobber:size=4x4", &two, 1) };
    let points = Experiment { game_time: Some(Duration::from_millis(5)), ..experiment("tuc-chess:limit=40", &two, 2) };
    let games = ["tictactoe", "clobber:size=5x4", "tuc-chess:limit=30"];
    let plain = games.map(|game| experiment(game, &["random", "mcts:sims=10", "mc:playouts=2"], 2));
    plain.into_iter().chain([fixed, timed, points]).map(|experiment| Honest::new(experiment, 4)).collect()
}

#[test]
fn honest_results_and_jobs_pass() {
    for honest in honest_runs() {
        for (number, games) in honest.games.iter().enumerate() {
            assert_eq!(honest.verify(number, games), Ok(()), "{:?}", honest.run.experiment);
            assert_eq!(verify_job(&honest.run, &AgentFactory::new(&NoResources), &honest.jobs[number]), Ok(()));
            assert_eq!(verify_same(games, games), Ok(()));
        }
    }
}

#[test]
fn forged_jobs_are_refused() {
    let honest = Honest::new(experiment("tictactoe", &["random", "mcts:sims=10"], 2), 1);
    let refused = |change: &dyn Fn(&mut Job)| {
        let mut job = honest.jobs[0].clone();
        change(&mut job);
        let refusal = verify_job(&honest.run, &AgentFactory::new(&NoResources), &job).unwrap_err();
        assert!(!refusal.proof, "the worker has not made it: {refusal}");
        refusal.to_string()
    };
    assert_eq!(refused(&|job| job.agents = [999, 1000]), "agents: expected numbers below 2, found 999");
    assert!(refused(&|job| job.pair = u64::MAX).starts_with("job: expected"));
    assert!(refused(&|job| job.run = "another".to_owned()).starts_with("run: expected"));
    assert!(refused(&|job| job.opening = vec!["z9z9".to_owned()]).starts_with("opening: expected moves that the rules allow"));
}

#[test]
fn forged_results_are_refused_with_the_reason() {
    let honest = Honest::new(experiment("clobber:size=5x4", &["random", "mcts:sims=10"], 2), 2);
    let of_another_job: [(&str, Forgery<'_>); 8] = [
        ("number of games", &|rows| drop(rows.pop())),
        ("job", &|rows| rows[1].job = "another".to_owned()),
        ("pair", &|rows| rows[0].pair = (1 << 63) + 5),
        ("agents", &|rows| rows[0].agents = [999, 1000]),
        ("agents", &|rows| rows[1].agents = rows[0].agents),
        ("number in the pair", &|rows| rows.swap(0, 1)),
        ("length of the opening", &|rows| rows[0].opening = 0),
        ("opening", &|rows| rows[0].moves[0].text = "z9z9".to_owned()),
    ];
    for (part, change) in of_another_job {
        let refusal = honest.refusal(change);
        assert_eq!((refusal.part, refusal.proof), (part, false), "{refusal}");
    }
    let made_up: [(&str, Forgery<'_>); 12] = [
        ("moves", &|rows| rows[0].moves[2].text = "z9z9".to_owned()),
        ("movers", &|rows| rows[0].movers[2] = None),
        ("movers", &|rows| rows[0].movers[2] = Some(Player::Second)),
        ("number of movers", &|rows| rows[0].movers.truncate(1)),
        ("outcomes of chance", &|rows| rows[0].moves[2].chance = true),
        ("result", &|rows| rows[0].outcome.winner = rows[0].outcome.winner.map(Player::other)),
        ("result", &|rows| rows[0].outcome.margin += 1),
        ("reason", &|rows| rows[0].reason.push('!')),
        ("points", &|rows| rows[0].points = Some([3, 4])),
        ("fault", &|rows| rows[0].fault = Some("crashed".to_owned())),
        ("end", &|rows| {
            rows[0].moves.pop();
            rows[0].movers.pop();
        }),
        ("thinking time", &|rows| rows[0].moves[2].ms = Some(-1.0)),
    ];
    for (part, change) in made_up {
        let refusal = honest.refusal(change);
        assert_eq!((refusal.part, refusal.proof), (part, true), "{refusal}");
    }
    let words = honest.refusal(|rows| rows[0].moves[2].text = format!("z9\u{1b}[2J{}", "x".repeat(10_000))).to_string();
    assert!(words.len() < 300 && !words.contains('\u{1b}'), "{words}");
}

#[test]
fn outcomes_of_chance_are_those_of_the_seed() {
    let honest = Honest::new(experiment("tuc-chess:limit=30", &["random", "mcts:sims=10"], 2), 6);
    let mut tried = 0;
    for (number, games) in honest.games.iter().enumerate() {
        let row = &games[0];
        for place in (row.opening..row.moves.len()).filter(|&place| row.moves[place].chance) {
            // Another outcome that the rules allow there.
            let mut session = plyground_session::open(&honest.run.experiment.game, None).unwrap();
            row.moves[..place].iter().for_each(|played| drop(session.play(&played.text).unwrap()));
            for (outcome, _) in session.outcomes().into_iter().filter(|(outcome, _)| *outcome != row.moves[place].text) {
                let mut rows = games.clone();
                rows[0].moves[place].text = outcome;
                assert_eq!(honest.verify(number, &rows).unwrap_err().part, "moves");
                tried += 1;
            }
        }
    }
    assert!(tried > 0, "there was chance in it");
}

#[test]
fn a_fault_must_be_one_that_the_loser_can_have_made() {
    let honest = Honest::new(experiment("clobber:size=5x4", &["random", "mcts:sims=10"], 2), 1);
    let cut = |rows: &mut Vec<GameRow>, fault: &str, reason: &str, winner: Player| {
        let left = rows[0].opening;
        rows[0].moves.truncate(left);
        rows[0].movers.truncate(left);
        (rows[0].fault, rows[0].reason) = (Some(fault.to_owned()), reason.to_owned());
        rows[0].outcome = Outcome::win(winner);
    };
    let names = plyground_session::open("clobber:size=5x4", None).unwrap().info().players;
    let crashed = format!("{} crashed: it gave no reason", names[0]);
    let mut rows = honest.games[0].clone();
    // Two moves are the opening: the first player is to move, and has lost.
    cut(&mut rows, "crashed", &crashed, Player::Second);
    assert_eq!(honest.verify(0, &rows), Ok(()));
    assert_eq!(honest.refusal(|rows| cut(rows, "crashed", &crashed, Player::First)).part, "result");
    assert_eq!(honest.refusal(|rows| cut(rows, "crashed", "because", Player::Second)).part, "reason");
    assert_eq!(honest.refusal(|rows| cut(rows, "nonsense", &crashed, Player::Second)).part, "fault");
    let overran = format!("{} overran: late", names[0]);
    assert_eq!(honest.refusal(|rows| cut(rows, "overran", &overran, Player::Second)).part, "fault");
    // Played again, it comes out differently.
    assert_eq!(verify_same(&honest.games[0], &rows).unwrap_err().part, "moves");
}

#[test]
fn only_runs_without_clocks_are_reproducible() {
    let plain = experiment("tictactoe", &["random", "mcts:sims=10"], 0);
    assert!(is_reproducible(&plain));
    let limits = Limits { time: Some(Duration::from_secs(1)), ..Limits::default() };
    assert!(!is_reproducible(&Experiment { limits, ..plain.clone() }));
    assert!(!is_reproducible(&Experiment { clock: Some(Duration::from_secs(1)), ..plain }));
    assert!(!is_reproducible(&experiment("tictactoe", &["random", "mcts:time=10ms"], 0)));
}

/// A change of one field of one game.
#[derive(Clone, Debug)]
enum Change {
    Job(String),
    Pair(u64),
    Game(u8),
    Agents([usize; 2]),
    Winner(u8),
    Margin(i32),
    Reason(String),
    Fault(Option<String>),
    Points(Option<[i32; 2]>),
    Opening(usize),
    Text(usize, String),
    Chance(usize),
    Mover(usize, u8),
    Drop(usize),
    Twice(usize),
    Cut(usize),
    Swap(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let place = || 0..80_usize;
    let word = prop_oneof!["[a-h][1-8][a-h][1-8]", "[a-h][1-8]", "@.?", ".{0,6}"];
    let fault = prop_oneof!["crashed", "cheated", "overran", "stalled", ".{0,6}"];
    prop_oneof![
        ".{0,20}".prop_map(Change::Job),
        any::<u64>().prop_map(Change::Pair),
        any::<u8>().prop_map(Change::Game),
        any::<[usize; 2]>().prop_map(Change::Agents),
        (0..3_u8).prop_map(Change::Winner),
        any::<i32>().prop_map(Change::Margin),
        ".{0,20}".prop_map(Change::Reason),
        proptest::option::of(fault).prop_map(Change::Fault),
        any::<Option<[i32; 2]>>().prop_map(Change::Points),
        (0..100_usize).prop_map(Change::Opening),
        (place(), word).prop_map(|(place, word)| Change::Text(place, word)),
        place().prop_map(Change::Chance),
        (place(), 0..3_u8).prop_map(|(place, mover)| Change::Mover(place, mover)),
        place().prop_map(Change::Drop),
        place().prop_map(Change::Twice),
        place().prop_map(Change::Cut),
        (place(), place()).prop_map(|(one, other)| Change::Swap(one, other)),
    ]
}

fn player(number: u8) -> Option<Player> {
    [Some(Player::First), Some(Player::Second), None][usize::from(number)]
}

fn apply(row: &mut GameRow, change: Change) {
    let moves = row.moves.len();
    match change {
        Change::Job(job) => row.job = job,
        Change::Pair(pair) => row.pair = pair,
        Change::Game(game) => row.game = game,
        Change::Agents(agents) => row.agents = agents,
        Change::Winner(winner) => row.outcome.winner = player(winner),
        Change::Margin(margin) => row.outcome.margin = margin,
        Change::Reason(reason) => row.reason = reason,
        Change::Fault(fault) => row.fault = fault,
        Change::Points(points) => row.points = points,
        Change::Opening(opening) => row.opening = opening,
        Change::Text(place, text) => row.moves[place % moves].text = text,
        Change::Chance(place) => row.moves[place % moves].chance ^= true,
        Change::Mover(place, mover) => row.movers[place % moves] = player(mover),
        Change::Drop(place) => {
            row.moves.remove(place % moves);
            row.movers.remove(place % moves);
        }
        Change::Twice(place) => {
            row.moves.insert(place % moves, row.moves[place % moves].clone());
            row.movers.insert(place % moves, row.movers[place % moves]);
        }
        Change::Cut(place) => {
            row.moves.truncate(place % moves);
            row.movers.truncate(place % moves);
        }
        Change::Swap(one, other) => row.moves.swap(one % moves, other % moves),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// One change of one field: either the row is what it was, or it is refused. (A change that gives another legal game with the
    /// right result needs several changes at once, and is what the sample is for.)
    #[test]
    fn any_change_of_any_field_is_refused(run in 0..3_usize, job in 0..12_usize, game in 0..2_usize, change in change()) {
        static RUNS: std::sync::OnceLock<Vec<Honest>> = std::sync::OnceLock::new();
        let honest = &RUNS.get_or_init(honest_runs)[run];
        let job = job % honest.jobs.len();
        let mut rows = honest.games[job].clone();
        apply(&mut rows[game], change);
        if rows != honest.games[job] {
            // Another last move can end the game in the same way: then the result is the same.
            let results = |rows: &[GameRow]| rows.iter().map(|row| (row.outcome, row.points, row.agents)).collect::<Vec<_>>();
            if honest.verify(job, &rows).is_ok() {
                prop_assert_eq!(results(&rows), results(&honest.games[job]));
            }
        }
    }
}
