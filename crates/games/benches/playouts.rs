//! Random games per second, through the same trait that agents use. `cargo bench -p plyground-games`; one name or part of it as
//! an argument picks out a game.

use divan::{Bencher, counter::ItemsCount};
use plyground_core::{PlayableGame, Scratch, Seed, Visitor};
use plyground_games::open;

const SPECS: &[&str] = &[
    "crosphere:size=5x5,strong=3",
    "crosphere:size=8x8,strong=5",
    "tictactoe",
    "mnk:size=15x15,k=5",
    "clobber:size=5x6",
    "clobber:size=8x8",
    "clobber:size=10x10",
    "pawn:size=4x4",
    "pawn:size=8x8,double",
    "tuc-chess",
    "connect-four",
    "breakthrough",
];

struct Playouts<'a, 'b>(Bencher<'a, 'b>);

impl Visitor for Playouts<'_, '_> {
    type Output = ();

    fn visit<G: PlayableGame>(self, game: G, state: G::State) {
        // One playout is shorter than the clock is exact.
        const GAMES: usize = 1_000;
        let mut rng = Seed(1).rng();
        let mut scratch = Scratch::default();
        self.0
            .counter(ItemsCount::new(GAMES))
            .bench_local(|| (0..GAMES).map(|_| game.playout(&state, &mut rng, &mut scratch).value()).sum::<f32>());
    }
}

#[divan::bench(args = SPECS)]
fn playouts(bencher: Bencher<'_, '_>, spec: &str) {
    open(spec, None, Playouts(bencher)).expect("the specs are known games");
}

fn main() {
    divan::main();
}
