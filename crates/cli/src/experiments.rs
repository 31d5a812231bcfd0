//! What all experiments share: the store, the conditions of the games, and how a run is watched.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use plyground_lab::statistics::{CONFIDENCE, MatchResult, logistic_elo, per_cent, score_words};
use plyground_lab::{
    Book, Event, Experiment, Format, Lot, Openings, Orders, Queue, Results, Run, Seats, Standard, Store, jobs, machine,
    opening_plies, work,
};
use plyground_table::{Limits, Player, Turn, open};
use serde_json::{Value, json};

use crate::args::{Conditions, Global};
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

/// The command line that was typed, without what only says where to keep games, how to print and where to write.
pub fn command() -> String {
    let mut words = vec!["ply".to_owned()];
    let mut typed = std::env::args().skip(1);
    while let Some(word) = typed.next() {
        match word.as_str() {
            "--json" | "--quiet" | "--md" => {}
            "--data" | "--out" | "-o" => drop(typed.next()),
            word if word.starts_with("--data=") || word.starts_with("--out=") => {}
            word => words.push(crate::store::typed(Path::new(word))),
        }
    }
    words.join(" ")
}

/// Plays pairs of a run until they are done, somebody presses Ctrl-C, or `enough` says so; what was played before counts, too.
pub struct Conduct<'a> {
    pub store: &'a Store,
    pub run: &'a Run,
    pub threads: Option<u32>,
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
            "player": player.index() + 1,
            "move": played.text,
            "ms": played.ms,
            "value": played.value,
        })],
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

impl<'a> Conduct<'a> {
    /// Until all is played, without a word about it.
    pub fn new(store: &'a Store, run: &'a Run, threads: Option<u32>, quiet: bool) -> Self {
        Self { store, run, threads, quiet, summary: &|_| String::new(), enough: &|_| false, log: None }
    }

    /// Plays the first so many pairs (or games with fixed seats) of each pairing; their results, and whether all were played.
    pub fn play(&self, book: &mut Book, pairings: &[[usize; 2]], pairs: u64) -> anyhow::Result<(Results, bool)> {
        if self.store.asked(Lot { run: &self.run.id, pairs })? < pairings.len() as u64 * pairs {
            self.ask(book, pairings, pairs)?;
        }
        self.play_what_is_asked(pairs)
    }

    /// Asks for the first so many pairs of each pairing, beside what was asked for before.
    pub fn ask(&self, book: &mut Book, pairings: &[[usize; 2]], pairs: u64) -> anyhow::Result<()> {
        self.store.begin(self.run, &command(), &machine())?;
        self.store.push(&jobs(self.run, book, pairings, pairs)?)?;
        Ok(())
    }

    /// Plays all that was asked for of the first so many pairs of every pairing; the results, and whether all were played.
    pub fn play_what_is_asked(&self, pairs: u64) -> anyhow::Result<(Results, bool)> {
        let lot = Lot { run: &self.run.id, pairs };
        let wanted = self.store.asked(lot)?;
        let results = Results::read(self.store, self.run.experiment.seats, lot)?;
        let decided = AtomicBool::new((self.enough)(&results));
        let view = View::new(wanted, results.jobs(), self.run.experiment.seats, self.quiet);
        let done_by_all = || self.store.done(lot).unwrap_or(0);
        view.show(&results, self.summary, &done_by_all);
        let state = Mutex::new((results, view));
        let log_failure = Mutex::new(None);
        let write_down = |line: &Value| {
            if let Some(log) = self.log
                && let Err(error) = log.add(line)
            {
                log_failure.lock().expect("no listener panics").get_or_insert((log.name.clone(), error));
            }
        };
        let listen = |event: &Event<'_>| {
            if self.log.is_some() {
                event_json(self.run, event).iter().for_each(&write_down);
            }
            let Event::JobFinished { games, .. } = event else { return };
            let mut state = state.lock().expect("no listener panics");
            let (results, view) = &mut *state;
            games.iter().for_each(|game| results.add(game));
            view.show(results, self.summary, &done_by_all);
            if self.log.is_some() {
                let done = results.jobs();
                write_down(&json!({"event": "progress", "run": self.run.id, "done": done, "of": wanted}));
            }
            if (self.enough)(results) {
                decided.store(true, Ordering::Relaxed);
            }
        };
        work(&Orders {
            store: self.store,
            queue: self.store,
            roster: &Standard(&Files),
            run: self.run,
            pairs,
            threads: threads(self.threads),
            stop: &|| decided.load(Ordering::Relaxed) || interrupt::asked(),
            events: &listen,
        })?;
        state.into_inner().expect("no listener panics").1.finish();
        // Another process may have played some of it.
        let results = Results::read(self.store, self.run.experiment.seats, lot)?;
        let complete = results.jobs() >= wanted;
        if self.log.is_some() {
            let said = (self.summary)(&results);
            write_down(&json!({"event": "verdict", "run": self.run.id, "complete": complete, "words": said}));
        }
        if let Some((name, error)) = log_failure.into_inner().expect("no listener panics") {
            bail!("cannot write all events to {}: {error}; the games are kept in run {}", name.display(), self.run.id);
        }
        Ok((results, complete))
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

/// The numbers of a match for programs.
pub fn match_json(agents: [&str; 2], result: &MatchResult, redundancy: f64) -> Value {
    let (tally, sample) = (result.tally(), result.sample());
    let interval = sample.interval(CONFIDENCE);
    let elo = logistic_elo(&sample);
    let seat = |player: Player| {
        let tally = result[player];
        json!({"wins": tally.wins, "draws": tally.draws, "losses": tally.losses})
    };
    json!({
        "agents": agents,
        "games": tally.games(),
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "score": sample.mean,
        "score_low": interval.low,
        "score_high": interval.high,
        "elo": elo.value(),
        "elo_error": elo.error(),
        "elo_words": elo.to_string(),
        "pairs": result.pairs(),
        "as_first": seat(Player::First),
        "as_second": seat(Player::Second),
        "redundancy": redundancy,
    })
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
    text
}

/// The agents of a run in a table, the strongest first: score against all, and time per move.
pub fn standings(run: &Run, results: &Results) -> String {
    let mut rows: Vec<(f64, [String; 6])> = Vec::new();
    for (agent, spec) in run.experiment.agents.iter().enumerate() {
        let all = results.of(agent);
        let (tally, sample) = (all.tally(), all.sample());
        let row = [
            spec.clone(),
            count(tally.games()),
            score_words(&all),
            format!("{} {} {}", tally.wins, tally.draws, tally.losses),
            if tally.games() == 0 { "-".to_owned() } else { logistic_elo(&sample).to_string() },
            results.mean_ms(agent).map_or("-".to_owned(), |ms| format!("{ms:.2}")),
        ];
        rows.push((sample.mean, row));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut table = vec![["agent", "games", "score", "won drawn lost", "Elo against all", "ms a move"].map(str::to_owned)];
    table.extend(rows.into_iter().map(|(_, row)| row));
    let mut leans = [Lean::Right; 6];
    leans[0] = Lean::Left;
    columns(leans, &table)
}
