//! The encoders of Crosphere: the eleven planes of the thesis, and ours.

use plyground_core::{Encoder, EncoderInfo, Player, Turn, Viewpoint};

use super::chains::{UNREACHABLE, beside, closure, distances};
use super::{Crosphere, Game, Placement, State};
use crate::bits::Bits;

pub(super) const INFO: EncoderInfo = EncoderInfo {
    name: "thesis",
    summary: "the 11 planes of the thesis of 2024: stones, distances to an edge, distances to a link, side, strong stones left",
};

/// In this order: empty squares, weak stones, strong stones of the first and of the second player; how many empty squares lie on a
/// cheapest way from each square to the bottom edge for the first player and to the right edge for the second, the square itself
/// included, where stones that the player may use are free and 64 stands for no way; and, the same on all squares, the stones that
/// each player still needs for a link, 1 if the first player is to move and 0 otherwise, and the strong stones left.
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

    fn move_index(&self, _: &Crosphere, _: &State, mv: Placement) -> Option<usize> {
        Some(usize::from(mv.is_strong()) * self.ranks * self.files + place(mv.index(), self.ranks, self.files))
    }
}

impl ThesisPlanes {
    fn squares(&self) -> impl Iterator<Item = u32> {
        squares(self.ranks, self.files)
    }
}

/// The numbers of the squares, row by row from the top left.
fn squares(ranks: usize, files: usize) -> impl Iterator<Item = u32> {
    (0..ranks as u32).rev().flat_map(move |rank| (0..files as u32).map(move |file| 8 * rank + file))
}

/// Which of them a square is.
fn place(index: u32, ranks: usize, files: usize) -> usize {
    (ranks - 1 - index as usize / 8) * files + index as usize % 8
}

pub(super) const WAYS: EncoderInfo = EncoderInfo {
    name: "ways",
    summary: "stones, and every square's part in the cheapest links of both players, as the player to move sees them; square boards",
};

/// For square boards, on which the second player's game is the first one's with files and ranks exchanged: the player to move sees it
/// as the first player does. Stones, then for the mover and for the opponent the empty squares on a cheapest way to either edge, how
/// many more stones a link through this square takes than the cheapest one, and whether the square is on a cheapest one; then the
/// stones that each still needs, and the strong stones left.
pub(super) struct WaysPlanes {
    pub(super) size: usize,
}

impl WaysPlanes {
    const PLANES: [&str; 17] = [
        "board",
        "weak",
        "own strong stones",
        "other's strong stones",
        "own way to the top",
        "own way to the bottom",
        "own detour",
        "on an own cheapest link",
        "other's way to the left",
        "other's way to the right",
        "other's detour",
        "on a cheapest link of the other's",
        "own distance to a link",
        "other's distance to a link",
        "own strong stones left",
        "other's strong stones left",
        "empty",
    ];
    /// Distances are divided by this: numbers near 1 are learnt best.
    const FAR: f32 = 8.0;

    /// Where a square lies in the view of a player.
    fn seen(&self, index: u32, mover: Player) -> usize {
        let index = if mover == Player::First { index } else { 8 * (index % 8) + index / 8 };
        place(index, self.size, self.size)
    }
}

impl Encoder<Crosphere> for WaysPlanes {
    fn planes(&self) -> Vec<String> {
        Self::PLANES.map(str::to_owned).to_vec()
    }

    fn board(&self) -> [usize; 2] {
        [self.size, self.size]
    }

    fn viewpoint(&self) -> Viewpoint {
        Viewpoint::Mover
    }

    fn encode(&self, game: &Crosphere, state: &State, values: &mut Vec<f32>) {
        let Turn::Player(mover) = game.turn(state) else { return values.clear() };
        let count = self.size * self.size;
        values.clear();
        values.resize(Self::PLANES.len() * count, 0.0);
        let mut planes = values.chunks_exact_mut(count);
        let mut plane = || planes.next().expect("there is a plane for each name");
        let empty = game.empty(state);
        let players = [mover, mover.other()];
        plane().fill(1.0);
        for set in [state.weak, state.strong[players[0].index()], state.strong[players[1].index()]] {
            let plane = plane();
            set.squares().for_each(|index| plane[self.seen(index, mover)] = 1.0);
        }
        let mut distances = [1.0; 2];
        for (player, distance) in players.into_iter().zip(&mut distances) {
            let usable = state.usable(player);
            // Seen by the second player, the left edge lies at the bottom.
            let mut edges = game.edges[player.index()];
            if mover == Player::Second {
                edges.reverse();
            }
            let ways = edges.map(|edge| ways_to_edge(usable, empty, edge));
            for ways in &ways {
                let plane = plane();
                for index in squares(self.size, self.size) {
                    plane[self.seen(index, mover)] = (ways[index as usize] as f32 / Self::FAR).min(2.0);
                }
            }
            // An empty square is counted by both ways.
            let through = |index: u32| {
                let both = ways[0][index as usize] + ways[1][index as usize];
                both - u32::from(empty.has(index)).min(both)
            };
            let reachable = |index: &u32| (empty | usable).has(*index);
            let least = squares(self.size, self.size).filter(reachable).map(through).min().unwrap_or(UNREACHABLE);
            *distance = (least as f32 / Self::FAR).min(2.0);
            let [detour, on_link] = [plane(), plane()];
            for index in squares(self.size, self.size) {
                let at = self.seen(index, mover);
                if !reachable(&index) {
                    detour[at] = 1.0;
                    continue;
                }
                let more = through(index) - least;
                detour[at] = (more as f32 / 4.0).min(1.0);
                on_link[at] = f32::from(u8::from(more == 0 && least < UNREACHABLE));
            }
        }
        for number in distances {
            plane().fill(number);
        }
        for player in players {
            plane().fill(f32::from(state.reserve[player.index()]) / 4.0);
        }
        let plane = plane();
        empty.squares().for_each(|index| plane[self.seen(index, mover)] = 1.0);
    }

    fn moves(&self) -> usize {
        2 * self.size * self.size
    }

    fn move_order(&self) -> String {
        let count = self.size * self.size;
        format!("{count} * kind + square, kind 0 weak and 1 strong; squares row by row from the top left, as the mover sees them")
    }

    fn move_index(&self, game: &Crosphere, state: &State, mv: Placement) -> Option<usize> {
        let Turn::Player(mover) = game.turn(state) else { return None };
        Some(usize::from(mv.is_strong()) * self.size * self.size + self.seen(mv.index(), mover))
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
