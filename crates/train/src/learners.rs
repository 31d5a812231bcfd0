//! Learning agents, with the types of their games erased.

use std::ops::ControlFlow;

use plyground_agents::{AgentSpec, Learner, LearnerObserver, Learnt};
use plyground_core::{
    AgentError, Budget, InputError, Limits, NoClock, NoObserver, PlayableGame, Player, Resources, Rng, Scratch, SearchRequest,
    Seed, Turn, Visitor,
};
use plyground_session::{build_learner, build_training_opponent};

/// An agent in training for one game.
pub trait TrainableAgent: Send {
    /// The number of training games that its spec asks for.
    fn training_games(&self) -> u64;
    /// Takes over what a file holds; `name` is what the file is called.
    fn load(&mut self, name: &str, file: &[u8]) -> Result<(), InputError>;
    /// Plays training games, until the observer ends it.
    fn train(&mut self, games: u64, observer: &mut LearnerObserver<'_>);
    /// The size of what it has learnt.
    fn learnt(&self) -> Learnt;
    /// The learnt data, as the contents of a file.
    fn save(&self) -> Vec<u8>;
    /// The spec of the agent that plays by a file of this name.
    fn player(&self, file: &str) -> String;
    /// Begins with what a file holds, also of another training. Called before [`TrainableAgent::load`].
    fn begin_with(&mut self, name: &str, file: &[u8]) -> Result<(), InputError>;
    /// Plays its training games against the agent of this spec, which `learns` from them, too, or stays as it is. Called before
    /// [`TrainableAgent::load`].
    fn play_against(&mut self, spec: &str, learns: bool, resources: &dyn Resources) -> Result<(), InputError>;
    /// What an opponent has learnt that learns, too, as the contents of a file.
    fn save_opponent(&self) -> Option<Vec<u8>>;
    /// Takes over what such a file holds. Called after [`TrainableAgent::load`], with the file of the same moment.
    fn load_opponent(&mut self, name: &str, file: &[u8]) -> Result<(), InputError>;
    /// Training games won by the first player, drawn, and won by the second, since it was made or loaded, where they are counted.
    fn results(&self) -> Option<[u64; 3]>;
    /// The error of an opponent that has ended the training.
    fn failure(&self) -> Option<&AgentError>;
    /// Plays `games` games in each seat against random moves. `go_on` is told how many games have been played; what was played
    /// when it said stop is what counts.
    fn check(
        &mut self,
        games: u64,
        seed: Seed,
        go_on: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<[SeatScore; 2], AgentError>;
}

/// The results of one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeatScore {
    /// Games won.
    pub won: u64,
    /// Games drawn.
    pub drawn: u64,
    /// Games lost.
    pub lost: u64,
    /// Moves made.
    pub moves: u64,
    /// Those of them about which the agent had no opinion.
    pub guesses: u64,
}

impl SeatScore {
    /// Games played.
    pub fn games(self) -> u64 {
        self.won + self.drawn + self.lost
    }

    /// A win counts 1, a draw a half: from 0 to 1; `None` without games.
    pub fn score(self) -> Option<f64> {
        (self.games() > 0).then(|| (self.won as f64 + 0.5 * self.drawn as f64) / self.games() as f64)
    }
}

/// A learning agent with the types of its game.
struct ErasedLearner<G: PlayableGame> {
    game: G,
    learner: Box<dyn Learner<G>>,
}

/// The learning agent of a spec (its name is one of [`plyground_agents::LEARNERS`]), to be trained for a game.
pub fn trainable_agent(game: &str, agent: &str) -> Result<Box<dyn TrainableAgent>, InputError> {
    struct Open<'a>(&'a str);
    impl Visitor for Open<'_> {
        type Output = Result<Box<dyn TrainableAgent>, InputError>;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Self::Output {
            let learner = build_learner(&AgentSpec::parse(self.0, &game)?, &game)?;
            Ok(Box::new(ErasedLearner { game, learner }))
        }
    }
    plyground_games::open(game, None, Open(agent))?
}

impl<G: PlayableGame> ErasedLearner<G> {
    /// Plays a game in this seat against random moves.
    fn exam(&mut self, seat: Player, rng: &mut Rng, tally: &mut SeatScore) -> Result<(), AgentError> {
        let game = &self.game;
        let mut state = game.start();
        let mut scratch = Scratch::default();
        let outcome = loop {
            let mv = match game.turn(&state) {
                Turn::Over(outcome) => break outcome,
                Turn::Chance => game.random_outcome(&state, rng, &mut scratch),
                Turn::Player(player) if player == seat => {
                    let budget = Budget { limits: Limits::default(), clock: &NoClock };
                    let choice =
                        self.learner.choose(SearchRequest { game, state: &state, budget, rng, observer: &mut NoObserver })?;
                    tally.moves += 1;
                    tally.guesses += u64::from(choice.value.is_none());
                    choice.mv
                }
                Turn::Player(_) => game.random_move(&state, rng, &mut scratch),
            };
            game.play(&mut state, mv);
        };
        match outcome.winner {
            Some(winner) if winner == seat => tally.won += 1,
            Some(_) => tally.lost += 1,
            None => tally.drawn += 1,
        }
        Ok(())
    }
}

impl<G: PlayableGame> TrainableAgent for ErasedLearner<G> {
    fn training_games(&self) -> u64 {
        self.learner.episodes()
    }

    fn load(&mut self, name: &str, file: &[u8]) -> Result<(), InputError> {
        self.learner.load(&self.game, name, file)
    }

    fn train(&mut self, games: u64, observer: &mut LearnerObserver<'_>) {
        self.learner.train(&self.game, games, observer);
    }

    fn learnt(&self) -> Learnt {
        self.learner.learnt()
    }

    fn save(&self) -> Vec<u8> {
        self.learner.save(&self.game)
    }

    fn player(&self, file: &str) -> String {
        self.learner.player(file)
    }

    fn begin_with(&mut self, name: &str, file: &[u8]) -> Result<(), InputError> {
        self.learner.begin_with(&self.game, name, file)
    }

    fn play_against(&mut self, spec: &str, learns: bool, resources: &dyn Resources) -> Result<(), InputError> {
        let opponent = build_training_opponent(&AgentSpec::parse(spec, &self.game)?, &self.game, learns, resources)?;
        self.learner.play_against(&self.game, spec, opponent)
    }

    fn save_opponent(&self) -> Option<Vec<u8>> {
        self.learner.save_opponent(&self.game)
    }

    fn load_opponent(&mut self, name: &str, file: &[u8]) -> Result<(), InputError> {
        self.learner.load_opponent(&self.game, name, file)
    }

    fn results(&self) -> Option<[u64; 3]> {
        self.learner.results()
    }

    fn failure(&self) -> Option<&AgentError> {
        self.learner.failure()
    }

    fn check(
        &mut self,
        games: u64,
        seed: Seed,
        go_on: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<[SeatScore; 2], AgentError> {
        let mut tallies = [SeatScore::default(); 2];
        // The seats take turns, so that a check that was stopped has seen both.
        for number in 0..games {
            for seat in Player::BOTH {
                let mut rng = seed.numbered(number).numbered(seat.index() as u64).rng();
                self.exam(seat, &mut rng, &mut tallies[seat.index()])?;
            }
            if go_on(2 * (number + 1)).is_break() {
                break;
            }
        }
        Ok(tallies)
    }
}
