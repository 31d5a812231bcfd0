//! Published and independently computed counts of move sequences.
//!
//! Those of Breakthrough were counted with OpenSpiel 2.0.2 (`breakthrough` with `rows` and `columns`), for boards of six rows and more.

use std::collections::BTreeMap;

use plyground_core::{PlayableGame, Visitor, divide, perft};
use plyground_games::open;

/// Game spec -> counts for depth 1, 2, 3 …
fn tables() -> BTreeMap<String, Vec<u64>> {
    serde_json::from_str(include_str!("data/perft.json")).unwrap()
}

struct Counts<'a>(&'a [u64]);

impl Visitor for Counts<'_> {
    type Output = ();
    fn visit<G: PlayableGame>(self, game: G, state: G::State) {
        for (index, &expected) in self.0.iter().enumerate() {
            let depth = index as u32 + 1;
            assert_eq!(perft(&game, &state, depth), expected, "{} depth {depth}", game.spec());
            let parts: u64 = divide(&game, &state, depth).iter().map(|(_, count)| count).sum();
            assert_eq!(parts, expected, "{} depth {depth}, divided", game.spec());
        }
    }
}

#[test]
fn counts_are_as_published() {
    // Deeper rows of the tables are for `ply perft`: here each game gets a second at most.
    const LARGEST: u64 = 20_000_000;
    let tables = tables();
    assert!(!tables.is_empty());
    for (spec, counts) in &tables {
        let shallow: Vec<u64> = counts.iter().copied().take_while(|&count| count <= LARGEST).collect();
        open(spec, None, Counts(&shallow)).unwrap();
    }
}
