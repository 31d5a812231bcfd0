//! What arrives from a queue: jobs, results, announcements, heartbeats, self-play games.

use std::io::Write as _;
use std::sync::LazyLock;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use plyground_cluster::fuzzing::{
    accepted_jobs, accepted_results, accepted_run, accepted_training, accepts_presence, jobs_message, received_game,
    results_message,
};
use plyground_core::{CancelToken, NoResources, Seed};
use plyground_match::{
    AgentFactory, Book, Experiment, GameRow, Job, Openings, ResultSink as _, Results, Run, RunDriver, RunPrefix, Store, Threads,
    csv, jobs as jobs_of, pairings, verify_games, verify_job,
};
use plyground_nets::{Batch, Size};
use plyground_session::replay;
use plyground_train::{TrainingPlan, self_play_game_bytes, trainable_game};

use crate::{choice, chosen};

/// A run of an honest coordinator with all its jobs and games: what is forged is forged for it.
struct Fixture {
    run: Run,
    jobs: Vec<Job>,
    games: Vec<Vec<GameRow>>,
}

const PAIRS: u64 = 2;

/// One in a game without chance, and one with.
static FIXTURES: LazyLock<[Fixture; 2]> =
    LazyLock::new(|| [fixture("tictactoe", "mcts:sims={4..6}"), fixture("tuc-chess:limit=6", "mc:playouts=2")]);

fn fixture(game: &str, agent: &str) -> Fixture {
    let agents = ["random".to_owned(), agent.to_owned()];
    let experiment = Experiment::new(game, &agents, &NoResources).expect("these are agents");
    let run = Experiment { openings: Openings::Random { plies: 2 }, ..experiment }.run();
    let players = AgentFactory::new(&NoResources);
    let store = Store::in_memory().expect("memory can be written to");
    let executor = Threads(1);
    RunDriver::new(&store, &run, &executor, &players).play_format(PAIRS).expect("honest agents play");
    let mut book = Book::new(&run.experiment, &players).expect("the run has openings");
    let pairings = pairings(run.experiment.format, agents.len());
    let jobs = jobs_of(&run, &mut book, &pairings, 0..PAIRS).expect("the run has jobs");
    let mut rows = Vec::new();
    store.games(RunPrefix::all(&run.id), |row| rows.push(row)).expect("memory can be read");
    let games = jobs.iter().map(|job| rows.iter().filter(|row| row.job == job.id).cloned().collect()).collect();
    Fixture { run, jobs, games }
}

/// The input as it is, or compressed: the fuzzer need not find out how to compress.
fn message(input: &[u8]) -> Option<Vec<u8>> {
    let (kind, rest) = choice(input, 2)?;
    if kind == 0 {
        return Some(rest.to_vec());
    }
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(rest).and_then(|()| packer.finish()).ok()
}

/// The same input in both ways.
fn both_ways(packed: &[u8]) -> [Vec<u8>; 2] {
    let mut text = Vec::new();
    let unpacked = std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(packed), &mut text);
    unpacked.expect("honest messages are compressed");
    [chosen(0, packed), chosen(1, text)]
}

/// Jobs are refused, or written again they are the same; those of a run are jobs that its coordinator has made.
pub fn jobs(input: &[u8]) -> bool {
    let Some(jobs) = message(input).and_then(|message| accepted_jobs(&message)) else { return false };
    let players = AgentFactory::new(&NoResources);
    for job in jobs.iter().take(4) {
        for Fixture { run, .. } in FIXTURES.iter() {
            if verify_job(run, &players, job).is_ok() {
                assert!(job.run == run.id && job.agents.iter().all(|&agent| agent < run.experiment.agents.len()));
                let _ = run.experiment.specs(job.agents, job.pair, 0);
            }
        }
    }
    true
}

pub fn job_seeds() -> Vec<Vec<u8>> {
    FIXTURES.iter().flat_map(|fixture| both_ways(&jobs_message(fixture.jobs.clone()))).collect()
}

/// Results are refused, or written again they are the same; those that fit their jobs and the rules can be kept, read and replayed.
pub fn results(input: &[u8]) -> bool {
    let Some(results) = message(input).and_then(|message| accepted_results(&message)) else { return false };
    for games in results.iter().take(4) {
        for fixture in FIXTURES.iter() {
            for job in fixture.jobs.iter().filter(|job| games.first().is_some_and(|game| game.job == job.id)) {
                let players = AgentFactory::new(&NoResources);
                if verify_games(&fixture.run.experiment, &players, job, games).is_ok() {
                    keep(fixture, games);
                }
            }
        }
    }
    true
}

/// Keeps verified games in a store, and reads them again.
fn keep(fixture: &Fixture, games: &[GameRow]) {
    let run = &fixture.run;
    let store = Store::in_memory().expect("memory can be written to");
    store.begin(run, "ply match", "a machine").expect("memory can be written to");
    store.request(&fixture.jobs).expect("memory can be written to");
    store.keep(&run.id, &[games.to_vec()]).expect("what was verified can be kept");
    let mut read = Vec::new();
    store.games(RunPrefix::all(&run.id), |row| read.push(row)).expect("what was kept can be read");
    // The store keeps times to the nanosecond.
    let mut expected = games.to_vec();
    for played in expected.iter_mut().flat_map(|row| &mut row.moves) {
        played.ms = played.ms.map(|ms| (ms * 1e6).round() / 1e6);
    }
    assert_eq!(read, expected, "what was kept is what was verified");
    let results = Results::read(&store, run.experiment.seats, RunPrefix::all(&run.id)).expect("what was kept can be read");
    assert_eq!(results.games(), games.len() as u64);
    csv(&store, run).expect("what was kept can be exported");
    for row in games.iter().filter(|row| row.fault.is_none()) {
        replay(&row.record(&run.experiment)).expect("what was verified keeps to the rules");
    }
}

pub fn result_seeds() -> Vec<Vec<u8>> {
    FIXTURES.iter().flat_map(|fixture| both_ways(&results_message(&fixture.games))).collect()
}

/// Announcements of runs and trainings, and heartbeats, are refused, or written again they are the same.
pub fn announcements(input: &[u8]) -> bool {
    let Some((kind, payload)) = choice(input, 3) else { return false };
    match kind {
        0 => accepted_run(payload).is_some(),
        1 => accepted_training(payload).is_some_and(|plan| {
            let _ = trainable_game(&plan.game, Some(&plan.encoder));
            true
        }),
        _ => accepts_presence(payload),
    }
}

pub fn announcement_seeds() -> Vec<Vec<u8>> {
    let hello = serde_json::json!({"version": "0.1.0", "rules": "0123456789abcdef", "speed": 1000.0});
    let run = serde_json::json!({"hello": hello, "experiment": FIXTURES[0].run.experiment});
    let plan = TrainingPlan::new("tictactoe", None, Size { channels: 4, blocks: 1 }).expect("it is a plan");
    let network = "0123456789abcdef".repeat(4);
    let training = serde_json::json!({"hello": hello, "training": "77-1", "plan": plan, "round": 1, "teaching": false,
        "network": network, "over": false});
    let presence = serde_json::json!({"worker": "Anna's laptop", "machine": "8 cores", "version": "0.1.0", "rules": "0123", "cores": 8,
        "speed": 1000.0, "jobs": 7, "retries": 0, "failed": 0, "lessons": 2});
    [run, training, presence].iter().enumerate().map(|(kind, value)| chosen(kind, value.to_string())).collect()
}

/// The games that self-play games are read for.
const LEARNT: [&str; 2] = ["tictactoe", "tuc-chess:limit=6"];

/// A self-play game is refused, or it was played by the rules, and every target of it can be learnt from.
pub fn lessons(input: &[u8]) -> bool {
    let Some((number, message)) = choice(input, LEARNT.len()) else { return false };
    let Some(lesson) = received_game(message) else { return false };
    let game = trainable_game(LEARNT[number], None).expect("networks can learn this game");
    if game.check(&lesson).is_err() {
        return false;
    }
    let mut batch = Batch::new(&game.architecture(Size { channels: 1, blocks: 1 }));
    for target in 0..lesson.targets.len() {
        let mut rng = Seed(target as u64).rng();
        game.fill(&lesson, target, 0.5, &mut rng, &mut batch).expect("what was accepted can be learnt from");
    }
    assert!((-1.0..=1.0).contains(&lesson.result));
    true
}

pub fn lesson_seeds() -> Vec<Vec<u8>> {
    let seed = |(number, game): (usize, &&str)| {
        let game = trainable_game(game, None).expect("networks can learn this game");
        let mut teacher = game.teacher("mcts:sims=8", 2, &NoResources).expect("it can teach");
        let played = (1..).find_map(|seed| teacher.play(Seed(seed), &CancelToken::new()).expect("it plays"));
        let mut message = 2_u64.to_le_bytes().to_vec();
        message.extend(self_play_game_bytes(&played.expect("one of them ends")));
        chosen(number, message)
    };
    LEARNT.iter().enumerate().map(seed).collect()
}
