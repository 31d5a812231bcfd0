//! Alpha-beta beside the crate `minimax` 0.6 in one run: `cargo run --release -p plyground-bench --bin alphabeta`.
//!
//! Both search from the start position to a fixed depth by iterative deepening, in one thread, with an empty table of the same size, on
//! the same rules, with the same evaluator and the same keys of positions. The best of several rounds in turn counts. The peer takes what
//! its table knows from deeper searches as well, ours looks exactly as deep as asked for; so the nodes differ, and time is what counts.

use std::time::Instant;

use minimax::{IterativeOptions, IterativeSearch, Strategy};
use plyground_agents::AgentSpec;
use plyground_bench::peer::{OurEvaluator, Ours, Position};
use plyground_core::{Budget, Limits, NoClock, NoObserver, NoResources, Params, PlayableGame, SearchRequest, Seed, Visitor};
use plyground_session::build_agent;

const ROUNDS: usize = 5;
const TABLE_MEGABYTES: usize = 16;

const GAMES: [(&str, u32); 2] = [("pawn:size=6x6", 18), ("clobber:size=5x6", 8)];

/// Table and order as the depth wants them; the others are the defaults.
const OURS: [&str; 4] = ["alphabeta:tt=16", "pvs:tt=16", "pvs:tt=16,order=hash+hints+history", "mtdf:tt=16"];

/// What the peer can be asked for: everything that keeps the rules, its own defaults, and its form of MTD(f).
fn peers() -> [(&'static str, IterativeOptions); 3] {
    let table = IterativeOptions::new().with_table_byte_size(TABLE_MEGABYTES << 20);
    let tuned = table.with_countermoves().with_countermove_history().with_singular_extension();
    [("all switches", tuned.with_aspiration_window(5)), ("its defaults", table), ("all, MTD(f)", tuned.with_mtdf())]
}

/// The fastest of several searches.
#[derive(Clone, Copy)]
struct Measured {
    seconds: f64,
    nodes: f64,
}

impl Measured {
    const NONE: Self = Self { seconds: f64::INFINITY, nodes: 0.0 };

    fn improve(&mut self, begin: Instant, nodes: impl FnOnce() -> f64) {
        let seconds = begin.elapsed().as_secs_f64();
        if seconds < self.seconds {
            *self = Self { seconds, nodes: nodes() };
        }
    }
}

struct Contest {
    depth: u32,
}

impl Visitor for Contest {
    type Output = ([Measured; 3], [Measured; OURS.len()]);

    fn visit<G: PlayableGame>(self, game: G, state: G::State) -> Self::Output {
        let game: &'static G = Box::leak(Box::new(game));
        let (mut theirs, mut ours) = ([Measured::NONE; 3], [Measured::NONE; OURS.len()]);
        let limits = Limits { depth: Some(self.depth), ..Limits::default() };
        for round in 0..ROUNDS {
            for ((_, options), best) in peers().into_iter().zip(&mut theirs) {
                let evaluator = game.evaluator(G::evaluators()[0].name, &Params::default()).expect("it needs no keys");
                let mut peer = IterativeSearch::new(OurEvaluator::<G>(evaluator), options);
                peer.set_max_depth(self.depth as u8);
                let mut position = Position::start(game);
                let begin = Instant::now();
                Strategy::<Ours<G>>::choose_move(&mut peer, &position).expect("the start has a move");
                best.improve(begin, || explored(&peer.stats(&mut position)));
            }
            for (spec, best) in OURS.iter().zip(&mut ours) {
                let spec = AgentSpec::parse(spec, game).expect("the spec is known");
                let mut agent = build_agent(&spec, game, &NoResources).expect("the agent can be built");
                let mut rng = Seed(round as u64).rng();
                let budget = Budget { limits, clock: &NoClock };
                let request = SearchRequest { game, state: &state, budget, rng: &mut rng, observer: &mut NoObserver };
                let begin = Instant::now();
                let choice = agent.choose(request).expect("the start has a move");
                best.improve(begin, || choice.nodes as f64);
            }
        }
        (theirs, ours)
    }
}

/// The nodes in the peer's summary: it tells them in no other way.
fn explored(summary: &str) -> f64 {
    let (_, behind) = summary.split_once("Explored ").expect("the summary names the nodes");
    behind.split(' ').next().and_then(|number| number.parse().ok()).expect("the nodes are a number")
}

fn main() -> anyhow::Result<()> {
    for (game, depth) in GAMES {
        let (theirs, ours) = plyground_games::open(game, None, Contest { depth })?;
        let fastest = theirs.iter().map(|peer| peer.seconds).fold(f64::INFINITY, f64::min);
        println!(
            "{game}, depth {depth}: seconds, nodes, nodes a second; times as share of the peer with all switches, of its fastest"
        );
        for ((name, _), Measured { seconds, nodes }) in peers().iter().zip(theirs) {
            println!("  minimax 0.6, {name:<29} {seconds:>9.4} {nodes:>12.0} {:>12.0}", nodes / seconds);
        }
        for (spec, Measured { seconds, nodes }) in OURS.iter().zip(ours) {
            let rate = nodes / seconds;
            let [to_all, to_fastest] = [theirs[0].seconds, fastest].map(|theirs| seconds / theirs);
            println!("  ours, {spec:<36} {seconds:>9.4} {nodes:>12.0} {rate:>12.0} {to_all:>7.3} {to_fastest:>7.3}");
        }
    }
    Ok(())
}
