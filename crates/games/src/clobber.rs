//! Clobber (Albert, Grossman, Nowakowski and Wolfe, 2005; a bachelor's thesis of 2017 studied MCTS and networks on it).

use std::hash::{Hash, Hasher};
use std::hint::select_unpredictable;

use plyground_core::{
    BoardView, Encodable, Encoder, EncoderInfo, Evaluated, EvaluationTerm, Evaluator, EvaluatorInfo, EvaluatorSet, ExactSolver,
    Example, Family, Game, GameInfo, InputError, KeyInfo, MoveSquares, Outcome, Owner, Params, Phrase, Piece, PieceShape, Player,
    Presentation, Rng, Scratch, Seed, Sentence, Solvable, Square, Swap, Tour, Turn, Visitor,
};

use crate::bits::Bits;
use crate::board::{Grid, PositionText, agreed_size};

mod book;
mod database;
mod mixing;
mod regions;
mod sums;
mod table;
mod thesis;
mod values;

const INFO: GameInfo = GameInfo {
    name: "clobber",
    title: "Clobber",
    aliases: &[],
    players: ["Black", "White"],
    summary: "move a stone onto a neighbouring stone of the opponent; who cannot move loses",
    keys: &[
        KeyInfo {
            key: "size",
            value: "COLUMNSxROWS",
            default: "5x6",
            meaning: "the board: at most 26 files, 99 ranks and 100 squares",
        },
        KeyInfo {
            key: "own",
            value: "",
            default: "off",
            meaning: "a stone may also clobber a neighbouring stone of its own colour",
        },
        KeyInfo {
            key: "random",
            value: "SEED",
            default: "off",
            meaning: "start with the stones in random order, as many of each colour (Black has the odd one)",
        },
    ],
    rules: "The board starts full, black (x) and white (o) stones alternating like the squares of a chequered board, a black \
            one on a1. Black moves first.\n\n\
            In turn, each player takes one of their own stones and moves it one square up, down, left or right onto a stone of \
            the opponent, which is removed: it is clobbered. There is no other move, and no passing. Every move takes one stone \
            off the board, so the game soon falls apart into islands that cannot reach each other any more.\n\n\
            The player who cannot move loses, and there are no draws. While one player has a move the other would have one too \
            (the same two stones, the other way round), so what counts is who runs out of turns: keep stones that the opponent \
            cannot get at, and count the moves that are left on each island.\n\n\
            Variants. With `own`, a stone may also clobber a neighbouring stone of its own colour. With `random=SEED`, the stones \
            lie on the full board in random order, as many of each colour, Black having the odd one. Any position may be a start.",
    pieces: &[BLACK, WHITE],
    notation: "A move names the square that a stone leaves and the one it enters: a1a2. A position: the board, the side to move \
               (x or o), and `own` for that variant.",
    example: Example {
        position: "xo1/3/xxo x",
        caption: "Two islands. Black wins with a3b3: White's last move c1b1 still leaves a1b1. After b1c1 instead, White \
                  takes the pair with b3a3, and Black cannot move.",
    },
    samples: &[
        "clobber:size=5x6",
        "clobber:size=4x4",
        "clobber:size=8x8",
        "clobber:size=10x10",
        "clobber:size=5x4,own",
        "clobber:size=6x6,random=7",
        "clobber:size=11x6,own",
        "clobber:size=1x10",
    ],
    phrases: &[NOT_YOURS, NOT_BESIDE, NOTHING_THERE, OWN_COLOUR, STUCK],
    presentation: Presentation {
        boards: &["clobber", "clobber:size=4x4", "clobber:size=6x6", "clobber:size=8x8", "clobber:size=10x10"],
        lessons: &[Example {
            position: "xo/ox x",
            caption: "A stone moves only onto a neighbouring stone of the opponent. Take a black one and clobber.",
        }],
        tour: Tour {
            how: "Tap one of your stones, then a neighbouring stone of the opponent: it is clobbered. Who cannot move loses. You \
                  can also drag.",
            ..Presentation::DEFAULT.tour
        },
        pull: "Every move takes a stone. Be the one who moves last.",
        goal: Some(Example {
            position: "x1o/3/o1x x",
            caption: "It is Black's turn, and no black stone has a white neighbour: Black cannot move, and White wins.",
        }),
        shapes: &[("black stone", PieceShape::Stone), ("white stone", PieceShape::Stone)],
        ..Presentation::DEFAULT
    },
};

const NOT_YOURS: Phrase = Phrase::new("not-yours", "there is no {piece} on {square}");
const NOT_BESIDE: Phrase = Phrase::new("not-beside", "{from} and {to} are not side by side or one above the other");
const NOTHING_THERE: Phrase = Phrase::new("nothing-there", "there is no stone on {square}: every move clobbers one");
const OWN_COLOUR: Phrase = Phrase::new("own-colour", "the stone on {square} has the same colour");
const STUCK: Phrase = Phrase::new("stuck", "{player} cannot move");

const BLACK: Piece = Piece { letter: 'x', glyph: '●', owner: Owner::First, name: "black stone" };
const WHITE: Piece = Piece { letter: 'o', glyph: '○', owner: Owner::Second, name: "white stone" };

/// The family of Clobber games.
pub struct Rules;

impl Family for Rules {
    const INFO: &'static GameInfo = &INFO;

    fn open<V: Visitor>(params: &Params, position: Option<&str>, visitor: V) -> Result<V::Output, InputError> {
        fn visit<B: Bits, V: Visitor>(rules: &Parameters<'_>, visitor: V) -> V::Output {
            let (game, state) = rules.open::<B>();
            visitor.visit(game, state)
        }
        let rules = Parameters::new(params, position)?;
        Ok(match rules.grid.bits() {
            0..=64 => visit::<u64, V>(&rules, visitor),
            _ => visit::<u128, V>(&rules, visitor),
        })
    }
}

/// What is settled before the type of the board is known.
struct Parameters<'a> {
    grid: Grid,
    own: bool,
    random: Option<u64>,
    position: Option<PositionText<'a>>,
    side: Player,
}

impl<'a> Parameters<'a> {
    fn new(params: &Params, position: Option<&'a str>) -> Result<Self, InputError> {
        let position = position.map(|text| PositionText::parse(text, "xo", &["side to move", "own"], 1)).transpose()?;
        let grid = agreed_size(params, position.as_ref(), (5, 6))?;
        if grid.files > 26 || grid.bits() > 100 {
            return Err(InputError::malformed("size", &grid.size(), "expected at most 26 files and at most 100 squares"));
        }
        let mut own = params.has("own");
        if let Some(position) = position.as_ref().filter(|position| position.fields.len() > 1) {
            position.word(1, "variant", &["own"])?;
            own = true;
        }
        let random = params.number("random", 0..=u64::MAX)?;
        let side = match &position {
            Some(position) => Player::BOTH[position.word(0, "side to move", &["x", "o"])?],
            None => Player::First,
        };
        Ok(Self { grid, own, random, position, side })
    }

    fn open<B: Bits>(&self) -> (Clobber<B>, State<B>) {
        let game = Clobber::new(self.grid, self.own, self.random);
        let state = match &self.position {
            None => game.start(),
            Some(position) => State { side: self.side, stones: [position.set(self.grid, 'x'), position.set(self.grid, 'o')] },
        };
        (game, state)
    }
}

/// Clobber on boards that fit into `B`.
#[derive(Clone, Debug)]
pub struct Clobber<B> {
    grid: Grid,
    own: bool,
    random: Option<u64>,
    /// The squares that have one to their right.
    not_last_file: B,
}

/// A position of Clobber.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<B> {
    stones: [B; 2],
    side: Player,
}

// Whole words: the derived hash would take them byte by byte.
impl<B: Hash> Hash for State<B> {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let [black, white] = &self.stones;
        black.hash(hasher);
        white.hash(hasher);
        hasher.write_u8(self.side as u8);
    }
}

/// The numbers of the square that a stone leaves and of the one it enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    from: u8,
    to: u8,
}

impl Step {
    #[inline]
    fn new(from: u32, step: i32) -> Self {
        Self { from: from as u8, to: from.wrapping_add_signed(step) as u8 }
    }
}

impl<B: Bits> Clobber<B> {
    fn new(grid: Grid, own: bool, random: Option<u64>) -> Self {
        let left_part = grid.squares().filter(|square| square.file + 1 < grid.files);
        let not_last_file = left_part.fold(B::default(), |set, square| set | B::bit(grid.index(square)));
        Self { grid, own, random, not_last_file }
    }

    /// The distance between the numbers of a square and the one above it. (At most 26: the remainder tells the compiler that no
    /// shift by it crosses a whole machine word.)
    #[inline]
    fn up(&self) -> u32 {
        u32::from(self.grid.stride) % 32
    }

    /// For each direction: the stones that can move that way, and how it changes the number of the square.
    #[inline]
    fn movers(&self, mine: B, theirs: B) -> [(B, i32); 4] {
        let targets = if self.own { mine | theirs } else { theirs };
        let up = self.up();
        [
            (mine & self.not_last_file & (targets >> 1), 1),
            (mine & ((targets & self.not_last_file) << 1), -1),
            (mine & (targets >> up), up as i32),
            (mine & (targets << up), -(up as i32)),
        ]
    }

    /// The pairs of neighbouring stones of different colours, side by side and one above the other, each marked at its left or
    /// lower stone. Without `own` each is one move for either player.
    #[inline]
    fn pairs(&self, mine: B, theirs: B) -> [B; 2] {
        let up = self.up();
        [
            ((mine & (theirs >> 1)) | (theirs & (mine >> 1))) & self.not_last_file,
            (mine & (theirs >> up)) | (theirs & (mine >> up)),
        ]
    }

    /// A playout without `own`. Whether a pair lies level or upright is even odds, which no processor can guess: so it is selected,
    /// not branched upon.
    #[inline]
    fn playout_by_pairs(&self, state: &State<B>, rng: &mut Rng) -> Outcome {
        let [mut mine, mut theirs] = Self::sides(state);
        let mut side = state.side;
        loop {
            let [level, upright] = self.pairs(mine, theirs);
            let (level_count, upright_count) = (level.count(), upright.count());
            if level_count + upright_count == 0 {
                return Outcome::win(side.other());
            }
            let rank = rng.below(level_count + upright_count);
            let is_level = rank < level_count;
            let rank = select_unpredictable(is_level, rank, rank.wrapping_sub(level_count));
            let mark = select_unpredictable(is_level, level, upright).pick(rank);
            let pair = mark | (mark << select_unpredictable(is_level, 1, self.up()));
            // One stone of the pair leaves its square, the other is replaced; then the players change roles.
            (mine, theirs) = (theirs & !pair, (mine & !pair) | (theirs & pair));
            side = side.other();
        }
    }

    /// The stones of all islands (groups of neighbouring stones of any colour) where a player can move.
    #[inline]
    fn live(&self, [first, second]: [B; 2]) -> B {
        let (all, up) = (first | second, self.up());
        let [level, upright] = if self.own { self.pairs(all, all) } else { self.pairs(first, second) };
        // Both stones of every pair, then their neighbours, and so on. Mostly all stones are live soon.
        let mut live = level | (level << 1) | upright | (upright << up);
        loop {
            if live == all {
                return live;
            }
            let beside = ((live & self.not_last_file) << 1) | ((live >> 1) & self.not_last_file);
            let grown = live | (all & (beside | (live << up) | (live >> up)));
            if grown == live {
                return live;
            }
            live = grown;
        }
    }

    #[inline]
    fn sides(state: &State<B>) -> [B; 2] {
        let [first, second] = state.stones;
        match state.side {
            Player::First => [first, second],
            Player::Second => [second, first],
        }
    }

    fn squares(&self, mv: Step) -> [Square; 2] {
        [mv.from, mv.to].map(|index| self.grid.square(u32::from(index)))
    }

    fn piece(&self, state: &State<B>, square: Square) -> Option<Piece> {
        let index = self.grid.index(square);
        [BLACK, WHITE].into_iter().zip(state.stones).find(|(_, set)| set.has(index)).map(|(piece, _)| piece)
    }
}

impl<B: Bits> Game for Clobber<B> {
    type State = State<B>;
    type Move = Step;

    fn info() -> &'static GameInfo {
        &INFO
    }

    fn spec(&self) -> String {
        let own = if self.own { ",own" } else { "" };
        let random = self.random.map_or(String::new(), |seed| format!(",random={seed}"));
        format!("clobber:size={}{own}{random}", self.grid.size())
    }

    fn start(&self) -> State<B> {
        let mut squares: Vec<Square> = self.grid.squares().collect();
        // Black's squares first.
        match self.random {
            None => squares.sort_by_key(|square| (square.file + square.rank) % 2),
            Some(seed) => Seed(seed).named("clobber").rng().shuffle(&mut squares),
        }
        let half = squares.len().div_ceil(2);
        let set = |part: &[Square]| part.iter().fold(B::default(), |set, &square| set | B::bit(self.grid.index(square)));
        State { stones: [set(&squares[..half]), set(&squares[half..])], side: Player::First }
    }

    fn most_moves(&self) -> Option<u32> {
        Some(self.grid.count() - 1)
    }

    #[inline]
    fn turn(&self, state: &State<B>) -> Turn {
        let [mine, theirs] = Self::sides(state);
        let stuck = if self.own {
            self.movers(mine, theirs).iter().all(|(stones, _)| stones.is_empty())
        } else {
            let [level, upright] = self.pairs(mine, theirs);
            (level | upright).is_empty()
        };
        if stuck { Turn::Over(Outcome::win(state.side.other())) } else { Turn::Player(state.side) }
    }

    #[inline]
    fn moves(&self, state: &State<B>, moves: &mut Vec<Step>) {
        let [mine, theirs] = Self::sides(state);
        moves.clear();
        for (stones, step) in self.movers(mine, theirs) {
            moves.extend(stones.squares().map(|from| Step::new(from, step)));
        }
    }

    #[inline]
    fn play(&self, state: &mut State<B>, mv: Step) {
        let (from, to) = (B::bit(u32::from(mv.from)), B::bit(u32::from(mv.to)));
        let (mover, opponent) = (state.side.index(), state.side.other().index());
        state.stones[mover] = (state.stones[mover] & !from) | to;
        state.stones[opponent] = state.stones[opponent] & !to;
        state.side = state.side.other();
    }

    fn position_text(&self, state: &State<B>) -> String {
        let board = self.grid.text(|square| self.piece(state, square).map(|piece| piece.letter));
        let own = if self.own { " own" } else { "" };
        format!("{board} {}{own}", ["x", "o"][state.side.index()])
    }

    fn move_text(&self, _: &State<B>, mv: Step) -> String {
        let [from, to] = self.squares(mv);
        format!("{from}{to}")
    }

    fn parse_move(&self, _: &State<B>, text: &str) -> Result<Step, InputError> {
        let (from, to) = self.grid.parse_step(text)?;
        Ok(Step { from: self.grid.index(from) as u8, to: self.grid.index(to) as u8 })
    }

    fn why_illegal(&self, state: &State<B>, mv: Step) -> Sentence {
        let [from, to] = self.squares(mv);
        let owner = |square| self.piece(state, square).map(|piece| piece.owner);
        let mine = Some(Owner::from(state.side));
        if owner(from) != mine {
            NOT_YOURS.with([("piece", &[BLACK, WHITE][state.side.index()].name), ("square", &from)])
        } else if from.file.abs_diff(to.file) + from.rank.abs_diff(to.rank) != 1 {
            NOT_BESIDE.with([("from", &from), ("to", &to)])
        } else if owner(to).is_none() {
            NOTHING_THERE.with([("square", &to)])
        } else {
            OWN_COLOUR.with([("square", &to)])
        }
    }

    fn why_over(&self, state: &State<B>) -> Option<Sentence> {
        match self.turn(state) {
            Turn::Over(_) => Some(STUCK.with([("player", &INFO.players[state.side.index()])])),
            _ => None,
        }
    }

    fn view(&self, state: &State<B>) -> BoardView {
        BoardView::new(self.grid.files, self.grid.ranks, |square| self.piece(state, square))
    }

    fn move_squares(&self, _: &State<B>, mv: Step) -> MoveSquares {
        let [from, to] = self.squares(mv);
        MoveSquares { from: Some(from), to: Some(to), piece: None }
    }

    fn symmetries(&self) -> u8 {
        self.grid.symmetries()
    }

    fn symmetric_state(&self, state: &State<B>, symmetry: u8) -> State<B> {
        State { stones: state.stones.map(|set| self.grid.mirror_set(set, symmetry)), ..*state }
    }

    fn symmetric_move(&self, mv: Step, symmetry: u8) -> Step {
        let seen = |index: u8| self.grid.mirror_index(u32::from(index), symmetry) as u8;
        Step { from: seen(mv.from), to: seen(mv.to) }
    }

    #[inline]
    fn random_move(&self, state: &State<B>, rng: &mut Rng, _: &mut Scratch<Step>) -> Step {
        let [mine, theirs] = Self::sides(state);
        let movers = self.movers(mine, theirs);
        let mut rank = rng.below(movers.iter().map(|(stones, _)| stones.count()).sum());
        for (stones, step) in movers {
            if rank < stones.count() {
                return Step::new(stones.select(rank), step);
            }
            rank -= stones.count();
        }
        unreachable!("the rank is below the number of moves")
    }

    #[inline]
    fn playout(&self, state: &State<B>, rng: &mut Rng, scratch: &mut Scratch<Step>) -> Outcome {
        if !self.own {
            return self.playout_by_pairs(state, rng);
        }
        let mut state = *state;
        while let Turn::Player(_) = self.turn(&state) {
            let mv = self.random_move(&state, rng, scratch);
            self.play(&mut state, mv);
        }
        Outcome::win(state.side.other())
    }
}

/// Judges by counting, first player's minus second player's.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    what: Counted,
    /// How much one more is worth, as the argument of the logistic function: fitted on games of `mcts:sims=300` against
    /// itself (docs/performance.md, scales).
    worth: f32,
}

#[derive(Clone, Copy, Debug)]
enum Counted {
    /// The stones on islands where there is still a move.
    Live,
    /// The moves that each would have on turn.
    Moves,
}

impl Count {
    /// What both players have of it.
    fn counts<B: Bits>(self, game: &Clobber<B>, state: &State<B>) -> [u32; 2] {
        match self.what {
            Counted::Live => {
                let live = game.live(state.stones);
                state.stones.map(|stones| (stones & live).count())
            }
            Counted::Moves => {
                let moves = |mine, theirs| game.movers(mine, theirs).iter().map(|(stones, _)| stones.count()).sum();
                let [first, second] = state.stones;
                [moves(first, second), moves(second, first)]
            }
        }
    }
}

impl<B: Bits> Evaluator<Clobber<B>> for Count {
    fn score(&self, game: &Clobber<B>, state: &State<B>) -> f32 {
        let [first, second] = self.counts(game, state);
        first as f32 - second as f32
    }

    fn terms(&self, game: &Clobber<B>, state: &State<B>) -> Vec<EvaluationTerm> {
        let what = match self.what {
            Counted::Live => "stones where there is still a move",
            Counted::Moves => "moves",
        };
        let [first, second] = self.counts(game, state);
        let [black, white] = INFO.players;
        vec![
            EvaluationTerm::new(format!("{what}, {black}'s"), first as f32),
            EvaluationTerm::new(format!("{what}, {white}'s"), -(second as f32)),
        ]
    }

    fn win_chance(&self, score: f32) -> f32 {
        plyground_core::logistic(self.worth * score)
    }
}

impl<B: Bits> EvaluatorSet<Clobber<B>> for Count {
    const INFOS: &'static [EvaluatorInfo] = &[
        EvaluatorInfo {
            name: "live",
            summary: "stones on islands where there is still a move, own minus the opponent's",
            keys: &[],
        },
        EvaluatorInfo {
            name: "mobility",
            summary: "moves, own minus the opponent's; always level without the variant own",
            keys: &[],
        },
    ];

    fn with_name(game: &Clobber<B>, name: &str, _: &Params) -> Result<Self, InputError> {
        let what = if name == "mobility" { Counted::Moves } else { Counted::Live };
        Ok(Self { what, worth: if game.own { 1.0 } else { 0.1 } })
    }
}

impl<B: Bits> Evaluated for Clobber<B> {
    type Evaluator = Count;
}

impl<B: Bits> Solvable for Clobber<B> {
    fn exact_solver(&self, memory: usize, database: Option<&[u8]>) -> Result<Option<Box<dyn ExactSolver<Self>>>, InputError> {
        if self.own {
            return Ok(None);
        }
        let solver = sums::Sums::new(self.grid.files.into(), self.grid.ranks.into(), memory, database)?;
        Ok(Some(Box::new(solver)))
    }

    fn solver_database(&self, stones: u32, report: &mut dyn FnMut(u64, u64)) -> Result<Option<Vec<u8>>, InputError> {
        if self.own {
            return Ok(None);
        }
        let range = 1..=database::MOST_STONES;
        if !range.contains(&stones) {
            let expected = format!("expected a number from 1 to {}", range.end());
            return Err(InputError::malformed("number of stones", &stones.to_string(), expected));
        }
        Ok(Some(database::build(stones, report)))
    }
}

impl<B: Bits> Encodable for Clobber<B> {
    fn swap(&self) -> Swap {
        Swap::Same
    }

    fn encoders() -> &'static [EncoderInfo] {
        &[thesis::INFO]
    }

    fn encoder(&self, name: &str) -> Option<Box<dyn Encoder<Self>>> {
        (name == thesis::INFO.name).then(|| Box::new(thesis::ThesisNumbers::new(self.grid)) as Box<dyn Encoder<Self>>)
    }
}
