//! All moves as first (Brügmann 1993): how games went in which a move was played at any time after a node.

use plyground_core::{Player, hash_state};

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The node in the upper half, the move in the lower half; 0 is free.
    key: u64,
    games: u32,
    /// The sum of the rewards in the first player's view.
    sum: f32,
}

const FREE: Entry = Entry { key: 0, games: 0, sum: 0.0 };
const LEAST: usize = 1 << 10;
/// Larger tables are not kept from one search to the next.
const KEPT: usize = 1 << 16;

/// A move of a player, as a number. Two of the few hundred moves of a game have the same one in a case of ten million.
#[inline]
pub(crate) fn move_key<M: std::hash::Hash>(player: Player, mv: M) -> u32 {
    hash_state(&(player, mv)) as u32 | 1
}

/// The statistics of all nodes in one table (open addressing).
#[derive(Clone, Debug)]
pub(crate) struct Amaf {
    entries: Vec<Entry>,
    used: usize,
    most: usize,
    pub full: bool,
}

impl Amaf {
    /// An empty table, which will grow to `most` bytes.
    pub fn new(most: usize) -> Self {
        Self { entries: Vec::new(), used: 0, most, full: false }
    }

    pub fn clear(&mut self) {
        // To clear a table that grew large takes longer than to give it back.
        if self.entries.len() > KEPT {
            self.entries = Vec::new();
        }
        self.entries.fill(FREE);
        self.used = 0;
        self.full = false;
    }

    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
    }

    fn place(&self, key: u64) -> usize {
        let mask = self.entries.len() - 1;
        let mut place = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.entries[place].key != key && self.entries[place].key != 0 {
            place = (place + 1) & mask;
        }
        place
    }

    /// Games and average reward, in the first player's view, of a move after a node.
    pub fn get(&self, node: u32, mv: u32) -> Option<(u32, f32)> {
        if self.entries.is_empty() {
            return None;
        }
        let entry = self.entries[self.place(key(node, mv))];
        (entry.games > 0).then(|| (entry.games, entry.sum / entry.games as f32))
    }

    /// A game in which a move was played after a node.
    pub fn add(&mut self, node: u32, mv: u32, reward: f32) {
        self.merge(Entry { key: key(node, mv), games: 1, sum: reward });
    }

    fn merge(&mut self, new: Entry) {
        // Kept at most two thirds full. A full table still counts for the nodes that it knows.
        if 3 * self.used >= 2 * self.entries.len() && !self.full {
            self.grow();
        }
        if self.entries.is_empty() {
            return;
        }
        let place = self.place(new.key);
        let entry = &mut self.entries[place];
        if entry.key == 0 {
            if self.full {
                return;
            }
            self.used += 1;
            entry.key = new.key;
        }
        entry.games += new.games;
        entry.sum += new.sum;
    }

    #[cold]
    fn grow(&mut self) {
        let wanted = (2 * self.entries.len()).max(LEAST);
        // Old and new table exist side by side for a moment.
        if 3 * wanted / 2 * size_of::<Entry>() > self.most {
            self.full = true;
            return;
        }
        let old = std::mem::replace(&mut self.entries, vec![FREE; wanted]);
        for entry in old.into_iter().filter(|entry| entry.key != 0) {
            let place = self.place(entry.key);
            self.entries[place] = entry;
        }
    }

    /// Keeps the nodes that have a new number, under that number.
    pub fn renumber(&mut self, new: impl Fn(u32) -> Option<u32>) {
        let old = self.entries.clone();
        self.clear();
        for entry in old.into_iter().filter(|entry| entry.key != 0) {
            if let Some(node) = new((entry.key >> 32) as u32) {
                self.merge(Entry { key: key(node, entry.key as u32), ..entry });
            }
        }
    }
}

#[inline]
fn key(node: u32, mv: u32) -> u64 {
    u64::from(node) << 32 | u64::from(mv)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_survive_growth_and_renumbering() {
        let mut amaf = Amaf::new(1 << 20);
        for node in 0..1_000 {
            for mv in 1..=5 {
                for game in 0..mv {
                    amaf.add(node, mv, if game == 0 { 1.0 } else { 0.0 });
                }
            }
        }
        assert_eq!(amaf.get(999, 4), Some((4, 0.25)));
        assert_eq!(amaf.get(1_000, 4), None);
        amaf.renumber(|node| (node >= 500).then(|| node - 500));
        assert_eq!((amaf.get(499, 5), amaf.get(500, 5)), (Some((5, 0.2)), None));
    }

    #[test]
    fn a_full_table_says_so_and_goes_on_counting_what_it_knows() {
        let mut amaf = Amaf::new(100_000);
        for node in 0..100_000 {
            amaf.add(node, 1, 1.0);
        }
        assert!(amaf.full && amaf.bytes() <= 100_000);
        amaf.add(0, 1, 0.0);
        assert_eq!(amaf.get(0, 1), Some((2, 0.5)));
        assert_eq!(amaf.get(99_999, 1), None);
    }
}
