//! Encodings: positions and moves as numbers, with the types of the games erased.

use plyground_core::{
    Encoder, EncoderInfo, GeneralEncoder, InputError, MoverEncoder, PlayableGame, Player, Turn, Visitor, encoder, split_spec,
};

/// An encoding of a game's positions as numbers.
pub trait Encoding: Send {
    /// The meaning of each plane, in their order.
    fn planes(&self) -> Vec<String>;
    /// Ranks and files of a plane.
    fn board(&self) -> [usize; 2];
    /// The number of move indices.
    fn moves(&self) -> usize;
    /// The order of move indices, in a line.
    fn move_order(&self) -> String;
    /// Plays a game from the start, and calls `take` for every position in which a player moved.
    fn encode_game(
        &self,
        moves: &mut dyn Iterator<Item = &str>,
        take: &mut dyn FnMut(&EncodedPosition<'_>),
    ) -> Result<(), InputError>;
}

/// A position of a game as numbers.
#[derive(Clone, Copy, Debug)]
pub struct EncodedPosition<'a> {
    /// The planes one after the other, each row by row from the top left.
    pub planes: &'a [f32],
    /// The indices of the legal moves, in order.
    pub legal: &'a [usize],
    /// The index of the move that was played.
    pub played: usize,
    /// The player who played it.
    pub mover: Player,
}

/// The encoders of a game: the general one, and its own.
pub fn encoders(game: &str) -> Result<Vec<EncoderInfo>, InputError> {
    struct List;
    impl Visitor for List {
        type Output = Vec<EncoderInfo>;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Self::Output {
            let own = G::encoders().iter().filter(|info| game.encoder(info.name).is_some());
            [GeneralEncoder::INFO, MoverEncoder::INFO].iter().chain(own).copied().collect()
        }
    }
    plyground_games::open(game, None, List)
}

/// The encoder with this name for a game.
pub fn encoding(game: &str, name: &str) -> Result<Box<dyn Encoding>, InputError> {
    struct Open<'a>(&'a str);
    impl Visitor for Open<'_> {
        type Output = Option<Box<dyn Encoding>>;
        fn visit<G: PlayableGame>(self, game: G, _: G::State) -> Self::Output {
            encoder(&game, self.0).map(|encoder| Box::new(ErasedEncoding { game, encoder }) as Box<dyn Encoding>)
        }
    }
    let info = plyground_games::info(split_spec(game).0)?;
    let known = encoders(game)?;
    let unknown = || InputError::unknown(&format!("encoding of {}", info.name), name, known.iter().map(|info| info.name));
    plyground_games::open(game, None, Open(name))?.ok_or_else(unknown)
}

/// An encoding with the types of its game.
struct ErasedEncoding<G: PlayableGame> {
    game: G,
    encoder: Box<dyn Encoder<G>>,
}

impl<G: PlayableGame> Encoding for ErasedEncoding<G> {
    fn planes(&self) -> Vec<String> {
        self.encoder.planes()
    }

    fn board(&self) -> [usize; 2] {
        self.encoder.board()
    }

    fn moves(&self) -> usize {
        self.encoder.moves()
    }

    fn move_order(&self) -> String {
        self.encoder.move_order()
    }

    fn encode_game(
        &self,
        moves: &mut dyn Iterator<Item = &str>,
        take: &mut dyn FnMut(&EncodedPosition<'_>),
    ) -> Result<(), InputError> {
        let mut state = self.game.start();
        let (mut planes, mut listed, mut legal) = (Vec::new(), Vec::new(), Vec::new());
        for text in moves {
            let mv = self.game.legal_move(&state, text)?;
            if let Turn::Player(mover) = self.game.turn(&state) {
                let index = |mv: G::Move| {
                    let no_index = || InputError::illegal(&self.game.move_text(&state, mv), "this encoding has no index for it");
                    self.encoder.move_index(&self.game, &state, mv).ok_or_else(no_index)
                };
                self.encoder.encode(&self.game, &state, &mut planes);
                self.game.moves(&state, &mut listed);
                legal.clear();
                for &mv in &listed {
                    legal.push(index(mv)?);
                }
                legal.sort_unstable();
                take(&EncodedPosition { planes: &planes, legal: &legal, played: index(mv)?, mover });
            }
            self.game.play(&mut state, mv);
        }
        Ok(())
    }
}
