//! The command line of `ply`: subcommands, options and their values, and what is answered where they are not understood.
#![forbid(unsafe_code)]

mod balance;
mod engines;
mod experiments;
pub mod hints;
mod nets;
mod queue;
mod servers;
mod training;
mod watch;

use std::io::IsTerminal as _;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use plyground_session::{Limits, Seed, parse_duration, parse_limits};

pub use balance::{BalanceArgs, VariedKeys};
pub use engines::{NamedEngine, RunEngineArgs, UgiArgs};
pub use experiments::{
    ConditionArgs, EloScale, MatchArgs, RatingsArgs, ReportArgs, RunsAction, RunsArgs, SeatsArg, SprtArgs, StudyArgs,
    TournamentArgs, TuneArgs, TuneMethod, pairs_of,
};
pub use nets::{MeasureNetArgs, NetsAction, NetsArgs};
pub use queue::{ConnectionArgs, FleetArgs, QUEUE_OPTIONS, QueueAction, QueueArgs, QueueInitArgs, QueueSetupArgs, WorkerArgs};
pub use servers::{ArenaAction, ArenaArgs, ArenaTryArgs, CompeteArgs, HostArgs, JoinArgs, WebAddress};
pub use training::{LearnArgs, LossName, OptimizerName, TrainArgs};
pub use watch::{EvalArgs, WatchArgs};

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
    Rules(RulesArgs),
    /// List the agents with their keys, and the ready-made opponents
    Agents(AgentsArgs),
    /// Draw a position
    Show(PositionArgs),
    /// Print the legal moves, sorted, one a line
    Moves(PositionArgs),
    /// Play moves and print the position after them
    Apply(ApplyArgs),
    /// Count the sequences of moves of each length
    Perft(PerftArgs),
    /// Find out who wins a position when both play perfectly
    Solve(SolveArgs),
    /// Solve a game and write the proof, which another program can check
    Certify(CertifyArgs),
    /// Solve a large game opening by opening, on all cores; killed at any moment, the same command goes on
    Campaign(CampaignArgs),
    /// Find positions with exactly one move that keeps the win or the draw, proved by the solver
    Puzzles(PuzzlesArgs),
    /// Watch an agent think about a position, and see what it chooses and why
    Think(ThinkArgs),
    /// Compare what agents would play in a position, and what it costs them
    Compare(CompareArgs),
    /// Print what the evaluations of a game say about a position, term by term
    Eval(EvalArgs),
    /// Watch two agents play a game, board by board
    Watch(WatchArgs),
    /// Score evaluations by the truth that the solver knows, without playing games
    Judge(JudgeArgs),
    /// Train an agent that learns by playing against itself, and keep what it has learnt
    Train(TrainArgs),
    /// List, verify and measure networks, and write them for other programs
    Nets(NetsArgs),
    /// Teach a network from games that were played: the positions with their results, and the moves
    Learn(LearnArgs),
    /// Compute the values of all small regions of a game once and for all, for its solver
    Regions(RegionsArgs),
    /// Let two agents play pairs of games with swapped seats, and see who is stronger
    Match(MatchArgs),
    /// Let several agents play each other
    Tournament(TournamentArgs),
    /// Test whether a new agent is stronger than an old one, with as few games as it takes
    Sprt(SprtArgs),
    /// Find better values for the keys of an agent, and test whether they are better
    Tune(TuneArgs),
    /// Rate the agents of runs on one scale
    Ratings(RatingsArgs),
    /// Play what coordinators (commands with --queue) ask for, with others at the same NATS server
    Worker(WorkerArgs),
    /// Set up a queue with roles: who may give work, who may do it, who may watch
    Queue(QueueSetupArgs),
    /// Play a published study again, and see our numbers beside its own
    Study(StudyArgs),
    /// Find out how fair a game is and how it plays, by its parameters and by strength
    Balance(BalanceArgs),
    /// List, show, export, check and remove what was played
    Runs(RunsArgs),
    /// Write a report on a run: tables, plots and games on one page
    Report(ReportArgs),
    /// Play a competition from its file: everybody's games, the table, and a page with both
    Compete(CompeteArgs),
    /// Open a class arena: bots are uploaded in the browser, run in a sandbox, and climb a ladder
    Arena(ArenaArgs),
    /// Let clients of the TUC-Chess protocol play each other, and show it in the browser
    Host(HostArgs),
    /// Let an agent play at a server of the TUC-Chess protocol
    Join(JoinArgs),
    /// Open the app: a web page with this computer's engine and its lab behind it
    Serve(ServeArgs),
    /// Be an engine for other programs: UGI, the UCI of all board games, on standard input and output
    Ugi(UgiArgs),
    /// Run another program with limits
    #[command(hide = true)]
    RunEngine(RunEngineArgs),
    /// Play a game in the terminal
    Play(PlayArgs),
    /// Step through a recorded game
    Replay(ReplayArgs),
    /// Turn game records from one format into another
    Convert(ConvertArgs),
    /// Take games that were played elsewhere as a run: for reports, positions, learning
    Import(ImportArgs),
}

/// A game and a position in it.
#[derive(clap::Args)]
pub struct PositionArgs {
    /// The game, e.g. clobber or clobber:size=8x8 (see `ply games`)
    pub game: String,
    /// The position as one line of text [default: the start]
    #[arg(long, value_name = "P")]
    pub position: Option<String>,
}

#[derive(clap::Args)]
pub struct RulesArgs {
    /// The game (see `ply games`)
    pub game: String,
}

#[derive(clap::Args)]
pub struct AgentsArgs {
    /// Show the opponents and evaluators of this game only
    pub game: Option<String>,
}

#[derive(clap::Args)]
pub struct ApplyArgs {
    #[command(flatten)]
    pub place: PositionArgs,
    /// Moves and outcomes of chance in their order
    #[arg(value_name = "MOVE")]
    pub moves: Vec<String>,
}

#[derive(clap::Args)]
pub struct PerftArgs {
    #[command(flatten)]
    pub place: PositionArgs,
    /// The longest sequences to count
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = depth)]
    pub depth: u32,
    /// Count the sequences of the greatest length by their first move, too
    #[arg(long)]
    pub divide: bool,
}

#[derive(clap::Args)]
pub struct SolveArgs {
    #[command(flatten)]
    pub place: PositionArgs,
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
    /// Keep the strategy as a tablebase in this file, for agents (tb=FILE): a best reply to everything that the opponent can do
    /// [default: only what took the most work, in the data directory, for later runs]
    #[arg(short = 'o', long, visible_alias = "out", value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// The most positions to keep in a tablebase (ten bytes each)
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub keep: usize,
}

#[derive(clap::Args)]
pub struct CertifyArgs {
    /// A game that can be solved, with its parameters, e.g. pawn:size=6x6 (see `ply games`)
    pub game: String,
    /// Write the certificate to this file
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// The most moves of a small search that decides a position, which then needs no reply in the file: more make the file smaller,
    /// and its check longer
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub limit: u32,
    /// Begin a section after so many moves of the winner, so that several computers can check parts of the file [default: one section]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub split: u32,
    /// Stop after this time: 30s, 5min [default: only when it is done, or at Ctrl-C]
    #[arg(long, value_name = "T", value_parser = duration)]
    pub time: Option<Duration>,
    /// The memory of the solver, in megabytes; the positions of the proof come on top of it
    #[arg(long, value_name = "MB", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub memory: u32,
}

#[derive(clap::Args)]
pub struct CampaignArgs {
    /// A game that can be solved, with its parameters, e.g. clobber:size=6x6 (see `ply games`)
    pub game: String,
    /// The openings are the positions after so many plies, symmetric ones once
    #[arg(long, value_name = "PLIES", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=12))]
    pub depth: u32,
    /// Openings that are solved at the same time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub threads: Option<u32>,
    /// The memory to use for all of them together, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub memory: u32,
    /// Stop after this time: 30s, 5min [default: only when it is solved, or at Ctrl-C]
    #[arg(long, value_name = "T", value_parser = duration)]
    pub time: Option<Duration>,
    /// The folder of the campaign: openings that are solved, and the table [default: one for each game and depth in the data directory]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

#[derive(clap::Args)]
pub struct PuzzlesArgs {
    /// Boards of one game that can be solved, e.g. crosphere:size=5x5 crosphere:size=6x6 (see `ply games`)
    #[arg(value_name = "GAME", required = true)]
    pub games: Vec<String>,
    /// The number of puzzles, the same from each board
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub count: u32,
    /// The most positions that the solver searches for the value of a move; what takes more is left out
    #[arg(long, value_name = "N", default_value_t = 3_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Write the puzzles to this file (replaced if it is there) [default: print them]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(clap::Args)]
pub struct JudgeArgs {
    /// A game that can be solved, e.g. pawn:size=4x4 or tictactoe (see `ply games`)
    #[arg(required_unless_present = "study")]
    pub game: Option<String>,
    /// Evaluations with their keys, e.g. simple or links:w=0.5 (see `ply agents GAME`) [default: all that the game has]
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub eval: Vec<String>,
    /// Plies that an evaluation looks ahead, one number or from..to
    #[arg(long, value_name = "PLIES", default_value = "1", value_parser = depths)]
    pub depth: DepthList,
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
    /// Write a page with plots to this file (replaced if it is there), as Markdown where it ends in .md
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// From where to where.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DepthList {
    pub from: u32,
    pub to: u32,
}

fn depths(text: &str) -> Result<DepthList, String> {
    let number = |text: &str| text.parse().ok().filter(|number| (1..=20).contains(number));
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let depths = number(from).zip(number(to)).filter(|(from, to)| from <= to).map(|(from, to)| DepthList { from, to });
    depths.ok_or_else(|| "expected a whole number from 1 to 20, or two like 2..5".to_owned())
}

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

#[derive(clap::Args)]
pub struct RegionsArgs {
    /// The game; clobber has regions
    pub game: String,
    /// The stones of the largest regions, up to 10
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub stones: u32,
    /// The file to write (replaced if it is there) [default: where the solver looks for it]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

fn depth(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=200).contains(number));
    number.ok_or_else(|| "expected a whole number from 1 to 200".to_owned())
}

fn games(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|&number| number >= 1);
    number.ok_or_else(|| "expected a whole number from 1".to_owned())
}

#[derive(clap::Args)]
pub struct ThinkArgs {
    #[command(flatten)]
    pub place: PositionArgs,
    /// Who thinks, e.g. mcts:sims=5000 or level=4 (see `ply agents`)
    #[arg(long, value_name = "SPEC", default_value = "best")]
    pub agent: String,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Print every number that the agent gives about its search
    #[arg(long)]
    pub explain: bool,
}

#[derive(clap::Args)]
pub struct CompareArgs {
    #[command(flatten)]
    pub place: PositionArgs,
    /// Two agents or more, e.g. mcts:sims=5000 level=4 (see `ply agents`)
    #[arg(value_name = "SPEC", required = true, num_args = 2..)]
    pub agents: Vec<String>,
    #[command(flatten)]
    pub budget: BudgetArgs,
}

/// How long to think.
#[derive(clap::Args)]
pub struct BudgetArgs {
    /// Limits instead of those of the spec: time=T, sims=N, nodes=N, depth=N, one or several behind commas
    #[arg(long = "budget", value_name = "LIMITS", value_parser = limits)]
    limits: Option<Limits>,
}

impl BudgetArgs {
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
pub struct ServeArgs {
    /// The port; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = ServeArgs::PORT)]
    pub port: u16,
    /// The address to listen on; 0.0.0.0 lets others in to play (the lab stays with this computer)
    #[arg(long, value_name = "ADDRESS", default_value_t = ServeArgs::HOST)]
    pub host: IpAddr,
    /// A reverse proxy in front of this server: what it says of the address of a client (X-Forwarded-For) is believed; can be repeated
    #[arg(long, value_name = "ADDRESS")]
    pub proxy: Vec<IpAddr>,
    /// A name in the DNS under which pages reach this server, if not by its address; can be repeated
    #[arg(long, value_name = "NAME")]
    pub name: Vec<String>,
    /// Show the app in the browser at once
    #[arg(long)]
    pub open: bool,
    /// A program that everybody who can see the page may play against, e.g. mine=cmd:./bot (docs/engines.md); can be repeated
    #[arg(long, value_name = "NAME=cmd:COMMAND", value_parser = engines::named_engine)]
    pub engine: Vec<NamedEngine>,
    /// Show in the lab who works at this NATS server: its address, e.g. `nats://HOST:4222`, or the file of an onlooker (see `ply queue`)
    #[arg(long, value_name = "URL|FILE", value_parser = queue::address)]
    pub queue: Option<String>,
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

impl ServeArgs {
    const PORT: u16 = 7777;
    const HOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
}

/// What `ply` alone does.
impl Default for ServeArgs {
    fn default() -> Self {
        Self {
            port: Self::PORT,
            host: Self::HOST,
            proxy: Vec::new(),
            name: Vec::new(),
            open: std::io::stdout().is_terminal(),
            engine: Vec::new(),
            queue: None,
            connection: ConnectionArgs::default(),
        }
    }
}

#[derive(clap::Args)]
pub struct PlayArgs {
    /// The game, e.g. clobber or clobber:size=8x8 (see `ply games`) [default: asks for the game, the opponent and the side]
    pub game: Option<String>,
    /// The position to begin with [default: the start]
    #[arg(long, value_name = "P", conflicts_with = "resume", requires = "game")]
    pub position: Option<String>,
    /// The opponent, e.g. level=2 or mcts:sims=5000 (see `ply agents`), or human: two people take turns here [default: level=4, or
    /// who it was]
    #[arg(long, value_name = "SPEC")]
    pub against: Option<String>,
    /// Your side: first, second, or what the game calls it, e.g. pink [default: first, or what it was]
    #[arg(long = "as", value_name = "SIDE")]
    pub side: Option<String>,
    /// Go on with the last game of a file that was saved or kept
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    pub resume: Option<PathBuf>,
}

/// Who plays against you when you do not say.
pub const DEFAULT_OPPONENT: &str = "level=4";

#[derive(clap::Args)]
pub struct ReplayArgs {
    /// A file with game records, in any format that `ply convert` reads
    pub file: PathBuf,
    /// The number of the game in the file
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub game: usize,
}

#[derive(clap::Args)]
pub struct ImportArgs {
    /// The file of records to read, e.g. that of another program; - is standard input
    pub file: PathBuf,
    /// The format of the file [default: found out by looking]
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<String>,
}

#[derive(clap::Args)]
pub struct ConvertArgs {
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
    /// The file to write, said as elsewhere
    #[arg(short, long, value_name = "FILE", conflicts_with = "output")]
    pub out: Option<PathBuf>,
}
