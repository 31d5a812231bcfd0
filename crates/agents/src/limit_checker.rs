//! The limits of a search and its reports of progress, for all agents.

use plyground_core::{Budget, Opinion, Progress, SearchObserver};

/// A check of a search against its budget. Reading the clock and calling the observer cost more than a node of a fast search, so both
/// happen only every so many steps.
pub(crate) struct LimitChecker<'a, 'b, M> {
    pub budget: &'a Budget<'b>,
    observer: &'a mut dyn SearchObserver<M>,
    /// Steps (simulations or nodes) done.
    pub steps: u64,
    most: Option<u64>,
    next_look: u64,
    every: u64,
    stopped: bool,
}

impl<'a, 'b, M> LimitChecker<'a, 'b, M> {
    /// At most `most` steps; the clock is read and the observer called every `every` steps.
    pub fn new(budget: &'a Budget<'b>, observer: &'a mut dyn SearchObserver<M>, most: Option<u64>, every: u64) -> Self {
        Self { budget, observer, steps: 0, most, next_look: every, every, stopped: false }
    }

    /// Counts a step; says whether thinking has to stop.
    #[inline]
    pub fn step(&mut self, opinion: impl Fn() -> Opinion<M>) -> bool {
        self.steps += 1;
        if self.steps >= self.next_look {
            self.look(&opinion);
        }
        self.stopped()
    }

    /// Has thinking been told to stop?
    #[inline]
    pub fn stopped(&self) -> bool {
        self.stopped || self.most.is_some_and(|most| self.steps >= most)
    }

    #[cold]
    fn look(&mut self, opinion: &dyn Fn() -> Opinion<M>) {
        self.next_look = self.steps + self.every;
        let by_steps = self.most.map_or(0.0, |most| self.steps as f32 / most as f32);
        let done = by_steps.max(self.budget.time_used().unwrap_or(0.0)).min(1.0);
        let watched = self.observer.progress(&Progress { done, nodes: self.steps, opinion });
        self.stopped |= watched.is_break() || self.budget.out_of_time();
    }
}
