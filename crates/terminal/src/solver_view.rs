//! The view of a running solver.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use plyground_session::StopCheck;

use crate::interrupt;

/// The progress of a running solver, and its end: by a time limit or Ctrl-C.
pub struct SolverView {
    begin: Instant,
    limit: Option<Duration>,
    bar: Option<ProgressBar>,
    every: Duration,
    next: Duration,
    quiet: bool,
}

impl SolverView {
    /// A view of a solver that starts now. From now on Ctrl-C ends the solver.
    pub fn new(limit: Option<Duration>, quiet: bool) -> anyhow::Result<Self> {
        interrupt::catch()?;
        let bar = (io::stderr().is_terminal() && !quiet).then(|| match limit {
            Some(limit) => ProgressBar::new(limit.as_millis() as u64).with_style(style("{bar:30} {msg}, {elapsed} gone")),
            None => ProgressBar::new_spinner().with_style(style("{spinner} {msg}, {elapsed} gone")),
        });
        // A bar moves, lines in a pipe are for reading afterwards.
        let every = if bar.is_some() { Duration::from_millis(100) } else { Duration::from_secs(10) };
        Ok(Self { begin: Instant::now(), limit, bar, every, next: every, quiet })
    }

    fn show(&self, nodes: u64, elapsed: Duration) {
        let seconds = elapsed.as_secs_f64();
        let rate = format!("{nodes} positions, {:.0} a second", nodes as f64 / seconds.max(1e-9));
        match &self.bar {
            Some(bar) => {
                bar.set_message(rate);
                bar.set_position(elapsed.as_millis() as u64);
            }
            // The reader may have closed the pipe.
            None => drop(writeln!(io::stderr(), "{seconds:.0} s: {rate}")),
        }
    }

    /// The time since the solver was started.
    pub fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is well-formed")
}

impl StopCheck for SolverView {
    fn check(&mut self, nodes: u64) -> ControlFlow<()> {
        let elapsed = self.begin.elapsed();
        if elapsed >= self.next && !self.quiet {
            self.next = elapsed + self.every;
            self.show(nodes, elapsed);
        }
        if interrupt::asked() || self.limit.is_some_and(|limit| elapsed >= limit) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
