//! The encoder that shows a position as it stands, the same for both players.

use crate::encode::watch;
use crate::{Encodable, Encoder, EncoderInfo, Game, MoveSquares, Owner, Piece, Player, Square, Turn};

/// The encoder that every game has: a plane for each kind of piece, one for the side to move (1 for the first player), and one for each
/// number beside the board, the same everywhere. What a view does not show, it does not know.
///
/// Moves are told apart by their squares: first come placements (kind of stone, square), then steps (from, to), each only where the game
/// has such moves. A player's own stones have the same index for both.
#[derive(Clone, Debug)]
pub struct GeneralEncoder {
    pieces: &'static [Piece],
    counters: Vec<String>,
    board: [usize; 2],
    /// The kinds of stones that can be placed; none where pieces are moved.
    kinds: Vec<Kind>,
    /// Are pieces moved from square to square?
    steps: bool,
}

/// What can be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// The only thing there is to place.
    Only,
    /// The n-th kind of piece of the player who moves.
    Own(usize),
    /// The n-th kind of neutral piece.
    Neutral(usize),
}

impl GeneralEncoder {
    pub(crate) const NAME: &str = "general";

    /// Its entry in lists of encoders.
    pub const INFO: EncoderInfo =
        EncoderInfo { name: Self::NAME, summary: "pieces by kind and side, the side to move, the numbers beside the board" };

    /// Games that show whether a game is one of placing, of moving, or both.
    const GAMES: u64 = 20;

    /// The encoder for a game.
    pub fn new<G: Encodable>(game: &G) -> Self {
        let info = G::info();
        let view = game.view(&game.start());
        let name = |player: Player| info.players[player.index()];
        let counters = view.counters.iter().map(|counter| format!("{}: {}", name(counter.player), counter.label)).collect();
        let mut encoder = Self {
            pieces: info.pieces,
            counters,
            board: [view.ranks.into(), view.files.into()],
            kinds: Vec::new(),
            steps: false,
        };
        watch(game, Self::GAMES, |squares, _| encoder.learn(squares));
        encoder
    }

    fn learn(&mut self, squares: MoveSquares) {
        if squares.from.is_some() {
            self.steps = true;
            return;
        }
        let new = self.kind(squares.piece).filter(|kind| !self.kinds.contains(kind));
        self.kinds.extend(new);
        self.kinds.sort_unstable();
    }

    fn kind(&self, piece: Option<&str>) -> Option<Kind> {
        let Some(name) = piece else { return Some(Kind::Only) };
        let piece = self.pieces.iter().find(|piece| piece.name == name)?;
        let number = self.pieces.iter().filter(|other| other.owner == piece.owner).position(|other| other.name == name)?;
        Some(if piece.owner == Owner::Neutral { Kind::Neutral(number) } else { Kind::Own(number) })
    }

    fn squares(&self) -> usize {
        self.board[0] * self.board[1]
    }

    fn square(&self, square: Square) -> usize {
        (self.board[0] - 1 - usize::from(square.rank)) * self.board[1] + usize::from(square.file)
    }
}

impl<G: Game> Encoder<G> for GeneralEncoder {
    fn planes(&self) -> Vec<String> {
        let owner = |piece: &Piece| match piece.owner {
            Owner::First => "first player's ",
            Owner::Second => "second player's ",
            Owner::Neutral => "",
        };
        let pieces = self.pieces.iter().map(|piece| format!("{}{}", owner(piece), piece.name));
        pieces.chain(["first player to move".to_owned()]).chain(self.counters.iter().cloned()).collect()
    }

    fn board(&self) -> [usize; 2] {
        self.board
    }

    fn encode(&self, game: &G, state: &G::State, values: &mut Vec<f32>) {
        let view = game.view(state);
        values.clear();
        for kind in self.pieces {
            values.extend(view.cells.iter().map(|piece| if piece.as_ref() == Some(kind) { 1.0 } else { 0.0 }));
        }
        let side = if game.turn(state) == Turn::Player(Player::First) { 1.0 } else { 0.0 };
        for number in [side].into_iter().chain(view.counters.iter().map(|counter| counter.value as f32)) {
            values.extend(std::iter::repeat_n(number, view.cells.len()));
        }
    }

    fn moves(&self) -> usize {
        self.squares() * (self.kinds.len() + if self.steps { self.squares() } else { 0 })
    }

    fn move_order(&self) -> String {
        let squares = self.squares();
        let placements = (!self.kinds.is_empty()).then(|| format!("{squares} * kind + square for a placement"));
        let before = self.kinds.len() * squares;
        let steps = self.steps.then(|| format!("{before} + {squares} * from + to for a step"));
        let parts: Vec<String> = placements.into_iter().chain(steps).collect();
        format!("{}; squares row by row from the top left", parts.join(", "))
    }

    fn move_index(&self, game: &G, state: &G::State, mv: G::Move) -> Option<usize> {
        let squares = game.move_squares(state, mv);
        let to = self.square(squares.to?);
        if let Some(from) = squares.from {
            return self.steps.then(|| (self.kinds.len() + self.square(from)) * self.squares() + to);
        }
        let kind = self.kind(squares.piece)?;
        let number = self.kinds.iter().position(|&known| known == kind)?;
        Some(number * self.squares() + to)
    }
}
