//! Matches: which of two agents is stronger, and how surely.
//!
//! The unit is the pair: two games from the same opening and with the same luck, with the seats swapped. So neither a good opening nor
//! the first move is an advantage, and the interval is narrower than that of as many single games.
//!
//! [`pipeline`] has what the command `ply` is made of: experiments whose games are kept in a file and that go on where they stopped,
//! tournaments, queues, many threads.

use std::ops::ControlFlow;

use plyground_core::{
    Agent, Budget, Clock, Game, InputError, Limits, NoResources, PlayableGame, Player, Progress, Rng, SearchObserver,
    SearchRequest, Seed, Turn,
};
/// The run pipeline: experiments, the store that keeps every game, schedules, executors.
pub use plyground_match as pipeline;
use plyground_match::{AgentFactory, Contestant, Fault, Pace, Played, PlayerFactory, Reply, Table, play_game};
use plyground_session::{Session, session_of};
use plyground_statistics::{CONFIDENCE, EloEstimate, GameResult, Interval, MatchResult, Tally, describe_match, logistic_elo};

/// Random plies before the agents begin to think.
const OPENING_PLIES: u32 = 2;

/// Attempts to find an opening after which the game goes on.
const OPENING_ATTEMPTS: u64 = 50;

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
    players: [MatchPlayer; 2],
    pairs: u64,
    seed: Seed,
    opening_plies: u32,
    limits: Limits,
}

impl Match {
    /// A match in a game of any type. The players are specs of agents (`mcts:sims=100`), or agents of your own ([`MatchPlayer::own`]).
    pub fn new<G: PlayableGame>(game: &G, one: impl Into<MatchPlayer>, other: impl Into<MatchPlayer>) -> Self {
        let game = game.clone();
        Self::with(Box::new(move || Ok(session_of(game.clone()))), [one.into(), other.into()])
    }

    /// A match in a game of the list, by its spec.
    pub fn of_spec(game: &str, one: impl Into<MatchPlayer>, other: impl Into<MatchPlayer>) -> Result<Self, InputError> {
        let spec = plyground_session::open(game, None)?.spec();
        Ok(Self::with(Box::new(move || plyground_session::open(&spec, None)), [one.into(), other.into()]))
    }

    fn with(open: Box<dyn Fn() -> Result<Box<dyn Session>, InputError> + Send + Sync>, players: [MatchPlayer; 2]) -> Self {
        Self { open, players, pairs: 50, seed: Seed(0), opening_plies: OPENING_PLIES, limits: Limits::default() }
    }

    /// The number of pairs of games; 50 unless it is set.
    #[must_use]
    pub fn pairs(self, pairs: u64) -> Self {
        Self { pairs, ..self }
    }

    /// The seed of all randomness: of openings, of chance and of the agents.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed: Seed(seed), ..self }
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

    /// Plays the match. An error is a spec that cannot be read; an agent that fails in a game loses it ([`MatchReport::faults`]).
    pub fn play(&self) -> Result<MatchReport, InputError> {
        let names = self.players.each_ref().map(|player| player.name.clone());
        let mut report = MatchReport { names, result: MatchResult::default(), faults: Vec::new() };
        for pair in 0..self.pairs {
            let opening = self.opening(self.seed.named("opening").numbered(pair))?;
            let mut results = [GameResult::Draw; 2];
            for (game, result) in results.iter_mut().enumerate() {
                let played = self.play_one(pair, game, &opening)?;
                *result = GameResult::of(Player::BOTH[game], played.outcome.winner);
                if let Some((loser, fault)) = played.fault {
                    let name = report.names[loser.index() ^ game].clone();
                    report.faults.push((name, format!("{}: {}", fault.word(), fault.detail())));
                }
            }
            report.result.add_pair(results);
        }
        Ok(report)
    }

    /// Game 0 or 1 of a pair: in the second one the seats are swapped.
    fn play_one(&self, pair: u64, game: usize, opening: &[String]) -> Result<Played, InputError> {
        let [one, other] = &self.players;
        let seed = self.seed.named(&one.name).named(&other.name).numbered(pair);
        let [mut first, mut second] = if game == 0 { [one.make()?, other.make()?] } else { [other.make()?, one.make()?] };
        let table = Table {
            session: (self.open)()?,
            contestants: [first.as_mut(), second.as_mut()],
            seeds: [0, 1].map(|seat| seed.named("agent").numbered(2 * game as u64 + seat)),
            luck: seed.named("luck").rng(),
            opening,
            stop: &|| false,
            moved: &|_, _| {},
        };
        let played = play_game(table, Pace { limits: self.limits, ..Pace::default() })?;
        Ok(played.expect("a game that is not stopped comes to its end"))
    }

    /// Random plies after which the game goes on; none where they would end it.
    fn opening(&self, seed: Seed) -> Result<Vec<String>, InputError> {
        for attempt in 0..OPENING_ATTEMPTS {
            let mut session = (self.open)()?;
            let mut rng = seed.numbered(attempt).rng();
            let mut plies = 0;
            loop {
                match session.turn() {
                    Turn::Over(_) => break,
                    Turn::Chance => drop(session.roll(&mut rng)),
                    Turn::Player(_) if plies == self.opening_plies => {
                        return Ok(session.history().iter().map(|played| played.text.clone()).collect());
                    }
                    Turn::Player(_) => {
                        let moves = session.moves();
                        session.play(&moves[rng.below(moves.len() as u32) as usize].text)?;
                        plies += 1;
                    }
                }
            }
        }
        Ok(Vec::new())
    }
}

/// A player of a [`Match`]: the spec of an agent of the list, or an agent of your own with a name.
///
/// ```
/// use plyground::agents::Random;
/// use plyground::games::{mnk::Mnk, typed};
/// use plyground::matches::{Match, MatchPlayer};
///
/// let (game, _) = typed::<Mnk<u64>>("tictactoe", None)?;
/// let mine = MatchPlayer::own("mine", &game, || Random);
/// let report = Match::new(&game, mine, "alphabeta:depth=2").pairs(10).play()?;
/// assert!(report.faults().is_empty() && report.score() < 0.5, "{report}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MatchPlayer {
    name: String,
    own: Option<Box<dyn Fn() -> Box<dyn Contestant> + Send + Sync>>,
}

impl MatchPlayer {
    /// An agent of your own in this game: `make` makes one for every game of the match.
    pub fn own<G: Game, A: Agent<G> + 'static>(name: &str, game: &G, make: impl Fn() -> A + Send + Sync + 'static) -> Self {
        let game = game.clone();
        let own = move || Box::new(OwnAgent { game: game.clone(), agent: make(), rng: Seed(0).rng() }) as Box<dyn Contestant>;
        Self { name: name.to_owned(), own: Some(Box::new(own)) }
    }

    fn make(&self) -> Result<Box<dyn Contestant>, InputError> {
        match &self.own {
            Some(make) => Ok(make()),
            None => AgentFactory(&NoResources).invite(&self.name),
        }
    }
}

impl From<&str> for MatchPlayer {
    fn from(spec: &str) -> Self {
        Self { name: spec.to_owned(), own: None }
    }
}

impl From<String> for MatchPlayer {
    fn from(spec: String) -> Self {
        Self { name: spec, own: None }
    }
}

/// A contestant that follows the game move by move, in its own type.
struct OwnAgent<G, A> {
    game: G,
    agent: A,
    rng: Rng,
}

impl<G: Game, A: Agent<G>> Contestant for OwnAgent<G, A> {
    fn sit(&mut self, session: &mut dyn Session, seed: Seed) -> Result<(), InputError> {
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
        cut_short: &dyn Fn() -> bool,
    ) -> Result<Reply, Fault> {
        let mut state = self.game.start();
        for played in session.history() {
            let mv = self.game.legal_move(&state, &played.text).map_err(|error| Fault::Crashed(error.to_string()))?;
            self.game.play(&mut state, mv);
        }
        let (budget, observer) = (Budget { limits, clock }, &mut CutShort(cut_short));
        let request = SearchRequest { game: &self.game, state: &state, budget, rng: &mut self.rng, observer };
        let choice = self.agent.choose(request)?;
        Ok(Reply { mv: self.game.move_text(&state, choice.mv), value: choice.value })
    }
}

/// An observer that ends a search when its answer is no longer waited for.
struct CutShort<'a>(&'a dyn Fn() -> bool);

impl<M> SearchObserver<M> for CutShort<'_> {
    fn progress(&mut self, _: &Progress<'_, M>) -> ControlFlow<()> {
        if (self.0)() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
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
