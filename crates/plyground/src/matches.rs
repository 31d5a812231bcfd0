//! Matches: which of two agents is stronger, and how surely.
//!
//! The unit is the pair: two games from the same opening and with the same outcomes of chance, with the seats swapped. So neither a good opening nor
//! the first move is an advantage, and the interval is narrower than that of as many single games.
//!
//! [`pipeline`] has what the command `ply` is made of: experiments whose games are kept in a file and that go on where they stopped,
//! tournaments, queues, many threads.

use std::ops::ControlFlow;

use plyground_core::{
    Agent, Budget, CancelToken, Clock, Game, InputError, Limits, NoResources, PlayableGame, Progress, Resources, Rng,
    SearchObserver, SearchRequest, Seed,
};
/// The run pipeline: experiments, the store that keeps every game, schedules, executors.
pub use plyground_match as pipeline;
use plyground_match::{
    AgentPlayer, Experiment, Fault, MatchPlayer, Openings, PlayerFactory, Reply, RunDriver, RunError, RunPrefix, Store, Threads,
};
use plyground_session::{Session, session_of};
use plyground_statistics::{CONFIDENCE, EloEstimate, Interval, MatchResult, Tally, describe_match, logistic_elo};

/// Random plies before the agents begin to think.
const OPENING_PLIES: u32 = 2;

/// A match between two agents, to be played.
///
/// ```
/// use plyground::matches::Match;
///
/// let report = Match::of_spec("tictactoe", "mcts:sims=200", "random")?.pairs(20).seed(1).play()?;
/// assert!(report.interval().low > 0.5, "{report}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Match {
    open: Box<dyn Fn() -> Result<Box<dyn Session>, InputError> + Send + Sync>,
    agents: [MatchAgent; 2],
    pairs: u64,
    seed: u64,
    opening_plies: u32,
    limits: Limits,
    threads: usize,
}

impl Match {
    /// A match in a game of any type. The players are specs of agents (`mcts:sims=100`), or agents of your own ([`MatchAgent::own`]).
    pub fn new<G: PlayableGame>(game: &G, one: impl Into<MatchAgent>, other: impl Into<MatchAgent>) -> Self {
        let game = game.clone();
        Self::with(Box::new(move || Ok(session_of(game.clone()))), [one.into(), other.into()])
    }

    /// A match in a game of the list, by its spec.
    pub fn of_spec(game: &str, one: impl Into<MatchAgent>, other: impl Into<MatchAgent>) -> Result<Self, InputError> {
        let spec = plyground_session::open(game, None)?.spec();
        Ok(Self::with(Box::new(move || plyground_session::open(&spec, None)), [one.into(), other.into()]))
    }

    fn with(open: Box<dyn Fn() -> Result<Box<dyn Session>, InputError> + Send + Sync>, agents: [MatchAgent; 2]) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { open, agents, pairs: 50, seed: 0, opening_plies: OPENING_PLIES, limits: Limits::default(), threads }
    }

    /// The number of pairs of games; 50 unless it is set.
    #[must_use]
    pub fn pairs(self, pairs: u64) -> Self {
        Self { pairs, ..self }
    }

    /// The seed of all randomness: of openings, of chance and of the agents.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The number of random plies before the agents begin to think; 2 unless it is set. Without any, agents that do not draw lots
    /// play the same two games again and again.
    #[must_use]
    pub fn opening_plies(self, plies: u32) -> Self {
        Self { opening_plies: plies, ..self }
    }

    /// Limits for every move, in place of those of the agents. A player that takes longer than the time allows loses the game.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Games at the same time; one for each core unless it is set. The result does not depend on it.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Plays the match. An error is a spec that cannot be read; an agent that fails in a game loses it ([`MatchReport::faults`]).
    pub fn play(&self) -> Result<MatchReport, RunError> {
        let run = self.experiment()?.run();
        let (store, executor) = (Store::in_memory()?, Threads(self.threads));
        let (results, _) = RunDriver::new(&store, &run, &executor, self).play(&[[0, 1]], self.pairs)?;
        let mut faults = Vec::new();
        store.games(RunPrefix::all(&run.id), |game| {
            if let (Some(_), Some(winner)) = (&game.fault, game.outcome.winner) {
                let loser = game.agents[winner.other().index()];
                faults.push((self.agents[loser].name.clone(), game.reason));
            }
        })?;
        let names = self.agents.each_ref().map(|agent| agent.name.clone());
        Ok(MatchReport { names, result: results.between([0, 1]), faults })
    }

    /// The settings of the run. Agents of the list are checked.
    fn experiment(&self) -> Result<Experiment, InputError> {
        let mut listed: Vec<String> = self.agents.iter().filter(|agent| agent.own.is_none()).map(MatchAgent::spec).collect();
        listed.dedup();
        let checked = Experiment::of((self.open)()?, &listed, &NoResources)?;
        let openings = match self.opening_plies {
            0 => Openings::Start,
            plies => Openings::Random { plies },
        };
        let agents = self.agents.iter().map(|agent| {
            let place = listed.iter().position(|spec| *spec == agent.spec());
            place.map_or_else(|| agent.spec(), |place| checked.agents[place].clone())
        });
        Ok(Experiment { agents: agents.collect(), openings, limits: self.limits, seed: self.seed, ..checked })
    }
}

/// A match makes its players: from the list, or those that it was given.
impl PlayerFactory for Match {
    fn open(&self, _: &str) -> Result<Box<dyn Session>, InputError> {
        (self.open)()
    }

    fn player(&self, spec: &str) -> Result<Box<dyn MatchPlayer + '_>, InputError> {
        let own = self.agents.iter().find(|agent| agent.spec() == spec).and_then(|agent| agent.own.as_ref());
        Ok(own.map_or_else(|| Box::new(AgentPlayer::new(spec, &NoResources)) as Box<dyn MatchPlayer>, |make| make()))
    }

    fn resources(&self) -> &(dyn Resources + Sync) {
        &NoResources
    }
}

/// A player of a [`Match`]: the spec of an agent of the list, or an agent of your own with a name.
///
/// ```
/// use plyground::agents::Random;
/// use plyground::games::{mnk::Mnk, typed};
/// use plyground::matches::{Match, MatchAgent};
///
/// let (game, _) = typed::<Mnk<u64>>("tictactoe", None)?;
/// let mine = MatchAgent::own("mine", &game, || Random);
/// let report = Match::new(&game, mine, "alphabeta:depth=2").pairs(10).play()?;
/// assert!(report.faults().is_empty() && report.score() < 0.5, "{report}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MatchAgent {
    name: String,
    own: Option<Box<dyn Fn() -> Box<dyn MatchPlayer> + Send + Sync>>,
}

impl MatchAgent {
    /// An agent of your own in this game: `make` makes one for every game of the match.
    pub fn own<G: Game, A: Agent<G> + 'static>(name: &str, game: &G, make: impl Fn() -> A + Send + Sync + 'static) -> Self {
        let game = game.clone();
        let own = move || Box::new(OwnAgent { game: game.clone(), agent: make(), rng: Seed(0).rng() }) as Box<dyn MatchPlayer>;
        Self { name: name.to_owned(), own: Some(Box::new(own)) }
    }

    /// The spec in the settings of the run; no agent of the list is called `own`.
    fn spec(&self) -> String {
        if self.own.is_some() { format!("own:{}", self.name) } else { self.name.clone() }
    }
}

impl From<&str> for MatchAgent {
    fn from(spec: &str) -> Self {
        Self { name: spec.to_owned(), own: None }
    }
}

impl From<String> for MatchAgent {
    fn from(spec: String) -> Self {
        Self { name: spec, own: None }
    }
}

/// A player that follows the game move by move, in its own type.
struct OwnAgent<G, A> {
    game: G,
    agent: A,
    rng: Rng,
}

impl<G: Game, A: Agent<G>> MatchPlayer for OwnAgent<G, A> {
    fn start(&mut self, session: &mut dyn Session, seed: Seed) -> Result<(), InputError> {
        self.rng = seed.rng();
        let (own, found) = (self.game.spec(), session.spec());
        let detail = || format!("the agent was made for {own}");
        if own == found { Ok(()) } else { Err(InputError::malformed("game", &found, detail())) }
    }

    fn choose(
        &mut self,
        session: &mut dyn Session,
        limits: Limits,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<Reply, Fault> {
        let mut state = self.game.start();
        for played in session.history() {
            let mv = self.game.legal_move(&state, &played.text).map_err(|error| Fault::Crashed(error.to_string()))?;
            self.game.play(&mut state, mv);
        }
        let (budget, observer) = (Budget { limits, clock }, &mut UntilCancelled(cancel));
        let request = SearchRequest { game: &self.game, state: &state, budget, rng: &mut self.rng, observer };
        let choice = self.agent.choose(request)?;
        Ok(Reply { mv: self.game.move_text(&state, choice.mv), value: choice.value })
    }
}

/// An observer that ends a search when its token is cancelled.
struct UntilCancelled<'a>(&'a CancelToken);

impl<M> SearchObserver<M> for UntilCancelled<'_> {
    fn progress(&mut self, _: &Progress<'_, M>) -> ControlFlow<()> {
        if self.0.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The result of a [`Match`], in the view of the player that is named first. As text it is a sentence: who is stronger, if that is
/// shown, the score with its interval, and the difference in Elo.
///
/// ```
/// use plyground::matches::Match;
///
/// let report = Match::of_spec("tictactoe", "random", "random")?.pairs(10).seed(2).play()?;
/// assert!(report.interval().contains(report.score()));
/// assert_eq!(report.tally().games(), 20);
/// println!("{report}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MatchReport {
    names: [String; 2],
    result: MatchResult,
    faults: Vec<(String, String)>,
}

impl MatchReport {
    /// The share of the points, a draw being half a point; one half without games.
    pub fn score(&self) -> f64 {
        self.result.sample().mean
    }

    /// The 95 % interval of the score.
    pub fn interval(&self) -> Interval {
        self.result.sample().interval(CONFIDENCE)
    }

    /// The difference in Elo, with its error.
    pub fn elo(&self) -> EloEstimate {
        logistic_elo(&self.result.sample())
    }

    /// Games won, drawn and lost.
    pub fn tally(&self) -> Tally {
        self.result.tally()
    }

    /// The results by seat and by pair, for all that [`statistics`](crate::statistics) can say about them.
    pub fn result(&self) -> &MatchResult {
        &self.result
    }

    /// Games that were lost by a failure: the name of the player, and what happened.
    pub fn faults(&self) -> &[(String, String)] {
        &self.faults
    }
}

impl std::fmt::Display for MatchReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&describe_match(&self.names[0], &self.names[1], &self.result))
    }
}
