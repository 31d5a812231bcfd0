//! Openings: some random plies from which both players still have their chances.

use std::collections::HashSet;

use plyground_core::{EmptyShelf, InputError, Limits, NoClock, Rng, Seed, Turn, Unwatched};
use plyground_table::{Session, open};

/// How many openings there should be to choose from before their plies are counted as enough.
const ENOUGH: f64 = 300.0;

/// Candidates that are looked at for one opening; then those there are begin again.
const TRIES: u32 = 60;

/// Who says whether an opening leaves the game open, and how sure of a result it may be (from -1 to +1).
const JUDGE: &str = "mcts:sims=200";
const BALANCED: f32 = 0.6;

/// How many random plies make enough openings for a game: by the number of moves along a random game.
pub fn opening_plies(game: &str) -> Result<u32, InputError> {
    let mut session = open(game, None)?;
    let mut rng = Seed(0).named("plies").rng();
    let (mut ways, mut plies) = (1.0, 0);
    while ways < ENOUGH {
        let count = match session.turn() {
            Turn::Over(_) => break,
            Turn::Chance => 1,
            Turn::Player(_) => session.moves().len(),
        };
        if matches!(session.turn(), Turn::Player(_)) {
            ways *= count as f64;
            plies += 1;
        }
        step(session.as_mut(), &mut rng);
    }
    Ok(plies)
}

/// One random move, or one outcome of chance.
fn step(session: &mut dyn Session, rng: &mut Rng) {
    if session.roll(rng).is_some() {
        return;
    }
    let moves = session.moves();
    let chosen = &moves[rng.below(moves.len() as u32) as usize].text;
    session.play(chosen).expect("a legal move can be played");
}

/// So many openings of so many plies (outcomes of chance come on top), each once as long as there are new ones that leave the game
/// open; then those there are begin again. Opening number n does not depend on how many are wanted.
pub fn openings(game: &str, plies: u32, count: usize, seed: Seed) -> Result<Vec<Vec<String>>, InputError> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut positions = HashSet::new();
    let mut distinct = usize::MAX;
    while found.len() < count {
        if found.len() >= distinct {
            let again = found[found.len() % distinct].clone();
            found.push(again);
            continue;
        }
        let mut rng = seed.named("opening").numbered(found.len() as u64).rng();
        match (0..TRIES).find_map(|_| candidate(game, plies, &mut rng, &mut positions).transpose()) {
            Some(opening) => found.push(opening?),
            None if found.is_empty() => return Ok(vec![Vec::new(); count]),
            None => distinct = found.len(),
        }
    }
    Ok(found)
}

/// A random opening, if its position is new and nobody has won it yet.
fn candidate(game: &str, plies: u32, rng: &mut Rng, positions: &mut HashSet<String>) -> Result<Option<Vec<String>>, InputError> {
    let mut session = open(game, None)?;
    let mut made = 0;
    while made < plies || session.turn() == Turn::Chance {
        match session.turn() {
            Turn::Over(_) => return Ok(None),
            Turn::Player(_) => made += 1,
            Turn::Chance => {}
        }
        step(session.as_mut(), rng);
    }
    if !matches!(session.turn(), Turn::Player(_)) || !positions.insert(session.position()) {
        return Ok(None);
    }
    let judge = session.seat(JUDGE, Seed(rng.bits()), &EmptyShelf)?;
    let advice = session.think(judge, Limits::default(), &NoClock, &mut Unwatched);
    let balanced = advice.is_ok_and(|advice| advice.value.is_some_and(|value| value.abs() <= BALANCED));
    Ok(balanced.then(|| session.history().iter().map(|played| played.text.clone()).collect()))
}
