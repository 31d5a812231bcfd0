//! Self-play on other computers, and games as bytes for the way there and back.

use plyground_core::CancelToken;
use plyground_nets::Network;

use crate::replay::{Reader, write};
use crate::{SelfPlayGame, TrainingPlan};
use plyground_match::RunError;

/// A request for the self-play games of a round.
pub struct SelfPlayRequest<'a> {
    /// The settings of the training.
    pub plan: &'a TrainingPlan,
    /// The round, from 1.
    pub round: u64,
    /// Does the teacher play, or the network against itself?
    pub teaching: bool,
    /// The number of games.
    pub games: u64,
    /// The newest network.
    pub network: &'a Network,
    /// The same as a file.
    pub file: &'a [u8],
}

/// Self-play actors on other computers.
pub trait RemoteActors: Send + Sync {
    /// The games of a round; fewer if it is cancelled. `told` is given the number of games so far.
    fn play(
        &self,
        request: &SelfPlayRequest<'_>,
        cancel: &CancelToken,
        told: &dyn Fn(u64),
    ) -> Result<Vec<SelfPlayGame>, RunError>;
}

/// A game as bytes, as it is kept in the file of a training.
pub fn self_play_game_bytes(self_play_game: &SelfPlayGame) -> Vec<u8> {
    let mut bytes = self_play_game.judgements.to_le_bytes().to_vec();
    write(self_play_game, &mut bytes);
    bytes
}

/// The game of these bytes; `None` if they are not a game.
pub fn self_play_game_from(bytes: &[u8]) -> Option<SelfPlayGame> {
    let (judgements, rest) = bytes.split_first_chunk()?;
    let mut reader = Reader(rest);
    let self_play_game = reader.self_play_game().filter(|_| reader.0.is_empty())?;
    Some(SelfPlayGame { judgements: u64::from_le_bytes(*judgements), ..self_play_game })
}
