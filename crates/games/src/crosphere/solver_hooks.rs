//! Solver hooks of Crosphere: keys that both players share, links that cannot be stopped, and the move ordering.

use plyground_core::{Game, GameValue, Player, hash_state};

use super::chains::{beside, closures, distances};
use super::{Crosphere, Placement, State};
use crate::bits::Bits;

/// Files and ranks swapped: the board mirrored at the diagonal through `a1`, by swapping ever larger blocks.
#[inline]
const fn transposed(set: u64) -> u64 {
    const fn swap(set: u64, mask: u64, by: u32) -> u64 {
        let changed = (set ^ (set >> by)) & mask;
        set ^ changed ^ (changed << by)
    }
    swap(swap(swap(set, 0x00aa_00aa_00aa_00aa, 7), 0x0000_cccc_0000_cccc, 14), 0x0000_0000_f0f0_f0f0, 28)
}

impl Crosphere {
    /// The empty squares on which a stone of each player would complete a chain, by player.
    #[inline]
    fn finishing(&self, state: &State) -> [u64; 2] {
        let [green, pink] = Player::BOTH.map(|player| state.usable(player));
        let [[top, bottom], [left, right]] = self.edges;
        let reached = closures([top & green, bottom & green, left & pink, right & pink], [green, green, pink, pink]);
        let touched =
            [top | beside(reached[0]), bottom | beside(reached[1]), left | beside(reached[2]), right | beside(reached[3])];
        let empty = self.empty(state);
        [empty & touched[0] & touched[1], empty & touched[2] & touched[3]]
    }

    /// Decided by a stone that completes a chain, or by two such squares of the opponent.
    #[inline]
    pub(super) fn proven_value(&self, state: &State) -> Option<GameValue> {
        let (mover, other) = (state.side.index(), state.side.other().index());
        let finishing = self.finishing(state);
        let (mine, theirs) = (finishing[mover], finishing[other]);
        if mine != 0 && (state.reserve[mover] > 0 || mine & !theirs != 0) {
            return Some(GameValue::Win);
        }
        // A strong stone of theirs completes the chain on any of these squares; only a strong stone of ours can take one away.
        if theirs != 0 && state.reserve[other] > 0 && (state.reserve[mover] == 0 || theirs.count() > 1) {
            return Some(GameValue::Loss);
        }
        None
    }

    /// Where the opponent is about to complete a chain with a strong stone on the only square left for it, only a strong stone on that
    /// square helps (unless a stone wins at once, which is proven before). A weak stone that completes only the opponent's chain loses.
    #[inline]
    pub(super) fn useful_moves(&self, state: &State, moves: &mut Vec<Placement>) {
        let (mover, other) = (state.side.index(), state.side.other().index());
        let finishing = self.finishing(state);
        let (mine, theirs) = (finishing[mover], finishing[other]);
        if mine == 0 && theirs.count() == 1 && state.reserve[mover] > 0 && state.reserve[other] > 0 {
            moves.clear();
            moves.push(Placement::new(true, theirs.lowest()));
            return;
        }
        self.moves(state, moves);
        if theirs != 0 && moves.iter().any(|mv| mv.is_strong() || theirs & mv.bit() == 0) {
            moves.retain(|mv| mv.is_strong() || theirs & mv.bit() == 0);
        }
    }

    /// On a square board the same for a position and the one with the players swapped: to mirror it at a diagonal swaps the aims.
    #[inline]
    pub(super) fn view_key(&self, state: &State) -> u128 {
        let (strong, weak, [own, other], side) = match state.side {
            Player::Second if self.grid.files == self.grid.ranks => {
                let [green, pink] = state.strong.map(transposed);
                ([pink, green], transposed(state.weak), [state.reserve[1], state.reserve[0]], Player::First)
            }
            side => (state.strong, state.weak, state.reserve, side),
        };
        let rest = u64::from(own) | u64::from(other) << 8 | (side.index() as u64) << 16;
        let high = hash_state(&(strong[0], strong[1], weak, rest));
        let low = hash_state(&(rest, weak, strong[1], strong[0]));
        u128::from(high) << 64 | u128::from(low)
    }

    /// A short way to a link counts most, then the centre. (The weights are fitted to the positions searched on 4x4 and 5x5.)
    #[inline]
    pub(super) fn outlook(&self, state: &State, mv: Placement, child: &State) -> i32 {
        let square = self.grid.square(mv.index());
        let off_centre = |at: u8, size: u8| (2 * i32::from(at) + 1 - i32::from(size)).abs();
        let off_centre = off_centre(square.file, self.grid.files) + off_centre(square.rank, self.grid.ranks);
        let further = distances(Player::BOTH.map(|player| child.usable(player)), self.empty(child), self.edges);
        let [own, other] = [state.side, state.side.other()].map(|player| further[player.index()] as i32);
        other - 9 * own - off_centre
    }
}
