//! The check of a new version: it is compiled, and plays its first games against the weakest level.

use plyground_core::sync::lock;
use plyground_match::RunError;

use super::Arena;
use crate::bots::build::Builder;
use crate::bots::upload::Source;
use crate::bots::{CHECKED_PAIRS, bot_spec, version_folder};
use crate::ladder::results::fault_of;

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
        self.play(&spec, level, CHECKED_PAIRS).map_err(unplayed)?;
        let results = lock(&self.ladder.results);
        fault_of(&spec, results.lines(&spec))
    }
}
