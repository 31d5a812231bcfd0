//! Are time budgets kept? `cargo run --release -p plyground-bench --bin pace`
//!
//! Agents think for 50 ms about positions of random games; the table shows how late the latest answer was. Then they think without
//! an end and are told to stop: the table shows how long the slowest took to answer. Run it on an idle machine.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Parser;
use plyground_core::sync::{into_inner, lock};
use plyground_core::{NoClock, Seed, Turn, WallClock};
use plyground_session::{Limits, NoObserver, NoResources, ProgressObserver, SearchProgress, Session, open};

/// Measures how well agents keep to their time, and how soon they stop when told to
#[derive(Parser)]
struct Args {
    /// Moves in all, spread over agents and games
    #[arg(long, default_value_t = 2_000)]
    moves: u64,
    /// Stops in all
    #[arg(long, default_value_t = 400)]
    stops: u64,
    /// The agents
    #[arg(long, num_args = 1.., default_values_t = ["mc", "mcts", "mcts:leaf=eval", "hybrid", "minimax", "alphabeta", "pvs", "mtdf", "sss", "expectimax"].map(str::to_owned))]
    agents: Vec<String>,
    /// The games
    #[arg(long, num_args = 1.., default_values_t = ["crosphere", "clobber:size=10x10", "pawn:size=6x6", "mnk:size=15x15,k=5", "tuc-chess"].map(str::to_owned))]
    games: Vec<String>,
}

const TIME: Duration = Duration::from_millis(50);

fn main() -> Result<()> {
    let args = Args::parse();
    let rows = (args.agents.len() * args.games.len()) as u64;
    println!("| agent | game | moves | 50 ms: mean | latest | stops | slowest to stop |");
    println!("|---|---|---|---|---|---|---|");
    let mut worst = [Duration::ZERO; 2];
    for agent in &args.agents {
        for game in &args.games {
            let timed = timed(game, agent, args.moves.div_ceil(rows))?;
            let stopped = stopped(game, agent, args.stops.div_ceil(rows))?;
            let mean = timed.iter().sum::<Duration>() / timed.len().max(1) as u32;
            let latest = timed.iter().max().copied().unwrap_or_default();
            let slowest = stopped.iter().max().copied().unwrap_or_default();
            worst = [worst[0].max(latest), worst[1].max(slowest)];
            println!(
                "| {agent} | {game} | {} | {} | {} | {} | {} |",
                timed.len(),
                text(mean),
                text(latest),
                stopped.len(),
                text(slowest)
            );
        }
    }
    println!("\nlatest answer of all: {} of {}; slowest to stop: {}", text(worst[0]), text(TIME), text(worst[1]));
    Ok(())
}

fn text(time: Duration) -> String {
    format!("{:.2} ms", 1e3 * time.as_secs_f64())
}

/// Positions of random games, one after the other; at each, `think` is called.
fn positions(game: &str, count: u64, mut think: impl FnMut(&mut dyn Session) -> Result<()>) -> Result<()> {
    let mut session = open(game, None)?;
    let mut rng = Seed(1).named(game).rng();
    let mut left = count;
    while left > 0 {
        match session.turn() {
            Turn::Over(_) => session = open(game, None)?,
            Turn::Chance => {
                session.roll(&mut rng);
            }
            Turn::Player(_) => {
                think(session.as_mut())?;
                left -= 1;
                let moves = session.moves();
                session.play(&moves[rng.below(moves.len() as u32) as usize].text)?;
            }
        }
    }
    Ok(())
}

fn timed(game: &str, agent: &str, count: u64) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    positions(game, count, |session| {
        let seat = session.seat(agent, Seed(2), &NoResources)?;
        let begin = Instant::now();
        let limits = Limits { time: Some(TIME), ..Limits::default() };
        session.think(seat, limits, &WallClock::start(), &mut NoObserver)?;
        times.push(begin.elapsed());
        Ok(())
    })?;
    Ok(times)
}

/// An observer that ends the search once a time is set.
struct Stop<'a>(&'a Mutex<Option<Instant>>);

impl ProgressObserver for Stop<'_> {
    fn progress(&mut self, _: &SearchProgress<'_>) -> ControlFlow<()> {
        if lock(self.0).is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn stopped(game: &str, agent: &str, count: u64) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    positions(game, count, |session| {
        let seat = session.seat(agent, Seed(2), &NoResources)?;
        let told = Mutex::new(None);
        let answered = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(20));
                *lock(&told) = Some(Instant::now());
            });
            let endless = Limits { time: Some(Duration::from_hours(1)), ..Limits::default() };
            session.think(seat, endless, &NoClock, &mut Stop(&told)).map(|_| Instant::now())
        })?;
        // A small position may have been thought through before it was told to stop.
        let told = into_inner(told);
        times.extend(told.map(|told| answered.saturating_duration_since(told)));
        Ok(())
    })?;
    Ok(times)
}
