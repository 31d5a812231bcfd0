//! Clients that lie: whatever they send, no file is touched, nothing forged counts, and workers and coordinators go on.

use std::io::{BufRead as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use plyground_cluster::{Access, Broker, Fleet, Handshake, RefusedResults, SelfPlayers, WorkerOptions, run_worker};
use plyground_core::{CancelToken, NoResources};
use plyground_match::{
    AgentFactory, Experiment, GameRow, Job, Results, Run, RunDriver, RunEvent, RunPrefix, Store, results_json,
};
use plyground_nets::Size;
use plyground_train::{End, Training, TrainingPlan};
use serde_json::{Value, json};

use crate::common::{Directory, all_jobs, experiment, games, play};
use crate::liar::{Liar, packed};
use crate::nats::{PATIENCE, Unobserved, broker};
use crate::server::Server;

const LEASE: Duration = Duration::from_secs(5);

/// Ends the workers of a test, also of one that fails.
pub struct AtTheEnd<'a>(pub &'a CancelToken);

impl Drop for AtTheEnd<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn wire_game(row: &GameRow) -> Value {
    let movers: String =
        row.movers.iter().map(|mover| mover.map_or('~', |player| if player.index() == 0 { '1' } else { '2' })).collect();
    json!({"job": row.job, "pair": row.pair, "number": row.game, "agents": row.agents, "winner": row.outcome.winner,
        "margin": row.outcome.margin, "reason": row.reason, "fault": row.fault, "points": row.points, "opening": row.opening,
        "moves": row.moves.iter().map(|played| &played.text).collect::<Vec<_>>(), "movers": movers,
        "ms": row.moves.iter().map(|played| played.ms).collect::<Vec<_>>(),
        "values": row.moves.iter().map(|played| played.value).collect::<Vec<_>>(), "ended": 0})
}

/// A result as a liar sends it.
pub fn forged(worker: &str, games: &[Value]) -> Value {
    json!({"worker": worker, "seconds": 0.1, "jobs": [games]})
}

/// Games with the one move z9z9, which the first agent wins.
pub fn nonsense(job: &Job) -> Vec<Value> {
    let game = |number: usize| {
        json!({"job": job.id, "pair": job.pair, "number": number, "agents": [number, 1 - number],
            "winner": if number == 0 { "first" } else { "second" }, "margin": 0, "reason": "", "fault": null, "points": null,
            "opening": 0, "moves": ["z9z9"], "movers": "1", "ms": [1.0], "values": [null], "ended": 0})
    };
    vec![game(0), game(1)]
}

/// The games of a run as one computer plays them.
fn alone(run: &Run, pairs: u64) -> (Vec<GameRow>, Vec<GameRow>) {
    let directory = Directory::new();
    let store = directory.store();
    play(&store, run, pairs);
    let mut rows = Vec::new();
    store.games(RunPrefix::all(&run.id), |row| rows.push(row)).unwrap();
    (games(&store, run), rows)
}

fn worker(server: &Server, name: &str, cache: &Directory, over: &CancelToken, told: &(dyn Fn(&str) + Sync)) {
    let broker = Arc::new(Broker::connect(&Access::new(&server.url())).unwrap());
    let options =
        WorkerOptions { broker, name: name.to_owned(), cores: 2, cache: cache.0.clone(), cancel: over, begun: &|_| {}, told };
    run_worker(&options).unwrap();
}

/// A run with one honest worker, after something was sent; what came of it.
struct Conducted {
    results: Results,
    complete: bool,
    refused: Vec<RefusedResults>,
    notes: Vec<String>,
    /// The refusals and bans that observers were told: worker, number of results or jobs, banned.
    told: Vec<(String, u64, bool)>,
}

fn conducted(server: &Server, store: &Store, run: &Run, pairs: u64, sample: f64) -> Conducted {
    let notes: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = Arc::clone(&notes);
    let fleet = Fleet::new(broker(server, LEASE)).unwrap().with_sample(sample);
    let fleet = fleet.telling(move |note| told.lock().unwrap().push(note.to_owned()));
    let (over, cache, told) = (CancelToken::new(), Directory::new(), Mutex::new(Vec::new()));
    let observer = |_: &Run, event: &RunEvent<'_>| match event {
        RunEvent::ResultsRefused { refused } => {
            told.lock().unwrap().push((refused.worker.clone(), refused.results, false));
        }
        RunEvent::WorkerBanned { refused, jobs } => told.lock().unwrap().push((refused.worker.clone(), *jobs, true)),
        _ => {}
    };
    let (results, complete) = std::thread::scope(|scope| {
        let _end = AtTheEnd(&over);
        scope.spawn(|| worker(server, "honest", &cache, &over, &|_| {}));
        let players = AgentFactory::of_run(&NoResources, run);
        let driver = RunDriver::new(store, run, &fleet, &players).for_command("ply test");
        let played = driver.cancelled_by(&CancelToken::new().child_for(PATIENCE)).observed_by(&observer).play_format(pairs);
        played.unwrap()
    });
    let notes = notes.lock().unwrap().clone();
    Conducted { results, complete, refused: fleet.refused(&run.id), notes, told: told.into_inner().unwrap() }
}

#[test]
fn forged_results_do_not_count_and_an_honest_worker_is_waited_for() {
    let Some(server) = Server::start() else { return };
    let run = experiment("clobber:size=4x4", &["random", "mcts:sims=50"], 0).run();
    drop(broker(&server, LEASE));
    let (jobs, mut liar) = (all_jobs(&run, 8), Liar::new(&server));
    for job in &jobs {
        liar.send_results(&run.id, &forged("liar", &nonsense(job)));
    }
    // Numbers out of range, in messages of their own.
    for (key, value) in [("pair", json!((1_u64 << 63) + 5)), ("agents", json!([999, 1000])), ("number", json!(7))] {
        let mut games = nonsense(&jobs[0]);
        for game in &mut games {
            game[key] = value.clone();
        }
        liar.send_results(&run.id, &forged("stranger", &games));
    }
    liar.publish(&format!("ply.results.{}", run.id), b"rubbish");
    let directory = Directory::new();
    let store = directory.store();
    let found = conducted(&server, &store, &run, 8, 0.0);
    assert!(found.complete && found.results.games() == 16);
    assert_eq!(games(&store, &run), alone(&run, 8).0);
    let by = |name: &str| found.refused.iter().find(|refused| refused.worker == name).cloned().unwrap_or_default();
    assert!(by("liar").banned && by("liar").results == 8, "{:?}", found.refused);
    assert!(by("liar").reason.contains("moves: expected moves that the rules allow"), "{:?}", found.refused);
    assert!(!by("stranger").banned && by("stranger").results >= 1, "{:?}", found.refused);
    assert!(by("").results >= 2, "unreadable: {:?}", found.refused);
    let last = found.notes.last().unwrap();
    assert!(last.contains("results were refused and do not count: 8 from liar (banned"), "{last}");
    // Every report of the run says so: events, results, and the store for those to come.
    assert!(found.told.contains(&("liar".to_owned(), 1, false)) && found.told.contains(&("liar".to_owned(), 8, false)));
    assert!(found.told.contains(&("liar".to_owned(), 0, true)), "{:?}", found.told);
    assert_eq!(found.results.refused(), found.refused);
    assert_eq!(store.refused(&run.id).unwrap(), found.refused);
    assert_eq!(results_json(&run, &found.results)["refused"]["most"][0]["worker"], "liar");
}

#[test]
fn messages_that_grow_are_not_unpacked() {
    let Some(server) = Server::start() else { return };
    let run = experiment("tictactoe", &["random", "mcts:sims=10"], 2).run();
    drop(broker(&server, LEASE));
    let mut liar = Liar::new(&server);
    let bomb = packed(&[b"{\"worker\":\"liar\",\"seconds\":1,\"jobs\":[".as_slice(), &b"[],".repeat(8 << 20), b"[]]}"].concat());
    assert!(bomb.len() < 1 << 20);
    for _ in 0..6 {
        liar.publish(&format!("ply.results.{}", run.id), &bomb);
    }
    let directory = Directory::new();
    let found = conducted(&server, &directory.store(), &run, 4, 0.0);
    assert!(found.complete && found.results.games() == 8);
    assert_eq!(found.refused[0].results, 6);
    assert!(found.refused[0].reason.contains("after decompression"), "{:?}", found.refused);
}

/// The same pairs as they were played in another run: legal here, too, but not the games of these agents.
fn of_another_run(run: &Run, pairs: std::ops::Range<u64>) -> Vec<Vec<Value>> {
    let (_, others) = alone(&Experiment { seed: 77, ..run.experiment.clone() }.run(), pairs.end);
    let jobs = all_jobs(run, pairs.end);
    let games = |job: &Job| {
        let of_pair = others.iter().filter(|row| row.pair == job.pair);
        of_pair.map(|row| wire_game(&GameRow { job: job.id.clone(), ..row.clone() })).collect::<Vec<Value>>()
    };
    jobs.iter().filter(|job| pairs.contains(&job.pair)).map(games).collect()
}

#[test]
fn a_ban_takes_back_what_the_worker_sent_to_earlier_coordinators_and_outlives_them() {
    let Some(server) = Server::start() else { return };
    let run = experiment("clobber:size=4x4", &["random", "mcts:sims=50"], 0).run();
    let (expected, _) = alone(&run, 12);
    drop(broker(&server, LEASE));
    let (mut liar, directory) = (Liar::new(&server), Directory::new());
    let store = directory.store();
    // Not found out: no sample is played again.
    for games in of_another_run(&run, 0..4) {
        liar.send_results(&run.id, &forged("liar", &games));
    }
    let found = conducted(&server, &store, &run, 4, 0.0);
    assert!(found.complete && found.refused.is_empty());
    assert!(games(&store, &run) != expected[..8]);
    assert_eq!(store.jobs_sent_by(&run.id, "liar").unwrap().len(), 4);
    // Found out by the next coordinator.
    liar.send_results(&run.id, &forged("liar", &nonsense(&all_jobs(&run, 8)[6])));
    let found = conducted(&server, &store, &run, 8, 0.0);
    assert!(found.complete && found.told.contains(&("liar".to_owned(), 4, true)), "{:?}", found.told);
    assert_eq!(games(&store, &run), expected[..16]);
    assert_eq!(found.results.games(), 16);
    assert!(store.check().unwrap().is_intact());
    // Not believed by the one after that, whatever it sends.
    for games in of_another_run(&run, 8..12) {
        liar.send_results(&run.id, &forged("liar", &games));
    }
    let found = conducted(&server, &store, &run, 12, 0.0);
    assert!(found.complete);
    assert_eq!(games(&store, &run), expected);
    let [liar] = found.results.refused() else { panic!("{:?}", found.results.refused()) };
    assert!(liar.banned && liar.worker == "liar" && liar.results >= 5, "{liar:?}");
}

#[test]
fn results_without_a_name_that_were_never_played_are_taken_back_too() {
    let Some(server) = Server::start() else { return };
    let run = experiment("clobber:size=4x4", &["random", "mcts:sims=50"], 0).run();
    let (expected, _) = alone(&run, 4);
    drop(broker(&server, LEASE));
    let (mut liar, directory) = (Liar::new(&server), Directory::new());
    for games in of_another_run(&run, 0..4) {
        liar.send_results(&run.id, &forged("", &games));
    }
    let store = directory.store();
    let found = conducted(&server, &store, &run, 4, 1.0);
    assert!(found.complete, "{:?}", found.notes);
    assert_eq!(games(&store, &run), expected);
    assert!(found.refused[0].banned && found.refused[0].worker.is_empty(), "{:?}", found.refused);
}

/// Asks the server something about its streams, and waits for the answer.
fn asked(liar: &mut Liar, subject: &str, question: &Value) -> Value {
    let payload = question.to_string();
    let wire = liar.0.get_mut();
    write!(wire, "SUB answer 1\r\nPUB {subject} answer {}\r\n{payload}\r\n", payload.len()).unwrap();
    let mut line = String::new();
    while !line.starts_with("MSG answer") {
        line.clear();
        assert!(liar.0.read_line(&mut line).unwrap() > 0, "the server has closed the connection");
    }
    let mut answer = String::new();
    liar.0.read_line(&mut answer).unwrap();
    write!(liar.0.get_mut(), "UNSUB 1\r\n").unwrap();
    serde_json::from_str(&answer).unwrap()
}

/// How long keys are kept, as the server says, in seconds.
fn kept_for(liar: &mut Liar) -> f64 {
    let info = asked(liar, "$JS.API.STREAM.INFO.KV_plyground", &json!({}));
    info["config"]["max_age"].as_f64().unwrap_or_else(|| panic!("{info}")) / 1e9
}

#[test]
fn keys_expire_on_a_new_server_and_on_one_where_an_older_program_has_made_them_for_ever() {
    let Some(server) = Server::start() else { return };
    let mut liar = Liar::new(&server);
    let old = json!({"name": "KV_plyground", "subjects": ["$KV.plyground.>"], "max_msgs_per_subject": 1, "discard": "new",
        "allow_rollup_hdrs": true, "deny_delete": true, "allow_direct": true, "storage": "file", "retention": "limits",
        "num_replicas": 1, "max_consumers": -1, "max_msgs": -1, "max_bytes": -1});
    let made = asked(&mut liar, "$JS.API.STREAM.CREATE.KV_plyground", &old);
    assert!(made.get("error").is_none(), "{made}");
    assert_eq!(kept_for(&mut liar), 0.0, "for ever");
    liar.set("run.old", &json!("of a coordinator that was killed a year ago"));
    let broker = broker(&server, LEASE);
    assert_eq!(kept_for(&mut liar), 60.0);
    assert_eq!(broker.announced("run.").unwrap(), ["run.old"], "until then it is there");
    // A server that loses its streams gets them again in the same way.
    let Some(server) = Server::start() else { return };
    drop(crate::nats::broker(&server, LEASE));
    assert_eq!(kept_for(&mut Liar::new(&server)), 60.0);
}

#[test]
fn a_coordinator_that_lives_sets_its_keys_again_before_they_expire() {
    let Some(server) = Server::start() else { return };
    let broker = broker(&server, LEASE);
    let run = experiment("tictactoe", &["random", "mcts:sims=10"], 2).run();
    let (directory, cancel) = (Directory::new(), CancelToken::new());
    let (store, fleet) = (directory.store(), Fleet::new(Arc::clone(&broker)).unwrap());
    std::thread::scope(|scope| {
        let _end = AtTheEnd(&cancel);
        scope.spawn(|| {
            let players = AgentFactory::of_run(&NoResources, &run);
            RunDriver::new(&store, &run, &fleet, &players).cancelled_by(&cancel).play_format(5).unwrap()
        });
        // No worker comes. The key is there, is taken away, and comes back.
        let is_there = |wanted: bool| {
            let begun = Instant::now();
            while broker.announced("run.").unwrap().contains(&format!("run.{}", run.id)) != wanted {
                assert!(begun.elapsed() < PATIENCE, "expected {wanted}");
                std::thread::sleep(Duration::from_millis(100));
            }
        };
        is_there(true);
        let mut liar = Liar::new(&server);
        let subject = format!("$KV.plyground.run.{}", run.id);
        asked(&mut liar, "$JS.API.STREAM.PURGE.KV_plyground", &json!({"filter": subject}));
        is_there(false);
        is_there(true);
    });
    // The run was stopped: it is not announced any more.
    assert!(broker.announced("run.").unwrap().is_empty());
}

/// Legal games with the right results, but not those of these agents.
#[test]
fn a_sample_finds_legal_games_that_were_never_played_and_all_of_their_sender_is_played_again() {
    let Some(server) = Server::start() else { return };
    let run = experiment("clobber:size=4x4", &["random", "mcts:sims=50"], 0).run();
    let (expected, _) = alone(&run, 6);
    drop(broker(&server, LEASE));
    let mut liar = Liar::new(&server);
    for games in of_another_run(&run, 0..6) {
        liar.send_results(&run.id, &forged("liar", &games));
    }
    let directory = Directory::new();
    let store = directory.store();
    let found = conducted(&server, &store, &run, 6, 1.0);
    assert!(found.complete, "{:?}", found.notes);
    assert_eq!(games(&store, &run), expected);
    let [liar] = &found.refused[..] else { panic!("{:?}", found.refused) };
    assert!(liar.banned && liar.worker == "liar" && liar.reason.contains("when it is played again"), "{liar:?}");
    // How many results had come before the first was played again depends on the machine.
    let banned = "the worker liar is banned from this run; its ";
    assert!(found.notes.iter().any(|note| note.contains(banned)), "{:?}", found.notes);
}

#[test]
fn what_another_coordinator_with_the_same_store_takes_back_is_played_again() {
    let Some(server) = Server::start() else { return };
    let run = experiment("clobber:size=4x4", &["random", "mcts:sims=50"], 0).run();
    let (expected, _) = alone(&run, 6);
    drop(broker(&server, LEASE));
    let mut liar = Liar::new(&server);
    for games in of_another_run(&run, 0..3) {
        liar.send_results(&run.id, &forged("liar", &games));
    }
    let (directory, cache, over) = (Directory::new(), Directory::new(), CancelToken::new());
    let (store, other) = (directory.store(), directory.store());
    let fleet = Fleet::new(broker(&server, LEASE)).unwrap().with_sample(0.0);
    let complete = std::thread::scope(|scope| {
        let _end = AtTheEnd(&over);
        let leader = scope.spawn(|| {
            let players = AgentFactory::of_run(&NoResources, &run);
            let driver = RunDriver::new(&store, &run, &fleet, &players).cancelled_by(&CancelToken::new().child_for(PATIENCE));
            driver.play_format(6).unwrap().1
        });
        let begun = Instant::now();
        let jobs = loop {
            let jobs = other.jobs_sent_by(&run.id, "liar").unwrap();
            if jobs.len() == 3 {
                break jobs;
            }
            assert!(begun.elapsed() < PATIENCE, "{jobs:?}");
            std::thread::sleep(Duration::from_millis(20));
        };
        // What an onlooker does that has played a sample again.
        other.retract(jobs.iter().map(|job| job.id.as_str())).unwrap();
        let caught = RefusedResults { worker: "liar".to_owned(), results: 1, reason: "other moves".to_owned(), banned: true };
        other.note_refused(&run.id, &[caught]).unwrap();
        scope.spawn(|| worker(&server, "honest", &cache, &over, &|_| {}));
        leader.join().unwrap()
    });
    assert!(complete);
    assert_eq!(games(&store, &run), expected);
    let refused = fleet.refused(&run.id);
    assert!(refused.len() == 1 && refused[0].banned && refused[0].worker == "liar", "{refused:?}");
    assert_eq!(store.refused(&run.id).unwrap(), refused);
}

/// Waits until a note is there.
pub fn wait_for(notes: &Mutex<Vec<String>>, words: &str) {
    let begun = Instant::now();
    while !notes.lock().unwrap().iter().any(|note| note.contains(words)) {
        assert!(begun.elapsed() < PATIENCE, "{words}: {:?}", notes.lock().unwrap());
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn hello() -> Value {
    serde_json::to_value(Handshake::of_this_machine().unwrap()).unwrap()
}

#[test]
fn a_worker_says_what_it_cannot_play_and_goes_on_with_other_runs() {
    let Some(server) = Server::start() else { return };
    drop(broker(&server, LEASE));
    let mut liar = Liar::new(&server);
    let strange = experiment("tictactoe", &["random", "mcts:sims=5"], 1).run();
    let old = json!({"version": "0.0.9", "rules": "0123456789abcdef", "speed": 1000.0});
    liar.set(&format!("run.{}", strange.id), &json!({"hello": old, "experiment": strange.experiment}));
    liar.set("run.rubbish", &json!("rubbish"));
    liar.set("run.other", &json!({"hello": hello(), "experiment": strange.experiment}));
    let files = json!({"x": "/dev/zero"});
    let mut hostile = serde_json::to_value(&strange.experiment).unwrap();
    hostile["files"] = files;
    let named: Experiment = serde_json::from_value(hostile.clone()).unwrap();
    let named = named.run().id;
    liar.set(&format!("run.{named}"), &json!({"hello": hello(), "experiment": hostile}));
    let plan = TrainingPlan::new("tictactoe", None, Size { channels: 4, blocks: 1 }).unwrap();
    let mut unknown = serde_json::to_value(&plan).unwrap();
    unknown["game"] = "no-such-game".into();
    let training = |name: &str, hello: &Value, plan: &Value| json!({"hello": hello, "training": name, "plan": plan, "round": 1, "teaching": true, "network": "0".repeat(64), "over": false});
    liar.set("train.unknown", &training("unknown", &hello(), &unknown));
    liar.set("train.old", &training("old", &old, &serde_json::to_value(&plan).unwrap()));
    // A job of the run of another version, and jobs that are none.
    let job = &all_jobs(&strange, 1)[0];
    liar.publish(&format!("ply.jobs.{}", strange.id), &packed(json!({"jobs": [job]}).to_string().as_bytes()));
    let run = experiment("tictactoe", &["random", "mcts:sims=10"], 2).run();
    let evil = Job { agents: [999, 1000], run: run.id.clone(), ..job.clone() };
    liar.publish(&format!("ply.jobs.{}", run.id), &packed(json!({"jobs": [evil]}).to_string().as_bytes()));
    liar.publish(&format!("ply.jobs.{}", run.id), b"rubbish");

    let (notes, over, cache, directory) =
        (Mutex::new(Vec::<String>::new()), CancelToken::new(), Directory::new(), Directory::new());
    let (store, ended) = (directory.store(), AtomicBool::new(false));
    let told = |note: &str| notes.lock().unwrap().push(note.to_owned());
    std::thread::scope(|scope| {
        let _end = AtTheEnd(&over);
        scope.spawn(|| {
            worker(&server, "one", &cache, &over, &told);
            ended.store(true, Ordering::Relaxed);
        });
        for words in [
            &*format!("the run {} cannot be played here and is left to other workers: ", strange.id),
            "expected version 0.0.9 with rules 0123456789abcdef, as the coordinator has; found version",
            "the run rubbish cannot be played here",
            "expected the settings of the run other",
            "expected a hash of 64 lowercase hexadecimal digits, found \"/dev/zero\"",
            "the training unknown cannot be played here",
            "the training old cannot be played here",
        ] {
            wait_for(&notes, words);
        }
        let fleet = Fleet::new(broker(&server, LEASE)).unwrap();
        let players = AgentFactory::of_run(&NoResources, &run);
        let driver = RunDriver::new(&store, &run, &fleet, &players).for_command("ply test");
        let (results, complete) = driver.cancelled_by(&CancelToken::new().child_for(PATIENCE)).play_format(5).unwrap();
        assert!(complete && results.games() == 10 && !ended.load(Ordering::Relaxed));
    });
    let notes = notes.lock().unwrap();
    assert_eq!(
        notes.iter().filter(|note| note.starts_with(&format!("the run {} ", strange.id))).count(),
        1,
        "it is told once: {notes:?}"
    );
}

#[test]
fn no_announcement_names_a_file_of_a_worker() {
    let Some(server) = Server::start() else { return };
    drop(broker(&server, LEASE));
    let (mut liar, directory, cache) = (Liar::new(&server), Directory::new(), Directory::new());
    let precious = directory.0.join("precious.txt");
    std::fs::write(&precious, "precious").unwrap();
    // A file in the cache that this worker has not written.
    let kept = cache.0.join("1".repeat(64));
    std::fs::write(&kept, "kept").unwrap();
    let plan = serde_json::to_value(TrainingPlan::new("tictactoe", None, Size { channels: 4, blocks: 1 }).unwrap()).unwrap();
    let announced = |round: u64, network: &str| {
        json!({"hello": hello(), "training": "evil-1", "plan": plan, "round": round, "teaching": true, "network": network,
            "over": false})
    };
    let over = CancelToken::new();
    std::thread::scope(|scope| {
        scope.spawn(|| worker(&server, "one", &cache, &over, &|_| {}));
        let played = |liar: &mut Liar, round: u64, network: &str| {
            liar.set("train.evil-1", &announced(round, network));
            std::thread::sleep(Duration::from_secs(1));
        };
        played(&mut liar, 1, precious.to_str().unwrap());
        played(&mut liar, 2, &"1".repeat(64));
        played(&mut liar, 3, &"2".repeat(64));
        played(&mut liar, 4, "../precious.txt");
        played(&mut liar, 5, &"3".repeat(64));
        over.cancel();
    });
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "precious");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "kept");
}

#[test]
fn forged_lessons_are_dropped_and_the_learner_goes_on() {
    let Some(server) = Server::start() else { return };
    let plan = TrainingPlan {
        teacher: "mcts:sims=20".to_owned(),
        teacher_games: 10,
        round_games: 10,
        batch: 16,
        window: 150,
        anchor_games: 0,
        ..TrainingPlan::new("tictactoe", None, Size { channels: 4, blocks: 1 }).unwrap()
    };
    let (directory, cache, over) = (Directory::new(), Directory::new(), CancelToken::new());
    let notes: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = Arc::clone(&notes);
    let players = SelfPlayers::new(broker(&server, LEASE)).unwrap();
    let players = players.telling(move |note| told.lock().unwrap().push(note.to_owned()));
    let mut training = Training::begin(&directory.0.join("training"), plan, 1).unwrap();
    training.played_by(Box::new(players));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // To every training that is announced: lessons of round 1 with the teacher, with a move that is not there, with a result of
            // 59,999 and with a policy of zeros.
            let watcher = broker(&server, LEASE);
            let mut liar = Liar::new(&server);
            let begun = Instant::now();
            let name = loop {
                let page = watcher.announced("train.").unwrap();
                if let Some(key) = page.first() {
                    break key.trim_start_matches("train.").to_owned();
                }
                assert!(begun.elapsed() < PATIENCE);
                std::thread::sleep(Duration::from_millis(20));
            };
            let lesson = |numbers: &[u16]| {
                let mut bytes = 3_u64.to_le_bytes().to_vec();
                bytes.extend(0_u64.to_le_bytes());
                for number in numbers {
                    bytes.extend(number.to_le_bytes());
                }
                bytes
            };
            for bytes in [
                lesson(&[1, 59_999, 1, 1, 0, 9, 0, 32_768, 1, 0, 65_535]),
                lesson(&[0, 60_000, 1, 0, 9, 1, 65_535, 1, 0, 65_535]),
                lesson(&[0, 2, 1, 0, 9, 1, 65_535, 2, 0, 0, 1, 0]),
                b"rubbish".to_vec(),
            ] {
                liar.publish(&format!("ply.lessons.{name}"), &bytes);
            }
            worker(&server, "honest", &cache, &over, &|_| {});
        });
        let trained =
            training.run(End::Rounds(2), "ply train", &NoResources, &CancelToken::new().child_for(PATIENCE), &Unobserved);
        over.cancel();
        trained.unwrap();
    });
    assert_eq!(training.rounds().iter().map(|round| round.games).collect::<Vec<_>>(), [10, 20]);
    drop(training);
    let notes = notes.lock().unwrap();
    assert!(notes.iter().any(|note| note.contains("a self-play game is refused and not learnt from: ")), "{notes:?}");
    assert!(notes.iter().any(|note| note.contains("4 self-play games were refused")), "{notes:?}");
}
