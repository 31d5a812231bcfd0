//! An exact search for four in a row: alpha-beta with three values on bit sets, with an exact table.
//!
//! After Pascal Pons (Solving Connect 4: how to build a perfect AI, 2015-2019): moves that lose at once are never made, and those that
//! make the most open threes are tried first. After Allis (A Knowledge-based Approach of Connect-Four, 1988): where every file has an
//! even number of free squares, the player who is not to move can answer in the same file each time ("follow-up"), which decides many
//! positions without a search. New here is that no position is taken for another: the table knows its whole key.

use super::table::Table;

/// The values for the player to move, in their order.
pub const LOSS: u8 = 0;
pub const DRAW: u8 = 1;
pub const WIN: u8 = 2;

/// The stop check ended the search.
#[derive(Debug)]
pub struct Stopped;

/// Up to so many discs, a position and its mirror image share a key; later they hardly meet.
const MIRRORED: u32 = 18;
/// Positions between two stop checks: less than a millisecond.
const BEAT: u64 = 4_096;

/// A position as the player to move sees it: square `file * (ranks + 1) + rank` is that bit, so that nothing runs around the edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discs {
    /// Of the player to move.
    pub mine: u64,
    /// Of both.
    pub all: u64,
}

/// The board, and what has been found out about its positions.
pub struct Search {
    files: u32,
    /// From a square to the one beside it.
    stride: u32,
    board: u64,
    bottom: u64,
    /// The squares with an even number of squares from them up to the top of their file, themselves included: those that the player to
    /// move gets if the other one always follows up.
    odd: u64,
    table: Table,
    pub nodes: u64,
}

impl Search {
    /// For a board of at most 64 squares with one more rank on top. Its table takes at most so many bytes.
    pub fn new(files: u32, ranks: u32, memory: usize) -> Self {
        let stride = ranks + 1;
        let bottom = (0..files).fold(0, |set, file| set | 1_u64 << (file * stride));
        let board = bottom * ((1 << ranks) - 1);
        let odd = (0..ranks).filter(|rank| (ranks - rank).is_multiple_of(2)).fold(0, |set, rank| set | bottom << rank);
        Self { files, stride, board, bottom, odd, table: Table::new(files * stride, memory), nodes: 0 }
    }

    /// The value of a position that is not over, for the player to move.
    pub fn value(&mut self, discs: Discs, stop: &mut dyn FnMut(u64) -> bool) -> Result<u8, Stopped> {
        if self.wins_at_once(discs) {
            return Ok(WIN);
        }
        match self.search(discs, WIN, stop)? {
            WIN => Ok(WIN),
            _ => self.search(discs, DRAW, stop),
        }
    }

    /// What is known of the value without a search: the least and the most.
    pub fn recall(&self, discs: Discs) -> [u8; 2] {
        if self.wins_at_once(discs) { [WIN; 2] } else { self.table.find(self.key(discs)) }
    }

    /// The squares on which a disc can land.
    #[inline]
    fn landings(&self, discs: Discs) -> u64 {
        (discs.all + self.bottom) & self.board
    }

    #[inline]
    fn wins_at_once(&self, discs: Discs) -> bool {
        self.completing(discs.mine) & self.landings(discs) != 0
    }

    /// The squares that complete a line of four with these discs (also those that are taken).
    #[inline]
    fn completing(&self, discs: u64) -> u64 {
        let mut squares = (discs << 1) & (discs << 2) & (discs << 3);
        for step in [self.stride - 1, self.stride, self.stride + 1] {
            let (below, above) = ((discs << step) & (discs << (2 * step)), (discs >> step) & (discs >> (2 * step)));
            squares |= below & ((discs << (3 * step)) | (discs >> step));
            squares |= above & ((discs >> (3 * step)) | (discs << step));
        }
        squares & self.board
    }

    /// Is there a line of four in a set?
    #[inline]
    fn has_line(&self, set: u64) -> bool {
        [1, self.stride - 1, self.stride, self.stride + 1].into_iter().any(|step| {
            let pairs = set & (set >> step);
            pairs & (pairs >> (2 * step)) != 0
        })
    }

    /// One number for each position, and for its mirror image near the start.
    #[inline]
    fn key(&self, discs: Discs) -> u64 {
        // In each file, a bit above the highest disc, and below it the discs of the player to move.
        let key = discs.mine + discs.all + self.bottom;
        if discs.all.count_ones() > MIRRORED { key } else { key.min(self.mirrored(key)) }
    }

    fn mirrored(&self, key: u64) -> u64 {
        let file = u64::MAX >> (64 - self.stride);
        (0..self.files).fold(0, |seen, number| seen << self.stride | key >> (number * self.stride) & file)
    }

    /// What follows if the opponent answers each move in the same file: the most that the player to move can have. Where some file
    /// has an odd number of free squares, that may be impossible.
    #[inline]
    fn by_follow_up(&self, Discs { mine, all }: Discs, landings: u64) -> u8 {
        let free = self.board & !all;
        if landings & !self.odd != 0 || self.has_line(mine | free & self.odd) {
            return WIN;
        }
        if self.has_line((all ^ mine) | free & !self.odd) { LOSS } else { DRAW }
    }

    /// Is a position worth at least `goal` to the player to move, who cannot win at once? The answer is a lower bound if it is, else
    /// an upper bound.
    fn search(&mut self, discs: Discs, goal: u8, stop: &mut dyn FnMut(u64) -> bool) -> Result<u8, Stopped> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(BEAT) && stop(self.nodes) {
            return Err(Stopped);
        }
        let Discs { mine, all } = discs;
        let theirs = all ^ mine;
        let landings = self.landings(discs);
        let danger = self.completing(theirs) & !all;
        let forced = landings & danger;
        // Below a square on which the opponent would win nothing may be put.
        let mut moves = landings & !(danger >> 1);
        if forced != 0 {
            moves &= if forced.is_power_of_two() { forced } else { 0 };
        }
        if moves == 0 {
            return Ok(LOSS);
        }
        // A player cannot win whose lines have all been spoilt by the other.
        let spoilt = !self.has_line(self.board & !if goal == WIN { theirs } else { mine });
        if spoilt || (self.board & !all).count_ones() <= 2 {
            return Ok(DRAW);
        }
        let most = self.by_follow_up(discs, landings);
        if most < goal {
            return Ok(most);
        }
        let key = self.key(discs);
        let [least, most] = self.table.find(key);
        if least >= goal {
            return Ok(least);
        }
        if most < goal {
            return Ok(most);
        }
        let before = self.nodes;
        let mut children = [(0, 0); 8];
        let count = self.order(discs, moves, &mut children);
        let after = |mv: u64| Discs { mine: theirs, all: all | mv };
        // All children are looked up before one is searched (Schaeffer and Plaat, 1996): a quarter fewer positions.
        let worth = |mv: u64| 2 - self.table.find(self.key(after(mv)))[1];
        if let Some(known) = children[..count].iter().map(|&(_, mv)| worth(mv)).find(|&least| least >= goal) {
            return Ok(known);
        }
        let mut best = LOSS;
        for &(_, mv) in &children[..count] {
            let child = after(mv);
            let value = 2 - self.search(child, 3 - goal, stop)?;
            best = best.max(value);
            if best >= goal {
                break;
            }
        }
        self.table.keep(key, if best >= goal { [best, WIN] } else { [LOSS, best] }, self.nodes - before + 1);
        Ok(best)
    }

    /// The moves, the most promising first: how many.
    #[inline]
    fn order(&self, Discs { mine, all }: Discs, mut moves: u64, children: &mut [(i32, u64); 8]) -> usize {
        let mut count = 0;
        while moves != 0 {
            let mv = moves & moves.wrapping_neg();
            moves ^= mv;
            let threats = (self.completing(mine | mv) & !all).count_ones() as i32;
            let file = mv.trailing_zeros() / self.stride;
            let off_centre = (2 * file as i32 + 1 - self.files as i32).abs();
            let promise = 16 * threats - off_centre;
            let mut place = count;
            while place > 0 && children[place - 1].0 < promise {
                children[place] = children[place - 1];
                place -= 1;
            }
            children[place] = (promise, mv);
            count += 1;
        }
        count
    }
}
