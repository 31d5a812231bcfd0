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
mod encoders;
mod engine;
mod error;
mod evaluate;
mod exact;
mod family;
mod game;
mod general_encoder;
mod info;
mod mover_encoder;
mod outcome;
mod perft;
mod phrase;
mod presentation;
mod record;
mod resources;
mod rng;
mod sort;
pub mod sync;
mod text;
mod view;

pub use agent::{Agent, Candidate, Choice, Fact, NoObserver, Opinion, Progress, SearchObserver, SearchRequest};
pub use budget::{Budget, Clock, Limits, NoClock, WallClock, clock_share};
pub use cancel::CancelToken;
pub use encode::{Encodable, Encoder, EncoderInfo, Swap, Viewpoint};
pub use encoders::encoder;
pub use engine::{Engine, EngineInfo, SearchQuery};
pub use error::{AgentError, InputError, nearest, quoted};
pub use evaluate::{Evaluated, EvaluationTerm, Evaluator, EvaluatorInfo, EvaluatorSet, NoHeuristic, WIN_SCORE, logistic};
pub use exact::{ExactSolver, GameValue, Solvable, StopCheck};
pub use family::{Family, FamilyVisitor, PlayableGame, Visitor};
pub use game::{Game, Scratch, hash_state, usual_outcome};
pub use general_encoder::GeneralEncoder;
pub use info::{Alias, GameInfo, RecordFormat};
pub use mover_encoder::MoverEncoder;
pub use outcome::{Outcome, Player, Turn};
pub use perft::{divide, perft};
pub use phrase::{GENERAL_PHRASES, OutcomeText, Phrase, Sentence};
pub use presentation::{BoardGround, Example, PieceShape, Presentation, Theme, Tour};
pub use record::{GameRecord, PlayedMove, RecordedPlayer, read_records, split_records, write_records};
pub use resources::{NoResources, Resources};
pub use rng::{Rng, Seed};
pub use sort::sort_moves;
pub use text::{KeyInfo, Params, parse_duration, parse_size, split_spec};
pub use view::{BoardView, Counter, MoveSquares, Owner, Piece, Square};
