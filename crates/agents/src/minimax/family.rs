//! The agents: each is a name, a set of keys, and a way of asking at the root.

use plyground_core::{Evaluated, InputError, KeyInfo, Params, Resources};

use super::Searcher;
use super::settings::{
    ASPIRATION, CHANCE, CONTEMPT, COUNTED, DEEPER, DEPTH, ENDS, EVAL, FOLLOW, FORM, FUTILITY, ITERATIVE, Method, NULL, ORDER,
    PROGRESS, QUIESCENCE, REDUCE, REPLACE, SAMPLES, SHUFFLE, SINGULAR, STAR, Settings, TABLE, THREADS,
};
use crate::{AgentInfo, NODES, TIME, evaluator};

const WINDOW_KEYS: &[KeyInfo] = &[
    DEPTH, COUNTED, NODES, TIME, EVAL, ITERATIVE, TABLE, REPLACE, ORDER, ASPIRATION, REDUCE, QUIESCENCE, SINGULAR, SHUFFLE,
    CONTEMPT, CHANCE, ENDS, FOLLOW, NULL, FUTILITY, DEEPER, PROGRESS, THREADS,
];
const NULL_WINDOW_KEYS: &[KeyInfo] = &[
    DEPTH, COUNTED, NODES, TIME, EVAL, ITERATIVE, TABLE, REPLACE, ORDER, REDUCE, QUIESCENCE, SINGULAR, SHUFFLE, CONTEMPT, CHANCE,
    ENDS, FOLLOW, NULL, FUTILITY, DEEPER, PROGRESS, THREADS,
];

const NAMES: [&str; 6] = ["alphabeta", "pvs", "negascout", "mtdf", "sss", "expectimax"];

/// How the agent with this name asks.
pub(super) fn method(name: &str, params: &Params) -> Result<Method, InputError> {
    Ok(match name {
        "alphabeta" | "expectimax" => Method::AlphaBeta,
        "pvs" | "negascout" => Method::PrincipalVariation,
        "mtdf" => Method::FromGuess,
        "sss" => [Method::FromAbove, Method::OpenList][params.choice("form", &["memory", "list"])?],
        _ => return Err(InputError::unknown("search", name, NAMES)),
    })
}

/// Makes sure that the agent with this name understands the values of these keys.
pub(crate) fn check(name: &str, params: &Params) -> Result<(), InputError> {
    Settings::read(method(name, params)?, params).map(|_| ())
}

fn make<G: Evaluated>(name: &str, game: &G, params: &Params) -> Result<Searcher<G::Evaluator>, InputError> {
    Searcher::new(name, params, evaluator(game, params)?)
}

/// Declares the modules that the list of agents wants: a description and a function that makes the agent.
macro_rules! agents {
    ($($name:ident: $summary:expr, $keys:expr;)+) => {
        $(pub(crate) mod $name {
            use super::*;

            pub(crate) const INFO: AgentInfo =
                AgentInfo { name: stringify!($name), summary: $summary, keys: $keys, evaluates: true };

            pub(crate) fn build<G: Evaluated>(
                game: &G,
                params: &Params,
                _: &dyn Resources,
            ) -> Result<Searcher<G::Evaluator>, InputError> {
                make(INFO.name, game, params)
            }
        })+
    };
}

agents! {
    alphabeta: "minimax that cuts off what cannot matter (fail-soft alpha-beta)", WINDOW_KEYS;
    pvs: "alpha-beta in which later moves must first prove that they are better (principal variation search)", WINDOW_KEYS;
    negascout: "another name of pvs", WINDOW_KEYS;
    mtdf: "alpha-beta in null windows that close in on the value (MTD(f))", NULL_WINDOW_KEYS;
    sss: "best-first minimax (SSS*)", &[
        DEPTH, COUNTED, NODES, TIME, EVAL, FORM, ITERATIVE, TABLE, REPLACE, ORDER, REDUCE, QUIESCENCE, SINGULAR, SHUFFLE, CONTEMPT,
        CHANCE, ENDS, FOLLOW,
    ];
    expectimax: "alpha-beta for games of chance (Star1 and Star2 pruning, sampling)", &[
        DEPTH, COUNTED, NODES, TIME, EVAL, STAR, SAMPLES, ITERATIVE, TABLE, REPLACE, ORDER, ASPIRATION, REDUCE, QUIESCENCE, SINGULAR,
        SHUFFLE, CONTEMPT, CHANCE, ENDS, FOLLOW, NULL, FUTILITY, DEEPER, PROGRESS, THREADS,
    ];
}
