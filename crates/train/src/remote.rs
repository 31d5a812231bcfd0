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

#[cfg(test)]
mod tests {
    use plyground_core::{CancelToken, NoResources, Seed};

    use super::*;
    use crate::trainable_game;

    #[test]
    fn honest_games_pass_and_changed_ones_are_refused() {
        for spec in ["tictactoe", "tuc-chess:limit=30"] {
            let trainable = trainable_game(spec, None).unwrap();
            let mut teacher = trainable.teacher("mcts:sims=20", 2, &NoResources).unwrap();
            for number in 0..20 {
                let honest = teacher.play(Seed(number), &CancelToken::new()).unwrap().unwrap();
                let sent = self_play_game_from(&self_play_game_bytes(&honest)).unwrap();
                assert_eq!(trainable.check(&sent), Ok(()), "{spec}");
                let changed = |change: &dyn Fn(&mut SelfPlayGame)| {
                    let mut game = sent.clone();
                    change(&mut game);
                    trainable.check(&game)
                };
                assert!(changed(&|game| game.moves[0] = 59_999).is_err());
                assert!(changed(&|game| game.result = 59_998.0).is_err());
                assert!(changed(&|game| game.result = if game.result == 0.0 { 1.0 } else { -game.result }).is_err());
                assert!(changed(&|game| game.moves.truncate(game.moves.len() - 1)).is_err());
                assert!(changed(&|game| game.moves.push(0)).is_err());
                assert!(changed(&|game| game.targets[0].policy = vec![(0, f32::NAN)]).is_err());
                assert!(changed(&|game| game.targets[0].policy.clear()).is_err());
                assert!(changed(&|game| game.targets[0].policy = vec![(0, 0.5)]).is_err());
                assert!(changed(&|game| game.targets[0].policy = vec![(u16::MAX, 1.0)]).is_err());
                assert!(changed(&|game| game.targets[0].moves += 1).is_err());
                assert!(changed(&|game| game.targets[0].value = 2.0).is_err());
                assert!(changed(&|game| game.targets[0].certain = true).is_err());
                assert!(changed(&|game| game.targets[0].ply = u16::MAX).is_err());
                assert!(changed(&|game| game.judgements = u64::MAX).is_err());
            }
        }
    }
}
