//! Plyground turns the rules of a two-player board game into everything around it: opponents, analysis, exact solutions, fair matches,
//! agents that learn. This crate is the library; the command `ply` and its app are made of the same parts.
//!
//! | module | what is in it |
//! |---|---|
//! | [`games`] | what a game is, and the games of the list |
//! | [`agents`] | Monte Carlo tree search, alpha-beta, exact solving, and what they choose |
//! | [`session`] | games in progress, all in text, for programs that do not know the game in advance |
//! | [`matches`](mod@matches) | which of two agents is stronger, and how surely |
//! | [`statistics`] | intervals, Elo, sequential tests, ratings |
//! | [`training`] | Q-learning, and networks from self-play |
//! | [`prelude`] | what most programs use |
//!
//! # Play a game
//!
//! A [`session`] is a game in progress. Everything in it is text, so this program plays any game of the list with any agent:
//!
//! ```
//! use plyground::prelude::*;
//! use plyground::session;
//!
//! let mut game = session::open("connect-four", None)?;
//! let seats = [game.add_agent("mcts:sims=50", Seed(1))?, game.add_agent("alphabeta:depth=3", Seed(2))?];
//! while let Turn::Player(player) = game.turn() {
//!     let advice = game.choose(seats[player.index()])?;
//!     game.play(&advice.mv)?;
//! }
//! println!("{}", session::draw_board(&game.view(), &game.last_move()));
//! println!("{}", game.why_over());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Search a position
//!
//! Below the text, games and agents are types. A game is a value with the rules, a state is a position, and an agent chooses a move:
//!
//! ```
//! use plyground::games::{clobber::Clobber, typed};
//! use plyground::prelude::*;
//!
//! let (game, state) = typed::<Clobber<u64>>("clobber:size=5x6", None)?;
//! let choice = Mcts::with_simulations(1_000).choose_move(&game, &state, &mut Seed(1).rng())?;
//! println!("{} with a win chance of {:.2}", game.move_text(&state, choice.mv), choice.win_chance().unwrap_or(0.5));
//!
//! let small = typed::<Clobber<u64>>("clobber:size=3x4", None)?;
//! assert_eq!(solve(&small.0, &small.1)?.value(), Some(GameValue::Loss), "the player who moves first loses");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! All randomness comes from a [`Seed`](games::Seed), so the same program gives the same result on every machine.
//!
//! # Your own game, in one file
//!
//! A game is five methods. Agents ask for three more traits (what is known beyond the rules), all of whose methods have defaults. The
//! file below is the whole program; it needs nothing of this workspace but the library:
//!
//! ```
#![doc = include_str!("../examples/own_game.rs")]
//! ```
//!
//! # A match, with an interval
//!
//! Pairs of games from the same opening with swapped seats; the report is a sentence, or numbers:
//!
//! ```
//! use plyground::prelude::*;
//!
//! let report = Match::of_spec("tictactoe", "mcts:sims=100", "random")?.pairs(15).seed(1).play()?;
//! println!("{report}");
//! assert!(report.interval().low > 0.5 && report.elo().value() > Some(0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Train
//!
//! [`QLearning`](training::QLearning) learns small games of any type in seconds; [`training::Training`] makes networks.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use plyground::games::{mnk::Mnk, typed};
//! use plyground::prelude::*;
//!
//! let (game, start) = typed::<Mnk<u64>>("tictactoe", None)?;
//! let mut agent = QLearning::default();
//! agent.train(&game, 1_000, &mut |_| ControlFlow::Continue(()));
//! let choice = agent.choose_move(&game, &start, &mut Seed(1).rng())?;
//! println!("it plays {}", game.move_text(&start, choice.mv));
//! std::fs::write(std::env::temp_dir().join("tictactoe.q"), agent.save(&game))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it costs to build
//!
//! Matches and the training of networks keep their games in SQLite. A program that does not need them leaves out the feature
//! `experiments` (`default-features = false`): then no C compiler is needed, and half as much is built.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod agents;
pub mod games;
#[cfg(feature = "experiments")]
pub mod matches;
pub mod prelude;
pub mod session;
pub mod training;

/// Statistics of game results.
///
/// ```
/// use plyground::statistics::{Pairs, logistic_elo};
///
/// // Pairs of games by their points: 0, ½, 1, 1½ and 2.
/// let sample = Pairs([60, 20, 200, 60, 160]).sample();
/// assert_eq!(logistic_elo(&sample).to_string(), "+85 ± 21");
/// ```
#[doc(inline)]
pub use plyground_statistics as statistics;
