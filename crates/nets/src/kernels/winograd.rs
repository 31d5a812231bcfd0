//! 3x3 convolutions by the minimal filtering of Winograd, F(4x4, 3x3), as Lavin and Gray (2016) apply it to networks.
//!
//! A tile of 4x4 outputs needs 6x6 inputs. Tiles and weights are transformed to 36 numbers each, after which a convolution is 36
//! products of matrices (tiles x inputs times inputs x outputs): a quarter of the multiplications. The way back of the gradient is
//! the same with every transformation transposed, so that it is the exact gradient of what is computed here.
//!
//! Loops over a tile run over all of it, and skip what is beyond the edge: only then the compiler unrolls them and keeps tiles in
//! registers.
//!
//! Activations lie square by square, the blocks of channels of a square side by side. Transformed tiles lie by their 36 numbers,
//! then tile by tile.

use super::{Block, Simd, Vector};

/// Numbers of a transformed tile.
pub const POINTS: usize = 36;
const SIDE: usize = 6;
const STEP: usize = 4;

/// A board and how many of them.
#[derive(Clone, Copy, Debug)]
pub struct Boards {
    pub count: usize,
    pub ranks: usize,
    pub files: usize,
    /// Blocks of channels.
    pub blocks: usize,
}

impl Boards {
    /// Tiles on one board.
    pub fn tiles_each(ranks: usize, files: usize) -> usize {
        ranks.div_ceil(STEP) * files.div_ceil(STEP)
    }

    /// Tiles on all boards.
    pub fn tiles(self) -> usize {
        self.count * Self::tiles_each(self.ranks, self.files)
    }

    fn board(self) -> usize {
        self.ranks * self.files * self.blocks
    }

    /// Shows every tile: its number, the board it is on, and its first rank and file.
    #[inline(always)]
    fn each_tile(self, mut see: impl FnMut(usize, usize, usize, usize)) {
        let mut tile = 0;
        for board in 0..self.count {
            for rank in (0..self.ranks).step_by(STEP) {
                for file in (0..self.files).step_by(STEP) {
                    see(tile, board, rank, file);
                    tile += 1;
                }
            }
        }
    }
}

/// The part of a row or column of a tile that is on the board, as positions in the tile; the tile begins one square before `first`.
#[inline(always)]
fn inside(first: usize, length: usize) -> (usize, usize) {
    (usize::from(first == 0), SIDE.min(length + 1 - first))
}

/// Activations to transformed tiles.
#[inline(always)]
pub fn tiles_in<S: Simd>(boards: Boards, from: &[Block], tiles: &mut [Block]) {
    let (blocks, point) = (boards.blocks, boards.tiles() * boards.blocks);
    let tiles = &mut tiles[..POINTS * point];
    boards.each_tile(|tile, board, rank, file| {
        let board = &from[board * boards.board()..][..boards.board()];
        for block in 0..blocks {
            for part in 0..S::Vector::PARTS {
                let place = Place { boards, rank, file, block, part };
                let half = [
                    place.row_in::<S>(board, 0),
                    place.row_in::<S>(board, 1),
                    place.row_in::<S>(board, 2),
                    place.row_in::<S>(board, 3),
                    place.row_in::<S>(board, 4),
                    place.row_in::<S>(board, 5),
                ];
                for x in 0..SIDE {
                    let column = input_transform::<S>([half[0][x], half[1][x], half[2][x], half[3][x], half[4][x], half[5][x]]);
                    for y in 0..SIDE {
                        column[y].store(&mut tiles[(y * SIDE + x) * point + tile * blocks + block], part);
                    }
                }
            }
        }
    });
}

/// A tile, and a part of its channels.
#[derive(Clone, Copy)]
struct Place {
    boards: Boards,
    rank: usize,
    file: usize,
    block: usize,
    part: usize,
}

impl Place {
    /// A row of the tile, transformed.
    #[inline(always)]
    fn row_in<S: Simd>(self, board: &[Block], y: usize) -> [S::Vector; SIDE] {
        let Self { boards, rank, file, block, part } = self;
        let (top, bottom) = inside(rank, boards.ranks);
        let (left, right) = inside(file, boards.files);
        let mut numbers = [S::Vector::zero(); SIDE];
        if y < top || y >= bottom {
            return numbers;
        }
        let row = &board[(rank + y - 1) * boards.files * boards.blocks..][..boards.files * boards.blocks];
        for x in 0..SIDE {
            if x >= left && x < right {
                numbers[x] = S::Vector::load(&row[(file + x - 1) * boards.blocks + block], part);
            }
        }
        input_transform::<S>(numbers)
    }
}

/// What happens to sums before they are activations.
#[derive(Clone, Copy, Debug)]
pub struct Finish<'a> {
    /// A block for each block of outputs.
    pub bias: &'a [Block],
    /// The other branch of a residual sum.
    pub add: Option<&'a [Block]>,
    pub relu: bool,
}

/// Transformed tiles of sums to activations.
#[inline(always)]
pub fn tiles_out<S: Simd>(boards: Boards, tiles: &[Block], finish: Finish<'_>, to: &mut [Block]) {
    let (blocks, point) = (boards.blocks, boards.tiles() * boards.blocks);
    let tiles = &tiles[..POINTS * point];
    boards.each_tile(|tile, board, rank, file| {
        let to = &mut to[board * boards.board()..][..boards.board()];
        let add = finish.add.map(|add| &add[board * boards.board()..][..boards.board()]);
        let (height, width) = (STEP.min(boards.ranks - rank), STEP.min(boards.files - file));
        for block in 0..blocks {
            for part in 0..S::Vector::PARTS {
                let mut half = [[S::Vector::zero(); SIDE]; STEP];
                for x in 0..SIDE {
                    let mut numbers = [S::Vector::zero(); SIDE];
                    for y in 0..SIDE {
                        numbers[y] = S::Vector::load(&tiles[(y * SIDE + x) * point + tile * blocks + block], part);
                    }
                    let column = output_transform::<S>(numbers);
                    for y in 0..STEP {
                        half[y][x] = column[y];
                    }
                }
                let bias = S::Vector::load(&finish.bias[block], part);
                for y in 0..STEP {
                    if y >= height {
                        continue;
                    }
                    let row = output_transform::<S>(half[y]);
                    for x in 0..STEP {
                        if x >= width {
                            continue;
                        }
                        let square = ((rank + y) * boards.files + file + x) * blocks + block;
                        let mut number = row[x].add(bias);
                        if let Some(add) = add {
                            number = number.add(S::Vector::load(&add[square], part));
                        }
                        if finish.relu {
                            number = number.max(S::Vector::zero());
                        }
                        number.store(&mut to[square], part);
                    }
                }
            }
        }
    });
}

/// The gradient on its way back through [`tiles_out`]: from activations to transformed tiles.
#[inline(always)]
pub fn tiles_out_back<S: Simd>(boards: Boards, from: &[Block], tiles: &mut [Block]) {
    let (blocks, point) = (boards.blocks, boards.tiles() * boards.blocks);
    let tiles = &mut tiles[..POINTS * point];
    boards.each_tile(|tile, board, rank, file| {
        let board = &from[board * boards.board()..][..boards.board()];
        let (height, width) = (STEP.min(boards.ranks - rank), STEP.min(boards.files - file));
        for block in 0..blocks {
            for part in 0..S::Vector::PARTS {
                let mut half = [[S::Vector::zero(); SIDE]; STEP];
                for y in 0..STEP {
                    if y >= height {
                        continue;
                    }
                    let mut numbers = [S::Vector::zero(); STEP];
                    for x in 0..STEP {
                        if x < width {
                            let square = ((rank + y) * boards.files + file + x) * blocks + block;
                            numbers[x] = S::Vector::load(&board[square], part);
                        }
                    }
                    half[y] = output_transform_back::<S>(numbers);
                }
                for x in 0..SIDE {
                    let column = output_transform_back::<S>([half[0][x], half[1][x], half[2][x], half[3][x]]);
                    for y in 0..SIDE {
                        column[y].store(&mut tiles[(y * SIDE + x) * point + tile * blocks + block], part);
                    }
                }
            }
        }
    });
}

/// The gradient on its way back through [`tiles_in`]: from transformed tiles, added to activations.
#[inline(always)]
pub fn tiles_in_back<S: Simd>(boards: Boards, tiles: &[Block], to: &mut [Block]) {
    let (blocks, point) = (boards.blocks, boards.tiles() * boards.blocks);
    let tiles = &tiles[..POINTS * point];
    boards.each_tile(|tile, board, rank, file| {
        let board = &mut to[board * boards.board()..][..boards.board()];
        let (top, bottom) = inside(rank, boards.ranks);
        let (left, right) = inside(file, boards.files);
        for block in 0..blocks {
            for part in 0..S::Vector::PARTS {
                let mut half = [[S::Vector::zero(); SIDE]; SIDE];
                for x in 0..SIDE {
                    let mut numbers = [S::Vector::zero(); SIDE];
                    for y in 0..SIDE {
                        numbers[y] = S::Vector::load(&tiles[(y * SIDE + x) * point + tile * blocks + block], part);
                    }
                    let column = input_transform_back::<S>(numbers);
                    for y in 0..SIDE {
                        half[y][x] = column[y];
                    }
                }
                for y in 0..SIDE {
                    if y < top || y >= bottom {
                        continue;
                    }
                    let numbers = input_transform_back::<S>(half[y]);
                    let row = &mut board[(rank + y - 1) * boards.files * blocks..][..boards.files * blocks];
                    for x in 0..SIDE {
                        if x >= left && x < right {
                            let square = &mut row[(file + x - 1) * blocks + block];
                            S::Vector::load(square, part).add(numbers[x]).store(square, part);
                        }
                    }
                }
            }
        }
    });
}

/// Weights (nine taps, one after the other) to transformed weights.
#[inline(always)]
pub fn weights_in<S: Simd>(weights: &[Block], transformed: &mut [Block]) {
    let each = weights.len() / 9;
    for at in 0..each {
        for part in 0..S::Vector::PARTS {
            let mut half = [[S::Vector::zero(); 3]; SIDE];
            for x in 0..3 {
                let tap = |y: usize| S::Vector::load(&weights[(y * 3 + x) * each + at], part);
                let column = weight_transform::<S>([tap(0), tap(1), tap(2)]);
                for y in 0..SIDE {
                    half[y][x] = column[y];
                }
            }
            for y in 0..SIDE {
                let row = weight_transform::<S>(half[y]);
                for x in 0..SIDE {
                    row[x].store(&mut transformed[(y * SIDE + x) * each + at], part);
                }
            }
        }
    }
}

/// The gradient on its way back through [`weights_in`], added to `weights`.
#[inline(always)]
pub fn weights_in_back<S: Simd>(transformed: &[Block], weights: &mut [Block]) {
    let each = weights.len() / 9;
    for at in 0..each {
        for part in 0..S::Vector::PARTS {
            let mut half = [[S::Vector::zero(); SIDE]; 3];
            for x in 0..SIDE {
                let mut numbers = [S::Vector::zero(); SIDE];
                for y in 0..SIDE {
                    numbers[y] = S::Vector::load(&transformed[(y * SIDE + x) * each + at], part);
                }
                let column = weight_transform_back::<S>(numbers);
                for y in 0..3 {
                    half[y][x] = column[y];
                }
            }
            for y in 0..3 {
                let row = weight_transform_back::<S>(half[y]);
                for x in 0..3 {
                    let weight = &mut weights[(y * 3 + x) * each + at];
                    S::Vector::load(weight, part).add(row[x]).store(weight, part);
                }
            }
        }
    }
}

/// B^T d
#[inline(always)]
fn input_transform<S: Simd>([a, b, c, d, e, f]: [S::Vector; 6]) -> [S::Vector; 6] {
    let even = c.fma(-4.0, e);
    let odd = b.fma(-4.0, d);
    let even2 = e.sub(c);
    let odd2 = d.sub(b);
    [
        a.fma(4.0, c.fma(-5.0, e)),
        even.add(odd),
        even.sub(odd),
        odd2.fma(2.0, even2),
        odd2.fma(-2.0, even2),
        b.fma(4.0, d.fma(-5.0, f)),
    ]
}

/// B v, the transpose of [`input_transform`].
#[inline(always)]
fn input_transform_back<S: Simd>([a, b, c, d, e, f]: [S::Vector; 6]) -> [S::Vector; 6] {
    let (sum, difference) = (b.add(c), c.sub(b));
    let (sum2, difference2) = (d.add(e), e.sub(d));
    [
        a.mul(4.0),
        difference.fma(4.0, difference2.fma(2.0, f.mul(4.0))),
        a.fma(-5.0, sum.fma(-4.0, S::Vector::zero().sub(sum2))),
        f.fma(-5.0, difference2.fma(-2.0, S::Vector::zero().sub(difference))),
        a.add(sum.add(sum2)),
        f,
    ]
}

/// A^T m
#[inline(always)]
fn output_transform<S: Simd>([a, b, c, d, e, f]: [S::Vector; 6]) -> [S::Vector; 4] {
    let (sum, difference) = (b.add(c), b.sub(c));
    let (sum2, difference2) = (d.add(e), d.sub(e));
    [a.add(sum.add(sum2)), difference2.fma(2.0, difference), sum2.fma(4.0, sum), difference2.fma(8.0, difference).add(f)]
}

/// A y, the transpose of [`output_transform`].
#[inline(always)]
fn output_transform_back<S: Simd>([a, b, c, d]: [S::Vector; 4]) -> [S::Vector; 6] {
    let (even, odd) = (a.add(c), b.add(d));
    let even2 = c.fma(4.0, a);
    let odd2 = d.fma(4.0, b);
    [a, even.add(odd), even.sub(odd), odd2.fma(2.0, even2), odd2.fma(-2.0, even2), d]
}

/// G g
#[inline(always)]
fn weight_transform<S: Simd>([a, b, c]: [S::Vector; 3]) -> [S::Vector; 6] {
    let outer = a.add(c);
    let outer2 = a.mul(1.0 / 24.0).add(c.mul(1.0 / 6.0));
    [
        a.mul(0.25),
        outer.add(b).mul(-1.0 / 6.0),
        outer.sub(b).mul(-1.0 / 6.0),
        b.fma(1.0 / 12.0, outer2),
        b.fma(-1.0 / 12.0, outer2),
        c,
    ]
}

/// G^T u, the transpose of [`weight_transform`].
#[inline(always)]
fn weight_transform_back<S: Simd>([a, b, c, d, e, f]: [S::Vector; 6]) -> [S::Vector; 3] {
    let (sum, difference) = (b.add(c), c.sub(b));
    let (sum2, difference2) = (d.add(e), d.sub(e));
    [
        a.fma(0.25, sum.fma(-1.0 / 6.0, sum2.mul(1.0 / 24.0))),
        difference.fma(1.0 / 6.0, difference2.mul(1.0 / 12.0)),
        sum2.sub(sum).fma(1.0 / 6.0, f),
    ]
}
