//! The switches of Monte Carlo tree search: how they are called in a spec, and what they are when nothing is said.

use plyground_core::{InputError, KeyInfo, Params};

use super::leaf::Leaf;
use crate::futures::Futures;
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
    /// The memory of the tree, in bytes.
    pub memory: usize,
    pub solver: bool,
    /// The weight b of the bias of all-moves-as-first statistics, and the visits that a node needs for its own to be used.
    pub rave: Option<(f32, u32)>,
    /// The weight of the evaluator's opinion.
    pub bias: f32,
    /// The exponent of the visits that gives the number of moves to consider.
    pub widening: Option<f32>,
    /// Does a node have those of its moves that as many draws with replacement come upon, in place of all?
    pub drawn_children: bool,
    /// Does the first simulation begin at the root itself, with no move of it?
    pub first_at_root: bool,
    /// The value of a move that has not been tried.
    pub first_play: Option<f32>,
    pub open_loop: bool,
    /// Do moves lead to the next player at once, as if chance did nothing?
    pub ignores_chance: bool,
    /// Is the evaluator's score itself backed up, that of finished games too, instead of expected results?
    pub backs_up_scores: bool,
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
            && !self.ignores_chance
            && !self.backs_up_scores
    }

    /// What moves lead to.
    pub fn futures(&self) -> Futures {
        if self.ignores_chance { Futures::WITHOUT_CHANCE } else { Futures::BRANCHES }
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
const CAREFUL: KeyInfo = KeyInfo {
    key: "careful",
    value: "on|off",
    default: "off",
    meaning: "with leaf=heuristic-rollout: by the game's careful hints, where it has them; mnk's also stop a line of the opponent",
};
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
const REWARD: KeyInfo = KeyInfo {
    key: "reward",
    value: "result|score",
    default: "result",
    meaning: "what is backed up: the expected result from 0 to 1, or the evaluator's score itself, in its units and for finished games too",
};
const CHILDREN: KeyInfo = KeyInfo {
    key: "children",
    value: "all|drawn",
    default: "all",
    meaning: "a node has all moves, or those that as many draws with replacement come upon, as in the Pawn Game's study: about a \
              third of the moves are missing",
};
const FIRST: KeyInfo = KeyInfo {
    key: "first",
    value: "move|root",
    default: "move",
    meaning: "the first simulation tries a move, or it begins at the root itself: then sims=1 plays any move",
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
        meaning: "what a study used: crosphere, tictactoe, clobber, tuc, report, pawn (its text) or pawn-code (its program); a key \
                  given beside it wins",
    },
    C,
    FORMULA,
    LEAF,
    CAREFUL,
    CUT,
    NET,
    EVAL,
    FINAL,
    CHILDREN,
    FIRST,
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
        value: "closed|open|ignore",
        default: "closed",
        meaning: "a node for every outcome of chance, nodes for moves only and the outcomes drawn anew each time, or as if chance did \
                  nothing (what has a mean counts it)",
    },
    REWARD,
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
    // TUC-Chess as its report describes it; `tuc` has only its constants.
    ("report", "c=1.41421356,leaf=cut-rollout,cut=10,reward=score,final=value,chance=ignore"),
    ("pawn-code", "c=1,children=drawn,first=root,final=value,transpositions=on"),
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
    let careful = switch(params, CAREFUL.key)?;
    let leaf = match params.choice("leaf", &["rollout", "heuristic-rollout", "cut-rollout", "eval", "net"])? {
        0 => Leaf::Rollout,
        1 if careful => Leaf::CarefulRollout,
        1 => Leaf::HeuristicRollout,
        2 => Leaf::CutRollout(cut.unwrap_or(10)),
        3 => Leaf::Eval,
        _ => Leaf::Net,
    };
    if cut.is_some() && !matches!(leaf, Leaf::CutRollout(_)) {
        return Err(InputError::malformed("key", "cut", "it belongs to leaf=cut-rollout"));
    }
    if params.has(CAREFUL.key) && !leaf.is_heuristic() {
        return Err(InputError::malformed("key", CAREFUL.key, "it belongs to leaf=heuristic-rollout"));
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
        let chance = params.choice("chance", &["closed", "open", "ignore"])?;
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
            drawn_children: params.choice("children", &["all", "drawn"])? == 1,
            first_at_root: params.choice("first", &["move", "root"])? == 1,
            first_play: params.number("fpu", -100.0..=100.0)?,
            open_loop: chance == 1,
            ignores_chance: chance == 2,
            backs_up_scores: params.choice("reward", &["result", "score"])? == 1,
            transpositions: switch(params, "transpositions")?,
            reuse: switch(params, "reuse")?,
            threads: params.number("threads", 1..=256)?.unwrap_or(1),
            one_tree: params.choice("parallel", &["root", "tree"])? == 1,
            minimax: Minimax::default(),
        };
        options.agree(params)?;
        Ok(options)
    }

    /// The number of trees.
    pub fn trees(&self) -> usize {
        if self.one_tree { 1 } else { self.threads }
    }

    /// Refuses what does not go together.
    fn agree(&self, params: &Params) -> Result<(), InputError> {
        let asked = matches!(self.leaf, Leaf::Eval | Leaf::CutRollout(_)) || self.judges_children() || self.backs_up_scores;
        if params.has("eval") && !asked {
            let detail = "it is not used without leaf=eval, leaf=cut-rollout, reward=score, bias=W or widening=W beside it";
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
        // These count in results.
        if self.backs_up_scores {
            if matches!(self.leaf, Leaf::Eval | Leaf::Net) {
                return Err(InputError::malformed(
                    "key",
                    "reward",
                    "it needs a leaf that plays: use leaf=cut-rollout with cut=0",
                ));
            }
            if self.open_loop || (self.one_tree && self.threads > 1) {
                let detail = "reward=score does not go together with chance=open or parallel=tree";
                return Err(InputError::malformed("key", "reward", detail));
            }
            Self::refuse(params, &["solver", "rave", "bias", "widening", "fpu"], "reward=score")?;
        }
        if self.ignores_chance {
            Self::refuse(params, &["reuse"], "chance=ignore")?;
        }
        // A proof needs all moves, and trees are compared by what they say of the same ones.
        for (key, given) in [("children", self.drawn_children), ("first", self.first_at_root)] {
            if given && (self.solver || self.open_loop || self.threads > 1 || self.reuse) {
                let detail = format!(
                    "{key}={} does not go together with solver, reuse, threads and chance=open",
                    params.get(key).unwrap_or_default()
                );
                return Err(InputError::malformed("key", key, detail));
            }
        }
        // Without nodes for the positions after chance, there is nothing that could be proven, shared, judged or kept.
        if self.open_loop {
            let keys = ["solver", "rave", "bias", "widening", "fpu", "transpositions", "reuse", "threads"];
            Self::refuse(params, &keys, "chance=open")?;
        }
        Ok(())
    }

    /// Refuses these keys, where they switch something on, beside another.
    fn refuse(params: &Params, keys: &[&str], beside: &str) -> Result<(), InputError> {
        match keys.iter().find(|key| params.get(key).is_some_and(|value| !["off", "0", "1"].contains(&value))) {
            Some(key) => Err(InputError::malformed("key", key, format!("it does not go together with {beside}"))),
            None => Ok(()),
        }
    }
}
