//! Clobber (Albert, Grossman, Nowakowski and Wolfe, 2005; a bachelor's thesis of 2017 studied MCTS and networks on it).

use plyground_core::{
    BoardView, Evaluator, EvaluatorInfo, Example, Family, Game, GameInfo, Heuristics, InputError, KeyInfo, MoveSquares,
    Outcome, Owner, Params, Piece, Player, Rng, Scratch, Seed, Square, Turn, Visitor,
};

use crate::bits::Bits;
use crate::board::{Grid, PositionText, agreed_size};

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
};

const BLACK: Piece = Piece { letter: 'x', glyph: '●', owner: Owner::First, name: "black stone" };
const WHITE: Piece = Piece { letter: 'o', glyph: '○', owner: Owner::Second, name: "white stone" };

/// The family of Clobber games.
pub struct Rules;

impl Family for Rules {
    const INFO: &'static GameInfo = &INFO;

    fn open<V: Visitor>(params: &Params, position: Option<&str>, visitor: V) -> Result<V::Output, InputError> {
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
        match grid.bits() {
            0..=64 => Clobber::<u64>::new(grid, own, random).open(position.as_ref(), visitor),
            _ => Clobber::<u128>::new(grid, own, random).open(position.as_ref(), visitor),
        }
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State<B> {
    stones: [B; 2],
    side: Player,
}

/// The numbers of the square that a stone leaves and of the one it enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    from: u8,
    to: u8,
}

/// The moves of a player: for each direction, the stones that can move that way.
struct Movers<B> {
    right: B,
    left: B,
    up: B,
    down: B,
}

impl<B: Bits> Clobber<B> {
    fn new(grid: Grid, own: bool, random: Option<u64>) -> Self {
        let left_part = grid.squares().filter(|square| square.file + 1 < grid.files);
        let not_last_file = left_part.fold(B::default(), |set, square| set | B::bit(grid.index(square)));
        Self { grid, own, random, not_last_file }
    }

    fn open<V: Visitor>(self, position: Option<&PositionText<'_>>, visitor: V) -> Result<V::Output, InputError> {
        let state = match position {
            None => self.start(),
            Some(position) => State {
                side: Player::BOTH[position.word(0, "side to move", &["x", "o"])?],
                stones: [position.set(self.grid, 'x'), position.set(self.grid, 'o')],
            },
        };
        Ok(visitor.visit(self, state))
    }

    #[inline]
    fn stride(&self) -> u32 {
        u32::from(self.grid.stride)
    }

    /// The squares from which one reaches the set by a step to the right, left, up, down.
    #[inline]
    fn movers(&self, mine: B, theirs: B) -> Movers<B> {
        let targets = if self.own { mine | theirs } else { theirs };
        Movers {
            right: mine & self.not_last_file & (targets >> 1),
            left: mine & ((targets & self.not_last_file) << 1),
            up: mine & (targets >> self.stride()),
            down: mine & (targets << self.stride()),
        }
    }

    /// The pairs of neighbouring stones of different colours, side by side and one above the other, each marked at its left or
    /// lower stone. Without `own` each is one move for either player.
    #[inline]
    fn pairs(&self, mine: B, theirs: B) -> [B; 2] {
        let stride = self.stride();
        [
            ((mine & (theirs >> 1)) | (theirs & (mine >> 1))) & self.not_last_file,
            (mine & (theirs >> stride)) | (theirs & (mine >> stride)),
        ]
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

impl<B: Bits> Clobber<B> {
    /// Draws a move, each with the same probability: the square that is left and the one that is entered. `None` if there is none.
    /// Without branches on what was drawn, which the processor could only guess: every set is asked for its share.
    #[inline]
    fn draw(&self, mine: B, theirs: B, rng: &mut Rng) -> Option<[B; 2]> {
        if self.own {
            let Movers { right, left, up, down } = self.movers(mine, theirs);
            let counts = [right.count(), left.count(), up.count(), down.count()];
            let total = counts.iter().sum();
            if total == 0 {
                return None;
            }
            let rank = rng.below(total);
            let right = right.pick(rank);
            let rank = rank.wrapping_sub(counts[0]);
            let left = left.pick(rank);
            let rank = rank.wrapping_sub(counts[1]);
            let up = up.pick(rank);
            let rank = rank.wrapping_sub(counts[2]);
            let down = down.pick(rank);
            let stride = self.stride();
            return Some([right | left | up | down, right << 1 | left >> 1 | up << stride | down >> stride]);
        }
        let [level, upright] = self.pairs(mine, theirs);
        let (level_count, upright_count) = (level.count(), upright.count());
        if level_count + upright_count == 0 {
            return None;
        }
        let rank = rng.below(level_count + upright_count);
        let level = level.pick(rank);
        let upright = upright.pick(rank.wrapping_sub(level_count));
        let pair = level | (level << 1) | upright | (upright << self.stride());
        Some([pair & mine, pair & theirs])
    }
}

impl<B: Bits> Game for Clobber<B> {
    type State = State<B>;
    type Move = Step;

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

    #[inline]
    fn turn(&self, state: &State<B>) -> Turn {
        let [mine, theirs] = Self::sides(state);
        let stuck = if self.own {
            let Movers { right, left, up, down } = self.movers(mine, theirs);
            (right | left | up | down).is_empty()
        } else {
            let [level, upright] = self.pairs(mine, theirs);
            (level | upright).is_empty()
        };
        if stuck { Turn::Over(Outcome::win(state.side.other())) } else { Turn::Player(state.side) }
    }

    #[inline]
    fn moves(&self, state: &State<B>, moves: &mut Vec<Step>) {
        let [mine, theirs] = Self::sides(state);
        let Movers { right, left, up, down } = self.movers(mine, theirs);
        let stride = self.grid.stride;
        moves.clear();
        moves.extend(right.squares().map(|from| Step { from: from as u8, to: from as u8 + 1 }));
        moves.extend(left.squares().map(|from| Step { from: from as u8, to: from as u8 - 1 }));
        moves.extend(up.squares().map(|from| Step { from: from as u8, to: from as u8 + stride }));
        moves.extend(down.squares().map(|from| Step { from: from as u8, to: from as u8 - stride }));
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

    fn why_illegal(&self, state: &State<B>, mv: Step) -> String {
        let [from, to] = self.squares(mv);
        let owner = |square| self.piece(state, square).map(|piece| piece.owner);
        let mine = Some(Owner::from(state.side));
        if owner(from) != mine {
            format!("there is no {} on {from}", [BLACK, WHITE][state.side.index()].name)
        } else if from.file.abs_diff(to.file) + from.rank.abs_diff(to.rank) != 1 {
            format!("{from} and {to} are not side by side or one above the other")
        } else if owner(to).is_none() {
            format!("there is no stone on {to}: every move clobbers one")
        } else {
            format!("the stone on {to} has the same colour")
        }
    }

    fn why_over(&self, state: &State<B>) -> String {
        match self.turn(state) {
            Turn::Over(_) => format!("{} cannot move", INFO.players[state.side.index()]),
            _ => String::new(),
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
        let [from, to] = self.draw(mine, theirs, rng).expect("a player to move has a move");
        Step { from: from.lowest() as u8, to: to.lowest() as u8 }
    }

    #[inline]
    fn playout(&self, state: &State<B>, rng: &mut Rng, _: &mut Scratch<Step>) -> Outcome {
        let [mut mine, mut theirs] = Self::sides(state);
        let mut side = state.side;
        while let Some([from, to]) = self.draw(mine, theirs, rng) {
            (mine, theirs) = (theirs & !to, (mine & !from) | to);
            side = side.other();
        }
        Outcome::win(side.other())
    }
}

/// Judges by counting, first player's minus second player's.
#[derive(Clone, Copy, Debug)]
pub enum Count {
    /// The moves that each would have on turn.
    Moves,
    /// The stones that can move.
    Movers,
}

impl<B: Bits> Evaluator<Clobber<B>> for Count {
    fn score(&self, game: &Clobber<B>, state: &State<B>) -> f32 {
        let [first, second] = state.stones;
        let count = |mine, theirs| {
            let Movers { right, left, up, down } = game.movers(mine, theirs);
            match self {
                Self::Moves => right.count() + left.count() + up.count() + down.count(),
                Self::Movers => (right | left | up | down).count(),
            }
        };
        count(first, second) as f32 - count(second, first) as f32
    }
}

impl<B: Bits> Heuristics for Clobber<B> {
    type Evaluator = Count;

    fn evaluators() -> &'static [EvaluatorInfo] {
        &[
            EvaluatorInfo { name: "movers", summary: "stones that can move, own minus the opponent's", keys: &[] },
            EvaluatorInfo {
                name: "mobility",
                summary: "moves, own minus the opponent's; always level without the variant own",
                keys: &[],
            },
        ]
    }

    fn evaluator(&self, name: &str, _: &Params) -> Result<Count, InputError> {
        Ok(if name == "mobility" { Count::Moves } else { Count::Movers })
    }
}
