//! The progress of judging, and its end before time.

use std::ops::ControlFlow;

/// A stage of judging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeStage {
    /// The reachable positions are listed.
    Listing,
    /// They are solved.
    Solving,
    /// The contenders choose.
    Judging,
}

/// A callback that is given the stage, how many are done and of how many (0 where that is not known); `Break` ends the judging.
pub type JudgeWatch<'a> = dyn FnMut(JudgeStage, u64, u64) -> ControlFlow<()> + 'a;

/// Positions between two calls of the watch.
const EVERY: usize = 64;

/// The watch ended the judging.
pub(crate) struct Stopped;

/// Calls the watch every [`EVERY`] positions.
pub(crate) fn report_progress(watch: &mut JudgeWatch<'_>, stage: JudgeStage, done: usize, of: usize) -> Result<(), Stopped> {
    if done.is_multiple_of(EVERY) && watch(stage, done as u64, of as u64).is_break() {
        return Err(Stopped);
    }
    Ok(())
}
