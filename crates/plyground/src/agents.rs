//! Agents: search, exact solving, and what they choose.
//!
//! An agent is a type with the trait [`Agent`]. [`Mcts`] and [`AlphaBeta`] are made in one line; [`from_spec`] makes any agent of the
//! list from a text, as the command `ply` does; [`solve`] proves what a position is worth.
//!
//! An agent has no randomness but the random numbers that it is given: the same seed gives the same choice, unless time is its limit.

pub use plyground_agents::{
    AgentInfo, AgentSpec, Bounds, FlatMonteCarlo, INFOS, LIMITS, Method, Minimax, Searcher, Solve, Solver, Tablebase, Uct, build,
    catalogue, parse_limits,
};
pub use plyground_core::{
    AgentError, Budget, CancelToken, Candidate, Clock, Engine, Fact, Limits, NoClock, NoObserver, NoResources, Opinion, Progress,
    Resources, SearchObserver, StopCheck,
};

/// A request to search a position, for full control: limits, a clock, and an observer that may end the search.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use plyground::agents::{Budget, Limits, Progress, SearchObserver, SearchRequest, WallClock};
/// use plyground::games::{connect_four::ConnectFour, typed};
/// use plyground::prelude::*;
///
/// /// An observer that ends the search as soon as there is an opinion.
/// struct Hasty;
///
/// impl<M> SearchObserver<M> for Hasty {
///     fn progress(&mut self, progress: &Progress<'_, M>) -> ControlFlow<()> {
///         if (progress.opinion)().value.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
///     }
/// }
///
/// let (game, state) = typed::<ConnectFour>("connect-four", None)?;
/// let limits = Limits { simulations: Some(1_000_000), ..Limits::default() };
/// let choice = Mcts::with_simulations(1).choose(SearchRequest {
///     game: &game,
///     state: &state,
///     budget: Budget { limits, clock: &WallClock::start() },
///     rng: &mut Seed(1).rng(),
///     observer: &mut Hasty,
/// })?;
/// assert!((1..1_000_000).contains(&choice.simulations));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(inline)]
pub use plyground_core::SearchRequest;

/// A policy that chooses moves. One method is required: [`Agent::choose`].
///
/// ```
/// use plyground::agents::{AgentError, SearchRequest};
/// use plyground::prelude::*;
///
/// /// An agent that plays the first move of the list.
/// struct First;
///
/// impl<G: Game> Agent<G> for First {
///     fn choose(&mut self, request: SearchRequest<'_, G>) -> Result<Choice<G>, AgentError> {
///         request.mover()?;
///         let mut moves = Vec::new();
///         request.game.moves(request.state, &mut moves);
///         Ok(Choice::bare(moves[0]))
///     }
/// }
/// ```
#[doc(inline)]
pub use plyground_core::Agent;

/// A move with its explanation.
///
/// ```
/// use plyground::games::{connect_four::ConnectFour, typed};
/// use plyground::prelude::*;
///
/// let (game, state) = typed::<ConnectFour>("connect-four", None)?;
/// let choice = Mcts::with_simulations(500).choose_move(&game, &state, &mut Seed(1).rng())?;
/// assert_eq!(choice.simulations, 500);
/// assert_eq!(choice.principal_variation[0], choice.mv);
/// let best = choice.candidates[0];
/// println!("{} has {} visits and a value of {:?}", game.move_text(&state, best.mv), best.visits, best.value);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(inline)]
pub use plyground_core::Choice;

/// Monte Carlo tree search: one line, and one line for a move.
///
/// ```
/// use std::time::Duration;
///
/// use plyground::games::{clobber::Clobber, typed};
/// use plyground::prelude::*;
///
/// let (game, state) = typed::<Clobber<u64>>("clobber:size=5x6", None)?;
/// let choice = Mcts::with_simulations(1_000).choose_move(&game, &state, &mut Seed(1).rng())?;
/// assert!(choice.win_chance().is_some());
///
/// // By time, and with switches.
/// let mut agent = Mcts::with_time(Duration::from_millis(5)).with_options("solver=on,c=0.7")?;
/// agent.choose_move(&game, &state, &mut Seed(1).rng())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(inline)]
pub use plyground_agents::Mcts;

/// Alpha-beta search: to a depth, or as deep as the time allows.
///
/// ```
/// use plyground::games::{connect_four::ConnectFour, typed};
/// use plyground::prelude::*;
///
/// // Three in a row for the player to move: a depth of one ply sees the win.
/// let position = "7/7/7/7/ooo4/xxx4 x 4";
/// let (game, state) = typed::<ConnectFour>("connect-four", Some(position))?;
/// let choice = AlphaBeta::with_depth(1).choose_move(&game, &state, &mut Seed(1).rng())?;
/// assert_eq!(game.move_text(&state, choice.mv), "d");
/// assert_eq!(choice.win_chance(), Some(1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(inline)]
pub use plyground_agents::AlphaBeta;

/// Uniformly random moves: the yardstick of every study.
///
/// ```
/// use plyground::agents::Random;
/// use plyground::games::{mnk::Mnk, typed};
/// use plyground::prelude::*;
///
/// let (game, state) = typed::<Mnk<u64>>("tictactoe", None)?;
/// let choice = Random.choose_move(&game, &state, &mut Seed(1).rng())?;
/// assert_eq!(choice.value, None, "it has no opinion");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(inline)]
pub use plyground_agents::Random;

/// Any agent of the list, from a text.
///
/// ```
/// use plyground::agents::from_spec;
/// use plyground::games::{mnk::Mnk, typed};
/// use plyground::prelude::*;
///
/// let (game, state) = typed::<Mnk<u64>>("tictactoe", None)?;
/// for spec in ["mc:sims=100", "pvs:depth=3", "level=4"] {
///     let choice = from_spec(spec, &game)?.choose_move(&game, &state, &mut Seed(1).rng())?;
///     println!("{spec} plays {}", game.move_text(&state, choice.mv));
/// }
/// let refusal = from_spec("alfabeta", &game).err().map(|error| error.to_string());
/// assert!(refusal.is_some_and(|refusal| refusal.contains("did you mean 'alphabeta'?")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(inline)]
pub use plyground_agents::from_spec;

/// Exact solving in one call.
///
/// ```
/// use plyground::games::{mnk::Mnk, typed};
/// use plyground::prelude::*;
///
/// let (game, state) = typed::<Mnk<u64>>("tictactoe", None)?;
/// assert_eq!(solve(&game, &state)?.value(), Some(GameValue::Draw));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(inline)]
pub use plyground_agents::solve;

/// The result of [`solve`]: the value, a best move, and a line of best play.
///
/// ```
/// use plyground::games::{mnk::Mnk, typed};
/// use plyground::prelude::*;
///
/// let (game, state) = typed::<Mnk<u64>>("tictactoe", Some("xx1/oo1/3 x 3"))?;
/// let solution = solve(&game, &state)?;
/// assert_eq!(solution.value(), Some(GameValue::Win));
/// assert_eq!((solution.plies, solution.line.len()), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(inline)]
pub use plyground_agents::Solution;

/// The clock of native programs. [`Agent::choose_move`] starts one; a [`SearchRequest`] is given one.
///
/// ```
/// use plyground::agents::{Clock, WallClock};
///
/// let clock = WallClock::start();
/// assert!(clock.elapsed() <= clock.elapsed());
/// ```
#[doc(inline)]
pub use plyground_core::WallClock;
