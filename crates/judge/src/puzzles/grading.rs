//! The level of a puzzle: who finds its first move.

use plyground_core::{AgentError, InputError, Limits, NoObserver, Seed, WallClock};
use plyground_session::open;

/// The level of puzzles whose first move no level below finds. The levels from here on may be limited by time, and would not grade
/// alike on every machine.
pub const HARDEST: u8 = 7;

/// A level finds a move if it does so with each of so many seeds.
const SEEDS: u64 = 3;

/// The level of a puzzle on a board whose first move is `wanted`.
pub(super) fn level(board: &str, position: &str, wanted: &str) -> Result<u8, InputError> {
    for level in 1..HARDEST {
        if finds(board, position, wanted, level)? {
            return Ok(level);
        }
    }
    Ok(HARDEST)
}

fn finds(board: &str, position: &str, wanted: &str, level: u8) -> Result<bool, InputError> {
    let failed = |error: AgentError| InputError::malformed("puzzle", position, error.to_string());
    for seed in 0..SEEDS {
        let mut session = open(board, Some(position))?;
        let seat = session.add_agent(&format!("level={level}"), Seed(seed))?;
        let advice = session.think(seat, Limits::default(), &WallClock::start(), &mut NoObserver).map_err(failed)?;
        if advice.mv != wanted {
            return Ok(false);
        }
    }
    Ok(true)
}
