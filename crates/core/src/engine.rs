//! External engines (other programs that play): queries and answers, all in text.
//!
//! Processes and protocols are not part of this crate: an engine is handed in by [`Resources`](crate::Resources), and in a browser there is
//! none.

use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::{AgentError, Limits, Seed};

/// An external engine: another program that plays.
pub trait Engine: Send {
    /// Makes it ready for a new game; one that has ended is started again.
    fn begin(&mut self, game: &str, seed: Seed) -> Result<(), AgentError>;
    /// Asks for a move. Whether it is legal is checked by the caller. The listener hears from time to time how far the program has
    /// come, and `Break` asks for an answer at once.
    fn ask(
        &mut self,
        question: &SearchQuery<'_>,
        listener: &mut dyn FnMut(&EngineInfo) -> ControlFlow<()>,
    ) -> Result<(String, EngineInfo), AgentError>;
    /// The limits that it is given where the caller sets no others.
    fn limits(&self) -> Limits;
    /// The files that it is made of, as far as they are known: what the command calls each of them, and where it is.
    fn files(&self) -> Vec<(String, PathBuf)>;
}

/// A query for a move: a position with the game that led to it, and the limits of the search.
#[derive(Clone, Copy, Debug)]
pub struct SearchQuery<'a> {
    /// The game with its parameters.
    pub game: &'a str,
    /// The position that the game began with, if it was not the usual one.
    pub start: Option<&'a str>,
    /// All that was played since then, outcomes of chance included.
    pub moves: &'a [String],
    /// The position now.
    pub position: &'a str,
    /// All legal moves.
    pub legal: &'a [String],
    /// How long to think.
    pub limits: Limits,
}

/// The report of an engine about its search. Nothing of it has been checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineInfo {
    /// The expected result for the mover, from -1 to +1.
    pub value: Option<f32>,
    /// Plies looked ahead.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: u64,
    /// What it expects to be played.
    pub line: Vec<String>,
}
