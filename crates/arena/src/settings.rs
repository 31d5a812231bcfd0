//! The settings of an arena: a TOML file, or the defaults of a game.

use std::time::Duration;

use plyground_session::{InputError, Session, open, parse_duration};
use serde::Deserialize;

/// The most letters of a title.
const TITLE: usize = 100;
/// The time for a move where the file names none.
const MOVE_TIME: Duration = Duration::from_millis(200);

/// The leagues, from the lowest.
pub const LEAGUES: [&str; 4] = ["wood", "bronze", "silver", "gold"];

/// The settings of an arena.
#[derive(Clone, Debug, PartialEq)]
pub struct ArenaSettings {
    /// Its name.
    pub title: String,
    /// The game with its parameters.
    pub game: String,
    /// The time for every move.
    pub move_time: Duration,
    /// Games at the same time.
    pub boards: usize,
    /// Memory of a bot, in megabytes.
    pub memory: u64,
    /// Processes and threads of a bot.
    pub processes: u64,
    /// The size of its `/tmp`, in megabytes.
    pub tmp: u64,
    /// Is a bot frozen while its opponent thinks?
    pub freeze: bool,
    /// The largest upload, in megabytes.
    pub upload: u64,
    /// The most versions of a bot.
    pub versions: u32,
    /// The most players.
    pub players: usize,
    /// The house levels on the ladder.
    pub levels: Vec<String>,
    /// The levels that guard the leagues above the lowest one.
    pub bosses: [String; 3],
    /// The best so many play the final.
    pub finalists: usize,
    /// The seed of all randomness.
    pub seed: u64,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct File {
    title: Option<String>,
    game: Option<String>,
    move_time: Option<String>,
    boards: Option<u64>,
    memory: Option<u64>,
    processes: Option<u64>,
    tmp: Option<u64>,
    freeze: Option<bool>,
    upload: Option<u64>,
    versions: Option<u64>,
    players: Option<u64>,
    levels: Option<Vec<String>>,
    bosses: Option<Vec<String>>,
    finalists: Option<u64>,
    seed: Option<u64>,
}

impl ArenaSettings {
    /// The settings of a file. An error names what was expected, and where.
    pub fn read(text: &str) -> Result<Self, InputError> {
        let file: File = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start).min(text.len());
            let line = text[..start].matches('\n').count() + 1;
            let found = text.lines().nth(line - 1).unwrap_or_default().trim();
            InputError::malformed("arena", found, format!("line {line}: {}", error.message()))
        })?;
        Self::of(file)
    }

    /// The defaults for a game.
    pub fn for_game(game: &str) -> Result<Self, InputError> {
        Self::of(File { game: Some(game.to_owned()), ..File::default() })
    }

    fn of(file: File) -> Result<Self, InputError> {
        let wrong =
            |key: &str, found: &str, expected: String| InputError::malformed("arena", &format!("{key} = {found}"), expected);
        let game = file.game.ok_or_else(|| wrong("game", "", "expected the key game, as in game = \"NAME\"".to_owned()))?;
        let session = open(&game, None)?;
        let number = |key: &str, value: Option<u64>, usual: u64, range: std::ops::RangeInclusive<u64>| {
            let value = value.unwrap_or(usual);
            let expected = || format!("expected a whole number from {} to {}", range.start(), range.end());
            if range.contains(&value) { Ok(value) } else { Err(wrong(key, &value.to_string(), expected())) }
        };
        let title = file.title.unwrap_or_else(|| format!("{} arena", session.info().title));
        if !(1..=TITLE).contains(&title.trim().chars().count()) {
            return Err(wrong("title", &title, format!("expected 1 to {TITLE} letters")));
        }
        let move_time = match &file.move_time {
            None => MOVE_TIME,
            Some(text) => parse_duration(text)
                .ok()
                .filter(|time| (Duration::from_millis(10)..=Duration::from_mins(1)).contains(time))
                .ok_or_else(|| wrong("move_time", text, "expected a time from 10ms to 1min".to_owned()))?,
        };
        let known = level_names(session.as_ref());
        let levels = file.levels.unwrap_or_else(|| known.clone());
        let bosses = file.bosses.unwrap_or_else(|| usual_bosses(&levels));
        let is_known = |level: &&String| known.contains(*level);
        if let Some(level) = levels.iter().chain(&bosses).find(|level| !is_known(level)) {
            return Err(wrong("levels", level, format!("expected levels of {}: {}", session.spec(), known.join(", "))));
        }
        let bosses: [String; 3] = bosses.try_into().map_err(|found: Vec<String>| {
            wrong("bosses", &format!("{found:?}"), "expected three levels, one for each league above wood".to_owned())
        })?;
        if let Some(boss) = bosses.iter().find(|boss| !levels.contains(boss)) {
            return Err(wrong("bosses", boss, "expected bosses that are among the levels".to_owned()));
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        Ok(Self {
            title: title.trim().to_owned(),
            game: session.spec(),
            move_time,
            boards: number("boards", file.boards, cores, 1..=64)? as usize,
            memory: number("memory", file.memory, 512, 64..=65_536)?,
            processes: number("processes", file.processes, 64, 8..=4_096)?,
            tmp: number("tmp", file.tmp, 16, 1..=1_024)?,
            freeze: file.freeze.unwrap_or(true),
            upload: number("upload", file.upload, 5, 1..=100)?,
            versions: number("versions", file.versions, 100, 1..=1_000)? as u32,
            players: number("players", file.players, 300, 2..=2_000)? as usize,
            finalists: number("finalists", file.finalists, 16, 2..=256)? as usize,
            levels,
            bosses,
            seed: file.seed.unwrap_or(0),
        })
    }
}

/// The levels of a game, the weakest first.
fn level_names(session: &dyn Session) -> Vec<String> {
    session.opponents().into_iter().map(|opponent| opponent.name).filter(|name| name.starts_with("level=")).collect()
}

/// The levels at a quarter, at a half and at three quarters of the list.
fn usual_bosses(levels: &[String]) -> Vec<String> {
    let last = levels.len().saturating_sub(1);
    [1, 2, 3].iter().filter_map(|quarter| levels.get(last * quarter / 4)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_alone_has_all_that_an_arena_needs() {
        let settings = ArenaSettings::for_game("clobber:size=6x6").unwrap();
        assert_eq!(settings.title, "Clobber arena");
        assert!(settings.freeze && settings.levels.len() >= 4, "{settings:?}");
        let places = settings.bosses.each_ref().map(|boss| settings.levels.iter().position(|level| level == boss));
        assert!(places.is_sorted() && places[0].is_some(), "{places:?}");
        assert_eq!(ArenaSettings::read("game = 'clobber:size=6x6'"), Ok(settings));
    }

    #[test]
    fn mistakes_are_answered_with_what_was_expected() {
        for (text, words) in [
            ("", "expected the key game"),
            ("game = 'clobbr'", "did you mean 'clobber'"),
            ("game = 'clobber'\ncolour = 1", "line 2: unknown field `colour`"),
            ("game = 'clobber'\nmemory = 1", "expected a whole number from 64"),
            ("game = 'clobber'\nmove_time = 'soon'", "expected a time from 10ms"),
            ("game = 'clobber'\nlevels = ['level=99']", "expected levels of clobber"),
            ("game = 'clobber'\nbosses = ['level=1']", "expected three levels"),
            ("game = 'clobber'\nlevels = ['level=1']\nbosses = ['level=1', 'level=2', 'level=1']", "among the levels"),
            ("game = 'clobber'\ntitle = ''", "expected 1 to 100 letters"),
            ("game = 'clobber'\nboards = -1", "line 2"),
        ] {
            let error = ArenaSettings::read(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
