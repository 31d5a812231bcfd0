//! The agents of Breakthrough.

use super::Entry;

/// Measured in docs/levels.md.
const LEVELS: [&str; 8] = [
    "mcts:sims=10",
    "mcts:sims=30",
    "mcts:sims=100",
    "mcts:sims=300",
    "mcts:sims=900,solver=on",
    "mcts:sims=2700,solver=on",
    "mcts:sims=8000,solver=on,time=900ms",
    "mcts:sims=25000,solver=on,time=1900ms",
];

pub(super) const ENTRY: Entry = Entry { levels: LEVELS, best: "alphabeta:time=1900ms", network: None, presets: &[] };
