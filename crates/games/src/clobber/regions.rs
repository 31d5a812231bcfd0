//! Regions: connected groups of stones, in one orientation of eight.

use std::hash::{Hash, Hasher};

use super::mixing::{Mixing, mixed};
use crate::bits::Bits;

/// A connected group of stones in which there is a move, in the orientation that stands for all that look alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region<B> {
    /// The stones of the player to move.
    pub mine: B,
    /// The stones of the opponent.
    pub theirs: B,
    /// Is it the same as its negative, seen from another side? Then two of them cancel.
    pub own_negative: bool,
}

impl<B: Bits> Region<B> {
    /// The same with the players exchanged.
    #[inline]
    #[must_use]
    pub fn negative(self) -> Self {
        if self.own_negative { self } else { Self { mine: self.theirs, theirs: self.mine, own_negative: false } }
    }

    /// The squares that are not empty.
    #[inline]
    pub fn stones(self) -> B {
        self.mine | self.theirs
    }

    /// 128 bits that depend on all of it.
    #[inline]
    pub fn key(self) -> [u64; 2] {
        let mut mixing = Mixing::default();
        (self.mine, self.theirs).hash(&mut mixing);
        let hash = mixing.finish();
        // One word of hash would be the same for the second half: the other half begins with the other colour.
        let mut mixing = Mixing::default();
        (self.theirs, self.mine).hash(&mut mixing);
        [hash, mixed(mixing.finish() ^ 0x1357_9bdf_0246_8ace)]
    }
}

/// The board that regions are kept on: as many columns as the short side of the real board, as many rows as the long side, so that a
/// region that stands upright always fits.
#[derive(Clone, Debug)]
pub struct Frame<B> {
    columns: u32,
    rows: u32,
    /// The squares that have one to their right.
    not_last: B,
    /// The squares of the lowest row.
    row: B,
    /// The squares of the first column.
    column: B,
    /// The squares on each falling or rising step from the main diagonal: those that turning over the diagonal moves alike.
    diagonals: Vec<B>,
}

/// Stones of two colours.
pub type Stones<B> = [B; 2];

impl<B: Bits> Frame<B> {
    /// The regions of boards with these sides.
    pub fn new(one: u32, other: u32) -> Self {
        let (columns, rows) = (one.min(other), one.max(other));
        let part = |wanted: &dyn Fn(u32, u32) -> bool| {
            let squares = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
            let wanted = squares.filter(|&(row, column)| wanted(row, column));
            wanted.fold(B::default(), |set, (row, column)| set | B::bit(row * columns + column))
        };
        Self {
            columns,
            rows,
            not_last: part(&|_, column| column + 1 < columns),
            row: part(&|row, _| row == 0),
            column: part(&|_, column| column == 0),
            diagonals: (0..2 * columns - 1)
                .map(|step| part(&|row, column| row < columns && column + columns - 1 - row == step))
                .collect(),
        }
    }

    /// The number of columns.
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// The number of rows.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    #[inline]
    fn up(&self) -> u32 {
        // At most 10 (of 100 squares, the short side has no more): the remainder tells the compiler that no shift crosses a word.
        self.columns % 16
    }

    /// The squares beside those of a set, also those that are in it.
    #[inline]
    pub fn neighbours(&self, set: B) -> B {
        let up = self.up();
        ((set & self.not_last) << 1) | ((set >> 1) & self.not_last) | (set << up) | (set >> up)
    }

    /// Calls `found` for every move of the player with the first stones: where the stones are then.
    #[inline]
    pub fn moves(&self, [mine, theirs]: Stones<B>, mut found: impl FnMut(Stones<B>)) {
        let up = self.up();
        let mut leave = |stones: B, target: &dyn Fn(B) -> B| {
            for square in stones.squares() {
                let from = B::bit(square);
                let to = target(from);
                found([(mine & !from) | to, theirs & !to]);
            }
        };
        leave(mine & self.not_last & (theirs >> 1), &|from| from << 1);
        leave(mine & ((theirs & self.not_last) << 1), &|from| from >> 1);
        leave(mine & (theirs >> up), &|from| from << up);
        leave(mine & (theirs << up), &|from| from >> up);
    }

    /// The number of moves; as many for either player, since each pair of neighbours of different colours is one for both.
    #[inline]
    pub fn count_moves(&self, [mine, theirs]: Stones<B>) -> u32 {
        let up = self.up();
        (mine & self.not_last & (theirs >> 1)).count()
            + (mine & ((theirs & self.not_last) << 1)).count()
            + (mine & (theirs >> up)).count()
            + (mine & (theirs << up)).count()
    }

    /// Calls `found` for every connected group in which there is a move.
    #[inline]
    pub fn split(&self, [mine, theirs]: Stones<B>, mut found: impl FnMut(Stones<B>)) {
        let mut rest = mine | theirs;
        while !rest.is_empty() {
            let mut group = B::bit(rest.lowest());
            loop {
                let grown = group | (self.neighbours(group) & rest);
                if grown == group {
                    break;
                }
                group = grown;
            }
            rest = rest & !group;
            let part = [mine & group, theirs & group];
            if !(self.neighbours(part[0]) & part[1]).is_empty() {
                found(part);
            }
        }
    }

    /// The group as a region: in the corner, upright, turned and mirrored so that all that look alike become the same. The shape alone
    /// decides where it can, so that exchanging the colours is all that a negative needs.
    pub fn region(&self, [mine, theirs]: Stones<B>) -> Region<B> {
        let (down, left) = self.corner(mine | theirs);
        let by = down * self.columns + left;
        let [mut mine, mut theirs] = [mine >> by, theirs >> by];
        let (mut width, mut height) = self.extent(mine | theirs);
        if width > height {
            [mine, theirs] = [mine, theirs].map(|set| self.turned_over(set));
            (width, height) = (height, width);
        }
        let all = mine | theirs;
        let upright = if width == height { 8 } else { 4 };
        let images: [B; 8] =
            std::array::from_fn(|symmetry| if symmetry < upright { self.image(all, symmetry, width, height) } else { all });
        let first = images[..upright].iter().copied().reduce(|best, image| if precedes(image, best) { image } else { best });
        let first = first.unwrap_or(all);
        let lowest = B::bit(first.lowest());
        let mut best: Option<(B, bool)> = None;
        let mut own_negative = false;
        for symmetry in (0..upright).filter(|&symmetry| images[symmetry] == first) {
            let seen = self.image(mine, symmetry, width, height);
            // The stones of the colour that has the lowest square.
            let swapped = (seen & lowest).is_empty();
            let key = if swapped { first & !seen } else { seen };
            match best {
                Some((kept, was_swapped)) if kept == key => own_negative |= was_swapped != swapped,
                Some((kept, _)) if precedes(kept, key) => {}
                _ => {
                    best = Some((key, swapped));
                    own_negative = false;
                }
            }
        }
        let (key, swapped) = best.unwrap_or((mine, false));
        let rest = first & !key;
        if swapped && !own_negative {
            Region { mine: rest, theirs: key, own_negative }
        } else {
            Region { mine: key, theirs: rest, own_negative }
        }
    }

    /// The lowest row and the first column of a set.
    #[inline]
    fn corner(&self, set: B) -> (u32, u32) {
        let down = set.lowest() / self.columns;
        let mut left = 0;
        while ((set >> left) & self.column).is_empty() {
            left += 1;
        }
        (down, left)
    }

    /// The number of columns and rows that a set in the corner covers.
    #[inline]
    pub fn extent(&self, set: B) -> (u32, u32) {
        let (mut width, mut height) = (1, 1);
        while width < self.columns && !((set >> width) & self.column).is_empty() {
            width += 1;
        }
        while height < self.rows && !(set >> (height * self.columns)).is_empty() {
            height += 1;
        }
        (width, height)
    }

    /// A set in the corner as a number that does not depend on the frame: row by row, with so many columns.
    pub fn packed(&self, set: B, columns: u32) -> u64 {
        set.squares().fold(0, |packed, square| packed | 1 << (square / self.columns * columns + square % self.columns))
    }

    /// The set that a number stands for; it must fit into the frame.
    pub fn unpacked(&self, packed: u64, columns: u32) -> B {
        let place = |bit: u32| bit / columns * self.columns + bit % columns;
        packed.squares().fold(B::default(), |set, bit| set | B::bit(place(bit)))
    }

    /// An estimate of a region for the player to move, for the order of moves. What counts, and
    /// how much, was fitted on solved positions of 3x8, 4x6 and 5x5 and then tuned by the number of nodes.
    #[inline]
    pub fn estimate(&self, region: Region<B>) -> i32 {
        let up = self.up();
        let Region { mine, theirs, .. } = region;
        let stones = region.stones();
        let (right, left) = (self.not_last & (stones >> 1), (stones & self.not_last) << 1);
        let (above, below) = (stones >> up, stones << up);
        // Stones with one neighbour.
        let ends = !((right & left) | (above & below) | ((right | left) & (above | below)));
        let idle = theirs & !self.neighbours(mine);
        22 * self.count_moves([mine, theirs]) as i32 + 42 * mine.count() as i32 - 30 * theirs.count() as i32
            + 28 * idle.count() as i32
            - 27 * (mine & ends).count() as i32
            + 41 * (theirs & ends).count() as i32
    }

    /// A set in the corner, mirrored left and right (bit 0), bottom and top (bit 1), turned over the diagonal (bit 2, last).
    #[inline]
    fn image(&self, set: B, symmetry: usize, width: u32, height: u32) -> B {
        let mut seen = set;
        if symmetry & 1 != 0 {
            seen = (0..width).fold(B::default(), |seen, column| seen | (((set >> column) & self.column) << (width - 1 - column)));
        }
        if symmetry & 2 != 0 {
            let rows = seen;
            let row = |row: u32| ((rows >> (row * self.columns)) & self.row) << ((height - 1 - row) * self.columns);
            seen = (0..height).fold(B::default(), |seen, number| seen | row(number));
        }
        if symmetry & 4 != 0 { self.turned_over(seen) } else { seen }
    }

    /// Rows become columns.
    #[inline]
    fn turned_over(&self, set: B) -> B {
        let middle = self.columns as usize - 1;
        let step = self.columns - 1;
        self.diagonals.iter().enumerate().fold(B::default(), |seen, (number, &diagonal)| {
            let part = set & diagonal;
            seen | match number.checked_sub(middle) {
                Some(above) => part << (above as u32 * step),
                None => part >> ((middle - number) as u32 * step),
            }
        })
    }
}

/// An order of sets that does not depend on how long the rows are: the set with the lowest square that the other has not comes first.
#[inline]
fn precedes<B: Bits>(a: B, b: B) -> bool {
    let different = (a & !b) | (b & !a);
    !different.is_empty() && a.has(different.lowest())
}

#[cfg(test)]
mod tests {
    use plyground_core::{Rng, Seed, Square};

    use super::*;
    use crate::board::Grid;

    /// A connected group somewhere on the board, of either colour.
    fn random_group(frame: &Frame<u128>, squares: u32, rng: &mut Rng) -> Stones<u128> {
        let board = (1 << squares) - 1;
        let mut group = u128::bit(rng.below(squares));
        for _ in 0..rng.below(14) {
            let around = frame.neighbours(group) & board & !group;
            group |= around.pick(rng.below(around.count()));
        }
        let mine = group & u128::from(rng.bits()) & board;
        [mine, group & !mine]
    }

    #[test]
    fn what_looks_alike_is_one_region() {
        let mut rng = Seed(5).rng();
        for (columns, rows) in [(5_u8, 6_u8), (6, 6), (2, 15), (10, 10), (1, 12)] {
            let grid = Grid::new(columns, rows);
            let frame = Frame::<u128>::new(columns.into(), rows.into());
            for _ in 0..2_000 {
                let stones = random_group(&frame, grid.bits(), &mut rng);
                let region = frame.region(stones);
                assert_eq!(frame.region([region.mine, region.theirs]), region);
                assert_eq!([region.mine, region.theirs].map(Bits::count), stones.map(Bits::count));
                assert_eq!(frame.count_moves([region.mine, region.theirs]), frame.count_moves(stones));
                for symmetry in 0..grid.symmetries() {
                    let image = stones.map(|set| grid.mirror_set(set, symmetry));
                    assert_eq!(frame.region(image), region, "{stones:?}");
                    let [mine, theirs] = image;
                    assert_eq!(frame.region([theirs, mine]), region.negative(), "{stones:?}");
                }
                assert_eq!(region.own_negative, region.negative() == region);
                assert_eq!(region.negative().negative(), region);
            }
        }
    }

    #[test]
    fn regions_differ_where_shapes_differ() {
        let frame = Frame::<u64>::new(4, 5);
        let region = |squares: &[(u8, u8)]| {
            let index = |&(file, rank): &(u8, u8)| Grid::new(4, 5).index(Square { file, rank });
            frame.region([squares.iter().fold(0, |set, square| set | u64::bit(index(square))), 0])
        };
        let shapes = [
            region(&[(0, 0), (1, 0), (2, 0), (3, 0)]),
            region(&[(0, 0), (1, 0), (2, 0), (2, 1)]),
            region(&[(0, 0), (1, 0), (1, 1), (2, 1)]),
            region(&[(0, 0), (1, 0), (2, 0), (1, 1)]),
            region(&[(1, 1), (2, 1), (1, 2), (2, 2)]),
        ];
        for (index, shape) in shapes.iter().enumerate() {
            assert!(!shapes[..index].contains(shape));
            assert!(shapes[..index].iter().all(|other| other.key() != shape.key()));
        }
        assert_eq!(region(&[(3, 1), (3, 2), (3, 3), (2, 3)]), shapes[1]);
    }

    #[test]
    fn groups_without_a_move_are_dropped() {
        let frame = Frame::<u64>::new(3, 3);
        let mut parts = Vec::new();
        // x . o / x . . / x o x: the column and its end live, the stone in the corner does not.
        frame.split([0b001_001_101, 0b100_000_010], |part| parts.push(part));
        assert_eq!(parts, [[0b001_001_101, 0b010]]);
    }
}
