//! An arena: its folder, and all that works on it.

mod check;
mod final_games;
mod play;

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use plyground_core::CancelToken;
use plyground_core::sync::lock;
use plyground_engines::{EnginePool, ProcessOptions};
use plyground_match::{RunError, Store, hash, seconds_now};
use plyground_sandbox::{Detection, Isolation};
use plyground_serve::LivePage;
use plyground_session::{InputError, open};

use crate::bots::build::Runtimes;
use crate::bots::upload::Source;
use crate::bots::{Bots, version_folder};
use crate::journal::{Event, Journal, VersionState};
use crate::ladder::Ladder;
use crate::settings::ArenaSettings;

/// The longest name of a player.
pub(crate) const NAME: usize = 32;
/// The interval at which waiting threads look whether the arena is closed.
const TICK: Duration = Duration::from_millis(200);

/// Why an arena could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// The settings do not fit.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The store of games.
    #[error(transparent)]
    Store(#[from] RunError),
    /// A file of the arena.
    #[error("{}: {error}", .file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// Why it could not be read or written.
        error: io::Error,
    },
    /// Programs of strangers cannot be confined here.
    #[error("bots cannot be confined here, so none are taken: {}", .0.join("; "))]
    NoSandbox(Vec<String>),
}

/// How an arena is opened.
#[derive(Clone, Debug)]
pub struct ArenaOptions {
    /// The folder with all that is kept.
    pub folder: PathBuf,
    /// The program that sets up the sandbox.
    pub guard: PathBuf,
    /// The ways in which a sandbox can be made.
    pub detection: Detection,
}

/// An arena.
pub struct Arena {
    pub(crate) settings: ArenaSettings,
    pub(crate) folder: PathBuf,
    pub(crate) guard: PathBuf,
    pub(crate) isolation: Isolation,
    pub(crate) runtimes: Runtimes,
    pub(crate) bots: Bots,
    pub(crate) store: Store,
    pub(crate) journal: Mutex<Journal>,
    pub(crate) ladder: Ladder,
    pub(crate) live: Arc<LivePage>,
    pub(crate) cancel: CancelToken,
    /// The levels by name, with the agents that they stand for; the weakest first.
    pub(crate) levels: Vec<(String, String)>,
    /// Versions that wait for their check.
    pub(crate) waiting: Mutex<VecDeque<(u32, u32)>>,
    pub(crate) arrived: Condvar,
    host_key: String,
    pub(crate) code: String,
}

/// What an upload is answered with if it is not taken.
pub(crate) type Refusal = String;

impl Arena {
    /// Opens an arena in its folder, or begins one.
    pub fn open(settings: ArenaSettings, options: ArenaOptions) -> Result<Arc<Self>, ArenaError> {
        let ArenaOptions { folder, guard, detection } = options;
        let Some(&isolation) = detection.works.first() else { return Err(ArenaError::NoSandbox(detection.reasons)) };
        let wrong = |file: &Path| {
            let file = file.to_owned();
            move |error| ArenaError::File { file, error }
        };
        fs::create_dir_all(&folder).map_err(wrong(&folder))?;
        let folder = folder.canonicalize().map_err(wrong(&folder))?;
        let session = open(&settings.game, None)?;
        let opponents = session.opponents();
        let agent =
            |name: &String| opponents.iter().find(|opponent| opponent.name == *name).map(|opponent| opponent.spec.clone());
        let levels = settings.levels.iter().filter_map(|name| Some((name.clone(), agent(name)?))).collect();
        let journal = folder.join("journal.jsonl");
        let secret = |name: &str, length: usize| {
            let file = folder.join(name);
            kept_secret(&file, length).map_err(wrong(&file))
        };
        let pool = EnginePool::new(ProcessOptions { guard: Some(guard.clone()), logs: None });
        let bots = Bots { folder: folder.clone(), isolation, settings: settings.clone(), pool, started: true };
        let arena = Self {
            live: Arc::new(LivePage::new(&settings.title, [])),
            store: Store::open(&folder.join("runs.sqlite"))?,
            journal: Mutex::new(Journal::open(&journal).map_err(wrong(&journal))?),
            host_key: secret("host.key", 32)?,
            code: secret("join.code", 6)?,
            runtimes: Runtimes::find(),
            ladder: Ladder::default(),
            cancel: CancelToken::new(),
            waiting: Mutex::default(),
            arrived: Condvar::new(),
            settings,
            folder,
            guard,
            isolation,
            bots,
            levels,
        };
        arena.read_results()?;
        let known = lock(&arena.journal).known.clone();
        let unchecked = known.players.iter().filter_map(|(&id, player)| Some((id, player.checking()?.number)));
        lock(&arena.waiting).extend(unchecked);
        Ok(Arc::new(arena))
    }

    /// The code with which players join.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The path of the page of the host.
    pub fn host_path(&self) -> String {
        format!("/host/{}", self.host_key)
    }

    pub(crate) fn is_host(&self, key: &str) -> bool {
        // Hashes, so that how long it takes tells nothing of the key.
        hash(key.as_bytes()) == hash(self.host_key.as_bytes())
    }

    /// The page of the projector.
    pub fn live_page(&self) -> Arc<LivePage> {
        Arc::clone(&self.live)
    }

    /// What keeps bots from doing harm here, in a sentence.
    pub fn sandbox(&self) -> String {
        let ArenaSettings { memory, processes, tmp, freeze, .. } = &self.settings;
        if self.isolation == Isolation::Unconfined {
            return "Bots are NOT confined here: they run with the rights of the host, within limits of memory and processor time. \
                    The host has said that this may be so."
                .to_owned();
        }
        let frozen =
            if *freeze { "It is frozen while its opponent thinks." } else { "It is not frozen while its opponent thinks." };
        format!(
            "Every bot runs in a sandbox ({}): without network, with the runtimes of languages and its own files to read, {tmp} MB of \
             /tmp to write to, {memory} MB of memory, {processes} processes and threads, and a filter of system calls. {frozen}",
            self.isolation.title()
        )
    }

    /// Checks uploads and plays the ladder until the arena is closed.
    pub fn work(self: &Arc<Self>) {
        thread::scope(|scope| {
            scope.spawn(|| self.keep_checking());
            scope.spawn(|| self.keep_rating());
            scope.spawn(|| self.await_final());
            for _ in 0..self.settings.boards {
                scope.spawn(|| self.board());
            }
        });
    }

    /// Stops everything. Games that are played are given up, and played again the next time.
    pub fn close(&self) {
        self.cancel.cancel();
        self.arrived.notify_all();
    }

    /// Notes an event; the answer is for people.
    pub(crate) fn note(&self, event: Event) -> Result<(), Refusal> {
        lock(&self.journal).note(event).map_err(|error| unkept(&error))
    }

    /// A new player; the key of the link.
    pub(crate) fn join(&self, code: &str, name: &str) -> Result<String, Refusal> {
        if !code.trim().eq_ignore_ascii_case(&self.code) {
            return Err("This is not the code of the arena: ask the host for it.".to_owned());
        }
        let name = checked_name(name)?;
        let key = random_word(26).map_err(|error| error.to_string())?;
        let mut journal = lock(&self.journal);
        let players = &journal.known.players;
        if players.values().any(|player| player.name.eq_ignore_ascii_case(&name)) {
            return Err(format!("There is a player called “{name}” already: take another name. If it is you, use your link."));
        }
        if players.len() >= self.settings.players {
            return Err(format!("The arena is full: it has {} players.", players.len()));
        }
        let player = players.keys().next_back().map_or(1, |last| last + 1);
        let joined = Event::Joined { player, name, key: hash(key.as_bytes()), time: seconds_now() };
        journal.note(joined).map_err(|error| unkept(&error))?;
        Ok(key)
    }

    /// The player with this key.
    pub(crate) fn player_with(&self, key: &str) -> Option<u32> {
        let hash = hash(key.as_bytes());
        lock(&self.journal).known.players.iter().find(|(_, player)| player.key == hash).map(|(&id, _)| id)
    }

    /// A new link for a player: the old one is worth nothing any more.
    pub(crate) fn rekey(&self, player: u32) -> Result<String, Refusal> {
        let key = random_word(26).map_err(|error| error.to_string())?;
        self.note(Event::Rekeyed { player, key: hash(key.as_bytes()), time: seconds_now() })?;
        Ok(key)
    }

    /// Takes an upload: it is kept, and waits for its check. The answer is the number of the version.
    pub(crate) fn take_upload(&self, player: u32, file: &str, contents: &[u8]) -> Result<u32, Refusal> {
        let source = Source::unpack(file, contents.to_vec())?;
        if !self.runtimes.know(source.language) {
            return Err(format!("{} is not installed where the arena runs.", source.language.title()));
        }
        let (version, language) = {
            let journal = lock(&self.journal);
            let known = journal.known.players.get(&player).ok_or("There is no such player.")?;
            if known.banned {
                return Err("The host has banned this bot.".to_owned());
            }
            if journal.known.frozen || journal.known.finalists.is_some() {
                return Err("The host has frozen the arena: no more uploads.".to_owned());
            }
            if let Some(version) = known.checking() {
                return Err(format!("Version {} is being checked; wait for that.", version.number));
            }
            let version = known.versions.last().map_or(1, |last| last.number + 1);
            if version > self.settings.versions {
                return Err(format!("This bot has {} versions, and more are not kept.", self.settings.versions));
            }
            (version, source.language.title().to_owned())
        };
        let folder = version_folder(&self.folder, player, version);
        if let Err(error) = folder.keep(contents) {
            let _ = fs::remove_dir_all(&folder.0);
            return Err(unkept(&error));
        }
        let file: String = file.chars().filter(|c| !c.is_control()).take(60).collect();
        let mut journal = lock(&self.journal);
        // Two tabs: the second one comes too late.
        let known = journal.known.players.get(&player);
        if known.is_none_or(|known| known.checking().is_some() || known.versions.iter().any(|other| other.number == version)) {
            return Err("Another upload came at the same time; wait for its check.".to_owned());
        }
        let uploaded = Event::Uploaded { player, version, file, language, time: seconds_now() };
        journal.note(uploaded).map_err(|error| unkept(&error))?;
        drop(journal);
        lock(&self.waiting).push_back((player, version));
        self.arrived.notify_all();
        Ok(version)
    }

    /// Checks uploads as they come, until the arena is closed.
    fn keep_checking(&self) {
        while !self.cancel.is_cancelled() {
            let next = {
                let waiting = lock(&self.waiting);
                let mut waiting = plyground_core::sync::wait_timeout(&self.arrived, waiting, TICK);
                waiting.pop_front()
            };
            let Some((player, version)) = next else { continue };
            let refused = self.check(player, version).err();
            if self.cancel.is_cancelled() {
                // It is checked again the next time.
                return;
            }
            self.finish_check(player, version, refused);
        }
    }

    /// Plays the final as soon as the host has started it.
    fn await_final(&self) {
        while !self.cancel.is_cancelled() {
            let finalists = lock(&self.journal).known.finalists.clone();
            let is_quiet = lock(&self.ladder.boards).running.is_empty();
            if let Some(finalists) = finalists.filter(|_| is_quiet) {
                match self.play_final(&finalists) {
                    Ok(()) => return,
                    Err(why) => lock(&self.ladder.boards).trouble = Some(why),
                }
            }
            thread::sleep(TICK * 5);
        }
    }

    fn finish_check(&self, player: u32, version: u32, refused: Option<String>) {
        let before = lock(&self.journal).known.players.get(&player).and_then(|known| known.current().map(|old| old.number));
        if let Some(old) = before.filter(|_| refused.is_none()) {
            let spec = crate::bots::bot_spec(player, old);
            let rating = lock(&self.ladder.results).ratings.get(&spec).copied();
            if let Some(rating) = rating {
                let (elo, error) = (rating.elo, rating.error());
                let _ = self.note(Event::Rated { player, version: old, elo, error, time: seconds_now() });
            }
        }
        let event = Event::Checked { player, version, refused, time: seconds_now() };
        while let Err(why) = self.note(event.clone()) {
            lock(&self.ladder.boards).trouble = Some(why);
            if self.cancel.is_cancelled() {
                return;
            }
            thread::sleep(TICK * 5);
        }
    }

    /// The state of a version; `None` if there is none.
    pub(crate) fn version_state(&self, player: u32, version: u32) -> Option<VersionState> {
        let journal = lock(&self.journal);
        let known = journal.known.players.get(&player)?.versions.iter().find(|known| known.number == version)?;
        Some(known.state.clone())
    }
}

/// What players are told when something could not be written.
fn unkept(error: &io::Error) -> Refusal {
    if error.kind() == io::ErrorKind::StorageFull {
        "The disk of the arena is full: tell the host. Nothing was changed.".to_owned()
    } else {
        format!("The arena could not keep it: {error}. Nothing was changed.")
    }
}

/// A name as it may stand on pages: letters of any language, digits, spaces and a few signs.
fn checked_name(name: &str) -> Result<String, Refusal> {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_allowed = |c: char| c.is_alphanumeric() || " .,-_'+!()&".contains(c);
    if !(1..=NAME).contains(&name.chars().count()) || !name.chars().all(is_allowed) || !name.chars().any(char::is_alphanumeric) {
        return Err(format!("Expected a name of 1 to {NAME} letters, digits, spaces and .,-_'+!()&"));
    }
    Ok(name)
}

/// Letters and digits that are not mistaken for each other.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// A random word of letters and digits, five bits each.
fn random_word(length: usize) -> io::Result<String> {
    let mut bytes = vec![0; length];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect())
}

/// The secret in a file, which only its owner can read; made where there is none.
fn kept_secret(file: &Path, length: usize) -> io::Result<String> {
    let mut options = File::options();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    match options.write(true).create_new(true).open(file) {
        Ok(mut made) => {
            let word = random_word(length)?;
            made.write_all(word.as_bytes())?;
            made.sync_all()?;
            Ok(word)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let mut word = String::new();
            File::open(file)?.take(1_000).read_to_string(&mut word)?;
            let word = word.trim().to_owned();
            if word.len() < length { Err(io::Error::other(format!("expected {length} letters"))) } else { Ok(word) }
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_letters_and_no_markup() {
        assert_eq!(checked_name("  Žofie  Nová "), Ok("Žofie Nová".to_owned()));
        for name in ["", "   ", "<b>x</b>", "a\"b", "x".repeat(33).as_str(), "...", "a\u{202e}b", "a/b"] {
            assert!(checked_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn keys_are_long_and_differ() {
        let [one, other] = [0, 1].map(|_| random_word(26).unwrap());
        assert!(one != other && one.len() == 26 && one.bytes().all(|letter| LETTERS.contains(&letter)));
    }
}
