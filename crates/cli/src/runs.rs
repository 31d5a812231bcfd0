//! What all commands that play runs share: the store, the run of a command line, its driver, and what is shown of it.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use anyhow::{Context, bail};
use plyground_match::{
    Executor, Experiment, Format, Openings, PlayerFactory, Results, Run, RunDriver, RunError, RunRow, Seats, Store,
    opening_plies, read_openings, shell_word,
};
use plyground_session::Limits;

use crate::engines::CommandResources;
use crate::store::{data_dir, read_text};
use plyground_args::{ConditionArgs, Global, QUEUE_OPTIONS};
use plyground_terminal::{RunView, interrupt, print_notes};

/// The file with all runs.
pub fn store_file(global: &Global) -> anyhow::Result<PathBuf> {
    Ok(data_dir(global)?.join("runs.sqlite"))
}

/// The store with all runs. Damage is always told: a table that lacks games is not what was asked for.
pub fn open_store(global: &Global) -> anyhow::Result<Store> {
    Ok(Store::open(&store_file(global)?)?.telling(|damage| print_notes(&[format!("the store is damaged: {damage}")], false)))
}

/// The run with this name, or with a name that begins like it. What is written like the name of a file was meant as one.
pub fn find_run(store: &Store, name: &str) -> anyhow::Result<RunRow> {
    let path = Path::new(name);
    match store.find(name) {
        Err(RunError::Input(_)) if path.is_file() => {
            bail!("{name} is a file; expected the beginning of the name of a run (`ply runs` lists them)")
        }
        Err(RunError::Input(_)) if is_path(path) => {
            bail!("cannot read {name}: there is no such file, and no run has such a name")
        }
        found => Ok(found?),
    }
}

/// Is a name written like that of a file?
pub fn is_path(name: &Path) -> bool {
    name.extension().is_some() || name.components().count() > 1
}

/// The run that a command asks for.
pub fn run_of(game: &str, agents: &[String], format: Format, conditions: &ConditionArgs, global: &Global) -> anyhow::Result<Run> {
    let mut experiment = Experiment::new(game, agents, &CommandResources)?;
    experiment.format = format;
    experiment.openings = match (&conditions.openings, conditions.opening_plies) {
        (Some(file), _) => Openings::Listed {
            lines: read_openings(&experiment.game, &read_text(file)?).with_context(|| file.display().to_string())?,
        },
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

/// The command line that was typed, without what only says where to keep games, how to print, where to write or show them, and who plays.
pub fn command() -> &'static str {
    static COMMAND: LazyLock<String> = LazyLock::new(typed_command);
    &COMMAND
}

fn typed_command() -> String {
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

/// The driver of a run of this command: Ctrl-C stops it, and the observer is told what happens.
pub fn driver<'a>(
    store: &'a Store,
    run: &'a Run,
    executor: &'a dyn Executor,
    players: &'a dyn PlayerFactory,
    observer: &'a RunView<'a>,
) -> RunDriver<'a> {
    RunDriver::new(store, run, executor, players).for_command(command()).cancelled_by(interrupt::token()).observed_by(observer)
}

/// Plays so many pairs of all who meet (games where the seats are fixed), or as many as fit into a time. The results, and what to
/// tell if there is more to play.
pub fn play(driver: RunDriver<'_>, pairs: u64, time: Option<Duration>) -> anyhow::Result<(Results, Option<String>)> {
    let run = driver.run;
    let Some(time) = time else {
        let (results, complete) = driver.play_format(pairs)?;
        return Ok((results, (!complete).then(|| stopped(run))));
    };
    let (results, pairs) = driver.play_for(time)?;
    let noun = match (run.experiment.seats, pairs) {
        (Seats::Swapped, 1) => "pair",
        (Seats::Swapped, _) => "pairs",
        (Seats::Fixed, 1) => "game",
        (Seats::Fixed, _) => "games",
    };
    let note = format!("{pairs} {noun} of all who meet; the same command goes on for as long again with run {}", run.id);
    Ok((results, Some(note)))
}

/// The number of threads: as many as asked for, or one for each core.
pub fn threads(asked: Option<u32>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(cores, |threads| threads as usize)
}

/// The message for a run that was stopped before its end.
pub fn stopped(run: &Run) -> String {
    format!("stopped; the same command goes on with run {}", run.id)
}
