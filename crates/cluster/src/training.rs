//! Trainings with many players and one learner. The learner says which network is the newest; workers pick it up between games, and send
//! what they play. Any game of the newest network is as good as any other, so there are no jobs: whoever is gone has played less.

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
    Plan, Players, SelfPlayActor, SelfPlayGame, Wanted, self_play_game_bytes, self_play_game_from, trainable_game,
};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::broker::Broker;
use crate::files::Cache;
use crate::handshake::Handshake;

/// Where learners say what is to be played.
pub(super) const LECTURES: &str = "$KV.plyground.train.*";
/// A worker without anything to play looks again after this time.
const IDLE: Duration = Duration::from_millis(200);
/// The learner looks whether to stop this often.
const TICK: Duration = Duration::from_millis(200);
/// While the learner learns, workers play on with the network that they have. So much of a round may be games of the round before.
const STALE_SHARE: f64 = 0.5;

/// What is to be played for a training: the last word of its learner.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Lecture {
    hello: Handshake,
    training: String,
    plan: Plan,
    round: u64,
    teaching: bool,
    /// The hash of the newest network.
    network: String,
    over: bool,
}

fn key_of(training: &str) -> String {
    format!("train.{training}")
}

pub(super) fn lessons_of(training: &str) -> String {
    format!("ply.lessons.{training}")
}

/// The workers at a queue, as players of a training.
pub struct SelfPlayers {
    broker: Arc<Broker>,
    hello: Handshake,
    training: String,
    /// Up to where lessons were read.
    read: AtomicU64,
    /// The hashes of the newest networks, the newest last.
    networks: Mutex<Vec<String>>,
}

impl SelfPlayers {
    /// For a new training, or one that goes on.
    pub fn new(broker: Arc<Broker>) -> Result<Self, RunError> {
        let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
        let training = format!("{}-{now:x}", std::process::id());
        Ok(Self { broker, hello: Handshake::of_this_machine()?, training, read: AtomicU64::new(0), networks: Mutex::default() })
    }

    fn announce(&self, wanted: &Wanted<'_>, give_up: &(dyn Fn() -> bool + Sync)) -> Result<(), RunError> {
        let lecture = Lecture {
            hello: self.hello.clone(),
            training: self.training.clone(),
            plan: wanted.plan.clone(),
            round: wanted.round,
            teaching: wanted.teaching,
            network: self.newest(wanted.file)?,
            over: false,
        };
        let key = key_of(&self.training);
        self.broker.wait(self.broker.insist(give_up, || self.broker.set(&key, &lecture, None))).map(drop)
    }

    /// Puts a network where workers find it. They may still be fetching the one before; those before that are of no use to anybody.
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

    /// Sends every lesson that comes, with its place in the stream.
    fn follow(&self) -> (mpsc::Receiver<(u64, Vec<u8>)>, tokio::task::JoinHandle<()>) {
        let (sender, receiver) = mpsc::channel(256);
        let (broker, subject) = (Arc::clone(&self.broker), lessons_of(&self.training));
        let mut next = self.read.load(Ordering::Relaxed) + 1;
        let task = self.broker.spawn(async move {
            while !sender.is_closed() {
                let read = async {
                    let config = OrderedConfig {
                        filter_subject: subject.clone(),
                        deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: next },
                        ..OrderedConfig::default()
                    };
                    let mut messages = broker.lessons.create_consumer(config).await?.messages().await?;
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

impl Players for SelfPlayers {
    fn play(&self, wanted: &Wanted<'_>, cancel: &CancelToken, told: &dyn Fn(u64)) -> Result<Vec<SelfPlayGame>, RunError> {
        self.announce(wanted, &|| cancel.is_cancelled())?;
        let (mut heard, follower) = self.follow();
        let (mut lessons, mut stale) = (Vec::new(), 0.0);
        while (lessons.len() as u64) < wanted.games && !cancel.is_cancelled() {
            let next = self.broker.wait(async { tokio::time::timeout(TICK, heard.recv()).await });
            let Ok(Some((sequence, bytes))) = next else { continue };
            self.read.store(sequence, Ordering::Relaxed);
            let Some((stamp, lesson)) = played(&bytes) else { continue };
            let old = stamp == Stamp { round: wanted.round - 1, teaching: wanted.teaching };
            stale += f64::from(u8::from(old));
            let fresh = stamp == Stamp { round: wanted.round, teaching: wanted.teaching };
            if (fresh || old && stale <= STALE_SHARE * wanted.games as f64) && !lesson.targets.is_empty() {
                lessons.push(lesson);
                told(lessons.len() as u64);
            }
        }
        follower.abort();
        Ok(lessons)
    }
}

impl Drop for SelfPlayers {
    fn drop(&mut self) {
        let key = key_of(&self.training);
        self.broker.wait(async {
            if let Ok(Some((lecture, _))) = self.broker.value::<Lecture>(&key).await {
                let _ = self.broker.set(&key, &Lecture { over: true, ..lecture }, None).await;
            }
            let _ = self.broker.forget(&key).await;
        });
        self.broker.flush();
    }
}

/// What a game was played for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    round: u64,
    teaching: bool,
}

/// A game as it travels.
fn sent(stamp: Stamp, lesson: &SelfPlayGame) -> Bytes {
    let mut bytes = (2 * stamp.round + u64::from(stamp.teaching)).to_le_bytes().to_vec();
    bytes.extend(self_play_game_bytes(lesson));
    bytes.into()
}

/// A game that has travelled; nothing if it is none.
fn played(bytes: &[u8]) -> Option<(Stamp, SelfPlayGame)> {
    let (number, rest) = bytes.split_first_chunk()?;
    let number = u64::from_le_bytes(*number);
    Some((Stamp { round: number / 2, teaching: number % 2 == 1 }, self_play_game_from(rest)?))
}

/// The trainings that a worker knows of: the one that spoke last is played for.
#[derive(Clone, Default)]
pub struct TrainingFeed(Arc<Mutex<Vec<Arc<Lecture>>>>);

impl TrainingFeed {
    /// Listens from now on; what is said already counts.
    pub fn hear(broker: &Arc<Broker>) -> Result<Self, RunError> {
        let lectures = Self::default();
        let listener = lectures.clone();
        let mut said = broker.wait(broker.client.subscribe(LECTURES)).map_err(|error| broker.refused(error))?;
        for key in broker.wait(broker.keys("train."))? {
            if let Some((lecture, _)) = broker.wait(broker.value::<Lecture>(&key))? {
                lectures.note(lecture);
            }
        }
        broker.spawn(async move {
            while let Some(message) = said.next().await {
                if let Ok(lecture) = serde_json::from_slice(&message.payload) {
                    listener.note(lecture);
                }
            }
        });
        Ok(lectures)
    }

    fn note(&self, lecture: Lecture) {
        let mut known = lock(&self.0);
        known.retain(|other| other.training != lecture.training);
        if !lecture.over {
            known.push(Arc::new(lecture));
        }
    }

    fn newest(&self) -> Option<Arc<Lecture>> {
        lock(&self.0).last().cloned()
    }
}

/// A thread of a worker that plays for trainings whenever there is one.
pub struct SelfPlayWorker<'a> {
    pub broker: &'a Broker,
    pub hello: &'a Handshake,
    pub cache: &'a Cache,
    pub lectures: &'a TrainingFeed,
    /// Games of all threads: no two have the same seed.
    pub games: &'a AtomicU64,
    /// The name of the worker.
    pub name: &'a str,
    /// Is there something else to do that somebody waits for?
    pub busy: &'a (dyn Fn() -> bool + Sync),
    pub cancel: &'a CancelToken,
}

impl SelfPlayWorker<'_> {
    /// Plays until it is cancelled. A training that this program is refused by, or cannot play, is an error.
    pub fn play(&self) -> Result<(), RunError> {
        let mut seated: Option<(Arc<Lecture>, Box<dyn SelfPlayActor>)> = None;
        while !self.cancel.is_cancelled() {
            let Some(newest) = self.lectures.newest().filter(|_| !(self.busy)()) else {
                std::thread::sleep(IDLE);
                continue;
            };
            if seated.as_ref().is_none_or(|(lecture, _)| !Arc::ptr_eq(lecture, &newest)) {
                let before = seated.take();
                seated = match self.sit(&newest) {
                    Ok(partner) => {
                        if let Some((old, _)) = before.filter(|(old, _)| old.network != newest.network) {
                            self.cache.forget(&old.network);
                        }
                        Some((newest, partner))
                    }
                    // A server that is gone may come back.
                    Err(RunError::Queue { .. }) => None,
                    Err(error) => return Err(error),
                };
            }
            let Some((lecture, partner)) = &mut seated else { continue };
            let number = self.games.fetch_add(1, Ordering::Relaxed);
            let seed = Seed(lecture.plan.seed).named("games").named(&lecture.training).named(self.name).numbered(number);
            if let Some(lesson) = partner.play(seed, self.cancel).map_err(RunError::Agent)? {
                let bytes = sent(Stamp { round: lecture.round, teaching: lecture.teaching }, &lesson);
                let subject = lessons_of(&lecture.training);
                let give_up = || self.cancel.is_cancelled();
                let sending = self.broker.insist(&give_up, || self.broker.publish(&subject, None, bytes.clone()));
                // Whoever stops while the server is gone loses a game; there are others.
                let _ = self.broker.wait(sending);
            }
        }
        Ok(())
    }

    fn sit(&self, lecture: &Lecture) -> Result<Box<dyn SelfPlayActor>, RunError> {
        self.hello.check(&lecture.hello)?;
        let plan = &lecture.plan;
        let dojo = trainable_game(&plan.game, Some(&plan.encoder))?;
        if lecture.teaching {
            return Ok(dojo.teacher(&plan.teacher, plan.random_plies.max(2), &NoResources)?);
        }
        let (_, network) = weights::read(&self.cache.get(&lecture.network)?)?;
        Ok(dojo.learner(&network, plan.self_play()))
    }
}
