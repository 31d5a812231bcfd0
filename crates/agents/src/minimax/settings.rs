//! The switches of the searches, and the keys that set them.

use plyground_core::{InputError, KeyInfo, Params};

use super::order::Order;
use super::table::Replacement;
use crate::futures::ChanceMode;

pub(super) const DEFAULT_DEPTH: u32 = 4;
const DEFAULT_TABLE: usize = 64;
const MOST_TABLE: usize = 65_536;
const MOST_THREADS: usize = 256;

pub(super) const DEPTH: KeyInfo = KeyInfo {
    key: "depth",
    value: "PLIES",
    default: "4, or as deep as time or nodes allow",
    meaning: "moves of the players looked ahead (chance events come on top), at most 255",
};
pub(super) const COUNTED: KeyInfo = KeyInfo {
    key: "counted",
    value: "root|child",
    default: "root",
    meaning: "the depth is counted from the position, or from each position behind a move of it, which is a ply more",
};
pub(super) const EVAL: KeyInfo =
    KeyInfo { key: "eval", value: "NAME", default: "the game's first", meaning: "how unfinished positions are judged" };
pub(super) const ITERATIVE: KeyInfo = KeyInfo {
    key: "iterative",
    value: "on|off",
    default: "on",
    meaning: "search 1 ply deep, then 2, and so on, or at once as deep as wanted",
};
pub(super) const TABLE: KeyInfo =
    KeyInfo { key: "tt", value: "MB", default: "64", meaning: "size of the transposition table; 0 for none" };
pub(super) const REPLACE: KeyInfo = KeyInfo {
    key: "replace",
    value: "two-tier|depth|always",
    default: "two-tier",
    meaning: "what gives way in the table: the shallower of two or else the older, the shallower, the older",
};
pub(super) const ORDER: KeyInfo = KeyInfo {
    key: "order",
    value: "LIST",
    default: Order::DEFAULT,
    meaning: "which moves are tried first: some of hash, killers, history, hints (the game's), joined by +, the most important first; or none",
};
pub(super) const ASPIRATION: KeyInfo = KeyInfo {
    key: "aspiration",
    value: "W|off",
    default: "off",
    meaning: "first ask whether the value is within W of that of the search before",
};
pub(super) const REDUCE: KeyInfo = KeyInfo {
    key: "reduce",
    value: "N|log|off",
    default: "off",
    meaning: "late-move reductions: after N moves, look at quiet ones a ply less deep first; log: the later and the deeper, the more \
              plies (changes the value)",
};
pub(super) const QUIESCENCE: KeyInfo = KeyInfo {
    key: "quiescence",
    value: "PLIES",
    default: "0",
    meaning: "follow captures and the like so many plies beyond the depth (changes the value)",
};
pub(super) const FOLLOW: KeyInfo = KeyInfo {
    key: "follow",
    value: "noisy|gains",
    default: "noisy",
    meaning: "what quiescence follows: captures and the like, or all that gains something at once (changes the value)",
};
pub(super) const NULL: KeyInfo = KeyInfo {
    key: "null",
    value: "R|off",
    default: "off",
    meaning: "null-move pruning: cut off where even passing is enough, looking R plies less deep; in games that allow for it (changes \
              the value)",
};
pub(super) const FUTILITY: KeyInfo = KeyInfo {
    key: "futility",
    value: "M|off",
    default: "off",
    meaning: "near the end of the look-ahead, cut off what is M for each ply beyond the window already (changes the value)",
};
pub(super) const DEEPER: KeyInfo = KeyInfo {
    key: "deeper",
    value: "on|off",
    default: "off",
    meaning: "use what the table knows from deeper searches, too (changes the value)",
};
pub(super) const THREADS: KeyInfo = KeyInfo {
    key: "threads",
    value: "N",
    default: "1",
    meaning: "search with N threads that share a table; within a time, the same seed no longer gives the same move",
};
pub(super) const PROGRESS: KeyInfo = KeyInfo {
    key: "progress",
    value: "P",
    default: "0",
    meaning: "what a move counts less that takes the agent's last one back (half of it: one of the three before)",
};
pub(super) const SINGULAR: KeyInfo = KeyInfo {
    key: "singular",
    value: "M|off",
    default: "off",
    meaning: "look a ply deeper after a move that is better than all others by more than M (changes the value)",
};
pub(super) const SHUFFLE: KeyInfo = KeyInfo {
    key: "shuffle",
    value: "on|off",
    default: "on",
    meaning: "choose among equal moves by the seed, or the first in the game's order",
};
pub(super) const CONTEMPT: KeyInfo = KeyInfo {
    key: "contempt",
    value: "C",
    default: "0",
    meaning: "what a draw counts less than a level position, in units of the evaluator",
};
pub(super) const STAR: KeyInfo = KeyInfo {
    key: "star",
    value: "2|1|off",
    default: "2",
    meaning: "pruning at chance events: Star2 (tries one reply to each outcome first), Star1, or none",
};
pub(super) const SAMPLES: KeyInfo = KeyInfo {
    key: "samples",
    value: "N",
    default: "0",
    meaning: "draw N outcomes of a chance event that has more; 0 looks at all of them",
};
pub(super) const CHANCE: KeyInfo = KeyInfo {
    key: "chance",
    value: "expect|ignore|sample",
    default: "expect",
    meaning: "chance events: average over all that may happen, do as if chance did nothing (what has a mean counts it), or draw one \
              outcome of each by the seed (both change the value, and look much deeper)",
};
pub(super) const ENDS: KeyInfo = KeyInfo {
    key: "ends",
    value: "result|eval",
    default: "result",
    meaning: "what a finished game counts: more than every unfinished one, or what the evaluator says of it (changes the value)",
};
pub(super) const FORM: KeyInfo = KeyInfo {
    key: "form",
    value: "memory|list",
    default: "memory",
    meaning: "null-window searches with a table (Plaat 1996), or the original with its list of open positions (at most tt MB)",
};

/// The search method at the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Alpha-beta with the whole window (Knuth and Moore 1975).
    AlphaBeta,
    /// Principal variation search (Marsland 1983; Reinefeld's `NegaScout`, 1983): later moves must first prove in a null window that
    /// they are better.
    PrincipalVariation,
    /// A series of null windows (Plaat, Schaeffer, Pijls and de Bruin 1996) that begins at the value of the last search.
    FromGuess,
    /// The same that begins above all values: SSS* in another form, as they showed.
    FromAbove,
    /// SSS* (Stockman 1979) with its list of open positions.
    OpenList,
}

/// Late-move reductions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reduction {
    Off,
    /// By a ply, after so many moves.
    After(usize),
    /// By the product of the logarithms of the move's number and of the depth, as chess programs have it.
    Logarithmic,
}

/// The table entries that a search uses: those of searches just as deep, with which its value is that of plain minimax, or of deeper ones, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UsableEntries {
    Same,
    Deeper,
}

/// The moves that quiescence follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follow {
    Noisy,
    Gains,
}

/// Pruning at chance events (Ballard 1983).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Star {
    Two,
    One,
    Off,
}

/// All switches of a search.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub method: Method,
    pub iterative: bool,
    pub plies_more: u32,
    /// The size of the transposition table, in megabytes.
    pub table: usize,
    pub replacement: Replacement,
    pub order: Order,
    pub aspiration: Option<f32>,
    pub reduce: Reduction,
    /// The plies that a null move takes off.
    pub null: Option<i32>,
    pub futility: Option<f32>,
    pub usable: UsableEntries,
    pub threads: usize,
    /// The penalty for taking back the last move.
    pub progress: f32,
    pub follow: Follow,
    pub quiescence: i32,
    pub singular: Option<f32>,
    pub shuffle: bool,
    pub contempt: f32,
    pub star: Star,
    pub samples: usize,
    pub chance: ChanceMode,
    /// Are finished games judged by the evaluator?
    pub judges_ends: bool,
}

/// The plies that `counted` adds to the depth.
pub(crate) fn plies_more(params: &Params) -> Result<u32, InputError> {
    Ok(u32::from(params.choice(COUNTED.key, &["root", "child"])? == 1))
}

impl Settings {
    pub fn read(method: Method, params: &Params) -> Result<Self, InputError> {
        if let (Method::OpenList, Some(key)) = (method, UNEVEN.into_iter().find(|key| params.has(key))) {
            return Err(InputError::malformed("key", key, "form=list searches all lines to the same depth"));
        }
        let chance = ChanceMode::read(params)?;
        if let Some(key) = ["star", "samples"].into_iter().find(|key| chance != ChanceMode::Expect && params.has(key)) {
            return Err(InputError::malformed(
                "key",
                key,
                "it belongs to chance=expect: otherwise there is nothing to average over",
            ));
        }
        let judges_ends = params.choice("ends", &["result", "eval"])? == 1;
        if judges_ends && params.has("contempt") {
            return Err(InputError::malformed("key", "contempt", "with ends=eval a draw counts what the evaluator says"));
        }
        let is_on = |key| Ok::<bool, InputError>(params.choice(key, &["on", "off"])? == 0);
        Ok(Self {
            method,
            iterative: is_on("iterative")?,
            plies_more: plies_more(params)?,
            table: params.number("tt", 0..=MOST_TABLE)?.unwrap_or(DEFAULT_TABLE),
            replacement: [Replacement::TwoTier, Replacement::Depth, Replacement::Always]
                [params.choice("replace", &["two-tier", "depth", "always"])?],
            order: Order::read(params.get("order").unwrap_or(Order::DEFAULT))?,
            aspiration: unless_off(params, "aspiration", |params, key| params.number(key, 0.0..=1e6))?,
            reduce: reduction(params)?,
            null: unless_off(params, "null", |params, key| params.number(key, 1..=10))?,
            futility: unless_off(params, "futility", |params, key| params.number(key, 0.0..=1e6))?,
            threads: params.number("threads", 1..=MOST_THREADS)?.unwrap_or(1),
            usable: [UsableEntries::Same, UsableEntries::Deeper][params.choice("deeper", &["off", "on"])?],
            progress: params.number("progress", 0.0..=1e6)?.unwrap_or(0.0),
            follow: [Follow::Noisy, Follow::Gains][params.choice("follow", &["noisy", "gains"])?],
            quiescence: params.number("quiescence", 0..=100)?.unwrap_or(0),
            singular: unless_off(params, "singular", |params, key| params.number(key, 0.0..=1e6))?,
            shuffle: is_on("shuffle")?,
            contempt: params.number("contempt", -1e5..=1e5)?.unwrap_or(0.0),
            star: [Star::Two, Star::One, Star::Off][params.choice("star", &["2", "1", "off"])?],
            samples: params.number("samples", 0..=1_000_000)?.unwrap_or(0),
            chance,
            judges_ends,
        })
    }

    /// Are all moves of a position looked at equally deep?
    pub fn is_even(&self) -> bool {
        self.singular.is_none()
            && self.reduce == Reduction::Off
            && self.null.is_none()
            && self.futility.is_none()
            && self.usable == UsableEntries::Same
    }
}

/// The keys with which lines of play are looked at more or less deep.
const UNEVEN: [&str; 5] = ["reduce", "singular", "null", "futility", "deeper"];

fn reduction(params: &Params) -> Result<Reduction, InputError> {
    if params.get("reduce") == Some("log") {
        return Ok(Reduction::Logarithmic);
    }
    let after = unless_off(params, "reduce", |params, key| params.number(key, 1..=10_000))?;
    Ok(after.map_or(Reduction::Off, Reduction::After))
}

fn unless_off<N>(
    params: &Params,
    key: &str,
    read: impl Fn(&Params, &str) -> Result<Option<N>, InputError>,
) -> Result<Option<N>, InputError> {
    if params.get(key) == Some("off") { Ok(None) } else { read(params, key) }
}
