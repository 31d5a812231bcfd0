//! Where types end: text in, text out.
//!
//! Inside a search everything is compiled for the game at hand. Here, one virtual call per move and none per node, a game becomes a
//! [`Session`]: positions, moves and agents are text, and no caller needs to know which game it is. Everything below this crate
//! (terminal, web, tournaments) drives games only through it.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod advice;
#[cfg(not(target_family = "wasm"))]
mod agreement;
mod desk;
#[cfg(not(target_family = "wasm"))]
mod dojo;
mod draw;
mod encoding;
mod external;
// A page neither judges nor trains: what it never asks for, nobody has to download with it.
#[cfg(not(target_family = "wasm"))]
mod judging;
mod records;
mod session;
mod solving;
#[cfg(not(target_family = "wasm"))]
mod training;

pub use advice::{Advice, AdvisedMove, Opinion, Progress, Watcher};
#[cfg(not(target_family = "wasm"))]
pub use agreement::Agreement;
pub use desk::{Allowance, Desk, Tell};
#[cfg(not(target_family = "wasm"))]
pub use dojo::{Dojo, Partner, header_game, read_network};
pub use draw::{draw_board, draw_counters};
pub use encoding::{EncodedPosition, Encoding, encoders, encoding};
pub use external::EXTERNAL;
#[cfg(not(target_family = "wasm"))]
pub use judging::{Contender, JudgeOrder, JudgeStage, JudgeWatch, Judged, Judging, Truth, Verdict};
pub use plyground_agents::catalogue::LEVEL_TITLES;
#[cfg(not(target_family = "wasm"))]
pub use plyground_agents::net::{SelfPlay, SelfPlayGame, Target};
pub use plyground_agents::{
    AgentInfo, Bounds, COMMON_KEYS, INFOS as AGENTS, LEARNERS, Learnt, Method, TRAIN_ONLY, TrainingProgress, parse_limits,
};
pub use plyground_core::{
    AgentError, BoardView, Clock, Engine, EngineInfo, EvaluatorInfo, Fact, GameInfo, GameRecord, GameValue, InputError, KeyInfo,
    Limits, MoveSquares, NoClock, NoObserver, NoResources, Outcome, Params, PlayedMove, Player, RecordedPlayer, Resources,
    SearchQuery, Seed, StopCheck, Turn, parse_duration, quoted, split_spec,
};
pub use plyground_games::{info, infos};
pub use records::{Format, JSON_LINES, format_named, formats, read_any, replay};
pub use session::{LegalMove, Opponent, Seat, Session, open};
pub use solving::{SolveOrder, Solved};
#[cfg(not(target_family = "wasm"))]
pub use training::{Tally, Training};
