//! The check of a new version: it is compiled, and plays its first games against the weakest level.

use std::path::Path;
use std::sync::Arc;

use plyground_core::sync::lock;
use plyground_engines::{EnginePool, ProcessOptions};
use plyground_match::{AgentFactory, Experiment, Openings, Run, RunDriver, RunError, RunPrefix, Store, Threads, opening_plies};
use plyground_sandbox::Isolation;
use plyground_session::Limits;

use crate::bots::build::{BotFolder, Builder, Runtimes};
use crate::bots::upload::Source;
use crate::bots::{Bots, bot_spec, version_folder};
use crate::ladder::results::GameLine;
use crate::{Arena, ArenaSettings};

/// Pairs of games of a check.
const PAIRS: u64 = 1;
/// The word for the fault of an answer that comes too late.
const LATE: &str = "overran";

impl Arena {
    /// Compiles a version and has it play. The error is for its author.
    pub(crate) fn check(&self, player: u32, version: u32) -> Result<(), String> {
        let folder = version_folder(&self.folder, player, version);
        let file = lock(&self.journal)
            .known
            .players
            .get(&player)
            .and_then(|known| known.versions.iter().find(|known| known.number == version))
            .map(|known| known.file.clone())
            .unwrap_or_default();
        let contents = folder.uploaded().map_err(|error| format!("the upload cannot be read: {error}"))?;
        let source = Source::unpack(&file, contents)?;
        let builder =
            Builder { guard: &self.guard, isolation: self.isolation, runtimes: &self.runtimes, memory: self.settings.memory };
        builder.build(&folder, &source)?;
        let spec = bot_spec(player, version);
        let (_, level) = self.levels.first().ok_or("the arena has no level to play against")?;
        self.live.call(&spec, &self.name_of(&spec));
        let unplayed = |error: RunError| format!("its first games could not be played: {error}");
        self.play(&spec, level, PAIRS).map_err(unplayed)?;
        let results = lock(&self.ladder.results);
        fault_of(&spec, results.lines(&spec))
    }
}

/// An error if one of these games was lost by a fault of this bot. An answer that came too late is none: it may be that the computer of the
/// arena has too much to do, and on the ladder it costs a game all the same.
fn fault_of<'a>(spec: &str, mut lines: impl Iterator<Item = &'a GameLine>) -> Result<(), String> {
    let is_late = |line: &GameLine| line.fault.as_deref() == Some(LATE);
    let own = |line: &&GameLine| !is_late(line) && line.loser.is_some_and(|seat| line.specs[seat] == spec);
    lines.find(own).map_or(Ok(()), |line| Err(line.reason.clone()))
}

/// A bot that was tried at home.
#[derive(Clone, Debug)]
pub struct TriedBot {
    /// The language that it is in.
    pub language: &'static str,
    /// Its games, each in a line.
    pub games: Vec<String>,
    /// Why the arena would not take it.
    pub refused: Option<String>,
    /// What it has written to stderr.
    pub stderr: String,
}

/// Runs the checks of an arena on a file, with its limits, in a folder that is made and removed.
pub fn try_bot(
    file: &Path,
    contents: Vec<u8>,
    settings: &ArenaSettings,
    guard: &Path,
    isolation: Isolation,
) -> Result<TriedBot, String> {
    let folder = std::env::temp_dir().join(format!("plyground-try-{}", std::process::id()));
    let tried = try_in(&folder, file, contents, settings, guard, isolation);
    let _ = std::fs::remove_dir_all(&folder);
    tried
}

fn try_in(
    folder: &Path,
    file: &Path,
    contents: Vec<u8>,
    settings: &ArenaSettings,
    guard: &Path,
    isolation: Isolation,
) -> Result<TriedBot, String> {
    let limit = settings.upload * 1024 * 1024;
    if contents.len() as u64 > limit {
        return Err(format!("expected at most {} MB, found {} bytes", settings.upload, contents.len()));
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bot: BotFolder = version_folder(folder, 1, 1);
    bot.keep(&contents).map_err(|error| format!("{}: {error}", bot.0.display()))?;
    let source = Source::unpack(&name, contents)?;
    let language = source.language.title();
    let runtimes = Runtimes::find();
    Builder { guard, isolation, runtimes: &runtimes, memory: settings.memory }.build(&bot, &source)?;
    let pool = EnginePool::new(ProcessOptions { guard: Some(guard.to_owned()), logs: None });
    let bots = Bots { folder: folder.to_owned(), isolation, settings: settings.clone(), pool: Arc::clone(&pool), started: true };
    let spec = bot_spec(1, 1);
    let level = settings.levels.first().ok_or("the arena has no level to play against")?;
    let games = play_check(&bots, settings, &spec, level).map_err(|error| error.to_string())?;
    let stderr = std::fs::read(bot.log()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let refused = fault_of(&spec, games.iter()).err();
    let line = |game: &GameLine| {
        let seat = usize::from(game.specs[1] == spec);
        let seated = ["first", "second"][seat];
        format!(
            "{} against {level} as the {seated} player: {}; {} plies, longest thought {:.0} ms",
            game.result_of(seat),
            game.reason,
            game.plies,
            game.slowest[seat]
        )
    };
    Ok(TriedBot { language, games: games.iter().map(line).collect(), refused, stderr })
}

fn play_check(bots: &Bots, settings: &ArenaSettings, spec: &str, level: &str) -> Result<Vec<GameLine>, RunError> {
    let store = Store::in_memory()?;
    let run = pair_run(bots, settings, [spec, level])?;
    let (players, executor) = (AgentFactory::of_run(bots, &run), Threads(1));
    RunDriver::new(&store, &run, &executor, &players).play(&[[0, 1]], PAIRS)?;
    let mut lines = Vec::new();
    store.games(RunPrefix::all(&run.id), |game| lines.push(GameLine::new(&run, &game)))?;
    Ok(lines)
}

/// The run between two on the ladder: pairs with the seats swapped, from openings of random plies.
pub(crate) fn pair_run(bots: &Bots, settings: &ArenaSettings, specs: [&str; 2]) -> Result<Run, RunError> {
    let experiment = Experiment::new(&settings.game, &specs.map(str::to_owned), &bots.unstarted())?;
    let plies = opening_plies(&experiment.game)?;
    let experiment = Experiment {
        openings: if plies == 0 { Openings::Start } else { Openings::Random { plies } },
        limits: Limits { time: Some(settings.move_time), ..Limits::default() },
        own_limits: true,
        patience: Some(std::time::Duration::from_secs(2)),
        seed: settings.seed,
        ..experiment
    };
    Ok(experiment.run())
}
