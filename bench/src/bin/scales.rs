//! Do the win chances of the evaluators mean what they say? `cargo run --release -p plyground-bench --bin scales`
//!
//! Agents play games from random openings; every position is scored by each evaluator of the game and kept with the result. The
//! factor that makes the win chances fit the results best (least log loss) should be near 1.

use anyhow::{Result, bail};
use clap::Parser;
use plyground_agents::AgentSpec;
use plyground_core::{
    Budget, Evaluator, NoClock, NoObserver, NoResources, Params, PlayableGame, Player, Scratch, SearchRequest, Seed, Turn,
    Visitor,
};
use plyground_session::build_agent;

/// Fits the scale of the win chances of evaluators to the results of games
#[derive(Parser)]
struct Args {
    /// The games
    #[arg(required = true)]
    games: Vec<String>,
    /// Who plays
    #[arg(long, default_value = "mcts:sims=300")]
    agent: String,
    /// How many games
    #[arg(long, default_value_t = 400)]
    count: u64,
    /// Random plies at the beginning of each game
    #[arg(long, default_value_t = 4)]
    opening: u32,
}

fn main() -> Result<()> {
    let args = Args::parse();
    println!("| game | evaluator | positions | log loss | best factor | log loss with it | log loss of knowing nothing |");
    println!("|---|---|---|---|---|---|---|");
    for game in &args.games {
        plyground_games::open(game, None, Scales(&args, game))??;
    }
    Ok(())
}

struct Scales<'a>(&'a Args, &'a str);

impl Visitor for Scales<'_> {
    type Output = Result<()>;

    fn visit<G: PlayableGame>(self, game: G, start: G::State) -> Result<()> {
        let Self(args, name) = self;
        let mut positions = Vec::new();
        for number in 0..args.count {
            self_play(&game, &start, args, Seed(1).numbered(number), &mut positions)?;
        }
        if positions.is_empty() {
            bail!("{name}: no position was reached that is not over");
        }
        for info in G::evaluators() {
            let evaluator = game.evaluator(info.name, &Params::parse("")?)?;
            let scored: Vec<(f32, f64)> =
                positions.iter().map(|(state, reward)| (evaluator.score(&game, state), *reward)).collect();
            let loss = |factor: f64| log_loss(&scored, |score| evaluator.win_chance((f64::from(score) * factor) as f32));
            let factor = best_factor(&loss);
            println!(
                "| {name} | {} | {} | {:.4} | {factor:.3} | {:.4} | {:.4} |",
                info.name,
                scored.len(),
                loss(1.0),
                loss(factor),
                2.0_f64.ln()
            );
        }
        Ok(())
    }
}

/// Plays one game and keeps its positions (after the opening) with the first player's result.
fn self_play<G: PlayableGame>(
    game: &G,
    start: &G::State,
    args: &Args,
    seed: Seed,
    positions: &mut Vec<(G::State, f64)>,
) -> Result<()> {
    let spec = AgentSpec::parse(&args.agent, game)?;
    let mut agent = build_agent(&spec, game, &NoResources)?;
    let (mut rng, mut scratch) = (seed.rng(), Scratch::default());
    let (mut state, mut plies, first_kept) = (start.clone(), 0, positions.len());
    loop {
        let mv = match game.turn(&state) {
            Turn::Over(outcome) => {
                let reward = f64::from(outcome.reward(Player::First));
                positions[first_kept..].iter_mut().for_each(|(_, result)| *result = reward);
                return Ok(());
            }
            Turn::Chance => game.random_outcome(&state, &mut rng, &mut scratch),
            Turn::Player(_) if plies < args.opening => {
                plies += 1;
                game.random_move(&state, &mut rng, &mut scratch)
            }
            Turn::Player(_) => {
                positions.push((state.clone(), 0.0));
                let budget = Budget { limits: spec.limits()?, clock: &NoClock };
                agent.choose(SearchRequest { game, state: &state, budget, rng: &mut rng, observer: &mut NoObserver })?.mv
            }
        };
        game.play(&mut state, mv);
    }
}

fn log_loss(scored: &[(f32, f64)], win_chance: impl Fn(f32) -> f32) -> f64 {
    let loss = |&(score, reward): &(f32, f64)| {
        let chance = f64::from(win_chance(score)).clamp(1e-4, 1.0 - 1e-4);
        -(reward * chance.ln() + (1.0 - reward) * (1.0 - chance).ln())
    };
    scored.iter().map(loss).sum::<f64>() / scored.len() as f64
}

/// Golden-section search on the logarithm of the factor; the loss has one minimum for a logistic curve.
fn best_factor(loss: &impl Fn(f64) -> f64) -> f64 {
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (0.01_f64.ln(), 30.0_f64.ln());
    while high - low > 1e-3 {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if loss(left.exp()) < loss(right.exp()) { high = right } else { low = left }
    }
    f64::midpoint(low, high).exp()
}
