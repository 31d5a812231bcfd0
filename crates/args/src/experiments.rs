//! What can be typed to let agents play against each other, and to see what came of it.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Subcommand, ValueEnum};
use plyground_session::InputError;

use super::{FleetArgs, duration, games};

/// How games between agents are played.
#[derive(clap::Args)]
pub struct ConditionArgs {
    /// Time for every move, for all agents: 100ms, 1s
    #[arg(long, value_name = "T", value_parser = duration)]
    pub move_time: Option<Duration>,
    /// Simulated games for every move, for all agents
    #[arg(long, value_name = "N", value_parser = games)]
    pub sims: Option<u64>,
    /// Time for all moves of a player in a game: 12min
    #[arg(long, value_name = "T", value_parser = duration)]
    pub clock: Option<Duration>,
    /// A file of openings, one a line, moves behind spaces [default: random ones that leave the game open]
    #[arg(long, value_name = "FILE", conflicts_with = "opening_plies")]
    pub openings: Option<PathBuf>,
    /// The length of random openings; 0 begins every game at the start [default: enough for 300 of them]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=200))]
    pub opening_plies: Option<u32>,
    /// An agent that thinks for so much longer than its time has stalled and lost [default: 10s, 10min where no time is set]
    #[arg(long, value_name = "T", value_parser = duration)]
    pub patience: Option<Duration>,
    /// Games played at the same time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub threads: Option<u32>,
    /// Add a line of JSON to this file for every game that begins, every move, every game that is over, and how far it is
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    #[command(flatten)]
    pub fleet: FleetArgs,
}

#[derive(clap::Args)]
pub struct MatchArgs {
    /// The game, e.g. clobber or clobber:size=8x8 (see `ply games`)
    pub game: String,
    /// An agent, e.g. mcts:sims=5000 or level=4 (see `ply agents`)
    #[arg(value_name = "SPEC")]
    pub one: String,
    /// Its opponent
    #[arg(value_name = "SPEC")]
    pub other: String,
    /// Pairs of games: one opening, both ways round [default: 100]
    #[arg(long, value_name = "N", value_parser = games)]
    pub pairs: Option<u64>,
    /// Games instead of pairs: an even number, or any with --seats fixed [default there: 200]
    #[arg(long, value_name = "N", conflicts_with = "pairs", value_parser = games)]
    pub games: Option<u64>,
    /// Who moves first: swapped, each in one game of a pair; or fixed, always the one that is named first (--opening-plies 0: from the
    /// start)
    #[arg(long, value_name = "SEATS", default_value = "swapped", hide_possible_values = true)]
    pub seats: SeatsArg,
    /// Instead of a number of pairs, as many as fit into this time: 120s; the same command goes on for as long again
    #[arg(long = "for", value_name = "T", value_parser = duration, conflicts_with_all = ["pairs", "games"])]
    pub time: Option<Duration>,
    #[command(flatten)]
    pub conditions: ConditionArgs,
}

/// Who of two moves first.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SeatsArg {
    /// Each in one game of a pair
    Swapped,
    /// The one that is named first
    Fixed,
}

/// The pairs of games that were asked for, as such or as games.
pub fn pairs_of(pairs: Option<u64>, games: Option<u64>, usual: u64) -> Result<u64, InputError> {
    let Some(games) = games else { return Ok(pairs.unwrap_or(usual)) };
    if games % 2 == 0 {
        return Ok(games / 2);
    }
    let detail = "expected an even number, for every opening is played twice, with the seats swapped; `ply match` plays any number \
        with --seats fixed, where the one that is named first always moves first";
    Err(InputError::malformed("number of games", &games.to_string(), detail))
}

#[derive(clap::Args)]
pub struct TournamentArgs {
    /// The game, e.g. clobber or clobber:size=8x8 (see `ply games`)
    pub game: String,
    /// Two agents or more, e.g. random mcts:sims=100 level=4 (see `ply agents`)
    #[arg(value_name = "SPEC", num_args = 2.., required = true)]
    pub agents: Vec<String>,
    /// Pairs of games for each two that meet [default: 50]
    #[arg(long, value_name = "N", value_parser = games)]
    pub pairs: Option<u64>,
    /// Games for each two that meet, instead of pairs: an even number
    #[arg(long, value_name = "N", conflicts_with = "pairs", value_parser = games)]
    pub games: Option<u64>,
    /// Instead of a number of pairs, as many as fit into this time: 120s; the same command goes on for as long again
    #[arg(long = "for", value_name = "T", value_parser = duration, conflicts_with_all = ["pairs", "games", "swiss"])]
    pub time: Option<Duration>,
    /// The first agent against all others
    #[arg(long, conflicts_with = "swiss")]
    pub gauntlet: bool,
    /// Everybody against everybody; what is done without being asked
    #[arg(long, conflicts_with_all = ["swiss", "gauntlet"])]
    pub round_robin: bool,
    /// In rounds, in each of which agents with about the same score meet
    #[arg(long)]
    pub swiss: bool,
    /// The rounds of a Swiss tournament [default: enough to find the best]
    #[arg(long, value_name = "N", requires = "swiss", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub rounds: Option<u32>,
    #[command(flatten)]
    pub conditions: ConditionArgs,
}

#[derive(clap::Args)]
pub struct SprtArgs {
    /// The game, e.g. clobber or clobber:size=8x8 (see `ply games`)
    pub game: String,
    /// The agent that may be better
    pub new: String,
    /// The agent to compare it with
    pub old: String,
    /// The new one is rejected if it is better by this much only
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true)]
    pub elo0: f64,
    /// The new one is accepted if it is better by this much
    #[arg(long, value_name = "ELO", default_value_t = 10.0, allow_negative_numbers = true)]
    pub elo1: f64,
    /// The chance of accepting what is not better
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    pub alpha: f64,
    /// The chance of rejecting what is better
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    pub beta: f64,
    /// The scale of the bounds: normalised Elo, which tells how many games show a difference, or logistic Elo
    #[arg(long, value_name = "SCALE", default_value = "normalised")]
    pub scale: EloScale,
    /// Stop undecided after so many pairs
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = games)]
    pub most_pairs: u64,
    #[command(flatten)]
    pub conditions: ConditionArgs,
}

#[derive(clap::Args)]
pub struct TuneArgs {
    /// The game, e.g. clobber or clobber:size=8x8 (see `ply games`)
    pub game: String,
    /// The agent to make better, e.g. mcts:sims=200 (see `ply agents`)
    pub spec: String,
    /// A key and its values: c=0.1..2.0, depth=1..6 (whole numbers), sims=10..1000:log, leaf=rollout|eval (grid only); may be repeated
    #[arg(long = "param", value_name = "KEY=VALUES", required = true)]
    pub params: Vec<String>,
    /// How to look for better values
    #[arg(long, value_name = "METHOD", default_value = "spsa")]
    pub method: TuneMethod,
    /// Play against this agent [default: spsa against itself, grid against the agent as it is]
    #[arg(long, value_name = "SPEC")]
    pub against: Option<String>,
    /// Pairs of games to look with, in all
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = games)]
    pub pairs: u64,
    /// Pairs for each step of spsa
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = games)]
    pub batch: u64,
    /// Values of each parameter on the grid
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(2..=100))]
    pub steps: u32,
    /// Pairs of the match at the end between the new values and the old; 0 for none
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub verify: u64,
    /// Write a page with plots to this file (replaced if it is there), as Markdown where it ends in .md
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub conditions: ConditionArgs,
}

/// How better values are looked for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TuneMethod {
    /// Steps towards the better of two neighbours (Spall); for numbers
    Spsa,
    /// Some values of each, the worse half of which is dropped again and again
    Grid,
}

/// How differences in strength are measured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EloScale {
    /// In units of the spread of the results
    Normalised,
    /// By the expected score
    Logistic,
}

#[derive(clap::Args)]
pub struct StudyArgs {
    /// A study that comes with the program, e.g. c1-clobber-random, or the file of one; with --all, a directory of them [default: lists
    /// those that come with the program]
    #[arg(value_name = "NAME|FILE")]
    pub file: Option<PathBuf>,
    /// All studies of the directory [default: studies, and where there is none, those that come with the program]
    #[arg(long)]
    pub all: bool,
    /// At most so many games for each cell
    #[arg(long, value_name = "N", value_parser = games)]
    pub games: Option<u64>,
    /// Games played at the same time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub threads: Option<u32>,
    /// Write the report to this file (replaced if it is there), as Markdown with its plots beside it where it ends in .md, as ply report does
    #[arg(short, long, value_name = "FILE", conflicts_with = "all", requires = "file")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub fleet: FleetArgs,
}

#[derive(clap::Args)]
pub struct RatingsArgs {
    /// Runs of one game, by the beginnings of their names (see `ply runs`)
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<String>,
}

#[derive(clap::Args)]
pub struct ReportArgs {
    /// The beginning of the name of a run (see `ply runs`), or a study that has been played (see `ply study`)
    #[arg(value_name = "RUN|STUDY")]
    pub subject: String,
    /// The file to write (replaced if it is there), as Markdown with plots beside it where it ends in .md [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write Markdown instead of HTML; to standard output without plots
    #[arg(long)]
    pub md: bool,
    /// The heading [default: the question that the run answers, the title of the study]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
}

#[derive(clap::Args)]
pub struct RunsArgs {
    #[command(subcommand)]
    pub action: Option<RunsAction>,
}

#[derive(Subcommand)]
pub enum RunsAction {
    /// Show the results of a run
    Show {
        /// The beginning of its name
        run: String,
    },
    /// Write all games of a run
    Games {
        /// The beginning of its name
        run: String,
        /// As a table with a row for each game [default: as records, JSON lines]
        #[arg(long)]
        csv: bool,
        /// The same table as a Parquet file
        #[arg(long, conflicts_with = "csv", requires = "out")]
        parquet: bool,
        /// As records in another format, e.g. crosphere-thesis (see `ply convert`)
        #[arg(long, value_name = "FORMAT", conflicts_with_all = ["csv", "parquet"])]
        to: Option<String>,
        /// The file to write (replaced if it is there) [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Write all positions of a run as arrays for those who train networks, in parts of 70, 20 and 10 % of the games
    Positions {
        /// The beginning of its name
        run: String,
        /// A file that ends in .npz or .safetensors (replaced if it is there), or a new directory for .npy files
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
        /// What the planes show: general, for every game; thesis, for Crosphere
        #[arg(long, value_name = "ENCODING", default_value = "general")]
        planes: String,
    },
    /// Read everything that is kept, and say what is damaged
    Check {
        /// Remove what is damaged, so that it is played again when its run goes on
        #[arg(long)]
        repair: bool,
    },
    /// Forget a run with all its games
    Rm {
        /// The beginning of its name
        run: String,
    },
}
