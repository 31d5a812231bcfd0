//! The speed of a network.

use std::time::{Duration, Instant};

use plyground_core::{Seed, Turn};
use plyground_match::RunError;
use plyground_nets::weights::Header;
use plyground_nets::{Isa, Network, Predictor};
use plyground_session::open;

use crate::{encoding, header_game};

/// The planes of a position, and the indices of its legal moves.
struct NetInput {
    planes: Vec<f32>,
    moves: Vec<usize>,
}

/// Evaluations a second with so many positions at once, on one core: what the positions of some random games take.
pub fn evaluations_per_second(header: &Header, network: &Network, at_once: usize) -> Result<f64, RunError> {
    const LEAST: Duration = Duration::from_millis(300);
    let positions = random_positions(header, at_once.max(64))?;
    let mut predictor = Predictor::with(network, at_once, Isa::best());
    let mut logits = Vec::new();
    let mut pass = |first: usize| -> Result<(), RunError> {
        let places = || (0..at_once).map(|place| (place, &positions[(first + place) % positions.len()]));
        for (place, seen) in places() {
            predictor.load(place, &seen.planes)?;
        }
        predictor.run(at_once);
        for (place, seen) in places() {
            logits.resize(seen.moves.len(), 0.0);
            predictor.logits(place, &seen.moves, &mut logits)?;
        }
        Ok(())
    };
    // The first ones find the caches empty.
    for number in 0..10 {
        pass(number)?;
    }
    let (begun, mut done) = (Instant::now(), 0);
    while begun.elapsed() < LEAST {
        for _ in 0..10 {
            pass(done)?;
            done += at_once;
        }
    }
    Ok(done as f64 / begun.elapsed().as_secs_f64())
}

/// At least so many positions of random games, or as many as the encoder has indices for.
fn random_positions(header: &Header, least: usize) -> Result<Vec<NetInput>, RunError> {
    let game = header_game(header);
    let encoding = encoding(&game, &header.encoder)?;
    let mut positions = Vec::new();
    for number in 0..least as u64 {
        let mut rng = Seed(number).named("speed").rng();
        let mut session = open(&game, None)?;
        let mut moves = Vec::new();
        loop {
            match session.turn() {
                Turn::Over(_) => break,
                Turn::Chance => moves.extend(session.roll(&mut rng)),
                Turn::Player(_) => {
                    let legal = session.moves();
                    moves.push(session.play(&legal[rng.below(legal.len() as u32) as usize].text)?);
                }
            }
        }
        let encoded = encoding.encode_game(&mut moves.iter().map(String::as_str), &mut |position| {
            positions.push(NetInput { planes: position.planes.to_vec(), moves: position.legal.to_vec() });
        });
        match encoded {
            Err(error) if positions.is_empty() => return Err(error.into()),
            // A move that the encoder was not made for ends a game early; what was before it will do.
            _ if positions.len() >= least => break,
            _ => (),
        }
    }
    Ok(positions)
}
