//! Networks as evaluators of the positions of a game.

use std::sync::Arc;

use plyground_core::{Encodable, Encoder, InputError, Player, Turn, Viewpoint, encoder, split_spec};
use plyground_nets::weights::{self, Header};
use plyground_nets::{Isa, Network, Predictor};

/// A network evaluator: a network with the encoder that it was trained with. A clone shares the weights: one for each thread.
pub struct NetEvaluator<G: Encodable> {
    encoder: Arc<dyn Encoder<G>>,
    predictor: Predictor,
    /// Does the network speak of 0 to 1 instead of -1 to 1?
    from_zero: bool,
    planes: Vec<f32>,
    indices: Vec<usize>,
    known: Vec<f32>,
    judgements: u64,
}

impl<G: Encodable> Clone for NetEvaluator<G> {
    fn clone(&self) -> Self {
        Self {
            encoder: self.encoder.clone(),
            predictor: self.predictor.clone(),
            from_zero: self.from_zero,
            planes: Vec::new(),
            indices: Vec::new(),
            known: Vec::new(),
            judgements: 0,
        }
    }
}

/// The logit of a move that the encoder was not made for.
const UNKNOWN_MOVE: f32 = -4.0;

/// The header of a network file for a game.
pub fn header<G: Encodable>(game: &G, encoder: &str, network: &Network) -> Header {
    header_for(&game.spec(), encoder, network)
}

fn header_for(game: &str, encoder: &str, network: &Network) -> Header {
    let (name, parameters) = split_spec(game);
    Header {
        format: weights::FORMAT,
        game: name.to_owned(),
        parameters: parameters.to_owned(),
        encoder: encoder.to_owned(),
        architecture: network.architecture().clone(),
        training: String::new(),
        strength: String::new(),
    }
}

/// Reads a network file for a game. Networks of the same game on another size of board are taken where nothing in them depends on it.
pub fn network_for<G: Encodable>(game: &G, name: &str, file: &[u8]) -> Result<(Header, Network), InputError> {
    let measures = |encoder_name: &str| {
        let encoder = encoder(game, encoder_name)?;
        Some(EncoderMeasures { board: encoder.board(), planes: encoder.planes().len(), moves: encoder.moves() })
    };
    fitting_network(&game.spec(), &measures, name, file)
}

/// The measures of an encoder.
struct EncoderMeasures {
    board: [usize; 2],
    planes: usize,
    moves: usize,
}

/// Not generic, since it would be compiled for every game.
fn fitting_network(
    spec: &str,
    measures: &dyn Fn(&str) -> Option<EncoderMeasures>,
    name: &str,
    file: &[u8],
) -> Result<(Header, Network), InputError> {
    let refuse = |why: String| InputError::malformed("network", name, why);
    let (header, network) = weights::read(file).map_err(|error| refuse(error.to_string()))?;
    let wanted = split_spec(spec).0;
    if header.game != wanted {
        return Err(refuse(format!("it is for {}, not for {wanted}", header.game)));
    }
    let measures = measures(&header.encoder);
    let measures =
        measures.ok_or_else(|| refuse(format!("it sees by the encoder '{}', which {spec} does not have", header.encoder)))?;
    let [ranks, files] = measures.board;
    let network = network.resized(ranks, files).map_err(|error| refuse(error.to_string()))?;
    let architecture = network.architecture();
    let (sees, shown) = (architecture.input.numbers(), measures.planes * ranks * files);
    if sees != shown {
        return Err(refuse(format!("it sees {sees} numbers, but the encoder '{}' shows {shown} for {spec}", header.encoder)));
    }
    if architecture.policy.is_some() && architecture.moves() != measures.moves {
        let (known, moves) = (architecture.moves(), measures.moves);
        return Err(refuse(format!("it knows {known} moves, but the encoder '{}' has {moves} for {spec}", header.encoder)));
    }
    Ok((header, network))
}

impl<G: Encodable> NetEvaluator<G> {
    /// A network with the encoder of this name, for up to so many positions at once. `None` if the game has no such encoder.
    pub fn new(game: &G, encoder_name: &str, network: &Network, at_once: usize) -> Option<Self> {
        let encoder: Arc<dyn Encoder<G>> = encoder(game, encoder_name)?.into();
        Some(Self {
            encoder,
            predictor: Predictor::with(network, at_once, Isa::best()),
            from_zero: network.architecture().speaks_from_zero(),
            planes: Vec::new(),
            indices: Vec::new(),
            known: Vec::new(),
            judgements: 0,
        })
    }

    /// The network in a file, with its header.
    pub fn read(game: &G, name: &str, file: &[u8], at_once: usize) -> Result<(Header, Self), InputError> {
        let (header, network) = network_for(game, name, file)?;
        let net = Self::new(game, &header.encoder, &network, at_once).expect("the encoder was there a moment ago");
        Ok((header, net))
    }

    /// The same encoder with other weights.
    #[must_use]
    pub fn with_network(&self, network: &Network) -> Self {
        Self { predictor: Predictor::new(network), ..self.clone() }
    }

    /// The encoder.
    pub fn encoder(&self) -> &dyn Encoder<G> {
        &*self.encoder
    }

    /// The number of positions judged since it was made.
    pub fn judgements(&self) -> u64 {
        self.judgements
    }

    /// The first player's expected result, from -1 to 1, and the logits of the moves, in their order. A player is to move.
    pub fn judge(&mut self, game: &G, state: &G::State, moves: &[G::Move], logits: &mut Vec<f32>) -> f32 {
        self.load(0, game, state);
        self.run(1);
        self.logits(0, game, state, moves, logits);
        self.value(0, game, state)
    }

    /// The first player's expected result, from -1 to 1. A player is to move.
    pub fn expect(&mut self, game: &G, state: &G::State) -> f32 {
        self.load(0, game, state);
        self.run(1);
        self.value(0, game, state)
    }

    /// Puts a position into a place, to be judged together with others.
    pub fn load(&mut self, place: usize, game: &G, state: &G::State) {
        self.encoder.encode(game, state, &mut self.planes);
        self.predictor.load(place, &self.planes).expect("the network was made for the encoder");
    }

    /// Judges what is in the first places.
    pub fn run(&mut self, places: usize) {
        self.predictor.run(places);
        self.judgements += places as u64;
    }

    /// The first player's expected result of the position in a place.
    pub fn value(&self, place: usize, game: &G, state: &G::State) -> f32 {
        let said = self.predictor.value(place);
        let value = if self.from_zero { 2.0 * said - 1.0 } else { said };
        match (self.encoder.viewpoint(), game.turn(state)) {
            (Viewpoint::Mover, Turn::Player(Player::Second)) => -value,
            _ => value,
        }
    }

    /// The logits of the moves of the position in a place.
    pub fn logits(&mut self, place: usize, game: &G, state: &G::State, moves: &[G::Move], logits: &mut Vec<f32>) {
        self.indices.clear();
        self.indices.extend(moves.iter().map(|&mv| self.encoder.move_index(game, state, mv).unwrap_or(usize::MAX)));
        logits.clear();
        if !self.indices.contains(&usize::MAX) {
            logits.resize(moves.len(), 0.0);
            self.predictor.logits(place, &self.indices, logits).expect("the network was made for the encoder");
            return;
        }
        let indices: Vec<usize> = self.indices.iter().copied().filter(|&index| index != usize::MAX).collect();
        self.known.resize(indices.len(), 0.0);
        self.predictor.logits(place, &indices, &mut self.known).expect("the network was made for the encoder");
        let mut known = self.known.iter();
        logits.extend(self.indices.iter().map(|&index| match index {
            usize::MAX => UNKNOWN_MOVE,
            _ => *known.next().expect("there is a logit for every index"),
        }));
    }
}
