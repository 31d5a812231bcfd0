//! The Pawn Game: nothing but pawns, and the first to get through wins (a master's project of 2020 studied minimax and MCTS on it).

use std::hash::{Hash, Hasher};

use plyground_core::{
    BoardView, Encodable, Evaluated, Example, Family, Game, GameInfo, GameValue, InputError, KeyInfo, MoveSquares, Outcome,
    Owner, Params, Phrase, Piece, PieceShape, Player, Presentation, Rng, Scratch, Seed, Sentence, Solvable, Square, Swap, Theme,
    Tour, Turn, Visitor,
};

use crate::bits::Bits;
use crate::board::{Grid, PositionText, agreed_size};

mod python_set;
mod solver_hooks;
mod study_value;

pub use study_value::StudyValue;

const INFO: GameInfo = GameInfo {
    name: "pawn",
    title: "Pawn Game",
    aliases: &[],
    players: ["White", "Black"],
    summary: "step or capture like chess pawns; get through, take all, or leave the opponent without a move",
    keys: &[
        KeyInfo {
            key: "size",
            value: "COLUMNSxROWS",
            default: "4x4",
            meaning: "the board: at least 3 rows (5 with double), at most 26 columns and 128 squares",
        },
        KeyInfo {
            key: "double",
            value: "",
            default: "off",
            meaning: "pawns start on the second rank and may step two squares from there",
        },
        KeyInfo {
            key: "random",
            value: "SEED",
            default: "off",
            meaning: "start with pawns thrown on the ranks between the first and the last, for each rank of the board one of each colour",
        },
    ],
    rules: "White (P) has a pawn on every square of the bottom rank and moves first; Black (p) has one on every square of \
            the top rank. White's pawns move up the board, Black's down.\n\n\
            In your turn, move one of your pawns: one square straight forward onto an empty square, or one square \
            diagonally forward onto an opponent's pawn, which is captured. A pawn cannot capture straight ahead and \
            cannot step diagonally. You may not pass.\n\n\
            You win as soon as one of your pawns reaches the far rank, when you capture the opponent's last pawn, or \
            when the opponent is to move and has no legal move. There are no draws: every move brings a pawn forward, \
            so a game ends.\n\n\
            In the variant double, the classic form on 8x8, the pawns start on the second rank with an empty rank behind \
            them. From there, and only from there, a pawn may step two squares straight forward when both are empty. \
            There is no capturing en passant. The far rank is still the last one, behind the opponent's start.\n\n\
            With `random=SEED`, pawns are thrown on the squares between the first and the last rank, as many of each colour as \
            the board has ranks; one that falls on another takes its place. Any position may be a start.",
    pieces: &[WHITE, BLACK],
    notation: "A move names the square left and the square entered: a1a2. A position: the board, the side to move (w or b), \
               and the word double in that variant.",
    example: Example {
        position: "p1pp/4/P1p1/1P1P w",
        caption: "White has to take on c2: with the pawn from b1 it wins, with the one from d1 it loses.",
    },
    samples: &[
        "pawn",
        "pawn:size=5x5",
        "pawn:size=6x6",
        "pawn:size=8x8,double",
        "pawn:size=6x6,double",
        "pawn:size=1x8",
        "pawn:size=10x10",
        "pawn:size=5x6,random=7",
    ],
    phrases: &[
        NOT_YOURS,
        EMPTY,
        BLOCKED,
        OWN_PAWN,
        NO_CAPTURE,
        NO_DOUBLE,
        DOUBLE_LATE,
        DOUBLE_BLOCKED,
        FORWARD,
        STEP,
        ARRIVED,
        TAKEN,
        STUCK,
    ],
    presentation: Presentation {
        boards: &["pawn", "pawn:size=5x5", "pawn:size=6x6", "pawn:size=8x8", "pawn:size=8x8,double"],
        keys: &[("double", "double step")],
        lessons: &[Example { position: "4/1P2/2p1/4 w", caption: "White is one step from the far rank: go through." }],
        tour: Tour {
            how: "Tap a pawn, then a dot: straight on to an empty square, slantwise to capture. Get a pawn through to win. You \
                  can also drag.",
            ..Presentation::DEFAULT.tour
        },
        pull: "Chess with nothing but pawns: one gets through.",
        goal: Some(Example { position: "1P2/4/2p1/4 b", caption: "A white pawn has reached the far rank: White wins." }),
        turned_for_second: true,
        theme: Some(Theme::CHESS),
        shapes: &[("white pawn", PieceShape::Pawn), ("black pawn", PieceShape::Pawn)],
        ..Presentation::DEFAULT
    },
};

const NOT_YOURS: Phrase = Phrase::new("not-yours", "the pawn on {square} is the opponent's");
const EMPTY: Phrase = Phrase::new("empty", "there is no pawn on {square}");
const BLOCKED: Phrase = Phrase::new("blocked", "{square} is occupied, and a pawn captures diagonally only");
const OWN_PAWN: Phrase = Phrase::new("own-pawn", "the pawn on {square} is your own");
const NO_CAPTURE: Phrase = Phrase::new("no-capture", "there is no pawn to capture on {square}");
const NO_DOUBLE: Phrase = Phrase::new("no-double", "a pawn steps one square; two only in the variant double");
const DOUBLE_LATE: Phrase = Phrase::new("double-late", "a pawn steps two squares only from the rank on which it started");
const DOUBLE_BLOCKED: Phrase = Phrase::new("double-blocked", "both squares in front of the pawn must be empty for a double step");
const FORWARD: Phrase = Phrase::new("forward", "a pawn moves forward only");
const STEP: Phrase = Phrase::new("step", "a pawn steps one square forward or captures one square diagonally forward");
const ARRIVED: Phrase = Phrase::new("arrived", "{player} has a pawn on the far rank");
const TAKEN: Phrase = Phrase::new("taken", "{player} has no pawn left");
const STUCK: Phrase = Phrase::new("stuck", "{player} has no legal move");

const WHITE: Piece = Piece { letter: 'P', glyph: '♙', owner: Owner::First, name: "white pawn" };
const BLACK: Piece = Piece { letter: 'p', glyph: '♟', owner: Owner::Second, name: "black pawn" };

/// The family of pawn games.
pub struct Rules;

impl Family for Rules {
    const INFO: &'static GameInfo = &INFO;

    fn open<V: Visitor>(params: &Params, position: Option<&str>, visitor: V) -> Result<V::Output, InputError> {
        fn visit<B: Bits, V: Visitor>(rules: &Parameters<'_>, visitor: V) -> Result<V::Output, InputError> {
            let (game, state) = rules.open::<B>()?;
            Ok(visitor.visit(game, state))
        }
        let rules = Parameters::new(params, position)?;
        if MOST_SQUARES <= u64::WIDTH || rules.size.bits() <= u64::WIDTH {
            visit::<u64, V>(&rules, visitor)
        } else {
            visit::<u128, V>(&rules, visitor)
        }
    }
}

/// The squares of the largest board. Browsers do not get the type for larger ones, with all agents for it: they would have to download
/// a tenth more.
const MOST_SQUARES: u32 = if cfg!(target_family = "wasm") { u64::WIDTH } else { u128::WIDTH };

/// What is settled before the type of the board is known.
struct Parameters<'a> {
    size: Grid,
    double: bool,
    random: Option<u64>,
    position: Option<PositionText<'a>>,
}

impl<'a> Parameters<'a> {
    fn new(params: &Params, position: Option<&'a str>) -> Result<Self, InputError> {
        let position = position.map(|text| PositionText::parse(text, "Pp", &["side to move", "double"], 1)).transpose()?;
        let mut double = params.has("double");
        if let Some(position) = position.as_ref().filter(|position| position.fields.len() > 1) {
            position.word(1, "variant", &["double"])?;
            double = true;
        }
        let size = agreed_size(params, position.as_ref(), (4, 4))?;
        let least = if double { 5 } else { 3 };
        if size.files > 26 || size.ranks < least || size.bits() > MOST_SQUARES {
            let variant = if double { " with double" } else { "" };
            let detail = format!("expected at least {least} rows{variant}, and at most 26 columns and {MOST_SQUARES} squares");
            return Err(InputError::malformed("size", &size.size(), detail));
        }
        let random = params.number("random", 0..=u64::MAX)?;
        if random.is_some() && size.files == 1 && size.ranks == 3 {
            let detail = "random=SEED needs two squares or more between the first and the last rank";
            return Err(InputError::malformed("size", &size.size(), detail));
        }
        Ok(Self { size, double, random, position })
    }

    fn open<B: Bits>(&self) -> Result<(Pawn<B>, State<B>), InputError> {
        let game = Pawn::new(self.size, self.double, self.random);
        let state = match &self.position {
            Some(position) => game.state(position)?,
            None => game.start(),
        };
        Ok((game, state))
    }
}

/// The Pawn Game on boards that fit into `B`. What belongs to the players is in the order of the players.
#[derive(Clone, Debug)]
pub struct Pawn<B> {
    grid: Grid,
    double: bool,
    random: Option<u64>,
    /// How far a pawn travels in the numbers of the squares: two captures, a step, a double step.
    travel: [u32; 4],
    all: B,
    /// The squares that are not on file `a`, and those that are not on the last file.
    inner: [B; 2],
    /// The ranks on which the pawns start.
    home: [B; 2],
    /// The squares on which a pawn has won.
    far: [B; 2],
    /// The squares that a double step passes; none without the variant.
    passed: [B; 2],
}

/// A position of the Pawn Game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<B> {
    pawns: [B; 2],
    side: Player,
}

// A word for each player, and the side to move in one of them: the derived hash would take them byte by byte.
impl<B: Bits> Hash for State<B> {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let [white, black] = self.pawns;
        let white = if self.side == Player::First { white } else { white.flipped(0x3c6e_f372_fe94_f82b) };
        white.hash(hasher);
        black.hash(hasher);
    }
}

/// A pawn's way from one square to another, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    from: u8,
    to: u8,
}

impl<B: Bits> Pawn<B> {
    fn new(grid: Grid, double: bool, random: Option<u64>) -> Self {
        let files = u32::from(grid.files);
        let rank = |number: u8| grid.part(|square| square.rank == number);
        let top = grid.ranks - 1;
        let behind = u8::from(double);
        Self {
            grid,
            double,
            random,
            travel: [files - 1, files + 1, files, 2 * files],
            all: grid.all(),
            inner: [grid.part(|square| square.file > 0), grid.part(|square| square.file + 1 < grid.files)],
            home: [rank(behind), rank(top - behind)],
            far: [rank(top), rank(0)],
            passed: if double { [rank(behind + 1), rank(top - behind - 1)] } else { [B::default(); 2] },
        }
    }

    /// The pawns of a random start: thrown anew until each side has one, and White a move.
    fn thrown(&self, seed: u64) -> [B; 2] {
        let mut rng = Seed(seed).named("pawn").rng();
        let ranks = u32::from(self.grid.ranks);
        let (first, squares) = (self.travel[2], (ranks - 2) * self.travel[2]);
        loop {
            let mut pawns = [B::default(); 2];
            for _ in 0..ranks {
                for player in 0..2 {
                    let square = B::bit(first + rng.below(squares));
                    pawns[player] = pawns[player] | square;
                    pawns[1 - player] = pawns[1 - player] & !square;
                }
            }
            let can_move = self.targets(&State { pawns, side: Player::First }).iter().any(|targets| !targets.is_empty());
            if can_move && pawns.iter().all(|set| !set.is_empty()) {
                return pawns;
            }
        }
    }

    fn state(&self, position: &PositionText<'_>) -> Result<State<B>, InputError> {
        let side = Player::BOTH[position.word(0, "side to move", &["w", "b"])?];
        let pawns: [B; 2] = [position.set(self.grid, 'P'), position.set(self.grid, 'p')];
        let (mover, other) = (INFO.players[side.index()], INFO.players[side.other().index()]);
        if pawns == [B::default(); 2] {
            return Err(position.error("there is no pawn on the board"));
        }
        if pawns[side.other().index()].is_empty() {
            let detail = format!("{other} has no pawn left, with {mover} to move: the game was over before the last move");
            return Err(position.error(detail));
        }
        for player in Player::BOTH {
            let name = INFO.players[player.index()];
            let arrived = pawns[player.index()] & self.far[player.index()];
            if !arrived.is_empty() && player == side {
                let at = self.grid.square(arrived.lowest());
                let why = "is on the far rank with the same side to move: the game was over before the last move";
                return Err(position.error(format!("{name}'s pawn on {at} {why}")));
            }
            if arrived.count() > 1 {
                let detail = format!("{name} has {} pawns on the far rank, but the first one won", arrived.count());
                return Err(position.error(detail));
            }
            let behind = pawns[player.index()] & self.far[player.other().index()];
            if self.double && !behind.is_empty() {
                let at = self.grid.square(behind.lowest());
                let why = "is behind the rank where pawns start with double, and pawns never move back";
                return Err(position.error(format!("{name}'s pawn on {at} {why}")));
            }
        }
        Ok(State { pawns, side })
    }

    /// The squares that the pawns of the side to move can enter, for each kind of travel.
    #[inline]
    fn targets(&self, state: &State<B>) -> [B; 4] {
        let [white, black] = state.pawns;
        let empty = self.all & !(white | black);
        let [left, right, step, _] = self.travel;
        match state.side {
            Player::First => {
                let one = (white << step) & empty;
                [
                    ((white & self.inner[0]) << left) & black,
                    ((white & self.inner[1]) << right) & black,
                    one,
                    ((one & self.passed[0]) << step) & empty,
                ]
            }
            Player::Second => {
                let one = (black >> step) & empty;
                [
                    ((black & self.inner[1]) >> left) & white,
                    ((black & self.inner[0]) >> right) & white,
                    one,
                    ((one & self.passed[1]) >> step) & empty,
                ]
            }
        }
    }

    /// The step that ends on the square `to` after a travel of one of the four kinds.
    #[inline]
    fn step(&self, side: Player, kind: usize, to: u32) -> Step {
        let from = match side {
            Player::First => to - self.travel[kind],
            Player::Second => to + self.travel[kind],
        };
        Step { from: from as u8, to: to as u8 }
    }

    /// Does a step capture a pawn?
    #[inline]
    fn takes(state: &State<B>, mv: Step) -> bool {
        state.pawns[state.side.other().index()].has(u32::from(mv.to))
    }

    /// Has the player who moved last brought a pawn to the far rank?
    #[inline]
    fn arrived(&self, state: &State<B>) -> bool {
        let last = state.side.other().index();
        !(state.pawns[last] & self.far[last]).is_empty()
    }

    /// A random legal step; none when the game is over.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "for a known side it shrinks by half, and playouts double their speed")]
    fn draw(&self, state: &State<B>, rng: &mut Rng) -> Option<Step> {
        if self.arrived(state) {
            return None;
        }
        let targets = self.targets(state);
        let first = targets[0].count();
        let second = first + targets[1].count();
        let third = second + targets[2].count();
        let total = third + targets[3].count();
        if total == 0 {
            return None;
        }
        // Nothing predicts the kind of the step: it is chosen by comparing, not by branching.
        let drawn = rng.below(total);
        let mut chosen = (0, targets[0], 0);
        for (kind, below) in [(1, first), (2, second), (3, third)] {
            if drawn >= below {
                chosen = (kind, targets[kind], below);
            }
        }
        let (kind, targets, below) = chosen;
        Some(self.step(state.side, kind, targets.select(drawn - below)))
    }

    /// Plays a random step of a player; false when the game is over instead.
    #[inline]
    fn random_ply<const PLAYER: usize>(&self, pawns: &mut [B; 2], rng: &mut Rng) -> bool {
        let mut state = State { pawns: *pawns, side: Player::BOTH[PLAYER] };
        let Some(step) = self.draw(&state, rng) else {
            return false;
        };
        self.play(&mut state, step);
        *pawns = state.pawns;
        true
    }

    fn piece(&self, state: &State<B>, square: Square) -> Option<Piece> {
        let index = self.grid.index(square);
        let mut sets = [WHITE, BLACK].into_iter().zip(state.pawns);
        sets.find(|(_, set)| set.has(index)).map(|(piece, _)| piece)
    }
}

impl<B: Bits> Game for Pawn<B> {
    type State = State<B>;
    type Move = Step;

    fn info() -> &'static GameInfo {
        &INFO
    }

    fn spec(&self) -> String {
        let variant = if self.double { ",double" } else { "" };
        let random = self.random.map_or(String::new(), |seed| format!(",random={seed}"));
        format!("pawn:size={}{variant}{random}", self.grid.size())
    }

    fn start(&self) -> State<B> {
        State { pawns: self.random.map_or(self.home, |seed| self.thrown(seed)), side: Player::First }
    }

    fn most_moves(&self) -> Option<u32> {
        // Every move brings a piece forward.
        Some(self.grid.count() * u32::from(self.grid.ranks - 1))
    }

    /// However a game ends, the player who moved last has won it: by arriving, or by leaving the other without a move (to be
    /// without pawns is to be without a move).
    #[inline]
    fn turn(&self, state: &State<B>) -> Turn {
        if self.arrived(state) || self.targets(state) == [B::default(); 4] {
            Turn::Over(Outcome::win(state.side.other()))
        } else {
            Turn::Player(state.side)
        }
    }

    /// Captures come first: searches that cut off look at them early.
    #[inline]
    fn moves(&self, state: &State<B>, moves: &mut Vec<Step>) {
        moves.clear();
        if self.arrived(state) {
            return;
        }
        for (kind, targets) in self.targets(state).into_iter().enumerate() {
            moves.extend(targets.squares().map(|to| self.step(state.side, kind, to)));
        }
    }

    #[inline]
    fn play(&self, state: &mut State<B>, mv: Step) {
        let mover = state.side.index();
        let to = B::bit(u32::from(mv.to));
        state.pawns[mover] = state.pawns[mover] & !B::bit(u32::from(mv.from)) | to;
        state.pawns[1 - mover] = state.pawns[1 - mover] & !to;
        state.side = state.side.other();
    }

    fn position_text(&self, state: &State<B>) -> String {
        let board = self.grid.text(|square| self.piece(state, square).map(|piece| piece.letter));
        let variant = if self.double { " double" } else { "" };
        format!("{board} {}{variant}", ["w", "b"][state.side.index()])
    }

    fn move_text(&self, _: &State<B>, mv: Step) -> String {
        let [from, to] = [mv.from, mv.to].map(|index| self.grid.square(u32::from(index)));
        format!("{from}{to}")
    }

    fn parse_move(&self, _: &State<B>, text: &str) -> Result<Step, InputError> {
        let (from, to) = self.grid.parse_step(text)?;
        Ok(Step { from: self.grid.index(from) as u8, to: self.grid.index(to) as u8 })
    }

    fn why_illegal(&self, state: &State<B>, mv: Step) -> Sentence {
        let [from, to] = [mv.from, mv.to].map(|index| self.grid.square(u32::from(index)));
        let own = state.pawns[state.side.index()];
        let other = state.pawns[state.side.other().index()];
        let sideways = from.file.abs_diff(to.file);
        let up = i32::from(to.rank) - i32::from(from.rank);
        let forward = if state.side == Player::First { up } else { -up };
        if other.has(u32::from(mv.from)) {
            return NOT_YOURS.with([("square", &from)]);
        }
        if !own.has(u32::from(mv.from)) {
            return EMPTY.with([("square", &from)]);
        }
        match (forward, sideways) {
            (1, 0) => BLOCKED.with([("square", &to)]),
            (1, 1) if own.has(u32::from(mv.to)) => OWN_PAWN.with([("square", &to)]),
            (1, 1) => NO_CAPTURE.with([("square", &to)]),
            (2, 0) if !self.double => NO_DOUBLE.plain(),
            (2, 0) if !self.home[state.side.index()].has(u32::from(mv.from)) => DOUBLE_LATE.plain(),
            (2, 0) => DOUBLE_BLOCKED.plain(),
            (..=0, _) => FORWARD.plain(),
            _ => STEP.plain(),
        }
    }

    fn why_over(&self, state: &State<B>) -> Option<Sentence> {
        let [loser, winner] = [state.side, state.side.other()].map(|player| INFO.players[player.index()]);
        if self.arrived(state) {
            Some(ARRIVED.with([("player", &winner)]))
        } else if state.pawns[state.side.index()].is_empty() {
            Some(TAKEN.with([("player", &loser)]))
        } else if self.targets(state) == [B::default(); 4] {
            Some(STUCK.with([("player", &loser)]))
        } else {
            None
        }
    }

    fn winning_squares(&self, state: &State<B>) -> Vec<Square> {
        let last = state.side.other().index();
        (state.pawns[last] & self.far[last]).squares().map(|index| self.grid.square(index)).collect()
    }

    fn view(&self, state: &State<B>) -> BoardView {
        BoardView::new(self.grid.files, self.grid.ranks, |square| self.piece(state, square))
    }

    fn move_squares(&self, _: &State<B>, mv: Step) -> MoveSquares {
        let [from, to] = [mv.from, mv.to].map(|index| Some(self.grid.square(u32::from(index))));
        MoveSquares { from, to, ..MoveSquares::default() }
    }

    /// Left and right may be swapped.
    fn symmetries(&self) -> u8 {
        2
    }

    fn symmetric_state(&self, state: &State<B>, symmetry: u8) -> State<B> {
        State { pawns: state.pawns.map(|set| self.grid.mirror_set(set, symmetry)), ..*state }
    }

    fn symmetric_move(&self, mv: Step, symmetry: u8) -> Step {
        let [from, to] = [mv.from, mv.to].map(|index| self.grid.mirror_index(u32::from(index), symmetry) as u8);
        Step { from, to }
    }

    #[inline]
    fn random_move(&self, state: &State<B>, rng: &mut Rng, _: &mut Scratch<Step>) -> Step {
        self.draw(state, rng).expect("asked in a position with a player to move")
    }

    /// Two plies at a time: with the side known, each of them is compiled for its direction.
    fn playout(&self, state: &State<B>, rng: &mut Rng, _: &mut Scratch<Step>) -> Outcome {
        let mut pawns = state.pawns;
        let mut go_on = state.side == Player::First || self.random_ply::<1>(&mut pawns, rng);
        while go_on {
            if !self.random_ply::<0>(&mut pawns, rng) {
                return Outcome::win(Player::Second);
            }
            go_on = self.random_ply::<1>(&mut pawns, rng);
        }
        Outcome::win(Player::First)
    }
}

impl<B: Bits> Evaluated for Pawn<B> {
    type Evaluator = StudyValue;

    /// To arrive first of all, then by the fitted outlook: see there.
    #[inline]
    fn ordering_score(&self, state: &State<B>, mv: Step) -> i32 {
        if self.far[state.side.index()].has(u32::from(mv.to)) {
            return 1 << 9;
        }
        let mut child = *state;
        self.play(&mut child, mv);
        self.outlook(mv, &child)
    }

    /// Captures and arrivals.
    #[inline]
    fn is_noisy(&self, state: &State<B>, mv: Step) -> bool {
        Self::takes(state, mv) || self.far[state.side.index()].has(u32::from(mv.to))
    }
}

impl<B: Bits> Solvable for Pawn<B> {
    #[inline]
    fn known_value(&self, state: &State<B>) -> Option<GameValue> {
        self.proven_value(state)
    }

    #[inline]
    fn value_key(&self, state: &State<B>) -> u128 {
        self.view_key(state)
    }

    #[inline]
    fn solver_order(&self, _: &State<B>, mv: Step, child: &State<B>) -> i32 {
        self.outlook(mv, child)
    }
}

impl<B: Bits> Encodable for Pawn<B> {
    fn swap(&self) -> Swap {
        Swap::UpsideDown
    }
}
