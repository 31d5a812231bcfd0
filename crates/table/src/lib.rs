//! Where types end: text in, text out.
//!
//! Inside a search everything is compiled for the game at hand. Here, one virtual call per move and none per node, a game becomes a
//! [`Session`]: positions, moves and agents are text, and no caller needs to know which game it is. Everything below this crate
//! (terminal, web, tournaments) drives games only through it.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod draw;
mod records;
mod session;

pub use draw::{draw_board, draw_counters};
pub use plyground_agents::{AgentInfo, INFOS as AGENTS};
pub use plyground_core::{
    AgentError, BoardView, Clock, EvaluatorInfo, GameInfo, GameRecord, InputError, KeyInfo, Limits, MoveSquares, NoClock,
    Outcome, PlayedMove, Player, Progress, RecordedPlayer, Seed, Turn, Unwatched, Watcher, parse_duration, split_spec,
};
pub use plyground_games::{info, infos};
pub use records::{Format, JSON_LINES, format_named, formats, read_any, replay};
pub use session::{Advice, AdvisedMove, LegalMove, Seat, Session, open};
