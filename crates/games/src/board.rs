//! Boards: squares and their numbers, symmetries, and the text of a board.

use std::fmt::Write as _;

use plyground_core::{InputError, Params, Square, quoted};

use crate::bits::Bits;

/// A rectangular board and the numbering of its squares, rank by rank from `a1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    /// Number of files (columns).
    pub files: u8,
    /// Number of ranks (rows).
    pub ranks: u8,
    /// The difference between the numbers of a square and the one above it: `files`, or more where there is padding.
    pub stride: u8,
}

impl Grid {
    /// A board without padding.
    pub const fn new(files: u8, ranks: u8) -> Self {
        Self { files, ranks, stride: files }
    }

    /// A board with one unused column at the right, so that shifted sets cannot wrap around the edge.
    pub const fn padded(files: u8, ranks: u8) -> Self {
        Self { files, ranks, stride: files + 1 }
    }

    /// The number of bits of the board.
    pub const fn bits(self) -> u32 {
        self.stride as u32 * self.ranks as u32
    }

    /// The number of squares.
    pub const fn count(self) -> u32 {
        self.files as u32 * self.ranks as u32
    }

    /// The number of a square.
    #[inline]
    pub const fn index(self, square: Square) -> u32 {
        square.rank as u32 * self.stride as u32 + square.file as u32
    }

    /// The square with a number.
    #[inline]
    pub const fn square(self, index: u32) -> Square {
        Square { file: (index % self.stride as u32) as u8, rank: (index / self.stride as u32) as u8 }
    }

    /// Is the square on the board?
    pub const fn contains(self, square: Square) -> bool {
        square.file < self.files && square.rank < self.ranks
    }

    /// All squares, rank by rank from `a1`.
    pub fn squares(self) -> impl Iterator<Item = Square> {
        (0..self.ranks).flat_map(move |rank| (0..self.files).map(move |file| Square { file, rank }))
    }

    /// The set of all squares.
    pub fn all<B: Bits>(self) -> B {
        self.part(|_| true)
    }

    /// The set of those squares that are wanted.
    pub fn part<B: Bits>(self, wanted: impl Fn(Square) -> bool) -> B {
        let squares = self.squares().filter(|&square| wanted(square));
        squares.fold(B::default(), |set, square| set | B::bit(self.index(square)))
    }

    /// Reads a square and makes sure that it is on this board.
    pub fn parse_square(self, text: &str) -> Result<Square, InputError> {
        let square: Square = text.parse()?;
        if self.contains(square) {
            return Ok(square);
        }
        let corner = Square { file: self.files - 1, rank: self.ranks - 1 };
        Err(InputError::malformed("square", text, format!("the board has the squares a1 to {corner}")))
    }

    /// Reads a move from one square to another, like `a1a2`.
    pub fn parse_step(self, text: &str) -> Result<(Square, Square), InputError> {
        let malformed = |detail: String| InputError::malformed("move", text, detail);
        let form = || malformed("expected two squares, like a1a2".to_owned());
        let letters = text.char_indices().filter(|(_, c)| c.is_ascii_lowercase());
        let middle = letters.map(|(at, _)| at).nth(1).ok_or_else(form)?;
        let square = |part: &str| match self.parse_square(part) {
            Ok(square) => Ok(square),
            Err(InputError::Malformed { found, detail, .. }) => Err(malformed(format!("square {}: {detail}", quoted(&found)))),
            Err(other) => Err(other),
        };
        Ok((square(&text[..middle])?, square(&text[middle..])?))
    }

    /// The number of symmetries of the empty board: 8 for a square, 4 for a rectangle.
    pub const fn symmetries(self) -> u8 {
        if self.files == self.ranks { 8 } else { 4 }
    }

    /// A square seen through a symmetry: bit 0 mirrors left and right, bit 1 top and bottom, bit 2 swaps files and ranks (last).
    pub const fn mirror(self, square: Square, symmetry: u8) -> Square {
        let Square { mut file, mut rank } = square;
        if symmetry & 1 != 0 {
            file = self.files - 1 - file;
        }
        if symmetry & 2 != 0 {
            rank = self.ranks - 1 - rank;
        }
        if symmetry & 4 != 0 { Square { file: rank, rank: file } } else { Square { file, rank } }
    }

    /// The number of a square seen through a symmetry.
    pub const fn mirror_index(self, index: u32, symmetry: u8) -> u32 {
        self.index(self.mirror(self.square(index), symmetry))
    }

    /// A set of squares seen through a symmetry.
    pub fn mirror_set<B: Bits>(self, set: B, symmetry: u8) -> B {
        set.squares().fold(B::default(), |seen, index| seen | B::bit(self.mirror_index(index, symmetry)))
    }

    /// All lines of `k` squares: in rows, columns and diagonals.
    pub fn lines<B: Bits>(self, k: u32) -> Vec<B> {
        let directions = [(1, 0), (0, 1), (1, 1), (-1, 1)];
        let starts = self.squares().flat_map(|square| directions.map(|direction| (square, direction)));
        let line = |(start, (right, up)): (Square, (i32, i32))| {
            (0..k as i32).try_fold(B::default(), |line, step| {
                let file = u8::try_from(i32::from(start.file) + right * step).ok()?;
                let rank = u8::try_from(i32::from(start.rank) + up * step).ok()?;
                let square = Square { file, rank };
                self.contains(square).then(|| line | B::bit(self.index(square)))
            })
        };
        starts.filter_map(line).collect()
    }

    /// The board in FEN style: rows from the top, `/` between rows, a number for a run of empty squares.
    pub fn text(self, letter: impl Fn(Square) -> Option<char>) -> String {
        let mut text = String::new();
        for rank in (0..self.ranks).rev() {
            let mut empty = 0;
            for file in 0..self.files {
                match letter(Square { file, rank }) {
                    None => empty += 1,
                    Some(letter) => {
                        if empty > 0 {
                            write!(text, "{empty}").expect("writing to a string");
                            empty = 0;
                        }
                        text.push(letter);
                    }
                }
            }
            if empty > 0 {
                write!(text, "{empty}").expect("writing to a string");
            }
            if rank > 0 {
                text.push('/');
            }
        }
        text
    }

    /// `COLUMNSxROWS`.
    pub fn size(self) -> String {
        format!("{}x{}", self.files, self.ranks)
    }
}

/// Looks for a line of k squares in a set: in a row, a column or a diagonal.
#[derive(Clone, Copy, Debug)]
pub struct LineTest {
    k: u32,
    /// How the number of the square changes along the lines in each direction. A direction in which k squares do not fit is
    /// replaced by one in which they do, so that there are always four; `None` if there is not one.
    steps: Option<[u32; 4]>,
}

impl LineTest {
    /// The test for a board, which must be a padded one: sets are shifted onto themselves, and the padding keeps lines from
    /// running around the edge.
    pub fn new(grid: Grid, k: u32) -> Self {
        let (files, ranks, up) = (u32::from(grid.files), u32::from(grid.ranks), u32::from(grid.stride));
        let steps = match (k <= files, k <= ranks) {
            (true, true) => Some([1, up - 1, up, up + 1]),
            (true, false) => Some([1; 4]),
            (false, true) => Some([up; 4]),
            (false, false) => None,
        };
        Self { k, steps }
    }

    /// Is there a line in the set?
    #[inline]
    pub fn is_in<B: Bits>(self, set: B) -> bool {
        !self.beginnings(set).into_iter().fold(B::default(), |all, line| all | line).is_empty()
    }

    /// The squares of the set that are part of a line.
    pub fn squares_in<B: Bits>(self, set: B) -> B {
        let along = |begin: B, step: u32| (0..self.k).fold(B::default(), |line, number| line | (begin << (number * step)));
        let lines = self.beginnings(set).into_iter().zip(self.steps.unwrap_or_default());
        lines.fold(B::default(), |all, (begin, step)| all | along(begin, step))
    }

    /// The squares where lines begin, for each direction.
    #[inline]
    fn beginnings<B: Bits>(self, set: B) -> [B; 4] {
        let Some(steps) = self.steps else { return [B::default(); 4] };
        // They mark the squares where runs of `length` begin.
        let mut lines = [set; 4];
        let mut length = 1;
        while length < self.k {
            let more = length.min(self.k - length);
            for (line, step) in lines.iter_mut().zip(steps) {
                *line = *line & (*line >> (more * step));
            }
            length += more;
        }
        lines
    }
}

/// A position taken apart: the board, and the fields behind it.
#[derive(Clone, Debug)]
pub struct PositionText<'a> {
    text: &'a str,
    /// The size of the board (without padding).
    pub grid: Grid,
    /// The contents of the squares, rank by rank from `a1`.
    pub pieces: Vec<(Square, char)>,
    /// The fields behind the board.
    pub fields: Vec<&'a str>,
}

impl<'a> PositionText<'a> {
    /// Takes a position apart. `letters` are the pieces of the game, `fields` names the fields behind the board for messages, of
    /// which the last `optional` ones may be missing.
    pub fn parse(text: &'a str, letters: &str, fields: &[&str], optional: usize) -> Result<Self, InputError> {
        let bad = |detail: String| InputError::malformed("position", text, detail);
        let mut parts = text.split(' ');
        let board = parts.next().unwrap_or_default();
        let given: Vec<&str> = parts.collect();
        let rows: Vec<&str> = board.split('/').collect();
        if rows.len() > 99 {
            return Err(bad(format!("the board has {} rows; no game here has more than 99", rows.len())));
        }
        let mut pieces = Vec::new();
        let mut files = None;
        for (row, content) in rows.iter().enumerate() {
            let rank = (rows.len() - 1 - row) as u8;
            let width = parse_row(content, letters, |file, letter| {
                pieces.push((Square { file, rank }, letter));
            })
            .map_err(|detail| bad(format!("row {} from the top {detail}", row + 1)))?;
            match files {
                None => files = Some(width),
                Some(files) if files == width => {}
                Some(files) => {
                    return Err(bad(format!("row {} from the top is {width} wide, the rows above are {files} wide", row + 1)));
                }
            }
        }
        pieces.sort_unstable_by_key(|&(square, _)| (square.rank, square.file));
        let needed = fields.len() - optional;
        if given.len() < needed || given.len() > fields.len() {
            let (wanted, extra) = (fields[..needed].join(", "), fields[needed..].join(", "));
            let extra = if extra.is_empty() { extra } else { format!(" and perhaps {extra}") };
            let detail = format!("expected after the board, each behind a single space: {wanted}{extra}; found {given:?}");
            return Err(bad(detail));
        }
        Ok(Self { text, grid: Grid::new(files.unwrap_or(0), rows.len() as u8), pieces, fields: given })
    }

    /// An error about this position.
    pub fn error(&self, detail: impl Into<String>) -> InputError {
        InputError::malformed("position", self.text, detail)
    }

    /// The set of the squares with a letter, numbered as in `grid`.
    pub fn set<B: Bits>(&self, grid: Grid, letter: char) -> B {
        let squares = self.pieces.iter().filter(|piece| piece.1 == letter);
        squares.fold(B::default(), |set, &(square, _)| set | B::bit(grid.index(square)))
    }

    /// The number of the word in a field among the words that are allowed there.
    pub fn word(&self, field: usize, name: &str, words: &[&str]) -> Result<usize, InputError> {
        let found = self.fields[field];
        let expected = words.join(" or ");
        let position = words.iter().position(|&word| word == found);
        position.ok_or_else(|| self.error(format!("{name}: expected {expected}, found {}", quoted(found))))
    }

    /// The whole number in a field.
    pub fn number(&self, field: usize, name: &str, range: std::ops::RangeInclusive<u32>) -> Result<u32, InputError> {
        let found = self.fields[field];
        // One way to write a number: no sign, no leading zeros.
        match found.parse::<u32>() {
            Ok(number) if range.contains(&number) && number.to_string() == found => Ok(number),
            _ => {
                let (from, to) = range.into_inner();
                Err(self.error(format!("{name}: expected a number from {from} to {to}, found {}", quoted(found))))
            }
        }
    }
}

/// Reads a row, tells `found` what stands where, and gives its width.
fn parse_row(row: &str, letters: &str, mut found: impl FnMut(u8, char)) -> Result<u8, String> {
    // 26 files have a letter.
    const WIDEST: u32 = 26;
    let mut file = 0_u32;
    let mut run = 0_u32;
    for letter in row.chars() {
        if let Some(digit) = letter.to_digit(10) {
            if run == 0 && digit == 0 {
                return Err("has a run of empty squares that begins with 0".to_owned());
            }
            run = run * 10 + digit;
        } else {
            file += std::mem::take(&mut run);
            if !letters.contains(letter) {
                let known: Vec<String> = letters.chars().map(String::from).collect();
                let known = known.join(" ");
                return Err(format!("has the unknown piece '{}'; expected {known} or a number", letter.escape_debug()));
            }
            if file < WIDEST {
                found(file as u8, letter);
            }
            file += 1;
        }
        if file + run > WIDEST {
            return Err(format!("is wider than {WIDEST} squares"));
        }
    }
    match file + run {
        0 => Err("is empty".to_owned()),
        width => Ok(width as u8),
    }
}

/// The size of the board: from the parameters, from the position, from both if they agree, or else the default.
pub fn agreed_size(params: &Params, position: Option<&PositionText<'_>>, default: (u8, u8)) -> Result<Grid, InputError> {
    match (params.size()?, position) {
        (Some((files, ranks)), Some(position)) if (files, ranks) != (position.grid.files, position.grid.ranks) => {
            Err(position.error(format!("its board is {}, but size={files}x{ranks} was asked for", position.grid.size())))
        }
        (Some((files, ranks)), _) => Ok(Grid::new(files, ranks)),
        (None, Some(position)) => Ok(position.grid),
        (None, None) => Ok(Grid::new(default.0, default.1)),
    }
}
