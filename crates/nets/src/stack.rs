//! The boards of a volume, each with those below and above it: what makes a convolution over three levels one over boards.

use std::ops::Range;

use crate::Isa;
use crate::kernels::{Block, LANES, blocks};
use crate::plan::{ExecutionPlan, ValueId};

/// The step of a position from its levels to levels with neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    levels: usize,
    /// Squares of one board.
    squares: usize,
    /// Channels before; three times as many come out.
    channels: usize,
    /// Do the levels come in as the planes of one board?
    planes: bool,
}

/// A square of a level that sees the same square of its own level, of the one below or of the one above.
struct Sight {
    level: usize,
    square: usize,
    /// Which level is seen.
    seen: usize,
    /// 0 for the one below, 1 for its own, 2 for the one above.
    shift: usize,
}

/// A number among blocks: the block and its lane.
type Place = (usize, usize);

impl Stack {
    pub fn new(plan: &ExecutionPlan, from: ValueId, to: ValueId) -> Self {
        let (levels, shape) = (plan.levels[to], plan.shapes[to]);
        let planes = plan.shapes[from].squares() != shape.squares();
        Self { levels, squares: shape.squares() / levels, channels: shape.planes / 3, planes }
    }

    /// Copies every number to the levels that see it; beyond the lowest and the highest level everything is 0.
    pub fn forward(&self, from: &[Block], to: &mut [Block]) {
        to.fill(Block::ZERO);
        for sight in self.sights() {
            if self.whole_blocks() {
                let [source, target] = self.rows(&sight);
                to[target].copy_from_slice(&from[source]);
                continue;
            }
            for channel in 0..self.channels {
                let (source, target) = (self.source(&sight, channel), self.target(&sight, channel));
                to[target.0].0[target.1] = from[source.0].0[source.1];
            }
        }
    }

    /// The gradient on its way back through [`Stack::forward`], added to what is there.
    pub fn backward(&self, isa: Isa, gradient: &[Block], onward: &mut [Block]) {
        for sight in self.sights() {
            if self.whole_blocks() {
                let [source, target] = self.rows(&sight);
                isa.add_to(&gradient[target], &mut onward[source]);
                continue;
            }
            for channel in 0..self.channels {
                let (source, target) = (self.source(&sight, channel), self.target(&sight, channel));
                onward[source.0].0[source.1] += gradient[target.0].0[target.1];
            }
        }
    }

    /// Do the channels fill their blocks, so that blocks can be copied whole?
    fn whole_blocks(&self) -> bool {
        !self.planes && self.channels.is_multiple_of(LANES)
    }

    /// The blocks of all channels, before and after.
    fn rows(&self, sight: &Sight) -> [Range<usize>; 2] {
        [self.source(sight, 0), self.target(sight, 0)].map(|(first, _)| first..first + blocks(self.channels))
    }

    fn sights(&self) -> impl Iterator<Item = Sight> {
        let Self { levels, squares, .. } = *self;
        (0..levels * 3).flat_map(move |number| {
            let (level, shift) = (number / 3, number % 3);
            let seen = (level + shift).checked_sub(1).filter(|&seen| seen < levels);
            seen.into_iter().flat_map(move |seen| (0..squares).map(move |square| Sight { level, square, seen, shift }))
        })
    }

    fn source(&self, sight: &Sight, channel: usize) -> Place {
        if self.planes {
            return (sight.square * blocks(self.levels) + sight.seen / LANES, sight.seen % LANES);
        }
        let row = sight.seen * self.squares + sight.square;
        (row * blocks(self.channels) + channel / LANES, channel % LANES)
    }

    fn target(&self, sight: &Sight, channel: usize) -> Place {
        let row = sight.level * self.squares + sight.square;
        let channel = sight.shift * self.channels + channel;
        (row * blocks(3 * self.channels) + channel / LANES, channel % LANES)
    }
}
