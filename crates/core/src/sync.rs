//! Mutexes that stay usable after a panic.
//!
//! A thread that panics while it holds a lock poisons it. Nothing here leaves half-written data under a lock, so the data behind a
//! poisoned one is as good as any: all crates take locks with these functions.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The guard of a mutex, also of a poisoned one.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The data of a mutex that is not shared any more, also of a poisoned one.
pub fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The guard after a wait for a condition variable: until it is notified (or wakes without a reason), at most for `timeout`.
pub fn wait_timeout<'a, T>(changed: &Condvar, guard: MutexGuard<'a, T>, timeout: Duration) -> MutexGuard<'a, T> {
    changed.wait_timeout(guard, timeout).unwrap_or_else(PoisonError::into_inner).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_poisoned_mutex_still_gives_its_data() {
        let mutex = Mutex::new(1);
        let panicked = std::thread::scope(|scope| {
            let held = scope.spawn(|| {
                let mut guard = lock(&mutex);
                *guard = 2;
                panic!("while the lock is held");
            });
            held.join().is_err()
        });
        assert!(panicked && mutex.is_poisoned());
        assert_eq!(*lock(&mutex), 2);
        assert_eq!(*wait_timeout(&Condvar::new(), lock(&mutex), Duration::ZERO), 2);
        assert_eq!(into_inner(mutex), 2);
    }
}
