//! Programs outside of this one that play: what they are asked and what they answer, all in text.
//!
//! How they are started and what is said to them is the business of whoever hands them in with a [`Resources`](crate::Resources): here are no
//! processes, and in a browser there are none at all.

use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::{AgentError, Limits, Seed};

/// A program outside of this one that plays.
pub trait Engine: Send {
    /// Makes it ready for a new game; one that has ended is started again.
    fn begin(&mut self, game: &str, seed: Seed) -> Result<(), AgentError>;
    /// Asks for a move. Whether it is legal is checked by whoever asks. The listener hears from time to time how far the program has
    /// come, and `Break` asks for an answer at once.
    fn ask(
        &mut self,
        question: &SearchQuery<'_>,
        listener: &mut dyn FnMut(&EngineInfo) -> ControlFlow<()>,
    ) -> Result<(String, EngineInfo), AgentError>;
    /// The limits that it is given where nobody sets others.
    fn limits(&self) -> Limits;
    /// The files that it is made of, as far as they are known: what the command calls each of them, and where it is.
    fn files(&self) -> Vec<(String, PathBuf)>;
}

/// A position to think about, and how it came about.
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

/// What a program says of its thinking. Nothing of it has been checked.
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
