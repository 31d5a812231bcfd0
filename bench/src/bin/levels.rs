//! Plays each level of a game against the one below it: `cargo run --release -p plyground-bench --bin levels -- GAME…`

use anyhow::{Result, bail};
use clap::Parser;
use plyground_bench::matches::{MatchSettings, Score};
use plyground_session::open;
use plyground_statistics::CONFIDENCE;

/// Plays each level of the games against the one below it and prints the scores as a table
#[derive(Parser)]
struct Args {
    /// The games
    #[arg(required = true)]
    games: Vec<String>,
    /// Pairs of games for each step
    #[arg(long, default_value_t = 200)]
    pairs: u64,
    /// Only the steps up to this level and from the next one on
    #[arg(long, value_name = "N")]
    from: Option<usize>,
    /// The last level to measure
    #[arg(long, value_name = "N")]
    to: Option<usize>,
    /// Measure these specs instead, each against the one before it
    #[arg(long, value_name = "SPEC", num_args = 2..)]
    specs: Vec<String>,
    /// Random plies at the beginning of each pair
    #[arg(long, default_value_t = 2)]
    opening: u32,
    /// Games at the same time
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Makes it repeatable
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> Result<()> {
    let args = Args::parse();
    println!("| game | level | spec | score against the one below (95 %) | wins, draws, losses | mean move | slowest move |");
    println!("|---|---|---|---|---|---|---|");
    for game in &args.games {
        let ladder: Vec<(String, String)> = if args.specs.is_empty() {
            let levels = open(game, None)?.opponents().into_iter().filter(|opponent| opponent.name.starts_with("level="));
            levels.map(|level| (level.name.trim_start_matches("level=").to_owned(), level.spec)).collect()
        } else {
            args.specs.iter().map(|spec| (String::new(), spec.clone())).collect()
        };
        let (from, to) = (args.from.unwrap_or(1).max(1), args.to.unwrap_or(ladder.len()));
        if to > ladder.len() || from > to {
            bail!("levels {from} to {to}: expected a range within 1 to {}", ladder.len());
        }
        for index in from..to {
            let [(_, below), (level, spec)] = [&ladder[index - 1], &ladder[index]];
            let settings = MatchSettings {
                game,
                specs: [spec, below],
                pairs: args.pairs,
                opening_plies: args.opening,
                seed: args.seed,
                threads: args.threads,
            };
            println!("| {game} | {level} | `{spec}` | {}", row(&settings.play()?));
        }
    }
    Ok(())
}

fn row(score: &Score) -> String {
    let Score { result, slowest, thinking, moves } = score;
    let (sample, tally) = (result.sample(), result.tally());
    let interval = sample.interval(CONFIDENCE);
    format!(
        "{:.1} % ({:.1} to {:.1}) | {}, {}, {} | {:.1} ms | {slowest:.0} ms |",
        100.0 * sample.mean,
        100.0 * interval.low,
        100.0 * interval.high,
        tally.wins,
        tally.draws,
        tally.losses,
        thinking / (*moves).max(1) as f64,
    )
}
