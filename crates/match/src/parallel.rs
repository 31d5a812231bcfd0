//! Independent pieces of work on several threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use plyground_core::CancelToken;
use plyground_core::sync::{into_inner, lock};

/// The results of `work` for the numbers from 0 up to `count`, in their order, with a thread for each of the states; which thread does
/// which number is up to chance. The first error ends it. `None` if it was cancelled before all were done.
pub fn parallel_map<S: Send, T: Send, E: Send>(
    states: Vec<S>,
    count: u64,
    cancel: &CancelToken,
    work: impl Fn(&mut S, u64) -> Result<T, E> + Sync,
) -> Result<Option<Vec<T>>, E> {
    let (next, failed) = (AtomicU64::new(0), cancel.child());
    let done: Mutex<Result<Vec<(u64, T)>, E>> = Mutex::new(Ok(Vec::new()));
    let run = |mut state: S| {
        while !failed.is_cancelled() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let result = work(&mut state, number);
            match (result, &mut *lock(&done)) {
                (Ok(value), Ok(done)) => done.push((number, value)),
                (Err(error), done @ Ok(_)) => {
                    *done = Err(error);
                    failed.cancel();
                }
                (_, Err(_)) => return,
            }
        }
    };
    std::thread::scope(|scope| {
        for state in states {
            scope.spawn(|| run(state));
        }
    });
    let mut done = into_inner(done)?;
    done.sort_by_key(|&(number, _)| number);
    Ok((done.len() as u64 == count).then(|| done.into_iter().map(|(_, value)| value).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_number_of_threads() {
        for threads in 1..4 {
            let squares = parallel_map(vec![(); threads], 100, &CancelToken::new(), |(), number| Ok::<_, ()>(number * number));
            assert_eq!(squares, Ok(Some((0..100).map(|number| number * number).collect())));
        }
    }

    #[test]
    fn the_first_error_ends_it() {
        let work = |calls: &mut u64, number: u64| {
            *calls += 1;
            if number == 3 { Err(*calls) } else { Ok(number) }
        };
        assert_eq!(parallel_map(vec![0], 1_000_000, &CancelToken::new(), work), Err(4));
    }

    #[test]
    fn what_is_cancelled_has_no_result() {
        let cancel = CancelToken::new();
        let work = |(): &mut (), number: u64| {
            if number == 5 {
                cancel.cancel();
            }
            Ok::<_, ()>(number)
        };
        assert_eq!(parallel_map(vec![(), ()], 100_000, &cancel, work), Ok(None));
    }
}
