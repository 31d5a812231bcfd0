//! Solver hooks of the Pawn Game: keys that both players share, races that are decided, and the move ordering.

use plyground_core::{GameValue, Player, hash_state};

use super::{Pawn, State, Step};
use crate::bits::Bits;

/// A position in the view of a player whose pawns go up: the rules are the same for both players, turned by half a turn.
#[derive(Clone, Copy)]
struct View<B> {
    own: B,
    other: B,
}

impl<B: Bits> Pawn<B> {
    #[inline]
    fn turned(&self, set: B) -> B {
        set.reversed() >> (B::WIDTH - self.grid.bits())
    }

    #[inline]
    fn mover_view(&self, state: &State<B>) -> View<B> {
        let [white, black] = state.pawns;
        match state.side {
            Player::First => View { own: white, other: black },
            Player::Second => View { own: self.turned(black), other: self.turned(white) },
        }
    }

    /// Left and right swapped.
    #[inline]
    fn mirrored(&self, set: B) -> B {
        let files = u32::from(self.grid.files);
        let first_file = self.all & !self.inner[0];
        let mut seen = B::default();
        for file in 0..files / 2 {
            let (near, by) = (first_file << file, files - 1 - 2 * file);
            seen = seen | (set & near) << by | (set >> by) & near;
        }
        if files % 2 == 1 { seen | set & (first_file << (files / 2)) } else { seen }
    }

    /// The same for a position, its mirror image, and both with the players swapped.
    #[inline]
    pub(super) fn view_key(&self, state: &State<B>) -> u128 {
        let View { own, other } = self.mover_view(state);
        let (own, other) = (self.mirrored(own), self.mirrored(other)).min((own, other));
        let high = hash_state(&(own, other));
        let low = hash_state(&(other.flipped(0x517c_c1b7_2722_0a95), own));
        u128::from(high) << 64 | u128::from(low)
    }

    /// The squares that pawns going up attack.
    #[inline]
    fn attacked_up(&self, pawns: B) -> B {
        (pawns & self.inner[0]) << self.travel[0] | (pawns & self.inner[1]) << self.travel[1]
    }

    /// The squares that pawns going down attack.
    #[inline]
    fn attacked_down(&self, pawns: B) -> B {
        (pawns & self.inner[1]) >> self.travel[0] | (pawns & self.inner[0]) >> self.travel[1]
    }

    /// Decided by arriving at once, by a threat that cannot be met, or by a race.
    #[inline]
    pub(super) fn proven_value(&self, state: &State<B>) -> Option<GameValue> {
        let View { own, other } = self.mover_view(state);
        let step = self.travel[2];
        let attacked = self.attacked_up(own);
        if !(((own << step) & !other | attacked & other) & self.far[0]).is_empty() {
            return Some(GameValue::Win);
        }
        // Pawns that will arrive by a step can only be taken, and only one of them.
        let arriving = other & (self.far[1] << step) & !(own << step);
        if arriving.count() > 1 || !(arriving & !attacked).is_empty() {
            return Some(GameValue::Loss);
        }
        if self.wins_race(View { own, other }, true) {
            return Some(GameValue::Win);
        }
        if self.wins_race(View { own: self.turned(other), other: self.turned(own) }, false) {
            return Some(GameValue::Loss);
        }
        None
    }

    /// Does the player whose pawns go up win by running with one pawn, whatever the other does? `first`: that player is to move.
    ///
    /// The runner moves in every turn, all other pawns of its side stand still. So after t moves the opponent's pawns are on squares
    /// that they reach in t moves by stepping where no pawn of the runner's side stands and by taking those that do. The square that
    /// the runner leaves is no new way for them: who could step onto it would have stood in front of the runner. The runner fails
    /// when such a square is in front of it, when it attacks the square that the runner has entered, or when one is on the far rank
    /// before the runner is. All pawns are tried as runners at once.
    #[inline]
    fn wins_race(&self, View { own, other }: View<B>, first: bool) -> bool {
        let step = self.travel[2];
        let mut reach = other;
        let mut runners = own;
        let mut running = first;
        loop {
            if running {
                runners = (runners << step) & !own & !reach;
                if !(runners & self.far[0]).is_empty() {
                    return true;
                }
            }
            running = true;
            let attacked = self.attacked_down(reach);
            runners = runners & !attacked;
            if runners.is_empty() {
                return false;
            }
            let one = (reach >> step) & !own;
            reach = reach | one | (one & self.passed[1]) >> step & !own | attacked & own;
            if !(reach & self.far[1]).is_empty() {
                return false;
            }
        }
    }

    /// Captures are good, and so are moves that leave few replies and keep the pawns back; a pawn that is lost for nothing is bad.
    /// (The weights are fitted to the positions searched on boards of 30 to 36 squares.)
    #[inline]
    pub(super) fn outlook(&self, mv: Step, child: &State<B>) -> i32 {
        // In this view, `other` has just moved.
        let View { own, other } = self.mover_view(child);
        let step = self.travel[2];
        let attacked = self.attacked_up(own) & other;
        let replies = ((own << step) & self.all & !(own | other)).count() + attacked.count();
        let to = match child.side {
            Player::First => u32::from(mv.to),
            Player::Second => self.grid.bits() - 1 - u32::from(mv.to),
        };
        let to_go = to / step;
        let takes = !u32::from(mv.from.abs_diff(mv.to)).is_multiple_of(step);
        let loose = (attacked & !self.attacked_down(other)).has(to);
        2 * to_go as i32 + 10 * i32::from(takes) - 5 * i32::from(loose) - replies as i32
    }
}
