//! Games of other computers, as messages.

use plyground_core::{CancelToken, NoResources, Seed};
use plyground_train::{SelfPlayGame, self_play_game_bytes, self_play_game_from, trainable_game};

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
