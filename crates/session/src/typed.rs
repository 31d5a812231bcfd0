//! Agents, solvers, learners and their opponents for callers that know the type of the game.
//!
//! An agent is compiled for each type of game, which is most of the time that a build takes. The functions here have no type parameter
//! where agents are named, so that this happens in this crate alone. A crate that calls [`plyground_agents::build`] for every game
//! compiles all agents once more.

use std::any::Any;

use plyground_agents::{AgentSpec, Learner, Method, Solver, TrainingOpponent, learner, training_opponent};
use plyground_core::{Agent, ExactSolver, InputError, PlayableGame, Resources, Visitor};

const SAME_TYPE: &str = "the spec of a game opens a game of its type";

/// The agent that a spec describes, for a game of the catalogue; the files that it names are read from the resources.
pub fn build_agent<G: PlayableGame>(
    spec: &AgentSpec,
    game: &G,
    resources: &dyn Resources,
) -> Result<Box<dyn Agent<G>>, InputError> {
    built(&game.spec(), Parts::Agent { spec, resources }, game).map(typed)
}

/// An exact solver for a game of the catalogue that uses about `memory` bytes: the game's own where it has one, else alpha-beta.
pub fn build_solver<G: PlayableGame>(game: &G, memory: usize) -> Result<Box<dyn ExactSolver<G>>, InputError> {
    built(&game.spec(), Parts::Solver { memory }, game).map(typed)
}

/// The agent that a spec describes, to be trained, for a game of the catalogue.
pub fn build_learner<G: PlayableGame>(spec: &AgentSpec, game: &G) -> Result<Box<dyn Learner<G>>, InputError> {
    built(&game.spec(), Parts::Learner { spec }, game).map(typed)
}

/// The opponent of a learner, for a game of the catalogue. One that `learns` is a network, `net:net=FILE`.
pub fn build_training_opponent<G: PlayableGame>(
    spec: &AgentSpec,
    game: &G,
    learns: bool,
    resources: &dyn Resources,
) -> Result<TrainingOpponent<G>, InputError> {
    built(&game.spec(), Parts::TrainingOpponent { spec, learns, resources }, game).map(typed)
}

/// What is to be built.
enum Parts<'a> {
    Agent { spec: &'a AgentSpec, resources: &'a dyn Resources },
    Solver { memory: usize },
    Learner { spec: &'a AgentSpec },
    TrainingOpponent { spec: &'a AgentSpec, learns: bool, resources: &'a dyn Resources },
}

/// What is to be built for a game, in a box of its own, since its type names the type of the game.
fn built(spec: &str, parts: Parts<'_>, game: &dyn Any) -> Result<Box<dyn Any>, InputError> {
    struct Build<'a> {
        parts: Parts<'a>,
        game: &'a dyn Any,
    }
    impl Visitor for Build<'_> {
        type Output = Result<Box<dyn Any>, InputError>;
        fn visit<G: PlayableGame>(self, _: G, _: G::State) -> Self::Output {
            let game: &G = self.game.downcast_ref().expect(SAME_TYPE);
            Ok(match self.parts {
                Parts::Agent { spec, resources } => Box::new(plyground_agents::build(spec, game, resources)?),
                Parts::Solver { memory } => {
                    let solver = Solver::new(game, Method::Auto, memory, None, None)?;
                    Box::new(Box::new(solver) as Box<dyn ExactSolver<G>>)
                }
                Parts::Learner { spec } => Box::new(learner(spec, game)?),
                Parts::TrainingOpponent { spec, learns, resources } => {
                    Box::new(training_opponent(spec, game, learns, resources)?)
                }
            })
        }
    }
    plyground_games::open(spec, None, Build { parts, game })?
}

fn typed<T: 'static>(built: Box<dyn Any>) -> T {
    *built.downcast().expect(SAME_TYPE)
}
