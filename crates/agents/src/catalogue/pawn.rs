//! The agents of the Pawn Game.

use plyground_core::Params;

use super::{Entry, Preset};

/// For boards that are solved within a move's time; measured in docs/levels.md.
const SMALL_LEVELS: [&str; 8] = [
    "random",
    "mcts:sims=3",
    "mcts:sims=7",
    "mcts:sims=16",
    "mcts:sims=40",
    "mcts:sims=115",
    "mcts:sims=330",
    "solve:time=1900ms",
];

/// For larger boards; measured in docs/levels.md.
const LEVELS: [&str; 8] = [
    "mcts:sims=100",
    "mcts:sims=300",
    "mcts:sims=900",
    "mcts:sims=2350,solver=on",
    "mcts:sims=7000,solver=on",
    "mcts:sims=19000,solver=on",
    "mcts:sims=50000,solver=on,time=900ms",
    "mcts:sims=105000,solver=on,time=1900ms",
];

/// The players of the study's large table, as its program has them. Its random player is `random`.
const STUDY: &[Preset] = &[
    Preset { name: "study-mcts-1", summary: "its program, tree search with 1 rollout", spec: "mcts:preset=pawn-code,sims=1" },
    Preset { name: "study-mcts-10", summary: "its program, tree search with 10 rollouts", spec: "mcts:preset=pawn-code,sims=10" },
    Preset {
        name: "study-mcts-100",
        summary: "its program, tree search with 100 rollouts",
        spec: "mcts:preset=pawn-code,sims=100",
    },
    Preset {
        name: "study-mcts-500",
        summary: "its program, tree search with 500 rollouts",
        spec: "mcts:preset=pawn-code,sims=500",
    },
    Preset {
        name: "study-adv-2",
        summary: "its program, depth 2 with the advanced evaluation",
        spec: "alphabeta:depth=2,counted=child,eval=advanced,as=code",
    },
    Preset {
        name: "study-adv-3",
        summary: "its program, depth 3 with the advanced evaluation",
        spec: "alphabeta:depth=3,counted=child,eval=advanced,as=code",
    },
    Preset {
        name: "study-adv-4",
        summary: "its program, depth 4 with the advanced evaluation",
        spec: "alphabeta:depth=4,counted=child,eval=advanced,as=code",
    },
    Preset {
        name: "study-adv-5",
        summary: "its program, depth 5 with the advanced evaluation",
        spec: "alphabeta:depth=5,counted=child,eval=advanced,as=code",
    },
    Preset {
        name: "study-simple-2",
        summary: "its program, depth 2 with the simple evaluation",
        spec: "alphabeta:depth=2,counted=child,eval=simple,as=code",
    },
    Preset {
        name: "study-simple-3",
        summary: "its program, depth 3 with the simple evaluation",
        spec: "alphabeta:depth=3,counted=child,eval=simple,as=code",
    },
    Preset {
        name: "study-simple-4",
        summary: "its program, depth 4 with the simple evaluation",
        spec: "alphabeta:depth=4,counted=child,eval=simple,as=code",
    },
    Preset {
        name: "study-simple-5",
        summary: "its program, depth 5 with the simple evaluation",
        spec: "alphabeta:depth=5,counted=child,eval=simple,as=code",
    },
];

pub(super) fn entry(params: &Params) -> Entry {
    let levels = if super::squares(params).is_some_and(|squares| squares <= 25) { SMALL_LEVELS } else { LEVELS };
    let network = (super::size(params) == Some([8, 8]) && !params.has("double")).then_some("pawn-8x8");
    // Boards of up to 36 squares are solved in about a second, and on larger ones the solver is strong before it knows everything.
    let best = if network.is_some() { "az:time=1900ms" } else { "solve:time=1900ms" };
    Entry { levels, best, network, presets: STUDY }
}
