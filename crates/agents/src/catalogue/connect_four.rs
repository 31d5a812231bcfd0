//! The agents of Connect Four.

use super::Entry;

/// Measured in docs/levels.md.
const LEVELS: [&str; 8] = [
    "mcts:sims=9",
    "mcts:sims=22",
    "mcts:sims=48",
    "mcts:sims=105",
    "mcts:sims=240",
    "mcts:sims=700,solver=on",
    "mcts:sims=3500,solver=on,time=900ms",
    "mcts:sims=20000,solver=on,time=1900ms",
];

pub(super) const ENTRY: Entry = Entry { levels: LEVELS, best: "solve:time=1900ms", network: None, presets: &[] };
