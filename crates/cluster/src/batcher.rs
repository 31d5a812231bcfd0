//! Batching of the jobs of a run into messages, with a record of what is in flight.

use std::collections::{HashMap, HashSet, VecDeque};

use plyground_match::Job;

/// The work of a batch in seconds of one core: enough that messages cost nothing, and little enough that no worker is last for long.
const SECONDS: f64 = 20.0;
/// The most jobs of a batch, however short the games are: a message must not become too large.
const LARGEST: usize = 2_000;
/// The longest time of a job that is believed, in seconds.
const LONGEST: f64 = 86_400.0;
/// Batches for each core that are queued or in flight: enough that no worker waits for the coordinator.
const AHEAD: usize = 3;
/// The least number of batches ahead, for as long as no worker is known.
const LEAST_AHEAD: usize = 8;

/// The jobs of a run that are not done, grouped into batcher.
#[derive(Debug, Default)]
pub struct Batcher {
    waiting: VecDeque<Job>,
    /// Jobs to be sent one by one, because one of their batch makes workers fail.
    alone: VecDeque<Job>,
    /// Batches that were sent, with how many of their jobs are not done.
    sent: HashMap<u64, usize>,
    /// Jobs that were sent, with their batcher.
    under_way: HashMap<String, (u64, Job)>,
    count: u64,
    /// Seconds that a job takes.
    each: Option<f64>,
    cores: usize,
}

impl Batcher {
    /// A batcher of these jobs. A store that is damaged may have a job twice; it is done once.
    pub fn new(mut jobs: Vec<Job>) -> Self {
        let mut seen = HashSet::new();
        jobs.retain(|job| seen.insert(job.id.clone()));
        Self { waiting: jobs.into(), ..Self::default() }
    }

    /// Is nothing left?
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

    /// Sets the number of cores that work on the run.
    pub fn worked_on_by(&mut self, cores: usize) {
        self.cores = cores;
    }

    /// Adds a measurement: so many jobs took so long, one after the other.
    pub fn measured(&mut self, jobs: usize, seconds: f64) {
        if jobs > 0 && seconds > 0.0 {
            // What a sender says of its time must not stop the run.
            let each = (seconds / jobs as f64).clamp(1e-6, LONGEST);
            self.each = Some(self.each.map_or(each, |before| before + (each - before) / 4.0));
        }
    }

    /// The number of jobs for the next batch.
    fn size(&self) -> usize {
        let Some(each) = self.each else { return 1 };
        let full = (SECONDS / each) as usize;
        // Towards the end every core should still have something to do.
        let share = self.waiting.len() / (2 * self.cores.max(1));
        full.min(share).clamp(1, LARGEST)
    }

    /// The next batch to send, if it is time for one.
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

    /// Removes a job that is done or was given up; the job, if it was still open.
    pub fn settle(&mut self, job: &str) -> Option<Job> {
        if let Some((batch, job)) = self.under_way.remove(job) {
            let left = self.sent.get_mut(&batch)?;
            *left -= 1;
            if *left == 0 {
                self.sent.remove(&batch);
            }
            return Some(job);
        }
        // A job of another coordinator, or one that was done before.
        for queue in [&mut self.waiting, &mut self.alone] {
            if let Some(place) = queue.iter().position(|waiting| waiting.id == job) {
                return queue.remove(place);
            }
        }
        None
    }

    /// Queues a job to be sent again in a batch of its own, after its batch has failed.
    pub fn send_alone(&mut self, job: &str) {
        if let Some(job) = self.settle(job) {
            self.alone.push_back(job);
        }
    }

    /// Queues a job in flight once more, since a result of it was refused; false if it is not in flight.
    pub fn send_once_more(&mut self, job: &str) -> bool {
        if !self.under_way.contains_key(job) {
            return false;
        }
        if let Some(job) = self.settle(job) {
            self.waiting.push_front(job);
        }
        true
    }

    /// Adds a job that was done and is to be done again.
    pub fn reopen(&mut self, job: Job) {
        self.settle(&job.id);
        self.waiting.push_front(job);
    }

    /// Queues all jobs in flight again, after the server has lost them.
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
    fn every_job_is_sent_once_and_batches_grow_with_what_is_known() {
        let mut batcher = Batcher::new(jobs(1000));
        assert_eq!(pairs(&batcher.next().unwrap()), [0]);
        batcher.worked_on_by(4);
        batcher.measured(1, 0.5);
        assert_eq!(batcher.next().unwrap().len(), 40, "twenty seconds");
        let mut found = 41;
        while !batcher.is_done() {
            let sent: Vec<Vec<Job>> = std::iter::from_fn(|| batcher.next()).collect();
            found += sent.iter().map(Vec::len).sum::<usize>();
            assert!(batcher.is_under_way());
            let ids: Vec<String> = batcher.under_way.keys().cloned().collect();
            assert!(ids.iter().all(|id| batcher.settle(id).is_some()));
            assert!(batcher.settle("r-0").is_none(), "done is done");
        }
        assert_eq!(found, 1000);
    }

    #[test]
    fn a_job_that_a_damaged_store_has_twice_is_done_once() {
        let mut batcher = Batcher::new([jobs(2), jobs(2)].concat());
        assert_eq!((batcher.left(), pairs(&batcher.next().unwrap())), (2, vec![0]));
        for job in jobs(2) {
            batcher.reopen(job);
            assert_eq!(batcher.left(), 2);
        }
        assert!(batcher.settle("r-0").is_some() && batcher.settle("r-1").is_some());
        assert!(batcher.is_done() && batcher.next().is_none());
    }

    #[test]
    fn no_more_is_sent_than_workers_could_do_soon() {
        let mut batcher = Batcher::new(jobs(1000));
        assert_eq!(std::iter::from_fn(|| batcher.next()).count(), LEAST_AHEAD);
        batcher.worked_on_by(10);
        assert_eq!(std::iter::from_fn(|| batcher.next()).count(), 30 - LEAST_AHEAD);
        batcher.settle("r-3").unwrap();
        assert_eq!(std::iter::from_fn(|| batcher.next()).count(), 1);
        batcher.settle("r-500").unwrap();
        assert_eq!(batcher.left(), 998, "another coordinator had one done that was not sent yet");
    }

    #[test]
    fn what_is_lost_is_sent_again_and_what_does_harm_alone() {
        let mut batcher = Batcher::new(jobs(200));
        batcher.measured(1, 1.0);
        assert_eq!(batcher.next().unwrap().len(), 20);
        batcher.settle("r-4").unwrap();
        batcher.send_again();
        assert_eq!(pairs(&batcher.next().unwrap())[..6], [0, 1, 2, 3, 5, 6]);
        batcher.send_alone("r-2");
        batcher.send_alone("r-5");
        assert_eq!(pairs(&batcher.next().unwrap()), [2]);
        assert_eq!(pairs(&batcher.next().unwrap()), [5]);
        assert_eq!(batcher.left(), 199);
        assert!(batcher.send_once_more("r-5") && !batcher.send_once_more("r-5") && !batcher.send_once_more("r-4"));
        assert_eq!(pairs(&batcher.next().unwrap())[..2], [5, 21]);
        batcher.reopen(jobs(5).remove(4));
        assert_eq!(batcher.left(), 200);
    }
}
