//! Cancellation: how long work is told to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A token by which long work is cancelled: a run, a training, a game, a thought.
///
/// Clones share one state. A child is cancelled with its parent, and may be cancelled alone: a run that is decided stops, the program
/// goes on.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<State>);

#[derive(Debug, Default)]
struct State {
    cancelled: AtomicBool,
    deadline: Option<Instant>,
    parent: Option<CancelToken>,
}

impl CancelToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// A token that is cancelled with this one, and by its own [`CancelToken::cancel`].
    #[must_use]
    pub fn child(&self) -> Self {
        Self(Arc::new(State { parent: Some(self.clone()), ..State::default() }))
    }

    /// A child that is cancelled after this time of the real clock, too.
    #[must_use]
    pub fn child_for(&self, time: Duration) -> Self {
        let deadline = Instant::now().checked_add(time);
        Self(Arc::new(State { parent: Some(self.clone()), deadline, ..State::default() }))
    }

    /// Cancels the token, its clones and its children.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the work is to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
            || self.0.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.0.parent.as_ref().is_some_and(Self::is_cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_cancels_its_children_and_not_the_other_way_round() {
        let parent = CancelToken::new();
        let (one, other) = (parent.child(), parent.child());
        one.cancel();
        assert!(one.is_cancelled() && one.clone().is_cancelled());
        assert!(!parent.is_cancelled() && !other.is_cancelled());
        parent.cancel();
        assert!(other.is_cancelled() && other.child().is_cancelled());
    }

    #[test]
    fn a_deadline_cancels_a_child_alone() {
        let parent = CancelToken::new();
        assert!(!parent.child_for(Duration::from_mins(10)).is_cancelled());
        assert!(parent.child_for(Duration::ZERO).is_cancelled());
        assert!(!parent.child_for(Duration::MAX).is_cancelled());
        assert!(!parent.is_cancelled());
    }
}
