//! The rules of a game.

use std::hash::{Hash, Hasher};

use crate::phrase::{NOT_LEGAL, OVER};
use crate::{BoardView, GameInfo, InputError, MoveSquares, Outcome, OutcomeText, Rng, Sentence, Square, Turn};

/// Buffers that a caller keeps between calls, so that picking a random move allocates nothing.
#[derive(Debug)]
pub struct Scratch<M> {
    /// For legal moves.
    pub moves: Vec<M>,
    /// For chance outcomes with their probabilities.
    pub outcomes: Vec<(M, f64)>,
}

impl<M> Default for Scratch<M> {
    fn default() -> Self {
        Self { moves: Vec::new(), outcomes: Vec::new() }
    }
}

/// The rules of a two-player game. The value itself holds the parameters (board size, stones, variant …).
///
/// A `Move` is whatever takes one position to the next: a move of a player, or an outcome of chance. One type for both keeps
/// records, trees and undo free of special cases; [`Game::turn`] says which of the two is due.
///
/// Five methods are required: [`Game::spec`], [`Game::start`], [`Game::turn`], [`Game::moves`] and [`Game::play`]. Agents need
/// [`Evaluated`](crate::Evaluated), [`Solvable`](crate::Solvable) and [`Encodable`](crate::Encodable) as well, whose methods have defaults.
///
/// The methods on the hot path trust their caller: [`Game::play`] must be given a move that [`Game::moves`] (or
/// [`Game::chance`]) lists for that position. Moves from outside are read by [`Game::legal_move`], which checks them.
pub trait Game: Clone + Send + Sync + 'static {
    /// A position: small, without heap memory where possible, `Copy` where possible (copying beats undoing).
    type State: Clone + Eq + Hash + std::fmt::Debug + Send + Sync + 'static;
    /// A move, or an outcome of chance.
    type Move: Copy + Eq + Ord + Hash + std::fmt::Debug + Send + Sync + 'static;

    /// The description of the game for users.
    fn info() -> &'static GameInfo {
        &GameInfo::NONE
    }

    /// The game with its parameters as one word of text that opens the same game again, e.g. `clobber:size=5x6`.
    fn spec(&self) -> String;

    /// The position in which a game starts.
    fn start(&self) -> Self::State;

    /// Who acts in this position.
    fn turn(&self, state: &Self::State) -> Turn;

    /// Replaces the contents of `moves` by the legal moves, each once. Empty unless a player is to move.
    fn moves(&self, state: &Self::State, moves: &mut Vec<Self::Move>);

    /// Plays a legal move or a possible outcome of chance. Anything else is a mistake of the caller.
    fn play(&self, state: &mut Self::State, mv: Self::Move);

    /// Replaces the contents of `outcomes` by what chance may do and how likely it is (the sum is 1). Empty unless chance is due.
    fn chance(&self, state: &Self::State, outcomes: &mut Vec<(Self::Move, f64)>) {
        let _ = state;
        outcomes.clear();
    }

    /// A number of moves of the players that no game exceeds from its start, whatever is played; `None` where none is known.
    fn most_moves(&self) -> Option<u32> {
        None
    }

    /// A number of outcomes that no event of chance exceeds; 0 in games without chance.
    fn most_outcomes(&self) -> u32 {
        0
    }

    /// The points of both players in games that have points.
    fn points(&self, state: &Self::State) -> Option<[i32; 2]> {
        let _ = state;
        None
    }

    /// A key of the position for tables: equal positions have equal keys, different ones almost surely different keys, on
    /// every machine.
    #[inline]
    fn hash(&self, state: &Self::State) -> u64 {
        hash_state(state)
    }

    /// The position as one line of text; by default its `Debug` form.
    fn position_text(&self, state: &Self::State) -> String {
        format!("{state:?}")
    }

    /// A move or an outcome of chance as one word of text; by default its `Debug` form without spaces.
    fn move_text(&self, state: &Self::State, mv: Self::Move) -> String {
        let _ = state;
        format!("{mv:?}").replace(' ', "")
    }

    /// The move as people like to read it, where that differs from [`Game::move_text`].
    fn move_label(&self, state: &Self::State, mv: Self::Move) -> String {
        self.move_text(state, mv)
    }

    /// Reads a move or an outcome of chance. Only the form is checked here; see [`Game::legal_move`]. By default it is looked for
    /// among what can be played in the position, by [`Game::move_text`].
    fn parse_move(&self, state: &Self::State, text: &str) -> Result<Self::Move, InputError> {
        let mut scratch = Scratch::default();
        self.moves(state, &mut scratch.moves);
        self.chance(state, &mut scratch.outcomes);
        let possible = || scratch.moves.iter().copied().chain(scratch.outcomes.iter().map(|&(outcome, _)| outcome));
        let found = possible().find(|&mv| self.move_text(state, mv) == text);
        found.ok_or_else(|| InputError::unknown("move", text, possible().map(|mv| self.move_text(state, mv))))
    }

    /// Why a well-formed move is not legal, in words for a player.
    fn why_illegal(&self, state: &Self::State, mv: Self::Move) -> Sentence {
        let _ = (state, mv);
        NOT_LEGAL.plain()
    }

    /// Why a finished game ended, in words for a player; none while it goes on.
    fn why_over(&self, state: &Self::State) -> Option<Sentence> {
        let _ = state;
        None
    }

    /// The squares that decided a finished game, such as the line or the chain of the winner, for highlighting; by default none.
    fn winning_squares(&self, state: &Self::State) -> Vec<Square> {
        let _ = state;
        Vec::new()
    }

    /// What an outcome of chance means, in words for a player, where its label does not say it.
    fn outcome_text(&self, state: &Self::State, outcome: Self::Move) -> Option<OutcomeText> {
        let _ = (state, outcome);
        None
    }

    /// The board as user interfaces draw it; by default a single empty square.
    fn view(&self, state: &Self::State) -> BoardView {
        let _ = state;
        BoardView { files: 1, ranks: 1, cells: vec![None], counters: Vec::new() }
    }

    /// The squares that a move leaves and enters, for highlighting and for entering moves by pointing; by default none.
    fn move_squares(&self, state: &Self::State, mv: Self::Move) -> MoveSquares {
        let _ = (state, mv);
        MoveSquares::default()
    }

    /// How many symmetries of the board keep the rules and the players; the identity is number 0.
    fn symmetries(&self) -> u8 {
        1
    }

    /// The position seen through a symmetry.
    fn symmetric_state(&self, state: &Self::State, symmetry: u8) -> Self::State {
        let _ = symmetry;
        state.clone()
    }

    /// The move seen through a symmetry.
    fn symmetric_move(&self, mv: Self::Move, symmetry: u8) -> Self::Move {
        let _ = symmetry;
        mv
    }

    /// A uniformly random legal move of the player to move. Override it where a move can be drawn without listing all.
    #[inline]
    fn random_move(&self, state: &Self::State, rng: &mut Rng, scratch: &mut Scratch<Self::Move>) -> Self::Move {
        self.moves(state, &mut scratch.moves);
        scratch.moves[rng.below(scratch.moves.len() as u32) as usize]
    }

    /// An outcome of chance, drawn with its probability. Override it where it can be drawn without listing all.
    #[inline]
    fn random_outcome(&self, state: &Self::State, rng: &mut Rng, scratch: &mut Scratch<Self::Move>) -> Self::Move {
        self.chance(state, &mut scratch.outcomes);
        let mut left = rng.unit();
        for &(outcome, probability) in &scratch.outcomes {
            left -= probability;
            if left < 0.0 {
                return outcome;
            }
        }
        // Rounding can leave a sliver of probability over: it belongs to the last outcome.
        scratch.outcomes[scratch.outcomes.len() - 1].0
    }

    /// Plays random moves to the end. Override it where whole games can be played faster than move by move; the distribution of
    /// the results must stay the same.
    #[inline]
    fn playout(&self, state: &Self::State, rng: &mut Rng, scratch: &mut Scratch<Self::Move>) -> Outcome {
        let mut state = state.clone();
        loop {
            let mv = match self.turn(&state) {
                Turn::Over(outcome) => return outcome,
                Turn::Player(_) => self.random_move(&state, rng, scratch),
                Turn::Chance => self.random_outcome(&state, rng, scratch),
            };
            self.play(&mut state, mv);
        }
    }

    /// Plays a move of a player, and what a search that ignores chance counts on afterwards: by default the likeliest outcome of each
    /// event (most-likely-outcome determinization; Yoon, Fern and Givan 2007). Override it where the average of an event can be counted
    /// instead, or where the events need not be gone through one by one. Chance is not due afterwards, and what the game keeps for this
    /// purpose alone is in no other position.
    #[inline]
    fn play_without_chance(&self, state: &mut Self::State, mv: Self::Move) {
        self.play(state, mv);
        while self.turn(state) == Turn::Chance {
            let outcome = usual_outcome(self, state);
            self.play(state, outcome);
        }
    }

    /// Reads a move (or, where chance is due, an outcome) and makes sure that it can be played here.
    fn legal_move(&self, state: &Self::State, text: &str) -> Result<Self::Move, InputError> {
        self.legal_move_with(state, text, &mut Scratch::default())
    }

    /// The same with room for lists of moves that is used again.
    fn legal_move_with(
        &self,
        state: &Self::State,
        text: &str,
        scratch: &mut Scratch<Self::Move>,
    ) -> Result<Self::Move, InputError> {
        match self.turn(state) {
            Turn::Over(outcome) => Err(InputError::illegal(text, OVER.with([("result", &outcome.word())]))),
            Turn::Player(_) => {
                let mv = self.parse_move(state, text)?;
                self.moves(state, &mut scratch.moves);
                if scratch.moves.contains(&mv) { Ok(mv) } else { Err(InputError::illegal(text, self.why_illegal(state, mv))) }
            }
            Turn::Chance => {
                self.chance(state, &mut scratch.outcomes);
                let parsed = self.parse_move(state, text).ok();
                if let Some(&(outcome, _)) = scratch.outcomes.iter().find(|(outcome, _)| Some(*outcome) == parsed) {
                    return Ok(outcome);
                }
                let mut possible: Vec<String> =
                    scratch.outcomes.iter().map(|&(outcome, _)| self.move_text(state, outcome)).collect();
                possible.sort_unstable();
                Err(InputError::ChanceNeeded { found: Some(text.to_owned()), possible })
            }
        }
    }
}

/// The likeliest outcome of the chance event that is due (the first one of equals).
pub fn usual_outcome<G: Game>(game: &G, state: &G::State) -> G::Move {
    let mut outcomes = Vec::new();
    game.chance(state, &mut outcomes);
    let mut best = outcomes[0];
    for &outcome in &outcomes[1..] {
        if outcome.1 > best.1 {
            best = outcome;
        }
    }
    best.0
}

/// The default key of a position: its derived `Hash` fed through a fixed mixing function.
///
/// `std`'s hashers are seeded or unspecified; keys go into files and must be the same on every machine, so this one is fixed: each
/// word is folded in by a 64x64 -> 128 bit multiplication (the construction of wyhash, Wang Yi 2019).
#[inline]
pub fn hash_state<S: Hash>(state: &S) -> u64 {
    let mut hasher = FoldHasher(0x9e37_79b9_7f4a_7c15);
    state.hash(&mut hasher);
    hasher.finish()
}

struct FoldHasher(u64);

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

impl Hasher for FoldHasher {
    #[inline]
    fn finish(&self) -> u64 {
        fold(self.0 ^ 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3)
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 = fold(self.0 ^ word, 0xa076_1d64_78bd_642f) ^ word.rotate_left(29);
    }
    #[inline]
    fn write_u8(&mut self, word: u8) {
        self.write_u64(u64::from(word));
    }
    #[inline]
    fn write_u16(&mut self, word: u16) {
        self.write_u64(u64::from(word));
    }
    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }
    #[inline]
    fn write_u128(&mut self, word: u128) {
        self.write_u64(word as u64);
        self.write_u64((word >> 64) as u64);
    }
    // The width of usize differs between machines (wasm32): widen it.
    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
    // The discriminants of enums arrive as isize.
    #[inline]
    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as i64 as u64);
    }
}
