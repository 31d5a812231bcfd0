//! The agents of m,n,k games.

use plyground_core::Params;

use super::{Entry, Preset};

/// For boards of at most 9 squares, such as Tic-Tac-Toe's; measured in docs/levels.md.
const SMALL_LEVELS: [&str; 8] = [
    "random",
    "mcts:sims=3",
    "mcts:sims=6",
    "mcts:sims=11",
    "mcts:sims=24",
    "mcts:sims=49",
    "mcts:sims=200",
    "solve:time=1900ms",
];

/// For larger boards; measured in docs/levels.md.
const LEVELS: [&str; 8] = [
    "mcts:sims=13",
    "mcts:sims=19",
    "mcts:sims=43",
    "mcts:sims=105",
    "mcts:sims=150,solver=on",
    "mcts:sims=480,solver=on",
    "mcts:sims=3000,solver=on,time=900ms",
    "mcts:sims=100000,solver=on,time=1900ms",
];

/// The agents of the report, whose board is 3x3.
const REPORT: &[Preset] = &[
    Preset {
        name: "report-mcts-1000",
        summary: "its search as the code means it: 1000 iterations",
        spec: "mcts:preset=tictactoe,sims=1000",
    },
    Preset {
        name: "report-mcts-careful",
        summary: "the same as the text describes it: rollouts also block",
        spec: "mcts:preset=tictactoe,careful=on,sims=1000",
    },
    Preset {
        name: "report-opponent",
        summary: "its opponent, any legal move; its search plays like that, too, as it is printed",
        spec: "random",
    },
    Preset { name: "report-minimax", summary: "what it wanted to add: minimax to the end of the game", spec: "minimax:depth=9" },
];

/// How many of [`REPORT`], from the first, are for larger boards, too.
const ON_ALL_BOARDS: usize = 3;

pub(super) fn entry(params: &Params) -> Entry {
    if super::squares(params).is_some_and(|squares| squares <= 9) {
        return Entry { levels: SMALL_LEVELS, best: SMALL_LEVELS[7], network: None, presets: REPORT };
    }
    let network = (super::size(params) == Some([5, 5]) && params.get("k") == Some("4")).then_some("mnk-5x5");
    let best = if network.is_some() { "az:time=1900ms" } else { "alphabeta:time=1900ms" };
    Entry { levels: LEVELS, best, network, presets: &REPORT[..ON_ALL_BOARDS] }
}
