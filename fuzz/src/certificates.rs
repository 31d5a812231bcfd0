//! Certificates: proofs that a game is won or drawn, read by the checker that shares no code with the solver.

use plyground_session::{CertificateOptions, NoObserver, NoResources, certify};
use plyground_verify::verify;

use crate::{choice, chosen};

/// Small games, and who wins them.
const SOLVED: [(&str, Option<&str>); 4] = [
    ("mnk:size=3x3,k=3", None),
    ("clobber:size=3x3", Some("first")),
    ("pawn:size=4x5", Some("second")),
    ("crosphere:size=3x3,strong=2", Some("first")),
];

/// The bytes at the beginning, and those of a checksum at the end.
const MAGIC: usize = 8;
const SUM: usize = 8;

/// A certificate is refused with a reason, or what it claims of a game that is solved is true. Checksums are set right where the first
/// byte says so, since a liar sets them, too.
pub fn certificates(input: &[u8]) -> bool {
    let Some((sealed, rest)) = choice(input, 2) else { return false };
    let mut file = rest.to_vec();
    limit_searches(&mut file);
    if sealed == 1 {
        seal(&mut file);
    }
    let Ok(verdict) = verify(&file, (1, 1)) else { return false };
    let claim = verdict.lines().next().and_then(|line| line.strip_prefix("verified: ")).expect("it begins with what is proved");
    for (game, winner) in SOLVED {
        let drawn = format!("{game} is a draw");
        let not_lost = |side: &str| claim == format!("the {side} player has at least a draw in {game}");
        let is_true = match winner {
            None => claim == drawn || not_lost("first") || not_lost("second"),
            Some(winner) => claim == format!("the {winner} player wins {game}") || not_lost(winner),
        };
        let is_about_it = claim == drawn || claim.ends_with(&format!(" {game}"));
        assert!(is_true || !is_about_it, "{claim}");
    }
    true
}

/// Small searches stay small, so that no input takes hours.
fn limit_searches(file: &mut [u8]) {
    let Some(&[low, high]) = file.get(MAGIC..MAGIC + 2) else { return };
    let begin = MAGIC + 2 + usize::from(u16::from_le_bytes([low, high]));
    if let Some(limit) = file.get_mut(begin + 1..begin + 4) {
        limit.fill(0);
    }
}

/// Writes the checksum that the contents should have (FNV-1a).
fn seal(file: &mut [u8]) {
    let Some((contents, sum)) = file.split_last_chunk_mut::<SUM>() else { return };
    let right =
        contents.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    *sum = right.to_le_bytes();
}

pub fn seeds() -> Vec<Vec<u8>> {
    let options = CertificateOptions { limit: 20, split: 0 };
    let written = |game| certify(game, 1, None, options, &NoResources, &mut NoObserver).expect("it can be proved").bytes;
    let files: Vec<Vec<u8>> = SOLVED.iter().map(|&(game, _)| written(game)).collect();
    (0..2).flat_map(|sealed| files.iter().map(move |file| chosen(sealed, file))).collect()
}
