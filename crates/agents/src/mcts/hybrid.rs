//! MCTS-minimax hybrids (Baier and Winands, 2013 and 2015): shallow minimax, which knows only ends of games, inside Monte Carlo tree
//! search. Trees that grow towards what looks promising overlook traps a few plies deep; minimax does not.

use plyground_core::{InputError, KeyInfo, Params, PlayableGame, Resources};

use super::options::{C, CUT, EVAL, FINAL, FORMULA, LEAF, MEMORY, Minimax, NET, Options, PARALLEL, REUSE, THREADS};
use super::uct::Uct;
use crate::{AgentInfo, SIMS, TIME};

pub(crate) const INFO: AgentInfo = AgentInfo {
    name: "hybrid",
    summary: "Monte Carlo tree search with a solver and shallow minimax in the tree, in rollouts and on the way back",
    keys: &[
        KeyInfo { default: "1000, or until time is used up", ..SIMS },
        TIME,
        KeyInfo {
            key: "select",
            value: "PLIES",
            default: "2",
            meaning: "minimax to this depth at nodes of the tree (MCTS-MS); 0 is off",
        },
        KeyInfo { key: "visits", value: "N", default: "2", meaning: "with select: when a node has been visited N times" },
        KeyInfo {
            key: "rollout",
            value: "PLIES",
            default: "0",
            meaning: "minimax to this depth before every move of a rollout (MCTS-MR); 0 is off",
        },
        KeyInfo {
            key: "backprop",
            value: "PLIES",
            default: "0",
            meaning: "minimax to this depth where a proven loss comes back (MCTS-MB); 0 is off",
        },
        C,
        FORMULA,
        LEAF,
        CUT,
        NET,
        EVAL,
        FINAL,
        REUSE,
        THREADS,
        PARALLEL,
        MEMORY,
    ],
    evaluates: true,
};

pub(crate) fn build<G: PlayableGame>(game: &G, params: &Params, resources: &dyn Resources) -> Result<Uct<G>, InputError> {
    let minimax = Minimax {
        select: params.number("select", 0..=20)?.unwrap_or(2),
        visits: params.number("visits", 0..=u32::MAX)?.unwrap_or(2),
        rollout: params.number("rollout", 0..=20)?.unwrap_or(0),
        backprop: params.number("backprop", 0..=20)?.unwrap_or(0),
    };
    if minimax.rollout > 0 && params.get("leaf") == Some("net") {
        return Err(InputError::malformed("key", "rollout", "with leaf=net there are no rollouts"));
    }
    let options = Options { solver: true, minimax, ..Options::read(params)? };
    Uct::new(options, game, params, resources)
}
