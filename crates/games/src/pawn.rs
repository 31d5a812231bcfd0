//! The Pawn Game: nothing but pawns, and the first to get through wins (a master's project of 2020 studied minimax and MCTS on it).

use std::hash::{Hash, Hasher};

use plyground_core::{
    BoardView, Encodable, Evaluated, Evaluator, EvaluatorInfo, EvaluatorSet, Example, Family, Game, GameInfo, GameValue,
    InputError, KeyInfo, MoveSquares, Outcome, Owner, Params, Phrase, Piece, PieceShape, Player, Presentation, Rng, Scratch,
    Sentence, Solvable, Square, Swap, Theme, Tour, Turn, Visitor, logistic,
};

use crate::bits::Bits;
use crate::board::{Grid, PositionText, agreed_size};

mod solver_hooks;

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
            meaning: "the board: at least 3 rows (5 with double), at most 64 squares",
        },
        KeyInfo {
            key: "double",
            value: "",
            default: "off",
            meaning: "pawns start on the second rank and may step two squares from there",
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
            There is no capturing en passant. The far rank is still the last one, behind the opponent's start.",
    pieces: &[WHITE, BLACK],
    notation: "A move names the square left and the square entered: a1a2. A position: the board, the side to move (w or b), \
               and the word double in that variant.",
    example: Example {
        position: "p1pp/4/P1p1/1P1P w",
        caption: "White has to take on c2: with the pawn from b1 it wins, with the one from d1 it loses.",
    },
    samples: &["pawn", "pawn:size=5x5", "pawn:size=6x6", "pawn:size=8x8,double", "pawn:size=6x6,double", "pawn:size=1x8"],
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
        let position = position.map(|text| PositionText::parse(text, "Pp", &["side to move", "double"], 1)).transpose()?;
        let mut double = params.has("double");
        if let Some(position) = position.as_ref().filter(|position| position.fields.len() > 1) {
            position.word(1, "variant", &["double"])?;
            double = true;
        }
        let size = agreed_size(params, position.as_ref(), (4, 4))?;
        let least = if double { 5 } else { 3 };
        if size.files > 26 || size.ranks < least || size.bits() > u64::WIDTH {
            let variant = if double { " with double" } else { "" };
            let detail = format!("expected at least {least} rows{variant}, and at most 26 columns and 64 squares");
            return Err(InputError::malformed("size", &size.size(), detail));
        }
        let game = Pawn::new(size, double);
        let state = match &position {
            Some(position) => game.state(position)?,
            None => game.start(),
        };
        Ok(visitor.visit(game, state))
    }
}

/// The Pawn Game on a board of up to 64 squares. What belongs to the players is in the order of the players.
#[derive(Clone, Debug)]
pub struct Pawn {
    grid: Grid,
    double: bool,
    /// How far a pawn travels in the numbers of the squares: two captures, a step, a double step.
    travel: [u32; 4],
    all: u64,
    /// The squares that are not on file `a`, and those that are not on the last file.
    inner: [u64; 2],
    /// Where the pawns start.
    start: [u64; 2],
    /// The squares on which a pawn has won.
    far: [u64; 2],
    /// The squares that a double step passes; none without the variant.
    passed: [u64; 2],
}

/// A position of the Pawn Game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    pawns: [u64; 2],
    side: Player,
}

// A word for each player, and the side to move in one of them: the derived hash would take them byte by byte.
impl Hash for State {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let [white, black] = self.pawns;
        hasher.write_u64(if self.side == Player::First { white } else { white ^ 0x3c6e_f372_fe94_f82b });
        hasher.write_u64(black);
    }
}

/// A pawn's way from one square to another, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    from: u8,
    to: u8,
}

impl Pawn {
    fn new(grid: Grid, double: bool) -> Self {
        let files = u32::from(grid.files);
        let rank = |number: u8| grid.part(|square| square.rank == number);
        let top = grid.ranks - 1;
        let behind = u8::from(double);
        Self {
            grid,
            double,
            travel: [files - 1, files + 1, files, 2 * files],
            all: grid.all(),
            inner: [grid.part(|square| square.file > 0), grid.part(|square| square.file + 1 < grid.files)],
            start: [rank(behind), rank(top - behind)],
            far: [rank(top), rank(0)],
            passed: if double { [rank(behind + 1), rank(top - behind - 1)] } else { [0; 2] },
        }
    }

    fn state(&self, position: &PositionText<'_>) -> Result<State, InputError> {
        let side = Player::BOTH[position.word(0, "side to move", &["w", "b"])?];
        let pawns: [u64; 2] = [position.set(self.grid, 'P'), position.set(self.grid, 'p')];
        let (mover, other) = (INFO.players[side.index()], INFO.players[side.other().index()]);
        if pawns == [0; 2] {
            return Err(position.error("there is no pawn on the board"));
        }
        if pawns[side.other().index()] == 0 {
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
    fn targets(&self, state: &State) -> [u64; 4] {
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
    fn takes(state: &State, mv: Step) -> bool {
        state.pawns[state.side.other().index()].has(u32::from(mv.to))
    }

    /// Has the player who moved last brought a pawn to the far rank?
    #[inline]
    fn arrived(&self, state: &State) -> bool {
        let last = state.side.other().index();
        state.pawns[last] & self.far[last] != 0
    }

    /// A random legal step; none when the game is over.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "for a known side it shrinks by half, and playouts double their speed")]
    fn draw(&self, state: &State, rng: &mut Rng) -> Option<Step> {
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
    fn random_ply<const PLAYER: usize>(&self, pawns: &mut [u64; 2], rng: &mut Rng) -> bool {
        let mut state = State { pawns: *pawns, side: Player::BOTH[PLAYER] };
        let Some(step) = self.draw(&state, rng) else {
            return false;
        };
        self.play(&mut state, step);
        *pawns = state.pawns;
        true
    }

    fn piece(&self, state: &State, square: Square) -> Option<Piece> {
        let index = self.grid.index(square);
        let mut sets = [WHITE, BLACK].into_iter().zip(state.pawns);
        sets.find(|(_, set)| set.has(index)).map(|(piece, _)| piece)
    }
}

impl Game for Pawn {
    type State = State;
    type Move = Step;

    fn info() -> &'static GameInfo {
        &INFO
    }

    fn spec(&self) -> String {
        let variant = if self.double { ",double" } else { "" };
        format!("pawn:size={}{variant}", self.grid.size())
    }

    fn start(&self) -> State {
        State { pawns: self.start, side: Player::First }
    }

    /// However a game ends, the player who moved last has won it: by arriving, or by leaving the other without a move (to be
    /// without pawns is to be without a move).
    #[inline]
    fn turn(&self, state: &State) -> Turn {
        if self.arrived(state) || self.targets(state) == [0; 4] {
            Turn::Over(Outcome::win(state.side.other()))
        } else {
            Turn::Player(state.side)
        }
    }

    /// Captures come first: searches that cut off look at them early.
    #[inline]
    fn moves(&self, state: &State, moves: &mut Vec<Step>) {
        moves.clear();
        if self.arrived(state) {
            return;
        }
        for (kind, targets) in self.targets(state).into_iter().enumerate() {
            moves.extend(targets.squares().map(|to| self.step(state.side, kind, to)));
        }
    }

    #[inline]
    fn play(&self, state: &mut State, mv: Step) {
        let mover = state.side.index();
        let to = u64::bit(u32::from(mv.to));
        state.pawns[mover] = state.pawns[mover] & !u64::bit(u32::from(mv.from)) | to;
        state.pawns[1 - mover] &= !to;
        state.side = state.side.other();
    }

    fn position_text(&self, state: &State) -> String {
        let board = self.grid.text(|square| self.piece(state, square).map(|piece| piece.letter));
        let variant = if self.double { " double" } else { "" };
        format!("{board} {}{variant}", ["w", "b"][state.side.index()])
    }

    fn move_text(&self, _: &State, mv: Step) -> String {
        let [from, to] = [mv.from, mv.to].map(|index| self.grid.square(u32::from(index)));
        format!("{from}{to}")
    }

    fn parse_move(&self, _: &State, text: &str) -> Result<Step, InputError> {
        let (from, to) = self.grid.parse_step(text)?;
        Ok(Step { from: self.grid.index(from) as u8, to: self.grid.index(to) as u8 })
    }

    fn why_illegal(&self, state: &State, mv: Step) -> Sentence {
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
            (2, 0) if !self.start[state.side.index()].has(u32::from(mv.from)) => DOUBLE_LATE.plain(),
            (2, 0) => DOUBLE_BLOCKED.plain(),
            (..=0, _) => FORWARD.plain(),
            _ => STEP.plain(),
        }
    }

    fn why_over(&self, state: &State) -> Option<Sentence> {
        let [loser, winner] = [state.side, state.side.other()].map(|player| INFO.players[player.index()]);
        if self.arrived(state) {
            Some(ARRIVED.with([("player", &winner)]))
        } else if state.pawns[state.side.index()] == 0 {
            Some(TAKEN.with([("player", &loser)]))
        } else if self.targets(state) == [0; 4] {
            Some(STUCK.with([("player", &loser)]))
        } else {
            None
        }
    }

    fn view(&self, state: &State) -> BoardView {
        BoardView::new(self.grid.files, self.grid.ranks, |square| self.piece(state, square))
    }

    fn move_squares(&self, _: &State, mv: Step) -> MoveSquares {
        let [from, to] = [mv.from, mv.to].map(|index| Some(self.grid.square(u32::from(index))));
        MoveSquares { from, to, ..MoveSquares::default() }
    }

    /// Left and right may be swapped.
    fn symmetries(&self) -> u8 {
        2
    }

    fn symmetric_state(&self, state: &State, symmetry: u8) -> State {
        State { pawns: state.pawns.map(|set| self.grid.mirror_set(set, symmetry)), ..*state }
    }

    fn symmetric_move(&self, mv: Step, symmetry: u8) -> Step {
        let [from, to] = [mv.from, mv.to].map(|index| self.grid.mirror_index(u32::from(index), symmetry) as u8);
        Step { from, to }
    }

    #[inline]
    fn random_move(&self, state: &State, rng: &mut Rng, _: &mut Scratch<Step>) -> Step {
        self.draw(state, rng).expect("asked in a position with a player to move")
    }

    /// Two plies at a time: with the side known, each of them is compiled for its direction.
    fn playout(&self, state: &State, rng: &mut Rng, _: &mut Scratch<Step>) -> Outcome {
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

/// The evaluations of the study of 2020, to the letter.
///
/// There a program values positions for the player whose move it is choosing, and neither formula merely changes sign when the
/// players swap places: a pawn more is worth 2, a pawn less 0, and the distance term is the same number for both. So a score here
/// is the study's value for the player `view`, negated for the second player because scores are in the first player's view. With
/// `view=second`, an agent that plays second judges exactly as the study's second player did.
#[derive(Clone, Copy, Debug)]
pub struct StudyValue {
    formula: Formula,
    view: Player,
}

#[derive(Clone, Copy, Debug)]
enum Formula {
    Advanced,
    Simple,
}

impl StudyValue {
    /// For n pawns more than the opponent, (n + 1) |n|.
    fn simple(self, state: &State) -> i32 {
        let [own, other] = [self.view, self.view.other()].map(|player| state.pawns[player.index()].count() as i32);
        (own - other + 1) * (own - other).abs()
    }

    /// The squares that the opponent's pawns still have to go to the far rank, minus those of the own pawns.
    fn promotion(self, game: &Pawn, state: &State) -> i32 {
        // A pawn counts once for every rank that it has below itself.
        let [white, black] = state.pawns.map(|pawns| {
            let ranks = (1..u32::from(game.grid.ranks)).map(|rank| pawns >> (rank * game.travel[2]));
            ranks.map(Bits::count).sum::<u32>() as i32
        });
        let white = state.pawns[0].count() as i32 * i32::from(game.grid.ranks - 1) - white;
        if self.view == Player::First { black - white } else { white - black }
    }

    /// With v empty squares between facing pawns, over all files, (-1)^(v + 1) v: good when odd.
    fn distance(game: &Pawn, state: &State) -> i32 {
        let [mut up, mut down] = state.pawns;
        let empty = game.all & !(up | down);
        let (mut free_up, mut free_down) = (empty, empty);
        // Both sides look ahead through the empty squares, twice as far each time (Kogge and Stone 1973).
        let mut by = game.travel[2];
        while by < game.grid.bits() {
            up |= (up << by) & free_up;
            down |= (down >> by) & free_down;
            free_up &= free_up << by;
            free_down &= free_down >> by;
            by *= 2;
        }
        let between = (up & down & empty).count() as i32;
        if between % 2 == 1 { between } else { -between }
    }
}

impl Evaluator<Pawn> for StudyValue {
    #[inline]
    fn score(&self, game: &Pawn, state: &State) -> f32 {
        let value = match self.formula {
            Formula::Simple => self.simple(state),
            Formula::Advanced => self.promotion(game, state) + 2 * self.simple(state) + Self::distance(game, state),
        };
        self.view.sign() * value as f32
    }

    /// The unit of the simple value is fitted to the solved boards 4x4 to 5x4. The advanced value fitted them at no scale; its unit
    /// only keeps the usual scores away from certainty.
    fn win_chance(&self, score: f32) -> f32 {
        match self.formula {
            Formula::Simple => logistic(score / 2.0),
            Formula::Advanced => logistic(score / 8.0),
        }
    }
}

const VIEW: KeyInfo = KeyInfo {
    key: "view",
    value: "first|second",
    default: "first",
    meaning: "the player for whom the formula is computed; second for exactly what the study's second player did",
};

impl EvaluatorSet<Pawn> for StudyValue {
    const INFOS: &'static [EvaluatorInfo] = &[
        EvaluatorInfo {
            name: "advanced",
            summary: "squares to go, twice the simple value, and whether the gaps between facing pawns are odd",
            keys: &[VIEW],
        },
        EvaluatorInfo { name: "simple", summary: "pawns more or fewer than the opponent", keys: &[VIEW] },
    ];

    fn with_name(_: &Pawn, name: &str, keys: &Params) -> Result<Self, InputError> {
        let formula = if name == "simple" { Formula::Simple } else { Formula::Advanced };
        let view = Player::BOTH[keys.choice("view", &["first", "second"])?];
        Ok(Self { formula, view })
    }
}

impl Evaluated for Pawn {
    type Evaluator = StudyValue;

    /// To arrive first of all, then by the fitted outlook: see there.
    #[inline]
    fn ordering_score(&self, state: &State, mv: Step) -> i32 {
        if self.far[state.side.index()].has(u32::from(mv.to)) {
            return 1 << 9;
        }
        let mut child = *state;
        self.play(&mut child, mv);
        self.outlook(mv, &child)
    }

    /// Captures and arrivals.
    #[inline]
    fn is_noisy(&self, state: &State, mv: Step) -> bool {
        Self::takes(state, mv) || self.far[state.side.index()].has(u32::from(mv.to))
    }
}

impl Solvable for Pawn {
    #[inline]
    fn known_value(&self, state: &State) -> Option<GameValue> {
        self.proven_value(state)
    }

    #[inline]
    fn value_key(&self, state: &State) -> u128 {
        self.view_key(state)
    }

    #[inline]
    fn solver_order(&self, _: &State, mv: Step, child: &State) -> i32 {
        self.outlook(mv, child)
    }
}

impl Encodable for Pawn {
    fn swap(&self) -> Swap {
        Swap::UpsideDown
    }
}
