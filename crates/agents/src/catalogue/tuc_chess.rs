//! The agents of TUC-Chess.

use super::Entry;

/// Measured in docs/levels.md.
const LEVELS: [&str; 8] = [
    "alphabeta:depth=1,slip=0.45",
    "alphabeta:depth=1,slip=0.25",
    "alphabeta:depth=1,slip=0.1",
    "alphabeta:depth=2,slip=0.25",
    "alphabeta:depth=2,slip=0.1",
    "alphabeta:depth=2,time=900ms",
    "alphabeta:nodes=300000,time=900ms",
    "alphabeta:nodes=3000000,time=1900ms",
];

pub(super) const ENTRY: Entry = Entry { levels: LEVELS, best: "az:time=1900ms", network: Some("tuc-chess"), presets: &[] };
