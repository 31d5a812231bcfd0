//! Crosphere: two players, three kinds of stones, and chains that may share stones (a bachelor's thesis of 2024 invented it).

use plyground_core::{
    BoardGround, BoardView, Counter, Encodable, Encoder, EncoderInfo, Evaluated, EvaluationTerm, Evaluator, EvaluatorInfo,
    EvaluatorSet, Example, Family, Game, GameInfo, GameValue, InputError, KeyInfo, MoveSquares, MoverEncoder, Outcome, Owner,
    Params, Phrase, Piece, PieceShape, Player, Presentation, RecordFormat, Rng, Scratch, Sentence, Solvable, Square, Swap, Theme,
    Tour, Turn, Visitor, WIN_SCORE, hash_state,
};

use crate::bits::Bits;
use crate::board::{Grid, PositionText, agreed_size};

mod chains;
mod planes;
mod playout;
mod solver_hooks;
mod thesis;

use chains::{Layers, beside, closure, closures, distance, distances, linked, neighbours};
use planes::{ThesisPlanes, WaysPlanes};
use playout::{RandomGame, Verdict};

const INFO: GameInfo = GameInfo {
    name: "crosphere",
    title: "Crosphere",
    aliases: &[],
    players: ["Green", "Pink"],
    summary: "link your two edges with strong stones of your own and weak stones that serve both sides",
    keys: &[
        KeyInfo { key: "size", value: "COLUMNSxROWS", default: "8x8", meaning: "the board, from 2x2 to 8x8" },
        KeyInfo { key: "strong", value: "N", default: "5", meaning: "strong stones of each player, from 0 to 20" },
    ],
    rules: "Green moves first. Green wants to link the top edge with the bottom edge, Pink the left edge with the right edge.\n\n\
            In turn, each player places one stone on an empty square: either a strong stone of their own colour, as long as they \
            have some left, or a weak stone. Weak stones have no colour, belong to both players, and never run out. Stones never \
            move and are never removed.\n\n\
            A chain is a group of stones joined along files and ranks, not diagonally. Green's chains consist of green strong stones \
            and weak stones, Pink's of pink strong stones and weak stones. The first player with a chain from edge to edge wins, \
            whoever placed its stones: if you place a weak stone that completes only your opponent's chain, your opponent wins.\n\n\
            A weak stone that would complete a chain of both players at once may not be placed. A player to move who has no legal \
            move, because the board is full or because only such squares are left and their strong stones are gone, ends the game \
            as a draw.\n\n\
            Five strong stones each and a board of 8x8 are usual. A strong stone is the only stone that stops an opponent, so spend \
            them late and where they hurt.",
    pieces: &[STRONG[0], STRONG[1], WEAK],
    notation: "A move is w (weak) or s (strong) and the square: wc4, sc4. A position: the board (G green strong, P pink strong, o \
               weak), the side to move (g or p), Green's and Pink's strong stones left.",
    example: Example {
        position: "3o1oG1/3P2G1/ooooooGP/3o1GPG/4PPoo/3o4/3o4/3oo3 p 0 0",
        caption: "Pink to move wins with a weak stone on e5. On d4 it would complete both chains at once: forbidden.",
    },
    samples: &[
        "crosphere:size=8x8,strong=5",
        "crosphere:size=5x5,strong=3",
        "crosphere:size=3x3,strong=2",
        "crosphere:size=6x4,strong=0",
        "crosphere:size=2x2,strong=1",
        "crosphere:size=7x8,strong=20",
    ],
    phrases: &[OCCUPIED, NONE_LEFT, PROHIBITED, GREEN_LINKED, PINK_LINKED, FULL, STUCK],
    presentation: Presentation {
        boards: &["crosphere", "crosphere:size=5x5,strong=3", "crosphere:size=6x6,strong=3", "crosphere:size=4x4,strong=2"],
        keys: &[("strong", "{value} strong stones")],
        lessons: LESSONS,
        tour: Tour {
            how: "Green links top and bottom, Pink left and right. Tap an empty square to place a stone: who completes a chain \
                  from edge to edge wins.",
            kinds: "Strong stones are yours alone and few; weak ones serve both sides and never run out. Choose here which one \
                    you place.",
            points: "",
        },
        names: &[
            ("green strong", "green strong stone"),
            ("pink strong", "pink strong stone"),
            ("weak", "weak stone"),
            ("strong stones left", "strong left"),
        ],
        ground: BoardGround::Tiles,
        pull: "Link your edges. Weak stones help both of you.",
        goal: Some(Example {
            position: "1G2/1o1P/Poo1/1G1P p 1 0",
            caption: "Green has linked the top edge with the bottom edge and wins. The weak stones in the chain belong to both.",
        }),
        top_edge: Some(Player::First),
        theme: Some(Theme { first: ["#1d7a4a", "#ffffff"], second: ["#d0358a", "#ffffff"], board: None }),
        shapes: &[
            ("green strong", PieceShape::TriangleStone),
            ("pink strong", PieceShape::SquareStone),
            ("weak", PieceShape::SmallStone),
        ],
        ..Presentation::DEFAULT
    },
};

const LESSONS: &[Example] = &[
    Example {
        position: "4/1G2/1o2/1G2 g 1 3",
        caption: "Green links top and bottom. One more stone in file b, weak or strong, completes the chain: place it.",
    },
    Example {
        position: "4/ooo1/4/4 p 2 2",
        caption: "Weak stones belong to both. Three of them lead Pink from the left edge towards the right: complete the chain.",
    },
    Example {
        position: "1o2/o1oo/1o2/1o2 g 0 0",
        caption: "A weak stone on b3 would complete both chains at once. That is not allowed: try it.",
    },
];

const OCCUPIED: Phrase = Phrase::new("occupied", "{square} is occupied");
const NONE_LEFT: Phrase = Phrase::new("none-left", "{player} has no strong stones left");
const PROHIBITED: Phrase = Phrase::new("prohibited", "a weak stone on {square} would complete both players' chains at once");
const GREEN_LINKED: Phrase = Phrase::new("green-linked", "Green has linked the top and the bottom edge");
const PINK_LINKED: Phrase = Phrase::new("pink-linked", "Pink has linked the left and the right edge");
const FULL: Phrase = Phrase::new("full", "the board is full and nobody is linked");
const STUCK: Phrase =
    Phrase::new("stuck", "{player} cannot move: no strong stones left, and every weak stone would complete both players' chains");

/// In the order of the players. [`MoveSquares::piece`] of a move is the name of the piece that it places.
const STRONG: [Piece; 2] = [
    Piece { letter: 'G', glyph: '▲', owner: Owner::First, name: "green strong" },
    Piece { letter: 'P', glyph: '■', owner: Owner::Second, name: "pink strong" },
];
const WEAK: Piece = Piece { letter: 'o', glyph: '○', owner: Owner::Neutral, name: "weak" };
const SIDES: [&str; 2] = ["g", "p"];
const MOST_STRONG: u32 = 20;

/// The family of Crosphere boards.
pub struct Rules;

impl Family for Rules {
    const INFO: &'static GameInfo = &INFO;

    fn open<V: Visitor>(params: &Params, position: Option<&str>, visitor: V) -> Result<V::Output, InputError> {
        let (game, state) = open(params, position)?;
        Ok(visitor.visit(game, state))
    }

    fn record_formats() -> &'static [RecordFormat] {
        &[thesis::FORMAT]
    }
}

/// The game with these parameters, and its start or a position. (Not generic, so that it is compiled once and not for every visitor.)
fn open(params: &Params, position: Option<&str>) -> Result<(Crosphere, State), InputError> {
    let fields = ["side to move", "green's strong stones left", "pink's strong stones left"];
    let position = position.map(|text| PositionText::parse(text, "GPo", &fields, 0)).transpose()?;
    let size = agreed_size(params, position.as_ref(), (8, 8))?;
    if !(2..=8).contains(&size.files) || !(2..=8).contains(&size.ranks) {
        let detail = "expected from 2 to 8 files and from 2 to 8 ranks";
        return Err(InputError::malformed("size", &size.size(), detail));
    }
    let asked = params.number("strong", 0..=MOST_STRONG)?;
    let Some(position) = position else {
        let game = Crosphere::new(size.files, size.ranks, asked.unwrap_or(5) as u8);
        let start = game.start();
        return Ok((game, start));
    };
    let strong = agreed_strong(asked, &position)?;
    let game = Crosphere::new(size.files, size.ranks, strong as u8);
    let state = game.state(&position)?;
    Ok((game, state))
}

/// How many strong stones the players of a position began with: as many as asked for, or the larger of what they show.
fn agreed_strong(asked: Option<u32>, position: &PositionText<'_>) -> Result<u32, InputError> {
    let mut most = 0;
    for player in Player::BOTH {
        let name = INFO.players[player.index()];
        let letter = STRONG[player.index()].letter;
        let left = position.number(1 + player.index(), &format!("{name}'s strong stones left"), 0..=MOST_STRONG)?;
        let placed = position.pieces.iter().filter(|piece| piece.1 == letter).count() as u32;
        let limit = asked.unwrap_or(MOST_STRONG);
        if placed + left > limit {
            let why = if asked.is_some() { format!("strong={limit} was asked for") } else { format!("{limit} is the limit") };
            return Err(position.error(format!("{name} has {placed} strong stones on the board and {left} left, but {why}")));
        }
        most = most.max(placed + left);
    }
    Ok(asked.unwrap_or(most))
}

/// Crosphere on a board of some size.
#[derive(Clone, Debug)]
pub struct Crosphere {
    grid: Grid,
    strong: u8,
    all: u64,
    /// The two edges that each player links.
    edges: [[u64; 2]; 2],
}

/// A position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The strong stones on the board, by player.
    pub(crate) strong: [u64; 2],
    pub(crate) weak: u64,
    /// The strong stones left, by player.
    pub(crate) reserve: [u8; 2],
    pub(crate) side: Player,
    /// Follows from the rest; kept because finding it out takes a flood fill.
    pub(crate) stage: Stage,
}

/// The stage of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stage {
    Open,
    Won(Player),
    Drawn,
}

/// A stone and its square: the number of the square, 64 more for a strong stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement(u8);

impl Placement {
    pub(crate) const fn new(strong: bool, index: u32) -> Self {
        Self(index as u8 | if strong { 64 } else { 0 })
    }
    pub(crate) const fn is_strong(self) -> bool {
        self.0 & 64 != 0
    }
    pub(crate) const fn index(self) -> u32 {
        self.0 as u32 & 63
    }
    const fn bit(self) -> u64 {
        1 << self.index()
    }
}

impl State {
    /// The stones that a player's chains may use.
    #[inline]
    fn usable(&self, player: Player) -> u64 {
        self.strong[player.index()] | self.weak
    }
}

impl Crosphere {
    pub(crate) fn new(files: u8, ranks: u8, strong: u8) -> Self {
        // Eight squares a rank on every board: shifts by constants.
        let grid = Grid { files, ranks, stride: 8 };
        let all: u64 = grid.all();
        let (bottom, left) = ((1 << files) - 1, all & 0x0101_0101_0101_0101);
        let edges = [[bottom << (8 * (ranks - 1)), bottom], [left, left << (files - 1)]];
        Self { grid, strong, all, edges }
    }

    pub(crate) const fn edges(&self) -> [[u64; 2]; 2] {
        self.edges
    }

    #[inline]
    pub(crate) fn empty(&self, state: &State) -> u64 {
        self.all & !(state.strong[0] | state.strong[1] | state.weak)
    }

    /// One of the shortest chains between the edges of a player; empty where there is none.
    fn shortest_chain(&self, state: &State, player: Player) -> u64 {
        let usable = state.usable(player);
        let [from, to] = self.edges[player.index()];
        let (mut layers, mut reached) = (vec![from & usable], from & usable);
        while let Some(&layer) = layers.last()
            && layer & to == 0
        {
            let next = beside(layer) & usable & !reached;
            if next == 0 {
                return 0;
            }
            reached |= next;
            layers.push(next);
        }
        let mut near = to;
        let mut chain = 0;
        for layer in layers.into_iter().rev() {
            let stone = u64::bit((layer & near).lowest());
            chain |= stone;
            near = beside(stone);
        }
        chain
    }

    /// Would a stone on this square, one that the player may use, complete a chain of the player?
    #[inline]
    fn completes(&self, state: &State, player: Player, bit: u64) -> bool {
        let usable = state.usable(player) | bit;
        let [from, to] = self.edges[player.index()];
        // A chain comes from one side and goes on to another; most stones have not even two neighbours to join.
        let joined = (beside(bit) & usable).count() + (bit & (from | to)).count();
        if joined < 2 {
            return false;
        }
        let chain = closure(bit, usable);
        chain & from != 0 && chain & to != 0
    }

    /// The empty squares on which a weak stone would complete both players' chains at once.
    #[inline]
    fn double_links(&self, state: &State) -> u64 {
        let [green, pink] = Player::BOTH.map(|player| state.usable(player));
        // A chain has at least as many stones as the board is long.
        if green.count() + 1 < u32::from(self.grid.ranks) || pink.count() + 1 < u32::from(self.grid.files) {
            return 0;
        }
        let [[top, bottom], [left, right]] = self.edges;
        let edges = [top, bottom, left, right];
        let usable = [green, green, pink, pink];
        let reached = closures([top & green, bottom & green, left & pink, right & pink], usable);
        let touched = [0, 1, 2, 3].map(|edge| edges[edge] | beside(reached[edge]));
        self.empty(state) & touched[0] & touched[1] & touched[2] & touched[3]
    }

    /// Has the player to move no legal move, in a position in which neither player is linked?
    #[inline]
    fn is_stuck(&self, state: &State) -> bool {
        let empty = self.empty(state);
        if state.reserve[state.side.index()] > 0 {
            return empty == 0;
        }
        !has_room(empty) && self.double_links(state) == empty
    }

    /// Fills in the stage of a position in which neither player is linked.
    #[inline]
    pub(crate) fn settle(&self, state: &mut State) {
        state.stage = if self.is_stuck(state) { Stage::Drawn } else { Stage::Open };
    }

    fn state(&self, position: &PositionText<'_>) -> Result<State, InputError> {
        let side = Player::BOTH[position.word(0, "side to move", &SIDES)?];
        let reserve = |field| position.number(field, "strong stones left", 0..=MOST_STRONG).map(|left| left as u8);
        let mut state = State {
            strong: STRONG.map(|piece| position.set(self.grid, piece.letter)),
            weak: position.set(self.grid, WEAK.letter),
            reserve: [reserve(1)?, reserve(2)?],
            side,
            stage: Stage::Open,
        };
        match linked(Player::BOTH.map(|player| state.usable(player)), self.edges) {
            [true, true] => {
                return Err(position.error("both sides are linked; the rules forbid it, and one was linked first"));
            }
            [true, false] => state.stage = Stage::Won(Player::First),
            [false, true] => state.stage = Stage::Won(Player::Second),
            [false, false] => self.settle(&mut state),
        }
        Ok(state)
    }

    fn piece(&self, state: &State, square: Square) -> Option<Piece> {
        let index = self.grid.index(square);
        let sets = [(STRONG[0], state.strong[0]), (STRONG[1], state.strong[1]), (WEAK, state.weak)];
        sets.into_iter().find(|(_, set)| set.has(index)).map(|(piece, _)| piece)
    }
}

/// Is there an empty square beside three others? A stone there joins nothing: one look, and no flood fill for most of the game.
#[inline]
fn has_room(empty: u64) -> bool {
    let [up, down, right, left] = neighbours(empty);
    empty & ((up & down & (right | left)) | (right & left & (up | down))) != 0
}

impl Game for Crosphere {
    type State = State;
    type Move = Placement;

    fn info() -> &'static GameInfo {
        &INFO
    }

    fn spec(&self) -> String {
        format!("crosphere:size={},strong={}", self.grid.size(), self.strong)
    }

    fn start(&self) -> State {
        State { strong: [0; 2], weak: 0, reserve: [self.strong; 2], side: Player::First, stage: Stage::Open }
    }

    fn most_moves(&self) -> Option<u32> {
        Some(self.grid.count())
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match state.stage {
            Stage::Open => Turn::Player(state.side),
            Stage::Won(winner) => Turn::Over(Outcome::win(winner)),
            Stage::Drawn => Turn::Over(Outcome::DRAW),
        }
    }

    #[inline]
    fn moves(&self, state: &State, moves: &mut Vec<Placement>) {
        moves.clear();
        if state.stage != Stage::Open {
            return;
        }
        let empty = self.empty(state);
        let weak = empty & !self.double_links(state);
        moves.extend(weak.squares().map(|index| Placement::new(false, index)));
        if state.reserve[state.side.index()] > 0 {
            moves.extend(empty.squares().map(|index| Placement::new(true, index)));
        }
    }

    #[inline]
    fn play(&self, state: &mut State, mv: Placement) {
        let (mover, bit) = (state.side, mv.bit());
        state.side = mover.other();
        let linked = if mv.is_strong() {
            state.strong[mover.index()] |= bit;
            state.reserve[mover.index()] -= 1;
            self.completes(state, mover, bit).then_some(mover)
        } else {
            state.weak |= bit;
            // A legal weak stone completes at most one chain.
            Player::BOTH.into_iter().find(|&player| self.completes(state, player, bit))
        };
        match linked {
            Some(winner) => state.stage = Stage::Won(winner),
            None => self.settle(state),
        }
    }

    #[inline]
    fn hash(&self, state: &State) -> u64 {
        let [green, pink] = state.reserve;
        let rest = u64::from(green) | u64::from(pink) << 8 | (state.side.index() as u64) << 16;
        hash_state(&(state.strong[0], state.strong[1], state.weak, rest))
    }

    fn position_text(&self, state: &State) -> String {
        let board = self.grid.text(|square| self.piece(state, square).map(|piece| piece.letter));
        let [green, pink] = state.reserve;
        format!("{board} {} {green} {pink}", SIDES[state.side.index()])
    }

    fn move_text(&self, _: &State, mv: Placement) -> String {
        format!("{}{}", if mv.is_strong() { 's' } else { 'w' }, self.grid.square(mv.index()))
    }

    fn parse_move(&self, _: &State, text: &str) -> Result<Placement, InputError> {
        let form = || InputError::malformed("move", text, "expected w (weak) or s (strong) and a square, like wc4");
        let (strong, square) = match text.split_at_checked(1) {
            Some(("w", square)) => (false, square),
            Some(("s", square)) => (true, square),
            _ => return Err(form()),
        };
        match self.grid.parse_square(square) {
            Ok(square) => Ok(Placement::new(strong, self.grid.index(square))),
            Err(InputError::Malformed { detail, .. }) => {
                Err(InputError::malformed("move", text, format!("square '{}': {detail}", square.escape_debug())))
            }
            Err(other) => Err(other),
        }
    }

    fn why_illegal(&self, state: &State, mv: Placement) -> Sentence {
        let square = self.grid.square(mv.index());
        if self.empty(state) & mv.bit() == 0 {
            OCCUPIED.with([("square", &square)])
        } else if mv.is_strong() {
            NONE_LEFT.with([("player", &INFO.players[state.side.index()])])
        } else {
            PROHIBITED.with([("square", &square)])
        }
    }

    fn why_over(&self, state: &State) -> Option<Sentence> {
        match state.stage {
            Stage::Open => None,
            Stage::Won(Player::First) => Some(GREEN_LINKED.plain()),
            Stage::Won(Player::Second) => Some(PINK_LINKED.plain()),
            Stage::Drawn if self.empty(state) == 0 => Some(FULL.plain()),
            Stage::Drawn => Some(STUCK.with([("player", &INFO.players[state.side.index()])])),
        }
    }

    fn winning_squares(&self, state: &State) -> Vec<Square> {
        let chain = if let Stage::Won(winner) = state.stage { self.shortest_chain(state, winner) } else { 0 };
        chain.squares().map(|index| self.grid.square(index)).collect()
    }

    fn view(&self, state: &State) -> BoardView {
        let counters = Player::BOTH.map(|player| Counter {
            player,
            label: "strong stones left",
            value: i32::from(state.reserve[player.index()]),
        });
        let board = BoardView::new(self.grid.files, self.grid.ranks, |square| self.piece(state, square));
        BoardView { counters: counters.to_vec(), ..board }
    }

    fn move_squares(&self, state: &State, mv: Placement) -> MoveSquares {
        let piece = if mv.is_strong() { STRONG[state.side.index()] } else { WEAK };
        MoveSquares { from: None, to: Some(self.grid.square(mv.index())), piece: Some(piece.name) }
    }

    /// The mirrors; swapping files and ranks would swap the players' aims.
    fn symmetries(&self) -> u8 {
        4
    }

    fn symmetric_state(&self, state: &State, symmetry: u8) -> State {
        let seen = |set| self.grid.mirror_set(set, symmetry);
        State { strong: state.strong.map(seen), weak: seen(state.weak), ..*state }
    }

    fn symmetric_move(&self, mv: Placement, symmetry: u8) -> Placement {
        Placement::new(mv.is_strong(), self.grid.mirror_index(mv.index(), symmetry))
    }

    /// Draws among all stones on all empty squares, and draws again when it hits a forbidden one: what is left is uniform.
    #[inline]
    fn random_move(&self, state: &State, rng: &mut Rng, _: &mut Scratch<Placement>) -> Placement {
        let empty = self.empty(state);
        let count = empty.count();
        let kinds = if state.reserve[state.side.index()] > 0 { 2 } else { 1 };
        loop {
            let drawn = rng.below(kinds * count);
            if drawn >= count {
                return Placement::new(true, empty.select(drawn - count));
            }
            let mv = Placement::new(false, empty.select(drawn));
            if !Player::BOTH.into_iter().all(|player| self.completes(state, player, mv.bit())) {
                return mv;
            }
        }
    }

    #[inline]
    fn playout(&self, state: &State, rng: &mut Rng, scratch: &mut Scratch<Placement>) -> Outcome {
        let mut state = *state;
        loop {
            if let Turn::Over(outcome) = self.turn(&state) {
                return outcome;
            }
            match RandomGame::new(self, &state, rng).verdict(rng) {
                Verdict::Result(winner) => return Outcome { winner, margin: 0 },
                Verdict::Forbidden(before) => {
                    state = before;
                    self.settle(&mut state);
                    if state.stage == Stage::Open {
                        let mv = self.random_move(&state, rng, scratch);
                        self.play(&mut state, mv);
                    }
                }
            }
        }
    }
}

/// The heuristic of the thesis: who needs fewer further stones for a link, and who has more strong stones left.
#[derive(Clone, Copy, Debug)]
pub struct Links {
    /// What a strong stone in reserve is worth; negative for the sign that the thesis prints.
    stone: f32,
}

impl Links {
    fn value(self, [green, pink]: [u32; 2], reserve: [u8; 2]) -> f32 {
        pink as f32 - green as f32 + self.stone * (f32::from(reserve[0]) - f32::from(reserve[1]))
    }
}

impl Evaluator<Crosphere> for Links {
    #[inline]
    fn score(&self, game: &Crosphere, state: &State) -> f32 {
        let usable = Player::BOTH.map(|player| state.usable(player));
        self.value(distances(usable, game.empty(state), game.edges), state.reserve)
    }

    fn terms(&self, game: &Crosphere, state: &State) -> Vec<EvaluationTerm> {
        let usable = Player::BOTH.map(|player| state.usable(player));
        let [green, pink] = distances(usable, game.empty(state), game.edges).map(|stones| stones as f32);
        let [first, second] = INFO.players;
        let reserve = state.reserve.map(f32::from);
        vec![
            EvaluationTerm::new(format!("stones that {second} still needs for a link"), pink),
            EvaluationTerm::new(format!("stones that {first} still needs for a link"), -green),
            EvaluationTerm::new(format!("strong stones left, {} each", self.stone), self.stone * (reserve[0] - reserve[1])),
        ]
    }

    fn judges_children_at_once(&self) -> bool {
        true
    }

    /// All children from the parent: a stone that both chains may use shortens those whose shortest ways it lies on, and a strong
    /// stone lengthens the opponent's only if all of their shortest ways lead over its square.
    fn evaluate_children(&self, game: &Crosphere, state: &State, moves: &[Placement], scores: &mut Vec<f32>) {
        let empty = game.empty(state);
        let ways = Player::BOTH.map(|player| Layers::new(state.usable(player), empty, game.edges[player.index()]));
        let (own, other) = (state.side.index(), state.side.other().index());
        let judge = |further: [u32; 2], reserve| match further {
            [0, _] => WIN_SCORE,
            [_, 0] => -WIN_SCORE,
            _ => self.value(further, reserve),
        };
        let length = [ways[0].length(), ways[1].length()];
        let weak = [0, 1].map(|green| [0, 1].map(|pink| judge([length[0] - green, length[1] - pink], state.reserve)));
        let mut reserve = state.reserve;
        reserve[own] = reserve[own].saturating_sub(1);
        let strong = |own_length, other_length| {
            let mut further = [own_length; 2];
            further[other] = other_length;
            judge(further, reserve)
        };
        let plain_strong = [0, 1].map(|helps| strong(length[own] - helps, length[other]));
        let reply_may_be_stuck = state.reserve[other] == 0 || empty.count() == 1;
        scores.clear();
        scores.extend(moves.iter().map(|&mv| {
            let bit = mv.bit();
            let helps = [ways[0].helped_by(bit), ways[1].helped_by(bit)];
            if reply_may_be_stuck && !has_room(empty & !bit) {
                let mut child = *state;
                game.play(&mut child, mv);
                if child.stage == Stage::Drawn {
                    return 0.0;
                }
            }
            if !mv.is_strong() {
                weak[usize::from(helps[0])][usize::from(helps[1])]
            } else if ways[other].need(bit) {
                let around = distance(state.usable(state.side.other()), empty & !bit, game.edges[other]);
                strong(length[own] - u32::from(helps[own]), around)
            } else {
                plain_strong[usize::from(helps[own])]
            }
        }));
    }
}

impl EvaluatorSet<Crosphere> for Links {
    const INFOS: &'static [EvaluatorInfo] = &[EvaluatorInfo {
        name: "links",
        summary: "stones the opponent still needs for a link minus stones we need, and strong stones left",
        keys: &[
            KeyInfo {
                key: "stones",
                value: "keep|as-printed",
                default: "keep",
                meaning: "reward strong stones left, or spent ones as the formula printed in the thesis does",
            },
            KeyInfo { key: "w", value: "W", default: "0.4", meaning: "what a strong stone counts, from 0 to 10" },
        ],
    }];

    fn with_name(_: &Crosphere, _: &str, keys: &Params) -> Result<Self, InputError> {
        let weight = keys.number("w", 0.0..=10.0)?.unwrap_or(0.4);
        let printed = keys.choice("stones", &["keep", "as-printed"])? == 1;
        Ok(Self { stone: if printed { -weight } else { weight } })
    }
}

impl Evaluated for Crosphere {
    type Evaluator = Links;
}

impl Solvable for Crosphere {
    #[inline]
    fn known_value(&self, state: &State) -> Option<GameValue> {
        self.proven_value(state)
    }

    #[inline]
    fn value_key(&self, state: &State) -> u128 {
        self.view_key(state)
    }

    #[inline]
    fn undominated_moves(&self, state: &State, moves: &mut Vec<Placement>) {
        self.useful_moves(state, moves);
    }

    #[inline]
    fn solver_order(&self, state: &State, mv: Placement, child: &State) -> i32 {
        self.outlook(state, mv, child)
    }
}

impl Encodable for Crosphere {
    fn swap(&self) -> Swap {
        if self.grid.ranks == self.grid.files { Swap::Transposed } else { Swap::Never }
    }

    fn default_encoder(&self) -> &'static str {
        if self.grid.ranks == self.grid.files { planes::WAYS.name } else { MoverEncoder::INFO.name }
    }

    fn encoders() -> &'static [EncoderInfo] {
        &[planes::INFO, planes::WAYS]
    }

    fn encoder(&self, name: &str) -> Option<Box<dyn Encoder<Self>>> {
        let (ranks, files) = (self.grid.ranks.into(), self.grid.files.into());
        match name {
            "thesis" => Some(Box::new(ThesisPlanes { ranks, files })),
            "ways" if ranks == files => Some(Box::new(WaysPlanes { size: ranks })),
            _ => None,
        }
    }
}
