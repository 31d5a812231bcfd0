//! The checks of an arena without one: for bots at home.

use std::path::Path;
use std::sync::Arc;

use plyground_engines::{EnginePool, ProcessOptions};
use plyground_match::{AgentFactory, RunDriver, RunError, RunPrefix, Store, Threads};
use plyground_sandbox::Isolation;

use crate::bots::build::{BotFolder, Builder, Runtimes};
use crate::bots::upload::Source;
use crate::bots::{Bots, CHECKED_PAIRS, bot_spec, pair_run, version_folder};
use crate::ladder::results::{GameLine, fault_of};
use crate::settings::ArenaSettings;

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
    // Not one that is there: it could belong to another user.
    std::fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
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
    RunDriver::new(&store, &run, &executor, &players).play(&[[0, 1]], CHECKED_PAIRS)?;
    let mut lines = Vec::new();
    store.games(RunPrefix::all(&run.id), |game| lines.push(GameLine::new(&run, &game)))?;
    Ok(lines)
}
