//! The agents of Breakthrough.

use super::Entry;

/// Measured in docs/levels.md.
const LEVELS: [&str; 8] = [
    "mcts:sims=24",
    "mcts:sims=33",
    "mcts:sims=52",
    "mcts:sims=100",
    "mcts:sims=190",
    "mcts:sims=360,solver=on",
    "mcts:sims=760,solver=on,time=900ms",
    "mcts:sims=1600,solver=on,time=1900ms",
];

/// The strongest agent has not been looked for yet: this is the kind of the levels, with more time.
pub(super) const ENTRY: Entry = Entry { levels: LEVELS, best: "mcts:solver=on,time=1900ms", network: None, presets: &[] };
