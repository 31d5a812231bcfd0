//! Trust in the workers of a run: refused results, who sent them, and who is banned.

use std::collections::HashMap;

use plyground_match::{Job, Refusal};

use crate::names::WorkerName;

/// The most senders that are remembered by name: a liar may sign every message with another one.
const MOST_NAMES: usize = 10_000;

/// The refused results of one sender in one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefusedResults {
    /// The name that the sender signs with; empty for messages that could not be read.
    pub worker: String,
    /// The number of refused results.
    pub results: u64,
    /// The reason of the first refusal.
    pub reason: String,
    /// Is the sender banned from the run, with its other results played again?
    pub banned: bool,
}

/// What a coordinator knows about the senders of results of one run.
#[derive(Default)]
pub struct WorkerTrust {
    /// The jobs whose results of a worker are kept.
    delivered: HashMap<WorkerName, Vec<Job>>,
    refused: HashMap<WorkerName, RefusedResults>,
    unreadable: RefusedResults,
}

impl WorkerTrust {
    pub fn is_banned(&self, worker: &WorkerName) -> bool {
        self.refused.get(worker).is_some_and(|refused| refused.banned)
    }

    /// Counts results of a banned worker, which are ignored.
    pub fn ignored(&mut self, worker: &WorkerName, results: usize) {
        if let Some(refused) = self.refused.get_mut(worker) {
            refused.results += results as u64;
        }
    }

    /// Remembers that the results of a job by a worker are kept.
    pub fn delivered(&mut self, worker: &WorkerName, job: &Job) {
        self.delivered.entry(worker.clone()).or_default().push(job.clone());
    }

    /// Counts a message that could not be read; true for the first one.
    pub fn unreadable(&mut self, reason: String) -> bool {
        self.unreadable.results += 1;
        if self.unreadable.results == 1 {
            self.unreadable.reason = reason;
        }
        self.unreadable.results == 1
    }

    /// Counts a refused result; true for the first one of its sender.
    pub fn refused(&mut self, worker: &WorkerName, refusal: &Refusal) -> bool {
        if self.refused.len() >= MOST_NAMES && !self.refused.contains_key(worker) {
            self.unreadable.results += 1;
            return false;
        }
        let refused = self.refused.entry(worker.clone()).or_default();
        refused.results += 1;
        if refused.results == 1 {
            (refused.worker, refused.reason) = (worker.to_string(), refusal.to_string());
        }
        refused.results == 1
    }

    /// Bans a worker whose results were refused; the jobs that it has delivered, to be played again. A sender without a name cannot be
    /// banned.
    pub fn ban(&mut self, worker: &WorkerName) -> Vec<Job> {
        match self.refused.get_mut(worker).filter(|_| !worker.as_str().is_empty()) {
            Some(refused) => {
                refused.banned = true;
                self.delivered.remove(worker).unwrap_or_default()
            }
            None => Vec::new(),
        }
    }

    /// All refused results by sender, the most first.
    pub fn report(&self) -> Vec<RefusedResults> {
        let unreadable = Some(&self.unreadable).filter(|refused| refused.results > 0);
        let mut all: Vec<RefusedResults> = self.refused.values().chain(unreadable).cloned().collect();
        all.sort_by(|one, other| other.results.cmp(&one.results).then_with(|| one.worker.cmp(&other.worker)));
        all
    }
}

/// Refused results in a sentence; `None` if there are none.
pub fn in_words(refused: &[RefusedResults]) -> Option<String> {
    const NAMED: usize = 5;
    let results: u64 = refused.iter().map(|sender| sender.results).sum();
    let named = |sender: &RefusedResults| {
        let name = if sender.worker.is_empty() { "senders without a name" } else { &sender.worker };
        format!(
            "{} from {name}{}",
            sender.results,
            if sender.banned { " (banned, its other results are played again)" } else { "" }
        )
    };
    let mut parts: Vec<String> = refused.iter().take(NAMED).map(named).collect();
    if refused.len() > NAMED {
        parts.push(format!("the rest from {} others", refused.len() - NAMED));
    }
    (results > 0).then(|| format!("{results} results were refused and do not count: {}", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_liar_is_banned_and_its_jobs_come_back() {
        let mut trust = WorkerTrust::default();
        let (liar, honest) = (WorkerName::of("liar"), WorkerName::of("honest"));
        let job = |id: &str| Job { id: id.to_owned(), run: "r".to_owned(), agents: [0, 1], pair: 0, opening: Vec::new() };
        trust.delivered(&liar, &job("r-1"));
        trust.delivered(&honest, &job("r-2"));
        let refusal = Refusal { part: "moves", expected: "legal ones".to_owned(), found: "z9z9".to_owned(), proof: true };
        assert!(trust.refused(&liar, &refusal) && !trust.refused(&liar, &refusal));
        assert_eq!(trust.ban(&liar), [job("r-1")]);
        assert!(trust.is_banned(&liar) && !trust.is_banned(&honest));
        assert!(trust.ban(&WorkerName::default()).is_empty() && !trust.is_banned(&WorkerName::default()));
        trust.ignored(&liar, 3);
        assert!(trust.unreadable("rubbish".to_owned()) && !trust.unreadable("rubbish".to_owned()));
        let report = trust.report();
        assert_eq!(
            report.iter().map(|sender| (sender.worker.as_str(), sender.results)).collect::<Vec<_>>(),
            [("liar", 5), ("", 2)]
        );
        assert_eq!(report[0].reason, "moves: expected legal ones, found z9z9");
        assert_eq!(
            in_words(&report).unwrap(),
            "7 results were refused and do not count: 5 from liar (banned, its other results are played again), \
             2 from senders without a name"
        );
        assert_eq!(in_words(&[]), None);
    }
}
