//! TUC-Chess: pawns, rooks and kings on 5 files and 7 ranks, points, and bonuses that come by chance (the game of a yearly university
//! competition; a course report of 2022 compared minimax and MCTS on it).

use std::hash::{Hash, Hasher};

use plyground_core::{
    BoardView, Counter, Example, Family, Game, GameInfo, InputError, KeyInfo, MoveSquares, Outcome, OutcomeText, Owner, Params,
    Piece, PieceShape, Player, Presentation, Rng, Scratch, Sentence, Square, Theme, Tour, Turn, Visitor,
};

use crate::bits::Bits;
use crate::board::{Grid, PositionText};

mod evaluator;
pub mod fitted;
mod phrases;

pub use evaluator::TucEvaluator;

const INFO: GameInfo = GameInfo {
    name: "tuc-chess",
    title: "TUC-Chess",
    aliases: &[],
    players: ["White", "Black"],
    summary: "pawns, rooks and kings collect points on 5x7 squares; bonuses appear by chance; more points win",
    keys: &[
        KeyInfo {
            key: "year",
            value: "YEAR",
            default: "2022",
            meaning: "the competition whose chances hold: 2022, 2021 or 2019",
        },
        KeyInfo { key: "worth", value: "P", default: "by year", meaning: "the chance that a bonus is worth a point" },
        KeyInfo { key: "appear", value: "P", default: "by year", meaning: "the chance that a bonus appears" },
        KeyInfo {
            key: "limit",
            value: "PLIES",
            default: "200",
            meaning: "after so many plies the points decide, from 1 to 10000",
        },
        KeyInfo {
            key: "kings",
            value: "end|play",
            default: "end",
            meaning: "with only the two kings left the game ends, or goes on (as on the original server after some games)",
        },
    ],
    rules: "The board has 5 files and 7 ranks. Each side has seven pawns, two rooks and a king; five bonuses lie on the middle \
            rank. White moves first and up the board. Passing is not allowed.\n\n\
            A pawn steps one square straight ahead onto a square without a piece; a bonus there is taken. It captures one square \
            diagonally ahead, and moves diagonally only to capture. There is no double step, no capture in passing and no \
            promotion: a pawn that reaches the last rank is taken off the board at once, for a point.\n\n\
            A rook moves one to three squares along a rank or file. It may not pass over a piece or a bonus; it may capture a \
            piece or take a bonus by stopping there. A king moves one square along a rank or file, never diagonally. There is no \
            check and no mate: a king may step into attack, and may be captured.\n\n\
            The player who makes the move gets the points: 1 for capturing a pawn, 3 for a rook, 8 for the king; 1 for an own pawn \
            that reaches the last rank; and for taking a bonus 1 with probability 0.95, otherwise nothing. One move may earn several \
            of these. What a bonus was worth is drawn when it is taken. Then, unless the move has ended the game, a new bonus \
            appears with probability 0.2, on a square chosen at random among those with neither piece nor bonus.\n\n\
            The game ends when a king is captured, when only the two kings are left, when the player to move has no legal move, or \
            after 200 moves of both players together. More points win and equal points draw: whoever captures the king can still \
            lose.\n\n\
            The chances are those of the competition of 2022; in 2021 they were 0.9 and 0.1, in 2019 0.85 and 0.25. The players of 2022 \
            had 4 seconds a move and the game 12 minutes, those of 2021 6 seconds and 14 minutes: a longer move lost the game, and \
            at the end of the time the points decided. Clocks are the business of whoever hosts a game and no part of these rules; the \
            limit of moves, which the competition did not have, keeps the games of machines finite.",
    pieces: &[PIECES[0][0], PIECES[0][1], PIECES[0][2], PIECES[1][0], PIECES[1][1], PIECES[1][2], BONUS],
    notation: "A move is four digits: row and column of the square it leaves, row and column of the square it enters, counted from 0 \
               at the top left: 5242. It may also be written with squares: c2c3. Chance writes +1 or +0 (what the taken bonus was \
               worth), then @42 or @c3 (a bonus appears there) or @- (none appears); this is written even where only one outcome is \
               possible. A position: the board with P R K for White, p r k for Black and * for a bonus; the side that moves next (w or \
               b); White's points; Black's points; the plies played; and, while chance is due, ?+ (the worth of the bonus that the \
               other side has just taken) or ?@ (whether and where a bonus appears).",
    example: Example {
        position: "2k2/p1R1p/1p3/*1*2/3r1/P3P/2K2 w 4 13 38",
        caption: "White can capture the king with c6c7. It would end the game 12 to 13, and lose it.",
    },
    samples: &[
        "tuc-chess",
        "tuc-chess:year=2021",
        "tuc-chess:year=2019",
        "tuc-chess:worth=0.5,appear=0.9",
        "tuc-chess:limit=30",
        "tuc-chess:appear=0",
    ],
    phrases: &phrases::ALL,
    presentation: Presentation {
        boards: &["tuc-chess", "tuc-chess:appear=0"],
        keys: &[("appear", "no new bonuses")],
        lessons: &[Example {
            position: "2k2/5/5/1*3/1R3/5/2K2 w 0 0 10",
            caption: "The rook can take the bonus above it. Chance says whether it is worth a point.",
        }],
        tour: Tour {
            how: "Tap a piece, then a dot: a step, a capture, or a bonus in the middle. You can also drag.",
            kinds: "",
            points: "Points decide: 1 for a pawn, 3 for a rook, 8 for the king, and bonuses. What is left to chance is shown \
                     before play goes on.",
        },
        names: &[
            ("first pawn", "white pawn"),
            ("first rook", "white rook"),
            ("first king", "white king"),
            ("second pawn", "black pawn"),
            ("second rook", "black rook"),
            ("second king", "black king"),
        ],
        pull: "Small chess with a pinch of luck: points decide.",
        goal: Some(Example {
            position: "2R2/p3p/1p3/*4/3r1/P3P/2K2 b 14 5 38",
            caption: "The black king is taken and the game is over: White has 14 points, Black 5, and White wins.",
        }),
        turned_for_second: true,
        theme: Some(Theme::CHESS),
        shapes: &[
            ("pawn", PieceShape::Pawn),
            ("rook", PieceShape::Rook),
            ("king", PieceShape::King),
            ("bonus", PieceShape::Star),
        ],
        ..Presentation::DEFAULT
    },
};

const BONUS: Piece = Piece { letter: '*', glyph: '✦', owner: Owner::Neutral, name: "bonus" };
/// The pawns, rooks and kings of White, then of Black.
const PIECES: [[Piece; 3]; 2] = [
    [
        Piece { letter: 'P', glyph: '♙', owner: Owner::First, name: "pawn" },
        Piece { letter: 'R', glyph: '♖', owner: Owner::First, name: "rook" },
        Piece { letter: 'K', glyph: '♔', owner: Owner::First, name: "king" },
    ],
    [
        Piece { letter: 'p', glyph: '♟', owner: Owner::Second, name: "pawn" },
        Piece { letter: 'r', glyph: '♜', owner: Owner::Second, name: "rook" },
        Piece { letter: 'k', glyph: '♚', owner: Owner::Second, name: "king" },
    ],
];

/// What capturing a pawn, a rook or a king earns.
const CAPTURE: [u16; 3] = [1, 3, 8];
/// Year of the competition, probability that a bonus is worth a point, probability that one appears.
const YEARS: [(&str, f64, f64); 3] = [("2022", 0.95, 0.2), ("2021", 0.9, 0.1), ("2019", 0.85, 0.25)];
const DEFAULT_LIMIT: u16 = 200;
const LONGEST: u16 = 10_000;
/// From the start no player gets further than 28 points and one for each own move; positions that begin with more stop counting here, so
/// that whatever can be reached can be written down.
const MOST_POINTS: u16 = 9_999;

/// The padding column keeps shifted sets from running around the edge.
const GRID: Grid = Grid::padded(5, 7);
const UP: i32 = GRID.stride as i32;
const ALONG: [i32; 4] = [1, -1, UP, -UP];
const RANK: u64 = 0b1_1111;
const BOARD: u64 = RANK * 0b1_000001_000001_000001_000001_000001_000001;
/// The rank on which the pawns of each player are taken off.
const LAST_RANK: [u64; 2] = [RANK << (6 * UP), RANK];
/// How far a pawn of each player goes.
const AHEAD: [i32; 2] = [UP, -UP];

/// A set moved by a difference of square numbers. What leaves the board lands outside [`BOARD`].
#[inline]
fn shifted(set: u64, by: i32) -> u64 {
    set.rotate_left(by as u32)
}

/// The family of TUC-Chess: the competition's years and their chances.
pub struct Rules;

impl Family for Rules {
    const INFO: &'static GameInfo = &INFO;

    fn open<V: Visitor>(params: &Params, position: Option<&str>, visitor: V) -> Result<V::Output, InputError> {
        let (game, state) = open(params, position)?;
        Ok(visitor.visit(game, state))
    }
}

/// The game with these parameters, and its start or a position. (Not generic, so that it is compiled once and not for every visitor.)
fn open(params: &Params, position: Option<&str>) -> Result<(TucChess, State), InputError> {
    let year = params.choice("year", &YEARS.map(|(year, ..)| year))?;
    let (_, worth, appear) = YEARS[year];
    // Adding 0 turns a -0 in the spec into 0.
    let probability = |key, usual| Ok::<f64, InputError>(params.number(key, 0.0..=1.0)?.unwrap_or(usual) + 0.0);
    let game = TucChess {
        year,
        worth: probability("worth", worth)?,
        appear: probability("appear", appear)?,
        limit: params.number("limit", 1..=LONGEST)?.unwrap_or(DEFAULT_LIMIT),
        kings_play: params.choice("kings", &["end", "play"])? == 1,
    };
    let state = match position {
        Some(text) => game.state(text)?,
        None => game.start(),
    };
    Ok((game, state))
}

/// TUC-Chess with its chances and its limit.
#[derive(Clone, Debug)]
pub struct TucChess {
    year: usize,
    worth: f64,
    appear: f64,
    limit: u16,
    /// Does the game go on with only the two kings left?
    kings_play: bool,
}

/// The game of the competition of 2022.
impl Default for TucChess {
    fn default() -> Self {
        let (_, worth, appear) = YEARS[0];
        Self { year: 0, worth, appear, limit: DEFAULT_LIMIT, kings_play: false }
    }
}

/// A position of TUC-Chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// All pieces of each player; those that are neither pawns nor rooks are kings.
    pieces: [u64; 2],
    pawns: u64,
    rooks: u64,
    bonuses: u64,
    points: [u16; 2],
    /// Bonuses taken whose worth counts its mean and is never drawn, White's less Black's: 0 but in searches that ignore chance.
    undrawn: i8,
    plies: u16,
    /// Who moves next, once chance has settled.
    side: Player,
    due: Due,
}

/// What happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// A player moves.
    Move,
    /// The worth of the bonus that has just been taken is drawn.
    Worth,
    /// Chance decides whether and where a bonus appears.
    Appearance,
    /// Nothing: the game is over.
    Nothing,
}

/// A move of a player, or an outcome of chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// A piece moves between the squares with these numbers.
    Step {
        /// Where it comes from.
        from: u8,
        /// Where it goes.
        to: u8,
    },
    /// The bonus that was taken is worth so many points: 0 or 1.
    Worth(u8),
    /// A bonus appears on the square with this number.
    Appear(u8),
    /// No bonus appears.
    NoBonus,
}

// One word each, and the small fields as one: the derived hash would take twice as many steps, some of them byte by byte.
impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let [white, black] = self.points.map(u64::from);
        // There are fewer than 64 squares, and so many bonuses at most.
        let undrawn = u64::from(self.undrawn as u8 & 0x7f);
        let small = u64::from(self.plies) | (self.side as u64) << 16 | undrawn << 17 | (self.due as u64) << 24;
        let [first, second] = self.pieces;
        for word in [first, second, self.pawns, self.rooks, self.bonuses, small | white << 32 | black << 48] {
            hasher.write_u64(word);
        }
    }
}

impl State {
    #[inline]
    fn occupied(&self) -> u64 {
        self.pieces[0] | self.pieces[1]
    }

    /// The squares with neither piece nor bonus.
    #[inline]
    fn free(&self) -> u64 {
        BOARD & !(self.occupied() | self.bonuses)
    }

    #[inline]
    fn kings(&self) -> u64 {
        self.occupied() & !(self.pawns | self.rooks)
    }

    /// The squares that the side to move can enter, grouped by the difference to the square that is left. Each entry of each group is
    /// one legal move.
    #[inline]
    fn targets(&self) -> [(i32, u64); 15] {
        let side = self.side.index();
        let (own, other) = (self.pieces[side], self.pieces[1 - side]);
        let (pawns, rooks, far) = (own & self.pawns, own & self.rooks, own & !self.pawns);
        let (enterable, free) = (BOARD & !own, self.free());
        let ahead = AHEAD[side];
        let mut targets = [(0, 0); 15];
        targets[0] = (ahead, shifted(pawns, ahead) & BOARD & !(own | other));
        targets[1] = (ahead - 1, shifted(pawns, ahead - 1) & other);
        targets[2] = (ahead + 1, shifted(pawns, ahead + 1) & other);
        for (number, step) in ALONG.into_iter().enumerate() {
            let two = shifted(shifted(rooks, step) & free, step) & enterable;
            let three = shifted(two & free, step) & enterable;
            targets[3 + number] = (step, shifted(far, step) & enterable);
            targets[7 + number] = (2 * step, two);
            targets[11 + number] = (3 * step, three);
        }
        targets
    }

    /// Can the side to move move at all? Bonuses hinder no piece from moving a single square, so they do not matter here.
    #[inline]
    fn is_mobile(&self) -> bool {
        let side = self.side.index();
        let (own, other) = (self.pieces[side], self.pieces[1 - side]);
        let (pawns, far) = (own & self.pawns, own & !self.pawns);
        let ahead = AHEAD[side];
        let pushes = shifted(pawns, ahead) & BOARD & !(own | other);
        let captures = (shifted(pawns, ahead - 1) | shifted(pawns, ahead + 1)) & other;
        let steps = ALONG.into_iter().fold(0, |steps, step| steps | shifted(far, step)) & BOARD & !own;
        pushes | captures | steps != 0
    }

    /// Adds points; a function of its own because of the cap.
    #[inline]
    fn earn(&mut self, player: Player, points: u16) {
        let total = &mut self.points[player.index()];
        *total = (*total + points).min(MOST_POINTS);
    }

    /// The kind of the piece on a square: its place in [`PIECES`] and [`CAPTURE`].
    #[inline]
    fn kind(&self, index: u32) -> usize {
        if self.pawns.has(index) { 0 } else { 2 - usize::from(self.rooks.has(index)) }
    }

    /// Moves a piece with all that follows for pieces and points, and says whether a bonus was taken.
    #[inline]
    fn step(&mut self, from: u8, to: u8) -> bool {
        let (mover, opponent) = (self.side, self.side.other());
        let (from_bit, to_bit) = (1 << from, 1 << to);
        if self.pieces[opponent.index()] & to_bit != 0 {
            self.earn(mover, CAPTURE[self.kind(u32::from(to))]);
            self.pieces[opponent.index()] ^= to_bit;
            self.pawns &= !to_bit;
            self.rooks &= !to_bit;
        }
        self.pieces[mover.index()] ^= from_bit | to_bit;
        match self.kind(u32::from(from)) {
            0 if to_bit & LAST_RANK[mover.index()] != 0 => {
                self.pawns ^= from_bit;
                self.pieces[mover.index()] ^= to_bit;
                self.earn(mover, 1);
            }
            0 => self.pawns ^= from_bit | to_bit,
            1 => self.rooks ^= from_bit | to_bit,
            _ => {}
        }
        let takes_bonus = self.bonuses & to_bit != 0;
        self.bonuses &= !to_bit;
        self.plies += 1;
        self.side = opponent;
        takes_bonus
    }

    fn piece(&self, square: Square) -> Option<Piece> {
        let index = GRID.index(square);
        if self.bonuses.has(index) {
            return Some(BONUS);
        }
        let owner = self.pieces.iter().position(|set| set.has(index))?;
        Some(PIECES[owner][self.kind(index)])
    }
}

impl TucChess {
    /// White's points less Black's. Bonuses whose worth is not drawn count its mean.
    #[inline]
    fn margin(&self, state: &State) -> f64 {
        let [white, black] = state.points.map(f64::from);
        white - black + self.worth * f64::from(state.undrawn)
    }

    #[inline]
    fn outcome(&self, state: &State) -> Outcome {
        if state.undrawn != 0 {
            let margin = self.margin(state);
            return Outcome::by_points((margin.abs().ceil() * margin.signum()) as i32, 0);
        }
        Outcome::by_points(i32::from(state.points[0]), i32::from(state.points[1]))
    }

    /// Is the game over, once nothing is left to chance?
    #[inline]
    fn is_over(&self, state: &State) -> bool {
        self.is_decided(state) || !state.is_mobile()
    }

    /// The ends that are seen without looking for moves.
    #[inline]
    fn is_decided(&self, state: &State) -> bool {
        let kings = state.kings();
        state.plies >= self.limit || kings.count() < 2 || (kings == state.occupied() && !self.kings_play)
    }

    /// What is due after a move and, if it took a bonus, the drawing of its worth.
    #[inline]
    fn due_after_move(&self, state: &State) -> Due {
        if self.is_over(state) { Due::Nothing } else { Due::Appearance }
    }

    /// Draws whether and where a bonus appears.
    #[inline]
    fn draw_bonus(&self, state: &State, rng: &mut Rng) -> Option<u32> {
        if rng.unit() >= self.appear {
            return None;
        }
        let free = state.free();
        (free != 0).then(|| free.select(rng.below(free.count())))
    }

    /// Reads a position.
    fn state(&self, text: &str) -> Result<State, InputError> {
        let names = ["side to move", "White's points", "Black's points", "plies", "?+ or ?@ while chance is due"];
        let position = PositionText::parse(text, "PRKprk*", &names, 1)?;
        if position.grid.size() != GRID.size() {
            let detail = format!("its board is {}, but TUC-Chess has 5 files and 7 ranks (5x7)", position.grid.size());
            return Err(position.error(detail));
        }
        let points = |field: usize| Ok(position.number(field, names[field], 0..=u32::from(MOST_POINTS))? as u16);
        let set = |letter| position.set::<u64>(GRID, letter);
        let mut state = State {
            pieces: [set('P') | set('R') | set('K'), set('p') | set('r') | set('k')],
            pawns: set('P') | set('p'),
            rooks: set('R') | set('r'),
            bonuses: set('*'),
            points: [points(1)?, points(2)?],
            undrawn: 0,
            plies: position.number(3, names[3], 0..=u32::from(self.limit))? as u16,
            side: Player::BOTH[position.word(0, names[0], &["w", "b"])?],
            due: Due::Move,
        };
        check_pieces(&state).map_err(|detail| position.error(detail))?;
        let pending = position.fields.get(4).map(|_| position.word(4, "chance", &["?+", "?@"])).transpose()?;
        if pending.is_some() && state.plies == 0 {
            return Err(position.error("chance can only be due after a move, but 0 plies were played"));
        }
        let over = self.is_over(&state);
        state.due = match pending {
            Some(0) => Due::Worth,
            Some(_) if over => {
                return Err(position.error("the game is over: no bonus appears any more, so ?@ cannot be due"));
            }
            Some(_) => Due::Appearance,
            None if over => Due::Nothing,
            None => Due::Move,
        };
        Ok(state)
    }
}

/// Is there a game with these pieces?
fn check_pieces(state: &State) -> Result<(), String> {
    for player in Player::BOTH {
        let name = INFO.players[player.index()];
        let own = state.pieces[player.index()];
        let sets = [own & state.pawns, own & state.rooks, own & state.kings()];
        for ((set, most), piece) in sets.into_iter().zip([7, 2, 1]).zip(PIECES[player.index()]) {
            let count = set.count();
            if count > most {
                return Err(format!("{name} has {count} {}s; there are never more than {most}", piece.name));
            }
        }
        if let Some(index) = (sets[0] & LAST_RANK[player.index()]).squares().next() {
            let square = GRID.square(index);
            return Err(format!("{name} has a pawn on {square}, its last rank, where pawns are taken off at once"));
        }
    }
    let has_king = Player::BOTH.map(|player| state.kings() & state.pieces[player.index()] != 0);
    match has_king {
        [false, false] => Err("there is no king on the board; only one can have been captured".to_owned()),
        _ if !has_king[state.side.other().index()] => {
            let name = INFO.players[state.side.other().index()];
            Err(format!("{name} has no king, but {name} made the last move: only the side to move can have lost its king"))
        }
        _ => Ok(()),
    }
}

impl Game for TucChess {
    type State = State;
    type Move = Move;

    fn info() -> &'static GameInfo {
        &INFO
    }

    fn spec(&self) -> String {
        let (year, worth, appear) = YEARS[self.year];
        let keys = [
            (self.year != 0).then(|| format!("year={year}")),
            (self.worth != worth).then(|| format!("worth={}", self.worth)),
            (self.appear != appear).then(|| format!("appear={}", self.appear)),
            (self.limit != DEFAULT_LIMIT).then(|| format!("limit={}", self.limit)),
            self.kings_play.then(|| "kings=play".to_owned()),
        ];
        let keys: Vec<String> = keys.into_iter().flatten().collect();
        if keys.is_empty() { INFO.name.to_owned() } else { format!("{}:{}", INFO.name, keys.join(",")) }
    }

    fn start(&self) -> State {
        let mirrored = |first_rank: u64| first_rank | first_rank << (6 * UP);
        State {
            pieces: [RANK | RANK << UP, RANK << (5 * UP) | RANK << (6 * UP)],
            pawns: mirrored(0b1_0001) | RANK << UP | RANK << (5 * UP),
            rooks: mirrored(0b0_1010),
            bonuses: RANK << (3 * UP),
            points: [0; 2],
            undrawn: 0,
            plies: 0,
            side: Player::First,
            due: Due::Move,
        }
    }

    fn most_moves(&self) -> Option<u32> {
        Some(u32::from(self.limit))
    }

    fn most_outcomes(&self) -> u32 {
        // A bonus on any square, or none.
        GRID.count() + 1
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        match state.due {
            Due::Move => Turn::Player(state.side),
            Due::Worth | Due::Appearance => Turn::Chance,
            Due::Nothing => Turn::Over(self.outcome(state)),
        }
    }

    #[inline]
    fn moves(&self, state: &State, moves: &mut Vec<Move>) {
        moves.clear();
        if state.due != Due::Move {
            return;
        }
        for (difference, targets) in state.targets() {
            moves.extend(targets.squares().map(|to| Move::Step { from: (to as i32 - difference) as u8, to: to as u8 }));
        }
    }

    #[inline]
    fn play(&self, state: &mut State, mv: Move) {
        state.due = match mv {
            Move::Step { from, to } => {
                if state.step(from, to) {
                    Due::Worth
                } else {
                    self.due_after_move(state)
                }
            }
            Move::Worth(points) => {
                state.earn(state.side.other(), u16::from(points));
                self.due_after_move(state)
            }
            Move::Appear(square) => {
                state.bonuses |= 1 << square;
                Due::Move
            }
            Move::NoBonus => Due::Move,
        };
    }

    #[inline]
    fn chance(&self, state: &State, outcomes: &mut Vec<(Move, f64)>) {
        outcomes.clear();
        match state.due {
            Due::Worth => outcomes.extend([(Move::Worth(1), self.worth), (Move::Worth(0), 1.0 - self.worth)]),
            Due::Appearance => {
                let free = state.free();
                let appear = if free == 0 { 0.0 } else { self.appear };
                let each = appear / f64::from(free.count().max(1));
                outcomes.push((Move::NoBonus, 1.0 - appear));
                outcomes.extend(free.squares().map(|square| (Move::Appear(square as u8), each)));
            }
            Due::Move | Due::Nothing => {}
        }
        outcomes.retain(|&(_, probability)| probability > 0.0);
    }

    fn points(&self, state: &State) -> Option<[i32; 2]> {
        Some(state.points.map(i32::from))
    }

    fn position_text(&self, state: &State) -> String {
        let board = GRID.text(|square| state.piece(square).map(|piece| piece.letter));
        let side = ["w", "b"][state.side.index()];
        let [white, black] = state.points;
        let pending = match state.due {
            Due::Worth => " ?+",
            Due::Appearance => " ?@",
            Due::Move | Due::Nothing => "",
        };
        format!("{board} {side} {white} {black} {}{pending}", state.plies)
    }

    fn move_text(&self, _: &State, mv: Move) -> String {
        write_move(mv, |square| format!("{}{}", GRID.ranks - 1 - square.rank, square.file))
    }

    fn move_label(&self, _: &State, mv: Move) -> String {
        write_move(mv, |square| square.to_string())
    }

    fn parse_move(&self, _: &State, text: &str) -> Result<Move, InputError> {
        let malformed = |detail: &str| InputError::malformed("move", text, detail);
        let index = |square: Square| GRID.index(square) as u8;
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let square = |digits: &str| {
            let [row, file] = [0, 1].map(|at| digits.as_bytes()[at] - b'0');
            let square = Square { file, rank: (GRID.ranks - 1).wrapping_sub(row) };
            let outside = || malformed("expected rows from 0 (the top) to 6 and columns from 0 (the left) to 4");
            GRID.contains(square).then_some(square).ok_or_else(outside)
        };
        Ok(match (text, text.strip_prefix('@')) {
            ("+1", _) => Move::Worth(1),
            ("+0", _) => Move::Worth(0),
            (_, Some("-")) => Move::NoBonus,
            (_, Some(place)) if place.len() == 2 && is_digits(place) => Move::Appear(index(square(place)?)),
            (_, Some(place)) => {
                let square = GRID.parse_square(place).map_err(|_| malformed("expected @- or @ and a square, like @42 or @c3"))?;
                Move::Appear(index(square))
            }
            _ if text.starts_with('+') => return Err(malformed("expected +1 or +0")),
            _ if text.len() == 4 && is_digits(text) => {
                Move::Step { from: index(square(&text[..2])?), to: index(square(&text[2..])?) }
            }
            _ if text.starts_with(|first: char| first.is_ascii_lowercase()) => {
                let (from, to) = GRID.parse_step(text)?;
                Move::Step { from: index(from), to: index(to) }
            }
            _ => return Err(malformed("expected row, column, row, column, like 5242, or two squares, like c2c3")),
        })
    }

    fn why_illegal(&self, state: &State, mv: Move) -> Sentence {
        let name = INFO.players[state.side.index()];
        let Move::Step { from, to } = mv else {
            return phrases::NO_CHANCE.with([("player", &name)]);
        };
        let (from, to) = (GRID.square(u32::from(from)), GRID.square(u32::from(to)));
        let owner = Owner::from(state.side);
        let piece = match state.piece(from) {
            Some(piece) if piece.owner == owner => piece,
            Some(piece) => {
                return phrases::NOT_YOURS.with([("piece", &piece.name), ("square", &from), ("player", &name)]);
            }
            None => return phrases::EMPTY.with([("square", &from)]),
        };
        if let Some(occupant) = state.piece(to).filter(|occupant| occupant.owner == owner) {
            return phrases::OWN_PIECE.with([("player", &name), ("piece", &occupant.name), ("square", &to)]);
        }
        let (across, along) = (from.file.abs_diff(to.file), from.rank.abs_diff(to.rank));
        let is_ahead = along == 1 && (to.rank > from.rank) == (state.side == Player::First);
        match piece.name {
            "pawn" if is_ahead && across == 0 => phrases::BLOCKED.with([("square", &to)]),
            "pawn" if is_ahead && across == 1 => phrases::NO_CAPTURE.with([("square", &to)]),
            "pawn" => phrases::PAWN.plain(),
            "rook" if across.min(along) == 0 && across + along <= 3 => phrases::IN_THE_WAY.with([("from", &from), ("to", &to)]),
            "rook" => phrases::ROOK.plain(),
            _ => phrases::KING.plain(),
        }
    }

    fn why_over(&self, state: &State) -> Option<Sentence> {
        if state.due != Due::Nothing {
            return None;
        }
        let [next, last] = [state.side, state.side.other()].map(|player| INFO.players[player.index()]);
        let [white, black] = state.points;
        Some(if state.kings().count() < 2 {
            phrases::KING_CAPTURED.with([("player", &last), ("white", &white), ("black", &black)])
        } else if state.kings() == state.occupied() && !self.kings_play {
            phrases::KINGS_LEFT.with([("white", &white), ("black", &black)])
        } else if !state.is_mobile() {
            phrases::STUCK.with([("player", &next), ("white", &white), ("black", &black)])
        } else {
            phrases::LIMIT.with([("plies", &self.limit), ("white", &white), ("black", &black)])
        })
    }

    fn outcome_text(&self, _: &State, outcome: Move) -> Option<OutcomeText> {
        let (sentence, sign) = match outcome {
            Move::Step { .. } => return None,
            Move::Worth(0) => (phrases::WORTH_NOTHING.plain(), "★ +0".to_owned()),
            Move::Worth(_) => (phrases::WORTH_A_POINT.plain(), "★ +1".to_owned()),
            Move::Appear(index) => {
                let square = GRID.square(u32::from(index));
                (phrases::APPEARS.with([("square", &square)]), format!("★ {square}"))
            }
            Move::NoBonus => (phrases::NO_BONUS.plain(), "–".to_owned()),
        };
        Some(OutcomeText { sentence, sign })
    }

    fn view(&self, state: &State) -> BoardView {
        let counter = |player: Player| Counter { player, label: "points", value: i32::from(state.points[player.index()]) };
        let board = BoardView::new(GRID.files, GRID.ranks, |square| state.piece(square));
        BoardView { counters: Player::BOTH.map(counter).to_vec(), ..board }
    }

    fn move_squares(&self, _: &State, mv: Move) -> MoveSquares {
        let square = |index| Some(GRID.square(u32::from(index)));
        match mv {
            Move::Step { from, to } => MoveSquares { from: square(from), to: square(to), piece: None },
            Move::Appear(index) => MoveSquares { to: square(index), ..MoveSquares::default() },
            Move::Worth(_) | Move::NoBonus => MoveSquares::default(),
        }
    }

    fn symmetries(&self) -> u8 {
        2
    }

    fn symmetric_state(&self, state: &State, symmetry: u8) -> State {
        let seen = |set| GRID.mirror_set(set, symmetry);
        State {
            pieces: state.pieces.map(seen),
            pawns: seen(state.pawns),
            rooks: seen(state.rooks),
            bonuses: seen(state.bonuses),
            ..*state
        }
    }

    fn symmetric_move(&self, mv: Move, symmetry: u8) -> Move {
        let seen = |index| GRID.mirror_index(u32::from(index), symmetry) as u8;
        match mv {
            Move::Step { from, to } => Move::Step { from: seen(from), to: seen(to) },
            Move::Appear(square) => Move::Appear(seen(square)),
            Move::Worth(_) | Move::NoBonus => mv,
        }
    }

    #[inline]
    fn random_move(&self, state: &State, rng: &mut Rng, _: &mut Scratch<Move>) -> Move {
        let (from, to) = random_step(state, rng).expect("a player to move has a move");
        Move::Step { from, to }
    }

    #[inline]
    fn random_outcome(&self, state: &State, rng: &mut Rng, _: &mut Scratch<Move>) -> Move {
        if state.due == Due::Worth {
            return Move::Worth(u8::from(rng.unit() < self.worth));
        }
        self.draw_bonus(state, rng).map_or(Move::NoBonus, |square| Move::Appear(square as u8))
    }

    /// The order of events matters to the rules, but not to the result: whether the next player can move is found out when a move is
    /// drawn, and a bonus that appears after the last move does no harm.
    #[inline]
    fn playout(&self, state: &State, rng: &mut Rng, scratch: &mut Scratch<Move>) -> Outcome {
        let mut state = *state;
        while matches!(state.due, Due::Worth | Due::Appearance) {
            let outcome = self.random_outcome(&state, rng, scratch);
            self.play(&mut state, outcome);
        }
        while !self.is_decided(&state) {
            let Some((from, to)) = random_step(&state, rng) else { break };
            let mover = state.side;
            if state.step(from, to) && rng.unit() < self.worth {
                state.earn(mover, 1);
            }
            if let Some(square) = self.draw_bonus(&state, rng) {
                state.bonuses |= 1 << square;
            }
        }
        self.outcome(&state)
    }

    /// Nothing appears, and a bonus that is taken counts the mean of its worth.
    #[inline]
    fn play_without_chance(&self, state: &mut State, mv: Move) {
        let Move::Step { from, to } = mv else { return self.play(state, mv) };
        let mover = state.side;
        if state.step(from, to) {
            state.undrawn += if mover == Player::First { 1 } else { -1 };
        }
        state.due = if self.is_over(state) { Due::Nothing } else { Due::Move };
    }
}

/// A random move of the side to move, drawn without listing all; nothing if there is none.
#[inline]
fn random_step(state: &State, rng: &mut Rng) -> Option<(u8, u8)> {
    let targets = state.targets();
    let total = targets.iter().map(|(_, targets)| targets.count()).sum();
    if total == 0 {
        return None;
    }
    let mut rank = rng.below(total);
    for (difference, targets) in targets {
        let count = targets.count();
        if rank < count {
            let to = targets.select(rank);
            return Some(((to as i32 - difference) as u8, to as u8));
        }
        rank -= count;
    }
    None
}

fn write_move(mv: Move, square: impl Fn(Square) -> String) -> String {
    let place = |index| square(GRID.square(u32::from(index)));
    match mv {
        Move::Step { from, to } => place(from) + &place(to),
        Move::Worth(points) => format!("+{points}"),
        Move::Appear(index) => format!("@{}", place(index)),
        Move::NoBonus => "@-".to_owned(),
    }
}
