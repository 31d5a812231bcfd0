//! The replay buffer: the newest games in memory, all games in a file.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use plyground_core::Rng;
use plyground_match::RunError;

use crate::{SelfPlayGame, Target};

/// The replay buffer: the newest games. How many positions count as new grows with all that were ever played, but more slowly (Wu, 2019).
#[derive(Debug, Default)]
pub struct ReplayBuffer {
    self_play_games: VecDeque<SelfPlayGame>,
    /// Positions in them.
    positions: usize,
    /// Positions that there ever were.
    seen: u64,
    /// The smallest window.
    least: usize,
}

impl ReplayBuffer {
    /// An empty buffer; at least so many positions are kept.
    pub fn new(least: usize) -> Self {
        Self { least, ..Self::default() }
    }

    /// The positions to keep: all at first, then c (1 + b ((n/c)^a - 1) / a) of n.
    fn window(&self) -> usize {
        const EXPONENT: f64 = 0.75;
        const SLOPE: f64 = 0.4;
        let share = self.seen as f64 / self.least as f64;
        let grown = 1.0 + SLOPE * (share.max(1.0).powf(EXPONENT) - 1.0) / EXPONENT;
        (self.least as f64 * grown) as usize
    }

    /// Adds a game and drops the oldest ones that are too many.
    pub fn push(&mut self, self_play_game: SelfPlayGame) {
        self.positions += self_play_game.targets.len();
        self.seen += self_play_game.targets.len() as u64;
        self.self_play_games.push_back(self_play_game);
        let window = self.window();
        while let Some(oldest) = self.self_play_games.front()
            && self.positions - oldest.targets.len() >= window
        {
            self.positions -= oldest.targets.len();
            self.self_play_games.pop_front();
        }
    }

    /// Positions to learn from.
    pub fn positions(&self) -> usize {
        self.positions
    }

    /// Games in the window.
    pub fn games(&self) -> usize {
        self.self_play_games.len()
    }

    /// The newest games first.
    pub fn newest(&self) -> impl Iterator<Item = &SelfPlayGame> {
        self.self_play_games.iter().rev()
    }

    /// A position at random: its game and its number there. Games count by what they have to teach.
    pub fn draw(&self, rng: &mut Rng) -> (&SelfPlayGame, usize) {
        loop {
            let self_play_game = &self.self_play_games[rng.below(self.self_play_games.len() as u32) as usize];
            // The longest game decides how often a shorter one is passed over.
            let number = rng.below(MOST_TARGETS) as usize;
            if number < self_play_game.targets.len() {
                return (self_play_game, number);
            }
            if self_play_game.targets.len() > MOST_TARGETS as usize {
                return (self_play_game, rng.below(self_play_game.targets.len() as u32) as usize);
            }
        }
    }
}

/// Games rarely have more positions to learn from.
const MOST_TARGETS: u32 = 64;

/// A file of games, added to as they come. What was written after the last checkpoint is cut off when it is opened again.
pub struct GameFile {
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl GameFile {
    /// Opens a file, cuts it to so many bytes, and gives its games.
    pub fn open(path: &Path, bytes: u64) -> Result<(Self, Vec<SelfPlayGame>), RunError> {
        let mut contents = Vec::new();
        let file = OpenOptions::new().create(true).read(true).append(true).open(path).and_then(|mut file| {
            file.read_to_end(&mut contents)?;
            Ok(file)
        });
        let file = file.map_err(|error| RunError::Write { file: path.to_owned(), error })?;
        let foreign = |detail: String| RunError::Foreign { file: path.to_owned(), detail };
        let found = contents.len();
        let contents = contents
            .get(..bytes as usize)
            .ok_or_else(|| foreign(format!("it has {found} bytes; its checkpoint says {bytes}")))?;
        file.set_len(bytes).map_err(|error| RunError::Write { file: path.to_owned(), error })?;
        let mut reader = Reader(contents);
        let mut self_play_games = Vec::new();
        while !reader.0.is_empty() {
            let damaged = || foreign(format!("game {} cannot be read", self_play_games.len() + 1));
            self_play_games.push(reader.self_play_game().ok_or_else(damaged)?);
        }
        Ok((Self { path: path.to_owned(), file, bytes }, self_play_games))
    }

    /// Adds games, and gives them back as they will be read: a training that was never killed must not know them any better.
    pub fn add(&mut self, self_play_games: &[SelfPlayGame]) -> Result<Vec<SelfPlayGame>, RunError> {
        let mut bytes = Vec::new();
        for self_play_game in self_play_games {
            write(self_play_game, &mut bytes);
        }
        let written = self.file.write_all(&bytes).and_then(|()| self.file.sync_data());
        written.map_err(|error| RunError::Write { file: self.path.clone(), error })?;
        self.bytes += bytes.len() as u64;
        let mut reader = Reader(&bytes);
        Ok(self_play_games.iter().map(|_| reader.self_play_game().expect("it was written a moment ago")).collect())
    }

    /// Its length.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Probabilities are kept in 16 bits.
const UNIT: f32 = 65_535.0;

pub(super) fn write(self_play_game: &SelfPlayGame, bytes: &mut Vec<u8>) {
    let mut number = |number: u16| bytes.extend_from_slice(&number.to_le_bytes());
    number(self_play_game.moves.len() as u16);
    self_play_game.moves.iter().for_each(|&mv| number(mv));
    number((self_play_game.result + 1.0) as u16);
    number(self_play_game.targets.len() as u16);
    for target in &self_play_game.targets {
        number(target.ply);
        number(target.moves);
        number(u16::from(target.certain));
        number(((0.5 + 0.5 * target.value) * UNIT).round() as u16);
        number(target.policy.len() as u16);
        for &(mv, share) in &target.policy {
            number(mv);
            number((share * UNIT).round() as u16);
        }
    }
}

pub(super) struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<u16> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u16::from_le_bytes(*number))
    }

    pub fn self_play_game(&mut self) -> Option<SelfPlayGame> {
        let moves = (0..self.number()?).map(|_| self.number()).collect::<Option<_>>()?;
        let result = f32::from(self.number()?) - 1.0;
        let targets = (0..self.number()?).map(|_| self.target()).collect::<Option<_>>()?;
        Some(SelfPlayGame { moves, result, targets, judgements: 0 })
    }

    fn target(&mut self) -> Option<Target> {
        let (ply, moves, certain) = (self.number()?, self.number()?, self.number()? != 0);
        let value = 2.0 * f32::from(self.number()?) / UNIT - 1.0;
        let mut policy: Vec<(u16, f32)> =
            (0..self.number()?).map(|_| Some((self.number()?, f32::from(self.number()?) / UNIT))).collect::<Option<_>>()?;
        let sum: f32 = policy.iter().map(|(_, share)| share).sum();
        for (_, share) in &mut policy {
            *share /= sum;
        }
        Some(Target { ply, moves, policy, value, certain })
    }
}

#[cfg(test)]
mod tests {
    use plyground_core::Seed;

    use super::*;

    /// A game with so many positions to learn from, told apart by its first move.
    fn self_play_game(number: u16, targets: u16) -> SelfPlayGame {
        let target = |ply| Target { ply, moves: 3, policy: vec![(0, 0.25), (2, 0.75)], value: -0.5, certain: ply % 2 == 1 };
        let moves = std::iter::once(number).chain(0..targets).collect();
        SelfPlayGame { moves, result: f32::from(number % 3) - 1.0, targets: (0..targets).map(target).collect(), judgements: 9 }
    }

    #[test]
    fn the_window_keeps_the_newest_games_and_grows_more_slowly_than_they_do() {
        let mut replay = ReplayBuffer::new(100);
        let mut sizes = Vec::new();
        for number in 0..1_000 {
            replay.push(self_play_game(number, 10));
            sizes.push(replay.positions());
        }
        assert_eq!(sizes[..10], [10, 20, 30, 40, 50, 60, 70, 80, 90, 100], "nothing is dropped at first");
        assert!(sizes.is_sorted());
        // 10,000 positions: 100 (1 + 0.4 (100^0.75 - 1) / 0.75) = 1733, in whole games.
        assert_eq!(replay.positions(), 1_740);
        assert_eq!(replay.games(), 174);
        let newest: Vec<u16> = replay.newest().map(|self_play_game| self_play_game.moves[0]).collect();
        assert_eq!(newest, (826..1_000).rev().collect::<Vec<u16>>());
    }

    #[test]
    fn every_position_is_drawn_equally_often() {
        let mut replay = ReplayBuffer::new(1_000);
        let lengths = [1, 5, 30, MOST_TARGETS as u16];
        for (number, targets) in (0..).zip(lengths) {
            replay.push(self_play_game(number, targets));
        }
        let mut drawn = [0_u32; 4];
        let mut rng = Seed(1).rng();
        for _ in 0..10_000 {
            let (self_play_game, target) = replay.draw(&mut rng);
            assert!(target < self_play_game.targets.len());
            drawn[usize::from(self_play_game.moves[0])] += 1;
        }
        for (drawn, length) in drawn.into_iter().zip(lengths) {
            let expected = 10_000.0 * f64::from(length) / 100.0;
            assert!((f64::from(drawn) - expected).abs() < 5.0 * expected.sqrt(), "{drawn} of {expected}");
        }
    }

    /// A file of its own for a test, gone when the test is over.
    struct Path(PathBuf);

    impl Path {
        fn new(name: &str) -> Self {
            let file = Self(std::env::temp_dir().join(format!("plyground-replay-{name}-{}", std::process::id())));
            let _ = std::fs::remove_file(&file.0);
            file
        }
    }

    impl Drop for Path {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    #[test]
    fn games_come_back_from_their_file_and_what_no_checkpoint_knows_is_cut_off() {
        let path = Path::new("cut");
        let (mut file, before) = GameFile::open(&path.0, 0).unwrap();
        assert!(before.is_empty());
        let kept = file.add(&[self_play_game(1, 4), self_play_game(2, 7)]).unwrap();
        let checkpoint = file.bytes();
        file.add(&[self_play_game(3, 2)]).unwrap();
        drop(file);
        let (mut file, found) = GameFile::open(&path.0, checkpoint).unwrap();
        assert_eq!(found, kept, "what is given back is what is read");
        for (self_play_game, written) in found.iter().zip([self_play_game(1, 4), self_play_game(2, 7)]) {
            assert_eq!(
                (&self_play_game.moves, self_play_game.result, self_play_game.judgements),
                (&written.moves, written.result, 0)
            );
            for (target, written) in self_play_game.targets.iter().zip(written.targets) {
                assert_eq!((target.ply, target.moves, target.certain), (written.ply, written.moves, written.certain));
                assert!((target.value - written.value).abs() < 1e-4);
                assert!(
                    target
                        .policy
                        .iter()
                        .zip(written.policy)
                        .all(|(one, other)| one.0 == other.0 && (one.1 - other.1).abs() < 1e-4)
                );
            }
        }
        file.add(&[self_play_game(4, 1)]).unwrap();
        assert_eq!(std::fs::metadata(&path.0).unwrap().len(), file.bytes());
        let bytes = file.bytes();
        drop(file);
        let (_, found) = GameFile::open(&path.0, bytes).unwrap();
        assert_eq!(found.iter().map(|self_play_game| self_play_game.moves[0]).collect::<Vec<_>>(), [1, 2, 4]);
    }

    #[test]
    fn a_damaged_file_is_refused_with_a_reason() {
        let path = Path::new("damaged");
        let (mut file, _) = GameFile::open(&path.0, 0).unwrap();
        file.add(&[self_play_game(1, 4), self_play_game(2, 7)]).unwrap();
        let bytes = file.bytes();
        drop(file);
        let refusal = |bytes: u64| GameFile::open(&path.0, bytes).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refusal(bytes + 1).ends_with(&format!("it has {bytes} bytes; its checkpoint says {}", bytes + 1)));
        // A length where no game ends.
        assert!(refusal(bytes - 2).ends_with("game 2 cannot be read"), "{}", refusal(bytes - 2));
    }
}
