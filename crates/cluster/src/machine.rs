//! The machine that a program runs on: its clock, its tasks, and numbers that no other program has.

use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::future::{AbortHandle, BoxFuture, Either, abortable, select};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// The interval at which tokens are read.
const TICK: Duration = Duration::from_millis(100);

/// A machine as programs see it.
pub trait Machine: Send + Sync {
    /// The time since some moment. It never goes back.
    fn now(&self) -> Duration;
    /// Waits.
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()>;
    /// Starts a task.
    fn start(&self, task: BoxFuture<'static, ()>);
    /// The interval at which tokens are read.
    fn tick(&self) -> Duration;
    /// A name that no other program has, at any time.
    fn unique(&self) -> String;
    /// A number that no other program can guess.
    fn random(&self) -> u64;
}

impl dyn Machine + '_ {
    /// The value of a future; `None` if it takes longer.
    pub async fn within<T>(&self, time: Duration, future: impl Future<Output = T>) -> Option<T> {
        match select(pin!(future), self.sleep(time)).await {
            Either::Left((value, _)) => Some(value),
            Either::Right(_) => None,
        }
    }

    /// Starts a task that can be ended.
    pub fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) -> Task {
        let (future, abort) = abortable(future);
        let (guard, ended) = oneshot::channel::<()>();
        self.start(Box::pin(async move {
            let _ = future.await;
            drop(guard);
        }));
        Task { abort: Some(abort), ended }
    }
}

/// A task that ends when this is dropped.
pub struct Task {
    abort: Option<AbortHandle>,
    /// Closed when the task has ended.
    ended: oneshot::Receiver<()>,
}

impl Task {
    /// Lets it go on for as long as the program.
    pub fn detach(mut self) {
        self.abort = None;
    }

    /// Ends it, and waits until nothing of it is under way.
    pub async fn end(mut self) {
        if let Some(abort) = self.abort.take() {
            abort.abort();
        }
        let _ = (&mut self.ended).await;
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if let Some(abort) = self.abort.take() {
            abort.abort();
        }
    }
}

/// This machine, with the tasks of a runtime.
pub struct RealMachine {
    handle: Handle,
    begun: Instant,
}

impl RealMachine {
    pub fn new(handle: Handle) -> Self {
        Self { handle, begun: Instant::now() }
    }
}

impl Machine for RealMachine {
    fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        let _in_runtime = self.handle.enter();
        Box::pin(tokio::time::sleep(time))
    }

    fn start(&self, task: BoxFuture<'static, ()>) {
        self.handle.spawn(task);
    }

    fn tick(&self) -> Duration {
        TICK
    }

    fn unique(&self) -> String {
        let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
        format!("{}-{now:x}", std::process::id())
    }

    fn random(&self) -> u64 {
        use std::hash::{BuildHasher as _, Hasher as _};
        std::collections::hash_map::RandomState::new().build_hasher().finish()
    }
}
