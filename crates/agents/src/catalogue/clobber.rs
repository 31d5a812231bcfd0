//! The agents of Clobber.

use plyground_core::Params;

use super::Entry;

/// Measured in docs/levels.md.
const LEVELS: [&str; 8] = [
    "mcts:sims=13",
    "mcts:sims=60",
    "mcts:sims=270",
    "mcts:sims=1200",
    "mcts:sims=5500,solver=on",
    "mcts:sims=25000,solver=on",
    "mcts:sims=110000,solver=on,time=900ms",
    "solve:time=1900ms",
];

pub(super) fn entry(params: &Params) -> Entry {
    let network = super::size(params).is_some_and(|size| size.iter().all(|side| (8..=10).contains(side))).then_some("clobber");
    // Boards without a network are solved in time.
    let best = if network.is_some() { "az:time=1900ms" } else { "solve:time=1900ms" };
    Entry { levels: LEVELS, best, network, presets: &[] }
}
