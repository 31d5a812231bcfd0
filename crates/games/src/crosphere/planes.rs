//! The eleven planes that the network of the thesis saw.

use plyground_core::{Encoder, EncoderInfo, Player, Turn};

use super::chains::{UNREACHABLE, beside, closure, distances};
use super::{Crosphere, Game, Place, State};
use crate::bits::Bits;

pub(super) const INFO: EncoderInfo = EncoderInfo {
    name: "thesis",
    summary: "the 11 planes of the thesis of 2024: stones, distances to an edge, distances to a link, side, strong stones left",
};

/// In this order: empty squares, weak stones, strong stones of the first and of the second player; how many empty squares lie on a
/// cheapest way from each square to the bottom edge for the first player and to the right edge for the second, the square itself
/// included, where stones that the player may use are free and 64 stands for no way; and, the same on all squares, the stones that each
/// player still needs for a link, 1 if the first player is to move and 0 otherwise, and the strong stones left.
pub(super) struct ThesisPlanes {
    pub(super) ranks: usize,
    pub(super) files: usize,
}

impl Encoder<Crosphere> for ThesisPlanes {
    fn planes(&self) -> Vec<String> {
        let names = [
            "empty",
            "weak",
            "strong stones of player 1",
            "strong stones of player 2",
            "distance to the bottom edge for player 1",
            "distance to the right edge for player 2",
            "distance to a link of player 1",
            "distance to a link of player 2",
            "player 1 to move",
            "strong stones left to player 1",
            "strong stones left to player 2",
        ];
        names.map(str::to_owned).to_vec()
    }

    fn board(&self) -> [usize; 2] {
        [self.ranks, self.files]
    }

    fn encode(&self, game: &Crosphere, state: &State, values: &mut Vec<f32>) {
        values.clear();
        let empty = game.empty(state);
        let usable = Player::BOTH.map(|player| state.usable(player));
        for set in [empty, state.weak, state.strong[0], state.strong[1]] {
            values.extend(self.squares().map(|index| f32::from(u8::from(set.has(index)))));
        }
        for player in Player::BOTH.map(Player::index) {
            let ways = ways_to_edge(usable[player], empty, game.edges[player][1]);
            values.extend(self.squares().map(|index| ways[index as usize] as f32));
        }
        let [green, pink] = distances(usable, empty, game.edges).map(|distance| distance as f32);
        let side = f32::from(u8::from(game.turn(state) == Turn::Player(Player::First)));
        for number in [green, pink, side, f32::from(state.reserve[0]), f32::from(state.reserve[1])] {
            values.extend(std::iter::repeat_n(number, self.ranks * self.files));
        }
    }

    fn moves(&self) -> usize {
        2 * self.ranks * self.files
    }

    fn move_order(&self) -> String {
        let squares = self.ranks * self.files;
        format!("{squares} * kind + square, kind 0 weak and 1 strong; squares row by row from the top left")
    }

    fn move_index(&self, _: &Crosphere, _: &State, mv: Place) -> Option<usize> {
        let square = self.squares().position(|index| index == mv.index())?;
        Some(usize::from(mv.is_strong()) * self.ranks * self.files + square)
    }
}

impl ThesisPlanes {
    /// The numbers of the squares, row by row from the top left.
    fn squares(&self) -> impl Iterator<Item = u32> {
        let files = self.files as u32;
        (0..self.ranks as u32).rev().flat_map(move |rank| (0..files).map(move |file| 8 * rank + file))
    }
}

/// From each square, the empty squares on a cheapest way to an edge.
fn ways_to_edge(usable: u64, empty: u64, edge: u64) -> [u32; 64] {
    let mut ways = [UNREACHABLE; 64];
    let mut reached = closure(edge & usable, usable);
    reached.squares().for_each(|index| ways[index as usize] = 0);
    for stones in 1.. {
        let step = (edge | beside(reached)) & empty & !reached;
        if step == 0 {
            break;
        }
        let further = closure(reached | step, usable);
        (further & !reached).squares().for_each(|index| ways[index as usize] = stones);
        reached = further;
    }
    ways
}
