//! Searches with their limits in one line, for programs that name an agent in code and not in a spec.

use std::time::Duration;

use plyground_core::{
    Agent, AgentError, Choice, Evaluated, InputError, Limits, NoResources, Params, PlayableGame, SearchRequest,
};

use crate::mcts::{options, uct};
use crate::minimax::family;
use crate::{AgentInfo, COMMON_KEYS, Searcher, Uct, WithLimits, keys, limits};

/// Monte Carlo tree search (UCT) with limits of its own.
///
/// It is for one game: the search is made when the first move is asked for, and may keep what it has learnt of the game.
pub struct Mcts<G: PlayableGame> {
    settings: Settings,
    search: Option<WithLimits<Uct<G>>>,
}

impl<G: PlayableGame> Mcts<G> {
    /// A search that ends after so many simulated games.
    pub fn with_simulations(simulations: u64) -> Self {
        Self::with_limits(Limits { simulations: Some(simulations), ..Limits::default() })
    }

    /// A search that ends after this time.
    pub fn with_time(time: Duration) -> Self {
        Self::with_limits(Limits { time: Some(time), ..Limits::default() })
    }

    /// A search that ends at the first of these limits; 1,000 simulations where there are none. It has no limit by nodes or depth.
    pub fn with_limits(limits: Limits) -> Self {
        Self { settings: Settings { params: Params::default(), limits }, search: None }
    }

    /// The same search with switches, written as in a spec behind `mcts:`, for instance `solver=on,c=0.7` (`ply agents` lists them).
    /// They take the place of all that were set before.
    pub fn with_options(mut self, options: &str) -> Result<Self, InputError> {
        self.settings.read::<G>(&uct::INFO, options)?;
        options::Options::read(&options::with_preset(&self.settings.params)?)?;
        self.search = None;
        Ok(self)
    }
}

impl<G: PlayableGame> Agent<G> for Mcts<G> {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        let Self { settings, search } = self;
        let made = match search {
            Some(made) => made,
            none => none.insert(settings.make(|params| uct::build(request.game, params, &NoResources))?),
        };
        made.choose(request)
    }
}

/// Alpha-beta search with limits of its own: iterative deepening, a transposition table, and the game's evaluator at the leaves.
///
/// It is for one game: the search is made when the first move is asked for, and keeps its table.
pub struct AlphaBeta<G: Evaluated> {
    settings: Settings,
    search: Option<WithLimits<Searcher<G::Evaluator>>>,
}

impl<G: Evaluated> AlphaBeta<G> {
    /// A search so many plies ahead.
    pub fn with_depth(depth: u32) -> Self {
        Self::with_limits(Limits { depth: Some(depth), ..Limits::default() })
    }

    /// A search that looks further and further ahead until this time is over.
    pub fn with_time(time: Duration) -> Self {
        Self::with_limits(Limits { time: Some(time), ..Limits::default() })
    }

    /// A search that ends at the first of these limits; four plies ahead where there are none. It has no limit by simulations.
    pub fn with_limits(limits: Limits) -> Self {
        Self { settings: Settings { params: Params::default(), limits }, search: None }
    }

    /// The same search with switches, written as in a spec behind `alphabeta:`, for instance `quiescence=4` or `eval=NAME`
    /// (`ply agents` lists them). They take the place of all that were set before.
    pub fn with_options(mut self, options: &str) -> Result<Self, InputError> {
        self.settings.read::<G>(&family::alphabeta::INFO, options)?;
        family::check(family::alphabeta::INFO.name, &self.settings.params)?;
        self.search = None;
        Ok(self)
    }
}

impl<G: Evaluated> Agent<G> for AlphaBeta<G> {
    fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
        let Self { settings, search } = self;
        let made = match search {
            Some(made) => made,
            none => none.insert(settings.make(|params| family::alphabeta::build(request.game, params, &NoResources))?),
        };
        made.choose(request)
    }
}

/// The switches and the limits of a search that is yet to be made.
struct Settings {
    params: Params,
    limits: Limits,
}

impl Settings {
    /// Takes over switches, and limits where they are among them.
    fn read<G: Evaluated>(&mut self, agent: &AgentInfo, options: &str) -> Result<(), InputError> {
        let params = Params::parse(options)?;
        let known: Vec<_> = keys::<G>(agent).into_iter().filter(|key| !COMMON_KEYS.contains(key)).collect();
        params.check(agent.name, &known)?;
        let limits = limits(&params)?;
        if limits != Limits::default() {
            self.limits = limits;
        }
        self.params = params;
        Ok(())
    }

    fn make<S>(&self, build: impl FnOnce(&Params) -> Result<S, InputError>) -> Result<WithLimits<S>, AgentError> {
        let agent = build(&self.params).map_err(|error| AgentError::Refused(error.to_string()))?;
        Ok(WithLimits { agent, limits: self.limits })
    }
}
