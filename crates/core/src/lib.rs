//! The words of Plyground: what a game, a player, an agent, a budget, a seed and a record are.
//!
//! This crate does no I/O and starts no threads, and agents read no clock but the one that they are given, so it runs unchanged in a
//! browser.
//! Everything else in the house is written in its terms; the order of the rooms is in `docs/architecture.md`.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod agent;
mod budget;
mod cancel;
mod encode;
mod engine;
mod evaluate;
mod exact;
mod family;
mod game;
mod mover;
mod outcome;
mod perft;
mod phrase;
mod presentation;
mod record;
mod rng;
mod sort;
pub mod sync;
mod text;
mod view;

pub use agent::{
    Agent, AgentError, Candidate, Choice, Fact, NoObserver, NoResources, Opinion, Progress, Resources, SearchObserver,
    SearchRequest,
};
pub use budget::{Budget, Clock, Limits, NoClock, WallClock, clock_share};
pub use cancel::CancelToken;
pub use encode::{Encodable, Encoder, EncoderInfo, GeneralEncoder, Viewpoint, encoder};
pub use engine::{Engine, EngineInfo, SearchQuery};
pub use evaluate::{Evaluated, Evaluator, EvaluatorInfo, EvaluatorSet, NoHeuristic, WIN_SCORE, logistic};
pub use exact::{ExactSolver, GameValue, Solvable, StopCheck};
pub use family::{Alias, Example, Family, FamilyVisitor, GameInfo, PlayableGame, RecordFormat, Visitor};
pub use game::{Game, Scratch, hash_state};
pub use mover::{MoverEncoder, Swap};
pub use outcome::{Outcome, Player, Turn};
pub use perft::{divide, perft, usual_outcome};
pub use phrase::{GENERAL_PHRASES, OutcomeText, Phrase, Sentence};
pub use presentation::{PieceShape, Presentation, Theme, Tour};
pub use record::{GameRecord, PlayedMove, RecordedPlayer, read_records, write_records};
pub use rng::{Rng, Seed};
pub use sort::sort_moves;
pub use text::{InputError, KeyInfo, Params, nearest, parse_duration, parse_size, quoted, split_spec};
pub use view::{BoardView, Counter, MoveSquares, Owner, Piece, Square};
