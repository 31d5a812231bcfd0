//! Something long goes on: what it has come to so far, live on a terminal, a line now and then in a pipe.

use std::io::{IsTerminal, Write as _};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plyground_session::{InterimAdvice, ProgressObserver, SearchProgress};

use crate::interrupt;
use crate::text::{Lean, columns, count, percent, rate, seconds, shortened};

/// A text on the terminal that is drawn again and again; in a pipe, a line every few seconds; nothing when told to be quiet.
/// What it shows goes to standard error: the result alone is on standard output.
pub struct LiveText {
    begin: Instant,
    next: Duration,
    screen: Option<ProgressBar>,
    quiet: bool,
}

impl LiveText {
    const REDRAW: Duration = Duration::from_millis(100);
    const LINE: Duration = Duration::from_secs(3);

    pub fn new(quiet: bool) -> Self {
        let screen = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("{msg}").expect("the template is well-formed");
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(20)).with_style(style)
        });
        let next = if screen.is_some() { Self::REDRAW } else { Self::LINE };
        Self { begin: Instant::now(), next, screen, quiet }
    }

    pub fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Shows something new, if it is time for that: `full` on a terminal, `line` in a pipe.
    pub fn show(&mut self, full: impl FnOnce() -> String, line: impl FnOnce() -> String) {
        let elapsed = self.elapsed();
        if self.quiet || elapsed < self.next {
            return;
        }
        if let Some(screen) = &self.screen {
            self.next = elapsed + Self::REDRAW;
            // A line that wraps would make the text jump.
            let width = textwrap::termwidth().max(20) - 1;
            let lines: Vec<String> = full().lines().map(|line| line.chars().take(width).collect()).collect();
            screen.set_message(lines.join("\n"));
        } else {
            self.next = elapsed + Self::LINE;
            // The reader may have gone: that is no reason to stop.
            let _ = writeln!(std::io::stderr(), "{}", line());
        }
    }

    /// A line that stays, above what is drawn again and again.
    pub fn print(&self, line: &str) {
        match &self.screen {
            _ if self.quiet => (),
            Some(screen) => screen.suspend(|| eprintln!("{line}")),
            None => {
                let _ = writeln!(std::io::stderr(), "{line}");
            }
        }
    }
}

impl Drop for LiveText {
    fn drop(&mut self) {
        if let Some(screen) = &self.screen {
            screen.finish_and_clear();
        }
    }
}

/// A bar of 30 characters for a part from 0 to 1.
pub fn bar(done: f32) -> String {
    const WIDTH: usize = 30;
    let filled = ((done.clamp(0.0, 1.0) * WIDTH as f32) as usize).min(WIDTH);
    format!("{}{} {:>3.0} %", "█".repeat(filled), "░".repeat(WIDTH - filled), done * 100.0)
}

/// The live view of a search. Ctrl-C makes the agent answer with what it has.
pub struct LiveSearch {
    text: LiveText,
    heading: String,
}

impl LiveSearch {
    pub fn new(heading: String, quiet: bool) -> Self {
        Self { text: LiveText::new(quiet), heading }
    }
}

impl ProgressObserver for LiveSearch {
    fn progress(&mut self, progress: &SearchProgress<'_>) -> ControlFlow<()> {
        let (elapsed, heading) = (self.text.elapsed(), &self.heading);
        self.text.show(
            || full_view(heading, elapsed, progress),
            || format!("{heading}: {}", summary(elapsed, progress, &(progress.opinion)())),
        );
        interrupt::flow()
    }
}

/// What fits into a line.
fn summary(elapsed: Duration, progress: &SearchProgress<'_>, opinion: &InterimAdvice) -> String {
    let mut parts = vec![seconds(elapsed)];
    if progress.done > 0.0 {
        parts.push(format!("{:.0} % done", progress.done * 100.0));
    }
    let a_second = rate(progress.nodes, elapsed).map_or(String::new(), |rate| format!(" ({rate}/s)"));
    parts.push(format!("{} steps{a_second}", count(progress.nodes)));
    parts.extend(opinion.depth.map(|depth| format!("depth {depth}")));
    parts.extend(opinion.value.map(|value| format!("win chance {}", percent(value))));
    parts.extend(opinion.line.first().map(|_| format!("line {}", shortened(&opinion.line, 4))));
    parts.join(", ")
}

fn full_view(heading: &str, elapsed: Duration, progress: &SearchProgress<'_>) -> String {
    let opinion = (progress.opinion)();
    let mut view = format!("{heading} (Ctrl-C: answer now)\n");
    // A search that does not know its end says 0 for ever.
    let done = if progress.done > 0.0 { format!("{}  ", bar(progress.done)) } else { String::new() };
    let a_second = rate(progress.nodes, elapsed).map_or(String::new(), |rate| format!(", {rate} a second"));
    view += &format!("{done}{:.1} s, {} steps{a_second}\n", elapsed.as_secs_f64(), count(progress.nodes));
    let depth = opinion.depth.map(|depth| format!("depth {depth}"));
    let value = opinion.value.map(|value| format!("win chance {}", percent(value)));
    let line = opinion.line.first().map(|_| format!("line {}", shortened(&opinion.line, 12)));
    let told: Vec<String> = [value, depth, line].into_iter().flatten().collect();
    if !told.is_empty() {
        view += &format!("{}\n", told.join(", "));
    }
    let rows: Vec<[String; 3]> = opinion.candidates.iter().take(5).map(candidate_row).collect();
    view += &columns([Lean::Left, Lean::Right, Lean::Right], &rows);
    view
}

/// A move, its visits and its win chance, where there are any.
pub fn candidate_row(candidate: &plyground_session::AdvisedMove) -> [String; 3] {
    let visits = if candidate.visits > 0 { count(candidate.visits) } else { String::new() };
    [format!("  {}", candidate.mv), visits, candidate.value.map_or(String::new(), percent)]
}
