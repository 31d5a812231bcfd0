//! Rules: what a game is, the games of the list, and how their types are reached.
//!
//! A game is a type with the trait [`Game`]: five methods are required. Its value holds the parameters (the size of the board, for
//! instance), so that one type is a family of games. [`PlayableGame`] is what agents ask for: [`Game`] with three more traits, all of
//! whose methods have defaults.
//!
//! ```
//! use plyground::games::{connect_four::ConnectFour, infos, typed};
//! use plyground::prelude::*;
//!
//! // The games of the list, with their descriptions …
//! assert!(infos().iter().any(|info| info.name == "connect-four"));
//!
//! // … and one of them as a type.
//! let (game, mut state) = typed::<ConnectFour>("connect-four:size=7x6", None)?;
//! let mv = game.legal_move(&state, "d")?;
//! game.play(&mut state, mv);
//! assert_eq!(game.turn(&state), Turn::Player(Player::Second));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Programs that do not know the game in advance use a [`session`](crate::session), in which all is text.

use std::any::{Any, type_name};

pub use plyground_core::{
    BoardView, Counter, Encodable, Encoder, EvaluatorInfo, EvaluatorSet, ExactSolver, GameInfo, KeyInfo, MoveSquares,
    NoHeuristic, Owner, Params, Piece, PlayableGame, Player, Rng, Scratch, Sentence, Solvable, Square, Swap, Visitor, WIN_SCORE,
    divide, perft,
};

/// The rules of a game. Five methods are required.
///
/// ```
/// use plyground::games::Scratch;
/// use plyground::prelude::*;
///
/// /// A pile of stones; a player takes one to three of them, and the one who takes the last stone wins.
/// #[derive(Clone)]
/// struct Subtraction {
///     stones: u32,
/// }
///
/// impl Game for Subtraction {
///     type State = (u32, Player);
///     type Move = u32;
///
///     fn spec(&self) -> String {
///         format!("subtraction:stones={}", self.stones)
///     }
///     fn start(&self) -> Self::State {
///         (self.stones, Player::First)
///     }
///     fn turn(&self, &(stones, side): &Self::State) -> Turn {
///         if stones == 0 { Turn::Over(Outcome::win(side.other())) } else { Turn::Player(side) }
///     }
///     fn moves(&self, &(stones, _): &Self::State, moves: &mut Vec<u32>) {
///         moves.clear();
///         moves.extend(1..=stones.min(3));
///     }
///     fn play(&self, state: &mut Self::State, mv: u32) {
///         *state = (state.0 - mv, state.1.other());
///     }
/// }
///
/// let game = Subtraction { stones: 10 };
/// let outcome = game.playout(&game.start(), &mut Seed(1).rng(), &mut Scratch::default());
/// assert!(outcome.winner.is_some(), "random moves come to an end, and there is no draw");
/// ```
#[doc(inline)]
pub use plyground_core::Game;

/// A game with heuristics. Without any, it is one line: `impl Evaluated for MyGame { type Evaluator = NoHeuristic; }`.
///
/// ```
/// use plyground::prelude::*;
/// # #[derive(Clone)]
/// # struct Race;
/// # impl Game for Race {
/// #     type State = ([u32; 2], Player);
/// #     type Move = u32;
/// #     fn spec(&self) -> String { "race".to_owned() }
/// #     fn start(&self) -> Self::State { ([0, 0], Player::First) }
/// #     fn turn(&self, (steps, side): &Self::State) -> Turn {
/// #         if steps[side.other().index()] >= 20 { Turn::Over(Outcome::win(side.other())) } else { Turn::Player(*side) }
/// #     }
/// #     fn moves(&self, _: &Self::State, moves: &mut Vec<u32>) { *moves = vec![1, 2, 3]; }
/// #     fn play(&self, state: &mut Self::State, mv: u32) { state.0[state.1.index()] += mv; state.1 = state.1.other(); }
/// # }
///
/// /// An evaluator of a race: the lead of the first player, in steps.
/// #[derive(Default)]
/// struct Lead;
///
/// impl Evaluator<Race> for Lead {
///     fn score(&self, _: &Race, (steps, _): &([u32; 2], Player)) -> f32 {
///         steps[0] as f32 - steps[1] as f32
///     }
/// }
///
/// impl Evaluated for Race {
///     type Evaluator = Lead;
/// }
///
/// // A depth of one ply is too short to see the end, and the evaluator knows what is good.
/// let choice = AlphaBeta::with_depth(1).choose_move(&Race, &Race.start(), &mut Seed(1).rng())?;
/// assert_eq!(choice.mv, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(inline)]
pub use plyground_core::Evaluated;

/// A static evaluation function. [`Evaluated`] has an example.
#[doc(inline)]
pub use plyground_core::Evaluator;

/// Who acts next: a player, chance, or no one because the game is over.
///
/// ```
/// use plyground::prelude::*;
///
/// fn describe(turn: Turn) -> String {
///     match turn {
///         Turn::Player(player) => format!("the {} player moves", player.word()),
///         Turn::Chance => "chance decides".to_owned(),
///         Turn::Over(outcome) => format!("over: {}", outcome.word()),
///     }
/// }
/// assert_eq!(describe(Turn::Player(Player::First)), "the first player moves");
/// assert_eq!(describe(Turn::Over(Outcome::DRAW)), "over: draw");
/// ```
#[doc(inline)]
pub use plyground_core::Turn;

/// The result of a finished game.
///
/// ```
/// use plyground::prelude::*;
///
/// assert_eq!(Outcome::win(Player::First).reward(Player::Second), 0.0);
/// assert_eq!(Outcome::by_points(12, 9).margin, 3);
/// ```
#[doc(inline)]
pub use plyground_core::Outcome;

/// The game-theoretic value of a position, for the player to move.
///
/// ```
/// use plyground::prelude::*;
///
/// assert_eq!(GameValue::Win.opposite(), GameValue::Loss);
/// assert!(GameValue::Draw > GameValue::Loss);
/// ```
#[doc(inline)]
pub use plyground_core::GameValue;

/// A name for a stream of random numbers.
///
/// ```
/// use plyground::prelude::*;
///
/// let seed = Seed(1);
/// assert_eq!(seed.rng().bits(), seed.rng().bits(), "the same seed gives the same numbers");
/// assert_ne!(seed.numbered(0).rng().bits(), seed.numbered(1).rng().bits());
/// ```
#[doc(inline)]
pub use plyground_core::Seed;

/// An error in a text: a game, a position, a move or an agent that cannot be read. Its message says what was expected.
///
/// ```
/// let error = plyground::session::open("conect-four", None).err().map(|error| error.to_string());
/// assert!(error.is_some_and(|error| error.contains("did you mean 'connect-four'?")));
/// ```
#[doc(inline)]
pub use plyground_core::InputError;

#[doc(inline)]
pub use plyground_games::*;

/// The game of a spec as a value of its own type, and its start or the given position. Specs whose game has another type are refused:
/// a large board may need more bits than a small one.
///
/// ```
/// use plyground::games::{clobber::Clobber, typed};
/// use plyground::prelude::*;
///
/// let (game, state) = typed::<Clobber<u64>>("clobber:size=8x8", None)?;
/// assert_eq!(game.spec(), "clobber:size=8x8");
/// assert!(typed::<Clobber<u64>>("clobber:size=10x10", None).is_err(), "100 squares are no u64");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn typed<G: PlayableGame>(spec: &str, position: Option<&str>) -> Result<(G, G::State), InputError> {
    struct Typed;
    impl Visitor for Typed {
        type Output = (Box<dyn Any>, &'static str);
        fn visit<H: PlayableGame>(self, game: H, state: H::State) -> Self::Output {
            (Box::new((game, state)), type_name::<H>())
        }
    }
    let (opened, found) = open(spec, position, Typed)?;
    let wanted = || InputError::malformed("game", spec, format!("its type is {found}, not {}", type_name::<G>()));
    opened.downcast::<(G, G::State)>().map(|opened| *opened).map_err(|_| wanted())
}
