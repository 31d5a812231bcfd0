//! UCT beside the crate `minimax` 0.6 in one run: `cargo run --release -p plyground-bench --bin uct`.
//!
//! Both search from the start position, 10,000 simulations with a new tree each, in one thread, on the same rules: the peer is given
//! our states, moves and results through its trait. The best of several rounds in turn counts. Then our own search with two threads.

use std::time::{Duration, Instant};

use minimax::{MCTSOptions, MonteCarloTreeSearch, Strategy};
use plyground_agents::AgentSpec;
use plyground_bench::peer::{Ours, Position};
use plyground_core::{Budget, Limits, NoClock, NoObserver, NoResources, PlayableGame, SearchRequest, Seed, Visitor};
use plyground_session::build_agent;

const SIMULATIONS: u32 = 10_000;
const ROUNDS: u32 = 5;
const ROUND: Duration = Duration::from_millis(500);

const GAMES: [&str; 6] =
    ["tictactoe", "connect-four", "pawn:size=6x6", "clobber:size=5x6", "clobber:size=8x8", "crosphere:size=8x8,strong=5"];

/// Simulations a second over as many whole searches as begin in a round.
fn rate(mut search: impl FnMut()) -> f64 {
    let (mut done, begin) = (0.0, Instant::now());
    while begin.elapsed() < ROUND {
        search();
        done += f64::from(SIMULATIONS);
    }
    done / begin.elapsed().as_secs_f64()
}

struct Contest;

impl Visitor for Contest {
    /// The peer, ours, ours with two threads.
    type Output = [f64; 3];

    fn visit<G: PlayableGame>(self, game: G, state: G::State) -> [f64; 3] {
        let game: &'static G = Box::leak(Box::new(game));
        let mut best = [0.0_f64; 3];
        let mut rng = Seed(1).rng();
        let limits = Limits { simulations: Some(u64::from(SIMULATIONS)), ..Limits::default() };
        let mut agents = ["mcts", "mcts:threads=2"].map(|spec| {
            let spec = AgentSpec::parse(spec, game).expect("the spec is known");
            build_agent(&spec, game, &NoResources).expect("the agent can be built")
        });
        for _ in 0..ROUNDS {
            let position = Position::start(game);
            let options = MCTSOptions::default().with_num_threads(1).with_max_rollout_depth(1_000);
            let mut peer = MonteCarloTreeSearch::<Ours<G>>::new(options);
            peer.set_max_rollouts(SIMULATIONS);
            best[0] = best[0].max(rate(|| {
                peer.choose_move(&position).expect("the start has a move");
            }));
            for (agent, best) in agents.iter_mut().zip(&mut best[1..]) {
                *best = best.max(rate(|| {
                    let budget = Budget { limits, clock: &NoClock };
                    let request = SearchRequest { game, state: &state, budget, rng: &mut rng, observer: &mut NoObserver };
                    agent.choose(request).expect("the start has a move");
                }));
            }
        }
        best
    }
}

fn main() -> anyhow::Result<()> {
    println!("{:<28} {:>12} {:>12} {:>7} {:>14} {:>8}", "game", "minimax 0.6/s", "ours/s", "ratio", "two threads/s", "speed-up");
    for game in GAMES {
        let [theirs, ours, two] = plyground_games::open(game, None, Contest)?;
        println!("{game:<28} {theirs:>12.0} {ours:>12.0} {:>7.1} {two:>14.0} {:>8.2}", ours / theirs, two / ours);
    }
    Ok(())
}
