//! The bots: what was uploaded, how it is built, and how matches find it.

pub(crate) mod build;
pub(crate) mod upload;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use plyground_engines::EnginePool;
use plyground_match::{Experiment, FileResources, Openings, Run, RunError, opening_plies};
use plyground_sandbox::Isolation;
use plyground_session::{Engine, InputError, Limits, Resources};

use crate::settings::ArenaSettings;
use build::BotFolder;

/// Pairs of games of a check.
pub(crate) const CHECKED_PAIRS: u64 = 1;
/// A bot that has not answered so long after its time has stalled.
const PATIENCE: Duration = Duration::from_secs(2);

/// The name of a version of a bot in the specs of agents, behind `cmd:`.
pub(crate) fn bot_name(player: u32, version: u32) -> String {
    format!("bot-{player}-v{version}")
}

/// The spec of a version of a bot.
pub(crate) fn bot_spec(player: u32, version: u32) -> String {
    format!("cmd:{}", bot_name(player, version))
}

/// The player and the version that a spec names.
pub(crate) fn bot_of(spec: &str) -> Option<(u32, u32)> {
    let (player, version) = spec.strip_prefix("cmd:")?.strip_prefix("bot-")?.split_once("-v")?;
    let found = (player.parse().ok()?, version.parse().ok()?);
    (bot_spec(found.0, found.1) == spec).then_some(found)
}

/// The bots of an arena as what specs name: `cmd:bot-3-v2` and nothing else behind `cmd:`.
pub(crate) struct Bots {
    pub folder: PathBuf,
    pub isolation: Isolation,
    pub settings: ArenaSettings,
    pub pool: Arc<EnginePool>,
    /// Are programs started, or only described?
    pub started: bool,
}

impl Bots {
    /// The same without starting any program: for settings of runs.
    pub fn unstarted(&self) -> Self {
        let Self { folder, isolation, settings, pool, .. } = self;
        Self { folder: folder.clone(), isolation: *isolation, settings: settings.clone(), pool: Arc::clone(pool), started: false }
    }

    /// The folder of a version.
    pub fn folder_of(&self, player: u32, version: u32) -> BotFolder {
        version_folder(&self.folder, player, version)
    }
}

/// The folder of a version of a bot, in that of an arena.
pub(crate) fn version_folder(arena: &Path, player: u32, version: u32) -> BotFolder {
    BotFolder(arena.join("bots").join(player.to_string()).join(format!("v{version}")))
}

impl Resources for Bots {
    fn read(&self, name: &str) -> Result<Vec<u8>, InputError> {
        FileResources.read(name)
    }

    fn engine(&self, command: &str) -> Result<Box<dyn Engine>, InputError> {
        let unknown = |detail: String| InputError::malformed("bot", command, detail);
        let (player, version) = bot_of(&format!("cmd:{command}")).ok_or_else(|| unknown("expected bot-N-vN".to_owned()))?;
        let folder = self.folder_of(player, version);
        let program = folder
            .program(command, self.isolation, &self.settings)
            .map_err(|error| unknown(format!("it cannot be read: {error}")))?;
        if self.started { self.pool.confined(&program) } else { Ok(EnginePool::unstarted_confined(&program)) }
    }
}

/// The run between two on the ladder: pairs with the seats swapped, from openings of random plies.
pub(crate) fn pair_run(bots: &Bots, settings: &ArenaSettings, specs: [&str; 2]) -> Result<Run, RunError> {
    let experiment = Experiment::new(&settings.game, &specs.map(str::to_owned), &bots.unstarted())?;
    let plies = opening_plies(&experiment.game)?;
    let experiment = Experiment {
        openings: if plies == 0 { Openings::Start } else { Openings::Random { plies } },
        limits: Limits { time: Some(settings.move_time), ..Limits::default() },
        own_limits: true,
        patience: Some(PATIENCE),
        seed: settings.seed,
        ..experiment
    };
    Ok(experiment.run())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_names_a_version_in_one_way() {
        assert_eq!(bot_of(&bot_spec(3, 12)), Some((3, 12)));
        for other in ["cmd:bot-3-v012", "cmd:bot-3", "bot-3-v1", "cmd:sh -c true", "cmd:bot-3-v1/../x", "cmd:bot-+3-v1"] {
            assert_eq!(bot_of(other), None, "{other}");
        }
    }
}
