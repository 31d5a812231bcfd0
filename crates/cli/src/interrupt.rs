//! Ctrl-C: the first asks for an answer with what there is, the second ends the program.

use std::ops::ControlFlow;
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

static ASKED: AtomicBool = AtomicBool::new(false);
static BEFORE_EXIT: OnceLock<fn()> = OnceLock::new();

/// What a shell reports for a program that was interrupted.
pub const INTERRUPTED: i32 = 130;

/// From now on Ctrl-C (or a termination from outside) no longer ends the program at once.
pub fn catch() -> anyhow::Result<()> {
    let handler = || {
        if ASKED.swap(true, Ordering::Relaxed) {
            BEFORE_EXIT.get().inspect(|act| act());
            process::exit(INTERRUPTED);
        }
    };
    ctrlc::set_handler(handler).context("cannot listen for Ctrl-C")
}

/// What is to be done before the program is ended at once; the first who says it counts.
pub fn before_exit(act: fn()) {
    let _ = BEFORE_EXIT.set(act);
}

/// The same as Ctrl-C for the first time.
pub fn ask() {
    ASKED.store(true, Ordering::Relaxed);
}

/// Has somebody asked to stop?
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// The same as an answer to whoever asks whether to go on.
pub fn flow() -> ControlFlow<()> {
    if asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
