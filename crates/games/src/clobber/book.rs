//! The values of small regions.

use std::collections::HashMap;

use super::mixing::MixingState;
use super::regions::{Frame, Region, Stones};
use super::values::{Exhausted, Value, Values};
use crate::bits::Bits;

/// Regions with their values, as far as they have been asked for.
#[derive(Clone, Debug)]
pub struct RegionBook<B> {
    /// One of each region and its negative: the one that has the lowest square.
    known: HashMap<Stones<B>, Value, MixingState>,
    capacity: usize,
}

impl<B: Bits> RegionBook<B> {
    /// An empty book that takes about `memory` bytes at most.
    pub fn new(memory: usize) -> Self {
        // A hash map is between half and seven eighths full, and twice as large while it grows.
        let capacity = (memory / 4 / size_of::<(Stones<B>, Value)>()).max(1 << 10);
        // Growing would be a pause that cannot be interrupted.
        Self { known: HashMap::with_capacity_and_hasher(capacity.min(1 << 20), MixingState::default()), capacity }
    }

    /// The number of known regions.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// The value of a region, computed where it is not known yet. Left is who has the stones `mine`.
    pub fn value(&mut self, frame: &Frame<B>, values: &mut Values, region: Region<B>) -> Result<Value, Exhausted> {
        let swapped = !region.mine.has(region.stones().lowest());
        let one = if swapped { region.negative() } else { region };
        let value = match self.known.get(&[one.mine, one.theirs]) {
            Some(&value) => value,
            None if self.known.len() >= self.capacity => return Err(Exhausted),
            None => {
                let value = self.computed(frame, values, one)?;
                self.insert(one, value);
                value
            }
        };
        Ok(if swapped { values.negative(value) } else { value })
    }

    /// Takes up a region that has the lowest square.
    pub fn insert(&mut self, region: Region<B>, value: Value) {
        if self.known.len() < self.capacity {
            self.known.insert([region.mine, region.theirs], value);
        }
    }

    /// The value of a region from the values of what it can become.
    pub fn computed(&mut self, frame: &Frame<B>, values: &mut Values, region: Region<B>) -> Result<Value, Exhausted> {
        let lefts = self.options(frame, values, [region.mine, region.theirs])?;
        let rights = self.options(frame, values, [region.theirs, region.mine])?;
        let rights = rights.into_iter().map(|right| values.negative(right)).collect();
        values.canonical(lefts, rights)
    }

    /// The values of the positions that the player with the first stones can move to, that player being Left.
    fn options(&mut self, frame: &Frame<B>, values: &mut Values, stones: Stones<B>) -> Result<Vec<Value>, Exhausted> {
        let mut options = Vec::new();
        frame.moves(stones, |after| options.push(after));
        options.into_iter().map(|after| self.total(frame, values, after)).collect()
    }

    /// The value of any position.
    fn total(&mut self, frame: &Frame<B>, values: &mut Values, stones: Stones<B>) -> Result<Value, Exhausted> {
        let mut parts = Vec::new();
        frame.split(stones, |part| parts.push(frame.region(part)));
        parts.into_iter().try_fold(Value::ZERO, |sum, part| {
            let value = self.value(frame, values, part)?;
            values.sum(sum, value)
        })
    }
}
