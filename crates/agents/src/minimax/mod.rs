//! Agents that look at every reply.
//!
//! [`plain`] is the definition: minimax without any pruning. All others share one search ([`search`]), which prunes, remembers and
//! orders, and still gives the same value; they differ in the windows in which the root asks it ([`root`]).

use plyground_core::{Evaluator, Game, Player, WIN_SCORE};

mod chance;
pub(crate) mod family;
mod lookahead;
mod order;
pub(crate) mod plain;
mod progress;
mod root;
mod search;
mod selective;
mod settings;
mod sss;
mod table;

pub use lookahead::Lookahead;
pub use plain::Minimax;
pub use root::Searcher;
pub(crate) use settings::plies_more;

/// No look-ahead is longer than this, in plies; scores beyond [`WIN_SCORE`] less twice as much come from a finished game.
const DEEPEST: u32 = 255;

/// Scores at least this large in magnitude tell in how many plies a game is won: unless chance has a hand in it.
const SURE: f32 = WIN_SCORE - 10_000.0;

/// The expected result for a player, from -1 to +1, that a score in the first player's view stands for.
fn expected<G: Game, E: Evaluator<G>>(evaluator: &E, score: f32, player: Player) -> f32 {
    let chance = if score >= WIN_SCORE / 2.0 {
        1.0
    } else if score <= -WIN_SCORE / 2.0 {
        0.0
    } else {
        evaluator.win_chance(score)
    };
    (2.0 * chance - 1.0) * player.sign()
}
