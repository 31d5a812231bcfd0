//! What can be typed to look at games and at evaluations.

use std::path::PathBuf;
use std::time::Duration;

use super::{BudgetArgs, PositionArgs, duration};

#[derive(clap::Args)]
pub struct WatchArgs {
    #[command(flatten)]
    pub place: PositionArgs,
    /// Who plays first, e.g. mcts:sims=1000 or level=4 (see `ply agents`)
    #[arg(value_name = "SPEC")]
    pub first: String,
    /// Who plays second
    #[arg(value_name = "SPEC")]
    pub second: String,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// The time from one board to the next, at least: 500ms, 2s [default: 500ms on a terminal, none in a pipe]
    #[arg(long, value_name = "T", value_parser = duration)]
    pub pace: Option<Duration>,
    /// Write the game to this file as a record (replaced if it is there)
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(clap::Args)]
pub struct EvalArgs {
    #[command(flatten)]
    pub place: PositionArgs,
    /// Evaluations with their keys, e.g. simple or links:w=0.5 (see `ply agents GAME`) [default: all that the game has]
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub eval: Vec<String>,
}
