//! The agents of Crosphere.

use plyground_core::Params;

use super::{Entry, Preset};

/// Measured in docs/levels.md.
const LEVELS: [&str; 8] = [
    "alphabeta:depth=1,slip=0.16",
    "alphabeta:depth=1,slip=0.05",
    "alphabeta:nodes=1500",
    "alphabeta:nodes=5500",
    "alphabeta:nodes=28000",
    "alphabeta:nodes=250000",
    "alphabeta:nodes=2200000,time=900ms",
    "alphabeta:nodes=7000000,time=1900ms",
];

/// The opponents of the thesis' app: its three kinds in their three strengths. Its network is for 8x8 boards only.
const THESIS_APP: &[Preset] = &[
    Preset {
        name: "thesis-rollouts-125",
        summary: "the thesis' app, random games, weak",
        spec: "mcts:preset=crosphere,leaf=rollout,sims=125",
    },
    Preset {
        name: "thesis-rollouts-250",
        summary: "the thesis' app, random games, medium",
        spec: "mcts:preset=crosphere,leaf=rollout,sims=250",
    },
    Preset {
        name: "thesis-rollouts-500",
        summary: "the thesis' app, random games, strong",
        spec: "mcts:preset=crosphere,leaf=rollout,sims=500",
    },
    Preset { name: "thesis-heuristic-125", summary: "the thesis' app, heuristic, weak", spec: "mcts:preset=crosphere,sims=125" },
    Preset {
        name: "thesis-heuristic-250",
        summary: "the thesis' app, heuristic, medium",
        spec: "mcts:preset=crosphere,sims=250",
    },
    Preset {
        name: "thesis-heuristic-500",
        summary: "the thesis' app, heuristic, strong",
        spec: "mcts:preset=crosphere,sims=500",
    },
    Preset {
        name: "thesis-cnn-125",
        summary: "the thesis' app, network, weak",
        spec: "mcts:preset=crosphere,leaf=net,net=thesis-cnn,sims=125",
    },
    Preset {
        name: "thesis-cnn-250",
        summary: "the thesis' app, network, medium",
        spec: "mcts:preset=crosphere,leaf=net,net=thesis-cnn,sims=250",
    },
    Preset {
        name: "thesis-cnn-500",
        summary: "the thesis' app, network, strong",
        spec: "mcts:preset=crosphere,leaf=net,net=thesis-cnn,sims=500",
    },
];

/// How many of [`THESIS_APP`], from the first, need no network.
const WITHOUT_NETWORK: usize = 6;

pub(super) fn entry(params: &Params) -> Entry {
    if super::size(params) == Some([8, 8]) {
        return Entry { levels: LEVELS, best: "az:time=1900ms", network: Some("crosphere-8x8"), presets: THESIS_APP };
    }
    Entry { levels: LEVELS, best: "alphabeta:time=1900ms", network: None, presets: &THESIS_APP[..WITHOUT_NETWORK] }
}
