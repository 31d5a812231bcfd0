//! Connect Four: drop discs into files, four in a row wins. CONTRIBUTING.md goes through this file as the example of a game.

use plyground_core::{
    BoardGround, BoardView, Encodable, Evaluated, Evaluator, EvaluatorInfo, EvaluatorSet, ExactSolver, Example, Family, Game,
    GameInfo, InputError, KeyInfo, MoveSquares, Outcome, Owner, Params, Phrase, Piece, PieceShape, Player, Presentation, Rng,
    Scratch, Sentence, Solvable, Square, Swap, Theme, Tour, Turn, Visitor, logistic,
};

use crate::bits::Bits;
use crate::board::{Grid, LineTest, PositionText, agreed_size};

mod search;
mod solver;
mod table;

const INFO: GameInfo = GameInfo {
    name: "connect-four",
    title: "Connect Four",
    aliases: &[],
    players: ["Yellow", "Red"],
    summary: "drop discs into files; four in a row, column or diagonal wins",
    keys: &[
        KeyInfo { key: "size", value: "COLUMNSxROWS", default: "7x6", meaning: "the board, from 1x1 to 8x7" },
        KeyInfo { key: "k", value: "K", default: "4", meaning: "how many in a row win, from 1 to 8" },
    ],
    rules: "The board stands upright. Yellow (x) moves first. In turn, each player drops a disc of their own into a file that \
            is not full; it falls to the lowest empty square there. Whoever first has four or more discs (or k, where k is \
            given) in an unbroken row, column or diagonal wins. A full board without such a line is a draw.\n\n\
            On the usual board of 7 files and 6 ranks, the first player wins with best play by beginning in the middle (James \
            D. Allen and Victor Allis, 1988).",
    pieces: &[YELLOW, RED],
    notation: "A move names the file: d. A position: the board, the side to move (x or o), k.",
    example: Example {
        position: "7/7/7/7/3o3/2xx3 o 4",
        caption: "Red has to drop into b or e now, or Yellow gets three in a row with both ends open.",
    },
    samples: &[
        "connect-four",
        "connect-four:size=4x4",
        "connect-four:size=6x5",
        "connect-four:size=5x4,k=3",
        "connect-four:size=8x7",
        "connect-four:size=8x7,k=5",
    ],
    phrases: &[FULL, LINE, DRAWN],
    presentation: Presentation {
        boards: &["connect-four", "connect-four:size=6x5", "connect-four:size=8x7"],
        keys: &[("k", "{value} in a row")],
        lessons: &[Example {
            position: "7/7/7/3x3/3x3/o1oxo2 x 4",
            caption: "Three yellow discs stand in file d: drop the fourth.",
        }],
        tour: Tour {
            how: "Tap a file: your disc falls to the lowest free square. Four in a row win.",
            ..Presentation::DEFAULT.tour
        },
        ground: BoardGround::Holes,
        pull: "Drop discs, make four, block four.",
        goal: Some(Example {
            position: "7/7/3x3/3x3/o2x3/oo1x3 o 4",
            caption: "Four yellow discs in a line, here upwards: Yellow wins. Rows and diagonals count as well.",
        }),
        theme: Some(Theme { first: ["#f2c230", "#3a2f00"], second: ["#c4342b", "#ffffff"], board: Some(["#2f5f8f", "#ff9a3d"]) }),
        shapes: &[("yellow disc", PieceShape::Stone), ("red disc", PieceShape::Stone)],
        ..Presentation::DEFAULT
    },
};

const FULL: Phrase = Phrase::new("full", "file {file} is full");
const LINE: Phrase = Phrase::new("line", "{player} has {k} in a row");
const DRAWN: Phrase = Phrase::new("drawn", "the board is full");

const YELLOW: Piece = Piece { letter: 'x', glyph: '●', owner: Owner::First, name: "yellow disc" };
const RED: Piece = Piece { letter: 'o', glyph: '○', owner: Owner::Second, name: "red disc" };

/// The family of Connect Four games.
pub struct Rules;

impl Family for Rules {
    const INFO: &'static GameInfo = &INFO;

    fn open<V: Visitor>(params: &Params, position: Option<&str>, visitor: V) -> Result<V::Output, InputError> {
        let (game, state) = open(params, position)?;
        Ok(visitor.visit(game, state))
    }
}

/// The game with these parameters, and its start or a position. (Not generic, so that it is compiled once and not for every visitor.)
fn open(params: &Params, position: Option<&str>) -> Result<(ConnectFour, State), InputError> {
    let position = position.map(|text| PositionText::parse(text, "xo", &["side to move", "k"], 0)).transpose()?;
    let size = agreed_size(params, position.as_ref(), (7, 6))?;
    if size.files > 8 || size.ranks > 7 {
        let detail = "expected at most 8 columns and 7 rows";
        return Err(InputError::malformed("size", &size.size(), detail));
    }
    let asked = params.number("k", 1..=8)?;
    let Some(position) = position else {
        let game = ConnectFour::new(size, asked.unwrap_or(4));
        let start = game.start();
        return Ok((game, start));
    };
    let k = position.number(1, "k", 1..=8)?;
    if let Some(asked) = asked.filter(|&asked| asked != k) {
        return Err(position.error(format!("its k is {k}, but k={asked} was asked for")));
    }
    let game = ConnectFour::new(size, k);
    let state = game.state(&position)?;
    Ok((game, state))
}

/// Connect Four on a board that fits, with its padding, into 64 bits.
#[derive(Clone, Debug)]
pub struct ConnectFour {
    grid: Grid,
    k: u32,
    line: LineTest,
    all: u64,
    bottom_rank: u64,
    first_file: u64,
}

/// A position of Connect Four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    discs: [u64; 2],
    side: Player,
    winner: Option<Player>,
}

/// The number of the file into which a disc is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct File(u8);

impl ConnectFour {
    fn new(size: Grid, k: u32) -> Self {
        let grid = Grid::padded(size.files, size.ranks);
        Self {
            grid,
            k,
            line: LineTest::new(grid, k),
            all: grid.all(),
            bottom_rank: grid.part(|square| square.rank == 0),
            first_file: grid.part(|square| square.file == 0),
        }
    }

    /// The squares where a disc does not fall any further: those on the bottom rank and those above another disc.
    #[inline]
    fn supported(&self, discs: u64) -> u64 {
        self.bottom_rank | (discs << self.grid.stride)
    }

    /// The squares on which a disc can land, at most one in each file.
    #[inline]
    fn landings(&self, state: &State) -> u64 {
        let discs = state.discs[0] | state.discs[1];
        self.all & !discs & self.supported(discs)
    }

    /// The square on which a disc dropped into a file lands, as a set; empty when the file is full.
    #[inline]
    fn landing(&self, state: &State, mv: File) -> u64 {
        self.landings(state) & (self.first_file << mv.0)
    }

    fn piece(&self, state: &State, square: Square) -> Option<Piece> {
        let index = self.grid.index(square);
        let mut kinds = [YELLOW, RED].into_iter().zip(state.discs);
        kinds.find(|(_, discs)| discs.has(index)).map(|(piece, _)| piece)
    }

    /// Reads a position, and refuses what no game can lead to.
    fn state(&self, position: &PositionText<'_>) -> Result<State, InputError> {
        let side = Player::BOTH[position.word(0, "side to move", &["x", "o"])?];
        let discs: [u64; 2] = [position.set(self.grid, 'x'), position.set(self.grid, 'o')];
        let [yellow, red] = discs.map(Bits::count);
        let due = if yellow == red { Player::First } else { Player::Second };
        if yellow < red || yellow > red + 1 || side != due {
            let mover = ["x", "o"][side.index()];
            let detail = format!("{yellow} x and {red} o on the board cannot be with {mover} to move");
            return Err(position.error(detail));
        }
        let both = discs[0] | discs[1];
        let floating = both & !self.supported(both);
        if !floating.is_empty() {
            let square = self.grid.square(floating.lowest());
            return Err(position.error(format!("the disc on {square} has an empty square below it")));
        }
        let last = side.other();
        if self.line.is_in(discs[side.index()]) {
            return Err(position.error("the side to move has a line: the game was over before the last move"));
        }
        if !self.line.is_in(discs[last.index()]) {
            return Ok(State { discs, side, winner: None });
        }
        // Some disc on top of its file must have been the last one: without it there is no line.
        let top = discs[last.index()] & !(both >> self.grid.stride);
        let before = |disc: u32| discs[last.index()] & !u64::bit(disc);
        if top.squares().all(|disc| self.line.is_in(before(disc))) {
            return Err(position.error("no last move can have made these lines: the game was over before"));
        }
        Ok(State { discs, side, winner: Some(last) })
    }
}

impl Game for ConnectFour {
    type State = State;
    type Move = File;

    fn info() -> &'static GameInfo {
        &INFO
    }

    fn spec(&self) -> String {
        format!("connect-four:size={},k={}", self.grid.size(), self.k)
    }

    fn start(&self) -> State {
        State { discs: [0; 2], side: Player::First, winner: None }
    }

    fn most_moves(&self) -> Option<u32> {
        Some(self.grid.count())
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match state.winner {
            Some(winner) => Turn::Over(Outcome::win(winner)),
            None if self.landings(state).is_empty() => Turn::Over(Outcome::DRAW),
            None => Turn::Player(state.side),
        }
    }

    #[inline]
    fn moves(&self, state: &State, moves: &mut Vec<File>) {
        moves.clear();
        if state.winner.is_none() {
            let landings = self.landings(state).squares();
            moves.extend(landings.map(|index| File(self.grid.square(index).file)));
        }
    }

    #[inline]
    fn play(&self, state: &mut State, mv: File) {
        let mover = state.side;
        let discs = state.discs[mover.index()] | self.landing(state, mv);
        state.discs[mover.index()] = discs;
        state.winner = self.line.is_in(discs).then_some(mover);
        state.side = mover.other();
    }

    fn position_text(&self, state: &State) -> String {
        let board = self.grid.text(|square| self.piece(state, square).map(|piece| piece.letter));
        format!("{board} {} {}", ["x", "o"][state.side.index()], self.k)
    }

    fn move_text(&self, _: &State, mv: File) -> String {
        char::from(b'a' + mv.0).to_string()
    }

    fn parse_move(&self, _: &State, text: &str) -> Result<File, InputError> {
        match text.as_bytes() {
            [letter @ b'a'..=b'z'] if letter - b'a' < self.grid.files => Ok(File(letter - b'a')),
            _ => {
                let last = char::from(b'a' + self.grid.files - 1);
                let detail = format!("expected the letter of a file, from a to {last}");
                Err(InputError::malformed("move", text, detail))
            }
        }
    }

    fn why_illegal(&self, state: &State, mv: File) -> Sentence {
        FULL.with([("file", &self.move_text(state, mv))])
    }

    fn why_over(&self, state: &State) -> Option<Sentence> {
        match self.turn(state) {
            Turn::Over(Outcome { winner: Some(winner), .. }) => {
                Some(LINE.with([("player", &INFO.players[winner.index()]), ("k", &self.k)]))
            }
            Turn::Over(_) => Some(DRAWN.plain()),
            Turn::Player(_) | Turn::Chance => None,
        }
    }

    fn winning_squares(&self, state: &State) -> Vec<Square> {
        let line = state.winner.map_or(0, |winner| self.line.squares_in(state.discs[winner.index()]));
        line.squares().map(|index| self.grid.square(index)).collect()
    }

    fn view(&self, state: &State) -> BoardView {
        BoardView::new(self.grid.files, self.grid.ranks, |square| self.piece(state, square))
    }

    fn move_squares(&self, state: &State, mv: File) -> MoveSquares {
        let landing = self.landing(state, mv).squares().next();
        MoveSquares { to: landing.map(|index| self.grid.square(index)), ..MoveSquares::default() }
    }

    /// Left and right may be swapped; up and down may not, because discs fall.
    fn symmetries(&self) -> u8 {
        2
    }

    fn symmetric_state(&self, state: &State, symmetry: u8) -> State {
        State { discs: state.discs.map(|set| self.grid.mirror_set(set, symmetry)), ..*state }
    }

    fn symmetric_move(&self, mv: File, symmetry: u8) -> File {
        if symmetry == 0 { mv } else { File(self.grid.files - 1 - mv.0) }
    }

    #[inline]
    fn random_move(&self, state: &State, rng: &mut Rng, _: &mut Scratch<File>) -> File {
        let landings = self.landings(state);
        let index = landings.select(rng.below(landings.count()));
        File(self.grid.square(index).file)
    }
}

/// Counts the lines that only one side has discs on, each weighted by its discs squared.
#[derive(Clone, Debug)]
pub struct OpenLines {
    lines: Vec<u64>,
}

impl Evaluator<ConnectFour> for OpenLines {
    fn score(&self, _: &ConnectFour, state: &State) -> f32 {
        let worth = |line: u64| match state.discs.map(|discs| (discs & line).count() as i32) {
            [yellow, 0] => yellow * yellow,
            [0, red] => -red * red,
            _ => 0,
        };
        self.lines.iter().map(|&line| worth(line)).sum::<i32>() as f32
    }

    /// The scale fits games of `mcts:sims=300` against itself (docs/performance.md, scales).
    fn win_chance(&self, score: f32) -> f32 {
        logistic(score / 24.0)
    }
}

impl EvaluatorSet<ConnectFour> for OpenLines {
    const INFOS: &'static [EvaluatorInfo] = &[EvaluatorInfo {
        name: "lines",
        summary: "lines of k squares that only one side has discs on, discs squared",
        keys: &[],
    }];

    fn with_name(game: &ConnectFour, _: &str, _: &Params) -> Result<Self, InputError> {
        Ok(Self { lines: game.grid.lines(game.k) })
    }
}

impl Evaluated for ConnectFour {
    type Evaluator = OpenLines;

    /// A line at once, then a line of the opponent that must be stopped, then the middle.
    #[inline]
    fn ordering_score(&self, state: &State, mv: File) -> i32 {
        let landing = self.landing(state, mv);
        let [wins, stops] = [state.side, state.side.other()].map(|player| self.line.is_in(state.discs[player.index()] | landing));
        let off_centre = (2 * i32::from(mv.0) + 1 - i32::from(self.grid.files)).abs();
        i32::from(wins) << 6 | i32::from(stops) << 5 | (31 - off_centre)
    }
}

impl Solvable for ConnectFour {
    /// For lines of four there is one.
    fn exact_solver(&self, memory: usize, _: Option<&[u8]>) -> Result<Option<Box<dyn ExactSolver<Self>>>, InputError> {
        Ok((self.k == 4).then(|| Box::new(solver::FourSolver::new(self, memory)) as Box<dyn ExactSolver<Self>>))
    }
}

impl Encodable for ConnectFour {
    fn swap(&self) -> Swap {
        Swap::Same
    }
}
