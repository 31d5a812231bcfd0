//! The tests of all agents on the games of the list, in one program. They are here and not beside the agents because this crate has
//! every agent compiled for every game already.

use plyground_agents::AgentSpec;
use plyground_core::{NoResources, PlayableGame, Visitor};
use plyground_games::open;
use plyground_session::build_agent;

mod catalogue;
mod mcts;
mod minimax;
mod net;
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
            let built = AgentSpec::parse(self.0, &game).and_then(|spec| build_agent(&spec, &game, &NoResources).map(|_| ()));
            built.err().map(|error| error.to_string())
        }
    }
    open(game, None, Refuse(spec)).unwrap()
}
