//! The checker of certificates: proofs that a game is won or drawn (docs/certificates.md).
//!
//! It shares no code with Plyground: it has the rules from their description, keeps whole positions instead of hashes, and plays every
//! reply of the proof against every move of the loser.

mod decoder;
mod proof;
pub mod rules;

use std::collections::HashSet;

use decoder::Decoder;
use proof::{CONTEXTS, Checker, Claim, Effort};
use rules::Game;

const MAGIC: &[u8; 8] = b"PLYCERT1";
/// The most moves that a certificate may leave to one small search.
const MOST_LIMIT: u64 = 1_000_000;

/// The bytes of a file that are not read yet.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or("the file ends too early")?;
        self.0 = rest;
        Ok(taken)
    }

    /// A little-endian number of so many bytes.
    fn number(&mut self, bytes: usize) -> Result<u64, String> {
        Ok(self.take(bytes)?.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }
}

/// FNV-1a of 64 bits (Fowler, Noll and Vo): against damage, not against lies.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The sentence that a certificate proves, or what is wrong with it. Of its sections, only every `of`-th is checked, from number `number`
/// on, which is between 1 and `of`.
pub fn verify(bytes: &[u8], (number, of): (usize, usize)) -> Result<String, String> {
    let body = bytes.strip_prefix(MAGIC).ok_or("it does not begin as a certificate of version 1 does")?;
    let (body, sum) = body.split_last_chunk::<8>().ok_or("the file ends too early")?;
    if checksum(&bytes[..bytes.len() - 8]) != u64::from_le_bytes(*sum) {
        return Err("its checksum is wrong: it was changed or damaged".to_owned());
    }
    let mut file = Reader(body);
    let length = file.number(2)? as usize;
    let text = std::str::from_utf8(file.take(length)?).map_err(|_| "the name of the game is no text")?;
    let (game, limit, count) = (Game::parse(text)?, file.number(4)?, file.number(1)?);
    if limit > MOST_LIMIT {
        return Err(format!("its small searches may make {limit} moves; expected at most {MOST_LIMIT}"));
    }
    let mut verifier = Verifier { game, limit, file, number, of, effort: Effort::default(), checked: 0, sections: 0 };
    let claims = (0..count).map(|_| verifier.claim()).collect::<Result<Vec<Claim>, String>>()?;
    let Verifier { file, effort: Effort { positions, searches, nodes }, checked, sections, .. } = verifier;
    if !file.0.is_empty() {
        return Err(format!("{} bytes follow after the proof", file.0.len()));
    }
    let side = |player: u8| ["first", "second"][usize::from(player)];
    let sentence = match claims[..] {
        [Claim { player, wins: true }] => format!("the {} player wins {text}", side(player)),
        [Claim { player, wins: false }] => format!("the {} player has at least a draw in {text}", side(player)),
        [Claim { player: 0, wins: false }, Claim { player: 1, wins: false }] => format!("{text} is a draw"),
        _ => return Err("expected one claim, or that both players have at least a draw".to_owned()),
    };
    let part = if of == 1 { String::new() } else { format!("part {number} of {of}, {checked} of {sections} sections, ") };
    Ok(format!("{part}verified: {sentence}\n{positions} replies, {searches} of them found by small searches of {nodes} moves"))
}

/// What is read of a file, and how far.
struct Verifier<'a> {
    game: Game,
    limit: u64,
    file: Reader<'a>,
    number: usize,
    of: usize,
    effort: Effort,
    checked: usize,
    sections: usize,
}

impl Verifier<'_> {
    /// Checks the next claim: its first section begins with the start of the game, and each of the others with one of the positions in
    /// which the first one ends.
    fn claim(&mut self) -> Result<Claim, String> {
        let code = self.file.number(1)?;
        let claim = Claim { player: (code & 1) as u8, wins: code & 2 != 0 };
        let depth = Some(self.file.number(4)? as u32).filter(|&depth| depth > 0);
        let (mut starts, mut moves, mut section) = (vec![self.game.start()], Vec::new(), 0);
        self.game.moves(&starts[0], &mut moves);
        moves.first().ok_or("the game is over before it begins")?;
        while section < starts.len() {
            let length = usize::try_from(self.file.number(8)?).map_err(|_| "a section is too long")?;
            let bytes = self.file.take(length)?;
            // The first section says where the others begin, so every part reads it.
            if section == 0 || section % self.of == self.number % self.of {
                let (depth, proof) = (depth.filter(|_| section == 0), Decoder::new(bytes, CONTEXTS)?);
                let (game, limit, effort, seen, ends) = (self.game, self.limit, self.effort, HashSet::new(), Vec::new());
                let mut checker = Checker { game, claim, limit, proof, effort, seen, depth, ends };
                checker.check(&starts[section], 0)?;
                if !checker.proof.rest.is_empty() {
                    return Err("there is more of a proof than was needed".to_owned());
                }
                self.effort = checker.effort;
                self.checked += 1;
                starts.append(&mut checker.ends);
            }
            self.sections += 1;
            section += 1;
        }
        Ok(claim)
    }
}
