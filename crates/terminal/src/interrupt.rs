//! Ctrl-C: the first asks for an answer with what there is, the second ends the program.

use std::ops::ControlFlow;
use std::process;
use std::sync::{LazyLock, OnceLock};

use anyhow::Context;
use plyground_core::CancelToken;

static TOKEN: LazyLock<CancelToken> = LazyLock::new(CancelToken::new);
static BEFORE_EXIT: OnceLock<fn()> = OnceLock::new();

/// The exit code that a shell reports for a program that was interrupted.
pub const INTERRUPTED: i32 = 130;

/// From now on Ctrl-C (or a termination from outside) no longer ends the program at once.
pub fn catch() -> anyhow::Result<()> {
    let handler = || {
        if TOKEN.is_cancelled() {
            BEFORE_EXIT.get().inspect(|act| act());
            process::exit(INTERRUPTED);
        }
        TOKEN.cancel();
    };
    ctrlc::set_handler(handler).context("cannot listen for Ctrl-C")
}

/// Has something done before the program is ended at once; the first call counts.
pub fn before_exit(act: fn()) {
    let _ = BEFORE_EXIT.set(act);
}

/// The same as Ctrl-C for the first time.
pub fn ask() {
    TOKEN.cancel();
}

/// The token that Ctrl-C cancels.
pub fn token() -> &'static CancelToken {
    &TOKEN
}

/// Whether Ctrl-C was pressed.
pub fn asked() -> bool {
    TOKEN.is_cancelled()
}

/// The same as an answer to an observer of a search.
pub fn flow() -> ControlFlow<()> {
    if asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
