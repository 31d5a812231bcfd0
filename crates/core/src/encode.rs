//! Encoders: positions and moves as numbers, the input and the output of networks.

use crate::{Game, MoveSquares, Player, Scratch, Seed, Square, Turn};

/// The name of the encoder that networks learn with by default.
pub(crate) const DEFAULT_ENCODER: &str = "mover";

/// The player in whose view an encoder shows positions; a network's value is in the same view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewpoint {
    /// Always the first player's.
    First,
    /// That of the player to move.
    Mover,
}

/// An encoder of positions as planes of numbers and of moves as indices.
pub trait Encoder<G: Game>: Send + Sync {
    /// What each plane shows, in their order.
    fn planes(&self) -> Vec<String>;

    /// Ranks and files of a plane.
    fn board(&self) -> [usize; 2];

    /// In whose view planes and indices are.
    fn viewpoint(&self) -> Viewpoint {
        Viewpoint::First
    }

    /// Replaces the contents of `values` by the planes of a position, one after the other, each row by row from the top left, as a
    /// board is drawn. Asked for positions in which a player is to move.
    fn encode(&self, game: &G, state: &G::State, values: &mut Vec<f32>);

    /// How many indices of moves there are; not every one has to be the index of a move.
    fn moves(&self) -> usize;

    /// How indices come about, in a line.
    fn move_order(&self) -> String;

    /// The index of a legal move: the same for the same move in every position (with the same player to move), different for two moves of a position. `None` for a move
    /// that this encoder was not made for.
    fn move_index(&self, game: &G, state: &G::State, mv: G::Move) -> Option<usize>;

    /// The legal move with this index.
    fn move_at(&self, game: &G, state: &G::State, index: usize) -> Option<G::Move> {
        let mut moves = Vec::new();
        game.moves(state, &mut moves);
        moves.into_iter().find(|&mv| self.move_index(game, state, mv) == Some(index))
    }
}

/// A game that networks can learn: its encoders, and how the board looks from the other side. All has defaults:
/// `impl Encodable for MyGame {}` is enough.
pub trait Encodable: Game {
    /// How the board is seen from the second player's side: where the two sides are alike, networks learn both at once.
    fn swap(&self) -> Swap {
        Swap::Never
    }

    /// The name of the encoder that networks of this game learn with unless another one is given.
    fn default_encoder(&self) -> &'static str {
        DEFAULT_ENCODER
    }

    /// The descriptions of the encoders that only this game has, beside
    /// [`MoverEncoder`](crate::MoverEncoder) and [`GeneralEncoder`](crate::GeneralEncoder).
    fn encoders() -> &'static [EncoderInfo] {
        &[]
    }

    /// The encoder of [`Encodable::encoders`] with this name; `None` for any other name.
    fn encoder(&self, name: &str) -> Option<Box<dyn Encoder<Self>>> {
        let _ = name;
        None
    }
}

/// The description of an encoder for users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncoderInfo {
    /// The word that names it.
    pub name: &'static str,
    /// What it shows, in a line.
    pub summary: &'static str,
}

/// The transformation that shows a game from the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Swap {
    /// The players want different things, and no turn of the board makes up for it.
    #[default]
    Never,
    /// Exchanging the players changes nothing but the names.
    Same,
    /// The second player plays the first one's game with top and bottom exchanged.
    UpsideDown,
    /// The second player plays the first one's game with files and ranks exchanged. Only on square boards.
    Transposed,
}

impl Swap {
    /// Where a square lies for the second player.
    pub(crate) fn seen(self, square: Square, ranks: usize) -> Square {
        match self {
            Self::Never | Self::Same => square,
            Self::UpsideDown => Square { rank: ranks as u8 - 1 - square.rank, ..square },
            Self::Transposed => Square { file: square.rank, rank: square.file },
        }
    }
}

/// Shows every legal move of so many random games, always the same ones, with who could make it: so encoders find out what kinds of moves
/// a game has.
pub(crate) fn watch<G: Game>(game: &G, games: u64, mut see: impl FnMut(MoveSquares, Player)) {
    let (mut scratch, mut moves) = (Scratch::default(), Vec::new());
    for number in 0..games {
        let (mut state, mut rng) = (game.start(), Seed(0).numbered(number).rng());
        loop {
            let mv = match game.turn(&state) {
                Turn::Over(_) => break,
                Turn::Chance => game.random_outcome(&state, &mut rng, &mut scratch),
                Turn::Player(mover) => {
                    game.moves(&state, &mut moves);
                    for &mv in &moves {
                        see(game.move_squares(&state, mv), mover);
                    }
                    moves[rng.below(moves.len() as u32) as usize]
                }
            };
            game.play(&mut state, mv);
        }
    }
}
