//! Games in progress, all in text: for programs that do not know the game in advance.
//!
//! A [`Session`] holds a position, how it came about, and agents that have a seat. Positions, moves and agents are text, so that one
//! program plays every game: those of the list ([`open`]) and your own ([`session_of`]).
//!
//! ```
//! use plyground::prelude::*;
//! use plyground::session;
//!
//! let mut game = session::open("clobber:size=4x4", None)?;
//! let seats = [game.add_agent("mcts:sims=100", Seed(1))?, game.add_agent("random", Seed(2))?];
//! while let Turn::Player(player) = game.turn() {
//!     let advice = game.choose(seats[player.index()])?;
//!     game.play(&advice.mv)?;
//! }
//! println!("{} after {} moves", game.why_over(), game.history().len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`read_any`] and [`replay`] read records of games; [`draw_board`] draws a board in a terminal.

pub use plyground_core::{GameRecord, PlayedMove, RecordedPlayer, read_records, write_records};
pub use plyground_session::{
    Advice, AdvisedMove, InterimAdvice, LegalMove, Opponent, ProgressObserver, RecordFormat, SearchProgress, Seat, SolveOrder,
    Solved, draw_board, draw_counters, formats, read_any, replay,
};

/// A game in progress.
///
/// ```
/// use plyground::session;
///
/// let mut game = session::open("tictactoe", None)?;
/// assert_eq!(game.moves().len(), 9);
/// game.play("b2")?;
/// assert_eq!(game.play("b2").unwrap_err().to_string(), "illegal move 'b2': b2 is occupied");
/// game.undo();
/// assert!(game.history().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(inline)]
pub use plyground_session::Session;

/// A game of the list, by its spec.
///
/// ```
/// use plyground::session;
///
/// let game = session::open("connect-four:size=6x5", None)?;
/// assert_eq!(game.info().title, "Connect Four");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(inline)]
pub use plyground_session::open;

/// A session of a game that is a value: one of the list, or your own.
///
/// ```
/// use plyground::games::{mnk::Mnk, typed};
/// use plyground::session::session_of;
///
/// let (game, _) = typed::<Mnk<u64>>("tictactoe", None)?;
/// assert_eq!(session_of(game).moves().len(), 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(inline)]
pub use plyground_session::session_of;
