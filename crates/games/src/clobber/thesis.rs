//! The encoding of the thesis: a list of numbers, without any shape of the board.

use plyground_core::{Encoder, EncoderInfo, Square};

use super::{Clobber, Player, State, Step};
use crate::bits::Bits;
use crate::board::Grid;

pub(super) const INFO: EncoderInfo = EncoderInfo {
    name: "thesis",
    summary: "the numbers of the thesis of 2017: one for each square (1 black, -1 white, 0 empty), one for the side to move",
};

/// One number for each square, row by row from the top left: 1 for a black stone, -1 for a white one, 0 for none. The last is 1 if
/// Black is to move and -1 otherwise. To a network this is a board of a single square.
///
/// The network of the thesis had no policy. Moves have an index all the same, so that positions can be exported.
pub(super) struct ThesisNumbers {
    /// The squares in their order.
    squares: Vec<Square>,
    /// Which of them the square with a number in the rules is.
    places: Vec<usize>,
    /// The distance between the numbers of a square and the one above it.
    up: i32,
}

impl ThesisNumbers {
    pub(super) fn new(grid: Grid) -> Self {
        let squares: Vec<Square> =
            (0..grid.ranks).rev().flat_map(|rank| (0..grid.files).map(move |file| Square { file, rank })).collect();
        let mut places = vec![0; grid.bits() as usize];
        for (place, &square) in squares.iter().enumerate() {
            places[grid.index(square) as usize] = place;
        }
        Self { squares, places, up: grid.stride.into() }
    }
}

impl<B: Bits> Encoder<Clobber<B>> for ThesisNumbers {
    fn planes(&self) -> Vec<String> {
        self.squares.iter().map(Square::to_string).chain(["side to move".to_owned()]).collect()
    }

    fn board(&self) -> [usize; 2] {
        [1, 1]
    }

    fn encode(&self, _: &Clobber<B>, state: &State<B>, values: &mut Vec<f32>) {
        values.clear();
        values.resize(self.squares.len() + 1, 0.0);
        for (stones, player) in state.stones.into_iter().zip(Player::BOTH) {
            stones.squares().for_each(|index| values[self.places[index as usize]] = player.sign());
        }
        values[self.squares.len()] = state.side.sign();
    }

    fn moves(&self) -> usize {
        4 * self.squares.len()
    }

    fn move_order(&self) -> String {
        let squares = self.squares.len();
        format!(
            "{squares} * direction + square that is left, directions right, left, up, down; squares row by row from the top left"
        )
    }

    fn move_index(&self, _: &Clobber<B>, _: &State<B>, mv: Step) -> Option<usize> {
        // On a board of one file a step up is also a step by 1; it has no steps to the side.
        let step = i32::from(mv.to) - i32::from(mv.from);
        let direction = [1, -1, self.up, -self.up].iter().position(|&way| way == step)?;
        Some(direction * self.squares.len() + self.places[usize::from(mv.from)])
    }
}
