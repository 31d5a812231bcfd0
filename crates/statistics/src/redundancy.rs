//! Redundancy: the share of games that repeat an earlier one.

use std::collections::HashMap;
use std::hash::Hash;

/// The share of games that repeat an earlier one, of all that were counted: from 0 (all differ) to nearly 1 (one game over and
/// over, as deterministic agents play it). A game is named by its moves or a hash of them, and may be listed more than once.
pub fn redundancy<K: Eq + Hash>(games: impl IntoIterator<Item = (K, u64)>) -> f64 {
    let mut counts: HashMap<K, u64> = HashMap::new();
    for (game, count) in games {
        *counts.entry(game).or_default() += count;
    }
    let total: u64 = counts.values().sum();
    let repeated: u64 = counts.values().map(|count| count.saturating_sub(1)).sum();
    if total == 0 { 0.0 } else { repeated as f64 / total as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_game_but_the_first_of_its_kind_is_redundant() {
        assert_eq!(redundancy::<u64>([]), 0.0);
        assert_eq!(redundancy([(7, 0)]), 0.0);
        assert_eq!(redundancy([("a b c", 1), ("a b d", 1)]), 0.0);
        assert_eq!(redundancy([(1, 10)]), 0.9);
        assert_eq!(redundancy([(1, 2), (2, 1), (1, 1)]), 0.5);
    }
}
