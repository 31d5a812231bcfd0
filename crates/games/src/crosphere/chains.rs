//! Chains and distances on a Crosphere board, all squares at a time: sets of squares grow by shifts.
//!
//! Squares are numbered eight to a rank, whatever the size of the board: sets that are masked by squares of the board never leave it.

use std::array::from_fn;

use crate::bits::Bits;

const NOT_FILE_A: u64 = !0x0101_0101_0101_0101;
const NOT_FILE_H: u64 = !0x8080_8080_8080_8080;

/// The distance when no stones can make a link any more: as in the thesis, as many as the largest board has squares.
pub(crate) const UNREACHABLE: u32 = 64;

/// The set moved up, down, right and left.
#[inline]
pub(crate) const fn neighbours(set: u64) -> [u64; 4] {
    [set << 8, set >> 8, (set << 1) & NOT_FILE_A, (set >> 1) & NOT_FILE_H]
}

/// The squares beside those of a set.
#[inline]
pub(crate) const fn beside(set: u64) -> u64 {
    let [up, down, right, left] = neighbours(set);
    (up | down) | (right | left)
}

/// The set and everything that is joined to it through `usable` squares.
#[inline]
pub(crate) const fn closure(mut set: u64, usable: u64) -> u64 {
    loop {
        let grown = set | (beside(set) & usable);
        if grown == set {
            return set;
        }
        // Two steps for one comparison: most chains are longer than one stone.
        set = grown | (beside(grown) & usable);
    }
}

/// Several sets grow by a step, each onto its own `usable` squares: one computes while the others wait.
#[inline]
fn grown<const N: usize>(sets: [u64; N], usable: [u64; N]) -> [u64; N] {
    from_fn(|lane| sets[lane] | (beside(sets[lane]) & usable[lane]))
}

/// The closures of several sets at once.
#[inline]
pub(crate) fn closures<const N: usize>(mut sets: [u64; N], usable: [u64; N]) -> [u64; N] {
    loop {
        let next = grown(grown(sets, usable), usable);
        if next == sets {
            return sets;
        }
        sets = next;
    }
}

/// Which players have a chain from edge to edge. What is joined to either edge grows until the two meet, or until one of them has
/// nowhere to go.
#[inline]
pub(crate) fn linked([green, pink]: [u64; 2], [[top, bottom], [left, right]]: [[u64; 2]; 2]) -> [bool; 2] {
    let usable = [green, green, pink, pink];
    let mut sets = [top & green, bottom & green, left & pink, right & pink];
    loop {
        let next = grown(grown(grown(sets, usable), usable), usable);
        let met = [next[0] & next[1] != 0, next[2] & next[3] != 0];
        let still: [bool; 4] = from_fn(|lane| next[lane] == sets[lane]);
        let settled = [met[0] | still[0] | still[1], met[1] | still[2] | still[3]];
        if settled == [true, true] {
            return met;
        }
        sets = next;
    }
}

/// The least number of further stones that link two edges: stones that are there cost nothing, empty squares one each (a breadth-first
/// search with costs 0 and 1).
#[inline]
pub(crate) fn distance(usable: u64, empty: u64, edges: [u64; 2]) -> u32 {
    sweep(usable, empty, edges, |_, _| {})
}

/// The distances of both players.
#[inline]
pub(crate) fn distances(usable: [u64; 2], empty: u64, edges: [[u64; 2]; 2]) -> [u32; 2] {
    [distance(usable[0], empty, edges[0]), distance(usable[1], empty, edges[1])]
}

/// The empty squares on a player's shortest ways to a link, by their number on the way: every shortest way has one square of each
/// layer.
pub(crate) struct Layers {
    length: u32,
    /// The squares that shorten the distance when a stone that the player may use is placed there.
    helpful: u64,
    /// The squares that every shortest way needs: those that are alone in their layer.
    needed: u64,
}

impl Layers {
    pub(crate) fn new(usable: u64, empty: u64, [from, to]: [u64; 2]) -> Self {
        let mut forward = [0; UNREACHABLE as usize];
        let length = sweep(usable, empty, [from, to], |number, squares| forward[number as usize] = squares);
        let mut layers = Self { length, helpful: 0, needed: 0 };
        if length == UNREACHABLE {
            return layers;
        }
        let mut backward = [0; UNREACHABLE as usize];
        sweep(usable, empty, [to, from], |number, squares| backward[number as usize] = squares);
        let length = length as usize;
        for number in 0..length {
            let layer = forward[number] & backward[length - 1 - number];
            layers.helpful |= layer;
            if layer.count() == 1 {
                layers.needed |= layer;
            }
        }
        layers
    }

    /// The distance as it is.
    pub(crate) const fn length(&self) -> u32 {
        self.length
    }

    /// Would the distance shrink with a stone on this square that the player may use?
    pub(crate) const fn helped_by(&self, bit: u64) -> bool {
        self.helpful & bit != 0
    }

    /// Would the distance grow without this square?
    pub(crate) const fn need(&self, bit: u64) -> bool {
        self.needed & bit != 0
    }
}

/// [`distance`], which also tells its caller the empty squares that are first reached with each further stone.
#[inline]
fn sweep(usable: u64, empty: u64, [from, to]: [u64; 2], mut tell: impl FnMut(u32, u64)) -> u32 {
    let mut reached = closure(from & usable, usable);
    let mut stones = 0;
    while reached & to == 0 {
        let step = (from | beside(reached)) & empty & !reached;
        if step == 0 {
            return UNREACHABLE;
        }
        tell(stones, step);
        stones += 1;
        reached = closure(reached | step, usable);
    }
    stones
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use plyground_core::{Game, Player, Scratch, Seed, Turn};

    use super::*;
    use crate::crosphere::Crosphere;

    /// The textbook form: an array of squares and a queue with two ends. Costs: 0 usable, 1 empty, `None` blocked.
    fn plain_distance(costs: &[Vec<Option<u32>>], across: bool) -> u32 {
        let (ranks, files) = (costs.len(), costs[0].len());
        let mut best = vec![vec![u32::MAX; files]; ranks];
        let mut queue = VecDeque::new();
        let starts: Vec<(usize, usize)> =
            if across { (0..ranks).map(|rank| (rank, 0)).collect() } else { (0..files).map(|file| (0, file)).collect() };
        for (rank, file) in starts {
            if let Some(cost) = costs[rank][file] {
                best[rank][file] = cost;
                if cost == 0 {
                    queue.push_front((rank, file));
                } else {
                    queue.push_back((rank, file));
                }
            }
        }
        while let Some((rank, file)) = queue.pop_front() {
            let around = [(rank + 1, file), (rank.wrapping_sub(1), file), (rank, file + 1), (rank, file.wrapping_sub(1))];
            for (r, f) in around.into_iter().filter(|&(r, f)| r < ranks && f < files) {
                let Some(cost) = costs[r][f] else { continue };
                let way = best[rank][file] + cost;
                if way < best[r][f] {
                    best[r][f] = way;
                    if cost == 0 {
                        queue.push_front((r, f));
                    } else {
                        queue.push_back((r, f));
                    }
                }
            }
        }
        let ends: Vec<u32> = if across { best.iter().map(|row| row[files - 1]).collect() } else { best[ranks - 1].clone() };
        ends.into_iter().min().filter(|&length| length != u32::MAX).unwrap_or(UNREACHABLE)
    }

    #[test]
    fn distances_are_those_of_a_plain_search() {
        let mut rng = Seed(11).rng();
        let mut unreachable = 0;
        for _ in 0..4_000 {
            let (files, ranks) = (2 + rng.below(7) as u8, 2 + rng.below(7) as u8);
            let game = Crosphere::new(files, ranks, 5);
            // Stones of all kinds, many or few: also boards that no game reaches.
            let (mut kinds, mut sets) = (vec![vec![0; usize::from(files)]; usize::from(ranks)], [0_u64; 4]);
            let crowd = 4 + rng.below(12);
            for (rank, row) in kinds.iter_mut().enumerate() {
                for (file, kind) in row.iter_mut().enumerate() {
                    *kind = (rng.below(crowd) as usize + 1).min(4) % 4;
                    sets[*kind] |= 1 << (rank * 8 + file);
                }
            }
            let [empty, green, pink, weak] = sets;
            let found = distances([green | weak, pink | weak], empty, game.edges());
            for player in Player::BOTH {
                let own = 1 + player.index();
                let cost = |kind: usize| match kind {
                    0 => Some(1),
                    3 => Some(0),
                    kind => (kind == own).then_some(0),
                };
                let costs: Vec<Vec<Option<u32>>> = kinds.iter().map(|row| row.iter().map(|&kind| cost(kind)).collect()).collect();
                let wanted = plain_distance(&costs, player == Player::Second);
                assert_eq!(found[player.index()], wanted, "{files}x{ranks} {kinds:?} {player:?}");
                unreachable += u32::from(wanted == UNREACHABLE);
                assert_eq!(linked([green | weak, pink | weak], game.edges())[player.index()], wanted == 0);
            }
        }
        assert!(unreachable > 100);
    }

    #[test]
    fn layers_foretell_the_distance_after_every_stone() {
        let mut rng = Seed(12).rng();
        let game = Crosphere::new(6, 7, 4);
        let mut scratch = Scratch::default();
        for _ in 0..300 {
            let mut state = game.start();
            while let Turn::Player(_) = game.turn(&state) {
                let empty = game.empty(&state);
                for player in Player::BOTH {
                    let (usable, edges) = (state.strong[player.index()] | state.weak, game.edges()[player.index()]);
                    let layers = Layers::new(usable, empty, edges);
                    assert_eq!(layers.length(), distance(usable, empty, edges));
                    for index in empty.squares() {
                        let bit = 1 << index;
                        let with_stone = distance(usable | bit, empty & !bit, edges);
                        assert_eq!(with_stone, layers.length() - u32::from(layers.helped_by(bit)));
                        let blocked = distance(usable, empty & !bit, edges);
                        assert_eq!(layers.need(bit), blocked > layers.length());
                    }
                }
                let mv = game.random_move(&state, &mut rng, &mut scratch);
                game.play(&mut state, mv);
            }
        }
    }
}
