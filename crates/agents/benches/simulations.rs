//! Simulations per second of Monte Carlo tree search, a new tree for each search: `cargo bench -p plyground-agents --bench
//! simulations`. The bare playouts stand beside them: what the tree costs is the difference.

use divan::{Bencher, counter::ItemsCount};
use plyground_agents::{AgentSpec, build};
use plyground_core::{Budget, NoClock, NoObserver, NoResources, PlayableGame, Scratch, SearchRequest, Seed, Visitor};
use plyground_games::open;

const SIMULATIONS: u64 = 10_000;

const GAMES: &[&str] = &[
    "clobber:size=5x6",
    "clobber:size=8x8",
    "clobber:size=10x10",
    "crosphere:size=8x8,strong=5",
    "tictactoe",
    "pawn:size=6x6",
    "tuc-chess",
];

struct Search<'a, 'b>(Bencher<'a, 'b>, &'static str);

impl Visitor for Search<'_, '_> {
    type Output = ();

    fn visit<G: PlayableGame>(self, game: G, state: G::State) {
        let spec = AgentSpec::parse(self.1, &game).expect("the spec is known");
        let mut agent = build(&spec, &game, &NoResources).expect("the spec can be built");
        let mut rng = Seed(1).rng();
        let mut limits = spec.limits().expect("the limits can be read");
        limits.simulations = Some(SIMULATIONS);
        self.0.counter(ItemsCount::new(SIMULATIONS)).bench_local(|| {
            let budget = Budget { limits, clock: &NoClock };
            agent
                .choose(SearchRequest { game: &game, state: &state, budget, rng: &mut rng, observer: &mut NoObserver })
                .map(|choice| choice.mv)
        });
    }
}

struct Playouts<'a, 'b>(Bencher<'a, 'b>);

impl Visitor for Playouts<'_, '_> {
    type Output = ();

    fn visit<G: PlayableGame>(self, game: G, state: G::State) {
        let (mut rng, mut scratch) = (Seed(1).rng(), Scratch::default());
        self.0
            .counter(ItemsCount::new(SIMULATIONS))
            .bench_local(|| (0..SIMULATIONS).map(|_| game.playout(&state, &mut rng, &mut scratch).value()).sum::<f32>());
    }
}

#[divan::bench(args = GAMES)]
fn playouts(bencher: Bencher<'_, '_>, game: &str) {
    open(game, None, Playouts(bencher)).expect("the games are known");
}

#[divan::bench(args = GAMES)]
fn rollouts(bencher: Bencher<'_, '_>, game: &str) {
    open(game, None, Search(bencher, "mcts")).expect("the games are known");
}

#[divan::bench(args = GAMES)]
fn evaluations(bencher: Bencher<'_, '_>, game: &str) {
    open(game, None, Search(bencher, "mcts:leaf=eval")).expect("the games are known");
}

fn main() {
    divan::main();
}
