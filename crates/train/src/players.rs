//! Who plays the games of a round.

use plyground_core::CancelToken;
use plyground_nets::Network;

use crate::replay::{Reader, write};
use crate::{Plan, SelfPlayGame};
use plyground_match::RunError;

/// The games that a round needs.
pub struct Wanted<'a> {
    /// The settings of the training.
    pub plan: &'a Plan,
    /// The round, from 1.
    pub round: u64,
    /// Does the teacher play, or the network against itself?
    pub teaching: bool,
    /// How many games.
    pub games: u64,
    /// The newest network.
    pub network: &'a Network,
    /// The same as a file.
    pub file: &'a [u8],
}

/// Somebody else than the threads of this computer.
pub trait Players: Send + Sync {
    /// Lets the games of a round be played; fewer if it is cancelled. `told` hears how many there are.
    fn play(&self, wanted: &Wanted<'_>, cancel: &CancelToken, told: &dyn Fn(u64)) -> Result<Vec<SelfPlayGame>, RunError>;
}

/// A game as bytes, as it is kept in the file of a training.
pub fn self_play_game_bytes(lesson: &SelfPlayGame) -> Vec<u8> {
    let mut bytes = lesson.judgements.to_le_bytes().to_vec();
    write(lesson, &mut bytes);
    bytes
}

/// The game that was made bytes; nothing if it is none.
pub fn self_play_game_from(bytes: &[u8]) -> Option<SelfPlayGame> {
    let (judgements, rest) = bytes.split_first_chunk()?;
    let mut reader = Reader(rest);
    let lesson = reader.lesson().filter(|_| reader.0.is_empty())?;
    Some(SelfPlayGame { judgements: u64::from_le_bytes(*judgements), ..lesson })
}
