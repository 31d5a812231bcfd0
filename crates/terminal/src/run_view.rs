//! What is shown and written down while a run is played: a progress bar, and JSON lines.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use plyground_match::{Results, Run, RunEvent, RunObserver, RunPrefix, Seats, Store};
use plyground_session::sync::lock;
use serde_json::{Value, json};

/// Shows on the terminal how far a run is, and writes what happens to the event log.
pub struct RunView<'a> {
    store: &'a Store,
    quiet: bool,
    summary: &'a (dyn Fn(&Results) -> String + Sync),
    log: Option<&'a EventLog>,
    /// When the run ends, where nothing but time ends it.
    end: Option<Instant>,
    progress: Mutex<Option<Progress>>,
}

impl<'a> RunView<'a> {
    /// A view without a summary and without a log; it shows nothing where it is quiet.
    pub fn new(store: &'a Store, quiet: bool) -> Self {
        Self { store, quiet, summary: &|_| String::new(), log: None, end: None, progress: Mutex::default() }
    }

    /// Shows what the results say, in a few words or lines.
    #[must_use]
    pub fn with_summary(self, summary: &'a (dyn Fn(&Results) -> String + Sync)) -> Self {
        Self { summary, ..self }
    }

    /// Writes what happens to this log.
    #[must_use]
    pub fn with_log(self, log: Option<&'a EventLog>) -> Self {
        Self { log, ..self }
    }

    /// Shows how much is left of this time, for a run that ends with it.
    #[must_use]
    pub fn lasting(self, time: Option<Duration>) -> Self {
        Self { end: time.and_then(|time| Instant::now().checked_add(time)), ..self }
    }

    /// An error if not everything could be written to the log.
    pub fn check_log(&self, run: &Run) -> anyhow::Result<()> {
        self.log.map_or(Ok(()), |log| log.check(run))
    }

    fn show(&self, run: &Run, results: &Results) {
        if let Some(progress) = lock(&self.progress).as_ref() {
            let done_by_all = || self.store.done(RunPrefix { run: &run.id, pairs: progress.pairs }).unwrap_or(0);
            progress.show(results, self.summary, &done_by_all);
        }
    }
}

impl RunObserver for RunView<'_> {
    fn observe(&self, run: &Run, event: &RunEvent<'_>) {
        match event {
            RunEvent::RunStarted { results, pairs, wanted } => {
                let mut progress = Progress::new(*wanted, *pairs, results.jobs(), run.experiment.seats, self.quiet);
                progress.end = self.end;
                *lock(&self.progress) = Some(progress);
                self.show(run, results);
            }
            RunEvent::Progress { results, .. } => self.show(run, results),
            RunEvent::RunEnded { .. } => {
                if let Some(progress) = lock(&self.progress).take() {
                    progress.finish();
                }
            }
            _ => {}
        }
        if let Some(log) = self.log {
            for line in event_json(run, event, self.summary) {
                log.add(&line);
            }
        }
    }
}

/// A bar with the table above it on a terminal, a line now and then in a pipe.
struct Progress {
    bar: Option<ProgressBar>,
    unit: &'static str,
    quiet: bool,
    /// How many pairs of each pairing are wanted.
    pairs: u64,
    begin: Instant,
    before: u64,
    total: u64,
    end: Option<Instant>,
    last: Mutex<Option<Instant>>,
}

impl Progress {
    fn new(total: u64, pairs: u64, before: u64, seats: Seats, quiet: bool) -> Self {
        let unit = match seats {
            Seats::Swapped => "pairs",
            Seats::Fixed => "games",
        };
        let template = format!("{{msg}}{{bar:40}} {{pos}} of {{len}} {unit}, {{per_sec}}, {{eta}} left");
        let style = || ProgressStyle::with_template(&template).expect("the template is well-formed");
        let bar = (io::stderr().is_terminal() && !quiet).then(|| {
            let bar = ProgressBar::new(total).with_style(style()).with_position(before);
            bar.reset_eta();
            bar
        });
        Self { bar, unit, quiet, pairs, begin: Instant::now(), before, total, end: None, last: Mutex::new(None) }
    }

    /// `done_by_all` counts what other processes have done, too.
    fn show(&self, results: &Results, summary: &dyn Fn(&Results) -> String, done_by_all: &dyn Fn() -> u64) {
        let every = Duration::from_millis(if self.bar.is_some() { 200 } else { 10_000 });
        let mut last = lock(&self.last);
        let due = last.map_or(self.bar.is_some(), |last| last.elapsed() >= every);
        if self.quiet || !due {
            last.get_or_insert_with(Instant::now);
            return;
        }
        *last = Some(Instant::now());
        let done = results.jobs().max(done_by_all());
        if let Some(bar) = &self.bar {
            let left = self.left().map_or_else(String::new, |left| format!("\n{:.0} s left", left.as_secs_f64()));
            bar.set_message(summary(results) + &left + "\n");
            bar.set_position(done);
            return;
        }
        let rate = (done - self.before) as f64 / self.begin.elapsed().as_secs_f64().max(1e-9);
        let left = (self.total - done.min(self.total)) as f64 / rate;
        let left = if rate > 0.0 { format!(", {left:.0} s left") } else { String::new() };
        let (of, left) = match self.left() {
            Some(left) => (String::new(), format!(", {:.0} s left", left.as_secs_f64())),
            None => (format!(" of {}", self.total), left),
        };
        // A table now and then would bury what is in it; and a reader that has closed this pipe wants no more.
        let text =
            Some(summary(results)).filter(|text| text.lines().count() == 1).map_or_else(String::new, |text| format!(": {text}"));
        drop(writeln!(io::stderr(), "{done}{of} {}{left}{text}", self.unit));
    }

    /// The time that is left, where nothing but time ends the run.
    fn left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A file that grows by a line of JSON for everything that happens.
pub struct EventLog {
    name: PathBuf,
    file: Mutex<File>,
    /// The first error.
    failure: Mutex<Option<io::Error>>,
}

impl EventLog {
    /// The file that the command names, if it does.
    pub fn open(name: Option<&Path>) -> anyhow::Result<Option<Self>> {
        let Some(name) = name.map(Path::to_owned) else { return Ok(None) };
        let file = File::options().create(true).append(true).open(&name);
        let file = Mutex::new(file.with_context(|| format!("cannot write {}", name.display()))?);
        Ok(Some(Self { name, file, failure: Mutex::default() }))
    }

    /// Adds a line. A disk that is full is no reason to throw away games: it is said once, at the end.
    fn add(&self, line: &Value) {
        if let Err(error) = lock(&self.file).write_all(format!("{line}\n").as_bytes()) {
            lock(&self.failure).get_or_insert(error);
        }
    }

    /// An error if not everything could be written.
    fn check(&self, run: &Run) -> anyhow::Result<()> {
        match lock(&self.failure).take() {
            Some(error) => {
                bail!("cannot write all events to {}: {error}; the games are kept in run {}", self.name.display(), run.id)
            }
            None => Ok(()),
        }
    }
}

/// What happened, for programs.
fn event_json(run: &Run, event: &RunEvent<'_>, summary: &dyn Fn(&Results) -> String) -> Vec<Value> {
    let agents = &run.experiment.agents;
    match event {
        RunEvent::GameStarted { job, game, agents } => vec![
            json!({"event": "game-started", "run": run.id, "job": job.id, "game": game, "agents": agents, "opening": job.opening}),
        ],
        RunEvent::MoveMade { job, game, player, played } => vec![json!({
            "event": "move-made",
            "job": job.id,
            "game": game,
            "player": player.map(|player| player.index() + 1),
            "move": played.text,
            "ms": played.ms,
            "value": played.value,
        })],
        // A game is told once it is kept.
        RunEvent::RunStarted { .. } | RunEvent::GameEnded { .. } => Vec::new(),
        RunEvent::JobFinished { job, games } => games
            .iter()
            .map(|game| {
                json!({
                    "event": "game-finished",
                    "run": run.id,
                    "job": job.id,
                    "game": game.game,
                    "agents": game.agents.map(|agent| &agents[agent]),
                    "winner": game.outcome.winner.map(|winner| winner.index() + 1),
                    "plies": game.plies(),
                    "reason": game.reason,
                    "fault": game.fault,
                })
            })
            .collect(),
        RunEvent::ResultsRefused { refused } => vec![json!({
            "event": "results-refused",
            "run": run.id,
            "worker": refused.worker,
            "results": refused.results,
            "reason": refused.reason,
            "banned": refused.banned,
        })],
        RunEvent::WorkerBanned { refused, jobs } => vec![
            json!({"event": "worker-banned", "run": run.id, "worker": refused.worker, "reason": refused.reason, "jobs": jobs}),
        ],
        RunEvent::Progress { results, wanted } => {
            vec![json!({"event": "progress", "run": run.id, "done": results.jobs(), "of": wanted})]
        }
        RunEvent::RunEnded { results, complete } => {
            vec![json!({"event": "verdict", "run": run.id, "complete": complete, "words": summary(results)})]
        }
    }
}
