//! The journal of an arena: who joined, what was uploaded, what the host decided. One JSON line for each event, appended and synced; what
//! the arena knows is what the lines say, in their order. Games are in the store.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(crate) enum Event {
    /// A player has joined. Of the key only a hash is kept.
    Joined { player: u32, name: String, key: String, time: i64 },
    /// A player has a new key.
    Rekeyed { player: u32, key: String, time: i64 },
    /// A version was uploaded.
    Uploaded { player: u32, version: u32, file: String, language: String, time: i64 },
    /// A version was checked: compiled and played, or why it is not on the ladder.
    Checked { player: u32, version: u32, refused: Option<String>, time: i64 },
    /// A bot has moved up.
    Promoted { player: u32, league: usize, time: i64 },
    /// A version gave way to the next one with this rating.
    Rated { player: u32, version: u32, elo: f64, error: f64, time: i64 },
    /// A player may not take part any more, or again.
    Banned { player: u32, banned: bool, time: i64 },
    /// The ladder stands still, or goes on.
    Paused { paused: bool, time: i64 },
    /// No uploads are taken any more, or again.
    Frozen { frozen: bool, time: i64 },
    /// The final is played.
    Final { entrants: Vec<String>, time: i64 },
}

/// The state of a version.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum VersionState {
    Checking,
    Passed,
    Refused(String),
}

/// A version of a bot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Version {
    pub number: u32,
    pub file: String,
    pub language: String,
    pub uploaded: i64,
    pub state: VersionState,
    /// When it gave way to the next one.
    pub rated: Option<[f64; 2]>,
}

/// A player with the bot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ArenaPlayer {
    pub name: String,
    pub key: String,
    pub joined: i64,
    pub banned: bool,
    pub league: usize,
    pub versions: Vec<Version>,
}

impl ArenaPlayer {
    /// The version on the ladder: the last one that has passed.
    pub fn current(&self) -> Option<&Version> {
        self.versions.iter().rev().find(|version| version.state == VersionState::Passed)
    }

    /// The version that is being checked.
    pub fn checking(&self) -> Option<&Version> {
        self.versions.iter().find(|version| version.state == VersionState::Checking)
    }
}

/// What the events say.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Known {
    pub players: BTreeMap<u32, ArenaPlayer>,
    pub paused: bool,
    pub frozen: bool,
    pub finalists: Option<Vec<String>>,
    /// Promotions: who, to which league, when.
    pub promotions: Vec<(u32, usize, i64)>,
}

impl Known {
    fn version(&mut self, player: u32, version: u32) -> Option<&mut Version> {
        self.players.get_mut(&player)?.versions.iter_mut().find(|known| known.number == version)
    }

    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Joined { player, name, key, time } => {
                let joined = ArenaPlayer { name, key, joined: time, banned: false, league: 0, versions: Vec::new() };
                self.players.entry(player).or_insert(joined);
            }
            Event::Rekeyed { player, key, .. } => {
                if let Some(player) = self.players.get_mut(&player) {
                    player.key = key;
                }
            }
            Event::Uploaded { player, version, file, language, time } => {
                let state = VersionState::Checking;
                if let Some(player) = self.players.get_mut(&player) {
                    player.versions.push(Version { number: version, file, language, uploaded: time, state, rated: None });
                }
            }
            Event::Checked { player, version, refused, .. } => {
                if let Some(version) = self.version(player, version) {
                    version.state = refused.map_or(VersionState::Passed, VersionState::Refused);
                }
            }
            Event::Promoted { player, league, time } => {
                if let Some(known) = self.players.get_mut(&player) {
                    known.league = league;
                    self.promotions.push((player, league, time));
                }
            }
            Event::Rated { player, version, elo, error, .. } => {
                if let Some(version) = self.version(player, version) {
                    version.rated = Some([elo, error]);
                }
            }
            Event::Banned { player, banned, .. } => {
                if let Some(player) = self.players.get_mut(&player) {
                    player.banned = banned;
                }
            }
            Event::Paused { paused, .. } => self.paused = paused,
            Event::Frozen { frozen, .. } => self.frozen = frozen,
            Event::Final { entrants, .. } => self.finalists = Some(entrants),
        }
    }
}

/// The file with the events, and what they say.
pub(crate) struct Journal {
    file: File,
    /// The bytes of whole lines.
    length: u64,
    pub known: Known,
}

impl Journal {
    /// Reads a journal, or begins one. A line that was cut off when the program was killed is dropped.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = fs::OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut known = Known::default();
        for (number, line) in bytes[..whole].split(|&byte| byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
            let wrong = |error| io::Error::other(format!("line {}: expected an event of the arena: {error}", number + 1));
            known.apply(serde_json::from_slice(line).map_err(wrong)?);
        }
        if whole < bytes.len() {
            file.set_len(whole as u64)?;
        }
        Ok(Self { file, length: whole as u64, known })
    }

    /// Notes an event: it holds when it is on the disk, and not otherwise.
    pub fn note(&mut self, event: Event) -> io::Result<()> {
        let mut line = serde_json::to_vec(&event)?;
        line.push(b'\n');
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // Half a line would damage the next one.
            let _ = self.file.set_len(self.length);
            return Err(error);
        }
        self.length += line.len() as u64;
        self.known.apply(event);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events() -> Vec<Event> {
        vec![
            Event::Joined { player: 1, name: "<b>Ada</b>".to_owned(), key: "k".to_owned(), time: 1 },
            Event::Uploaded { player: 1, version: 1, file: "a.py".to_owned(), language: "Python".to_owned(), time: 2 },
            Event::Checked { player: 1, version: 1, refused: None, time: 3 },
            Event::Uploaded { player: 1, version: 2, file: "b.py".to_owned(), language: "Python".to_owned(), time: 4 },
            Event::Checked { player: 1, version: 2, refused: Some("it crashed".to_owned()), time: 5 },
            Event::Promoted { player: 1, league: 1, time: 6 },
            Event::Banned { player: 1, banned: true, time: 7 },
        ]
    }

    #[test]
    fn what_was_noted_is_known_again_also_after_a_line_was_cut_off() {
        let path = std::env::temp_dir().join(format!("plyground-journal-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        let mut journal = Journal::open(&path).unwrap();
        for event in events() {
            journal.note(event).unwrap();
        }
        let known = journal.known.clone();
        let ada = &known.players[&1];
        // The version that was refused is not on the ladder; the one before it is.
        assert_eq!((ada.current().unwrap().number, ada.league, ada.banned), (1, 1, true));
        drop(journal);
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"event\":\"paus").unwrap();
        let mut again = Journal::open(&path).unwrap();
        assert_eq!(again.known, known);
        again.note(Event::Paused { paused: true, time: 8 }).unwrap();
        assert!(Journal::open(&path).unwrap().known.paused);
        fs::write(&path, "{\"event\":\"rubbish\"}\n").unwrap();
        assert!(Journal::open(&path).err().unwrap().to_string().contains("line 1: expected an event"));
        fs::remove_file(path).unwrap();
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn on_a_full_disk_an_event_does_not_hold() {
        let mut journal =
            Journal { file: fs::OpenOptions::new().append(true).open("/dev/full").unwrap(), length: 0, known: Known::default() };
        let refused = journal.note(events().remove(0)).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::StorageFull);
        assert!(journal.known.players.is_empty());
    }
}
