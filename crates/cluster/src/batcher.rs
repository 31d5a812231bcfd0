//! How the jobs of a run are put into messages, and what of them is under way.

use std::collections::{HashMap, VecDeque};

use plyground_match::Job;

/// A parcel is worth about so many seconds of one core: enough that messages cost nothing, and little enough that no worker is last for long.
const SECONDS: f64 = 20.0;
/// However short the games are: a message must not become too large.
const LARGEST: usize = 2_000;
/// Parcels for each core that are in the queue or under way: enough that nobody waits for the coordinator.
const AHEAD: usize = 3;
/// Parcels at least, as long as nobody is known who could do them.
const LEAST_AHEAD: usize = 8;

/// The jobs of a run that are not done.
#[derive(Debug, Default)]
pub struct Batcher {
    waiting: VecDeque<Job>,
    /// Those that are sent one by one, because one of a parcel does harm.
    alone: VecDeque<Job>,
    /// Parcels that were sent, with how many of their jobs are not done.
    sent: HashMap<u64, usize>,
    /// Jobs that were sent, with their parcels.
    under_way: HashMap<String, (u64, Job)>,
    count: u64,
    /// Seconds that a job takes.
    each: Option<f64>,
    cores: usize,
}

impl Batcher {
    pub fn new(jobs: Vec<Job>) -> Self {
        Self { waiting: jobs.into(), ..Self::default() }
    }

    /// Nothing is left.
    pub fn is_done(&self) -> bool {
        self.left() == 0
    }

    /// Jobs that are not done.
    pub fn left(&self) -> usize {
        self.waiting.len() + self.alone.len() + self.under_way.len()
    }

    pub fn is_under_way(&self) -> bool {
        !self.under_way.is_empty()
    }

    /// So many cores work on it.
    pub fn worked_on_by(&mut self, cores: usize) {
        self.cores = cores;
    }

    /// So many jobs took so long, one after the other.
    pub fn measured(&mut self, jobs: usize, seconds: f64) {
        if jobs > 0 && seconds > 0.0 {
            let each = seconds / jobs as f64;
            self.each = Some(self.each.map_or(each, |before| before + (each - before) / 4.0));
        }
    }

    /// How many jobs go into a parcel now.
    fn size(&self) -> usize {
        let Some(each) = self.each else { return 1 };
        let worth = (SECONDS / each) as usize;
        // Towards the end everybody should still have something to do.
        let share = self.waiting.len() / (2 * self.cores.max(1));
        worth.min(share).clamp(1, LARGEST)
    }

    /// The next parcel to send, if it is time for one.
    pub fn next(&mut self) -> Option<Vec<Job>> {
        if self.sent.len() >= (AHEAD * self.cores).max(LEAST_AHEAD) {
            return None;
        }
        let jobs: Vec<Job> = if let Some(job) = self.alone.pop_front() {
            vec![job]
        } else {
            let size = self.size().min(self.waiting.len());
            self.waiting.drain(..size).collect()
        };
        if jobs.is_empty() {
            return None;
        }
        self.count += 1;
        self.sent.insert(self.count, jobs.len());
        self.under_way.extend(jobs.iter().map(|job| (job.id.clone(), (self.count, job.clone()))));
        Some(jobs)
    }

    /// A job is done, or was given up. It, if it was not before.
    pub fn settle(&mut self, job: &str) -> Option<Job> {
        if let Some((parcel, job)) = self.under_way.remove(job) {
            let left = self.sent.get_mut(&parcel)?;
            *left -= 1;
            if *left == 0 {
                self.sent.remove(&parcel);
            }
            return Some(job);
        }
        // Somebody else asked for it, or it was done long ago.
        for queue in [&mut self.waiting, &mut self.alone] {
            if let Some(place) = queue.iter().position(|waiting| waiting.id == job) {
                return queue.remove(place);
            }
        }
        None
    }

    /// Something in the parcel of this job does harm: it is sent again by itself.
    pub fn send_alone(&mut self, job: &str) {
        if let Some(job) = self.settle(job) {
            self.alone.push_back(job);
        }
    }

    /// What was sent is lost: all of it is sent again.
    pub fn send_again(&mut self) {
        self.sent.clear();
        let mut lost: Vec<Job> = self.under_way.drain().map(|(_, (_, job))| job).collect();
        lost.sort_by(|one, other| one.pair.cmp(&other.pair).then_with(|| one.agents.cmp(&other.agents)));
        lost.into_iter().rev().for_each(|job| self.waiting.push_front(job));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs(count: u64) -> Vec<Job> {
        let job = |pair: u64| Job { id: format!("r-{pair}"), run: "r".to_owned(), agents: [0, 1], pair, opening: Vec::new() };
        (0..count).map(job).collect()
    }

    fn pairs(jobs: &[Job]) -> Vec<u64> {
        jobs.iter().map(|job| job.pair).collect()
    }

    #[test]
    fn every_job_is_sent_once_and_parcels_grow_with_what_is_known() {
        let mut parcels = Batcher::new(jobs(1000));
        assert_eq!(pairs(&parcels.next().unwrap()), [0]);
        parcels.worked_on_by(4);
        parcels.measured(1, 0.5);
        assert_eq!(parcels.next().unwrap().len(), 40, "twenty seconds");
        let mut found = 41;
        while !parcels.is_done() {
            let sent: Vec<Vec<Job>> = std::iter::from_fn(|| parcels.next()).collect();
            found += sent.iter().map(Vec::len).sum::<usize>();
            assert!(parcels.is_under_way());
            let ids: Vec<String> = parcels.under_way.keys().cloned().collect();
            assert!(ids.iter().all(|id| parcels.settle(id).is_some()));
            assert!(parcels.settle("r-0").is_none(), "done is done");
        }
        assert_eq!(found, 1000);
    }

    #[test]
    fn no_more_is_sent_than_somebody_could_do_soon() {
        let mut parcels = Batcher::new(jobs(1000));
        assert_eq!(std::iter::from_fn(|| parcels.next()).count(), LEAST_AHEAD);
        parcels.worked_on_by(10);
        assert_eq!(std::iter::from_fn(|| parcels.next()).count(), 30 - LEAST_AHEAD);
        parcels.settle("r-3").unwrap();
        assert_eq!(std::iter::from_fn(|| parcels.next()).count(), 1);
        parcels.settle("r-500").unwrap();
        assert_eq!(parcels.left(), 998, "somebody else did one that was not sent yet");
    }

    #[test]
    fn what_is_lost_is_sent_again_and_what_does_harm_alone() {
        let mut parcels = Batcher::new(jobs(200));
        parcels.measured(1, 1.0);
        assert_eq!(parcels.next().unwrap().len(), 20);
        parcels.settle("r-4").unwrap();
        parcels.send_again();
        assert_eq!(pairs(&parcels.next().unwrap())[..6], [0, 1, 2, 3, 5, 6]);
        parcels.send_alone("r-2");
        parcels.send_alone("r-5");
        assert_eq!(pairs(&parcels.next().unwrap()), [2]);
        assert_eq!(pairs(&parcels.next().unwrap()), [5]);
        assert_eq!(parcels.left(), 199);
    }
}
