//! What all experiments share: the store, the conditions of the games, and how a run is watched.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use plyground_match::{
    Book, Event, Executor, Experiment, Format, News, Openings, Results, Run, RunError, RunPrefix, Seats, Standing, Store,
    opening_plies, shell_word,
};
use plyground_session::{Limits, Turn, open};
use plyground_statistics::{logistic_elo, per_cent, score_words};
use serde_json::{Value, json};

use crate::args::{Conditions, Global, QUEUE_OPTIONS};
use crate::interrupt;
use crate::store::{Files, data_dir, read_text};
use crate::terminal::{Lean, columns, count};

/// The file with all runs.
pub fn store_file(global: &Global) -> anyhow::Result<PathBuf> {
    Ok(data_dir(global)?.join("runs.sqlite"))
}

/// The store with all runs.
pub fn open_store(global: &Global) -> anyhow::Result<Store> {
    Ok(Store::open(&store_file(global)?)?)
}

/// The run that a command asks for.
pub fn run_of(game: &str, agents: &[String], format: Format, conditions: &Conditions, global: &Global) -> anyhow::Result<Run> {
    let mut experiment = Experiment::new(game, agents, &Files)?;
    experiment.format = format;
    experiment.openings = match (&conditions.openings, conditions.opening_plies) {
        (Some(file), _) => Openings::Listed { lines: read_openings(&experiment.game, file)? },
        (None, Some(0)) => Openings::Start,
        (None, Some(plies)) => Openings::Random { plies },
        (None, None) => Openings::Random { plies: opening_plies(&experiment.game)? },
    };
    experiment.limits = Limits { time: conditions.move_time, simulations: conditions.sims, ..Limits::default() };
    experiment.clock = conditions.clock;
    experiment.patience = conditions.patience;
    experiment.seed = global.seed.unwrap_or(0);
    Ok(experiment.run())
}

/// Openings from a file, each checked by playing it.
fn read_openings(game: &str, file: &Path) -> anyhow::Result<Vec<Vec<String>>> {
    let mut lines = Vec::new();
    for (number, line) in read_text(file)?.lines().enumerate() {
        let place = || format!("{}, line {}", file.display(), number + 1);
        let mut session = open(game, None)?;
        let played = line.split_whitespace().map(|text| session.play(text)).collect::<Result<Vec<_>, _>>();
        let opening = played.with_context(place)?;
        if matches!(session.turn(), Turn::Over(_)) {
            bail!("{}: expected an opening, found a game that is over", place());
        }
        if !opening.is_empty() {
            lines.push(opening);
        }
    }
    if lines.is_empty() {
        bail!("{}: expected openings, one a line, found none", file.display());
    }
    Ok(lines)
}

/// The command line that was typed, without what only says where to keep games, how to print, where to write or show them, and who plays.
pub fn command() -> String {
    const VALUED: [&str; 4] = ["--data", "--out", "-o", "--web"];
    let mut words = vec!["ply".to_owned()];
    let mut typed = std::env::args().skip(1);
    while let Some(word) = typed.next() {
        match word.as_str() {
            "--json" | "--quiet" | "--md" | "--stay" => {}
            word if VALUED.contains(&word) || QUEUE_OPTIONS.contains(&word) => drop(typed.next()),
            word if word.split_once('=').is_some_and(|(key, _)| VALUED.contains(&key) || QUEUE_OPTIONS.contains(&key)) => {}
            word => words.push(shell_word(word)),
        }
    }
    words.join(" ")
}

/// Plays pairs of a run until they are done, somebody presses Ctrl-C, or `enough` says so; what was played before counts, too.
pub struct RunDriver<'a> {
    pub store: &'a Store,
    pub run: &'a Run,
    /// Who plays.
    pub crew: &'a dyn Executor,
    pub quiet: bool,
    /// What the results say, in a few words or lines, for the live view.
    pub summary: &'a (dyn Fn(&Results) -> String + Sync),
    pub enough: &'a (dyn Fn(&Results) -> bool + Sync),
    /// Where everything that happens is written down.
    pub log: Option<&'a EventLog>,
}

/// A file that grows by a line of JSON for everything that happens.
pub struct EventLog {
    name: PathBuf,
    file: Mutex<File>,
}

impl EventLog {
    /// The file that the command names, if it does.
    pub fn open(conditions: &Conditions) -> anyhow::Result<Option<Self>> {
        let Some(name) = conditions.events.clone() else { return Ok(None) };
        let file = File::options().create(true).append(true).open(&name);
        let file = Mutex::new(file.with_context(|| format!("cannot write {}", name.display()))?);
        Ok(Some(Self { name, file }))
    }

    /// Adds a line. A disk that is full is no reason to throw away games: it is said once, at the end.
    fn add(&self, line: &Value) -> io::Result<()> {
        self.file.lock().expect("no listener panics").write_all(format!("{line}\n").as_bytes())
    }
}

/// What happened, for programs.
fn event_json(run: &Run, event: &Event<'_>) -> Vec<Value> {
    let agents = &run.experiment.agents;
    match event {
        Event::GameStarted { job, game, agents } => vec![
            json!({"event": "game-started", "run": run.id, "job": job.id, "game": game, "agents": agents, "opening": job.opening}),
        ],
        Event::MoveMade { job, game, player, played } => vec![json!({
            "event": "move-made",
            "job": job.id,
            "game": game,
            "player": player.map(|player| player.index() + 1),
            "move": played.text,
            "ms": played.ms,
            "value": played.value,
        })],
        // Told once it is kept.
        Event::GameOver { .. } => Vec::new(),
        Event::JobFinished { job, games } => games
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
    }
}

impl<'a> RunDriver<'a> {
    /// Until all is played, without a word about it.
    pub fn new(store: &'a Store, run: &'a Run, crew: &'a dyn Executor, quiet: bool) -> Self {
        Self { store, run, crew, quiet, summary: &|_| String::new(), enough: &|_| false, log: None }
    }

    /// Plays the first so many pairs (or games with fixed seats) of each pairing; their results, and whether all were played.
    pub fn play(&self, book: &mut Book, pairings: &[[usize; 2]], pairs: u64) -> anyhow::Result<(Results, bool)> {
        self.watched(pairs, |conduct| conduct.play(book, pairings, pairs))
    }

    /// Plays so many pairs of all who meet in the format of the run; the results, and whether all were played.
    pub fn play_format(&self, pairs: u64) -> anyhow::Result<(Results, bool)> {
        self.watched(pairs, |conduct| conduct.play_format(pairs))
    }

    /// Asks for the first so many pairs of each pairing, beside what was asked for before, and plays all that was asked for.
    pub fn play_beside(&self, book: &mut Book, pairings: &[[usize; 2]], pairs: u64) -> anyhow::Result<(Results, bool)> {
        self.watched(pairs, |conduct| {
            conduct.ask(book, pairings, pairs)?;
            conduct.play_what_is_asked(pairs)
        })
    }

    /// Lets the first so many pairs be conducted, shows how far it is, and writes down what happens.
    fn watched<T>(
        &self,
        pairs: u64,
        act: impl FnOnce(&plyground_match::RunDriver<'_>) -> Result<T, RunError>,
    ) -> anyhow::Result<T> {
        let view: Mutex<Option<View>> = Mutex::new(None);
        let log_failure = Mutex::new(None);
        let write_down = |line: &Value| {
            if let Some(log) = self.log
                && let Err(error) = log.add(line)
            {
                log_failure.lock().expect("no listener panics").get_or_insert((log.name.clone(), error));
            }
        };
        let done_by_all = || self.store.done(RunPrefix { run: &self.run.id, pairs }).unwrap_or(0);
        let show = |results: &Results| {
            if let Some(view) = view.lock().expect("no listener panics").as_ref() {
                view.show(results, self.summary, &done_by_all);
            }
        };
        let listen = |news: &News<'_>| match news {
            News::Begun { results, wanted } => {
                let new = View::new(*wanted, results.jobs(), self.run.experiment.seats, self.quiet);
                *view.lock().expect("no listener panics") = Some(new);
                show(results);
            }
            News::Event(event) if self.log.is_some() => event_json(self.run, event).iter().for_each(&write_down),
            News::Event(_) => {}
            News::Progress { results, wanted } => {
                show(results);
                write_down(&json!({"event": "progress", "run": self.run.id, "done": results.jobs(), "of": wanted}));
            }
            News::Ended { results, complete } => {
                if let Some(view) = view.lock().expect("no listener panics").take() {
                    view.finish();
                }
                if self.log.is_some() {
                    let said = (self.summary)(results);
                    write_down(&json!({"event": "verdict", "run": self.run.id, "complete": complete, "words": said}));
                }
            }
        };
        let played = act(&plyground_match::RunDriver {
            store: self.store,
            run: self.run,
            shelf: &Files,
            crew: self.crew,
            command: &command(),
            stop: &interrupt::asked,
            enough: self.enough,
            listen: &listen,
        })?;
        if let Some((name, error)) = log_failure.into_inner().expect("no listener panics") {
            bail!("cannot write all events to {}: {error}; the games are kept in run {}", name.display(), self.run.id);
        }
        Ok(played)
    }
}

/// As many threads as asked for, or one for each core.
pub fn threads(asked: Option<u32>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(cores, |threads| threads as usize)
}

/// What to tell when a run was stopped before its end.
pub fn stopped(run: &Run) -> String {
    format!("stopped; the same command goes on with run {}", run.id)
}

/// A bar with the table above it on a terminal, a line now and then in a pipe.
struct View {
    bar: Option<ProgressBar>,
    unit: &'static str,
    quiet: bool,
    begin: Instant,
    before: u64,
    total: u64,
    last: Mutex<Option<Instant>>,
}

impl View {
    fn new(total: u64, before: u64, seats: Seats, quiet: bool) -> Self {
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
        Self { bar, unit, quiet, begin: Instant::now(), before, total, last: Mutex::new(None) }
    }

    /// `done_by_all` counts what other processes have done, too.
    fn show(&self, results: &Results, summary: &dyn Fn(&Results) -> String, done_by_all: &dyn Fn() -> u64) {
        let every = Duration::from_millis(if self.bar.is_some() { 200 } else { 10_000 });
        let mut last = self.last.lock().expect("no listener panics");
        let due = last.map_or(self.bar.is_some(), |last| last.elapsed() >= every);
        if self.quiet || !due {
            last.get_or_insert_with(Instant::now);
            return;
        }
        *last = Some(Instant::now());
        let done = results.jobs().max(done_by_all());
        if let Some(bar) = &self.bar {
            bar.set_message(summary(results) + "\n");
            bar.set_position(done);
            return;
        }
        let rate = (done - self.before) as f64 / self.begin.elapsed().as_secs_f64().max(1e-9);
        let left = (self.total - done.min(self.total)) as f64 / rate;
        let left = if rate > 0.0 { format!(", {left:.0} s left") } else { String::new() };
        // A table now and then would bury what is in it; whoever has closed this pipe does not want to read anything.
        let text =
            Some(summary(results)).filter(|text| text.lines().count() == 1).map_or_else(String::new, |text| format!(": {text}"));
        drop(writeln!(io::stderr(), "{done} of {} {}{left}{text}", self.total, self.unit));
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What belongs below every table: how long games were, who profits from the first move, repeated games, faults.
pub fn footer(run: &Run, results: &Results) -> String {
    let [first, draws, second] = results.by_seat();
    let games = results.games().max(1) as f64;
    let part = |number: u64| per_cent(number as f64 / games);
    let mut text = format!(
        "{} games, {:.1} plies on the average; the first player won {}, the second {}, drawn {}\n",
        count(results.games()),
        results.mean_plies().unwrap_or(0.0),
        part(first),
        part(second),
        part(draws),
    );
    let redundancy = results.redundancy();
    text += &format!("redundancy: {} of the games repeat an earlier one\n", per_cent(redundancy));
    for (agent, fault, times) in results.faults() {
        let games = if times == 1 { "1 game and lost it".to_owned() } else { format!("{} games and lost them", count(times)) };
        text += &format!("{} {fault} in {games}\n", run.experiment.agents[agent]);
    }
    text += &failures(results);
    text
}

/// The jobs that could not be done, with each reason once.
pub fn failures(results: &Results) -> String {
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    results.failures().iter().for_each(|(_, error)| *reasons.entry(error).or_default() += 1);
    let line = |(error, times): (&str, u64)| {
        let jobs = if times == 1 { "1 job".to_owned() } else { format!("{} jobs", count(times)) };
        format!("failed: {jobs}: {error}\n")
    };
    reasons.into_iter().map(line).collect()
}

/// The agents of a run in a table, the strongest first: score against all, and time per move.
pub fn standings(run: &Run, results: &Results) -> String {
    let mut table = vec![["agent", "games", "score", "won drawn lost", "Elo against all", "ms a move"].map(str::to_owned)];
    table.extend(plyground_match::standings(run, results).into_iter().map(|Standing { agent, result, ms }| {
        let tally = result.tally();
        [
            agent.to_owned(),
            count(tally.games()),
            score_words(&result),
            format!("{} {} {}", tally.wins, tally.draws, tally.losses),
            if tally.games() == 0 { "-".to_owned() } else { logistic_elo(&result.sample()).to_string() },
            ms.map_or("-".to_owned(), |ms| format!("{ms:.2}")),
        ]
    }));
    let mut leans = [Lean::Right; 6];
    leans[0] = Lean::Left;
    columns(leans, &table)
}
