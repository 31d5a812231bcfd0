//! The weights of the evaluation `fitted` of TUC-Chess: `cargo run --release -p plyground-bench --bin fit`
//!
//! Agents play themselves from random openings; the features of quiet positions are fitted to the results by logistic regression
//! (Newton's method with a ridge). What it prints is the module with the weights. The same command prints the same weights.

use std::fmt::Write as _;

use anyhow::Result;
use clap::Parser;
use plyground_agents::AgentSpec;
use plyground_core::{Budget, Evaluated, Game, NoClock, NoObserver, NoResources, Player, Scratch, SearchRequest, Seed, Turn};
use plyground_games::tuc_chess::TucChess;
use plyground_games::tuc_chess::fitted::{FEATURES, SCALE, features};
use plyground_session::build_agent;

/// Fits the weights of the evaluation of TUC-Chess to the results of games
#[derive(Parser)]
struct Args {
    /// The player: limited by nodes, so that the games are the same everywhere
    #[arg(
        long,
        default_value = "pvs:chance=ignore,nodes=5000,quiescence=8,follow=gains,reduce=log,null=2,deeper=on,eval=fitted,tt=4"
    )]
    agent: String,
    /// The number of games
    #[arg(long, default_value_t = 3000)]
    games: u64,
    /// The seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The most random plies at the beginning of a game
    #[arg(long, default_value_t = 8)]
    opening: u32,
    /// The chance of a random move in the game
    #[arg(long, default_value_t = 0.02)]
    slip: f64,
    /// The weight of the ridge
    #[arg(long, default_value_t = 20.0)]
    ridge: f64,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let words: Vec<String> = std::env::args().skip(1).collect();
    run(&args, &words.join(" "))
}

/// Each feature twice: as it is, and times the share of the pieces on the board.
const WIDTH: usize = 2 * FEATURES;

struct Sample {
    inputs: [f32; WIDTH],
    reward: f32,
}

fn run(args: &Args, words: &str) -> Result<()> {
    let game = TucChess::default();
    let mut samples = Vec::new();
    for number in 0..args.games {
        self_play(&game, args, Seed(args.seed).numbered(number), &mut samples)?;
    }
    let (held_out, fitted_to) = samples.split_at(samples.len() / 10);
    let weights = fit(fitted_to, args.ridge);
    eprintln!(
        "{} positions; log loss {:.4} on those that were fitted, {:.4} on the first tenth, which was not ({:.4} by guessing)",
        samples.len(),
        log_loss(fitted_to, &weights),
        log_loss(held_out, &weights),
        2_f64.ln()
    );
    print!("{}", module(&weights, words));
    Ok(())
}

/// Plays one game and keeps its quiet positions (those in which nothing is captured) with the first player's result.
fn self_play(game: &TucChess, args: &Args, seed: Seed, samples: &mut Vec<Sample>) -> Result<()> {
    let spec = AgentSpec::parse(&args.agent, game)?;
    let mut agent = build_agent(&spec, game, &NoResources)?;
    let (mut rng, mut scratch, mut state) = (seed.rng(), Scratch::default(), game.start());
    let first_kept = samples.len();
    let mut opening = rng.below(args.opening + 1);
    loop {
        let mv = match game.turn(&state) {
            Turn::Over(outcome) => {
                let reward = outcome.reward(Player::First);
                samples[first_kept..].iter_mut().for_each(|sample| sample.reward = reward);
                return Ok(());
            }
            Turn::Chance => game.random_outcome(&state, &mut rng, &mut scratch),
            Turn::Player(_) if opening > 0 || rng.unit() < args.slip => {
                opening = opening.saturating_sub(1);
                game.random_move(&state, &mut rng, &mut scratch)
            }
            Turn::Player(_) => {
                let budget = Budget { limits: spec.limits()?, clock: &NoClock };
                let mv =
                    agent.choose(SearchRequest { game, state: &state, budget, rng: &mut rng, observer: &mut NoObserver })?.mv;
                if !game.is_noisy(&state, mv) {
                    let (values, share) = features(game, &state);
                    let inputs = std::array::from_fn(|at| values[at / 2] * if at % 2 == 0 { 1.0 } else { share });
                    samples.push(Sample { inputs, reward: 0.0 });
                }
                mv
            }
        };
        game.play(&mut state, mv);
    }
}

fn chance(sample: &Sample, weights: &[f64; WIDTH]) -> f64 {
    let sum: f64 = sample.inputs.iter().zip(weights).map(|(&input, weight)| f64::from(input) * weight).sum();
    1.0 / (1.0 + (-sum).exp())
}

fn log_loss(samples: &[Sample], weights: &[f64; WIDTH]) -> f64 {
    let loss = |sample: &Sample| {
        let chance = chance(sample, weights).clamp(1e-9, 1.0 - 1e-9);
        let reward = f64::from(sample.reward);
        -(reward * chance.ln() + (1.0 - reward) * (1.0 - chance).ln())
    };
    samples.iter().map(loss).sum::<f64>() / samples.len().max(1) as f64
}

/// Newton's method: the loss is convex, so a few steps are enough.
fn fit(samples: &[Sample], ridge: f64) -> [f64; WIDTH] {
    const STEPS: usize = 8;
    let mut weights = [0.0; WIDTH];
    for _ in 0..STEPS {
        let mut slope: Vec<f64> = weights.iter().map(|weight| -ridge * weight).collect();
        let mut curve = vec![vec![0.0; WIDTH]; WIDTH];
        for sample in samples {
            let chance = chance(sample, &weights);
            let (error, bend) = (f64::from(sample.reward) - chance, chance * (1.0 - chance));
            for (row, &input) in sample.inputs.iter().enumerate().filter(|(_, input)| **input != 0.0) {
                slope[row] += error * f64::from(input);
                let factor = bend * f64::from(input);
                curve[row][..=row].iter_mut().zip(&sample.inputs).for_each(|(sum, &other)| *sum += factor * f64::from(other));
            }
        }
        (0..WIDTH).for_each(|row| curve[row][row] += ridge);
        let step = solved(curve, slope);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight += step);
    }
    weights
}

/// The solution of a system of equations with a symmetric positive definite matrix, whose lower half is given (Cholesky).
fn solved(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for row in 0..size {
        for column in 0..=row {
            let known: f64 = (0..column).map(|at| matrix[row][at] * matrix[column][at]).sum();
            let rest = matrix[row][column] - known;
            matrix[row][column] = if row == column { rest.sqrt() } else { rest / matrix[column][column] };
        }
        let known: f64 = (0..row).map(|at| matrix[row][at] * right[at]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|at| matrix[at][row] * right[at]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

/// The module with the weights.
fn module(weights: &[f64; WIDTH], words: &str) -> String {
    let mut text = "//! The weights, as they were printed by `cargo run --release -p plyground-bench --bin fit".to_owned();
    if !words.is_empty() {
        let _ = write!(text, " -- {words}");
    }
    text += "`.\n\nuse super::FEATURES;\n\n/// For each feature what it counts with no piece on the board, and what is added with all of them.\n";
    text += "pub(super) const WEIGHTS: [[f32; 2]; FEATURES] = [\n";
    for pair in weights.chunks(2) {
        let _ = writeln!(text, "    [{:.3}, {:.3}],", pair[0] * f64::from(SCALE), pair[1] * f64::from(SCALE));
    }
    text + "];\n"
}
