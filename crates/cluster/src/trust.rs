//! Trust in the workers of a run: refused results, who sent them, and who is banned.

use std::collections::{HashMap, HashSet};

use plyground_match::{Refusal, RefusedResults, RunError, Store};

use crate::names::WorkerName;

/// The most senders that are remembered by name: a liar may sign every message with another one.
const MOST_NAMES: usize = 10_000;

/// The trust of a coordinator in the senders of results of one run.
#[derive(Default)]
pub struct WorkerTrust {
    /// The workers whose results are kept; the store knows which these are.
    delivered: HashSet<WorkerName>,
    refused: HashMap<WorkerName, RefusedResults>,
    /// What earlier coordinators have counted. They read the same stream, so what is counted now is not added to it.
    before: HashMap<WorkerName, u64>,
    /// Messages that could not be read, and senders that were forgotten.
    unreadable: RefusedResults,
    /// The last message that was counted: one that is read again is not counted again.
    counted: u64,
    counting: bool,
    /// Is there something that the store does not know?
    changed: bool,
    /// Was it read from the store?
    recalled: bool,
}

impl WorkerTrust {
    /// Takes over what the store knows from earlier coordinators of the run, unless that was done before: all its jobs are read for it.
    pub fn recall_from(&mut self, store: &Store, run: &str) -> Result<(), RunError> {
        if !self.recalled {
            self.recall(store.refused(run)?, &store.senders(run)?);
            self.recalled = true;
        }
        Ok(())
    }

    fn recall(&mut self, refused: Vec<RefusedResults>, senders: &[String]) {
        self.delivered.extend(senders.iter().map(|sender| WorkerName::of(sender)));
        for sender in refused {
            let name = WorkerName::of(&sender.worker);
            self.before.insert(name.clone(), sender.results);
            if sender.banned {
                self.refused.insert(name, RefusedResults { results: 0, ..sender });
            } else if name.as_str().is_empty() {
                self.unreadable.reason = sender.reason;
            }
        }
    }

    /// Begins with the message at this place of the stream. A server that has lost the stream gives places anew.
    pub fn read_message(&mut self, sequence: u64) {
        self.counting = sequence > self.counted;
        self.counted = self.counted.max(sequence);
    }

    /// Begins with something that is not in the stream, and is always counted.
    pub fn read_sample(&mut self) {
        self.counting = true;
    }

    pub fn is_banned(&self, worker: &WorkerName) -> bool {
        self.refused.get(worker).is_some_and(|refused| refused.banned)
    }

    /// Counts results of a banned worker, which are ignored.
    pub fn ignored(&mut self, worker: &WorkerName, results: usize) {
        let counting = self.counting;
        if let Some(refused) = self.refused.get_mut(worker).filter(|_| counting && results > 0) {
            refused.results += results as u64;
            self.changed = true;
        }
    }

    /// Remembers that results of a worker are kept.
    pub fn delivered(&mut self, worker: &WorkerName) {
        if !self.delivered.contains(worker) {
            self.delivered.insert(worker.clone());
        }
    }

    /// Counts a message that could not be read; the count, for the first one.
    pub fn unreadable(&mut self, reason: &str) -> Option<RefusedResults> {
        if !self.counting {
            return None;
        }
        self.changed = true;
        self.unreadable.results += 1;
        if self.unreadable.reason.is_empty() {
            reason.clone_into(&mut self.unreadable.reason);
        }
        (self.unreadable.results == 1).then(|| self.unreadable.clone())
    }

    /// Counts a refused result; the sender's count, for its first one.
    pub fn refused(&mut self, worker: &WorkerName, refusal: &Refusal) -> Option<RefusedResults> {
        if self.refused.len() >= MOST_NAMES && !self.refused.contains_key(worker) {
            self.forget_one();
        }
        let known = self.refused.contains_key(worker);
        if known && !self.counting {
            return None;
        }
        self.changed = true;
        let refused = self.refused.entry(worker.clone()).or_insert_with(|| RefusedResults {
            worker: worker.to_string(),
            reason: refusal.to_string(),
            ..RefusedResults::default()
        });
        refused.results += 1;
        (!known).then(|| refused.clone())
    }

    /// Forgets the name of one sender, if possible of one that is not banned; its results stay counted.
    fn forget_one(&mut self) {
        let unbanned = self.refused.iter().find(|(_, refused)| !refused.banned);
        let Some(name) = unbanned.or_else(|| self.refused.iter().next()).map(|(name, _)| name.clone()) else { return };
        if let Some(forgotten) = self.refused.remove(&name) {
            self.unreadable.results += forgotten.results;
            if self.unreadable.reason.is_empty() {
                self.unreadable.reason = forgotten.reason;
            }
        }
    }

    /// Bans a worker whose results were refused. `None` if it is banned already; otherwise what is known of it, and whether results of
    /// it are kept, which are to be taken back.
    pub fn ban(&mut self, worker: &WorkerName) -> Option<(RefusedResults, bool)> {
        let refused = self.refused.get_mut(worker).filter(|refused| !refused.banned)?;
        refused.banned = true;
        self.changed = true;
        Some((refused.clone(), self.delivered.remove(worker)))
    }

    /// Takes over what another coordinator with the same store has noted of a worker, so that it can be banned here, too.
    pub fn learn(&mut self, noted: RefusedResults) {
        let name = WorkerName::of(&noted.worker);
        self.before.insert(name.clone(), noted.results);
        // Its results may have been kept here after they were looked for there.
        self.delivered.insert(name.clone());
        self.refused.entry(name).or_insert(RefusedResults { results: 0, banned: false, ..noted });
    }

    /// All refused results by sender, the most first.
    pub fn report(&self) -> Vec<RefusedResults> {
        let mut all: HashMap<&str, RefusedResults> = HashMap::new();
        for refused in self.refused.values().chain(Some(&self.unreadable)) {
            // Messages without a name are those that could not be read, and those that were not signed.
            let entry = all.entry(refused.worker.as_str()).or_insert_with(|| RefusedResults { results: 0, ..refused.clone() });
            entry.results += refused.results;
        }
        for (name, &before) in &self.before {
            if let Some(refused) = all.get_mut(name.as_str()) {
                refused.results = refused.results.max(before);
            }
        }
        let mut all: Vec<RefusedResults> = all.into_values().filter(|refused| refused.results > 0 || refused.banned).collect();
        all.sort_by(|one, other| other.results.cmp(&one.results).then_with(|| one.worker.cmp(&other.worker)));
        all
    }

    /// The report, if it has changed since it was last asked for in this way.
    pub fn changes(&mut self) -> Option<Vec<RefusedResults>> {
        std::mem::take(&mut self.changed).then(|| self.report())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal() -> Refusal {
        Refusal { part: "moves", expected: "legal ones".to_owned(), found: "z9z9".to_owned(), proof: true }
    }

    fn counts(trust: &WorkerTrust) -> Vec<(String, u64)> {
        trust.report().into_iter().map(|sender| (sender.worker, sender.results)).collect()
    }

    #[test]
    fn a_liar_is_banned_and_counted_and_an_honest_worker_is_not() {
        let mut trust = WorkerTrust::default();
        let (liar, honest) = (WorkerName::of("liar"), WorkerName::of("honest"));
        trust.read_message(1);
        trust.delivered(&liar);
        trust.delivered(&honest);
        assert_eq!(trust.refused(&liar, &refusal()).unwrap().results, 1);
        assert!(trust.refused(&liar, &refusal()).is_none());
        let (refused, delivered) = trust.ban(&liar).unwrap();
        assert!(refused.banned && delivered && trust.ban(&liar).is_none());
        assert!(trust.is_banned(&liar) && !trust.is_banned(&honest) && trust.ban(&honest).is_none());
        trust.ignored(&liar, 3);
        assert!(trust.unreadable("rubbish").is_some() && trust.unreadable("rubbish").is_none());
        assert_eq!(counts(&trust), [("liar".to_owned(), 5), (String::new(), 2)]);
        assert_eq!(trust.report()[0].reason, "moves: expected legal ones, found z9z9");
        assert!(trust.changes().is_some() && trust.changes().is_none());
        // The same messages, read again.
        trust.read_message(1);
        trust.ignored(&liar, 3);
        assert!(trust.unreadable("rubbish").is_none() && trust.refused(&liar, &refusal()).is_none());
        assert_eq!(counts(&trust), [("liar".to_owned(), 5), (String::new(), 2)]);
        assert!(trust.changes().is_none());
    }

    #[test]
    fn the_next_coordinator_knows_who_is_banned_and_counts_nothing_twice() {
        let sender =
            |worker: &str, results, banned| RefusedResults { worker: worker.to_owned(), results, banned, ..Default::default() };
        let mut trust = WorkerTrust::default();
        let (liar, late) = (WorkerName::of("liar"), WorkerName::of("late"));
        trust.recall(vec![sender("liar", 4, true), sender("late", 2, false)], &["late".to_owned()]);
        assert!(trust.is_banned(&liar) && !trust.is_banned(&late));
        trust.read_message(1);
        trust.ignored(&liar, 3);
        assert_eq!(counts(&trust), [("liar".to_owned(), 4)]);
        trust.ignored(&liar, 3);
        trust.refused(&late, &refusal());
        assert_eq!(counts(&trust), [("liar".to_owned(), 6), ("late".to_owned(), 2)]);
        assert!(trust.ban(&late).unwrap().1, "its results of an earlier session are taken back, too");
    }

    #[test]
    fn any_number_of_names_leaves_room_for_a_ban() {
        let mut trust = WorkerTrust::default();
        trust.read_message(1);
        for number in 0..MOST_NAMES + 10 {
            trust.refused(&WorkerName::of(&number.to_string()), &refusal());
        }
        let last = WorkerName::of("last");
        trust.delivered(&last);
        trust.refused(&last, &refusal());
        assert!(trust.ban(&last).unwrap().1 && trust.is_banned(&last));
        assert!(trust.refused.len() <= MOST_NAMES);
        assert_eq!(trust.report().iter().map(|sender| sender.results).sum::<u64>(), MOST_NAMES as u64 + 11);
    }
}
