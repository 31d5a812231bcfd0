//! The state of a simulated message server: what JetStream keeps, and what can go wrong with it.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use plyground_cluster::parts::{Acknowledgement, Heard, KEY_KEPT};
use plyground_core::Rng;
use tokio::sync::mpsc::UnboundedSender;

/// The number of a program of the world.
pub type ProgramId = usize;

/// The length of leases.
pub const LEASE: Duration = Duration::from_secs(30);
/// The time within which a message of the same name is a duplicate.
const DUPLICATES: Duration = Duration::from_mins(2);
/// The time between two copies of the state, and the number of them.
const COPIED: Duration = Duration::from_secs(7);
const COPIES: usize = 60;

/// The probabilities of faults on the way; 0 where there are none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Noise {
    /// A request that never arrives.
    pub lost_request: f64,
    /// An answer that never arrives: it was done, and the client does not know.
    pub lost_answer: f64,
    /// A message that is kept twice, or delivered to two workers.
    pub duplicate: f64,
    /// A message that is given out before older ones.
    pub reorder: f64,
    /// A message whose bytes change on the way.
    pub corrupt: f64,
    /// An answer that takes seconds.
    pub slow: f64,
}

/// A message of the queue of jobs.
#[derive(Clone)]
pub struct QueuedMessage {
    pub subject: String,
    pub payload: Bytes,
    pub deliveries: i64,
    /// The time from which on it can be given out.
    free_at: Duration,
}

/// The disk of a server.
#[derive(Clone, Default)]
pub struct ServerDisk {
    pub jobs: BTreeMap<u64, QueuedMessage>,
    last_job: u64,
    pub results: BTreeMap<u64, (String, Bytes)>,
    pub last_result: u64,
    /// Values with their revisions and the times at which they were set.
    keys: BTreeMap<String, (Bytes, u64, Duration)>,
    last_key: u64,
    /// The names of the newest messages.
    names: VecDeque<(Duration, String)>,
}

/// A server.
#[derive(Default)]
pub struct ServerState {
    pub disk: ServerDisk,
    /// Copies of the disk, the oldest first.
    copies: VecDeque<(Duration, ServerDisk)>,
    pub is_down: bool,
    /// The number of restarts: what only was in memory is gone after each.
    pub restarts: u64,
    listeners: Vec<(ProgramId, String, UnboundedSender<Heard>)>,
    pub noise: Noise,
}

impl ServerDisk {
    /// The disk of a server that has had other runs before: its numbers are high.
    pub fn used(rng: &mut Rng) -> Self {
        let mut number = || u64::from(rng.below(1_000_000));
        Self { last_job: number(), last_result: number(), last_key: number(), ..Self::default() }
    }

    /// True if a message of this name was published a moment ago; it is remembered now.
    fn is_duplicate(&mut self, now: Duration, name: &str) -> bool {
        while self.names.front().is_some_and(|(then, _)| *then + DUPLICATES < now) {
            self.names.pop_front();
        }
        let known = self.names.iter().any(|(_, known)| known == name);
        if !known {
            self.names.push_back((now, name.to_owned()));
        }
        known
    }

    /// Keeps a message; false if one of its name was there already.
    pub fn publish(&mut self, now: Duration, subject: &str, name: Option<&str>, payload: Bytes) -> bool {
        if name.is_some_and(|name| self.is_duplicate(now, name)) {
            return false;
        }
        self.append(subject, payload);
        true
    }

    /// Keeps a message, whatever its name.
    pub fn append(&mut self, subject: &str, payload: Bytes) {
        if subject.starts_with("ply.jobs.") {
            self.last_job += 1;
            let message = QueuedMessage { subject: subject.to_owned(), payload, deliveries: 0, free_at: Duration::ZERO };
            self.jobs.insert(self.last_job, message);
        } else {
            self.last_result += 1;
            self.results.insert(self.last_result, (subject.to_owned(), payload));
        }
    }

    /// Gives out a message that is free: the oldest, or any.
    pub fn deliver(&mut self, now: Duration, any: Option<&mut Rng>) -> Option<(u64, QueuedMessage)> {
        let free: Vec<u64> = self.jobs.iter().filter(|(_, job)| job.free_at <= now).map(|(&sequence, _)| sequence).collect();
        let place = any.map_or(0, |rng| rng.below(free.len().max(1) as u32) as usize);
        let sequence = *free.get(place)?;
        let job = self.jobs.get_mut(&sequence)?;
        job.deliveries += 1;
        job.free_at = now + LEASE;
        Some((sequence, job.clone()))
    }

    /// The next time at which a message becomes free.
    pub fn next_free(&self) -> Option<Duration> {
        self.jobs.values().map(|job| job.free_at).min()
    }

    /// Ends the lease of a message at once, as if it had never been given out.
    pub fn free(&mut self, sequence: u64) {
        if let Some(job) = self.jobs.get_mut(&sequence) {
            job.free_at = Duration::ZERO;
        }
    }

    pub fn acknowledge(&mut self, now: Duration, sequence: u64, acknowledgement: Acknowledgement) {
        let Some(job) = self.jobs.get_mut(&sequence) else { return };
        match acknowledgement {
            Acknowledgement::Done | Acknowledgement::Unreadable => drop(self.jobs.remove(&sequence)),
            Acknowledgement::Failed(delay) => job.free_at = now + delay.unwrap_or_default(),
            Acknowledgement::Progress => job.free_at = now + LEASE,
        }
    }

    /// Removes the messages of a subject; their number.
    pub fn purge(&mut self, subject: &str) -> u64 {
        let before = self.jobs.len();
        self.jobs.retain(|_, job| job.subject != subject);
        (before - self.jobs.len()) as u64
    }

    /// The value of a key that has not expired.
    pub fn value(&self, now: Duration, key: &str) -> Option<(Bytes, u64)> {
        let (value, revision, set) = self.keys.get(key)?;
        (*set + KEY_KEPT > now).then(|| (value.clone(), *revision))
    }

    /// Sets a key, if its revision is the expected one.
    pub fn set(&mut self, now: Duration, key: &str, value: Bytes, revision: Option<u64>) -> Option<u64> {
        let found = self.value(now, key).map_or(0, |(_, revision)| revision);
        if revision.is_some_and(|expected| expected != found) {
            return None;
        }
        self.last_key += 1;
        self.keys.insert(key.to_owned(), (value, self.last_key, now));
        Some(self.last_key)
    }

    pub fn forget(&mut self, key: &str) {
        self.keys.remove(key);
    }

    /// Forgets all keys, as if their time was over.
    pub fn expire_keys(&mut self) {
        self.keys.clear();
    }

    /// The keys with a prefix that have not expired.
    pub fn keys(&self, now: Duration, beginning: &str) -> Vec<String> {
        self.keys
            .iter()
            .filter(|(key, (_, _, set))| key.starts_with(beginning) && *set + KEY_KEPT > now)
            .map(|(key, _)| key.clone())
            .collect()
    }
}

impl ServerState {
    /// Copies the disk now and then, so that it can be set back.
    pub fn copy(&mut self, now: Duration) {
        if self.copies.back().is_none_or(|(then, _)| *then + COPIED <= now) {
            self.copies.push_back((now, self.disk.clone()));
            if self.copies.len() > COPIES {
                self.copies.pop_front();
            }
        }
    }

    /// Comes back with its disk as it was so long ago, at about; what was never written is lost.
    pub fn set_back(&mut self, now: Duration, by: Duration) {
        let then = now.saturating_sub(by);
        let copy = self.copies.iter().rev().find(|(time, _)| *time <= then);
        self.disk = copy.map(|(_, disk)| disk.clone()).unwrap_or_default();
        self.restart();
    }

    /// Comes back with all that it has written.
    pub fn restart(&mut self) {
        self.is_down = false;
        self.restarts += 1;
    }

    /// Lets a program listen.
    pub fn listen(&mut self, program: ProgramId, subject: String, to: UnboundedSender<Heard>) {
        self.listeners.push((program, subject, to));
    }

    /// Sends a message to those who listen and can be reached.
    pub fn tell(&mut self, subject: &str, payload: &Bytes, reached: impl Fn(ProgramId) -> bool) {
        self.listeners.retain(|(_, _, to)| !to.is_closed());
        for (program, pattern, to) in &self.listeners {
            let matches = pattern.strip_suffix('*').map_or(pattern == subject, |beginning| subject.starts_with(beginning));
            if matches && reached(*program) {
                let _ = to.send(Heard { subject: subject.to_owned(), payload: payload.clone() });
            }
        }
    }
}

/// Bytes of which some have changed, or the end is missing.
pub fn corrupted(payload: &Bytes, rng: &mut Rng) -> Bytes {
    let mut bytes = payload.to_vec();
    if bytes.is_empty() {
        return payload.clone();
    }
    let place = |rng: &mut Rng, bytes: &Vec<u8>| rng.below(bytes.len() as u32) as usize;
    if rng.below(3) == 0 {
        let length = place(rng, &bytes);
        bytes.truncate(length);
    } else {
        for _ in 0..=rng.below(3) {
            let place = place(rng, &bytes);
            bytes[place] ^= 1 << rng.below(8);
        }
    }
    bytes.into()
}
