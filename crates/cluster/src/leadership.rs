//! One coordinator of a run gives out its jobs; others that were started for the same run look on, and one of them takes over
//! when it is gone. Two that lead at the same time would do no harm but do everything twice.

use std::time::{Duration, Instant};

use crate::broker::Broker;

/// Whoever leads says so this often.
pub const BEAT: Duration = Duration::from_secs(2);
/// Whoever has not said so for this long does not lead any more.
const SILENCE: Duration = Duration::from_secs(8);

/// Who leads a run, as one coordinator sees it.
pub struct Leadership {
    key: String,
    me: String,
    /// The newest revision that was seen, and when it was new.
    seen: u64,
    since: Instant,
    leading: bool,
    next: Instant,
}

impl Leadership {
    pub fn new(run: &str, me: String) -> Self {
        let now = Instant::now();
        Self { key: format!("lead.{run}"), me, seen: 0, since: now, leading: false, next: now }
    }

    /// Does what is to be done now, if it is time; true if this one has just become the leader.
    pub async fn beat(&mut self, broker: &Broker) -> bool {
        if Instant::now() < self.next {
            return false;
        }
        self.next = Instant::now() + BEAT;
        if self.leading {
            match broker.set(&self.key, &self.me, Some(self.seen)).await {
                Ok(Some(revision)) => self.seen = revision,
                // Somebody has taken over, because nothing was heard from here.
                Ok(None) => self.leading = false,
                // Nobody can be heard: neither can anybody else.
                Err(_) => {}
            }
            return false;
        }
        let Ok(found) = broker.value::<String>(&self.key).await else { return false };
        let (revision, free) = match found {
            None => (0, true),
            Some((leader, revision)) => {
                if revision != self.seen {
                    (self.seen, self.since) = (revision, Instant::now());
                }
                // Our own word, from before something went wrong.
                (revision, leader == self.me || self.since.elapsed() > SILENCE)
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

    /// Different each time that somebody takes over.
    pub fn era(&self) -> u64 {
        self.seen
    }

    /// Somebody else may lead.
    pub async fn give_up(&mut self, broker: &Broker) {
        if self.leading {
            let _ = broker.forget(&self.key).await;
            self.leading = false;
        }
    }
}
