//! The switches of Monte Carlo tree search: how they are called in a spec, and what they are when nothing is said.

use plyground_core::{InputError, KeyInfo, Params};

use super::leaf::Leaf;
use crate::net::one_ply;
use crate::{SIMS, TIME};

/// The choice of the move to play after the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Final {
    /// The most visited move.
    Visits,
    /// The highest average.
    Value,
    /// The highest lower bound: the average less one over the root of the visits.
    Secure,
}

/// Minimax inside the search (Baier and Winands, 2013), by depth; 0 is off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Minimax {
    /// For every move of a rollout.
    pub rollout: u32,
    /// When a node of the tree is visited for the `visits`-th time.
    pub select: u32,
    pub visits: u32,
    /// When a proven loss comes back to a node.
    pub backprop: u32,
}

/// All switches.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own in the spec")]
pub(crate) struct Options {
    /// Simulations for each legal move.
    pub playouts: Option<u64>,
    /// The weight of sqrt(ln N / n).
    pub exploration: f32,
    pub leaf: Leaf,
    pub last: Final,
    /// In bytes.
    pub memory: usize,
    pub solver: bool,
    /// The weight b of the bias of all-moves-as-first statistics, and the visits that a node needs for its own to be used.
    pub rave: Option<(f32, u32)>,
    /// The weight of the evaluator's opinion.
    pub bias: f32,
    /// The exponent of the visits that gives the number of moves to consider.
    pub widening: Option<f32>,
    /// The value of a move that has not been tried.
    pub first_play: Option<f32>,
    pub open_loop: bool,
    pub transpositions: bool,
    pub reuse: bool,
    pub threads: usize,
    /// Do all threads share one tree?
    pub one_tree: bool,
    pub minimax: Minimax,
}

impl Options {
    /// Is this nothing but UCT? Then the search runs through code that knows of nothing else.
    pub fn is_plain(&self) -> bool {
        !self.solver
            && self.rave.is_none()
            && self.bias == 0.0
            && self.widening.is_none()
            && self.first_play.is_none()
            && !self.transpositions
    }

    /// Does the search look at the evaluator's opinion of all moves of a position?
    pub fn judges_children(&self) -> bool {
        !self.open_loop && (self.leaf == Leaf::Eval || self.bias > 0.0 || self.widening.is_some())
    }
}

pub(crate) const C: KeyInfo =
    KeyInfo { key: "c", value: "C", default: "1.414", meaning: "exploration: the constant c of the formula" };
pub(crate) const FORMULA: KeyInfo = KeyInfo {
    key: "formula",
    value: "ln|2ln",
    default: "ln",
    meaning: "upper bound of a move: w/n + c * sqrt(ln N / n), or w/n + c * sqrt(2 ln N / n)",
};
pub(crate) const LEAF: KeyInfo = KeyInfo {
    key: "leaf",
    value: "KIND",
    default: "rollout",
    meaning: "how the end of a simulation is valued: rollout (a random game), heuristic-rollout (win at once, else the most \
              promising moves), cut-rollout (a short random game, then the evaluator), eval (the evaluator alone), net (a network)",
};
pub(crate) const NET: KeyInfo = KeyInfo { meaning: "with leaf=net: one of ply nets, or a file", ..one_ply::NET };
pub(crate) const CUT: KeyInfo =
    KeyInfo { key: "cut", value: "MOVES", default: "10", meaning: "with leaf=cut-rollout: moves before the evaluator is asked" };
pub(crate) const EVAL: KeyInfo =
    KeyInfo { key: "eval", value: "NAME", default: "the game's first", meaning: "the evaluator, where one is asked" };
pub(crate) const MEMORY: KeyInfo = KeyInfo {
    key: "memory",
    value: "MB",
    default: "512",
    meaning: "the tree grows no further than this; the search goes on with the tree there is",
};
pub(crate) const FINAL: KeyInfo = KeyInfo {
    key: "final",
    value: "visits|value|secure",
    default: "visits",
    meaning: "what is played: most visits (of equals the highest average), highest average (of equals the most visits), or highest \
              average less 1/sqrt(visits)",
};
pub(crate) const REUSE: KeyInfo =
    KeyInfo { key: "reuse", value: "on|off", default: "off", meaning: "keep what is still of use of the tree of the last move" };
pub(crate) const THREADS: KeyInfo = KeyInfo { key: "threads", value: "N", default: "1", meaning: "search with N threads" };
pub(crate) const PARALLEL: KeyInfo = KeyInfo {
    key: "parallel",
    value: "root|tree",
    default: "root",
    meaning: "with threads: a tree for each, compared now and then, or one tree for all with virtual losses, which pays only where \
              simulations are slow (and the same seed need not give the same move)",
};

/// The keys of `mcts`.
pub(crate) const KEYS: &[KeyInfo] = &[
    KeyInfo { default: "1000, or until playouts or time is used up", ..SIMS },
    KeyInfo {
        key: "playouts",
        value: "N",
        default: "no limit",
        meaning: "stop after N simulations for each legal move, as many as mc:playouts=N makes",
    },
    TIME,
    KeyInfo {
        key: "preset",
        value: "STUDY",
        default: "",
        meaning: "what a study used: crosphere, tictactoe, clobber, tuc or pawn; a key given beside it wins",
    },
    C,
    FORMULA,
    LEAF,
    CUT,
    NET,
    EVAL,
    FINAL,
    KeyInfo {
        key: "solver",
        value: "on|off",
        default: "off",
        meaning: "prove wins, draws and losses in the tree (Winands, Bjornsson and Saito 2008)",
    },
    KeyInfo {
        key: "rave",
        value: "B",
        default: "off",
        meaning: "also learn from moves played later in the game; their share is m/(n + m + B n m) (Gelly and Silver 2007)",
    },
    KeyInfo {
        key: "grave",
        value: "VISITS",
        default: "0",
        meaning: "with rave: a node with fewer visits uses the statistics of its nearest ancestor that has them (Cazenave 2015)",
    },
    KeyInfo {
        key: "bias",
        value: "W",
        default: "0",
        meaning: "progressive bias: add W * h/(n + 1), h the evaluator's win chance (Chaslot et al. 2008)",
    },
    KeyInfo {
        key: "widening",
        value: "W",
        default: "off",
        meaning: "consider only the W * sqrt(N) moves that the evaluator likes best (progressive widening, Coulom 2007)",
    },
    KeyInfo {
        key: "fpu",
        value: "V",
        default: "before all others",
        meaning: "first-play urgency: the bound of a move not yet tried, where 1 is a certain win",
    },
    KeyInfo {
        key: "chance",
        value: "closed|open",
        default: "closed",
        meaning: "a node for every outcome of chance, or nodes for moves only and the outcomes drawn anew each time",
    },
    KeyInfo {
        key: "transpositions",
        value: "on|off",
        default: "off",
        meaning: "one node for a position, however it is reached (for games in which positions do not repeat)",
    },
    REUSE,
    THREADS,
    PARALLEL,
    MEMORY,
];

/// What the studies used: a name, and the keys that it stands for.
const PRESETS: &[(&str, &str)] = &[
    ("crosphere", "c=0.3,leaf=eval"),
    ("tictactoe", "c=2,formula=2ln,leaf=heuristic-rollout"),
    ("clobber", "c=0.70710678,formula=2ln,final=value"),
    ("tuc", "c=1.41421356,leaf=cut-rollout,cut=10"),
    ("pawn", "c=1"),
];

/// The keys with those of the preset that they name.
pub(crate) fn with_preset(params: &Params) -> Result<Params, InputError> {
    if !params.has("preset") {
        return Ok(params.clone());
    }
    let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
    let (_, keys) = PRESETS[params.choice("preset", &names)?];
    // Another leaf makes the depth of the cut meaningless.
    let stands = |key: &str| !params.has(if key == "cut" { "leaf" } else { key }) && !params.has(key);
    let kept: Vec<&str> = keys.split(',').filter(|part| part.split('=').next().is_some_and(stands)).collect();
    Params::parse(&kept.join(","))?.joined(params.clone())
}

fn switch(params: &Params, key: &str) -> Result<bool, InputError> {
    Ok(params.choice(key, &["off", "on"])? == 1)
}

fn leaf(params: &Params) -> Result<Leaf, InputError> {
    let cut = params.number("cut", 0..=10_000)?;
    let leaf = match params.choice("leaf", &["rollout", "heuristic-rollout", "cut-rollout", "eval", "net"])? {
        0 => Leaf::Rollout,
        1 => Leaf::HeuristicRollout,
        2 => Leaf::CutRollout(cut.unwrap_or(10)),
        3 => Leaf::Eval,
        _ => Leaf::Net,
    };
    if cut.is_some() && !matches!(leaf, Leaf::CutRollout(_)) {
        return Err(InputError::malformed("key", "cut", "it belongs to leaf=cut-rollout"));
    }
    if params.has("net") && leaf != Leaf::Net {
        return Err(InputError::malformed("key", "net", "it belongs to leaf=net"));
    }
    Ok(leaf)
}

impl Options {
    /// Reads the switches of `mcts`.
    pub fn read(params: &Params) -> Result<Self, InputError> {
        let c = params.number("c", 0.0..=100.0)?.unwrap_or(std::f64::consts::SQRT_2);
        let formula = [1.0, 2.0_f64.sqrt()][params.choice("formula", &["ln", "2ln"])?];
        let grave = params.number("grave", 0..=u32::MAX)?;
        let rave = params.number("rave", 0.0..=1_000.0)?;
        if grave.is_some() && rave.is_none() {
            return Err(InputError::malformed("key", "grave", "it needs rave=B beside it"));
        }
        let options = Self {
            playouts: params.number("playouts", 1..=u64::from(u32::MAX))?,
            exploration: (c * formula) as f32,
            leaf: leaf(params)?,
            last: [Final::Visits, Final::Value, Final::Secure][params.choice("final", &["visits", "value", "secure"])?],
            memory: params.number("memory", 1..=1_000_000)?.unwrap_or(512_usize).saturating_mul(1_000_000),
            solver: switch(params, "solver")?,
            rave: rave.map(|bias| (bias, grave.unwrap_or(0))),
            bias: params.number("bias", 0.0..=1_000.0)?.unwrap_or(0.0),
            widening: params.number("widening", 0.01..=1_000.0)?,
            first_play: params.number("fpu", -100.0..=100.0)?,
            open_loop: params.choice("chance", &["closed", "open"])? == 1,
            transpositions: switch(params, "transpositions")?,
            reuse: switch(params, "reuse")?,
            threads: params.number("threads", 1..=256)?.unwrap_or(1),
            one_tree: params.choice("parallel", &["root", "tree"])? == 1,
            minimax: Minimax::default(),
        };
        options.agree(params)?;
        Ok(options)
    }

    /// How many trees there are.
    pub fn trees(&self) -> usize {
        if self.one_tree { 1 } else { self.threads }
    }

    /// Refuses what does not go together.
    fn agree(&self, params: &Params) -> Result<(), InputError> {
        let asked = matches!(self.leaf, Leaf::Eval | Leaf::CutRollout(_)) || self.judges_children();
        if params.has("eval") && !asked {
            let detail = "it is not used without leaf=eval, leaf=cut-rollout, bias=W or widening=W beside it";
            return Err(InputError::malformed("key", "eval", detail));
        }
        if params.has("parallel") && self.threads == 1 {
            return Err(InputError::malformed("key", "parallel", "it needs threads=2 or more beside it"));
        }
        // Trees that have been compared have no part of their own that could be kept or shared.
        for (key, given) in [("reuse", self.reuse), ("transpositions", self.transpositions)] {
            if given && self.trees() > 1 {
                return Err(InputError::malformed("key", key, "with several threads it needs parallel=tree beside it"));
            }
        }
        // Without nodes for the positions after chance, there is nothing that could be proven, shared, judged or kept.
        if self.open_loop {
            for key in ["solver", "rave", "bias", "widening", "fpu", "transpositions", "reuse", "threads"] {
                if params.get(key).is_some_and(|value| !["off", "0", "1"].contains(&value)) {
                    return Err(InputError::malformed("key", key, "it does not go together with chance=open"));
                }
            }
        }
        Ok(())
    }
}
