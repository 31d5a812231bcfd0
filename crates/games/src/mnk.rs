//! Tic-Tac-Toe and its family: m files, n ranks, k in a row wins (a course report of 2024 studied MCTS on it).

use plyground_core::{
    Alias, BoardGround, BoardView, Encodable, Evaluated, EvaluationTerm, Evaluator, EvaluatorInfo, EvaluatorSet, Example, Family,
    Game, GameInfo, InputError, KeyInfo, MoveSquares, Outcome, Owner, Params, Phrase, Piece, PieceShape, Player, Presentation,
    Rng, Scratch, Sentence, Solvable, Square, Swap, Theme, Tour, Turn, Visitor,
};

use crate::bits::{Bits, U256};
use crate::board::{Grid, LineTest, PositionText, agreed_size};

const INFO: GameInfo = GameInfo {
    name: "mnk",
    title: "Tic-Tac-Toe and its family",
    aliases: &[Alias { name: "tictactoe", params: "size=3x3,k=3" }],
    players: ["Crosses", "Noughts"],
    summary: "place stones in turn; k in a row, column or diagonal wins",
    keys: &[
        KeyInfo { key: "size", value: "COLUMNSxROWS", default: "3x3", meaning: "the board, from 1x1 to 15x15" },
        KeyInfo { key: "k", value: "K", default: "3", meaning: "how many in a row win, from 1 to 15" },
    ],
    rules: "Crosses (x) moves first. In turn, each player puts a stone of their own on an empty square. Whoever first has k or \
            more stones in an unbroken row, column or diagonal wins. A full board without such a line is a draw.\n\n\
            Tic-Tac-Toe is the 3x3 board with three in a row: a draw with best play. Gomoku is 15x15 with five.",
    pieces: &[CROSS, NOUGHT],
    notation: "A move names the square: b2; its row and column, counted from 0 at the top left, are understood, too: (1, 1). A position: the board, the side to move (x or o), k.",
    example: Example {
        position: "3/1ox/x2 o 3",
        caption: "Noughts to move. If Crosses gets c1, both b1 and c3 win, and Noughts can stop only one of them.",
    },
    samples: &[
        "tictactoe",
        "mnk:size=4x4,k=4",
        "mnk:size=5x5,k=4",
        "mnk:size=7x6,k=4",
        "mnk:size=10x8,k=5",
        "mnk:size=15x15,k=5",
    ],
    phrases: &[OCCUPIED, LINE, DRAWN],
    presentation: Presentation {
        boards: &["tictactoe", "mnk:size=4x4,k=4", "mnk:size=5x5,k=4", "mnk:size=10x10,k=5", "mnk:size=15x15,k=5"],
        keys: &[("k", "{value} in a row")],
        lessons: &[Example { position: "xx1/1oo/3 x 3", caption: "Two crosses stand side by side: complete the row." }],
        tour: Tour {
            how: "Tap an empty square to put your sign there. A full row, column or diagonal wins.",
            ..Presentation::DEFAULT.tour
        },
        ground: BoardGround::Lines,
        pull: "Learn it in ten seconds, from 3x3 to Gomoku.",
        goal: Some(Example {
            position: "xxx/1oo/3 o 3",
            caption: "Three in a row: Crosses wins. Larger boards want four or five.",
        }),
        // The colours of the lines that crosses and noughts are drawn with.
        theme: Some(Theme { first: ["var(--accent)", "var(--accent-ink)"], second: ["var(--mark)", "var(--card)"], board: None }),
        shapes: &[("cross", PieceShape::Cross), ("nought", PieceShape::Nought)],
        ..Presentation::DEFAULT
    },
};

const OCCUPIED: Phrase = Phrase::new("occupied", "{square} is occupied");
const LINE: Phrase = Phrase::new("line", "{player} has {k} in a row");
const DRAWN: Phrase = Phrase::new("drawn", "the board is full");

const CROSS: Piece = Piece { letter: 'x', glyph: '✕', owner: Owner::First, name: "cross" };
const NOUGHT: Piece = Piece { letter: 'o', glyph: '○', owner: Owner::Second, name: "nought" };

/// The family of m,n,k games.
pub struct Rules;

impl Family for Rules {
    const INFO: &'static GameInfo = &INFO;

    fn open<V: Visitor>(params: &Params, position: Option<&str>, visitor: V) -> Result<V::Output, InputError> {
        fn visit<B: Bits, V: Visitor>(rules: &Parameters<'_>, visitor: V) -> Result<V::Output, InputError> {
            let (game, state) = rules.open::<B>()?;
            Ok(visitor.visit(game, state))
        }
        let rules = Parameters::new(params, position)?;
        match rules.grid.bits() {
            0..=64 => visit::<u64, V>(&rules, visitor),
            65..=128 => visit::<u128, V>(&rules, visitor),
            _ => visit::<U256, V>(&rules, visitor),
        }
    }
}

/// What is settled before the type of the board is known.
struct Parameters<'a> {
    grid: Grid,
    k: u32,
    position: Option<PositionText<'a>>,
}

impl<'a> Parameters<'a> {
    fn new(params: &Params, position: Option<&'a str>) -> Result<Self, InputError> {
        let position = position.map(|text| PositionText::parse(text, "xo", &["side to move", "k"], 0)).transpose()?;
        let size = agreed_size(params, position.as_ref(), (3, 3))?;
        if size.files > 15 || size.ranks > 15 {
            return Err(InputError::malformed("size", &size.size(), "expected at most 15 files and 15 ranks"));
        }
        let asked = params.number("k", 1..=15)?;
        let k = match &position {
            Some(position) => {
                let k = position.number(1, "k", 1..=15)?;
                if let Some(asked) = asked.filter(|&asked| asked != k) {
                    return Err(position.error(format!("its k is {k}, but k={asked} was asked for")));
                }
                k
            }
            None => asked.unwrap_or(3),
        };
        Ok(Self { grid: Grid::padded(size.files, size.ranks), k, position })
    }

    fn open<B: Bits>(&self) -> Result<(Mnk<B>, State<B>), InputError> {
        let Self { grid, k, ref position } = *self;
        let lines: Vec<B> = grid.lines(k);
        let through = |index| lines.iter().filter(|line| line.has(index)).count() as u8;
        let game =
            Mnk { grid, k, all: grid.all::<B>(), line: LineTest::new(grid, k), through: (0..grid.bits()).map(through).collect() };
        let state = match position {
            Some(position) => game.state(position)?,
            None => game.start(),
        };
        Ok((game, state))
    }
}

/// An m,n,k game on boards that fit into `B`.
#[derive(Clone, Debug)]
pub struct Mnk<B> {
    grid: Grid,
    k: u32,
    all: B,
    line: LineTest,
    /// How many lines of k squares lead through each square.
    through: Box<[u8]>,
}

/// A position of an m,n,k game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State<B> {
    stones: [B; 2],
    side: Player,
    winner: Option<Player>,
}

/// The number of the square on which a stone is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement(u8);

impl<B: Bits> Mnk<B> {
    #[inline]
    fn empty(&self, state: &State<B>) -> B {
        self.all & !(state.stones[0] | state.stones[1])
    }

    fn state(&self, position: &PositionText<'_>) -> Result<State<B>, InputError> {
        let side = Player::BOTH[position.word(0, "side to move", &["x", "o"])?];
        let stones: [B; 2] = [position.set(self.grid, 'x'), position.set(self.grid, 'o')];
        let (crosses, noughts) = (stones[0].count(), stones[1].count());
        let due = if crosses == noughts { Player::First } else { Player::Second };
        if crosses < noughts || crosses > noughts + 1 || side != due {
            let detail = format!("{crosses} x and {noughts} o on the board cannot be with {} to move", ["x", "o"][side.index()]);
            return Err(position.error(detail));
        }
        let lines = stones.map(|set| self.line.is_in(set));
        if lines[side.index()] {
            let why = if lines[0] && lines[1] { "both sides have a line" } else { "the side to move has a line already" };
            return Err(position.error(format!("{why}: the game was over before the last move")));
        }
        let winner = lines[side.other().index()].then_some(side.other());
        Ok(State { stones, side, winner })
    }
}

/// Two numbers in a pair of brackets or without, with a comma or a space between them.
fn row_and_column(text: &str) -> Option<[u8; 2]> {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let (row, column) = inner.split_once(',').or_else(|| inner.split_once(' '))?;
    Some([row.trim().parse().ok()?, column.trim().parse().ok()?])
}

impl<B: Bits> Game for Mnk<B> {
    type State = State<B>;
    type Move = Placement;

    fn info() -> &'static GameInfo {
        &INFO
    }

    fn spec(&self) -> String {
        format!("mnk:size={},k={}", self.grid.size(), self.k)
    }

    fn start(&self) -> State<B> {
        State { stones: [B::default(); 2], side: Player::First, winner: None }
    }

    fn most_moves(&self) -> Option<u32> {
        Some(self.grid.count())
    }

    #[inline]
    fn turn(&self, state: &State<B>) -> Turn {
        match state.winner {
            Some(winner) => Turn::Over(Outcome::win(winner)),
            None if self.empty(state).is_empty() => Turn::Over(Outcome::DRAW),
            None => Turn::Player(state.side),
        }
    }

    #[inline]
    fn moves(&self, state: &State<B>, moves: &mut Vec<Placement>) {
        moves.clear();
        if state.winner.is_none() {
            moves.extend(self.empty(state).squares().map(|index| Placement(index as u8)));
        }
    }

    #[inline]
    fn play(&self, state: &mut State<B>, mv: Placement) {
        let mover = state.side;
        let stones = state.stones[mover.index()] | B::bit(u32::from(mv.0));
        state.stones[mover.index()] = stones;
        state.winner = self.line.is_in(stones).then_some(mover);
        state.side = mover.other();
    }

    fn position_text(&self, state: &State<B>) -> String {
        let board = self.grid.text(|square| self.piece(state, square).map(|piece| piece.letter));
        format!("{board} {} {}", ["x", "o"][state.side.index()], self.k)
    }

    fn move_text(&self, _: &State<B>, mv: Placement) -> String {
        self.grid.square(u32::from(mv.0)).to_string()
    }

    /// The square, or its row and column as the report of 2024 counts them, from 0 at the top left: `(1, 1)` or `1 1`.
    fn parse_move(&self, _: &State<B>, text: &str) -> Result<Placement, InputError> {
        let square = match row_and_column(text) {
            None => self.grid.parse_square(text)?,
            Some([row, column]) => {
                let Grid { files, ranks, .. } = self.grid;
                let rank = ranks.checked_sub(1).and_then(|top| top.checked_sub(row));
                let square = rank.map(|rank| Square { file: column, rank }).filter(|&square| self.grid.contains(square));
                let detail = || format!("expected a row from 0 to {}, then a column from 0 to {}", ranks - 1, files - 1);
                square.ok_or_else(|| InputError::malformed("square", text, detail()))?
            }
        };
        Ok(Placement(self.grid.index(square) as u8))
    }

    fn why_illegal(&self, _: &State<B>, mv: Placement) -> Sentence {
        OCCUPIED.with([("square", &self.grid.square(u32::from(mv.0)))])
    }

    fn why_over(&self, state: &State<B>) -> Option<Sentence> {
        match self.turn(state) {
            Turn::Over(Outcome { winner: Some(winner), .. }) => {
                Some(LINE.with([("player", &INFO.players[winner.index()]), ("k", &self.k)]))
            }
            Turn::Over(_) => Some(DRAWN.plain()),
            _ => None,
        }
    }

    fn winning_squares(&self, state: &State<B>) -> Vec<Square> {
        let line = state.winner.map_or(B::default(), |winner| self.line.squares_in(state.stones[winner.index()]));
        line.squares().map(|index| self.grid.square(index)).collect()
    }

    fn view(&self, state: &State<B>) -> BoardView {
        BoardView::new(self.grid.files, self.grid.ranks, |square| self.piece(state, square))
    }

    fn move_squares(&self, _: &State<B>, mv: Placement) -> MoveSquares {
        MoveSquares { to: Some(self.grid.square(u32::from(mv.0))), ..MoveSquares::default() }
    }

    fn symmetries(&self) -> u8 {
        self.grid.symmetries()
    }

    fn symmetric_state(&self, state: &State<B>, symmetry: u8) -> State<B> {
        State { stones: state.stones.map(|set| self.grid.mirror_set(set, symmetry)), ..*state }
    }

    fn symmetric_move(&self, mv: Placement, symmetry: u8) -> Placement {
        Placement(self.grid.mirror_index(u32::from(mv.0), symmetry) as u8)
    }

    #[inline]
    fn random_move(&self, state: &State<B>, rng: &mut Rng, _: &mut Scratch<Placement>) -> Placement {
        let empty = self.empty(state);
        Placement(empty.select(rng.below(empty.count())) as u8)
    }

    #[inline]
    fn playout(&self, state: &State<B>, rng: &mut Rng, _: &mut Scratch<Placement>) -> Outcome {
        if let Some(winner) = state.winner {
            return Outcome::win(winner);
        }
        let mut side = state.side;
        let (mut mine, mut theirs) = (state.stones[side.index()], state.stones[side.other().index()]);
        let mut empty = self.empty(state);
        for left in (1..=empty.count()).rev() {
            let place = empty.pick(rng.below(left));
            empty = empty & !place;
            (mine, theirs) = (theirs, mine | place);
            if self.line.is_in(theirs) {
                return Outcome::win(side);
            }
            side = side.other();
        }
        Outcome::DRAW
    }
}

impl<B: Bits> Mnk<B> {
    fn piece(&self, state: &State<B>, square: Square) -> Option<Piece> {
        let index = self.grid.index(square);
        [CROSS, NOUGHT].into_iter().zip(state.stones).find(|(_, set)| set.has(index)).map(|(piece, _)| piece)
    }
}

/// Counts the lines that only one side has stones on.
#[derive(Clone, Debug)]
pub struct OpenLines<B> {
    lines: Vec<B>,
    counted: Counted,
    k: u32,
    /// The score at which an advantage begins to tell: half the number of lines, which fits games of `mcts:sims=300` against
    /// itself from 3x3 to 9x9 (docs/performance.md, scales).
    unit: f32,
}

/// What a line counts.
#[derive(Clone, Copy, Debug)]
enum Counted {
    /// Its stones squared.
    Squares,
    /// What the report of 2024 counts: of the lines that lack one stone, the own ones 10 each, those of the opponent 50. The number is
    /// not that of the opponent with its sign turned, so it matters for whom it is: the player to move, or the other.
    Report { for_mover: bool },
}

/// The report's value of a won game, where the scale of its chances ends.
const REPORT_WIN: f32 = 100.0;

impl<B: Bits> OpenLines<B> {
    /// The stones of both sides on each line that only one of them is on.
    fn open(&self, state: &State<B>) -> impl Iterator<Item = [u32; 2]> {
        let counts = self.lines.iter().map(|&line| state.stones.map(|stones| (stones & line).count()));
        counts.filter(|[first, second]| *first == 0 || *second == 0)
    }

    /// The number of lines on which one stone of a player is missing.
    fn lacking(&self, state: &State<B>, player: Player) -> f32 {
        let lacks_one = |stones: &[u32; 2]| stones[player.index()] + 1 == self.k && stones[player.other().index()] == 0;
        self.open(state).filter(lacks_one).count() as f32
    }
}

impl<B: Bits> Evaluator<Mnk<B>> for OpenLines<B> {
    fn score(&self, _: &Mnk<B>, state: &State<B>) -> f32 {
        match self.counted {
            Counted::Squares => {
                self.open(state).map(|[first, second]| (first * first) as i32 - (second * second) as i32).sum::<i32>() as f32
            }
            Counted::Report { .. } if state.winner.is_some() => state.winner.map_or(0.0, |winner| winner.sign() * REPORT_WIN),
            Counted::Report { for_mover } => {
                let player = if for_mover { state.side } else { state.side.other() };
                player.sign() * (10.0 * self.lacking(state, player) - 50.0 * self.lacking(state, player.other()))
            }
        }
    }

    fn terms(&self, game: &Mnk<B>, state: &State<B>) -> Vec<EvaluationTerm> {
        if let Counted::Report { for_mover } = self.counted {
            let player = if for_mover { state.side } else { state.side.other() };
            let term = |of: Player, each: f32| {
                let name = format!("lines on which {} lacks one stone, {each} each", INFO.players[of.index()]);
                EvaluationTerm::new(name, player.sign() * each * self.lacking(state, of))
            };
            return vec![term(player, 10.0), term(player.other(), -50.0)];
        }
        let open = |player: Player, stones: u32| {
            let [own, other] = [player, player.other()].map(|player| state.stones[player.index()]);
            self.lines.iter().filter(|&&line| (own & line).count() == stones && (other & line).is_empty()).count()
        };
        let term = |stones: u32| {
            let [first, second] = Player::BOTH.map(|player| open(player, stones));
            let [crosses, noughts] = INFO.players;
            let stones_words = if stones == 1 { "1 stone".to_owned() } else { format!("{stones} stones") };
            let name = format!("open lines with {stones_words}: {crosses} {first}, {noughts} {second}");
            EvaluationTerm::new(name, (first as f32 - second as f32) * (stones * stones) as f32)
        };
        (1..=game.k).map(term).collect()
    }

    fn win_chance(&self, score: f32) -> f32 {
        match self.counted {
            Counted::Squares => plyground_core::logistic(score / self.unit),
            Counted::Report { .. } => (0.5 + 0.5 * score / REPORT_WIN).clamp(0.0, 1.0),
        }
    }
}

impl<B: Bits> EvaluatorSet<Mnk<B>> for OpenLines<B> {
    const INFOS: &'static [EvaluatorInfo] = &[
        EvaluatorInfo {
            name: "lines",
            summary: "lines of k squares that only one side has stones on, stones squared",
            keys: &[],
        },
        EvaluatorInfo {
            name: "report",
            summary: "that of the course report of 2024: lines that lack one stone, 10 for each own one, -50 for each of the opponent",
            keys: &[KeyInfo {
                key: "view",
                value: "mover|other",
                default: "mover",
                meaning: "the player for whom it is computed: the one to move, as in the report, or the one who has just moved",
            }],
        },
    ];

    fn with_name(game: &Mnk<B>, name: &str, keys: &Params) -> Result<Self, InputError> {
        let lines = game.grid.lines(game.k);
        // A board on which no line fits has no advantages either.
        let unit = 0.5 * lines.len().max(1) as f32;
        let counted = if name == "report" {
            Counted::Report { for_mover: keys.choice("view", &["mover", "other"])? == 0 }
        } else {
            Counted::Squares
        };
        Ok(Self { lines, counted, k: game.k, unit })
    }
}

impl<B: Bits> Evaluated for Mnk<B> {
    type Evaluator = OpenLines<B>;

    /// A line at once, then a line of the opponent that must be stopped, then squares beside stones, then those with the most lines.
    #[inline]
    fn ordering_score(&self, state: &State<B>, mv: Placement) -> i32 {
        let index = u32::from(mv.0);
        let [wins, stops] =
            [state.side, state.side.other()].map(|player| self.line.is_in(state.stones[player.index()] | B::bit(index)));
        let row = B::bit(index) | (B::bit(index) << 1) | (B::bit(index) >> 1);
        let around = row | (row << u32::from(self.grid.stride)) | (row >> u32::from(self.grid.stride));
        let is_near = !(around & (state.stones[0] | state.stones[1])).is_empty();
        i32::from(wins) << 10 | i32::from(stops) << 9 | i32::from(is_near) << 8 | i32::from(self.through[index as usize])
    }

    /// The squares with the most lines: on 3x3 centre, corners, edges, the policy in the code of the report of 2024, which does not
    /// look at the opponent's lines.
    #[inline]
    fn playout_score(&self, _: &State<B>, mv: Placement) -> i32 {
        i32::from(self.through[usize::from(mv.0)])
    }

    /// What the text of that report says, and a comment in its code: a line of the opponent is stopped, and of corners those with
    /// one of the opponent's stones beside them come first.
    fn careful_playout_score(&self, state: &State<B>, mv: Placement) -> i32 {
        let index = u32::from(mv.0);
        let square = self.grid.square(index);
        let opponent = state.stones[state.side.other().index()];
        let stops = self.line.is_in(opponent | B::bit(index));
        let is_corner = [0, self.grid.files - 1].contains(&square.file) && [0, self.grid.ranks - 1].contains(&square.rank);
        let stride = u32::from(self.grid.stride);
        let beside = (B::bit(index) << 1) | (B::bit(index) >> 1) | (B::bit(index) << stride) | (B::bit(index) >> stride);
        let disrupts = is_corner && !(beside & opponent).is_empty();
        (i32::from(stops) << 10) + 2 * self.playout_score(state, mv) + i32::from(disrupts)
    }
}

impl<B: Bits> Solvable for Mnk<B> {}

impl<B: Bits> Encodable for Mnk<B> {
    fn swap(&self) -> Swap {
        Swap::Same
    }
}
