//! Distributed self-play: one learner, many actors.
//!
//! The learner announces the newest network; workers load it between games and publish their games. Any game of the newest network is
//! as good as any other, so there are no jobs and no leases: a worker that vanishes has only played fewer games.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::OrderedConfig;
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _};
use plyground_core::sync::lock;
use plyground_core::{CancelToken, NoResources, Seed};
use plyground_match::RunError;
use plyground_nets::weights;
use plyground_train::{
    RemoteActors, SelfPlayActor, SelfPlayGame, SelfPlayRequest, TrainingPlan, self_play_game_bytes, self_play_game_from,
    trainable_game,
};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::broker::Broker;
use crate::files::Cache;
use crate::handshake::Handshake;

/// The subject of the announcements of learners.
pub(super) const TRAINING_SUBJECT: &str = "$KV.plyground.train.*";
/// The pause of a worker before it looks for a training again.
const IDLE: Duration = Duration::from_millis(200);
/// The interval at which the learner reads its token.
const TICK: Duration = Duration::from_millis(200);
/// The largest share of a round's games that may come from the network of the round before: workers play on while the learner learns.
const STALE_SHARE: f64 = 0.5;

/// The newest state of a training, as its learner announces it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct TrainingAnnouncement {
    #[serde(rename = "hello")]
    handshake: Handshake,
    training: String,
    plan: TrainingPlan,
    round: u64,
    teaching: bool,
    /// The hash of the newest network.
    network: String,
    over: bool,
}

fn key_of(training: &str) -> String {
    format!("train.{training}")
}

pub(super) fn games_of(training: &str) -> String {
    format!("ply.lessons.{training}")
}

/// The workers at a queue as self-play actors of one training.
pub struct SelfPlayers {
    broker: Arc<Broker>,
    handshake: Handshake,
    training: String,
    /// The place in the stream up to which games were read.
    read: AtomicU64,
    /// The hashes of the newest networks, the newest last.
    networks: Mutex<Vec<String>>,
}

impl SelfPlayers {
    /// Actors for a training that begins or goes on.
    pub fn new(broker: Arc<Broker>) -> Result<Self, RunError> {
        let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
        let training = format!("{}-{now:x}", std::process::id());
        Ok(Self {
            broker,
            handshake: Handshake::of_this_machine()?,
            training,
            read: AtomicU64::new(0),
            networks: Mutex::default(),
        })
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
        let key = key_of(&self.training);
        self.broker.wait(self.broker.retry(give_up, || self.broker.set(&key, &announcement, None))).map(drop)
    }

    /// Uploads a network. Workers may still be downloading the one before it; older ones are deleted.
    fn newest(&self, file: &[u8]) -> Result<String, RunError> {
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
        let (sender, receiver) = mpsc::channel(256);
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
        let (mut games, mut stale) = (Vec::new(), 0.0);
        while (games.len() as u64) < wanted.games && !cancel.is_cancelled() {
            let next = self.broker.wait(async { tokio::time::timeout(TICK, received.recv()).await });
            let Ok(Some((sequence, bytes))) = next else { continue };
            self.read.store(sequence, Ordering::Relaxed);
            let Some((stamp, game)) = played(&bytes) else { continue };
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
        let key = key_of(&self.training);
        self.broker.wait(async {
            if let Ok(Some((announcement, _))) = self.broker.value::<TrainingAnnouncement>(&key).await {
                let _ = self.broker.set(&key, &TrainingAnnouncement { over: true, ..announcement }, None).await;
            }
            let _ = self.broker.forget(&key).await;
        });
        self.broker.flush();
    }
}

/// The round that a game was played for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    round: u64,
    teaching: bool,
}

/// The bytes of a game and its stamp.
fn sent(stamp: Stamp, game: &SelfPlayGame) -> Bytes {
    let mut bytes = (2 * stamp.round + u64::from(stamp.teaching)).to_le_bytes().to_vec();
    bytes.extend(self_play_game_bytes(game));
    bytes.into()
}

/// A game and its stamp from bytes; `None` if they are malformed.
fn played(bytes: &[u8]) -> Option<(Stamp, SelfPlayGame)> {
    let (number, rest) = bytes.split_first_chunk()?;
    let number = u64::from_le_bytes(*number);
    Some((Stamp { round: number / 2, teaching: number % 2 == 1 }, self_play_game_from(rest)?))
}

/// The announced trainings, by time: the newest is played for.
#[derive(Clone, Default)]
pub struct TrainingFeed(Arc<Mutex<Vec<Arc<TrainingAnnouncement>>>>);

impl TrainingFeed {
    /// Subscribes to announcements, and reads the present ones.
    pub fn subscribe(broker: &Arc<Broker>) -> Result<Self, RunError> {
        let trainings = Self::default();
        let listener = trainings.clone();
        let mut messages = broker.wait(broker.client.subscribe(TRAINING_SUBJECT)).map_err(|error| broker.refused(error))?;
        for key in broker.wait(broker.keys("train."))? {
            if let Some((announcement, _)) = broker.wait(broker.value::<TrainingAnnouncement>(&key))? {
                trainings.note(announcement);
            }
        }
        broker.spawn(async move {
            while let Some(message) = messages.next().await {
                if let Ok(announcement) = serde_json::from_slice(&message.payload) {
                    listener.note(announcement);
                }
            }
        });
        Ok(trainings)
    }

    fn note(&self, announcement: TrainingAnnouncement) {
        let mut known = lock(&self.0);
        known.retain(|other| other.training != announcement.training);
        if !announcement.over {
            known.push(Arc::new(announcement));
        }
    }

    fn newest(&self) -> Option<Arc<TrainingAnnouncement>> {
        lock(&self.0).last().cloned()
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
    /// True while the worker has jobs of a run, which come first.
    pub busy: &'a (dyn Fn() -> bool + Sync),
    pub cancel: &'a CancelToken,
}

impl SelfPlayWorker<'_> {
    /// Plays until it is cancelled. A training that refuses this program, or cannot be played, is an error.
    pub fn play(&self) -> Result<(), RunError> {
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
                    // A server that is gone may come back.
                    Err(RunError::Queue { .. }) => None,
                    Err(error) => return Err(error),
                };
            }
            let Some((announcement, actor)) = &mut seated else { continue };
            let number = self.games.fetch_add(1, Ordering::Relaxed);
            let seed =
                Seed(announcement.plan.seed).named("games").named(&announcement.training).named(self.name).numbered(number);
            if let Some(game) = actor.play(seed, self.cancel).map_err(RunError::Agent)? {
                let bytes = sent(Stamp { round: announcement.round, teaching: announcement.teaching }, &game);
                let subject = games_of(&announcement.training);
                let give_up = || self.cancel.is_cancelled();
                let sending = self.broker.retry(&give_up, || self.broker.publish(&subject, None, bytes.clone()));
                // A worker that stops while the server is gone loses one game.
                let _ = self.broker.wait(sending);
            }
        }
        Ok(())
    }

    fn actor(&self, announcement: &TrainingAnnouncement) -> Result<Box<dyn SelfPlayActor>, RunError> {
        self.handshake.check(&announcement.handshake)?;
        let plan = &announcement.plan;
        let game = trainable_game(&plan.game, Some(&plan.encoder))?;
        if announcement.teaching {
            return Ok(game.teacher(&plan.teacher, plan.random_plies.max(2), &NoResources)?);
        }
        let (_, network) = weights::read(&self.cache.get(&announcement.network)?)?;
        Ok(game.learner(&network, plan.self_play()))
    }
}
