//! Breakthrough: the first piece on the far rank wins (Dan Troyka, 2000).

use plyground_core::{
    BoardView, Encodable, Evaluated, EvaluationTerm, Evaluator, EvaluatorInfo, EvaluatorSet, Example, Family, Game, GameInfo,
    GameValue, InputError, KeyInfo, MoveSquares, Outcome, Owner, Params, Phrase, Piece, PieceShape, Player, Presentation, Rng,
    Scratch, Sentence, Solvable, Square, Swap, Theme, Tour, Turn, Visitor, hash_state, logistic,
};

use crate::bits::Bits;
use crate::board::{Grid, PositionText, agreed_size};

const INFO: GameInfo = GameInfo {
    name: "breakthrough",
    title: "Breakthrough",
    aliases: &[],
    players: ["White", "Black"],
    summary: "step forward, straight or diagonally, and capture diagonally; the first piece on the far rank wins",
    keys: &[KeyInfo {
        key: "size",
        value: "COLUMNSxROWS",
        default: "8x8",
        meaning: "the board: at least 2 columns and 4 rows, at most 64 squares",
    }],
    rules: "White (w) has a piece on every square of the two bottom ranks and moves first; Black (b) has one on every square of \
            the two top ranks. White's pieces move up the board, Black's down.\n\n\
            In your turn, move one of your pieces one square forward: straight or diagonally onto an empty square, or diagonally \
            onto an opponent's piece, which is captured. A piece cannot capture straight ahead. You need not capture, and you may \
            not pass.\n\n\
            You win as soon as one of your pieces reaches the far rank, or when you capture the opponent's last piece. There are \
            no draws: your foremost piece can always move, and every move brings a piece forward, so a game ends.\n\n\
            Dan Troyka invented the game in 2000; it won the 8x8 Game Design Competition of 2001.",
    pieces: &[WHITE, BLACK],
    notation: "A move names the square left and the square entered: a2b3. A position: the board, the side to move (w or b).",
    example: Example {
        position: "5/1b2b/1b3/2w2/w1w2 w",
        caption: "White has to capture on b3: nothing can stop the piece there any more. After any other move Black wins.",
    },
    samples: &[
        "breakthrough",
        "breakthrough:size=6x6",
        "breakthrough:size=5x5",
        "breakthrough:size=4x4",
        "breakthrough:size=5x6",
        "breakthrough:size=2x9",
        "breakthrough:size=16x4",
    ],
    phrases: &[NOT_YOURS, EMPTY, BLOCKED, OWN_PIECE, STEP, ARRIVED, TAKEN],
    presentation: Presentation {
        boards: &["breakthrough", "breakthrough:size=5x5", "breakthrough:size=6x6", "breakthrough:size=7x7"],
        lessons: &[
            Example {
                position: "1bb2/1w3/5/2b2/3w1 w",
                caption: "White is one step from the far rank. Straight ahead the way is blocked: go through diagonally.",
            },
            Example {
                position: "1bb2/5/5/2b2/1w1w1 w",
                caption: "Black is one step from the far rank. Capture that piece, diagonally.",
            },
        ],
        tour: Tour {
            how: "Tap a piece, then a dot: one square forward, straight or diagonally; captures are diagonal. Get a piece through \
                  to the other side to win. You can also drag.",
            ..Presentation::DEFAULT.tour
        },
        pull: "Two rows of pieces, one race to the other side.",
        goal: Some(Example { position: "1bw2/5/5/2b2/3w1 b", caption: "A white piece has reached the far rank: White wins." }),
        turned_for_second: true,
        theme: Some(Theme::CHESS),
        shapes: &[("white piece", PieceShape::Stone), ("black piece", PieceShape::Stone)],
        ..Presentation::DEFAULT
    },
};

const NOT_YOURS: Phrase = Phrase::new("not-yours", "the piece on {square} is the opponent's");
const EMPTY: Phrase = Phrase::new("empty", "there is no piece on {square}");
const BLOCKED: Phrase = Phrase::new("blocked", "{square} is occupied, and a piece captures diagonally only");
const OWN_PIECE: Phrase = Phrase::new("own-piece", "the piece on {square} is your own");
const STEP: Phrase = Phrase::new("step", "a piece moves one square forward, straight or diagonally");
const ARRIVED: Phrase = Phrase::new("arrived", "{player} has a piece on the far rank");
const TAKEN: Phrase = Phrase::new("taken", "{player} has no piece left");

const WHITE: Piece = Piece { letter: 'w', glyph: '○', owner: Owner::First, name: "white piece" };
const BLACK: Piece = Piece { letter: 'b', glyph: '●', owner: Owner::Second, name: "black piece" };

/// How many ranks of pieces each player starts with.
const DEPTH: u8 = 2;

/// The family of Breakthrough games.
pub struct Rules;

impl Family for Rules {
    const INFO: &'static GameInfo = &INFO;

    fn open<V: Visitor>(params: &Params, position: Option<&str>, visitor: V) -> Result<V::Output, InputError> {
        let (game, state) = open(params, position)?;
        Ok(visitor.visit(game, state))
    }
}

/// The game with these parameters, and its start or a position. (Not generic, so that it is compiled once and not for every visitor.)
fn open(params: &Params, position: Option<&str>) -> Result<(Breakthrough, State), InputError> {
    let position = position.map(|text| PositionText::parse(text, "wb", &["side to move"], 0)).transpose()?;
    let size = agreed_size(params, position.as_ref(), (8, 8))?;
    if size.files < 2 || size.ranks < 2 * DEPTH || size.bits() > u64::WIDTH {
        let detail = "expected at least 2 columns and 4 rows, and at most 64 squares";
        return Err(InputError::malformed("size", &size.size(), detail));
    }
    let game = Breakthrough::new(size);
    let state = match &position {
        Some(position) => game.state(position)?,
        None => game.start(),
    };
    Ok((game, state))
}

/// Breakthrough on a board of up to 64 squares. What belongs to the players is in the order of the players.
#[derive(Clone, Debug)]
pub struct Breakthrough {
    grid: Grid,
    /// How far a piece travels in the numbers of the squares, for each [`Way`]. White adds it, Black subtracts it.
    travel: [u32; 3],
    all: u64,
    /// The squares that are not on file `a`, and those that are not on the last file.
    inner: [u64; 2],
    /// Where the pieces start.
    start: [u64; 2],
    /// The squares on which a piece has won.
    far: [u64; 2],
}

/// A position of Breakthrough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pieces: [u64; 2],
    side: Player,
}

/// A move of a piece from one square to another, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    from: u8,
    to: u8,
}

impl Breakthrough {
    fn new(grid: Grid) -> Self {
        let files = u32::from(grid.files);
        let ranks = |from: u8, to: u8| grid.part(|square| (from..to).contains(&square.rank));
        let top = grid.ranks;
        Self {
            grid,
            travel: [files - 1, files + 1, files],
            all: grid.all(),
            inner: [grid.part(|square| square.file > 0), grid.part(|square| square.file + 1 < grid.files)],
            start: [ranks(0, DEPTH), ranks(top - DEPTH, top)],
            far: [ranks(top - 1, top), ranks(0, 1)],
        }
    }

    /// Reads a position, and refuses what no game can lead to.
    fn state(&self, position: &PositionText<'_>) -> Result<State, InputError> {
        let side = Player::BOTH[position.word(0, "side to move", &["w", "b"])?];
        let pieces: [u64; 2] = [position.set(self.grid, 'w'), position.set(self.grid, 'b')];
        for player in Player::BOTH {
            let name = INFO.players[player.index()];
            let (count, most) = (pieces[player.index()].count(), self.start[player.index()].count());
            if count > most {
                return Err(position.error(format!("{name} has {count} pieces, and {most} at the start")));
            }
            if count == 0 && player != side {
                let detail = format!("{name} has no piece left and made the last move: the game was over before it");
                return Err(position.error(detail));
            }
            let arrived = pieces[player.index()] & self.far[player.index()];
            if !arrived.is_empty() && player == side {
                let detail = format!("{name} is to move and has a piece on the far rank: the game was over before the last move");
                return Err(position.error(detail));
            }
            if arrived.count() > 1 {
                let detail = format!("{name} has {} pieces on the far rank, but the first one won", arrived.count());
                return Err(position.error(detail));
            }
        }
        Ok(State { pieces, side })
    }

    /// The squares that pieces enter when each moves one square up: to the left, to the right, straight.
    #[inline]
    fn up(&self, pieces: u64) -> [u64; 3] {
        let [left, right, straight] = self.travel;
        [(pieces & self.inner[0]) << left, (pieces & self.inner[1]) << right, pieces << straight].map(|set| set & self.all)
    }

    /// The same downwards, each along the same line as in [`Self::up`].
    #[inline]
    fn down(&self, pieces: u64) -> [u64; 3] {
        let [left, right, straight] = self.travel;
        [(pieces & self.inner[1]) >> left, (pieces & self.inner[0]) >> right, pieces >> straight]
    }

    /// The squares that the pieces of the side to move can enter, for each of the three ways.
    #[inline]
    fn targets(&self, state: &State) -> [u64; 3] {
        let own = state.pieces[state.side.index()];
        let other = state.pieces[state.side.other().index()];
        let [left, right, straight] = match state.side {
            Player::First => self.up(own),
            Player::Second => self.down(own),
        };
        [left & !own, right & !own, straight & !own & !other]
    }

    /// The step that enters the square `to` on one of the three ways.
    #[inline]
    fn step(&self, side: Player, way: usize, to: u32) -> Step {
        let from = match side {
            Player::First => to - self.travel[way],
            Player::Second => to + self.travel[way],
        };
        Step { from: from as u8, to: to as u8 }
    }

    /// Has the player who moved last brought a piece to the far rank?
    #[inline]
    fn arrived(&self, state: &State) -> bool {
        let last = state.side.other().index();
        state.pieces[last] & self.far[last] != 0
    }

    /// Does a legal step capture a piece?
    #[inline]
    fn takes(state: &State, mv: Step) -> bool {
        state.pieces[state.side.other().index()].has(u32::from(mv.to))
    }

    /// Does a legal step reach the far rank?
    #[inline]
    fn arrives(&self, state: &State, mv: Step) -> bool {
        self.far[state.side.index()].has(u32::from(mv.to))
    }

    fn piece(&self, state: &State, square: Square) -> Option<Piece> {
        let index = self.grid.index(square);
        let mut kinds = [WHITE, BLACK].into_iter().zip(state.pieces);
        kinds.find(|(_, pieces)| pieces.has(index)).map(|(piece, _)| piece)
    }

    fn squares(&self, mv: Step) -> [Square; 2] {
        [mv.from, mv.to].map(|index| self.grid.square(u32::from(index)))
    }
}

impl Game for Breakthrough {
    type State = State;
    type Move = Step;

    fn info() -> &'static GameInfo {
        &INFO
    }

    fn spec(&self) -> String {
        format!("breakthrough:size={}", self.grid.size())
    }

    fn start(&self) -> State {
        State { pieces: self.start, side: Player::First }
    }

    fn most_moves(&self) -> Option<u32> {
        // Every move brings a piece forward.
        Some(self.grid.count() * u32::from(self.grid.ranks - 1))
    }

    /// A player with pieces has a move: nothing of their own is in front of the foremost piece, and of its diagonals at least one
    /// is on the board, because there are two files.
    #[inline]
    fn turn(&self, state: &State) -> Turn {
        if self.arrived(state) || state.pieces[state.side.index()].is_empty() {
            Turn::Over(Outcome::win(state.side.other()))
        } else {
            Turn::Player(state.side)
        }
    }

    #[inline]
    fn moves(&self, state: &State, moves: &mut Vec<Step>) {
        moves.clear();
        if self.arrived(state) {
            return;
        }
        for (way, targets) in self.targets(state).into_iter().enumerate() {
            moves.extend(targets.squares().map(|to| self.step(state.side, way, to)));
        }
    }

    #[inline]
    fn play(&self, state: &mut State, mv: Step) {
        let mover = state.side.index();
        let to = u64::bit(u32::from(mv.to));
        state.pieces[mover] = state.pieces[mover] & !u64::bit(u32::from(mv.from)) | to;
        state.pieces[1 - mover] &= !to;
        state.side = state.side.other();
    }

    fn position_text(&self, state: &State) -> String {
        let board = self.grid.text(|square| self.piece(state, square).map(|piece| piece.letter));
        format!("{board} {}", ["w", "b"][state.side.index()])
    }

    fn move_text(&self, _: &State, mv: Step) -> String {
        let [from, to] = self.squares(mv);
        format!("{from}{to}")
    }

    fn parse_move(&self, _: &State, text: &str) -> Result<Step, InputError> {
        let (from, to) = self.grid.parse_step(text)?;
        Ok(Step { from: self.grid.index(from) as u8, to: self.grid.index(to) as u8 })
    }

    fn why_illegal(&self, state: &State, mv: Step) -> Sentence {
        let [from, to] = self.squares(mv);
        let [own, other] = [state.side, state.side.other()].map(|player| state.pieces[player.index()]);
        let up = i32::from(to.rank) - i32::from(from.rank);
        let forward = if state.side == Player::First { up } else { -up };
        if other.has(u32::from(mv.from)) {
            NOT_YOURS.with([("square", &from)])
        } else if !own.has(u32::from(mv.from)) {
            EMPTY.with([("square", &from)])
        } else if forward != 1 || from.file.abs_diff(to.file) > 1 {
            STEP.plain()
        } else if own.has(u32::from(mv.to)) {
            OWN_PIECE.with([("square", &to)])
        } else {
            BLOCKED.with([("square", &to)])
        }
    }

    fn why_over(&self, state: &State) -> Option<Sentence> {
        let [loser, winner] = [state.side, state.side.other()].map(|player| INFO.players[player.index()]);
        if self.arrived(state) {
            Some(ARRIVED.with([("player", &winner)]))
        } else if state.pieces[state.side.index()].is_empty() {
            Some(TAKEN.with([("player", &loser)]))
        } else {
            None
        }
    }

    fn winning_squares(&self, state: &State) -> Vec<Square> {
        let last = state.side.other().index();
        (state.pieces[last] & self.far[last]).squares().map(|index| self.grid.square(index)).collect()
    }

    fn view(&self, state: &State) -> BoardView {
        BoardView::new(self.grid.files, self.grid.ranks, |square| self.piece(state, square))
    }

    fn move_squares(&self, _: &State, mv: Step) -> MoveSquares {
        let [from, to] = self.squares(mv).map(Some);
        MoveSquares { from, to, ..MoveSquares::default() }
    }

    /// Left and right may be swapped.
    fn symmetries(&self) -> u8 {
        2
    }

    fn symmetric_state(&self, state: &State, symmetry: u8) -> State {
        State { pieces: state.pieces.map(|set| self.grid.mirror_set(set, symmetry)), ..*state }
    }

    fn symmetric_move(&self, mv: Step, symmetry: u8) -> Step {
        let [from, to] = [mv.from, mv.to].map(|index| self.grid.mirror_index(u32::from(index), symmetry) as u8);
        Step { from, to }
    }

    #[inline]
    fn random_move(&self, state: &State, rng: &mut Rng, _: &mut Scratch<Step>) -> Step {
        let targets = self.targets(state);
        let [left, right, straight] = targets.map(Bits::count);
        let drawn = rng.below(left + right + straight);
        // Nothing predicts the way: it is chosen by comparing, not by branching.
        let way = usize::from(drawn >= left) + usize::from(drawn >= left + right);
        let below = [0, left, left + right][way];
        self.step(state.side, way, targets[way].select(drawn - below))
    }
}

/// Pieces, and how far they have come: a piece counts ten points, and the square of the ranks behind it.
#[derive(Clone, Debug)]
pub struct Advance {
    /// The squares of each rank, from the bottom.
    ranks: Vec<u64>,
}

impl Advance {
    const PIECE: i32 = 10;
}

impl Evaluator<Breakthrough> for Advance {
    #[inline]
    fn score(&self, _: &Breakthrough, state: &State) -> f32 {
        let worth = |pieces: u64, ranks: &mut dyn Iterator<Item = &u64>| -> i32 {
            ranks.zip(0..).map(|(rank, behind)| (pieces & rank).count() as i32 * (Self::PIECE + behind * behind)).sum()
        };
        let [white, black] = state.pieces;
        (worth(white, &mut self.ranks.iter()) - worth(black, &mut self.ranks.iter().rev())) as f32
    }

    fn terms(&self, game: &Breakthrough, state: &State) -> Vec<EvaluationTerm> {
        let [white, black] = state.pieces.map(|pieces| pieces.count() as i32);
        let pieces = (Self::PIECE * (white - black)) as f32;
        vec![
            EvaluationTerm::new(format!("pieces, {} each", Self::PIECE), pieces),
            EvaluationTerm::new("the ranks behind each piece, squared", self.score(game, state) - pieces),
        ]
    }

    /// Two pieces more are taken for a chance of 70 %. The scale is not fitted to games.
    fn win_chance(&self, score: f32) -> f32 {
        logistic(score / 24.0)
    }
}

impl EvaluatorSet<Breakthrough> for Advance {
    const INFOS: &'static [EvaluatorInfo] =
        &[EvaluatorInfo { name: "advance", summary: "pieces, and the ranks that each has behind it, squared", keys: &[] }];

    fn with_name(game: &Breakthrough, _: &str, _: &Params) -> Result<Self, InputError> {
        let rank = |number: u8| game.grid.part(|square| square.rank == number);
        Ok(Self { ranks: (0..game.grid.ranks).map(rank).collect() })
    }
}

impl Evaluated for Breakthrough {
    type Evaluator = Advance;

    /// To arrive first of all, then captures, each of them and the rest by how far the piece has come.
    #[inline]
    fn ordering_score(&self, state: &State, mv: Step) -> i32 {
        let rank = i32::from(self.grid.square(u32::from(mv.to)).rank);
        let come = if state.side == Player::First { rank } else { i32::from(self.grid.ranks) - 1 - rank };
        i32::from(self.arrives(state, mv)) << 6 | i32::from(Self::takes(state, mv)) << 5 | come
    }

    /// Captures and arrivals.
    #[inline]
    fn is_noisy(&self, state: &State, mv: Step) -> bool {
        Self::takes(state, mv) || self.arrives(state, mv)
    }
}

/// A position in the view of a player whose pieces go up: the rules are the same for both players, turned by half a turn.
#[derive(Clone, Copy)]
struct View {
    own: u64,
    other: u64,
}

impl Breakthrough {
    #[inline]
    fn turned(&self, set: u64) -> u64 {
        set.reverse_bits() >> (u64::WIDTH - self.grid.bits())
    }

    #[inline]
    fn mover_view(&self, state: &State) -> View {
        let [white, black] = state.pieces;
        match state.side {
            Player::First => View { own: white, other: black },
            Player::Second => View { own: self.turned(black), other: self.turned(white) },
        }
    }

    /// Does the player whose pieces go up win by running with one of them, whatever the other does? `first`: that player is to move.
    ///
    /// The runner moves in every turn, all other pieces of its side stand still. After t moves the opponent's pieces are among the
    /// squares that they reach in t moves on an empty board. A runner is given up when it is on such a square (it may have been
    /// captured) or can only enter such squares (they may be blocked). From the rank before the last one it cannot be stopped any
    /// more: one of its two diagonals is on the board. All pieces are tried as runners at once.
    #[inline]
    fn wins_race(&self, View { own, other }: View, first: bool) -> bool {
        let mut reach = other;
        let mut runners = own;
        let mut running = first;
        loop {
            if running {
                if runners & (self.far[0] >> self.travel[2]) != 0 {
                    return true;
                }
                let [left, right, straight] = self.up(runners);
                runners = (left | right | straight) & !own & !reach;
            }
            running = true;
            let [left, right, straight] = self.down(reach);
            reach |= left | right | straight;
            runners &= !reach;
            if runners == 0 || reach & self.far[1] != 0 {
                return false;
            }
        }
    }
}

impl Solvable for Breakthrough {
    /// Decided by a race, or by two pieces that arrive next: only one of them can be captured.
    #[inline]
    fn known_value(&self, state: &State) -> Option<GameValue> {
        let View { own, other } = self.mover_view(state);
        if self.wins_race(View { own, other }, true) {
            return Some(GameValue::Win);
        }
        let arriving = other & (self.far[1] << self.travel[2]);
        let lost = arriving.count() > 1 || self.wins_race(View { own: self.turned(other), other: self.turned(own) }, false);
        lost.then_some(GameValue::Loss)
    }

    /// Both players' views of a position have one key.
    #[inline]
    fn value_key(&self, state: &State) -> u128 {
        let View { own, other } = self.mover_view(state);
        u128::from(hash_state(&(own, other))) << 64 | u128::from(hash_state(&(other ^ 0x517c_c1b7_2722_0a95, own)))
    }
}

impl Encodable for Breakthrough {
    fn swap(&self) -> Swap {
        Swap::UpsideDown
    }
}
