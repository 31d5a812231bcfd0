//! A training on disk: its settings, its games, its curves and its networks, so that it can be killed at any moment.
//!
//! Games and curves are only ever added to. Which part of them counts, and which networks belong to it, says `checkpoint.json`, which is
//! replaced in one go after everything else is there.

use std::fs;
use std::path::{Path, PathBuf};

use plyground_match::{RunError, write_whole};
use plyground_nets::weights::{self, Header};
use plyground_nets::{Network, Trainer};
use serde::{Deserialize, Serialize};

use super::replay::GameFile;
use super::{Round, TrainingPlan};
use crate::SelfPlayGame;

/// The part of the folder that counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Checkpoint {
    /// Rounds that are over.
    rounds: u64,
    /// Bytes of games.
    games: u64,
}

/// The files of a training.
pub struct Folder {
    path: PathBuf,
    games: GameFile,
}

/// The contents of a folder.
pub struct Found {
    pub plan: TrainingPlan,
    pub rounds: Vec<Round>,
    pub self_play_games: Vec<SelfPlayGame>,
    /// Trainer and average.
    pub networks: Option<[Vec<u8>; 2]>,
}

pub const PLAN: &str = "plan.json";
const GAMES: &str = "games.bin";
pub const ROUNDS: &str = "rounds.jsonl";
const CHECKPOINT: &str = "checkpoint.json";
const NETWORK: &str = "network.safetensors";

impl Folder {
    /// A new folder, which must not hold a training yet.
    pub fn create(path: &Path, plan: &TrainingPlan) -> Result<Self, RunError> {
        let file = path.join(PLAN);
        if Self::is_in(path) {
            let detail = "there is a training already; resume it, or choose another folder".to_owned();
            return Err(RunError::Foreign { file: path.to_owned(), detail });
        }
        fs::create_dir_all(path).map_err(|error| RunError::Write { file: path.to_owned(), error })?;
        let text = serde_json::to_string_pretty(plan).expect("a plan is plain data");
        write_whole(&file, text.as_bytes())?;
        let (games, _) = GameFile::open(&path.join(GAMES), 0)?;
        Ok(Self { path: path.to_owned(), games })
    }

    /// Is there a training in this folder?
    pub fn is_in(path: &Path) -> bool {
        path.join(PLAN).exists()
    }

    /// The folder of a training that is there.
    pub fn open(path: &Path) -> Result<(Self, Found), RunError> {
        let plan: TrainingPlan = json(&path.join(PLAN), &read(&path.join(PLAN))?)?;
        if plan.version != TrainingPlan::VERSION {
            let detail =
                format!("a training of version {}; this program goes on with version {}", plan.version, TrainingPlan::VERSION);
            return Err(RunError::Foreign { file: path.join(PLAN), detail });
        }
        let file = path.join(CHECKPOINT);
        let checkpoint: Checkpoint = if file.exists() { json(&file, &read(&file)?)? } else { Checkpoint::default() };
        let (games, self_play_games) = GameFile::open(&path.join(GAMES), checkpoint.games)?;
        let mut rounds = Vec::new();
        let mut networks = None;
        if checkpoint.rounds > 0 {
            let file = path.join(ROUNDS);
            let text = read(&file)?;
            for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).take(checkpoint.rounds as usize) {
                rounds.push(json(&file, line)?);
            }
            if rounds.len() as u64 != checkpoint.rounds {
                let detail = format!("it has {} rounds; its checkpoint says {}", rounds.len(), checkpoint.rounds);
                return Err(RunError::Foreign { file, detail });
            }
            networks = Some([read(&trainer(path, checkpoint.rounds))?, read(&average(path, checkpoint.rounds))?]);
        }
        Ok((Self { path: path.to_owned(), games }, Found { plan, rounds, self_play_games, networks }))
    }

    /// Adds games, and gives them back as they will be read; they count with the next checkpoint.
    pub fn add(&mut self, self_play_games: &[SelfPlayGame]) -> Result<Vec<SelfPlayGame>, RunError> {
        self.games.add(self_play_games)
    }

    /// Writes down a round that is over.
    pub fn keep(&self, state: &Trainer, header: &Header, network: &Network, rounds: &[Round]) -> Result<(), RunError> {
        let number = rounds.len() as u64;
        let bytes = weights::write(header, network)?;
        write_whole(&trainer(&self.path, number), &state.checkpoint()?)?;
        write_whole(&average(&self.path, number), &bytes)?;
        // All of them again: a line that was added before a crash must not stay.
        let lines: String =
            rounds.iter().map(|round| serde_json::to_string(round).expect("a round is plain data") + "\n").collect();
        write_whole(&self.path.join(ROUNDS), lines.as_bytes())?;
        let checkpoint = Checkpoint { rounds: number, games: self.games.bytes() };
        let text = serde_json::to_string(&checkpoint).expect("a checkpoint is plain data");
        write_whole(&self.path.join(CHECKPOINT), text.as_bytes())?;
        write_whole(&self.network(), &bytes)?;
        // The last round is kept as well: a copy of the folder that is made meanwhile is complete.
        if number > 2 {
            for old in [trainer(&self.path, number - 2), average(&self.path, number - 2)] {
                let _ = fs::remove_file(old);
            }
        }
        Ok(())
    }

    /// Removes what a training that was killed has left behind: networks of rounds that the checkpoint does not know or has done with,
    /// and half-written files. Files of other names stay.
    pub fn remove_leftovers(&self, rounds: u64) {
        let Ok(entries) = fs::read_dir(&self.path) else { return };
        for entry in entries.flatten() {
            if entry.file_name().to_str().is_some_and(|name| is_leftover(name, rounds)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// The network that the training has come to.
    pub fn network(&self) -> PathBuf {
        self.path.join(NETWORK)
    }
}

fn trainer(path: &Path, round: u64) -> PathBuf {
    path.join(format!("round-{round}.trainer"))
}

fn average(path: &Path, round: u64) -> PathBuf {
    path.join(format!("round-{round}.average"))
}

/// Whether a file of this name belongs to no round that is kept after so many rounds.
fn is_leftover(name: &str, rounds: u64) -> bool {
    let whole = name.strip_suffix(".part").unwrap_or(name);
    let round = whole.strip_prefix("round-").and_then(|rest| {
        let number = rest.strip_suffix(".trainer").or_else(|| rest.strip_suffix(".average"))?;
        number.parse::<u64>().ok().filter(|parsed| parsed.to_string() == number)
    });
    match round {
        // The last two are kept.
        Some(round) => whole != name || round > rounds || round + 1 < rounds,
        None => whole != name && [PLAN, ROUNDS, CHECKPOINT, NETWORK].contains(&whole),
    }
}

pub fn read(file: &Path) -> Result<Vec<u8>, RunError> {
    fs::read(file).map_err(|error| RunError::Foreign { file: file.to_owned(), detail: format!("it cannot be read: {error}") })
}

pub fn json<T: for<'a> Deserialize<'a>>(file: &Path, text: &[u8]) -> Result<T, RunError> {
    serde_json::from_slice(text)
        .map_err(|error| RunError::Foreign { file: file.to_owned(), detail: format!("it cannot be understood: {error}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_rounds_that_are_not_kept_are_left_over() {
        for left in ["round-6.trainer", "round-6.average", "round-3.trainer", "round-5.average.part", "rounds.jsonl.part"] {
            assert!(is_leftover(left, 5), "{left}");
        }
        for kept in
            ["round-5.trainer", "round-4.average", "round-06.trainer", "round-6.txt", "round-6", "my.part", GAMES, PLAN, ROUNDS]
        {
            assert!(!is_leftover(kept, 5), "{kept}");
        }
    }
}
