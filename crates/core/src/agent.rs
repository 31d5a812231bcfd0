//! Agents, search requests, and what a search reports.

use std::{ops::ControlFlow, time::Duration};

use crate::{AgentError, Budget, Game, Limits, Player, Rng, StopCheck, Turn, WallClock};

/// An agent: a policy that chooses moves, usually by search.
///
/// It prints nothing, has no randomness but the one it is given, and reads no clock but the budget's.
pub trait Agent<G: Game>: Send {
    /// Chooses a move in a position in which a player is to move.
    ///
    /// An agent may keep what it has learnt between calls (`&mut self`), but without a time limit the same calls with the same
    /// seed give the same choices.
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError>;

    /// Chooses a move within the agent's own limits, timed by a [`WallClock`] and without an observer: for native programs.
    fn choose_move(&mut self, game: &G, state: &G::State, rng: &mut Rng) -> Result<Choice<G>, AgentError>
    where
        Self: Sized,
    {
        let budget = Budget { limits: Limits::default(), clock: &WallClock::start() };
        self.choose(SearchRequest { game, state, budget, rng, observer: &mut NoObserver })
    }
}

impl<G: Game, T: Agent<G> + ?Sized> Agent<G> for Box<T> {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        (**self).choose(request)
    }
}

/// A request to search a position: the rules, the budget, the randomness and the observer.
pub struct SearchRequest<'a, G: Game> {
    /// The rules.
    pub game: &'a G,
    /// The position.
    pub state: &'a G::State,
    /// How long to think, and the only clock.
    pub budget: Budget<'a>,
    /// The only randomness.
    pub rng: &'a mut Rng,
    /// Is told about the progress, and may end the search.
    pub observer: &'a mut dyn SearchObserver<G::Move>,
}

impl<G: Game> SearchRequest<'_, G> {
    /// The player to move; an error at chance events and at the end of the game.
    pub fn mover(&self) -> Result<Player, AgentError> {
        match self.game.turn(self.state) {
            Turn::Player(player) => Ok(player),
            Turn::Chance | Turn::Over(_) => Err(AgentError::NoPlayerToMove),
        }
    }
}

/// A chosen move, with the reasons.
#[derive(Clone, Debug)]
pub struct Choice<G: Game> {
    /// The move.
    pub mv: G::Move,
    /// The expected result for the mover, from -1 (certain loss) to +1 (certain win), where the agent has an opinion.
    pub value: Option<f32>,
    /// What the agent expects to be played, beginning with `mv`; may be empty.
    pub principal_variation: Vec<G::Move>,
    /// The moves that it looked at, best known ones with visits and value; may be empty.
    pub candidates: Vec<Candidate<G::Move>>,
    /// Positions visited.
    pub nodes: u64,
    /// Games simulated.
    pub simulations: u64,
    /// Plies looked ahead, where that is a number.
    pub depth: Option<u32>,
    /// Time used, by the clock of the budget.
    pub elapsed: Duration,
    /// What else there is to know about the search, for `--explain`: rates, counts, sizes.
    pub facts: Vec<Fact>,
    /// What the user should be told: that the memory was used up, that a switch had no effect here …
    pub notes: Vec<String>,
}

impl<G: Game> Choice<G> {
    /// A choice without an explanation.
    pub fn bare(mv: G::Move) -> Self {
        Self {
            mv,
            value: None,
            principal_variation: Vec::new(),
            candidates: Vec::new(),
            nodes: 0,
            simulations: 0,
            depth: None,
            elapsed: Duration::ZERO,
            facts: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The share of the points that the mover expects, from 0 (a certain loss) to 1 (a certain win), where the agent has an opinion.
    pub fn win_chance(&self) -> Option<f32> {
        self.value.map(|value| 0.5 + 0.5 * value)
    }
}

/// A legal move with what a search found about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate<M> {
    /// The move.
    pub mv: M,
    /// How often it was tried; 0 where that is not how the agent thinks.
    pub visits: u64,
    /// The expected result for the mover, from -1 to +1, where it has been tried.
    pub value: Option<f32>,
}

/// A number that explains a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fact {
    /// What it is, in words of the field: "cut-off rate", "effective branching factor".
    pub name: &'static str,
    /// How much.
    pub value: f64,
}

/// The progress of a search.
pub struct Progress<'a, M> {
    /// The used part of the budget, from 0 to 1.
    pub done: f32,
    /// Positions visited or games simulated so far.
    pub nodes: u64,
    /// The current opinion. A function, because most observers do not look at it every time.
    pub opinion: &'a dyn Fn() -> Opinion<M>,
}

/// The provisional answer of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Opinion<M> {
    /// The expected result for the mover, from -1 to +1.
    pub value: Option<f32>,
    /// Plies looked ahead.
    pub depth: Option<u32>,
    /// The best line so far.
    pub line: Vec<M>,
    /// The moves that it has looked at, best first; may be empty.
    pub candidates: Vec<Candidate<M>>,
}

impl<M> Default for Opinion<M> {
    fn default() -> Self {
        Self { value: None, depth: None, line: Vec::new(), candidates: Vec::new() }
    }
}

/// An observer of a search.
pub trait SearchObserver<M> {
    /// Called every few thousand nodes; `Break` asks the agent to answer at once with the best that it has.
    fn progress(&mut self, progress: &Progress<'_, M>) -> ControlFlow<()>;
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl<M> SearchObserver<M> for NoObserver {
    fn progress(&mut self, _: &Progress<'_, M>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl StopCheck for NoObserver {
    fn check(&mut self, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
