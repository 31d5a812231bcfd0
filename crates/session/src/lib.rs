//! A game in progress behind one object-safe trait: text in, text out.
//!
//! Inside a search everything is compiled for the game at hand. Here, one virtual call per move and none per node, a game becomes a
//! [`Session`]: positions, moves and agents are text, and no caller needs to know which game it is. Terminal, web and matches drive
//! games only through it.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod advice;
mod draw;
mod evaluation;
mod external;
mod records;
mod session;
mod solving;
mod typed;

pub use advice::{Advice, AdvisedMove, InterimAdvice, ProgressObserver, SearchProgress};
pub use draw::{draw_board, draw_counters};
pub use evaluation::Evaluation;
pub use external::EXTERNAL;
pub use plyground_agents::catalogue::LEVEL_TITLES;
pub use plyground_agents::{
    AgentInfo, Bounds, COMMON_KEYS, INFOS as AGENTS, KEY_SYNONYMS, LEARNERS, LIMITS, Learnt, Method, NAME_SYNONYMS, TRAIN_ONLY,
    TrainingProgress, parse_limits, usual_words,
};
pub use plyground_agents::{
    CampaignObserver, CampaignOptions, CampaignProgress, CampaignResult, Certificate, CertificateOptions, CertifyError,
    SolvedOpening,
};
pub use plyground_core::{
    AgentError, BoardView, Clock, Engine, EngineInfo, EvaluationTerm, EvaluatorInfo, Fact, GameInfo, GameRecord, GameValue,
    InputError, KeyInfo, Limits, MoveSquares, NoClock, NoObserver, NoResources, Outcome, Params, PlayedMove, Player,
    RecordFormat, RecordedPlayer, Resources, SearchQuery, Seed, StopCheck, Turn, WallClock, clock_share, parse_duration, quoted,
    split_spec, sync,
};
pub use plyground_games::{info, infos, with_size_key};
pub use records::{JSON_LINES, format_named, format_of, formats, read_any, read_each, replay, write_as};
pub use session::{LegalMove, LineEnd, LineError, Opponent, Seat, Session, open, session_of};
pub use solving::{CampaignOrder, SolveOrder, Solved, campaign, certify, solver_database, tablebase_spec};
pub use typed::{build_agent, build_learner, build_solver, build_training_opponent};
