//! Servers with roles, as `ply queue init` sets them up: each client can do what its role is for, and the server refuses all else.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::jetstream::stream::Config;
use async_nats::{Client, ConnectOptions, Event, ServerError};
use futures_util::StreamExt as _;
use plyground_cluster::{
    Access, Broker, Fleet, FleetWatch, QueueFiles, QueueSetup, RoleCredentials, SelfPlayers, WorkerOptions, run_worker,
};
use plyground_core::{CancelToken, NoResources, Resources, Seed};
use plyground_match::{AgentFactory, Experiment, Results, Run, RunDriver, Store};
use plyground_nets::{Network, Size, weights};
use plyground_train::{End, Training, TrainingPlan, trainable_game};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::common::{Directory, all_jobs, experiment, games, play};
use crate::hostile::{AtTheEnd, forged, nonsense};
use crate::liar::packed;
use crate::nats::{OneFile, PATIENCE, Unobserved};
use crate::server::{Server, free_port};

const STREAMS: [&str; 5] = ["PLY_JOBS", "PLY_RESULTS", "PLY_LESSONS", "KV_plyground", "OBJ_plyground"];

/// A server with roles, and the files of its clients.
struct RoleQueue {
    files: QueueFiles,
    folder: Directory,
    // Stopped before its folder is deleted.
    _server: Server,
}

fn set_up(folder: &Path, port: u16, workers: Option<u32>) -> QueueFiles {
    QueueSetup { folder: folder.to_owned(), hosts: vec!["127.0.0.1".to_owned()], port, workers }.write().unwrap()
}

impl RoleQueue {
    fn new(workers: Option<u32>) -> Option<Self> {
        let (folder, port) = (Directory::new(), free_port());
        let files = set_up(&folder.0, port, workers);
        let server = Server::configured(&files.configuration, port)?;
        Some(Self { files, folder, _server: server })
    }

    fn coordinator(&self) -> Arc<Broker> {
        Arc::new(Broker::connect(&Access { lease: Some(Duration::from_secs(5)), ..access(&self.files.coordinator) }).unwrap())
    }

    /// A client of NATS with the file of a role, and what the server refused it.
    async fn raw(&self, file: &Path) -> RawClient {
        let text = fs::read_to_string(file).unwrap();
        let value = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(&format!("{key} = "))).unwrap();
            line.split('"').nth(1).unwrap().to_owned()
        };
        let (url, name, refused) = (value("urls"), value("name"), Arc::<Mutex<Vec<String>>>::default());
        let heard = Arc::clone(&refused);
        let options = ConnectOptions::new()
            .nkey(value("seed"))
            .add_root_certificates(self.folder.0.join("ca.pem"))
            .custom_inbox_prefix(format!("_INBOX.{name}"))
            .request_timeout(Some(Duration::from_secs(5)))
            .event_callback(move |event| {
                if let Event::ServerError(ServerError::Other(words)) = event {
                    heard.lock().unwrap().push(words);
                }
                async {}
            });
        RawClient { client: options.connect(url).await.unwrap(), refused }
    }
}

fn access(file: &Path) -> Access {
    Access::of_role(RoleCredentials::read(file).unwrap())
}

/// A client that does what it likes.
struct RawClient {
    client: Client,
    refused: Arc<Mutex<Vec<String>>>,
}

impl RawClient {
    /// Waits until the server has refused this in words.
    async fn is_refused(&self, words: &str) {
        let begun = Instant::now();
        while !self.refused.lock().unwrap().iter().any(|refused| refused.to_lowercase().contains(words)) {
            assert!(begun.elapsed() < PATIENCE, "{words}: {:?}", self.refused.lock().unwrap());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn cannot_publish(&self, subject: &str) {
        self.client.publish(subject.to_owned(), "{}".into()).await.unwrap();
        self.is_refused(&format!("Publish to \"{subject}\"").to_lowercase()).await;
    }

    async fn cannot_subscribe(&self, subject: &str) {
        let _messages = self.client.subscribe(subject.to_owned()).await.unwrap();
        self.is_refused(&format!("Subscription to \"{subject}\"").to_lowercase()).await;
    }

    /// The answer to a request that is allowed.
    async fn request(&self, subject: &str, payload: Value) -> Value {
        let answer = self.client.request(subject.to_owned(), payload.to_string().into()).await.unwrap();
        serde_json::from_slice(&answer.payload).unwrap()
    }
}

/// A worker as `ply worker FILE` starts one: before the first coordinator, it waits.
fn worker(file: &Path, name: &str, cache: &Directory, over: &CancelToken) {
    let broker = loop {
        if let Some(broker) = Broker::try_connect(&access(file)).unwrap() {
            break broker;
        }
        if over.is_cancelled() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    run_worker(&WorkerOptions {
        broker: Arc::new(broker),
        name: name.to_owned(),
        cores: 2,
        cache: cache.0.clone(),
        cancel: over,
        begun: &|_| {},
        told: &|note| panic!("{note}"),
    })
    .unwrap();
}

fn conducted(fleet: &Fleet, (store, run, resources): (&Store, &Run, &(dyn Resources + Sync)), pairs: u64) -> (Results, bool) {
    let players = AgentFactory::of_run(resources, run);
    let driver = RunDriver::new(store, run, fleet, &players).for_command("ply test");
    driver.cancelled_by(&CancelToken::new().child_for(PATIENCE)).play_format(pairs).unwrap()
}

#[test]
fn a_whole_run_with_roles_is_that_of_one_computer() {
    let Some(queue) = RoleQueue::new(Some(2)) else { return };
    let run = experiment("clobber:size=4x4", &["random", "mcts:sims=50"], 2).run();
    let (here, there, caches, over) =
        (Directory::new(), Directory::new(), [Directory::new(), Directory::new()], CancelToken::new());
    play(&here.store(), &run, 20);
    let store = there.store();
    assert!(Broker::try_connect(&access(&queue.files.onlooker)).unwrap().is_none(), "no coordinator was there");
    let error = Broker::connect(&access(&queue.files.workers[0])).err().unwrap().to_string();
    assert!(error.contains("the queue is not prepared"), "{error}");
    std::thread::scope(|scope| {
        let _end = AtTheEnd(&over);
        for (number, cache) in caches.iter().enumerate() {
            let (file, over) = (&queue.files.workers[number], &over);
            scope.spawn(move || worker(file, &format!("laptop-{number}"), cache, over));
        }
        let fleet = Fleet::new(queue.coordinator()).unwrap();
        let watch = FleetWatch::new(Broker::connect(&access(&queue.files.onlooker)).unwrap().into()).unwrap();
        let (results, complete) = conducted(&fleet, (&store, &run, &NoResources), 20);
        assert!(complete && results.games() == 40 && fleet.refused(&run.id).is_empty());
        // What an onlooker sees: the workers, under the names that the server vouches for.
        let begun = Instant::now();
        let names =
            |page: &Value| page["workers"].as_array().unwrap().iter().map(|one| one["worker"].to_string()).collect::<Vec<_>>();
        let page = loop {
            let page = watch.page().unwrap();
            if names(&page).len() == 2 {
                break page;
            }
            assert!(begun.elapsed() < PATIENCE, "{page}");
            std::thread::sleep(Duration::from_millis(20));
        };
        assert_eq!(names(&page), ["\"worker-1/laptop-0\"", "\"worker-2/laptop-1\""]);
        assert_eq!(page["queued"], 0);
    });
    assert_eq!(games(&store, &run), games(&here.store(), &run));
}

#[test]
fn networks_and_trainings_travel_with_roles_and_workers_may_share_a_file() {
    let Some(queue) = RoleQueue::new(None) else { return };
    let game = trainable_game("tictactoe", None).unwrap();
    let network = Network::new(game.architecture(Size { channels: 32, blocks: 4 }), Seed(1)).unwrap();
    let file = OneFile(weights::write(&game.header(&network), &network).unwrap());
    assert!(file.0.len() > 1 << 18, "more than one chunk: {}", file.0.len());
    let run = Experiment::new("tictactoe", &["net:net=mine.safetensors".into(), "random".into()], &file).unwrap().run();
    let plan = TrainingPlan {
        teacher: "mcts:sims=20".to_owned(),
        teacher_games: 10,
        round_games: 10,
        full: 8,
        fast: 4,
        batch: 16,
        window: 150,
        anchor_games: 0,
        ..TrainingPlan::new("tictactoe", None, Size { channels: 4, blocks: 1 }).unwrap()
    };
    let (directory, caches, over) = (Directory::new(), [Directory::new(), Directory::new()], CancelToken::new());
    let mut training = Training::begin(&directory.0.join("training"), plan, 1).unwrap();
    let fleet = Fleet::new(queue.coordinator()).unwrap();
    std::thread::scope(|scope| {
        let _end = AtTheEnd(&over);
        for (number, cache) in caches.iter().enumerate() {
            let (file, over) = (&queue.files.workers[0], &over);
            scope.spawn(move || worker(file, &format!("laptop-{number}"), cache, over));
        }
        let (results, complete) = conducted(&fleet, (&directory.store(), &run, &file), 3);
        assert!(complete && results.games() == 6 && results.faults().count() == 0);
        training.played_by(Box::new(SelfPlayers::new(queue.coordinator()).unwrap()));
        let cancel = CancelToken::new().child_for(PATIENCE);
        training.run(End::Rounds(2), "ply train", &NoResources, &cancel, &Unobserved).unwrap();
        let names: Vec<String> = fleet.view().workers().into_iter().map(|worker| worker.worker).collect();
        assert_eq!(names, ["laptop-0", "laptop-1"]);
    });
    assert_eq!(training.rounds().iter().map(|round| round.games).collect::<Vec<_>>(), [10, 20]);
}

/// The subjects that workers and onlookers have no business with.
fn forbidden() -> Vec<String> {
    let mut subjects: Vec<String> = STREAMS
        .iter()
        .flat_map(|stream| {
            ["DELETE", "PURGE", "UPDATE", "CREATE", "MSG.DELETE", "SNAPSHOT"].map(|act| format!("STREAM.{act}.{stream}"))
        })
        .chain(STREAMS.iter().map(|stream| format!("CONSUMER.CREATE.{stream}")))
        .chain(
            [
                "CONSUMER.DURABLE.CREATE.PLY_JOBS.mine",
                "CONSUMER.DURABLE.CREATE.PLY_JOBS.workers",
                "CONSUMER.DELETE.PLY_JOBS.workers",
                "CONSUMER.MSG.NEXT.PLY_RESULTS.mine",
                "STREAM.MSG.GET.PLY_RESULTS",
                "DIRECT.GET.PLY_RESULTS",
                "STREAM.NAMES",
                "STREAM.LIST",
                "INFO",
            ]
            .map(str::to_owned),
        )
        // As the coordinator's account has them, and as they are imported.
        .flat_map(|request| [format!("$JS.API.{request}"), format!("ply.api.{request}")])
        .collect();
    subjects.extend(
        [
            "ply.jobs.run",
            "ply.end.run",
            "ply.roll-call",
            "ply.results.run",
            "ply.results.worker-2.run",
            "ply.results.coordinator.run",
            "ply.workers",
            "ply.workers.worker-2",
            "$KV.plyground.run.run",
            "$KV.plyground.lead.run",
            "$KV.plyground.train.evil",
            "$O.plyground.C.evil",
            "$O.plyground.M.evil",
            "_INBOX.coordinator.evil",
            "_INBOX.worker-2.evil",
            "$JS.ACK.PLY_RESULTS.mine.1.1.1.1.1",
            "$SYS.REQ.SERVER.PING",
            "$SYS.REQ.ACCOUNT.PLY.CONNZ",
        ]
        .map(str::to_owned),
    );
    subjects
}

const UNHEARD: [&str; 9] = [
    ">",
    "_INBOX.>",
    "_INBOX.coordinator.>",
    "_INBOX.worker-2.>",
    "ply.results.>",
    "ply.jobs.*",
    "$KV.plyground.>",
    "$JS.API.>",
    "$SYS.>",
];

/// The number of messages of each stream, as the coordinator sees it.
async fn contents(coordinator: &RawClient) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    for stream in STREAMS {
        let info = coordinator.request(&format!("$JS.API.STREAM.INFO.{stream}"), json!({})).await;
        found.push((stream.to_owned(), info["state"]["messages"].as_u64().unwrap()));
    }
    found
}

/// A worker's client and the coordinator's, with messages in every stream.
async fn filled(queue: &RoleQueue) -> (RawClient, RawClient) {
    let (coordinator, worker) = (queue.raw(&queue.files.coordinator).await, queue.raw(&queue.files.workers[0]).await);
    let store = json!({"name": "OBJ_plyground", "subjects": ["$O.plyground.C.>", "$O.plyground.M.>"], "storage": "file",
        "retention": "limits", "allow_direct": true});
    let made = coordinator.request("$JS.API.STREAM.CREATE.OBJ_plyground", store).await;
    assert_eq!(made["config"]["name"], "OBJ_plyground", "{made}");
    for subject in ["ply.jobs.run", "$KV.plyground.run.run", "$KV.plyground.lead.run", "$O.plyground.C.file"] {
        assert!(coordinator.request(subject, json!("there")).await["seq"].is_u64(), "{subject}");
    }
    for subject in ["ply.results.worker-1.run", "ply.lessons.training"] {
        assert!(worker.request(subject, json!("there")).await["seq"].is_u64(), "{subject}");
    }
    (coordinator, worker)
}

#[test]
fn a_worker_can_do_nothing_but_work() {
    let Some(queue) = RoleQueue::new(Some(2)) else { return };
    drop(queue.coordinator());
    Runtime::new().unwrap().block_on(async {
        let (coordinator, worker) = filled(&queue).await;
        let before = contents(&coordinator).await;
        for subject in forbidden() {
            worker.cannot_publish(&subject).await;
        }
        for subject in UNHEARD.into_iter().chain(["ply.workers.*"]) {
            worker.cannot_subscribe(subject).await;
        }
        assert_eq!(contents(&coordinator).await, before);
        let job = worker.request("ply.api.STREAM.INFO.PLY_JOBS", json!({})).await;
        assert_eq!(job["state"]["messages"], 1, "what it needs, it can read: {job}");
    });
}

/// A server sends the answer to a request to any subject that the request names. In the account of the coordinator such an answer would
/// be the new value of a key, or the end of a run.
#[test]
fn a_worker_has_no_answer_sent_where_it_may_not_publish() {
    let Some(queue) = RoleQueue::new(Some(2)) else { return };
    drop(queue.coordinator());
    Runtime::new().unwrap().block_on(async {
        let (coordinator, worker) = filled(&queue).await;
        let mut before = contents(&coordinator).await;
        for target in
            ["$KV.plyground.lead.run", "$KV.plyground.run.run", "ply.jobs.run", "ply.results.worker-2.run", "$O.plyground.C.file"]
        {
            for request in
                ["ply.results.worker-1.run", "ply.api.STREAM.INFO.PLY_JOBS", "ply.api.CONSUMER.MSG.NEXT.PLY_JOBS.workers"]
            {
                worker.client.publish_with_reply(request, target, "{}".into()).await.unwrap();
            }
        }
        worker.client.flush().await.unwrap();
        // Its own results, with a reply each.
        let results = before.iter_mut().find(|(stream, _)| stream == "PLY_RESULTS").unwrap();
        results.1 += 5;
        let begun = Instant::now();
        while contents(&coordinator).await != before {
            assert!(begun.elapsed() < Duration::from_secs(20), "{before:?} {:?}", contents(&coordinator).await);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let lead = json!({"last_by_subj": "$KV.plyground.lead.run"});
        let lead = coordinator.request("$JS.API.STREAM.MSG.GET.KV_plyground", lead).await;
        assert_eq!(lead["message"]["data"], "InRoZXJlIg==", "{lead}");
    });
}

#[test]
fn an_onlooker_can_change_nothing() {
    let Some(queue) = RoleQueue::new(Some(2)) else { return };
    drop(queue.coordinator());
    Runtime::new().unwrap().block_on(async {
        let (coordinator, _worker) = filled(&queue).await;
        let onlooker = queue.raw(&queue.files.onlooker).await;
        let before = contents(&coordinator).await;
        let of_workers = [
            "ply.results.onlooker.run",
            "ply.results.worker-1.run",
            "ply.workers.onlooker",
            "ply.workers.worker-1",
            "ply.lessons.training",
            "$JS.ACK.PLY_JOBS.workers.1.1.1.1.1",
            "ply.api.CONSUMER.MSG.NEXT.PLY_JOBS.workers",
            "ply.api.STREAM.MSG.GET.KV_plyground",
            "ply.api.STREAM.MSG.GET.OBJ_plyground",
        ];
        for subject in forbidden().into_iter().chain(of_workers.map(str::to_owned)) {
            onlooker.cannot_publish(&subject).await;
        }
        for subject in UNHEARD.into_iter().chain(["ply.end.*", "$KV.plyground.train.*"]) {
            onlooker.cannot_subscribe(subject).await;
        }
        assert_eq!(contents(&coordinator).await, before);
        let jobs = onlooker.request("ply.api.STREAM.INFO.PLY_JOBS", json!({})).await;
        assert_eq!(jobs["state"]["messages"], 1, "{jobs}");
    });
}

#[test]
fn a_coordinator_deletes_no_stream_and_makes_no_other() {
    let Some(queue) = RoleQueue::new(Some(2)) else { return };
    drop(queue.coordinator());
    Runtime::new().unwrap().block_on(async {
        let (coordinator, _worker) = filled(&queue).await;
        for stream in STREAMS {
            coordinator.cannot_publish(&format!("$JS.API.STREAM.DELETE.{stream}")).await;
        }
        for subject in ["$JS.API.STREAM.CREATE.MINE", "ply.results.worker-1.run", "$SYS.REQ.SERVER.PING"] {
            coordinator.cannot_publish(subject).await;
        }
    });
}

#[test]
fn a_liar_lies_in_its_own_name_and_returned_jobs_go_to_others() {
    let Some(queue) = RoleQueue::new(Some(2)) else { return };
    let run = experiment("clobber:size=4x4", &["random", "mcts:sims=50"], 0).run();
    let (here, there, cache, over) = (Directory::new(), Directory::new(), Directory::new(), CancelToken::new());
    play(&here.store(), &run, 8);
    let fleet = Fleet::new(queue.coordinator()).unwrap().with_sample(0.0);
    let subject = format!("ply.results.worker-1.{}", run.id);
    let runtime = Runtime::new().unwrap();
    let liar = runtime.block_on(queue.raw(&queue.files.workers[0]));
    let store = there.store();
    std::thread::scope(|scope| {
        let _end = AtTheEnd(&over);
        scope.spawn(|| {
            runtime.block_on(async {
                // A message with jobs is taken and returned, as by a program that cannot play them; another one is answered with a lie.
                let taken = take_jobs(&liar).await;
                let ids: Vec<&str> = taken["jobs"].as_array().unwrap().iter().map(|job| job["id"].as_str().unwrap()).collect();
                let returned = json!({"worker": "worker-2/x", "seconds": 0.0, "jobs": [], "returned": ids});
                publish(&liar, &subject, &returned).await;
                for job in &all_jobs(&run, 8) {
                    publish(&liar, &subject, &forged("worker-2", &nonsense(job))).await;
                }
            });
            worker(&queue.files.workers[1], "honest", &cache, &over);
        });
        let (results, complete) = conducted(&fleet, (&store, &run, &NoResources), 8);
        assert!(complete && results.games() == 16);
    });
    assert_eq!(games(&store, &run), games(&here.store(), &run));
    let refused = fleet.refused(&run.id);
    assert!(refused.iter().all(|refused| refused.worker == "worker-1" && refused.banned) && refused.len() == 1, "{refused:?}");
}

async fn publish(client: &RawClient, subject: &str, results: &Value) {
    let payload = packed(results.to_string().as_bytes());
    client.client.request(subject.to_owned(), payload.into()).await.unwrap();
}

/// The next message with jobs, acknowledged at once.
async fn take_jobs(client: &RawClient) -> Value {
    loop {
        let inbox = client.client.new_inbox();
        let mut delivered = client.client.subscribe(inbox.clone()).await.unwrap();
        let wanted = json!({"batch": 1, "expires": 2_000_000_000_u64}).to_string();
        client.client.publish_with_reply("ply.api.CONSUMER.MSG.NEXT.PLY_JOBS.workers", inbox, wanted.into()).await.unwrap();
        let message = tokio::time::timeout(PATIENCE, delivered.next()).await.unwrap().unwrap();
        // Without one, it says that there are no jobs yet.
        let Some(reply) = message.reply else { continue };
        client.client.request(reply, "+ACK".into()).await.unwrap();
        let mut text = String::new();
        let mut unpacked = flate2::read::ZlibDecoder::new(&message.payload[..]);
        std::io::Read::read_to_string(&mut unpacked, &mut text).unwrap();
        return serde_json::from_str(&text).unwrap();
    }
}

#[test]
fn files_of_other_queues_and_of_strangers_open_no_door() {
    let Some(queue) = RoleQueue::new(None) else { return };
    let other = Directory::new();
    let url = access(&queue.files.coordinator).url;
    let port = url.rsplit(':').next().unwrap().parse().unwrap();
    let strangers = set_up(&other.0, port, None);
    let refused = |access: &Access| {
        let error = Broker::connect(access).err().unwrap_or_else(|| panic!("{access:?} was let in")).to_string();
        assert!(error.contains("127.0.0.1"), "{error}");
        error
    };
    // Another authority.
    for file in [&strangers.coordinator, &strangers.workers[0], &strangers.onlooker] {
        let error = refused(&access(file));
        assert!(error.to_lowercase().contains("certificate"), "{error}");
    }
    // The right authority, and a key that the server does not know.
    let certificate = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        text[text.find("authority").unwrap()..].to_owned()
    };
    let stranger = fs::read_to_string(&strangers.coordinator).unwrap();
    let forged = stranger.replace(&certificate(&strangers.coordinator), &certificate(&queue.files.coordinator));
    let file = other.0.join("forged.queue");
    fs::write(&file, forged).unwrap();
    let error = refused(&access(&file));
    assert!(error.contains("authorization violation"), "{error}");
    // No key at all, with and without TLS.
    refused(&Access::new(&url.replace("tls://", "nats://")));
    refused(&Access { authority: Some(queue.folder.0.join("ca.pem")), ..Access::new(&url) });
    // A worker's file with the words changed to those of a coordinator is still that of a worker.
    let promoted = fs::read_to_string(&queue.files.workers[0]).unwrap();
    fs::write(&file, promoted.replace("role = \"worker\"", "role = \"coordinator\"")).unwrap();
    refused(&access(&file));
}

#[test]
fn secrets_are_for_their_owner_and_nothing_is_replaced() {
    let folder = Directory::new();
    let files = set_up(&folder.0, 4222, Some(3));
    assert_eq!(files.workers.len(), 3);
    let all: Vec<PathBuf> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(all.len(), 9, "{all:?}");
    for file in &all {
        let text = fs::read_to_string(file).unwrap();
        let secret = text.contains("PRIVATE KEY") || text.contains("seed = \"SU");
        let public = ["ca.pem", "server.pem", "nats-server.conf"].iter().any(|name| file.ends_with(name));
        assert_eq!(secret, !public, "{}", file.display());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(file).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode == 0o600, secret, "{}: {mode:o}", file.display());
        }
    }
    let before: Vec<String> = all.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let again = QueueSetup { folder: folder.0.clone(), hosts: vec!["localhost".to_owned()], port: 1, workers: None };
    let error = again.write().unwrap_err().to_string();
    assert!(error.contains("it is there already and is not replaced"), "{error}");
    // One file that is there is enough, and then none is written.
    fs::remove_file(&files.configuration).unwrap();
    assert!(again.write().is_err() && !files.configuration.exists());
    let kept: Vec<String> = all.iter().filter(|file| file.exists()).map(|file| fs::read_to_string(file).unwrap()).collect();
    assert!(kept.len() == 8 && kept.iter().all(|text| before.contains(text)));
    for host in ["", "a b", "host:4222"] {
        let elsewhere = QueueSetup { folder: folder.0.join("new"), hosts: vec![host.to_owned()], port: 1, workers: None };
        assert!(elsewhere.write().is_err() && !folder.0.join("new").exists(), "{host}");
    }
}

/// A server without accounts, whose keys an older program has made: they stayed for ever, and locked workers of newer programs out.
#[test]
fn keys_of_an_older_program_get_an_end() {
    let Some(server) = Server::start() else { return };
    let runtime = Runtime::new().unwrap();
    let jetstream = runtime.block_on(async { async_nats::jetstream::new(async_nats::connect(server.url()).await.unwrap()) });
    runtime.block_on(async {
        let old = Config {
            name: "KV_plyground".to_owned(),
            subjects: vec!["$KV.plyground.>".to_owned()],
            max_messages_per_subject: 1,
            allow_direct: true,
            ..Config::default()
        };
        jetstream.create_stream(old).await.unwrap();
        let key = "$KV.plyground.run.old";
        jetstream.publish(key, "{\"hello\": {\"version\": \"0.0.9\"}}".into()).await.unwrap().await.unwrap();
    });
    let broker = Arc::new(Broker::connect(&Access::new(&server.url())).unwrap());
    let age = runtime.block_on(async { jetstream.get_stream("KV_plyground").await.unwrap().cached_info().config.max_age });
    assert_eq!(age, Duration::from_mins(1));
    // Until then a new worker says that it cannot play that run, and works for others.
    let (notes, cache, over, directory) = (Mutex::new(Vec::new()), Directory::new(), CancelToken::new(), Directory::new());
    let run = experiment("tictactoe", &["random", "mcts:sims=10"], 2).run();
    std::thread::scope(|scope| {
        let _end = AtTheEnd(&over);
        scope.spawn(|| {
            let told = |note: &str| notes.lock().unwrap().push(note.to_owned());
            let name = "new".to_owned();
            let broker = Arc::new(Broker::connect(&Access::new(&server.url())).unwrap());
            let cache = cache.0.clone();
            run_worker(&WorkerOptions { broker, name, cores: 1, cache, cancel: &over, begun: &|_| {}, told: &told }).unwrap();
        });
        let (results, complete) = conducted(&Fleet::new(broker).unwrap(), (&directory.store(), &run, &NoResources), 3);
        assert!(complete && results.games() == 6);
    });
    let notes = notes.into_inner().unwrap();
    assert!(matches!(&notes[..], [note] if note.contains("the run old cannot be played here")), "{notes:?}");
}

/// A coordinator sets its keys again and again while it is there, and takes them back at its end.
#[test]
fn the_keys_of_a_run_are_there_for_as_long_as_its_coordinator() {
    let Some(queue) = RoleQueue::new(Some(1)) else { return };
    let run = experiment("tictactoe", &["random", "mcts:sims=10"], 2).run();
    let fleet = Fleet::new(queue.coordinator()).unwrap();
    let (directory, stop, runtime) = (Directory::new(), CancelToken::new().child_for(PATIENCE), Runtime::new().unwrap());
    let raw = runtime.block_on(queue.raw(&queue.files.coordinator));
    let revision = |key: &str| {
        let wanted = json!({"last_by_subj": format!("$KV.plyground.{key}.{}", run.id)});
        runtime.block_on(raw.request("$JS.API.STREAM.MSG.GET.KV_plyground", wanted))["message"]["seq"].as_u64()
    };
    let later_than = |key: &str, before: Option<u64>| {
        let begun = Instant::now();
        loop {
            match revision(key) {
                Some(found) if Some(found) > before => return Some(found),
                _ => assert!(begun.elapsed() < PATIENCE, "{key} is as it was"),
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    std::thread::scope(|scope| {
        let _end = AtTheEnd(&stop);
        let store = directory.store();
        let coordinator = scope.spawn({
            let (fleet, run, stop) = (&fleet, &run, &stop);
            move || {
                let players = AgentFactory::of_run(&NoResources, run);
                let driver = RunDriver::new(&store, run, fleet, &players).for_command("ply test");
                driver.cancelled_by(stop).play_format(2).unwrap().1
            }
        });
        for key in ["run", "lead"] {
            let first = later_than(key, None);
            later_than(key, first);
        }
        stop.cancel();
        assert!(!coordinator.join().unwrap(), "it was stopped");
    });
    assert_eq!((revision("run"), revision("lead")), (None, None));
}
