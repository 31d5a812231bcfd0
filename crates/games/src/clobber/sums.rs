//! An exact solver for Clobber without `own`: a position is a sum of regions, and each region is a game of its own.
//!
//! Regions without a move are dropped; small ones are replaced by their values, which are added up to one; what remains is searched,
//! always seen by the player to move.

use std::ops::ControlFlow;

use plyground_core::{ExactSolver, GameValue, InputError, Square, StopCheck};

use super::book::RegionBook;
use super::regions::{Frame, Region, Stones};
use super::table::SumTable;
use super::values::{Value, Values};
use super::{Clobber, State, database};
use crate::bits::Bits;

/// Regions with at most so many stones are replaced by their values, the more the longer a search takes: each stone more saves about a
/// quarter of the nodes and costs eight times as much arithmetic, once.
const SMALL: [(u64, u32); 3] = [(100_000, 8), (1_000_000, 9), (u64::MAX, 10)];

/// Steps in the arithmetic of values after which a region is left as it stands: well under a millisecond.
const FUEL: u32 = 1_000;

/// Steps between two stop checks: less than a millisecond.
const BEAT: u64 = 100;

/// The stop check ended the search.
struct Stopped;

/// Regions, values, and what has been found out about their sums.
pub struct Sums<B> {
    frame: Frame<B>,
    values: Values,
    book: RegionBook<B>,
    table: SumTable,
    /// How many stones are few.
    small: u32,
    nodes: u64,
    next_beat: u64,
    /// The large regions of the positions on the current line and of their children.
    regions: Vec<Region<B>>,
    /// The children of the positions on the current line.
    children: Vec<Sum>,
    parts: Vec<Stones<B>>,
}

/// A position: some large regions, and the value of all that is small.
#[derive(Clone, Copy, Debug)]
struct Sum {
    /// Where its regions are in the list of all.
    start: usize,
    end: usize,
    value: Value,
    /// The sum of the hashes of its regions.
    hash: [u64; 2],
    /// The sum of the estimates of its regions and its value.
    estimate: i32,
}

impl<B: Bits> Sums<B> {
    /// A solver for boards with these sides.
    pub fn new(files: u32, ranks: u32, memory: usize, knowledge: Option<&[u8]>) -> Result<Self, InputError> {
        let mut solver = Self {
            frame: Frame::new(files, ranks),
            values: Values::new(memory / 8),
            book: RegionBook::new(memory / 8),
            table: SumTable::new(memory / 4 * 3),
            small: SMALL[0].1,
            nodes: 0,
            next_beat: 0,
            regions: Vec::new(),
            children: Vec::new(),
            parts: Vec::new(),
        };
        if let Some(bytes) = knowledge {
            let known = database::load(bytes, &solver.frame, &mut solver.values, &mut solver.book)?;
            solver.small = solver.small.max(known);
        }
        Ok(solver)
    }

    /// A position without regions, to which more can be added as long as it is the last in the list.
    fn begin(&self, value: Value) -> Sum {
        Sum { start: self.regions.len(), end: self.regions.len(), value, hash: [0; 2], estimate: 0 }
    }

    /// Adds the parts of some stones.
    fn add(&mut self, sum: &mut Sum, stones: Stones<B>) {
        let mut parts = std::mem::take(&mut self.parts);
        parts.clear();
        self.frame.split(stones, |part| parts.push(part));
        for &part in &parts {
            let region = self.frame.region(part);
            match self.with_value(sum.value, region) {
                Some(value) => sum.value = value,
                None => self.add_region(sum, region),
            }
        }
        self.parts = parts;
    }

    /// The sum of a value and that of a region, unless the region is large or they are too intricate.
    fn with_value(&mut self, value: Value, region: Region<B>) -> Option<Value> {
        if region.stones().count() > self.small {
            return None;
        }
        self.values.fuel = FUEL;
        let of_region = self.book.value(&self.frame, &mut self.values, region).ok()?;
        self.values.sum(value, of_region).ok()
    }

    /// Adds a region as it is, or takes its negative away.
    fn add_region(&mut self, sum: &mut Sum, region: Region<B>) {
        let negative = region.negative();
        if let Some(place) = self.regions[sum.start..].iter().position(|&other| other == negative) {
            self.regions.swap_remove(sum.start + place);
            let key = negative.key();
            sum.hash = std::array::from_fn(|half| sum.hash[half].wrapping_sub(key[half]));
            sum.estimate -= self.frame.estimate(negative);
        } else {
            self.regions.push(region);
            let key = region.key();
            sum.hash = std::array::from_fn(|half| sum.hash[half].wrapping_add(key[half]));
            sum.estimate += self.frame.estimate(region);
        }
        sum.end = self.regions.len();
    }

    /// What is known without search.
    fn known(&mut self, sum: &Sum) -> Option<bool> {
        if sum.start == sum.end {
            return Some(self.values.left_wins_first(sum.value));
        }
        self.table.find(&mut self.values, sum.hash, sum.value)
    }

    /// Does the player to move win?
    fn wins(&mut self, sum: Sum, stop_check: &mut dyn StopCheck) -> Result<bool, Stopped> {
        if let Some(won) = self.known(&sum) {
            return Ok(won);
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(SMALL[0].0) {
            self.small = SMALL.iter().find(|step| self.nodes < step.0).map_or(self.small, |step| self.small.max(step.1));
        }
        let before = self.nodes;
        let (first_child, first_region) = (self.children.len(), self.regions.len());
        let won = self.expand(sum, stop_check)? || self.any_child_is_lost(first_child, stop_check)?;
        self.children.truncate(first_child);
        self.regions.truncate(first_region);
        self.table.keep(&mut self.values, sum.hash, (sum.value, won), self.nodes - before + 1);
        Ok(won)
    }

    fn any_child_is_lost(&mut self, first: usize, stop_check: &mut dyn StopCheck) -> Result<bool, Stopped> {
        self.children[first..].sort_by_key(|child| child.estimate);
        for index in first..self.children.len() {
            if !self.wins(self.children[index], stop_check)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Puts the children that have to be searched at the end of the list; true when one is known to be lost for the opponent.
    fn expand(&mut self, sum: Sum, stop_check: &mut dyn StopCheck) -> Result<bool, Stopped> {
        let first = self.children.len();
        let minus = self.values.negative(sum.value);
        let mut afters = Vec::new();
        for moved in sum.start..sum.end {
            let region = self.regions[moved];
            if self.regions[sum.start..moved].contains(&region) {
                continue;
            }
            afters.clear();
            self.frame.moves([region.mine, region.theirs], |[mine, theirs]| afters.push([theirs, mine]));
            for &after in &afters {
                self.breathe(stop_check)?;
                let mut child = self.begin(minus);
                self.add_negatives(&mut child, sum, Some(moved));
                self.add(&mut child, after);
                if self.consider(child, first) {
                    return Ok(true);
                }
            }
        }
        for option in 0..self.values.lefts(sum.value).len() {
            let left = self.values.lefts(sum.value)[option];
            let mut child = self.begin(self.values.negative(left));
            self.add_negatives(&mut child, sum, None);
            if self.consider(child, first) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds the regions of a position but one, seen by the other player.
    fn add_negatives(&mut self, child: &mut Sum, sum: Sum, without: Option<usize>) {
        for index in (sum.start..sum.end).filter(|&index| Some(index) != without) {
            let region = self.regions[index].negative();
            self.add_region(child, region);
        }
    }

    /// Takes a child up into the list, unless it is known or no better than another; true when it is lost for the opponent.
    fn consider(&mut self, mut child: Sum, first: usize) -> bool {
        let known = self.known(&child);
        if let Some(opponent_wins) = known {
            self.regions.truncate(child.start);
            return !opponent_wins;
        }
        for index in first..self.children.len() {
            let other = self.children[index];
            if other.hash == child.hash && self.values.at_most(other.value, child.value) {
                self.regions.truncate(child.start);
                return false;
            }
        }
        child.estimate += self.values.estimate(child.value);
        self.children.push(child);
        false
    }

    /// Calls the stop check when it is due.
    #[inline]
    fn breathe(&mut self, stop_check: &mut dyn StopCheck) -> Result<(), Stopped> {
        let steps = self.nodes + self.values.work;
        if steps < self.next_beat {
            return Ok(());
        }
        self.next_beat = steps + BEAT;
        match stop_check.check(self.nodes) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stopped),
        }
    }
}

impl<B: Bits> Sums<B> {
    /// A position of the game as a sum, which is then the only one in the lists.
    fn whole(&mut self, game: &Clobber<B>, state: &State<B>) -> Sum {
        let turned = game.grid.files > game.grid.ranks;
        let columns = self.frame.columns();
        let place = |index: u32| {
            let Square { file, rank } = game.grid.square(index);
            let (column, row) = if turned { (rank, file) } else { (file, rank) };
            u32::from(row) * columns + u32::from(column)
        };
        let upright = |set: B| set.squares().fold(B::default(), |seen, index| seen | B::bit(place(index)));
        self.regions.clear();
        self.children.clear();
        let mut sum = self.begin(Value::ZERO);
        self.add(&mut sum, Clobber::sides(state).map(upright));
        sum
    }
}

fn game_value(won: bool) -> GameValue {
    if won { GameValue::Win } else { GameValue::Loss }
}

impl<B: Bits> ExactSolver<Clobber<B>> for Sums<B> {
    fn value(&mut self, game: &Clobber<B>, state: &State<B>, stop_check: &mut dyn StopCheck) -> Option<GameValue> {
        let sum = self.whole(game, state);
        self.wins(sum, stop_check).ok().map(game_value)
    }

    fn recall(&mut self, game: &Clobber<B>, state: &State<B>) -> Option<GameValue> {
        let sum = self.whole(game, state);
        self.known(&sum).map(game_value)
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Positions with few stones are sums of small regions, whose values it has.
    fn answers_in_a_moment(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use plyground_core::{Game, Player, Seed, Turn};

    use super::*;
    use crate::board::Grid;

    struct GoOn;

    impl StopCheck for GoOn {
        fn check(&mut self, _: u64) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    /// How large a region must be to be searched changes nothing but the way: sums of large regions, pairs that cancel, and values.
    #[test]
    fn values_and_searches_agree() {
        let mut rng = Seed(7).rng();
        let mut seen = [0; 2];
        for (files, ranks) in [(9, 2), (4, 4), (15, 1), (3, 6)] {
            let game = Clobber::<u64>::new(Grid::new(files, ranks), false, None);
            let board = game.grid.all::<u64>();
            for _ in 0..300 {
                let (stones, black) = (board & (rng.bits() | rng.bits()), rng.bits());
                let state = State { stones: [stones & black, stones & !black], side: Player::First };
                if !matches!(game.turn(&state), Turn::Player(_)) {
                    continue;
                }
                let found = [0, 2, 3, 5, 8].map(|small| {
                    let mut solver = Sums::new(files.into(), ranks.into(), 1 << 18, None).unwrap();
                    solver.small = small;
                    solver.value(&game, &state, &mut GoOn)
                });
                assert!(found.iter().all(|&value| value == found[0]), "{}: {found:?}", game.position_text(&state));
                seen[usize::from(found[0] == Some(GameValue::Win))] += 1;
            }
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
    }
}
