//! The tests of all agents on the games of the list, in one program. They are here and not beside the agents because this crate has
//! every agent compiled for every game already.

use plyground_agents::AgentSpec;
use plyground_core::{NoResources, PlayableGame, Visitor};
use plyground_games::open;
use plyground_session::build_agent;

/// Opens a spec of one of the named games, at its start or at a position, on a board of at most 64 squares. What a visitor does is
/// compiled for the types of these games; with [`open`] it would be for those of all games, even if the test never meets them.
macro_rules! open_among {
    ([$($game:ident),+], $spec:expr, $visitor:expr) => {
        open_among!([$($game),+], $spec, None, $visitor)
    };
    ([$($game:ident),+], $spec:expr, $position:expr, $visitor:expr) => {{
        let (spec, visitor): (&str, _) = ($spec, crate::OneWord($visitor));
        let (name, _) = plyground_core::split_spec(spec);
        let name = plyground_games::info(name).unwrap().name;
        let opened = match name {
            $(_ if name == <plyground_games::$game::Rules as plyground_core::Family>::INFO.name => {
                plyground_games::open_one::<plyground_games::$game::Rules, _>(spec, $position, visitor)
            })+
            _ => panic!("{spec} is not one of the games that this test is compiled for"),
        };
        opened.unwrap_or_else(|error| panic!("{spec}: {error}"))
    }};
}

/// A visitor of games whose boards fit a `u64`. For the wider types of the same games nothing is compiled, and opening one fails.
struct OneWord<V>(V);

impl<V: Visitor> Visitor for OneWord<V> {
    type Output = V::Output;
    fn visit<G: PlayableGame>(self, game: G, state: G::State) -> V::Output {
        // A `u128` is aligned to 16 bytes, and two sets of 256 squares alone are as large as this.
        if const { align_of::<G::State>() <= align_of::<u64>() && size_of::<G::State>() <= 64 } {
            self.0.visit(game, state)
        } else {
            panic!("{} is on a board of more than 64 squares", game.spec())
        }
    }
}

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
