//! What can be typed after `ply`.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// From the rules of a board game to opponents, experiments and an app.
///
/// Without a subcommand, starts a game in the terminal.
#[derive(Parser)]
#[command(name = "ply", version, max_term_width = 100)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options of every subcommand.
#[derive(clap::Args)]
pub struct Global {
    /// Print JSON for programs instead of text for people
    #[arg(long, global = true)]
    pub json: bool,
    /// Where played games are kept [default: the user's data directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Makes everything that is random repeatable
    #[arg(long, global = true, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    pub seed: Option<u64>,
    /// Print only what was asked for
    #[arg(long, global = true)]
    pub quiet: bool,
}

#[derive(Subcommand)]
pub enum Command {
    /// List the games with their parameters, sizes and variants
    Games,
    /// Print the rules of a game
    Rules(Rules),
    /// List the agents with their keys
    Agents(Agents),
    /// Draw a position
    Show(Place),
    /// Print the legal moves, sorted, one a line
    Moves(Place),
    /// Play moves and print the position after them
    Apply(Apply),
    /// Count the sequences of moves of each length
    Perft(Perft),
    /// Play a game in the terminal
    Play(Play),
    /// Step through a recorded game
    Replay(Replay),
    /// Turn game records from one format into another
    Convert(Convert),
}

/// A game and a position in it.
#[derive(clap::Args)]
pub struct Place {
    /// The game, e.g. clobber or clobber:size=8x8 (see `ply games`)
    pub game: String,
    /// The position as one line of text [default: the start]
    #[arg(long, value_name = "P")]
    pub position: Option<String>,
}

#[derive(clap::Args)]
pub struct Rules {
    /// The game (see `ply games`)
    pub game: String,
}

#[derive(clap::Args)]
pub struct Agents {
    /// Show the keys and evaluators for this game only
    pub game: Option<String>,
}

#[derive(clap::Args)]
pub struct Apply {
    #[command(flatten)]
    pub place: Place,
    /// Moves and outcomes of chance in their order
    #[arg(value_name = "MOVE")]
    pub moves: Vec<String>,
}

#[derive(clap::Args)]
pub struct Perft {
    #[command(flatten)]
    pub place: Place,
    /// The longest sequences to count
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = depth)]
    pub depth: u32,
    /// Count the sequences of the greatest length by their first move, too
    #[arg(long)]
    pub divide: bool,
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

fn depth(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=200).contains(number));
    number.ok_or_else(|| "expected a whole number from 1 to 200".to_owned())
}

/// A seat at the table.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Side {
    /// You move first
    First,
    /// You move second
    Second,
}

#[derive(clap::Args)]
pub struct Play {
    /// The game, e.g. clobber or clobber:size=8x8 (see `ply games`)
    #[arg(required_unless_present = "resume")]
    pub game: Option<String>,
    /// The position to begin with [default: the start]
    #[arg(long, value_name = "P", conflicts_with = "resume")]
    pub position: Option<String>,
    /// The opponent, e.g. mcts:sims=5000 (see `ply agents`) [default: mcts:sims=2000, or who it was]
    #[arg(long, value_name = "SPEC")]
    pub against: Option<String>,
    /// Your side [default: first, or what it was]
    #[arg(long = "as", value_name = "SIDE")]
    pub side: Option<Side>,
    /// Go on with the last game of a file that was saved or kept
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    pub resume: Option<PathBuf>,
}

/// Who plays against you when you do not say.
pub const DEFAULT_OPPONENT: &str = "mcts:sims=2000";

#[derive(clap::Args)]
pub struct Replay {
    /// A file with game records, in any format that `ply convert` reads
    pub file: PathBuf,
    /// The number of the game in the file
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub game: usize,
}

#[derive(clap::Args)]
pub struct Convert {
    /// The file to read; - is standard input
    pub input: PathBuf,
    /// The file to write (replaced if it is there); - is standard output
    #[arg(default_value = "-")]
    pub output: PathBuf,
    /// The format of the input [default: found out by looking]
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<String>,
    /// The format of the output [default: by the ending of its name]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<String>,
}
