//! Results of a search as text: progress reports, and the final advice.

use std::{ops::ControlFlow, time::Duration};

use plyground_core::{Candidate, Choice, Fact, Game};

/// The move that an agent chose, with the values behind it, as text.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The move.
    pub mv: String,
    /// The expected result for the mover, from -1 to +1.
    pub value: Option<f32>,
    /// The principal variation, beginning with the move.
    pub line: Vec<String>,
    /// The searched moves, best first.
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
    /// Notes for the user.
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

/// The visits and value of a candidate move.
#[derive(Clone, Debug, PartialEq)]
pub struct AdvisedMove {
    /// The move.
    pub mv: String,
    /// The number of its visits.
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

/// The progress of a search, as text.
pub struct SearchProgress<'a> {
    /// The used part of the budget, from 0 to 1.
    pub done: f32,
    /// Positions visited or games simulated so far.
    pub nodes: u64,
    /// The advice so far; it costs something, so ask only when it is shown.
    pub opinion: &'a dyn Fn() -> InterimAdvice,
}

/// The advice that an agent would give if the search ended now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InterimAdvice {
    /// The expected result for the mover, from -1 to +1.
    pub value: Option<f32>,
    /// Plies looked ahead.
    pub depth: Option<u32>,
    /// The principal variation so far.
    pub line: Vec<String>,
    /// The moves searched so far, best first.
    pub candidates: Vec<AdvisedMove>,
}

/// An observer of a search, who can also stop it.
pub trait ProgressObserver {
    /// Called every few thousand nodes; `Break` asks the agent to answer at once with its best move so far.
    fn progress(&mut self, progress: &SearchProgress<'_>) -> ControlFlow<()>;
}

impl ProgressObserver for plyground_core::NoObserver {
    fn progress(&mut self, _: &SearchProgress<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// The adapter from the typed progress of an agent to text.
pub(crate) struct TextObserver<'a, G: Game> {
    pub game: &'a G,
    pub state: &'a G::State,
    pub observer: &'a mut dyn ProgressObserver,
}

impl<G: Game> plyground_core::SearchObserver<G::Move> for TextObserver<'_, G> {
    fn progress(&mut self, progress: &plyground_core::Progress<'_, G::Move>) -> ControlFlow<()> {
        let opinion = || {
            let opinion = (progress.opinion)();
            InterimAdvice {
                value: opinion.value,
                depth: opinion.depth,
                line: line_text(self.game, self.state, &opinion.line),
                candidates: advised(self.game, self.state, &opinion.candidates),
            }
        };
        self.observer.progress(&SearchProgress { done: progress.done, nodes: progress.nodes, opinion: &opinion })
    }
}
