//! The map from positions to nodes, for trees with transpositions.

/// A table from the keys of positions to nodes (open addressing).
#[derive(Clone, Debug)]
pub(crate) struct Positions {
    /// The key and one more than the node; 0 is free.
    entries: Vec<(u64, u32)>,
    used: usize,
    most: usize,
    pub full: bool,
}

const LEAST: usize = 1 << 10;
/// Larger tables are not kept from one search to the next.
const KEPT: usize = 1 << 16;

impl Positions {
    /// An empty table, which will grow to `most` bytes.
    pub fn new(most: usize) -> Self {
        Self { entries: Vec::new(), used: 0, most, full: false }
    }

    pub fn clear(&mut self) {
        // To clear a table that grew large takes longer than to give it back.
        if self.entries.len() > KEPT {
            self.entries = Vec::new();
        }
        self.entries.fill((0, 0));
        self.used = 0;
        self.full = false;
    }

    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<(u64, u32)>()
    }

    fn place(&self, key: u64) -> usize {
        let mask = self.entries.len() - 1;
        let mut place = (key >> 20) as usize & mask;
        while self.entries[place].1 != 0 && self.entries[place].0 != key {
            place = (place + 1) & mask;
        }
        place
    }

    /// The node of a position.
    pub fn get(&self, key: u64) -> Option<u32> {
        if self.entries.is_empty() {
            return None;
        }
        self.entries[self.place(key)].1.checked_sub(1)
    }

    /// Remembers the node of a position that is not known yet. When the memory is used up, it is not shared.
    pub fn insert(&mut self, key: u64, node: u32) {
        if 3 * self.used >= 2 * self.entries.len() {
            self.grow();
        }
        if !self.full {
            let place = self.place(key);
            self.entries[place] = (key, node + 1);
            self.used += 1;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let wanted = (2 * self.entries.len()).max(LEAST);
        // Old and new table exist side by side for a moment.
        if self.full || 3 * wanted / 2 * size_of::<(u64, u32)>() > self.most {
            self.full = true;
            return;
        }
        let old = std::mem::replace(&mut self.entries, vec![(0, 0); wanted]);
        for entry in old.into_iter().filter(|entry| entry.1 != 0) {
            let place = self.place(entry.0);
            self.entries[place] = entry;
        }
    }

    /// Keeps the nodes that have a new number, under that number.
    pub fn renumber(&mut self, new: impl Fn(u32) -> Option<u32>) {
        let old = self.entries.clone();
        self.clear();
        for (key, node) in old.into_iter().filter(|entry| entry.1 != 0) {
            if let Some(node) = new(node - 1) {
                self.insert(key, node);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_found_again_until_the_memory_is_used_up() {
        let key = |node: u32| u64::from(node).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut positions = Positions::new(1 << 20);
        for node in 0..100_000 {
            assert_eq!(positions.get(key(node)), None);
            positions.insert(key(node), node);
        }
        assert!(positions.full && positions.bytes() <= 1 << 20);
        assert_eq!((positions.get(key(7)), positions.get(key(99_999))), (Some(7), None));
        positions.renumber(|node| (node == 7).then_some(3));
        assert_eq!((positions.get(key(7)), positions.get(key(8))), (Some(3), None));
    }
}
