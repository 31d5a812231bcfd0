//! Leader election among the coordinators of one run, by a key with a revision in NATS.
//!
//! The leader publishes the jobs; the other coordinators only read results, and one of them takes over when the leader is gone. Two
//! leaders at the same time do no harm but have every job played twice.

use std::time::Duration;

use crate::broker::Broker;

/// The interval at which the leader renews its key.
pub const BEAT: Duration = Duration::from_secs(2);
/// The time after which a key that was not renewed is free.
const SILENCE: Duration = Duration::from_secs(8);

/// The part of one coordinator in the election for a run.
pub struct Leadership {
    key: String,
    me: String,
    /// The newest revision that was seen, and when it was new.
    seen: u64,
    since: Duration,
    leading: bool,
    next: Duration,
}

impl Leadership {
    pub fn new(run: &str, broker: &Broker) -> Self {
        let (now, me) = (broker.now(), broker.machine().unique());
        Self { key: format!("lead.{run}"), me, seen: 0, since: now, leading: false, next: now }
    }

    /// Renews the key, or tries to take it, if it is time; true if this coordinator has just become the leader.
    pub async fn beat(&mut self, broker: &Broker) -> bool {
        if broker.now() < self.next {
            return false;
        }
        self.next = broker.now() + BEAT;
        if self.leading {
            match broker.set(&self.key, &self.me, Some(self.seen)).await {
                Ok(Some(revision)) => self.seen = revision,
                // Another coordinator has taken over, because the key was not renewed in time.
                Ok(None) => self.leading = false,
                // The server is not reachable, so no other coordinator can have taken over.
                Err(_) => {}
            }
            return false;
        }
        let Ok(found) = broker.value::<String>(&self.key).await else { return false };
        let (revision, free) = match found {
            None => (0, true),
            Some((leader, revision)) => {
                if revision != self.seen {
                    (self.seen, self.since) = (revision, broker.now());
                }
                // The key is our own, from before the connection broke.
                (revision, leader.as_ref() == Ok(&self.me) || broker.since(self.since) > SILENCE)
            }
        };
        if free && let Ok(Some(revision)) = broker.set(&self.key, &self.me, Some(revision)).await {
            (self.seen, self.leading) = (revision, true);
            return true;
        }
        false
    }

    pub fn leads(&self) -> bool {
        self.leading
    }

    /// The term of this leader: another number each time that a coordinator takes over.
    pub fn term(&self) -> u64 {
        self.seen
    }

    /// Deletes the key, so that another coordinator can take over at once.
    pub async fn give_up(&mut self, broker: &Broker) {
        if self.leading {
            let _ = broker.forget(&self.key).await;
            self.leading = false;
        }
    }
}
