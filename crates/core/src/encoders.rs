//! The encoders of a game by name.

use crate::{Encodable, Encoder, MoverEncoder};

/// The encoder of a game with this name: one that every game has, or one of its own.
pub fn encoder<G: Encodable>(game: &G, name: &str) -> Option<Box<dyn Encoder<G>>> {
    match name {
        // There is no training or export in a browser, and no built-in network uses this encoder.
        #[cfg(not(target_family = "wasm"))]
        crate::GeneralEncoder::NAME => Some(Box::new(crate::GeneralEncoder::new(game))),
        MoverEncoder::NAME => Some(Box::new(MoverEncoder::new(game))),
        own => game.encoder(own),
    }
}
