//! Games for training, with their types erased.

use plyground_agents::AgentSpec;
use plyground_agents::net::{NetEvaluator, SelfPlay, SelfPlayGame, fill, header, network_for, play, recorded, teach};
use plyground_core::{
    Agent, AgentError, CancelToken, Encoder, GameRecord, InputError, Limits, PlayableGame, Resources, Rng, Seed, Visitor, encoder,
};
use plyground_nets::weights::{self, Header};
use plyground_nets::{Architecture, Batch, NetError, Network, Shape, Size};
use plyground_session::build_agent;

use crate::agreement::{Agreement, agreement};
use crate::self_play_check::check_self_play_game;

/// A game that networks can learn.
pub trait TrainableGame: Send + Sync {
    /// The game.
    fn game(&self) -> String;

    /// The encoder that networks see by.
    fn encoder(&self) -> &str;

    /// The planes that networks see.
    fn input(&self) -> Shape;

    /// The policy and value network of a size.
    fn architecture(&self, size: Size) -> Architecture;

    /// The header of a network's file.
    fn header(&self, network: &Network) -> Header;

    /// A network that plays against itself.
    fn learner(&self, network: &Network, how: SelfPlay) -> Box<dyn SelfPlayActor>;

    /// An agent that plays against itself, from random openings of at most so many moves.
    fn teacher(&self, spec: &str, random_plies: u32, resources: &dyn Resources) -> Result<Box<dyn SelfPlayActor>, InputError>;

    /// Adds a position of a self-play game to a batch, seen through some symmetry of the game. The value to learn is between the result (`trust`
    /// 0) and what the search expected (1).
    fn fill(
        &self,
        self_play_game: &SelfPlayGame,
        target: usize,
        trust: f32,
        rng: &mut Rng,
        batch: &mut Batch,
    ) -> Result<(), NetError>;

    /// Solves a position near the end of each self-play game, with at most so many nodes, and asks the network about it. `None` where chance
    /// plays, since then nothing is won for certain, or if it was cancelled.
    fn agreement(
        &self,
        network: &Network,
        self_play_games: &mut dyn Iterator<Item = &SelfPlayGame>,
        nodes: u64,
        cancel: &CancelToken,
    ) -> Option<Agreement>;

    /// The learning targets of a recorded game: the move and the result of every position.
    fn recorded(&self, record: &GameRecord) -> Result<SelfPlayGame, InputError>;

    /// Checks a self-play game of another computer by the rules; a reason in words if it cannot have been played.
    fn check(&self, self_play_game: &SelfPlayGame) -> Result<(), String>;

    /// Adds a position of a self-play game to a batch as it was, with the result as the value to learn.
    fn show(&self, self_play_game: &SelfPlayGame, target: usize, batch: &mut Batch) -> Result<(), NetError>;
}

/// A player of games to learn from.
pub trait SelfPlayActor: Send {
    /// A game; the same seed gives the same game. `None` if it was cancelled, or the game came to no end.
    fn play(&mut self, seed: Seed, cancel: &CancelToken) -> Result<Option<SelfPlayGame>, AgentError>;
}

/// Reads a network file for the game that its header names. What does not fit is refused with a reason.
pub fn read_network(name: &str, file: &[u8]) -> Result<(Header, Network), InputError> {
    struct Fit<'a> {
        name: &'a str,
        file: &'a [u8],
    }
    impl Visitor for Fit<'_> {
        type Output = Result<(Header, Network), InputError>;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Self::Output {
            network_for(&game, self.name, self.file)
        }
    }
    let refuse = |why: String| InputError::malformed("network", name, why);
    let (header, _) = weights::read(file).map_err(|error| refuse(error.to_string()))?;
    let opened = plyground_games::open(&header_game(&header), None, Fit { name, file });
    opened.map_err(|error| refuse(format!("its game cannot be opened: {error}")))?
}

/// The game of a network file, with its parameters.
pub fn header_game(header: &Header) -> String {
    match header.parameters.as_str() {
        "" => header.game.clone(),
        parameters => format!("{}:{parameters}", header.game),
    }
}

/// A trainable game with its types.
struct ErasedGame<G: PlayableGame> {
    game: G,
    name: String,
    encoder: Box<dyn Encoder<G>>,
}

/// The game of a spec, ready for training, with its usual encoder or another one.
pub fn trainable_game(spec: &str, encoder_name: Option<&str>) -> Result<Box<dyn TrainableGame>, InputError> {
    struct Open<'a>(Option<&'a str>);
    impl Visitor for Open<'_> {
        type Output = Result<Box<dyn TrainableGame>, InputError>;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Self::Output {
            let name = self.0.unwrap_or_else(|| game.default_encoder()).to_owned();
            let spec = game.spec();
            let known = crate::encoders(&spec)?;
            let unknown = || InputError::unknown(&format!("encoding of {spec}"), &name, known.iter().map(|info| info.name));
            let encoder = encoder(&game, &name).ok_or_else(unknown)?;
            Ok(Box::new(ErasedGame { game, name, encoder }))
        }
    }
    plyground_games::open(spec, None, Open(encoder_name))?
}

impl<G: PlayableGame> TrainableGame for ErasedGame<G> {
    fn game(&self) -> String {
        self.game.spec()
    }

    fn encoder(&self) -> &str {
        &self.name
    }

    fn input(&self) -> Shape {
        let [ranks, files] = self.encoder.board();
        Shape { planes: self.encoder.planes().len(), ranks, files }
    }

    fn architecture(&self, size: Size) -> Architecture {
        let input = self.input();
        Architecture::policy_value(input, self.encoder.moves() / input.squares(), size)
    }

    fn header(&self, network: &Network) -> Header {
        header(&self.game, &self.name, network)
    }

    fn learner(&self, network: &Network, how: SelfPlay) -> Box<dyn SelfPlayActor> {
        let evaluator = NetEvaluator::new(&self.game, &self.name, network, 1).expect("the encoder is there");
        Box::new(NetworkActor { game: self.game.clone(), evaluator, how })
    }

    fn teacher(&self, spec: &str, random_plies: u32, resources: &dyn Resources) -> Result<Box<dyn SelfPlayActor>, InputError> {
        let spec = AgentSpec::parse(spec, &self.game)?;
        let agent = build_agent(&spec, &self.game, resources)?;
        Ok(Box::new(TeacherActor { game: self.game.clone(), agent, limits: spec.limits()?, random_plies }))
    }

    fn fill(
        &self,
        self_play_game: &SelfPlayGame,
        target: usize,
        trust: f32,
        rng: &mut Rng,
        batch: &mut Batch,
    ) -> Result<(), NetError> {
        let symmetry = rng.below(self.game.symmetries().into()) as u8;
        fill(&self.game, &*self.encoder, self_play_game, target, symmetry, trust, batch)
    }

    fn agreement(
        &self,
        network: &Network,
        self_play_games: &mut dyn Iterator<Item = &SelfPlayGame>,
        nodes: u64,
        cancel: &CancelToken,
    ) -> Option<Agreement> {
        let mut evaluator = NetEvaluator::new(&self.game, &self.name, network, 1).expect("the encoder is there");
        agreement(&self.game, &mut evaluator, self_play_games, nodes, cancel)
    }

    fn recorded(&self, record: &GameRecord) -> Result<SelfPlayGame, InputError> {
        // Written as others write it, it may still be the same game.
        if record.game != self.game.spec() && plyground_session::open(&record.game, None)?.spec() != self.game.spec() {
            return Err(InputError::malformed("record", &record.game, format!("expected a game of {}", self.game.spec())));
        }
        recorded(&self.game, record)
    }

    fn check(&self, self_play_game: &SelfPlayGame) -> Result<(), String> {
        check_self_play_game(&self.game, self_play_game)
    }

    fn show(&self, self_play_game: &SelfPlayGame, target: usize, batch: &mut Batch) -> Result<(), NetError> {
        fill(&self.game, &*self.encoder, self_play_game, target, 0, 0.0, batch)
    }
}

/// A network that plays against itself.
struct NetworkActor<G: PlayableGame> {
    game: G,
    evaluator: NetEvaluator<G>,
    how: SelfPlay,
}

impl<G: PlayableGame> SelfPlayActor for NetworkActor<G> {
    fn play(&mut self, seed: Seed, cancel: &CancelToken) -> Result<Option<SelfPlayGame>, AgentError> {
        Ok(play(&self.game, &mut self.evaluator, &self.how, &mut seed.rng(), cancel))
    }
}

/// An agent whose games a network learns from.
struct TeacherActor<G: PlayableGame> {
    game: G,
    agent: Box<dyn Agent<G>>,
    limits: Limits,
    random_plies: u32,
}

impl<G: PlayableGame> SelfPlayActor for TeacherActor<G> {
    fn play(&mut self, seed: Seed, cancel: &CancelToken) -> Result<Option<SelfPlayGame>, AgentError> {
        teach(&self.game, &mut *self.agent, self.limits, self.random_plies, &mut seed.rng(), cancel)
    }
}
