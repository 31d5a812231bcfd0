//! The agents of Clobber.

use plyground_core::Params;

use super::{Entry, Preset};

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

/// The opponents of the thesis of 2017 (tables B.2 to B.4), with the playouts that it gives them. Those of UCT are counted for each legal
/// move, too: so they win what they won there (docs/studies/clobber.md).
const THESIS: &[Preset] = &[
    Preset { name: "thesis-mc-10", summary: "the thesis' Monte Carlo, 10 playouts for each move", spec: "mc:playouts=10" },
    Preset { name: "thesis-mc-100", summary: "the thesis' Monte Carlo, 100 playouts for each move", spec: "mc:playouts=100" },
    Preset { name: "thesis-mc-1000", summary: "the thesis' Monte Carlo, 1,000 playouts for each move", spec: "mc:playouts=1000" },
    Preset {
        name: "thesis-uct-10",
        summary: "the thesis' UCT, 10 playouts for each move",
        spec: "mcts:preset=clobber,playouts=10",
    },
    Preset {
        name: "thesis-uct-100",
        summary: "the thesis' UCT, 100 playouts for each move",
        spec: "mcts:preset=clobber,playouts=100",
    },
    Preset {
        name: "thesis-uct-1000",
        summary: "the thesis' UCT, 1,000 playouts for each move",
        spec: "mcts:preset=clobber,playouts=1000",
    },
];

pub(super) fn entry(params: &Params) -> Entry {
    let network = super::size(params).is_some_and(|size| size.iter().all(|side| (8..=10).contains(side))).then_some("clobber");
    // Boards without a network are solved in time.
    let best = if network.is_some() { "az:time=1900ms" } else { "solve:time=1900ms" };
    Entry { levels: LEVELS, best, network, presets: THESIS }
}
