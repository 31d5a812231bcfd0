//! Random Crosphere games that are played only as far as their result needs it.
//!
//! A random game is a random order of the empty squares with a stone for each, and its result depends only on who is linked
//! first. Links never come undone. So the order is not drawn square by square: a random half of the squares is declared to come
//! first, and if the stones on it link exactly one player, that player has won. If neither is linked there, the search goes on in
//! the second half, if both are, in the first. Three or four looks settle most games.
//!
//! This is exact. At every ply all squares are equally likely and, while the mover has strong stones left, both kinds of stones;
//! so kinds and squares can be drawn apart from each other. The one exception are the forbidden weak stones, which complete both
//! chains at once: drawing one is drawing in vain. The first such stone shows as both players being linked by the same stone, and
//! the game is then handed back as it stood before it, for another draw.

use plyground_core::{Player, Rng};

use super::chains::linked;
use super::{Crosphere, Stage, State};
use crate::bits::Bits;

/// The plies of the player who moves first, and of the other one.
const PLIES: [u64; 2] = [0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa];

/// The result of a random game.
pub(crate) enum Verdict {
    /// The winner, if there is one.
    Result(Option<Player>),
    /// The game came to a forbidden stone: here it is as it stood before, and the draw of the next move must be repeated.
    Forbidden(State),
}

/// A random game. Plies are counted from its start.
pub(crate) struct RandomGame {
    edges: [[u64; 2]; 2],
    start: State,
    empty: u64,
    /// The plies at which each player places strong stones.
    strong_plies: [u64; 2],
    /// The squares of these stones, in the order of the plies.
    strong_squares: [u64; 40],
    /// All strong stones at the end of the game.
    strong: [u64; 2],
}

impl RandomGame {
    /// Draws the kinds of the stones and the squares of the strong ones.
    #[inline]
    pub(crate) fn new(game: &Crosphere, start: &State, rng: &mut Rng) -> Self {
        let empty = game.empty(start);
        let (coins, plies) = (rng.bits(), below(empty.count()));
        let first = start.side.index();
        let strong_plies = [0, 1].map(|player| {
            let wanted = coins & plies & PLIES[player ^ first];
            lowest(wanted, u32::from(start.reserve[player]))
        });
        let mut random =
            Self { edges: game.edges(), start: *start, empty, strong_plies, strong_squares: [0; 40], strong: start.strong };
        let mut left = empty;
        for (number, ply) in (strong_plies[0] | strong_plies[1]).squares().enumerate() {
            let bit = 1 << left.select(rng.below(left.count()));
            left &= !bit;
            random.strong_squares[number] = bit;
            random.strong[usize::from(!strong_plies[0].has(ply))] |= bit;
        }
        random
    }

    /// Finds out who is linked first.
    #[inline]
    pub(crate) fn verdict(&self, rng: &mut Rng) -> Verdict {
        // Neither player is linked with the weak stones `placed`; the next ones are `unordered`, in an order that is still open.
        let mut placed = 0;
        let mut unordered = self.empty & !(self.strong[0] | self.strong[1]);
        while unordered != 0 {
            let single = unordered.is_power_of_two();
            let half = if single { unordered } else { unordered & rng.bits() };
            let weak = self.start.weak | placed | half;
            let strong = self.strong_before(self.ply_after(placed | half));
            match linked(strong.map(|strong| strong | weak), self.edges) {
                [true, false] => return Verdict::Result(Some(Player::First)),
                [false, true] => return Verdict::Result(Some(Player::Second)),
                [true, true] if single => return self.one_by_one(placed, self.ply_after(placed | half) - 1, true),
                [true, true] => unordered = half,
                [false, false] => {
                    placed |= half;
                    unordered &= !half;
                }
            }
        }
        self.one_by_one(placed, self.empty.count(), false)
    }

    /// The end of a game: neither player is linked with the weak stones `placed`, and until ply `end` only strong stones follow. Then
    /// comes a weak stone after which both are linked (`more`), or nothing.
    #[cold]
    fn one_by_one(&self, placed: u64, end: u32, more: bool) -> Verdict {
        let weak = self.start.weak | placed;
        for ply in self.ply_after(placed)..=end {
            match linked(self.strong_before(ply).map(|strong| strong | weak), self.edges) {
                [false, false] => {}
                [green, _] => return Verdict::Result(Some(if green { Player::First } else { Player::Second })),
            }
        }
        if !more {
            return Verdict::Result(None);
        }
        let spent = self.strong_plies.map(|plies| (plies & below(end)).count() as u8);
        let side = if end.is_multiple_of(2) { self.start.side } else { self.start.side.other() };
        let [green, pink] = self.start.reserve;
        let reserve = [green - spent[0], pink - spent[1]];
        Verdict::Forbidden(State { strong: self.strong_before(end), weak, reserve, side, stage: Stage::Open })
    }

    /// How many plies have been played when the last of these weak stones has been placed.
    #[inline]
    fn ply_after(&self, placed: u64) -> u32 {
        match placed.count() {
            0 => 0,
            count => (!(self.strong_plies[0] | self.strong_plies[1])).select(count - 1) + 1,
        }
    }

    /// The strong stones on the board before a ply.
    #[inline]
    fn strong_before(&self, ply: u32) -> [u64; 2] {
        let plies = self.strong_plies[0] | self.strong_plies[1];
        let before = plies & below(ply);
        if before == plies {
            return self.strong;
        }
        let mut strong = self.start.strong;
        for (ply, bit) in before.squares().zip(self.strong_squares) {
            strong[usize::from(!self.strong_plies[0].has(ply))] |= bit;
        }
        strong
    }
}

/// The set of the numbers below `count`.
#[inline]
const fn below(count: u32) -> u64 {
    if count >= 64 { !0 } else { (1 << count) - 1 }
}

/// The lowest `count` members of a set.
#[inline]
fn lowest(set: u64, count: u32) -> u64 {
    if set.count() <= count { set } else { set & below(set.select(count)) }
}
