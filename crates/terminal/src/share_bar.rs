//! The share of some work that is done.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on a terminal, a line for every tenth in a pipe.
pub struct ShareBar {
    bar: Option<ProgressBar>,
    quiet: bool,
    tenths: u64,
}

impl ShareBar {
    /// A bar that shows nothing if it is to be quiet.
    pub fn new(quiet: bool) -> Self {
        let style = || ProgressStyle::with_template("{bar:30} {percent:>3} %  {elapsed} gone, {eta} left");
        let bar = (!quiet && io::stderr().is_terminal())
            .then(|| ProgressBar::new(1_000).with_style(style().expect("the template is well-formed")));
        Self { bar, quiet, tenths: 0 }
    }

    /// Shows how much is done.
    pub fn show(&mut self, done: u64, total: u64) {
        match &self.bar {
            Some(bar) => bar.set_position(done * 1_000 / total.max(1)),
            None if !self.quiet && done * 10 / total.max(1) > self.tenths => {
                self.tenths = done * 10 / total.max(1);
                // Where not even this can be written, the file still counts.
                let _ = writeln!(io::stderr(), "{} % done", self.tenths * 10);
            }
            None => {}
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
