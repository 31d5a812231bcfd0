//! What an agent says while it thinks and when it has chosen, as text.

use std::{ops::ControlFlow, time::Duration};

use plyground_core::{Candidate, Choice, Fact, Game};

/// What an agent chose and why, as text.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The move.
    pub mv: String,
    /// The expected result for the mover, from -1 to +1.
    pub value: Option<f32>,
    /// What the agent expects to be played, beginning with the move.
    pub line: Vec<String>,
    /// The moves that it looked at, best first.
    pub candidates: Vec<AdvisedMove>,
    /// Positions visited.
    pub nodes: u64,
    /// Games simulated.
    pub simulations: u64,
    /// Plies looked ahead.
    pub depth: Option<u32>,
    /// Time used.
    pub elapsed: Duration,
    /// Numbers that explain the search.
    pub facts: Vec<Fact>,
    /// What the user should be told.
    pub notes: Vec<String>,
}

impl Advice {
    pub(crate) fn new<G: Game>(game: &G, state: &G::State, choice: Choice<G>) -> Self {
        Self {
            mv: game.move_text(state, choice.mv),
            value: choice.value,
            line: line_text(game, state, &choice.principal_variation),
            candidates: advised(game, state, &choice.candidates),
            nodes: choice.nodes,
            simulations: choice.simulations,
            depth: choice.depth,
            elapsed: choice.elapsed,
            facts: choice.facts,
            notes: choice.notes,
        }
    }
}

/// What an agent thinks of one of the moves.
#[derive(Clone, Debug, PartialEq)]
pub struct AdvisedMove {
    /// The move.
    pub mv: String,
    /// How often it was tried.
    pub visits: u64,
    /// The expected result for the mover, from -1 to +1.
    pub value: Option<f32>,
}

fn line_text<G: Game>(game: &G, state: &G::State, line: &[G::Move]) -> Vec<String> {
    let mut state = state.clone();
    let step = |&mv: &G::Move| {
        let text = game.move_text(&state, mv);
        game.play(&mut state, mv);
        text
    };
    line.iter().map(step).collect()
}

fn advised<G: Game>(game: &G, state: &G::State, candidates: &[Candidate<G::Move>]) -> Vec<AdvisedMove> {
    let advised = |candidate: &Candidate<G::Move>| AdvisedMove {
        mv: game.move_text(state, candidate.mv),
        visits: candidate.visits,
        value: candidate.value,
    };
    candidates.iter().map(advised).collect()
}

/// How far a thought has come, as text.
pub struct Progress<'a> {
    /// The used part of the budget, from 0 to 1.
    pub done: f32,
    /// Positions visited or games simulated so far.
    pub nodes: u64,
    /// The current opinion; costs something, so ask only when it is shown.
    pub opinion: &'a dyn Fn() -> Opinion,
}

/// What an agent would say if it had to answer now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opinion {
    /// The expected result for the mover, from -1 to +1.
    pub value: Option<f32>,
    /// Plies looked ahead.
    pub depth: Option<u32>,
    /// The best line so far.
    pub line: Vec<String>,
    /// The moves that it has looked at, best first.
    pub candidates: Vec<AdvisedMove>,
}

/// Looks over the shoulder of a thinking agent.
pub trait Watcher {
    /// Called every few thousand nodes; `Break` asks the agent to answer at once with the best that it has.
    fn progress(&mut self, progress: &Progress<'_>) -> ControlFlow<()>;
}

impl Watcher for plyground_core::NoObserver {
    fn progress(&mut self, _: &Progress<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Turns what the agent says into text for the watcher.
pub(crate) struct Onlooker<'a, G: Game> {
    pub game: &'a G,
    pub state: &'a G::State,
    pub watcher: &'a mut dyn Watcher,
}

impl<G: Game> plyground_core::SearchObserver<G::Move> for Onlooker<'_, G> {
    fn progress(&mut self, progress: &plyground_core::Progress<'_, G::Move>) -> ControlFlow<()> {
        let opinion = || {
            let opinion = (progress.opinion)();
            Opinion {
                value: opinion.value,
                depth: opinion.depth,
                line: line_text(self.game, self.state, &opinion.line),
                candidates: advised(self.game, self.state, &opinion.candidates),
            }
        };
        self.watcher.progress(&Progress { done: progress.done, nodes: progress.nodes, opinion: &opinion })
    }
}
