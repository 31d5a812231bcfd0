//! What can be typed after `ply`.

mod doors;
mod engines;
mod nets;
mod queue;

use std::io::IsTerminal as _;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use plyground_table::{Limits, Seed, infos, parse_duration, parse_limits};

pub use doors::{Compete, Host, Join, Web};
pub use engines::{NamedEngine, RunEngine, Ugi};
pub use nets::{MeasureNet, Nets, NetsAction};
pub use queue::{Door, QUEUE_OPTIONS, QueueArgs, WorkerArgs};

/// From the rules of a board game to opponents, experiments and an app.
///
/// Without a subcommand, does what `ply serve` does: the app, on port 7777 of this computer.
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

impl Global {
    /// The seed that was given; without one, things differ from run to run: the time is random enough for that.
    pub fn seed_or_time(&self) -> u64 {
        let now = || std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos() as u64);
        self.seed.unwrap_or_else(|| Seed(now()).numbered(0).0 >> 32)
    }
}

#[derive(Subcommand)]
pub enum Command {
    /// List the games with their parameters, sizes and variants
    Games,
    /// Print the rules of a game
    Rules(Rules),
    /// List the agents with their keys, and the ready-made opponents
    Agents(Agents),
    /// Draw a position
    Show(Place),
    /// Print the legal moves, sorted, one a line
    Moves(Place),
    /// Play moves and print the position after them
    Apply(Apply),
    /// Count the sequences of moves of each length
    Perft(Perft),
    /// Find out who wins a position when both play perfectly
    Solve(Solve),
    /// Watch an agent think about a position, and see what it chooses and why
    Think(Think),
    /// Compare what agents would play in a position, and what it costs them
    Compare(Compare),
    /// Score evaluations by the truth that the solver knows, without playing games
    Judge(Judge),
    /// Train an agent that learns by playing against itself, and keep what it has learnt
    Train(Train),
    /// List, verify and measure networks, and write them for other programs
    Nets(Nets),
    /// Teach a network from games that were played: the positions with their results, and the moves
    Learn(Learn),
    /// Compute the values of all small regions of a game once and for all, for its solver
    Regions(Regions),
    /// Let two agents play pairs of games with swapped seats, and see who is stronger
    Match(Match),
    /// Let several agents play each other
    Tournament(Tournament),
    /// Test whether a new agent is stronger than an old one, with as few games as it takes
    Sprt(SprtTest),
    /// Find better values for the keys of an agent, and test whether they are better
    Tune(Tune),
    /// Rate the agents of runs on one scale
    Ratings(RatingsOf),
    /// Play what coordinators (commands with --queue) ask for, with others at the same NATS server
    Worker(WorkerArgs),
    /// Play a published study again, and see our numbers beside its own
    Study(StudyOf),
    /// Find out how fair a game is and how it plays, by its parameters and by strength
    Balance(BalanceOf),
    /// List, show, export and remove what was played
    Runs(Runs),
    /// Write a report on a run: tables, plots and games on one page
    Report(ReportOn),
    /// Play a competition from its file: everybody's games, the table, and a page with both
    Compete(Compete),
    /// Let clients of the TUC-Chess protocol play each other, and show it in the browser
    Host(Host),
    /// Let an agent play at a server of the TUC-Chess protocol
    Join(Join),
    /// Open the app: a web page with this computer's engine and its lab behind it
    Serve(Serve),
    /// Be an engine for other programs: UGI, the UCI of all board games, on standard input and output
    Ugi(Ugi),
    /// Set limits, then become another program
    #[command(hide = true)]
    RunEngine(RunEngine),
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
    /// Show the opponents and evaluators of this game only
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

#[derive(clap::Args)]
pub struct Solve {
    #[command(flatten)]
    pub place: Place,
    /// Stop after this time: 30s, 5min [default: only when it is solved, or at Ctrl-C]
    #[arg(long, value_name = "T", value_parser = duration)]
    pub time: Option<Duration>,
    /// The memory to use, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub memory: u32,
    /// auto (the game's own solver where it has one), alphabeta, or dfpn (proof numbers)
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    pub method: String,
    /// Begin with the tablebase in this file [default: what earlier runs have kept]
    #[arg(long, value_name = "FILE", conflicts_with = "fresh")]
    pub tb: Option<PathBuf>,
    /// Begin with nothing
    #[arg(long)]
    pub fresh: bool,
    /// Keep what is found as a tablebase in this file, for agents (tb=FILE) and later runs [default: in the data directory]
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// The most positions to keep in a tablebase (ten bytes each)
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub keep: usize,
}

#[derive(clap::Args)]
pub struct Judge {
    /// A game that can be solved, e.g. pawn:size=4x4 or tictactoe (see `ply games`)
    #[arg(required_unless_present = "study")]
    pub game: Option<String>,
    /// Evaluations with their keys, e.g. simple or links:w=0.5 (see `ply agents GAME`) [default: all that the game has]
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub eval: Vec<String>,
    /// Plies that an evaluation looks ahead, one number or from..to
    #[arg(long, value_name = "PLIES", default_value = "1", value_parser = depths)]
    pub depth: Depths,
    /// Keys that an evaluation has in addition where the second player is to move, e.g. view=second
    #[arg(long, value_name = "KEYS", default_value = "")]
    pub second: String,
    /// Agents to judge beside the evaluations, e.g. mcts:sims=100 (see `ply agents`)
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    pub agent: Vec<String>,
    /// Judge those who play in this study, play it (as `ply study` does), and see how well the truth predicts its scores
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "eval", "depth", "second", "agent"])]
    pub study: Option<PathBuf>,
    /// Look at all positions that can be reached, however many [default: if there are at most 300,000]
    #[arg(long, conflicts_with = "positions")]
    pub all: bool,
    /// Look at so many positions, each from a random game [default: 2000 where there are too many for all]
    #[arg(long, value_name = "N", value_parser = games)]
    pub positions: Option<u64>,
    /// The time to solve the positions of a sample; it is smaller if that is not enough
    #[arg(long, value_name = "T", default_value = "10s", value_parser = duration)]
    pub time: Duration,
    /// Write a page with plots to this file (replaced if it is there)
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// From where to where.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Depths {
    pub from: u32,
    pub to: u32,
}

fn depths(text: &str) -> Result<Depths, String> {
    let number = |text: &str| text.parse().ok().filter(|number| (1..=20).contains(number));
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let depths = number(from).zip(number(to)).filter(|(from, to)| from <= to).map(|(from, to)| Depths { from, to });
    depths.ok_or_else(|| "expected a whole number from 1 to 20, or two like 2..5".to_owned())
}

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

#[derive(clap::Args)]
pub struct Regions {
    /// The game; clobber has regions
    pub game: String,
    /// The stones of the largest regions, up to 10
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub stones: u32,
    /// The file to write (replaced if it is there) [default: where the solver looks for it]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

fn depth(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=200).contains(number));
    number.ok_or_else(|| "expected a whole number from 1 to 200".to_owned())
}

#[derive(clap::Args)]
pub struct Think {
    #[command(flatten)]
    pub place: Place,
    /// Who thinks, e.g. mcts:sims=5000 or level=4 (see `ply agents`)
    #[arg(long, value_name = "SPEC", default_value = "best")]
    pub agent: String,
    #[command(flatten)]
    pub budget: Budget,
    /// Print every number that the agent gives about its search
    #[arg(long)]
    pub explain: bool,
}

#[derive(clap::Args)]
pub struct Compare {
    #[command(flatten)]
    pub place: Place,
    /// Two agents or more, e.g. mcts:sims=5000 level=4 (see `ply agents`)
    #[arg(value_name = "SPEC", required = true, num_args = 2..)]
    pub agents: Vec<String>,
    #[command(flatten)]
    pub budget: Budget,
}

/// How long to think.
#[derive(clap::Args)]
pub struct Budget {
    /// Limits instead of those of the spec: time=T, sims=N, nodes=N, depth=N, one or several behind commas
    #[arg(long = "budget", value_name = "LIMITS", value_parser = limits)]
    limits: Option<Limits>,
}

impl Budget {
    /// What was asked for; nothing means what the spec says.
    pub fn limits(&self) -> Limits {
        self.limits.unwrap_or_default()
    }
}

fn limits(text: &str) -> Result<Limits, String> {
    if text.trim().is_empty() {
        return Err("expected limits like time=1s or sims=1000,nodes=5000".to_owned());
    }
    parse_limits(text).map_err(|error| error.to_string())
}

#[derive(clap::Args)]
pub struct Train {
    /// The game, e.g. crosphere or clobber:size=8x8 (see `ply games`)
    pub game: String,
    /// Train another agent than a network, with the keys of its training, e.g. q:alpha=0.5 (see `ply agents`)
    #[arg(long, value_name = "SPEC")]
    pub agent: Option<String>,
    /// The folder of the training, or for --agent the file for what is learnt; what is there from an earlier training goes on
    #[arg(long, value_name = "PATH")]
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
    #[command(flatten)]
    pub queue: QueueArgs,
}

#[derive(clap::Args)]
pub struct Learn {
    /// The game, e.g. crosphere or clobber:size=8x8 (see `ply games`)
    pub game: String,
    /// Where the games are: a run, by the beginning of its name (see `ply runs`), or a file of records; may be given several times
    #[arg(long, value_name = "RUN|FILE", required = true)]
    pub from: Vec<String>,
    /// The file for the network (replaced if it is there): that of the epoch with the lowest loss on the validation games
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// What the network is made of: small, medium, thesis (the one of the Crosphere thesis), or a file that describes it in JSON
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
    /// The size of a step (Adam)
    #[arg(long, value_name = "R", default_value = "0.001", value_parser = rate_of_learning)]
    pub rate: f32,
    /// Write the numbers in half precision: a file of half the size
    #[arg(long)]
    pub half: bool,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub threads: Option<u32>,
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

fn games(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|&number| number >= 1);
    number.ok_or_else(|| "expected a whole number from 1".to_owned())
}

/// How games between agents are played.
#[derive(clap::Args)]
pub struct Conditions {
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
    pub queue: QueueArgs,
}

#[derive(clap::Args)]
pub struct Match {
    /// The game, e.g. clobber or clobber:size=8x8 (see `ply games`)
    pub game: String,
    /// An agent, e.g. mcts:sims=5000 or level=4 (see `ply agents`)
    #[arg(value_name = "SPEC")]
    pub one: String,
    /// Its opponent
    #[arg(value_name = "SPEC")]
    pub other: String,
    /// Pairs of games: one opening, both ways round
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = games)]
    pub pairs: u64,
    #[command(flatten)]
    pub conditions: Conditions,
}

#[derive(clap::Args)]
pub struct Tournament {
    /// The game, e.g. clobber or clobber:size=8x8 (see `ply games`)
    pub game: String,
    /// Two agents or more, e.g. random mcts:sims=100 level=4 (see `ply agents`)
    #[arg(value_name = "SPEC", num_args = 2.., required = true)]
    pub agents: Vec<String>,
    /// Pairs of games for each two that meet
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = games)]
    pub pairs: u64,
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
    pub conditions: Conditions,
}

#[derive(clap::Args)]
pub struct SprtTest {
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
    pub scale: Scale,
    /// Stop undecided after so many pairs
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = games)]
    pub most_pairs: u64,
    #[command(flatten)]
    pub conditions: Conditions,
}

#[derive(clap::Args)]
pub struct Tune {
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
    /// Write a page with plots to this file (replaced if it is there)
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub conditions: Conditions,
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
pub enum Scale {
    /// In units of the spread of the results
    Normalised,
    /// By the expected score
    Logistic,
}

#[derive(clap::Args)]
pub struct StudyOf {
    /// The file of the study, e.g. studies/c1-clobber-random.toml; with --all, a directory of them
    #[arg(required_unless_present = "all")]
    pub file: Option<PathBuf>,
    /// All studies of the directory [default: studies]
    #[arg(long)]
    pub all: bool,
    /// At most so many games for each cell
    #[arg(long, value_name = "N", value_parser = games)]
    pub games: Option<u64>,
    /// Games played at the same time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub threads: Option<u32>,
    #[command(flatten)]
    pub queue: QueueArgs,
}

#[derive(clap::Args)]
pub struct BalanceOf {
    /// The game, with the parameters that stay the same, e.g. crosphere or mnk:k=4 (see `ply games`)
    pub game: String,
    #[command(flatten)]
    pub varied: Varied,
    /// Who plays, each against itself, the weakest first [default: random mcts:sims=10 mcts:sims=100 mcts:sims=1000]
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    pub agents: Vec<String>,
    /// Games of each agent in each setting
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = games)]
    pub games: u64,
    /// Who says who is ahead, the same for all agents
    #[arg(long, value_name = "SPEC", default_value = plyground_lab::balance::JUDGE)]
    pub judge: String,
    /// Games of each agent in each setting that are judged; 0 for none
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub judged: u64,
    /// Try to solve every setting for this long, too: 5s
    #[arg(long, value_name = "T", value_parser = duration)]
    pub solve: Option<Duration>,
    /// Begin every game after so many random plies, for agents that always play the same game
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=200))]
    pub opening_plies: u32,
    /// Games played at the same time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub threads: Option<u32>,
    /// Write the report to this file (replaced if it is there): HTML with tables and plots
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write the report as Markdown, without plots
    #[arg(long)]
    pub md: bool,
}

/// Parameters of a game with the values that they take, each with its key: an option for every key that some game has, and `--param` for
/// whatever has none.
pub struct Varied(pub Vec<(String, String)>);

/// Every key of some game, once, with what it means.
fn game_keys() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut keys: Vec<(&str, Vec<&str>)> = Vec::new();
    for info in infos() {
        for key in info.keys {
            match keys.iter_mut().find(|(known, _)| *known == key.key) {
                Some((_, games)) => games.push(info.name),
                None => keys.push((key.key, vec![info.name])),
            }
        }
    }
    keys
}

const PARAM: &str = "param";

impl clap::Args for Varied {
    fn augment_args(command: clap::Command) -> clap::Command {
        const HEADING: &str = "Parameters of the game";
        let param = clap::Arg::new(PARAM)
            .long(PARAM)
            .value_name("KEY=VALUES")
            .action(clap::ArgAction::Append)
            .value_parser(key_and_values)
            .help_heading(HEADING)
            .help(
                "A parameter and its values: from one to another (strong=2..5, size=5x5..8x8: both sides grow together), or \
                behind commas (k=3,5); on and off for a flag. Every combination is played",
            );
        game_keys().into_iter().fold(command.arg(param), |command, (key, games)| {
            let help = format!("Short for --param {key}=VALUES ({})", games.join(", "));
            command.arg(clap::Arg::new(key).long(key).value_name("VALUES").help_heading(HEADING).help(help))
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for Varied {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let given = matches.get_many::<(String, String)>(PARAM).into_iter().flatten().cloned();
        let short = |(key, _): (&'static str, _)| Some((key.to_owned(), matches.get_one::<String>(key)?.clone()));
        Ok(Self(given.chain(game_keys().into_iter().filter_map(short)).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn key_and_values(text: &str) -> Result<(String, String), String> {
    let (key, values) = text.split_once('=').ok_or_else(|| "expected KEY=VALUES, like size=5x5..8x8".to_owned())?;
    Ok((key.trim().to_owned(), values.trim().to_owned()))
}

#[derive(clap::Args)]
pub struct RatingsOf {
    /// Runs of one game, by the beginnings of their names (see `ply runs`)
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<String>,
}

#[derive(clap::Args)]
pub struct ReportOn {
    /// The beginning of the name of a run (see `ply runs`), or the file of a study that has been played
    #[arg(value_name = "RUN|STUDY")]
    pub subject: String,
    /// The file to write (replaced if it is there) [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write Markdown, without plots, instead of HTML
    #[arg(long)]
    pub md: bool,
    /// The heading [default: the question that the run answers, the title of the study]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
}

#[derive(clap::Args)]
pub struct Serve {
    /// The port; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = Serve::PORT)]
    pub port: u16,
    /// The address to listen on; 0.0.0.0 lets others in to play (the lab stays with this computer)
    #[arg(long, value_name = "ADDRESS", default_value_t = Serve::HOST)]
    pub host: IpAddr,
    /// Show the app in the browser at once
    #[arg(long)]
    pub open: bool,
    /// A program that everybody who can see the page may play against, e.g. mine=cmd:./bot (docs/engines.md); can be repeated
    #[arg(long, value_name = "NAME=cmd:COMMAND", value_parser = engines::named_engine)]
    pub engine: Vec<NamedEngine>,
    /// Show in the lab who works at this NATS server, e.g. `nats://HOST:4222`
    #[arg(long, value_name = "URL", value_parser = queue::address)]
    pub queue: Option<String>,
    #[command(flatten)]
    pub door: Door,
}

impl Serve {
    const PORT: u16 = 7777;
    const HOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
}

/// What `ply` alone does.
impl Default for Serve {
    fn default() -> Self {
        Self {
            port: Self::PORT,
            host: Self::HOST,
            open: std::io::stdout().is_terminal(),
            engine: Vec::new(),
            queue: None,
            door: Door::default(),
        }
    }
}

#[derive(clap::Args)]
pub struct Runs {
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
        #[arg(long, value_name = "FILE")]
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
    /// Forget a run with all its games
    Rm {
        /// The beginning of its name
        run: String,
    },
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
    /// The game, e.g. clobber or clobber:size=8x8 (see `ply games`) [default: asks for the game, the opponent and the side]
    pub game: Option<String>,
    /// The position to begin with [default: the start]
    #[arg(long, value_name = "P", conflicts_with = "resume", requires = "game")]
    pub position: Option<String>,
    /// The opponent, e.g. level=2 or mcts:sims=5000 (see `ply agents`) [default: level=4, or who it was]
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
pub const DEFAULT_OPPONENT: &str = "level=4";

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
