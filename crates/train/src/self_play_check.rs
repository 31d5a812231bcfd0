//! The check of self-play games that other computers have sent.

use plyground_core::{PlayableGame, Scratch, Turn};

use crate::{SelfPlayGame, Target};

/// The most moves of a self-play game; ours end before.
const MOST_MOVES: usize = 4_096;
/// The most judgements of a game that are believed.
const MOST_JUDGEMENTS: u64 = 1 << 32;
/// How far the shares of a policy may be from 1 together, and a value from a result: both travel in 16 bits.
const ROUNDED: f32 = 1e-2;

/// Checks a game that another computer has sent: its moves are legal, its targets are those of positions in it with policies that are
/// distributions, and its result is the one on the board, or the value that the search has proved last. A reason in words if not.
pub(crate) fn check_self_play_game<G: PlayableGame>(game: &G, found: &SelfPlayGame) -> Result<(), String> {
    if found.moves.len() > MOST_MOVES || found.judgements > MOST_JUDGEMENTS {
        return Err(format!("expected at most {MOST_MOVES} moves and {MOST_JUDGEMENTS} judgements, found more"));
    }
    let (mut state, mut scratch) = (game.start(), Scratch::default());
    let mut targets = found.targets.iter().peekable();
    for ply in 0..=found.moves.len() {
        let turn = game.turn(&state);
        let mv = match turn {
            Turn::Over(_) => None,
            Turn::Player(_) => {
                game.moves(&state, &mut scratch.moves);
                found.moves.get(ply).and_then(|&number| scratch.moves.get(usize::from(number)).copied())
            }
            Turn::Chance => {
                game.chance(&state, &mut scratch.outcomes);
                found.moves.get(ply).and_then(|&number| scratch.outcomes.get(usize::from(number)).map(|&(outcome, _)| outcome))
            }
        };
        if let Some(target) = targets.next_if(|target| usize::from(target.ply) == ply) {
            let legal = if matches!(turn, Turn::Player(_)) { scratch.moves.len() } else { 0 };
            check_target(target, legal)?;
            if target.certain && ply < found.moves.len() {
                return Err("expected a game that ends once its value is proved, found more moves".to_owned());
            }
        }
        match (mv, found.moves.get(ply)) {
            (Some(mv), Some(_)) => game.play(&mut state, mv),
            (None, Some(number)) => return Err(format!("expected a legal move, found number {number} at ply {ply}")),
            (_, None) => break,
        }
    }
    if let Some(target) = targets.next() {
        return Err(format!("expected targets in the order of the game, one for a position, found one for ply {}", target.ply));
    }
    check_result(game.turn(&state), found)
}

/// Checks the target of a position with so many legal moves.
fn check_target(target: &Target, legal: usize) -> Result<(), String> {
    if legal == 0 || usize::from(target.moves) != legal {
        return Err(format!("expected a target for {legal} legal moves, found one for {}", target.moves));
    }
    if !(-1.0..=1.0).contains(&target.value) {
        return Err(format!("expected a value from -1 to 1, found {}", target.value));
    }
    let numbers = target.policy.iter().map(|&(number, _)| usize::from(number));
    let ordered = target.policy.is_sorted_by(|one, other| one.0 < other.0) && numbers.clone().all(|number| number < legal);
    let shares = target.policy.iter().map(|&(_, share)| share);
    let sum: f32 = shares.clone().sum();
    // What is not a number is in no range.
    if ordered && shares.clone().all(|share| (0.0..=1.0 + ROUNDED).contains(&share)) && (sum - 1.0).abs() <= ROUNDED {
        return Ok(());
    }
    Err(format!("expected a policy of legal moves with a sum of 1, found one with a sum of {sum}"))
}

/// Checks the result of a game that ended in this position.
fn check_result(end: Turn, found: &SelfPlayGame) -> Result<(), String> {
    let proved = || found.targets.last().filter(|target| target.certain && usize::from(target.ply) == found.moves.len());
    let expected = match end {
        Turn::Over(outcome) => Some(outcome.value()),
        _ => proved().map(|target| target.value),
    };
    match expected {
        Some(expected) if (expected - found.result).abs() <= ROUNDED && [-1.0, 0.0, 1.0].contains(&found.result) => Ok(()),
        Some(expected) => Err(format!("expected the result {expected}, found {}", found.result)),
        None => Err("expected a game that is over or whose value is proved, found one that goes on".to_owned()),
    }
}
