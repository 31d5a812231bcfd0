//! Random playouts and UCT simulations a second, ours and OpenSpiel's, side by side in one run on one machine: `cargo xtask peers`.
//!
//! Figures from different days or machines say little; the ratio of two programs that take turns on the same core says a lot. Both
//! sides play one game at a time in one thread, through their generic interface, and the best round of each side counts. Where there
//! is no peer, our own searches stand beside what they are made of. Exits with 1 if a bar is missed.

use std::fmt::Write as _;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use plyground_agents::AgentSpec;
use plyground_bench::python::Script;
use plyground_bench::verdict;
use plyground_core::{
    Budget, Game, Limits, NoClock, NoObserver, NoResources, PlayableGame, Rng, Scratch, SearchRequest, Seed, Visitor,
};
use plyground_session::build_agent;
use serde_json::{Value, json};

/// The release whose interface the script uses.
const OPEN_SPIEL: &str = "open_spiel==2.0.2";
const SCRIPT: &str = include_str!("../open_spiel_peer.py");
const ROUNDS: u32 = 5;
const ROUND: Duration = Duration::from_millis(500);

/// The simulations of a search; every search begins with an empty tree.
const SIMULATIONS: u64 = 10_000;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// Random games from the start.
    Playouts,
    /// Simulations of this agent from the start.
    Search(&'static str),
}

impl Work {
    fn name(self) -> &'static str {
        match self {
            Self::Playouts => "playouts",
            Self::Search(spec) => spec,
        }
    }
}

/// What it stands beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    Nothing,
    /// The same work in OpenSpiel, on this game.
    OpenSpiel(&'static str),
    /// Other work of ours on the same game.
    Ours(Work),
}

/// What is measured.
struct Contest {
    game: &'static str,
    work: Work,
    beside: Beside,
    /// How many times the other side's rate ours must be.
    bar: Option<f64>,
    /// What single-game prototypes reached in millions a second. They were written before Plyground to learn what the
    /// hardware allows, and measured on one core of a 2-core AVX2 machine, scalar, one game at a time: a memory aid, not a bar.
    prototype: Option<f64>,
}

const CROSPHERE: &str = "crosphere:size=8x8,strong=5";
const UCT: Work = Work::Search("mcts");
const HEURISTIC_UCT: Work = Work::Search("mcts:leaf=eval");

const CONTESTS: [Contest; 16] = [
    Contest::new("tictactoe").beside("tic_tac_toe").bar(10.0),
    Contest::new("clobber:size=5x6").beside("clobber(rows=6,columns=5)").bar(50.0).prototype(7.3),
    Contest::new("clobber:size=8x8").beside("clobber(rows=8,columns=8)").bar(50.0).prototype(3.35),
    Contest::new("clobber:size=10x10").beside("clobber(rows=10,columns=10)").bar(50.0).prototype(1.25),
    Contest::new(CROSPHERE).beside("hex(board_size=8)").bar(40.0).prototype(3.5),
    Contest::new("connect-four").beside("connect_four"),
    Contest::new("pawn:size=4x4"),
    Contest::new("pawn:size=8x8,double"),
    Contest::new("tuc-chess"),
    Contest::new("tictactoe").work(UCT).beside("tic_tac_toe"),
    Contest::new("connect-four").work(UCT).beside("connect_four"),
    Contest::new("clobber:size=5x6").work(UCT).beside("clobber(rows=6,columns=5)").bar(30.0).prototype(4.5),
    Contest::new("clobber:size=8x8").work(UCT).beside("clobber(rows=8,columns=8)").bar(40.0).prototype(2.7),
    Contest::new("clobber:size=10x10").work(UCT).beside("clobber(rows=10,columns=10)").bar(40.0).prototype(1.0),
    Contest::new(CROSPHERE).work(UCT).beside_ours(Work::Playouts).bar(0.5).prototype(3.1),
    Contest::new(CROSPHERE).work(HEURISTIC_UCT).beside_ours(UCT).bar(2.0).prototype(8.0),
];

impl Contest {
    const fn new(game: &'static str) -> Self {
        Self { game, work: Work::Playouts, beside: Beside::Nothing, bar: None, prototype: None }
    }
    const fn work(self, work: Work) -> Self {
        Self { work, ..self }
    }
    const fn beside(self, theirs: &'static str) -> Self {
        Self { beside: Beside::OpenSpiel(theirs), ..self }
    }
    const fn beside_ours(self, work: Work) -> Self {
        Self { beside: Beside::Ours(work), ..self }
    }
    const fn bar(self, bar: f64) -> Self {
        Self { bar: Some(bar), ..self }
    }
    const fn prototype(self, millions: f64) -> Self {
        Self { prototype: Some(millions), ..self }
    }

    /// What stands beside it, in a word or two.
    fn peer(&self) -> Option<String> {
        match self.beside {
            Beside::Nothing => None,
            Beside::OpenSpiel(game) => Some(format!("OpenSpiel {}", game.split('(').next().unwrap_or(game))),
            Beside::Ours(work) => Some(format!("our {}", work.name())),
        }
    }
}

/// Playouts or simulations a second, the best round of each side.
#[derive(Clone, Copy)]
struct Rates {
    theirs: Option<f64>,
    ours: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Passed,
    Missed,
    /// There is no bar.
    None,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Missed => "MISSED",
            Self::None => "-",
        }
    }
}

impl Rates {
    fn ratio(self) -> Option<f64> {
        self.theirs.map(|theirs| self.ours / theirs)
    }

    fn verdict(self, contest: &Contest) -> Verdict {
        match (self.ratio(), contest.bar) {
            (Some(ratio), Some(bar)) if ratio >= bar => Verdict::Passed,
            (Some(_), Some(_)) => Verdict::Missed,
            _ => Verdict::None,
        }
    }
}

/// Random playouts and UCT simulations a second beside OpenSpiel
#[derive(Parser)]
struct Args {
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    verdict(run())
}

fn run() -> Result<bool> {
    let args = Args::parse();
    let mut peer = Peer::start()
        .context("OpenSpiel is needed to compare with, and could not be set up (python3 with venv and pip, and network)")?;
    let mut measured = Vec::new();
    for contest in &CONTESTS {
        eprintln!("{}, {}: {ROUNDS} rounds of {} s a side", contest.game, contest.work.name(), ROUND.as_secs_f64());
        let rates = plyground_games::open(contest.game, None, Match { contest, peer: &mut peer })
            .with_context(|| format!("{} cannot be opened", contest.game))??;
        measured.push((contest, rates));
    }
    if args.json {
        println!("{:#}", report(&measured, &peer.version));
    } else {
        print!("{}", table(&measured, &peer.version));
    }
    Ok(measured.iter().all(|(contest, rates)| rates.verdict(contest) != Verdict::Missed))
}

/// Both sides in turn, so that whatever else the machine does hits both.
struct Match<'a> {
    contest: &'a Contest,
    peer: &'a mut Peer,
}

impl Visitor for Match<'_> {
    type Output = Result<Rates>;

    fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Result<Rates> {
        let mut best = Rates { theirs: None, ours: 0.0 };
        for round in 0..ROUNDS {
            let seed = Seed(u64::from(round));
            let theirs = match self.contest.beside {
                Beside::Nothing => None,
                Beside::OpenSpiel(name) => Some(self.peer.rate(self.contest.work, name)?),
                Beside::Ours(work) => Some(rate(work, &game, &state, seed)?),
            };
            best.theirs = theirs.map(|rate| best.theirs.map_or(rate, |best: f64| best.max(rate)));
            best.ours = best.ours.max(rate(self.contest.work, &game, &state, seed)?);
        }
        Ok(best)
    }
}

/// Our rate in one round.
fn rate<G: PlayableGame>(work: Work, game: &G, state: &G::State, seed: Seed) -> Result<f64> {
    let mut rng = seed.rng();
    match work {
        Work::Playouts => Ok(playout_rate(game, state, &mut rng)),
        Work::Search(spec) => simulation_rate(spec, game, state, &mut rng),
    }
}

fn playout_rate<G: Game>(game: &G, state: &G::State, rng: &mut Rng) -> f64 {
    let mut scratch = Scratch::default();
    let (mut batch, mut done) = (64_u64, 0_u64);
    let begin = Instant::now();
    loop {
        for _ in 0..batch {
            black_box(game.playout(state, rng, &mut scratch));
        }
        done += batch;
        let elapsed = begin.elapsed();
        if elapsed >= ROUND {
            return done as f64 / elapsed.as_secs_f64();
        }
        // Long enough that looking at the clock costs nothing, short enough to stop in time.
        if elapsed < ROUND / 20 {
            batch *= 2;
        }
    }
}

fn simulation_rate<G: PlayableGame>(spec: &str, game: &G, state: &G::State, rng: &mut Rng) -> Result<f64> {
    let mut agent = build_agent(&AgentSpec::parse(spec, game)?, game, &NoResources)?;
    let limits = Limits { simulations: Some(SIMULATIONS), ..Limits::default() };
    let mut done = 0;
    let begin = Instant::now();
    loop {
        let budget = Budget { limits, clock: &NoClock };
        let choice = agent.choose(SearchRequest { game, state, budget, rng: &mut *rng, observer: &mut NoObserver })?;
        ensure!(choice.simulations == SIMULATIONS, "{spec} did not do all simulations");
        done += SIMULATIONS;
        let elapsed = begin.elapsed();
        if elapsed >= ROUND {
            return Ok(done as f64 / elapsed.as_secs_f64());
        }
    }
}

/// OpenSpiel, waiting for games to play.
struct Peer {
    script: Script,
    version: String,
}

impl Peer {
    fn start() -> Result<Self> {
        let mut script = Script::start(OPEN_SPIEL, SCRIPT)?;
        let version = script.ask("version")?;
        Ok(Self { script, version })
    }

    fn rate(&mut self, work: Work, game: &str) -> Result<f64> {
        let work = match work {
            Work::Playouts => "playouts".to_owned(),
            Work::Search(_) => SIMULATIONS.to_string(),
        };
        let answer = self.script.ask(&format!("{work}\t{game}\t{}", ROUND.as_secs_f64()));
        let answer = answer.with_context(|| format!("OpenSpiel could not play {game}"))?;
        answer.parse().context("OpenSpiel did not answer with a rate")
    }
}

fn report(measured: &[(&Contest, Rates)], version: &str) -> Value {
    let games: Vec<Value> = measured
        .iter()
        .map(|(contest, rates)| {
            json!({
                "game": contest.game,
                "work": contest.work.name(),
                "peer": contest.peer(),
                "peer_per_second": rates.theirs,
                "ours_per_second": rates.ours,
                "ratio": rates.ratio(),
                "bar": contest.bar,
                "passed": match rates.verdict(contest) {
                    Verdict::Passed => Some(true),
                    Verdict::Missed => Some(false),
                    Verdict::None => None,
                },
            })
        })
        .collect();
    json!({ "openspiel": version, "rounds": ROUNDS, "seconds_per_round": ROUND.as_secs_f64(), "games": games })
}

fn table(measured: &[(&Contest, Rates)], version: &str) -> String {
    let dash = || "-".to_owned();
    let mut rows =
        vec![["game", "work", "beside", "peer/s", "ours/s", "ratio", "bar", "verdict", "prototype/s"].map(str::to_owned)];
    for (contest, rates) in measured {
        rows.push([
            contest.game.to_owned(),
            contest.work.name().to_owned(),
            contest.peer().unwrap_or_else(dash),
            rates.theirs.map_or_else(dash, short),
            short(rates.ours),
            rates.ratio().map_or_else(dash, |ratio| format!("{ratio:.*}", if ratio < 10.0 { 2 } else { 1 })),
            contest.bar.map_or_else(dash, |bar| bar.to_string()),
            rates.verdict(contest).word().to_owned(),
            contest.prototype.map_or_else(dash, |millions| short(millions * 1e6)),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 9] = std::array::from_fn(width);
    let mut text = String::new();
    for row in &rows {
        let _ = write!(text, "{:<3$}  {:<4$}  {:<5$}", row[0], row[1], row[2], widths[0], widths[1], widths[2]);
        for (cell, width) in row.iter().zip(widths).skip(3) {
            let _ = write!(text, "  {cell:>width$}");
        }
        text.push('\n');
    }
    if measured.iter().any(|(contest, _)| contest.beside == Beside::OpenSpiel("hex(board_size=8)")) {
        text.push_str("\nOpenSpiel has no Crosphere: its Hex of the same size stands beside it.\n");
    }
    let _ = write!(
        text,
        "\nPlayouts: random games from the start. mcts: simulations of a search from the start, {SIMULATIONS} with a new tree each;\n\
         OpenSpiel's is MCTSBot with one rollout a leaf. One thread, best of {ROUNDS} rounds of {} s in turn. OpenSpiel {version} is the\n\
         wheel from PyPI; ours is built for this very processor. Prototype: single-game programs on another day, to compare by\n\
         eye only.\n",
        ROUND.as_secs_f64()
    );
    text
}

/// A rate in three digits.
fn short(rate: f64) -> String {
    match rate {
        ..1e3 => format!("{rate:.0}"),
        ..1e4 => format!("{:.2} k", rate / 1e3),
        ..1e5 => format!("{:.1} k", rate / 1e3),
        ..1e6 => format!("{:.0} k", rate / 1e3),
        ..1e7 => format!("{:.2} M", rate / 1e6),
        _ => format!("{:.1} M", rate / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_met_or_missed_only_where_there_is_one() {
        let rates = |ours: f64| Rates { theirs: Some(2.0), ours };
        let barred = Contest::new("tictactoe").beside("tic_tac_toe").bar(10.0);
        assert_eq!(rates(20.0).verdict(&barred), Verdict::Passed);
        assert_eq!(rates(19.9).verdict(&barred), Verdict::Missed);
        assert_eq!(rates(19.9).verdict(&Contest::new("tictactoe").beside("tic_tac_toe")), Verdict::None);
        let alone = Rates { theirs: None, ours: 1.0 };
        assert_eq!(alone.verdict(&Contest::new("tictactoe")), Verdict::None);
    }

    #[test]
    fn rates_are_short() {
        let texts = [12.0, 8556.0, 55_075.0, 771_209.0, 3_350_000.0, 12_200_000.0].map(short);
        assert_eq!(texts, ["12", "8.56 k", "55.1 k", "771 k", "3.35 M", "12.2 M"]);
    }

    #[test]
    fn the_table_is_aligned_and_the_report_says_the_same() {
        let missed = Contest::new("tictactoe").beside("tic_tac_toe").bar(10.0);
        let alone = Contest::new("tictactoe");
        let measured = [(&missed, Rates { theirs: Some(8e5), ours: 4e6 }), (&alone, Rates { theirs: None, ours: 4e6 })];
        let table = table(&measured, "1.0");
        let lines: Vec<&str> = table.lines().take(3).collect();
        assert_eq!(
            lines,
            [
                "game       work      beside                 peer/s  ours/s  ratio  bar  verdict  prototype/s",
                "tictactoe  playouts  OpenSpiel tic_tac_toe   800 k  4.00 M   5.00   10   MISSED            -",
                "tictactoe  playouts  -                           -  4.00 M      -    -        -            -",
            ]
        );
        let report = report(&measured, "1.0");
        assert_eq!(report["games"][0]["ratio"], 5.0);
        assert_eq!(report["games"][0]["passed"], false);
        assert_eq!(report["games"][1]["passed"], Value::Null);
    }

    #[test]
    fn contests_can_be_opened_and_their_agents_built() {
        struct Open(Contest);
        impl Visitor for Open {
            type Output = Result<()>;
            fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Result<()> {
                for work in [Some(self.0.work), if let Beside::Ours(work) = self.0.beside { Some(work) } else { None }] {
                    if let Some(Work::Search(spec)) = work {
                        build_agent(&AgentSpec::parse(spec, &game)?, &game, &NoResources)?;
                    }
                }
                Ok(())
            }
        }
        for contest in CONTESTS {
            plyground_games::open(contest.game, None, Open(contest)).unwrap().unwrap();
        }
    }
}
