//! Games that others have played, to learn from.

use plyground_core::{Encodable, GameRecord, InputError, Outcome, Player, Turn};

use super::self_play::{SelfPlayGame, Target};

/// What a record teaches: of every position in which a player moved the move and the result. Records of another game, from another start,
/// or without a result are refused, and so are those that break the rules.
pub fn recorded<G: Encodable>(game: &G, record: &GameRecord) -> Result<SelfPlayGame, InputError> {
    let refuse = |detail: String| Err(InputError::malformed("record", &record.game, detail));
    let results = [Outcome::win(Player::First), Outcome::win(Player::Second), Outcome::DRAW];
    let Some(result) = results.iter().find(|outcome| outcome.word() == record.result) else {
        return refuse(format!("its result is {}; there is nothing to learn from it", record.result));
    };
    let mut state = game.start();
    if record.start.as_ref().is_some_and(|start| *start != game.position_text(&state)) {
        return refuse("it does not begin at the usual start".to_owned());
    }
    let (mut listed, mut outcomes) = (Vec::new(), Vec::new());
    let (mut moves, mut targets) = (Vec::new(), Vec::new());
    for played in &record.moves {
        let mv = game.legal_move(&state, &played.text)?;
        let by_player = matches!(game.turn(&state), Turn::Player(_));
        let number = if by_player {
            game.moves(&state, &mut listed);
            listed.iter().position(|&known| known == mv)
        } else {
            game.chance(&state, &mut outcomes);
            outcomes.iter().position(|&(outcome, _)| outcome == mv)
        };
        let number = number.expect("a legal move is listed") as u16;
        if by_player {
            let (ply, count) = (moves.len() as u16, listed.len() as u16);
            targets.push(Target { ply, moves: count, policy: vec![(number, 1.0)], value: result.value(), certain: false });
        }
        moves.push(number);
        game.play(&mut state, mv);
    }
    Ok(SelfPlayGame { moves, result: result.value(), targets, judgements: 0 })
}
