//! Long work that Ctrl-C ends: it is done on a thread of its own, without Python's lock, while this one looks after signals.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use plyground_core::CancelToken;
use plyground_core::sync::lock;
use pyo3::exceptions::PyRuntimeError;
use pyo3::{PyErr, PyResult, Python};

/// How often signals are looked for.
const TICK: Duration = Duration::from_millis(25);

/// Does long work. A signal whose handler raises (Ctrl-C) cancels the token, and is raised when the work has ended. `tick` is called now
/// and then meanwhile, and once at the end.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    mut tick: impl FnMut(Python<'_>) -> PyResult<()>,
    work: impl FnOnce(&CancelToken) -> T + Send,
) -> PyResult<T> {
    let cancel = CancelToken::new();
    let (done, ended) = channel();
    let ended = Mutex::new(ended);
    thread::scope(|scope| {
        let token = cancel.clone();
        scope.spawn(move || {
            let result = work(&token);
            // The receiver waits until it has it.
            let _ = done.send(result);
        });
        let mut raised: Option<PyErr> = None;
        let result = loop {
            match py.detach(|| ended_within(&ended)) {
                Ok(result) => break result,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(raised.unwrap_or_else(|| PyRuntimeError::new_err("a thread of Plyground has panicked")));
                }
            }
            if raised.is_none()
                && let Err(error) = py.check_signals().and_then(|()| tick(py))
            {
                cancel.cancel();
                raised = Some(error);
            }
        };
        match raised {
            Some(error) => Err(error),
            None => tick(py).map(|()| result),
        }
    })
}

fn ended_within<T>(ended: &Mutex<Receiver<T>>) -> Result<T, RecvTimeoutError> {
    lock(ended).recv_timeout(TICK)
}
