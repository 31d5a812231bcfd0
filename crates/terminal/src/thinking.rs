//! Waiting for an agent: a progress bar.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use plyground_session::{ProgressObserver, SearchProgress};

/// A time in milliseconds for a record: whole microseconds, finer than anyone can measure and short to write.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1_000.0
}

/// Shows on the terminal how far an agent has come; shows nothing in a pipe, or when told to be quiet.
pub struct ThinkingBar(Option<ProgressBar>);

impl ThinkingBar {
    const STEPS: u64 = 1_000;

    pub fn new(who: &str, quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let style = ProgressStyle::with_template("{msg} {bar:30} {percent:>3} %  {elapsed} gone, {eta} left");
        let bar = ProgressBar::new(Self::STEPS)
            .with_message(format!("{who} thinks"))
            .with_style(style.expect("the template is well-formed"));
        Self(Some(bar))
    }
}

impl ProgressObserver for ThinkingBar {
    fn progress(&mut self, progress: &SearchProgress<'_>) -> ControlFlow<()> {
        if let Some(bar) = &self.0 {
            bar.set_position((progress.done * Self::STEPS as f32) as u64);
        }
        ControlFlow::Continue(())
    }
}

impl Drop for ThinkingBar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
