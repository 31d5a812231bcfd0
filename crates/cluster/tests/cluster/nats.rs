//! Coordinators and workers through a real NATS server.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use plyground_cluster::{Access, Broker, Fleet, FleetView, NatsQueue, Presence, SelfPlayers, WorkerOptions, run_worker};
use plyground_core::{CancelToken, InputError, NoResources, Resources, Seed};
use plyground_match::{
    AgentFactory, AgentPlayer, Experiment, Lease, MatchPlayer, PlayerFactory, Queue, Results, Run, RunContext, RunDriver,
    RunError, RunPrefix, Store, Threads, Worker, WorkerConfig, work,
};
use plyground_nets::{Network, Size, weights};
use plyground_train::{End, Round, Training, TrainingObserver, TrainingPlan, TrainingStage, trainable_game};

use crate::common::{Directory, all_jobs, experiment, games, play};
use crate::server::Server;

/// Nothing here takes as long as this.
pub const PATIENCE: Duration = Duration::from_mins(2);

pub fn broker(server: &Server, lease: Duration) -> Arc<Broker> {
    Arc::new(Broker::connect(&Access { lease: Some(lease), ..Access::new(&server.url()) }).unwrap())
}

/// Lets a fleet play so many pairs, while others do what they do until that is over.
fn conducted(
    server: &Server,
    lease: Duration,
    (store, run, resources): (&Store, &Run, &(dyn Resources + Sync)),
    pairs: u64,
    others: &[&(dyn Fn(&CancelToken) + Sync)],
) -> (Results, bool) {
    let fleet = Fleet::new(broker(server, lease)).unwrap();
    let over = CancelToken::new();
    std::thread::scope(|scope| {
        for other in others {
            scope.spawn(|| other(&over));
        }
        let players = AgentFactory::of_run(resources, run);
        let driver = RunDriver::new(store, run, &fleet, &players).for_command("ply test");
        let played = driver.cancelled_by(&CancelToken::new().child_for(PATIENCE)).play_format(pairs);
        over.cancel();
        played.unwrap()
    })
}

/// A worker as `ply worker` starts one; what it was at the end.
fn worker(server: &Server, name: &str, cache: &Directory, over: &CancelToken) -> Result<Presence, RunError> {
    run_worker(&WorkerOptions {
        broker: Arc::new(Broker::connect(&Access::new(&server.url())).unwrap()),
        name: name.to_owned(),
        cores: 2,
        cache: cache.0.clone(),
        cancel: over,
        begun: &|_| {},
        told: &|_| {},
    })
}

#[test]
fn a_fleet_plays_the_same_games_as_one_computer() {
    let Some(server) = Server::start() else { return };
    let run = experiment("tuc-chess:limit=30", &["random", "mcts:sims=10", "mc:playouts=2"], 2).run();
    let (here, there, cache) = (Directory::new(), Directory::new(), Directory::new());
    play(&here.store(), &run, 20);
    let store = there.store();
    let done = Mutex::new(0);
    let work = |name: &str, over: &CancelToken| *done.lock().unwrap() += worker(&server, name, &cache, over).unwrap().jobs;
    let (results, complete) = conducted(
        &server,
        Duration::from_secs(5),
        (&store, &run, &NoResources),
        20,
        &[&|over| work("one", over), &|over| work("other", over)],
    );
    assert!(complete);
    assert_eq!((results.games(), store.done(RunPrefix::all(&run.id)).unwrap()), (120, 60));
    assert_eq!(games(&store, &run), games(&here.store(), &run));
    assert!(*done.lock().unwrap() >= 60);
    // Another coordinator, with a store of its own, finds all results in the stream, and no worker has to play.
    let again = Directory::new();
    let (_, complete) = conducted(&server, Duration::from_secs(5), (&again.store(), &run, &NoResources), 20, &[]);
    assert!(complete);
    assert_eq!(games(&again.store(), &run), games(&store, &run));
    // And without the server, the same command goes on here.
    let players = AgentFactory::of_run(&NoResources, &run);
    let (results, complete) = RunDriver::new(&store, &run, &Threads(2), &players).play_format(21).unwrap();
    assert!(complete && results.games() == 126);
}

/// Has never heard of one of the agents.
struct Ignorant;

impl PlayerFactory for Ignorant {
    fn player(&self, spec: &str) -> Result<Box<dyn MatchPlayer + '_>, InputError> {
        if spec == "mc:playouts=2" {
            return Err(InputError::malformed("agent", spec, "never heard of it"));
        }
        Ok(Box::new(AgentPlayer::new(spec, &NoResources)))
    }

    fn resources(&self) -> &(dyn Resources + Sync) {
        &NoResources
    }
}

#[test]
fn a_job_that_fails_five_times_is_recorded_and_the_run_ends() {
    let Some(server) = Server::start() else { return };
    let run = experiment("tictactoe", &["random", "mcts:sims=10", "mc:playouts=2"], 2).run();
    let directory = Directory::new();
    let store = directory.store();
    let ignorant = |over: &CancelToken| {
        let queue = NatsQueue::new(broker(&server, Duration::from_secs(5))).patient();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.is_cancelled() {
                    std::thread::sleep(Duration::from_millis(20));
                }
                queue.close();
            });
            let runs = RunContext { run: &run, players: &Ignorant, clock_speed: 1.0 };
            work(&WorkerConfig { sink: &queue, queue: &queue, runs: &runs, threads: 2, cancel: over, events: &|_| {} }).unwrap();
        });
    };
    let (results, complete) = conducted(&server, Duration::from_secs(5), (&store, &run, &NoResources), 3, &[&ignorant]);
    assert!(!complete, "not all was played");
    assert_eq!((results.games(), results.failures().len()), (6, 6), "{:?}", results.failures());
    assert!(results.failures().iter().all(|(_, error)| error.contains("never heard of it")), "{:?}", results.failures());
    // A worker that knows the agent plays the jobs when they are asked for again, and the failures are forgotten.
    let cache = Directory::new();
    let able = |over: &CancelToken| drop(worker(&server, "able", &cache, over).unwrap());
    let (results, complete) = conducted(&server, Duration::from_secs(5), (&store, &run, &NoResources), 3, &[&able]);
    assert_eq!((results.games(), results.failures().len(), complete), (18, 0, true));
}

#[test]
fn a_job_whose_workers_vanish_is_recorded_and_those_beside_it_are_done() {
    let Some(server) = Server::start() else { return };
    let run = experiment("tictactoe", &["random", "mcts:sims=10"], 2).run();
    let directory = Directory::new();
    let store = directory.store();
    let doomed = all_jobs(&run, 4)[2].id.clone();
    let doomed_too = doomed.clone();
    // The worker that takes this job vanishes; a new one comes each time.
    let mortal = |over: &CancelToken| {
        let broker = broker(&server, Duration::from_secs(1));
        let mut lives = 0;
        while !over.is_cancelled() {
            lives += 1;
            let (queue, name) = (NatsQueue::new(Arc::clone(&broker)), Worker(format!("life {lives}")));
            let Lease::Jobs(jobs) = queue.lease(&name, 1).unwrap() else {
                std::thread::sleep(Duration::from_millis(50));
                continue;
            };
            if jobs.iter().any(|job| job.id == doomed) {
                continue;
            }
            let once = OneLease { queue: &queue, jobs: Mutex::new(Some(jobs)) };
            let runs = RunContext { run: &run, players: &AgentFactory::new(&NoResources), clock_speed: 1.0 };
            work(&WorkerConfig {
                sink: &queue,
                queue: &once,
                runs: &runs,
                threads: 1,
                cancel: &CancelToken::new(),
                events: &|_| {},
            })
            .unwrap();
        }
    };
    let (results, complete) = conducted(&server, Duration::from_secs(1), (&store, &run, &NoResources), 4, &[&mortal]);
    assert!(!complete);
    assert_eq!(results.pairs(), 3);
    let [(job, error)] = results.failures() else { panic!("{:?}", results.failures()) };
    assert_eq!(*job, doomed_too);
    assert_eq!(error, "it was given out 5 times, and no worker came back with a result");
}

/// Taking many messages from such a server takes longer than their lease: the worker must not get them again and again instead of
/// playing, until they count as failed.
#[test]
fn a_server_that_is_slow_makes_nothing_fail() {
    let Some(server) = Server::start() else { return };
    let jobs = all_jobs(&experiment("tictactoe", &["random", "mcts:sims=10"], 2).run(), 8);
    NatsQueue::new(broker(&server, Duration::from_secs(1))).push(&jobs).unwrap();
    let far = server.far_away(Duration::from_millis(150));
    let queue = NatsQueue::new(Arc::new(Broker::connect(&Access::new(&far)).unwrap()));
    let (worker, over) = (Worker("one".to_owned()), CancelToken::new());
    let taken = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.is_cancelled() {
                std::thread::sleep(queue.heartbeat());
                queue.extend(&worker).unwrap();
            }
        });
        let mut taken = HashSet::new();
        loop {
            match queue.lease(&worker, 64).unwrap() {
                Lease::Done => break,
                Lease::Wait(time) => std::thread::sleep(time),
                Lease::Jobs(jobs) => {
                    queue.finish(&jobs).unwrap();
                    taken.extend(jobs.into_iter().map(|job| job.id));
                }
            }
        }
        over.cancel();
        taken
    });
    assert_eq!((taken.len(), queue.counts().failed.load(Ordering::Relaxed)), (jobs.len(), 0));
}

/// A queue that gives out jobs that are leased already.
struct OneLease<'a> {
    queue: &'a NatsQueue,
    jobs: Mutex<Option<Vec<plyground_match::Job>>>,
}

impl Queue for OneLease<'_> {
    fn push(&self, jobs: &[plyground_match::Job]) -> Result<usize, RunError> {
        self.queue.push(jobs)
    }
    fn lease(&self, _: &Worker, _: usize) -> Result<Lease, RunError> {
        Ok(self.jobs.lock().unwrap().take().map_or(Lease::Done, Lease::Jobs))
    }
    fn extend(&self, worker: &Worker) -> Result<(), RunError> {
        self.queue.extend(worker)
    }
    fn release(&self, worker: &Worker) -> Result<(), RunError> {
        self.queue.release(worker)
    }
    fn finish(&self, jobs: &[plyground_match::Job]) -> Result<(), RunError> {
        self.queue.finish(jobs)
    }
    fn fail(&self, job: &plyground_match::Job, error: RunError) -> Result<(), RunError> {
        self.queue.fail(job, error)
    }
    fn heartbeat(&self) -> Duration {
        self.queue.heartbeat()
    }
    fn batch(&self) -> Duration {
        self.queue.batch()
    }
}

/// One file, whatever it is called.
struct OneFile(Vec<u8>);

impl Resources for OneFile {
    fn read(&self, _: &str) -> Result<Vec<u8>, InputError> {
        Ok(self.0.clone())
    }
}

#[test]
fn networks_travel_by_their_hash_and_every_record_names_it() {
    let Some(server) = Server::start() else { return };
    let game = trainable_game("tictactoe", None).unwrap();
    let network = Network::new(game.architecture(Size { channels: 4, blocks: 1 }), Seed(1)).unwrap();
    let file = OneFile(weights::write(&game.header(&network), &network).unwrap());
    let run = Experiment::new("tictactoe", &["net:net=mine.safetensors".into(), "random".into()], &file).unwrap().run();
    let hash = run.experiment.files["mine.safetensors"].clone();
    let (directory, cache) = (Directory::new(), Directory::new());
    let store = directory.store();
    let work = |over: &CancelToken| drop(worker(&server, "one", &cache, over).unwrap());
    let (results, complete) = conducted(&server, Duration::from_secs(5), (&store, &run, &file), 3, &[&work]);
    assert!(complete && results.games() == 6);
    assert_eq!(std::fs::read(cache.0.join(&hash)).unwrap(), file.0);
    let mut records = Vec::new();
    store.games(RunPrefix::all(&run.id), |game| records.push(game.record(&run.experiment))).unwrap();
    assert!(records.iter().all(|record| record.tags["blake3 mine.safetensors"] == hash));
    // A file that was damaged on the way or on the disk is not used.
    std::fs::write(cache.0.join(&hash), b"something else").unwrap();
    let (results, complete) = conducted(&server, Duration::from_secs(5), (&store, &run, &file), 5, &[&work]);
    assert!(complete && results.games() == 10 && results.faults().count() == 0);
    assert_eq!(std::fs::read(cache.0.join(&hash)).unwrap(), file.0);
}

/// Does not look on.
pub struct Unobserved;

impl TrainingObserver for Unobserved {
    fn stage(&self, _: TrainingStage) {}
    fn round(&self, _: &Round) {}
}

#[test]
fn a_training_learns_from_what_workers_play_with_its_newest_network() {
    let Some(server) = Server::start() else { return };
    let plan = TrainingPlan {
        teacher: "mcts:sims=20".to_owned(),
        teacher_games: 20,
        round_games: 20,
        full: 16,
        fast: 8,
        batch: 16,
        window: 150,
        anchor_games: 0,
        ..TrainingPlan::new("tictactoe", None, Size { channels: 8, blocks: 1 }).unwrap()
    };
    let (directory, cache, over) = (Directory::new(), Directory::new(), CancelToken::new());
    let watching = broker(&server, Duration::from_secs(5));
    let view = FleetView::new(&watching).unwrap();
    let mut training = Training::begin(&directory.0.join("training"), plan, 1).unwrap();
    training.played_by(Box::new(SelfPlayers::new(broker(&server, Duration::from_secs(5))).unwrap()));
    let (seen, player) = std::thread::scope(|scope| {
        let player = scope.spawn(|| worker(&server, "player", &cache, &over));
        let trained =
            training.run(End::Rounds(4), "ply train", &NoResources, &CancelToken::new().child_for(PATIENCE), &Unobserved);
        // It has spoken before it sent its first game; what is heard of it is noted by another thread.
        let (mut seen, heard_for) = (view.workers(), Instant::now());
        while seen.is_empty() && heard_for.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(20));
            seen = view.workers();
        }
        // Before anything can fail: the scope would wait for ever for a worker that is not stopped.
        over.cancel();
        trained.unwrap();
        (seen, player.join().unwrap().unwrap())
    });
    let rounds = training.rounds();
    let games: Vec<(u64, bool)> = rounds.iter().map(|round| (round.games, round.taught)).collect();
    assert_eq!(games, [(20, true), (40, false), (60, false), (80, false)]);
    assert!(rounds[1..].iter().all(|round| round.judgements_per_second > 0.0), "the network has played: {rounds:?}");
    assert_eq!(seen.iter().map(|worker| (worker.worker.as_str(), worker.cores)).collect::<Vec<_>>(), [("player", 2)]);
    assert!(player.self_play_games >= 80);
    let kept = std::fs::read_dir(&cache.0).unwrap().count();
    assert!((1..=2).contains(&kept), "a network that is no longer the newest is forgotten: {kept}");
    // The last heartbeat of a worker removes it from every view, a moment later.
    let begun = Instant::now();
    while !view.workers().is_empty() {
        assert!(begun.elapsed() < PATIENCE, "{:?}", view.workers());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The server keeps messages in files of eight megabytes and drops those that it is done with. A coordinator that then hears that nothing of
/// its run is left sends everything again.
#[test]
fn what_is_queued_is_known_when_the_first_file_of_it_is_gone() {
    let Some(server) = Server::start() else { return };
    let run = experiment("tictactoe", &["random", "mcts:sims=5"], 1).run();
    let mut jobs = all_jobs(&run, 60);
    for job in &mut jobs {
        // Nothing that could be packed well, so that it takes room.
        let mut rng = Seed(job.pair).rng();
        job.opening = (0..60_000).map(|_| format!("{:08x}", rng.below(u32::MAX))).collect();
    }
    let queue = NatsQueue::new(broker(&server, Duration::from_mins(10)));
    assert_eq!(queue.push(&jobs).unwrap(), 60);
    assert_eq!(queue.messages(&run.id).unwrap(), 60);
    let mut done = 0;
    while done < 50 {
        let Lease::Jobs(jobs) = queue.lease(&Worker("one".to_owned()), 1).unwrap() else { continue };
        queue.finish(&jobs).unwrap();
        done += jobs.len();
    }
    assert_eq!(queue.messages(&run.id).unwrap(), 10);
    assert_eq!(queue.messages("another").unwrap(), 0);
}
