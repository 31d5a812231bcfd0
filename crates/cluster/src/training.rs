//! Distributed self-play: one learner, many actors.
//!
//! The learner announces the newest network; workers load it between games and publish their games. Any game of the newest network is
//! as good as any other, so there are no jobs and no leases: a worker that vanishes has only played fewer games.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::OrderedConfig;
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _};
use plyground_core::sync::lock;
use plyground_core::{AgentError, CancelToken, NoResources, Seed};
use plyground_match::RunError;
use plyground_nets::weights;
use plyground_train::{
    RemoteActors, SelfPlayActor, SelfPlayGame, SelfPlayRequest, TrainingPlan, self_play_game_bytes, self_play_game_from,
    trainable_game,
};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::broker::{Broker, KEY_REFRESH};
use crate::files::Cache;
use crate::handshake::Handshake;
use crate::names::{ContentHash, SubjectName};
use crate::worker::Notes;

/// The subject of the announcements of learners.
pub(super) const TRAINING_SUBJECT: &str = "$KV.plyground.train.*";
/// The pause of a worker before it looks for a training again.
const IDLE: Duration = Duration::from_millis(200);
/// The interval at which the learner reads its token.
const TICK: Duration = Duration::from_millis(200);
/// The largest share of a round's games that may come from the network of the round before: workers play on while the learner learns.
const STALE_SHARE: f64 = 0.5;

/// The time without an announcement after which a learner counts as gone.
const SILENCE: Duration = Duration::from_mins(1);
/// The time after which a training that could not be played is tried again.
const TRY_AGAIN: Duration = Duration::from_secs(30);
/// The most trainings that a worker knows of, and the largest announcement in bytes.
const MOST_TRAININGS: usize = 100;
const LARGEST_ANNOUNCEMENT: usize = 1 << 16;
/// Games that wait to be checked.
const WAITING: usize = 32;

/// The newest state of a training, as its learner announces it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct TrainingAnnouncement {
    #[serde(rename = "hello")]
    handshake: Handshake,
    training: SubjectName,
    pub(super) plan: TrainingPlan,
    round: u64,
    teaching: bool,
    /// The hash of the newest network.
    network: ContentHash,
    over: bool,
}

impl TrainingAnnouncement {
    /// An announcement from a message; `None` if it is malformed, or asks for more than a training does.
    pub(super) fn read(payload: &[u8]) -> Option<Self> {
        const MOST_SIMULATIONS: u32 = 1_000_000;
        const MOST_RANDOM_PLIES: u32 = 10_000;
        let read: Self = (payload.len() <= LARGEST_ANNOUNCEMENT).then(|| serde_json::from_slice(payload).ok())??;
        let plan = &read.plan;
        let possible = plan.version == TrainingPlan::VERSION
            && (1..=MOST_SIMULATIONS).contains(&plan.full)
            && (1..=MOST_SIMULATIONS).contains(&plan.fast)
            && plan.random_plies <= MOST_RANDOM_PLIES
            && u32::try_from(read.round).is_ok();
        possible.then_some(read)
    }
}

fn key_of(training: &SubjectName) -> String {
    format!("train.{training}")
}

pub(super) fn games_of(training: &SubjectName) -> String {
    format!("ply.lessons.{training}")
}

/// The workers at a queue as self-play actors of one training.
pub struct SelfPlayers {
    broker: Arc<Broker>,
    handshake: Handshake,
    training: SubjectName,
    /// The place in the stream up to which games were read.
    read: AtomicU64,
    /// The hashes of the newest networks, the newest last.
    networks: Mutex<Vec<ContentHash>>,
    /// What was announced last.
    announced: Arc<Mutex<Option<TrainingAnnouncement>>>,
    /// Announces it again and again: the server forgets what a learner that is gone has announced.
    refresher: tokio::task::JoinHandle<()>,
    /// The number of games that were refused.
    refused: AtomicU64,
    tell: Box<dyn Fn(&str) + Send + Sync>,
}

impl SelfPlayers {
    /// Actors for a training that begins or goes on.
    pub fn new(broker: Arc<Broker>) -> Result<Self, RunError> {
        let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
        let training = format!("{}-{now:x}", std::process::id()).parse();
        let training: SubjectName = training.expect("two numbers with a hyphen are a name");
        let announced: Arc<Mutex<Option<TrainingAnnouncement>>> = Arc::default();
        let handshake = Handshake::of_this_machine()?;
        let refresher = broker.spawn(refresh(Arc::clone(&broker), key_of(&training), Arc::clone(&announced)));
        Ok(Self {
            broker,
            handshake,
            training,
            read: AtomicU64::new(0),
            networks: Mutex::default(),
            announced,
            refresher,
            refused: AtomicU64::new(0),
            tell: Box::new(|_| {}),
        })
    }

    /// The same with notes about refused games given to this function.
    #[must_use]
    pub fn telling(mut self, tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.tell = Box::new(tell);
        self
    }

    /// The number of games that were refused: malformed, illegal, or with targets that no search can have.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    fn refuse(&self, reason: &str) {
        if self.refused.fetch_add(1, Ordering::Relaxed) == 0 {
            (self.tell)(&format!("a self-play game is refused and not learnt from: {reason}"));
        }
    }

    fn announce(&self, wanted: &SelfPlayRequest<'_>, give_up: &(dyn Fn() -> bool + Sync)) -> Result<(), RunError> {
        let announcement = TrainingAnnouncement {
            handshake: self.handshake.clone(),
            training: self.training.clone(),
            plan: wanted.plan.clone(),
            round: wanted.round,
            teaching: wanted.teaching,
            network: self.newest(wanted.file)?,
            over: false,
        };
        *lock(&self.announced) = Some(announcement.clone());
        let key = key_of(&self.training);
        self.broker.wait(self.broker.retry(give_up, || self.broker.set(&key, &announcement, None))).map(drop)
    }

    /// Uploads a network. Workers may still be downloading the one before it; older ones are deleted.
    fn newest(&self, file: &[u8]) -> Result<ContentHash, RunError> {
        let hash = self.broker.put_file(file)?;
        let mut networks = lock(&self.networks);
        if networks.last() != Some(&hash) {
            networks.push(hash.clone());
        }
        while networks.len() > 2 {
            self.broker.drop_file(&networks.remove(0));
        }
        Ok(hash)
    }

    /// A channel of all games that arrive, each with its place in the stream.
    fn follow(&self) -> (mpsc::Receiver<(u64, Vec<u8>)>, tokio::task::JoinHandle<()>) {
        let (sender, receiver) = mpsc::channel(WAITING);
        let (broker, subject) = (Arc::clone(&self.broker), games_of(&self.training));
        let mut next = self.read.load(Ordering::Relaxed) + 1;
        let task = self.broker.spawn(async move {
            while !sender.is_closed() {
                let read = async {
                    let config = OrderedConfig {
                        filter_subject: subject.clone(),
                        deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: next },
                        ..OrderedConfig::default()
                    };
                    let mut messages = broker.self_play.create_consumer(config).await?.messages().await?;
                    while let Some(message) = messages.try_next().await? {
                        next = message.info()?.stream_sequence + 1;
                        if sender.send((next - 1, message.payload.to_vec())).await.is_err() {
                            break;
                        }
                    }
                    Ok::<_, async_nats::Error>(())
                };
                if read.await.is_err() {
                    tokio::time::sleep(TICK).await;
                    let _ = broker.repair().await;
                }
            }
        });
        (receiver, task)
    }
}

impl RemoteActors for SelfPlayers {
    fn play(
        &self,
        wanted: &SelfPlayRequest<'_>,
        cancel: &CancelToken,
        told: &dyn Fn(u64),
    ) -> Result<Vec<SelfPlayGame>, RunError> {
        self.announce(wanted, &|| cancel.is_cancelled())?;
        let (mut received, reader) = self.follow();
        let trainable = trainable_game(&wanted.plan.game, Some(&wanted.plan.encoder))?;
        let (mut games, mut stale) = (Vec::new(), 0.0);
        while (games.len() as u64) < wanted.games && !cancel.is_cancelled() {
            let next = self.broker.wait(async { tokio::time::timeout(TICK, received.recv()).await });
            let Ok(Some((sequence, bytes))) = next else { continue };
            self.read.store(sequence, Ordering::Relaxed);
            let Some((stamp, game)) = played(&bytes) else {
                self.refuse("expected a game, found something else");
                continue;
            };
            if let Err(reason) = trainable.check(&game) {
                self.refuse(&reason);
                continue;
            }
            let old = stamp == Stamp { round: wanted.round - 1, teaching: wanted.teaching };
            stale += f64::from(u8::from(old));
            let fresh = stamp == Stamp { round: wanted.round, teaching: wanted.teaching };
            if (fresh || old && stale <= STALE_SHARE * wanted.games as f64) && !game.targets.is_empty() {
                games.push(game);
                told(games.len() as u64);
            }
        }
        reader.abort();
        Ok(games)
    }
}

impl Drop for SelfPlayers {
    fn drop(&mut self) {
        self.refresher.abort();
        let key = key_of(&self.training);
        let announced = lock(&self.announced).take();
        self.broker.wait(async {
            // Nothing of it is on its way any more once it has ended.
            let _ = (&mut self.refresher).await;
            if let Some(announcement) = announced {
                let _ = self.broker.set(&key, &TrainingAnnouncement { over: true, ..announcement }, None).await;
            }
            let _ = self.broker.forget(&key).await;
        });
        self.broker.flush();
        let refused = self.refused();
        if refused > 1 {
            (self.tell)(&format!("{refused} self-play games were refused and not learnt from"));
        }
    }
}

/// Sets the key of a training again and again.
async fn refresh(broker: Arc<Broker>, key: String, announced: Arc<Mutex<Option<TrainingAnnouncement>>>) {
    loop {
        tokio::time::sleep(KEY_REFRESH).await;
        let announcement = lock(&announced).clone();
        if let Some(announcement) = announcement {
            // A server that is gone may come back.
            let _ = broker.set(&key, &announcement, None).await;
        }
    }
}

/// The round that a game was played for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    round: u64,
    teaching: bool,
}

/// The bytes of a game and its stamp.
pub(super) fn sent(stamp: Stamp, game: &SelfPlayGame) -> Bytes {
    let mut bytes = (2 * stamp.round + u64::from(stamp.teaching)).to_le_bytes().to_vec();
    bytes.extend(self_play_game_bytes(game));
    bytes.into()
}

/// A game and its stamp from bytes; `None` if they are malformed.
pub(super) fn played(bytes: &[u8]) -> Option<(Stamp, SelfPlayGame)> {
    let (number, rest) = bytes.split_first_chunk()?;
    let number = u64::from_le_bytes(*number);
    Some((Stamp { round: number / 2, teaching: number % 2 == 1 }, self_play_game_from(rest)?))
}

/// The announced trainings, by time: the newest is played for.
#[derive(Clone, Default)]
pub struct TrainingFeed(Arc<Mutex<Vec<KnownTraining>>>);

/// A training that a worker knows of.
struct KnownTraining {
    announcement: Arc<TrainingAnnouncement>,
    /// The time of its last announcement.
    heard: Instant,
    /// The time at which it could not be played here.
    skipped: Option<Instant>,
}

impl TrainingFeed {
    /// Subscribes to announcements, and reads the present ones. What cannot be understood is left out.
    pub fn subscribe(broker: &Arc<Broker>) -> Result<Self, RunError> {
        let trainings = Self::default();
        let listener = trainings.clone();
        let mut messages = broker.wait(broker.client.subscribe(TRAINING_SUBJECT)).map_err(|error| broker.refused(error))?;
        for key in broker.wait(broker.keys("train."))?.into_iter().take(MOST_TRAININGS) {
            if let Some((Ok(found), _)) = broker.wait(broker.value::<serde_json::Value>(&key))? {
                trainings.hear(&key, found.to_string().as_bytes());
            }
        }
        broker.spawn(async move {
            while let Some(message) = messages.next().await {
                let key = message.subject.as_str().trim_start_matches("$KV.plyground.");
                listener.hear(key, &message.payload);
            }
        });
        Ok(trainings)
    }

    /// Takes note of an announcement, if it is one of the training that its key names.
    fn hear(&self, key: &str, payload: &[u8]) {
        if let Some(announcement) = TrainingAnnouncement::read(payload).filter(|found| key_of(&found.training) == key) {
            self.note(announcement);
        }
    }

    fn note(&self, announcement: TrainingAnnouncement) {
        let mut known = lock(&self.0);
        let same = known.iter_mut().find(|known| *known.announcement == announcement);
        if let Some(known) = same.filter(|_| !announcement.over) {
            known.heard = Instant::now();
            return;
        }
        known.retain(|other| other.announcement.training != announcement.training && other.heard.elapsed() < SILENCE);
        if !announcement.over && known.len() < MOST_TRAININGS {
            known.push(KnownTraining { announcement: Arc::new(announcement), heard: Instant::now(), skipped: None });
        }
    }

    /// The newest training whose learner is there and that can be played here.
    fn newest(&self) -> Option<Arc<TrainingAnnouncement>> {
        let known = lock(&self.0);
        let due = |known: &&KnownTraining| known.skipped.is_none_or(|since| since.elapsed() > TRY_AGAIN);
        let playable = known.iter().rev().filter(due).find(|known| known.heard.elapsed() < SILENCE);
        playable.map(|known| Arc::clone(&known.announcement))
    }

    /// Notes that a training cannot be played here as it was announced, for a while.
    fn skip(&self, announcement: &Arc<TrainingAnnouncement>) {
        let mut known = lock(&self.0);
        known
            .iter_mut()
            .filter(|known| Arc::ptr_eq(&known.announcement, announcement))
            .for_each(|known| known.skipped = Some(Instant::now()));
    }
}

/// A self-play thread of a worker.
pub struct SelfPlayWorker<'a> {
    pub broker: &'a Broker,
    pub handshake: &'a Handshake,
    pub cache: &'a Cache,
    pub trainings: &'a TrainingFeed,
    /// The number of games of all threads, from which seeds are made: no two games have the same.
    pub games: &'a AtomicU64,
    /// The name of the worker.
    pub name: &'a str,
    pub notes: &'a Notes<'a>,
    /// True while the worker has jobs of a run, which come first.
    pub busy: &'a (dyn Fn() -> bool + Sync),
    pub cancel: &'a CancelToken,
}

impl SelfPlayWorker<'_> {
    /// Plays until it is cancelled. A training that refuses this program, or cannot be played, is told of and left out.
    pub fn play(&self) {
        let mut seated: Option<(Arc<TrainingAnnouncement>, Box<dyn SelfPlayActor>)> = None;
        while !self.cancel.is_cancelled() {
            let Some(newest) = self.trainings.newest().filter(|_| !(self.busy)()) else {
                std::thread::sleep(IDLE);
                continue;
            };
            if seated.as_ref().is_none_or(|(announcement, _)| !Arc::ptr_eq(announcement, &newest)) {
                let before = seated.take();
                seated = match self.actor(&newest) {
                    Ok(actor) => {
                        if let Some((old, _)) = before.filter(|(old, _)| old.network != newest.network) {
                            self.cache.forget(&old.network);
                        }
                        Some((newest, actor))
                    }
                    Err(error) => {
                        self.skip(&newest, &error);
                        None
                    }
                };
            }
            let Some((announcement, actor)) = &mut seated else { continue };
            let number = self.games.fetch_add(1, Ordering::Relaxed);
            let seed = Seed(announcement.plan.seed)
                .named("games")
                .named(announcement.training.as_str())
                .named(self.name)
                .numbered(number);
            let game = caught(|| actor.play(seed, self.cancel).map_err(RunError::Agent));
            if let Err(error) = &game {
                self.skip(&Arc::clone(announcement), error);
                seated = None;
                continue;
            }
            if let Ok(Some(game)) = game {
                let bytes = sent(Stamp { round: announcement.round, teaching: announcement.teaching }, &game);
                let subject = games_of(&announcement.training);
                let give_up = || self.cancel.is_cancelled();
                let sending = self.broker.retry(&give_up, || self.broker.publish(&subject, None, bytes.clone()));
                // A worker that stops while the server is gone loses one game.
                let _ = self.broker.wait(sending);
            }
        }
    }

    fn skip(&self, announcement: &Arc<TrainingAnnouncement>, error: &RunError) {
        self.notes.unplayable("training", announcement.training.as_str(), error);
        self.trainings.skip(announcement);
    }

    fn actor(&self, announcement: &TrainingAnnouncement) -> Result<Box<dyn SelfPlayActor>, RunError> {
        self.handshake.check(&announcement.handshake)?;
        let plan = &announcement.plan;
        let game = trainable_game(&plan.game, Some(&plan.encoder))?;
        if announcement.teaching {
            return Ok(game.teacher(&plan.teacher, plan.random_plies.max(2), &NoResources)?);
        }
        let file = self.cache.get(&announcement.network)?;
        // A network of another game does not fit.
        caught(|| {
            let (_, network) = weights::read(&file)?;
            Ok(game.learner(&network, plan.self_play()))
        })
    }
}

/// What a function gives; its panic is an error: what a learner announces must not end a worker.
fn caught<T>(act: impl FnOnce() -> Result<T, RunError>) -> Result<T, RunError> {
    let panicked = |_| Err(RunError::Agent(AgentError::Crashed("it panicked".to_owned())));
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(panicked)
}
