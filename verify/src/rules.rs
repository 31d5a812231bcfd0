//! The rules of the games, written from their description (docs/certificates.md) and for nothing but checking: plain loops, exact
//! positions, no tables.

/// A position. Square `file * ranks + rank` is bit `file * ranks + rank`, so that ascending bits go up the files one by one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// The stones of the first player, of the second player, and of neither (weak stones).
    pub stones: [u64; 3],
    /// Strong stones that are left.
    pub reserve: [u8; 2],
    /// The player to move: 0 or 1.
    pub side: u8,
}

/// A move: the square that is left (the square that is entered, where nothing moves), the square that is entered, and whether a
/// weak stone is placed. Their order is the order in which moves are numbered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Move {
    pub from: u8,
    pub to: u8,
    pub weak: bool,
}

/// The end of a game: won by player 0 or 1, or drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Won(u8),
    Drawn,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Pawn { double: bool },
    Breakthrough,
    Clobber { own: bool },
    Crosphere { strong: u8 },
    Line { length: u8, drops: bool },
}

/// The neighbours of a square, in the order of squares.
const AROUND: [(i8, i8); 4] = [(-1, 0), (0, -1), (0, 1), (1, 0)];

/// A game on a board of at most 64 squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Game {
    kind: Kind,
    files: u8,
    ranks: u8,
}

impl Game {
    /// Reads a game as Plyground writes it, such as `clobber:size=5x6`. Every parameter has to be there.
    pub fn parse(text: &str) -> Result<Self, String> {
        let refuse = |why: &str| Err(format!("the game '{text}' is not one that this program knows: {why}"));
        let (name, parameters) = text.split_once(':').unwrap_or((text, ""));
        let (mut size, mut length, mut strong) = (None, None, None);
        let (mut double, mut own) = (false, false);
        for parameter in parameters.split(',') {
            match parameter.split_once('=') {
                Some(("size", value)) => {
                    size = value.split_once('x').and_then(|(files, ranks)| Some((files.parse().ok()?, ranks.parse().ok()?)));
                }
                Some(("k", value)) => length = value.parse().ok(),
                Some(("strong", value)) => strong = value.parse().ok(),
                None if parameter == "double" => double = true,
                None if parameter == "own" => own = true,
                _ => return refuse(&format!("expected size, k, strong, double or own, found '{parameter}'")),
            }
        }
        let Some((files, ranks)) = size else { return refuse("expected size=COLUMNSxROWS") };
        let kind = match (name, length, strong) {
            ("pawn", None, None) => Kind::Pawn { double },
            ("breakthrough", None, None) => Kind::Breakthrough,
            ("clobber", None, None) => Kind::Clobber { own },
            ("crosphere", None, Some(strong)) => Kind::Crosphere { strong },
            ("mnk" | "connect-four", Some(length), None) => Kind::Line { length, drops: name == "connect-four" },
            _ => return refuse("its name or its parameters are unknown"),
        };
        let least = match kind {
            Kind::Pawn { double } => (1, if double { 5 } else { 3 }),
            Kind::Breakthrough => (2, 4),
            Kind::Crosphere { .. } => (2, 2),
            Kind::Clobber { .. } | Kind::Line { .. } => (1, 1),
        };
        let fits = files >= least.0 && ranks >= least.1 && u32::from(files) * u32::from(ranks) <= 64;
        if !fits
            || length == Some(0)
            || (double && !matches!(kind, Kind::Pawn { .. }))
            || (own && !matches!(kind, Kind::Clobber { .. }))
        {
            return refuse("its size or a parameter is out of range; boards have at most 64 squares");
        }
        Ok(Self { kind, files, ranks })
    }

    /// The square so many files and ranks away, if it is on the board.
    fn away(self, square: u8, files: i8, ranks: i8) -> Option<u8> {
        let file = (square / self.ranks).checked_add_signed(files).filter(|&file| file < self.files)?;
        let rank = (square % self.ranks).checked_add_signed(ranks).filter(|&rank| rank < self.ranks)?;
        Some(file * self.ranks + rank)
    }

    fn all(self) -> u64 {
        (0..self.files).map(|file| self.file(file)).sum()
    }

    fn rank(self, rank: u8) -> u64 {
        (0..self.files).map(|file| 1 << (file * self.ranks + rank)).sum()
    }

    fn file(self, file: u8) -> u64 {
        (0..self.ranks).map(|rank| 1 << (file * self.ranks + rank)).sum()
    }

    /// The position in which a game starts.
    pub fn start(self) -> Position {
        let mut start = Position { stones: [0; 3], reserve: [0; 2], side: 0 };
        match self.kind {
            Kind::Pawn { double } => {
                let rank = u8::from(double);
                start.stones = [self.rank(rank), self.rank(self.ranks - 1 - rank), 0];
            }
            Kind::Breakthrough => {
                start.stones = [self.rank(0) | self.rank(1), self.rank(self.ranks - 1) | self.rank(self.ranks - 2), 0];
            }
            Kind::Clobber { .. } => {
                for square in squares(self.all()) {
                    let white = (square / self.ranks + square % self.ranks) % 2;
                    start.stones[usize::from(white)] |= 1 << square;
                }
            }
            Kind::Crosphere { strong } => start.reserve = [strong; 2],
            Kind::Line { .. } => {}
        }
        start
    }

    /// The legal moves of a position that is not over, in their order: by the file and the rank of the square that is left, then of
    /// the one that is entered; strong stones before weak ones.
    pub fn moves(self, position: &Position, moves: &mut Vec<Move>) {
        moves.clear();
        let (own, other) = (position.stones[usize::from(position.side)], position.stones[usize::from(1 - position.side)]);
        let empty = self.all() & !(own | other | position.stones[2]);
        let place = |to: u8, weak: bool| Move { from: to, to, weak };
        match self.kind {
            Kind::Line { drops: false, .. } => moves.extend(squares(empty).map(|to| place(to, false))),
            Kind::Line { drops: true, .. } => {
                moves.extend(
                    (0..self.files).filter_map(|file| squares(empty & self.file(file)).next()).map(|to| place(to, false)),
                );
            }
            Kind::Crosphere { .. } => {
                for to in squares(empty) {
                    if position.reserve[usize::from(position.side)] > 0 {
                        moves.push(place(to, false));
                    }
                    if !(self.links(position, 0, 1 << to) && self.links(position, 1, 1 << to)) {
                        moves.push(place(to, true));
                    }
                }
            }
            Kind::Clobber { own: takes_own } => {
                for from in squares(own) {
                    let around = AROUND.into_iter().filter_map(|(files, ranks)| self.away(from, files, ranks));
                    let taken = around.filter(|&to| other & 1 << to != 0 || (takes_own && own & 1 << to != 0));
                    moves.extend(taken.map(|to| Move { from, to, weak: false }));
                }
            }
            Kind::Pawn { .. } | Kind::Breakthrough => {
                for from in squares(own) {
                    self.steps(position.side, from, empty, other, |to| moves.push(Move { from, to, weak: false }));
                }
            }
        }
    }

    /// The steps of a pawn or a piece of Breakthrough, in their order.
    fn steps(self, side: u8, from: u8, empty: u64, other: u64, mut found: impl FnMut(u8)) {
        let up = if side == 0 { 1 } else { -1 };
        let is = |set: u64, to: u8| set & 1 << to != 0;
        let diagonal = |to: &u8| is(other, *to) || (self.kind == Kind::Breakthrough && is(empty, *to));
        if let Some(to) = self.away(from, -1, up).filter(diagonal) {
            found(to);
        }
        let one = self.away(from, 0, up).filter(|&to| is(empty, to));
        let begins = self.kind == Kind::Pawn { double: true } && from % self.ranks == if side == 0 { 1 } else { self.ranks - 2 };
        let two = one.filter(|_| begins).and_then(|_| self.away(from, 0, 2 * up)).filter(|&to| is(empty, to));
        // Ascending ranks: a player who moves down enters the square two away first.
        let straight = if side == 0 { [one, two] } else { [two, one] };
        straight.into_iter().flatten().for_each(&mut found);
        if let Some(to) = self.away(from, 1, up).filter(diagonal) {
            found(to);
        }
    }

    /// The position after a legal move, and how the game ends with it if it does.
    pub fn play(self, position: &Position, mv: Move, moves: &mut Vec<Move>) -> (Position, Option<End>) {
        let mut after = *position;
        let side = position.side;
        after.side = 1 - side;
        let bit = 1 << mv.to;
        let set = if mv.weak { 2 } else { usize::from(side) };
        if mv.from != mv.to {
            after.stones[0] &= !(bit | 1 << mv.from);
            after.stones[1] &= !(bit | 1 << mv.from);
        }
        after.stones[set] |= bit;
        let full = after.stones[0] | after.stones[1] | after.stones[2] == self.all();
        let end = match self.kind {
            Kind::Line { length, .. } if self.in_line(after.stones[set], mv.to, length) => Some(End::Won(side)),
            Kind::Line { .. } => full.then_some(End::Drawn),
            Kind::Crosphere { .. } => {
                after.reserve[usize::from(side)] -= u8::from(!mv.weak);
                // A weak stone belongs to both players, and a legal one completes at most one chain.
                let linked = (0..2).filter(|&player| mv.weak || player == side).find(|&player| self.links(&after, player, bit));
                if let Some(winner) = linked {
                    Some(End::Won(winner))
                } else {
                    self.moves(&after, moves);
                    moves.is_empty().then_some(End::Drawn)
                }
            }
            Kind::Clobber { .. } => {
                self.moves(&after, moves);
                moves.is_empty().then_some(End::Won(side))
            }
            Kind::Pawn { .. } | Kind::Breakthrough => {
                let far = if side == 0 { self.ranks - 1 } else { 0 };
                self.moves(&after, moves);
                (mv.to % self.ranks == far || moves.is_empty()).then_some(End::Won(side))
            }
        };
        (after, end)
    }

    /// Are there so many stones in an unbroken row, column or diagonal through this square?
    fn in_line(self, stones: u64, square: u8, length: u8) -> bool {
        let run = |files: i8, ranks: i8| {
            let next = |&from: &u8| self.away(from, files, ranks).filter(|&to| stones & 1 << to != 0);
            std::iter::successors(Some(square), next).count() as u8
        };
        [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(files, ranks)| run(files, ranks) + run(-files, -ranks) > length)
    }

    /// Is there a chain of a player's strong stones and weak ones through this stone, from edge to edge?
    fn links(self, position: &Position, player: u8, stone: u64) -> bool {
        let usable = position.stones[usize::from(player)] | position.stones[2] | stone;
        let (mut chain, mut before) = (stone, 0);
        while before != chain {
            before = chain;
            for square in squares(before) {
                let around = AROUND.into_iter().filter_map(|(files, ranks)| self.away(square, files, ranks));
                chain |= usable & around.fold(0, |set, to| set | 1 << to);
            }
        }
        let [from, to] = match player {
            0 => [self.rank(0), self.rank(self.ranks - 1)],
            _ => [self.file(0), self.file(self.files - 1)],
        };
        chain & from != 0 && chain & to != 0
    }
}

/// The squares of a set, ascending.
pub fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = (set != 0).then(|| set.trailing_zeros() as u8)?;
        set &= set - 1;
        Some(square)
    })
}
