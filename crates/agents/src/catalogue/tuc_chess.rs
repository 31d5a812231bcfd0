//! The agents of TUC-Chess.

use super::{Entry, Preset};

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

/// The clients of the course report of 2022, as it describes them.
const REPORT: &[Preset] = &[
    Preset {
        name: "report-minimax",
        summary: "the report's minimax: alpha-beta, depth 5, nothing left to chance",
        spec: "alphabeta:chance=ignore,depth=5,ends=eval,eval=report-own-king",
    },
    Preset {
        name: "report-mcts-3s",
        summary: "the report's tree search, with its 3 seconds a move",
        spec: "mcts:preset=report,eval=report-own-king,time=3s",
    },
    Preset {
        name: "report-mcts-10",
        summary: "the report's tree search, 10 iterations",
        spec: "mcts:preset=report,eval=report-own-king,sims=10",
    },
    Preset {
        name: "report-mcts-50",
        summary: "the report's tree search, 50 iterations",
        spec: "mcts:preset=report,eval=report-own-king,sims=50",
    },
    Preset {
        name: "report-mcts-100",
        summary: "the report's tree search, 100 iterations",
        spec: "mcts:preset=report,eval=report-own-king,sims=100",
    },
    Preset {
        name: "report-mcts-1000",
        summary: "the report's tree search, 1,000 iterations",
        spec: "mcts:preset=report,eval=report-own-king,sims=1000",
    },
    Preset {
        name: "report-mcts-10000",
        summary: "the report's tree search, 10,000 iterations",
        spec: "mcts:preset=report,eval=report-own-king,sims=10000",
    },
    Preset {
        name: "report-mcts-70000",
        summary: "the report's tree search, 70,000 iterations",
        spec: "mcts:preset=report,eval=report-own-king,sims=70000",
    },
    Preset {
        name: "report-mcts-constant-1000",
        summary: "what the report had before: +10 or -10, 1,000 iterations",
        spec: "mcts:preset=report,eval=report-constant,sims=1000",
    },
    Preset { name: "report-random", summary: "the client of the course: any legal move", spec: "random" },
];

/// A deep search that does without chance, with the evaluation that was fitted to results (docs/levels.md).
const BEST: &str = "pvs:chance=ignore,deeper=on,eval=fitted,futility=2,null=2,progress=1,quiescence=8,time=1900ms";

pub(super) const ENTRY: Entry = Entry { levels: LEVELS, best: BEST, network: Some("tuc-chess"), presets: REPORT };
