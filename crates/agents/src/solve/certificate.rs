//! Certificates: proofs that a game is won or drawn, which another program can check.
//!
//! A proof has a reply for every position in which the player of the claim is to move and which can arise when that player plays by it
//! and the opponent plays anything; or it says that a small search decides the position. The format, and everything that both programs
//! have to agree on (the order of moves, the small search), is in docs/certificates.md; `verify/` is the other program.

use std::collections::HashSet;

use plyground_core::{Game, GameValue, InputError, Outcome, Player, Solvable, StopCheck, Turn};

use super::range_encoder::RangeEncoder;
use super::solver::Solver;

const MAGIC: &[u8; 8] = b"PLYCERT1";
const REPLY_BITS: u32 = 8;
const SEARCH_CONTEXTS: usize = 32;
const CONTEXTS: usize = SEARCH_CONTEXTS + ((REPLY_BITS as usize + 1) << REPLY_BITS);

/// The sizes of the parts of a certificate.
#[derive(Clone, Copy, Debug)]
pub struct CertificateOptions {
    /// The most moves that a small search may make to decide a position that then needs no reply.
    pub limit: u32,
    /// After so many moves of the claim's player, each position begins a section of its own that can be checked alone; 0 for one
    /// section.
    pub split: u32,
}

/// A certificate, and what is in it.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The contents of the file.
    pub bytes: Vec<u8>,
    /// Positions with a reply or decided by a small search.
    pub positions: u64,
    /// Of these, those that a small search decides.
    pub searches: u64,
    /// Sections.
    pub sections: usize,
}

/// The reason why there is no certificate.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CertifyError {
    /// The game cannot be opened or solved.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The check ended the search.
    #[error("stopped before the proof was complete")]
    Stopped,
    /// The start of the game is over.
    #[error("the game is over before it begins: there is nothing to prove")]
    Over,
    /// A position has more moves than the format can number.
    #[error("a position has {0} moves: certificates number at most 256")]
    TooManyMoves(usize),
    /// The value of a position does not follow from those behind it.
    #[error("the value of {0} does not hold: a hash of the solver stood for two positions, or there is a fault in it")]
    Refuted(String),
}

/// A claim: this player wins (or, with `least` = draw, does not lose).
#[derive(Clone, Copy)]
struct Claim {
    player: Player,
    least: GameValue,
}

impl Claim {
    fn is_met(self, outcome: Outcome) -> bool {
        GameValue::of(outcome, self.player) >= self.least
    }
}

/// Solves a game from its start and writes the proof.
pub fn certify<G: Solvable>(
    solver: &mut Solver<G>,
    game: &G,
    options: CertificateOptions,
    stop_check: &mut dyn StopCheck,
) -> Result<Certificate, CertifyError> {
    let start = game.start();
    let Turn::Player(mover) = game.turn(&start) else { return Err(CertifyError::Over) };
    let value = solver.value(game, &start, stop_check).exact().ok_or(CertifyError::Stopped)?;
    let claims: &[Claim] = match value {
        GameValue::Win => &[Claim { player: mover, least: GameValue::Win }],
        GameValue::Loss => &[Claim { player: mover.other(), least: GameValue::Win }],
        GameValue::Draw => &Player::BOTH.map(|player| Claim { player, least: GameValue::Draw }),
    };
    let spec = game.spec();
    let mut certificate = Certificate { bytes: MAGIC.to_vec(), positions: 0, searches: 0, sections: 0 };
    certificate.bytes.extend((spec.len() as u16).to_le_bytes());
    certificate.bytes.extend(spec.as_bytes());
    certificate.bytes.extend(options.limit.to_le_bytes());
    certificate.bytes.push(claims.len() as u8);
    for &claim in claims {
        let code = claim.player.index() as u8 | u8::from(claim.least == GameValue::Win) << 1;
        certificate.bytes.push(code);
        certificate.bytes.extend(options.split.to_le_bytes());
        let mut starts = vec![start.clone()];
        let mut section = 0;
        while section < starts.len() {
            let split = (section == 0 && options.split > 0).then_some(options.split);
            let mut writer = Writer::new(solver, game, claim, options.limit.into(), split);
            writer.follow(&starts[section].clone(), 0, stop_check)?;
            certificate.positions += writer.positions;
            certificate.searches += writer.searches;
            certificate.sections += 1;
            starts.append(&mut writer.ends);
            let bytes = writer.encoder.finish();
            certificate.bytes.extend((bytes.len() as u64).to_le_bytes());
            certificate.bytes.extend(bytes);
            section += 1;
        }
    }
    let checksum = checksum(&certificate.bytes);
    certificate.bytes.extend(checksum.to_le_bytes());
    Ok(certificate)
}

/// FNV-1a of 64 bits (Fowler, Noll and Vo).
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The writer of one section.
struct Writer<'a, G: Solvable> {
    solver: &'a mut Solver<G>,
    game: &'a G,
    claim: Claim,
    limit: u64,
    split: Option<u32>,
    encoder: RangeEncoder,
    seen: HashSet<G::State>,
    /// The positions in which a section that is split ends.
    ends: Vec<G::State>,
    positions: u64,
    searches: u64,
}

impl<'a, G: Solvable> Writer<'a, G> {
    fn new(solver: &'a mut Solver<G>, game: &'a G, claim: Claim, limit: u64, split: Option<u32>) -> Self {
        let encoder = RangeEncoder::new(CONTEXTS);
        Self { solver, game, claim, limit, split, encoder, seen: HashSet::new(), ends: Vec::new(), positions: 0, searches: 0 }
    }

    fn refuted(&self, state: &G::State) -> CertifyError {
        CertifyError::Refuted(self.game.position_text(state))
    }

    /// Writes the proof for a position, after so many moves of the claim's player.
    fn follow(&mut self, state: &G::State, depth: u32, stop_check: &mut dyn StopCheck) -> Result<(), CertifyError> {
        match self.game.turn(state) {
            Turn::Over(outcome) if self.claim.is_met(outcome) => Ok(()),
            Turn::Player(mover) if mover == self.claim.player => self.reply(state, depth, stop_check),
            Turn::Player(_) => {
                let moves = ordered_moves(self.game, state);
                moves.into_iter().try_for_each(|mv| self.follow(&after(self.game, state, mv), depth, stop_check))
            }
            Turn::Over(_) | Turn::Chance => Err(self.refuted(state)),
        }
    }

    fn reply(&mut self, state: &G::State, depth: u32, stop_check: &mut dyn StopCheck) -> Result<(), CertifyError> {
        if !self.seen.insert(state.clone()) {
            return Ok(());
        }
        if self.split == Some(depth) {
            self.ends.push(state.clone());
            return Ok(());
        }
        if stop_check.check(self.solver.nodes()).is_break() {
            return Err(CertifyError::Stopped);
        }
        self.positions += 1;
        let moves = ordered_moves(self.game, state);
        if moves.len() > 1 << REPLY_BITS {
            return Err(CertifyError::TooManyMoves(moves.len()));
        }
        // Where the solver took more, with all that it knows of the game, the small search would be in vain.
        let hopeless = self.solver.work(self.game, state).is_some_and(|work| work > self.limit);
        let decided =
            self.limit > 0 && !hopeless && small_search(self.game, self.claim, state, &mut self.limit.clone()) == Some(true);
        self.encoder.bit(moves.len().min(SEARCH_CONTEXTS - 1), decided);
        if decided {
            self.searches += 1;
            return Ok(());
        }
        let found = self.solver.keeping(self.game, state, self.claim.least, stop_check);
        let Some((reply, child)) = found else {
            let stopped = stop_check.check(self.solver.nodes()).is_break();
            return Err(if stopped { CertifyError::Stopped } else { self.refuted(state) });
        };
        let bits = usize::BITS - (moves.len() - 1).leading_zeros();
        let number = moves.iter().position(|&mv| mv == reply).expect("a reply is a legal move");
        self.encoder.number(SEARCH_CONTEXTS + ((bits as usize) << REPLY_BITS), bits, number);
        self.follow(&child, depth + 1, stop_check)
    }
}

fn after<G: Game>(game: &G, state: &G::State, mv: G::Move) -> G::State {
    let mut child = state.clone();
    game.play(&mut child, mv);
    child
}

/// The legal moves in the order in which certificates number them: by the file and the rank of the square that is left, then of the
/// square that is entered, then by their text.
fn ordered_moves<G: Game>(game: &G, state: &G::State) -> Vec<G::Move> {
    let mut moves = Vec::new();
    game.moves(state, &mut moves);
    let place = |mv: G::Move| {
        let squares = game.move_squares(state, mv);
        [squares.from.or(squares.to), squares.to].map(|square| square.map(|square| (square.file, square.rank)))
    };
    moves.sort_by_cached_key(|&mv| place(mv));
    // Texts are slow, and needed only where a strong and a weak stone can be placed.
    if moves.windows(2).any(|pair| place(pair[0]) == place(pair[1])) {
        moves.sort_by_cached_key(|&mv| (place(mv), game.move_text(state, mv)));
    }
    moves
}

/// The small search of certificates: does the claim's player reach it from this position? Depth first, the moves in their order, those
/// that end the game before the others. It may make `left` moves; `None` if they do not suffice.
fn small_search<G: Game>(game: &G, claim: Claim, state: &G::State, left: &mut u64) -> Option<bool> {
    // The claim's player needs one move that is good enough, the opponent one that is not.
    let wanted = game.turn(state) == Turn::Player(claim.player);
    let mut live = Vec::new();
    for mv in ordered_moves(game, state) {
        *left = left.checked_sub(1)?;
        let child = after(game, state, mv);
        match game.turn(&child) {
            Turn::Over(outcome) if claim.is_met(outcome) == wanted => return Some(wanted),
            Turn::Over(_) | Turn::Chance => {}
            Turn::Player(_) => live.push(child),
        }
    }
    for child in live {
        if small_search(game, claim, &child, left)? == wanted {
            return Some(wanted);
        }
    }
    Some(!wanted)
}
