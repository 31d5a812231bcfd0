//! The tests of all agents, in one program: every agent is built for every game in it, and the compiler does that once.

use plyground_agents::{AgentSpec, build};
use plyground_core::{NoResources, PlayableGame, Visitor};
use plyground_games::open;

mod catalogue;
mod mcts;
mod minimax;
mod net;
mod own_game;
mod prepared;
mod promises;
mod q;
mod solve;
mod train_only;

/// Why a game refuses a spec; nothing if it does not.
fn refusal(game: &str, spec: &str) -> Option<String> {
    struct Refuse<'a>(&'a str);
    impl Visitor for Refuse<'_> {
        type Output = Option<String>;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Option<String> {
            let built = AgentSpec::parse(self.0, &game).and_then(|spec| build(&spec, &game, &NoResources).map(|_| ()));
            built.err().map(|error| error.to_string())
        }
    }
    open(game, None, Refuse(spec)).unwrap()
}
