//! The options of trainings.

use std::path::PathBuf;

use super::{QueueArgs, games};

#[derive(clap::Args)]
pub struct TrainArgs {
    /// The game, e.g. crosphere or clobber:size=8x8 (see `ply games`)
    pub game: String,
    /// Train another agent than a network, with the keys of its training, e.g. q:alpha=0.5 (see `ply agents`)
    #[arg(long, value_name = "SPEC")]
    pub agent: Option<String>,
    /// The folder of the training, or for --agent the file for what is learnt; what is there from an earlier training goes on
    #[arg(short, long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// Train until there have been so many hours of training in all
    #[arg(long, value_name = "H", default_value = "2", value_parser = hours)]
    pub hours: f64,
    /// The size of the network: small or medium
    #[arg(long, value_name = "SIZE", default_value = "small")]
    pub net: String,
    /// What the network sees of the game: mover, general, or an encoder of its own, e.g. ways [default: the game decides]
    #[arg(long, value_name = "NAME")]
    pub encoder: Option<String>,
    /// Whose games to learn from first, or none [default: mcts:sims=200]
    #[arg(long, value_name = "SPEC")]
    pub teacher: Option<String>,
    /// How many of them [default: 3000]
    #[arg(long, value_name = "N")]
    pub teacher_games: Option<u64>,
    /// Another value for a setting of the training (see docs/training.md)
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub threads: Option<u32>,
    /// Print lines instead of showing everything on one screen
    #[arg(long)]
    pub plain: bool,
    /// With --agent: training games to play now [default: as many as the spec says]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = training_games)]
    pub games: Option<u64>,
    /// With --agent ffn: play the training games against this agent, e.g. random, mcts:sims=10 or net:net=FILE, on one side of the board
    #[arg(long, value_name = "SPEC", requires = "agent")]
    pub against: Option<String>,
    /// The opponent, net:net=FILE, learns from the same games; it is kept beside --out, as NAME-opponent
    #[arg(long, requires = "against")]
    pub both_learn: bool,
    /// With --agent ffn: begin with the network in this file
    #[arg(long, value_name = "FILE", requires = "agent")]
    pub from: Option<String>,
    /// With --agent: keep what is learnt after every N games, too, in the folder NAME-every beside --out
    #[arg(long, value_name = "N", requires = "agent", value_parser = games)]
    pub save_every: Option<u64>,
    /// With --agent ffn: write the results of the training games to this file, a row of CSV for every 1,000 (or --save-every) of them
    #[arg(long, value_name = "FILE", requires = "agent")]
    pub curve: Option<PathBuf>,
    /// With --agent ffn: train with each of these values of a key, e.g. alpha=0.01|0.02|0.05, and compare; --out is then a page with a plot
    #[arg(long, value_name = "KEY=A|B", requires = "agent", conflicts_with_all = ["save_every", "curve"])]
    pub sweep: Option<String>,
    /// With --agent ffn: train with so many seeds, and compare; --out is then a page with a plot
    #[arg(long, value_name = "N", requires = "agent", conflicts_with_all = ["save_every", "curve"], value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub seeds: Option<u32>,
    #[command(flatten)]
    pub queue: QueueArgs,
}

#[derive(clap::Args)]
pub struct LearnArgs {
    /// The game, e.g. crosphere or clobber:size=8x8 (see `ply games`)
    pub game: String,
    /// Where the games are: a run, by the beginning of its name (see `ply runs`), or a file of records; may be given several times
    #[arg(long, value_name = "RUN|FILE", required = true)]
    pub from: Vec<String>,
    /// The file for the network (replaced if it is there): that of the epoch with the lowest loss on the validation games
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// What the network is made of: small, medium, a file that describes it in JSON, or one of the Crosphere thesis: thesis (its
    /// filters over the board), thesis-3d (over planes as well, as the thesis says), thesis-deep (four convolutions, three dense
    /// layers)
    #[arg(long, value_name = "NAME|FILE", default_value = "small")]
    pub net: String,
    /// How the network sees the game (see `ply runs positions --help`) [default: as its mover does]
    #[arg(long, value_name = "NAME")]
    pub encoder: Option<String>,
    /// How often all positions are learnt from
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub epochs: u32,
    /// Positions of each game, drawn once [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub positions: Option<u32>,
    /// Positions of a step
    #[arg(long, value_name = "N", default_value = "32", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub batch: u32,
    /// The size of a step
    #[arg(long, value_name = "R", default_value = "0.001", value_parser = rate_of_learning)]
    pub rate: f32,
    /// How far off a value is: squared or absolute error, or cross-entropy
    #[arg(long, value_enum, value_name = "NAME", default_value = "mse")]
    pub loss: LossName,
    /// How a gradient becomes a step
    #[arg(long, value_enum, value_name = "NAME", default_value = "adam")]
    pub optimizer: OptimizerName,
    /// Write the numbers in half precision: a file of half the size
    #[arg(long)]
    pub half: bool,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub threads: Option<u32>,
}

/// A loss of the value, as `ply learn --loss` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LossName {
    Mse,
    Mae,
    #[value(alias = "bce")]
    CrossEntropy,
}

/// A rule of learning, as `ply learn --optimizer` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum OptimizerName {
    Adam,
    Sgd,
    Momentum,
    Rmsprop,
}

fn rate_of_learning(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|&number: &f32| number > 0.0 && number <= 1.0);
    number.ok_or_else(|| "expected a number above 0 and at most 1".to_owned())
}

/// None is a number, too: the file then holds what there was before learning.
fn training_games(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a whole number from 0".to_owned())
}

fn hours(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|&number: &f64| number > 0.0 && number <= 10_000.0);
    number.ok_or_else(|| "expected a number of hours, above 0".to_owned())
}
