//! The encoder that networks learn with by default: positions as the player to move sees them.

use crate::encode::{DEFAULT_ENCODER, watch};
use crate::{Encodable, Encoder, EncoderInfo, MoveSquares, Owner, Piece, Player, Square, Swap, Turn, Viewpoint};

/// The encoder that every game can be learnt with: a plane for each kind of piece of the player to move, of the opponent, and neutral, a
/// plane of ones (beyond the edge a convolution sees zeros), and the numbers beside the board. Where the game says how the board looks
/// from the other side ([`Encodable::swap`]), both players see it as the first one does, and what is learnt for one is learnt for both;
/// otherwise one more plane says who moves.
///
/// A placement has a plane for each kind of stone, a step one for each direction and distance, on the square that is left.
#[derive(Clone, Debug)]
pub struct MoverEncoder {
    pieces: &'static [Piece],
    counters: usize,
    labels: Vec<&'static str>,
    board: [usize; 2],
    swap: Swap,
    /// The kinds of stones that can be placed.
    kinds: Vec<Kind>,
    /// Ranks and files that a step goes up and to the right, as the mover sees it.
    steps: Vec<[i8; 2]>,
}

/// What is placed: whether it is neutral, and the number of its kind among those of its owner.
type Kind = (bool, usize);

impl MoverEncoder {
    pub(crate) const NAME: &str = DEFAULT_ENCODER;

    /// Its entry in lists of encoders.
    pub const INFO: EncoderInfo =
        EncoderInfo { name: Self::NAME, summary: "own, other and neutral pieces by kind, as the player to move sees them" };

    /// Games that show whether stones are placed, and how pieces move.
    const GAMES: u64 = 100;
    /// Counters are divided by this: numbers near 1 are learnt best.
    const COUNTER_UNIT: f32 = 8.0;

    /// The encoder for a game.
    pub fn new<G: Encodable>(game: &G) -> Self {
        let view = game.view(&game.start());
        let swap = game.swap();
        let labels: Vec<&str> = view.counters.iter().filter(|counter| counter.player == Player::First).map(|c| c.label).collect();
        let mut encoder = Self {
            pieces: G::info().pieces,
            counters: view.counters.len(),
            labels,
            board: [view.ranks.into(), view.files.into()],
            swap,
            kinds: Vec::new(),
            steps: Vec::new(),
        };
        watch(game, Self::GAMES, |squares, mover| encoder.learn(squares, mover));
        encoder.kinds.sort_unstable();
        encoder.steps.sort_unstable();
        encoder
    }

    fn learn(&mut self, squares: MoveSquares, mover: Player) {
        let Some(step) = self.step(squares, mover) else {
            let new = self.kind(squares).filter(|kind| !self.kinds.contains(kind));
            self.kinds.extend(new);
            return;
        };
        if !self.steps.contains(&step) {
            self.steps.push(step);
        }
    }

    fn kind(&self, squares: MoveSquares) -> Option<Kind> {
        let Some(name) = squares.piece else { return Some((false, 0)) };
        let piece = self.pieces.iter().find(|piece| piece.name == name)?;
        Some((piece.owner == Owner::Neutral, self.number(piece)))
    }

    /// The number of a piece among those of its owner.
    fn number(&self, piece: &Piece) -> usize {
        self.pieces.iter().filter(|other| other.owner == piece.owner).position(|other| other == piece).unwrap_or(0)
    }

    fn seen(&self, square: Square, mover: Player) -> Square {
        if mover == Player::Second { self.swap.seen(square, self.board[0]) } else { square }
    }

    fn step(&self, squares: MoveSquares, mover: Player) -> Option<[i8; 2]> {
        let [from, to] = [squares.from?, squares.to?].map(|square| self.seen(square, mover));
        Some([to.rank as i8 - from.rank as i8, to.file as i8 - from.file as i8])
    }

    /// The number of a square, row by row from the top left.
    fn place(&self, square: Square) -> usize {
        (self.board[0] - 1 - usize::from(square.rank)) * self.board[1] + usize::from(square.file)
    }

    fn squares(&self) -> usize {
        self.board[0] * self.board[1]
    }

    /// The plane of a piece.
    fn plane(&self, piece: &Piece, mover: Player) -> usize {
        let group = |owner: Owner| self.pieces.iter().filter(move |piece| piece.owner == owner);
        let [own, other] = [mover, mover.other()].map(Owner::from);
        let before = if piece.owner == own {
            0
        } else if piece.owner == other {
            group(own).count()
        } else {
            group(own).count() + group(other).count()
        };
        before + self.number(piece)
    }
}

impl<G: Encodable> Encoder<G> for MoverEncoder {
    fn planes(&self) -> Vec<String> {
        let of = |owner: Owner| self.pieces.iter().filter(move |piece| piece.owner == owner);
        let own = of(Owner::First).map(|piece| format!("own {}", piece.name));
        let other = of(Owner::Second).map(|piece| format!("other's {}", piece.name));
        let neutral = of(Owner::Neutral).map(|piece| piece.name.to_owned());
        let counters =
            ["own", "other's"].into_iter().flat_map(|whose| self.labels.iter().map(move |label| format!("{whose} {label}")));
        let side = (self.swap == Swap::Never).then(|| "first player to move".to_owned());
        own.chain(other).chain(neutral).chain(["board".to_owned()]).chain(counters).chain(side).collect()
    }

    fn board(&self) -> [usize; 2] {
        self.board
    }

    fn viewpoint(&self) -> Viewpoint {
        Viewpoint::Mover
    }

    fn encode(&self, game: &G, state: &G::State, values: &mut Vec<f32>) {
        let Turn::Player(mover) = game.turn(state) else { return values.clear() };
        let view = game.view(state);
        let squares = self.squares();
        let sided = self.swap == Swap::Never;
        values.clear();
        values.resize((self.pieces.len() + 1 + self.counters + usize::from(sided)) * squares, 0.0);
        for (place, piece) in view.cells.iter().enumerate() {
            if let Some(piece) = piece {
                let square =
                    Square { file: (place % self.board[1]) as u8, rank: (self.board[0] - 1 - place / self.board[1]) as u8 };
                values[self.plane(piece, mover) * squares + self.place(self.seen(square, mover))] = 1.0;
            }
        }
        let mut planes = values[self.pieces.len() * squares..].chunks_exact_mut(squares);
        let mut fill = |number: f32| planes.next().into_iter().for_each(|plane| plane.fill(number));
        fill(1.0);
        for player in [mover, mover.other()] {
            for counter in view.counters.iter().filter(|counter| counter.player == player) {
                fill(counter.value as f32 / Self::COUNTER_UNIT);
            }
        }
        if sided {
            fill(f32::from(u8::from(mover == Player::First)));
        }
    }

    fn moves(&self) -> usize {
        self.squares() * (self.kinds.len() + self.steps.len())
    }

    fn move_order(&self) -> String {
        let squares = self.squares();
        let placements = (!self.kinds.is_empty()).then(|| format!("{squares} * kind + square for a placement"));
        let before = self.kinds.len() * squares;
        let steps: Vec<String> = self.steps.iter().map(|[up, right]| format!("({up:+}, {right:+})")).collect();
        let steps = (!steps.is_empty())
            .then(|| format!("{before} + {squares} * step + from for a step up and right by {}", steps.join(", ")));
        let parts: Vec<String> = placements.into_iter().chain(steps).collect();
        format!("{}; squares row by row from the top left, as the mover sees them", parts.join(", "))
    }

    fn move_index(&self, game: &G, state: &G::State, mv: G::Move) -> Option<usize> {
        let Turn::Player(mover) = game.turn(state) else { return None };
        let squares = game.move_squares(state, mv);
        let (plane, square) = match self.step(squares, mover) {
            Some(step) => (self.kinds.len() + self.steps.binary_search(&step).ok()?, squares.from?),
            None => (self.kinds.binary_search(&self.kind(squares)?).ok()?, squares.to?),
        };
        Some(plane * self.squares() + self.place(self.seen(square, mover)))
    }
}
