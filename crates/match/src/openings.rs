//! Openings: some random plies from which both players still have their chances.

use std::collections::HashSet;

use plyground_core::{InputError, Limits, NoClock, NoObserver, NoResources, Rng, Seed, Turn};
use plyground_session::{Session, open};

use crate::{Experiment, Openings, PlayerFactory};

/// The number of openings from which on their plies are enough.
const ENOUGH: f64 = 300.0;

/// The most positions of which all are listed; of more, openings are drawn.
const FEW: usize = 2_000;

/// The draws without a new opening after which there seem to be no more.
const TRIES: u32 = 200;

/// The agent that decides whether an opening leaves the game open, and how large the value that it expects may be (from -1 to +1).
const JUDGE: &str = "mcts:sims=200";
const BALANCED: f32 = 0.6;

/// The number of random plies that make enough openings for a game, by the number of moves along a random game.
pub fn opening_plies(game: &str) -> Result<u32, InputError> {
    Ok(opening_plies_of(open(game, None)?))
}

/// The same for a game that is open.
pub fn opening_plies_of(mut session: Box<dyn Session>) -> u32 {
    let mut rng = Seed(0).named("plies").rng();
    let (mut ways, mut plies) = (1.0, 0);
    while ways < ENOUGH {
        match session.turn() {
            Turn::Over(_) => break,
            Turn::Chance => {}
            Turn::Player(_) => {
                ways *= session.moves().len() as f64;
                plies += 1;
            }
        }
        step(session.as_mut(), &mut rng);
    }
    plies
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

/// Openings from the lines of a file, one each, every move checked by playing it. An error names the line.
pub fn read_openings(game: &str, text: &str) -> Result<Vec<Vec<String>>, InputError> {
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let wrong = |why: String| InputError::malformed("opening", line, format!("line {}: {why}", number + 1));
        let mut session = open(game, None)?;
        let played = line.split_whitespace().map(|text| session.play(text)).collect::<Result<Vec<_>, _>>();
        let opening = played.map_err(|error| wrong(error.to_string()))?;
        if matches!(session.turn(), Turn::Over(_)) {
            return Err(wrong("expected an opening, found a game that is over".to_owned()));
        }
        if !opening.is_empty() {
            lines.push(opening);
        }
    }
    if lines.is_empty() {
        return Err(InputError::malformed("openings", text, "expected openings, one a line, found none"));
    }
    Ok(lines)
}

/// The openings of an experiment by number, found when they are asked for. What number n is does not depend on which others are
/// asked for. No two lead to the same position as long as there are new ones; then they begin again.
pub struct Book<'a> {
    game: String,
    games: &'a dyn PlayerFactory,
    openings: Vec<Vec<String>>,
    source: Option<Source>,
}

/// Opens the game at its start.
type Start<'a> = dyn Fn() -> Result<Box<dyn Session>, InputError> + 'a;

/// The source of new openings.
enum Source {
    /// All there are, the next one last.
    Few { left: Vec<Vec<String>>, seed: Seed },
    /// Drawn; a position that was there before is drawn again.
    Many { plies: u32, seen: HashSet<String>, seed: Seed },
}

impl<'a> Book<'a> {
    /// The openings that an experiment asks for, of a game that `games` opens.
    pub fn new(experiment: &Experiment, games: &'a dyn PlayerFactory) -> Result<Self, InputError> {
        let (openings, source) = match &experiment.openings {
            Openings::Start => (vec![Vec::new()], None),
            Openings::Listed { lines } => (lines.clone(), None),
            Openings::Random { plies } => {
                let seed = Seed(experiment.seed).named("opening");
                let source = match all_of_few(&|| games.open(&experiment.game), *plies)? {
                    Some(mut left) => {
                        seed.rng().shuffle(&mut left);
                        Source::Few { left, seed }
                    }
                    None => Source::Many { plies: *plies, seen: HashSet::new(), seed },
                };
                (Vec::new(), Some(source))
            }
        };
        Ok(Self { game: experiment.game.clone(), games, openings, source })
    }

    /// Opening number n: the moves and outcomes of chance before the players are asked. Where no opening leaves the game open, all games
    /// begin at the start.
    pub fn opening(&mut self, number: usize) -> Result<&[String], InputError> {
        while self.openings.len() <= number
            && let Some(source) = &mut self.source
        {
            if let Some(opening) = source.next(&|| self.games.open(&self.game), self.openings.len())? {
                self.openings.push(opening);
                continue;
            }
            self.source = None;
            if self.openings.is_empty() {
                self.openings.push(Vec::new());
            }
        }
        Ok(&self.openings[number % self.openings.len()])
    }
}

impl Source {
    /// A new opening that leaves the game open; `None` if there are no more.
    fn next(&mut self, start: &Start<'_>, number: usize) -> Result<Option<Vec<String>>, InputError> {
        match self {
            Self::Few { left, seed } => {
                let mut rng = seed.numbered(number as u64).rng();
                while let Some(opening) = left.pop() {
                    let mut session = start()?;
                    opening.iter().try_for_each(|text| session.play(text).map(drop))?;
                    if is_open(session.as_mut(), &mut rng)? {
                        return Ok(Some(opening));
                    }
                }
            }
            Self::Many { plies, seen, seed } => {
                let mut rng = seed.numbered(number as u64).rng();
                for _ in 0..TRIES {
                    let mut session = start()?;
                    let mut made = 0;
                    while (made < *plies && !matches!(session.turn(), Turn::Over(_))) || session.turn() == Turn::Chance {
                        made += u32::from(session.turn() != Turn::Chance);
                        step(session.as_mut(), &mut rng);
                    }
                    if seen.insert(session.position()) && is_open(session.as_mut(), &mut rng)? {
                        return Ok(Some(session.history().iter().map(|played| played.text.clone()).collect()));
                    }
                }
            }
        }
        Ok(None)
    }
}

/// One opening for each position that so many plies lead to (outcomes of chance come on top); `None` if there are more than a few.
fn all_of_few(start: &Start<'_>, plies: u32) -> Result<Option<Vec<Vec<String>>>, InputError> {
    let mut layer = Vec::new();
    roll_all(start()?.as_mut(), &mut HashSet::new(), &mut layer);
    for _ in 0..plies {
        let (mut next, mut seen) = (Vec::new(), HashSet::new());
        for opening in &layer {
            let mut session = start()?;
            opening.iter().try_for_each(|text: &String| session.play(text).map(drop))?;
            for legal in session.moves() {
                session.play(&legal.text)?;
                roll_all(session.as_mut(), &mut seen, &mut next);
                session.undo();
            }
            if next.len() > FEW {
                return Ok(None);
            }
        }
        layer = next;
    }
    Ok(Some(layer))
}

/// Every new position that chance makes of this one, by what led to it; the position itself where chance is not due.
fn roll_all(session: &mut dyn Session, seen: &mut HashSet<String>, found: &mut Vec<Vec<String>>) {
    if session.turn() != Turn::Chance {
        if seen.insert(session.position()) {
            found.push(session.history().iter().map(|played| played.text.clone()).collect());
        }
        return;
    }
    for (outcome, _) in session.outcomes() {
        session.play(&outcome).expect("a possible outcome can be played");
        roll_all(session, seen, found);
        session.undo();
    }
}

/// Whether neither player looks like the winner yet.
fn is_open(session: &mut dyn Session, rng: &mut Rng) -> Result<bool, InputError> {
    if !matches!(session.turn(), Turn::Player(_)) {
        return Ok(false);
    }
    let judge = session.seat(JUDGE, Seed(rng.bits()), &NoResources)?;
    let Ok(advice) = session.think(judge, Limits::default(), &NoClock, &mut NoObserver) else { return Ok(false) };
    // With so few simulations the best move looks better than it is; all of them together do not.
    let (mut sum, mut visits) = (0.0, 0.0);
    for candidate in &advice.candidates {
        sum += candidate.visits as f32 * candidate.value.unwrap_or(0.0);
        visits += candidate.visits as f32;
    }
    Ok(sum.abs() <= BALANCED * visits)
}
