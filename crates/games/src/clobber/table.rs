//! The transposition table of sums, of fixed size.

use super::values::{Value, Values};

/// Four entries of two words each make a cache line.
const WORDS: usize = 8;

/// For sets of large regions: with which values added they are won or lost by the player to move. A player who wins with a value wins
/// with every greater one, too. Sets are told apart by 64 bits besides their place: in 10^11 questions, the chance of one wrong
/// answer is about one in 10^8.
#[derive(Clone, Debug)]
pub struct SumTable {
    words: Vec<u64>,
    /// Where the first cache line begins.
    start: usize,
    lines: usize,
}

impl SumTable {
    /// Of about `memory` bytes, or less where there is not so much.
    pub fn new(memory: usize) -> Self {
        let mut lines = (memory / 64).max(1);
        while lines > 1 && Vec::<u64>::new().try_reserve_exact((lines + 1).saturating_mul(WORDS)).is_err() {
            lines /= 2;
        }
        let words = vec![0; (lines + 1) * WORDS];
        let start = (words.as_ptr() as usize).wrapping_neg() % 64 / 8;
        Self { words, start, lines }
    }

    #[inline]
    fn line(&mut self, hash: [u64; 2]) -> &mut [u64] {
        let number = ((u128::from(hash[1]) * self.lines as u128) >> 64) as usize;
        let start = self.start + number * WORDS;
        &mut self.words[start..start + WORDS]
    }

    /// Does the player to move win the regions with this hash and a value, as far as the table knows?
    #[inline]
    pub fn find(&mut self, values: &mut Values, hash: [u64; 2], value: Value) -> Option<bool> {
        let line = self.line(hash);
        for slot in line.chunks_exact(2) {
            if slot[0] == hash[0] && slot[1] != 0 {
                let (kept, won) = (Value((slot[1] >> 33) as u32), slot[1] >> 32 & 1 == 1);
                let implied = kept == value || if won { values.at_most(kept, value) } else { values.at_most(value, kept) };
                if implied {
                    return Some(won);
                }
            }
        }
        None
    }

    /// Remembers a result that took `work` positions. It takes the place of what it implies, of nothing, or of what took least.
    pub fn keep(&mut self, values: &mut Values, hash: [u64; 2], (value, won): (Value, bool), work: u64) {
        let work = work.min(u64::from(u32::MAX));
        let line = self.line(hash);
        let mut least = (u64::MAX, 0);
        for place in (0..WORDS).step_by(2) {
            let word = line[place + 1];
            let (kept, kept_won) = (Value((word >> 33) as u32), word >> 32 & 1 == 1);
            let worth = word & 0xffff_ffff;
            let same = line[place] == hash[0] && word != 0 && kept_won == won;
            if same && if won { values.at_most(value, kept) } else { values.at_most(kept, value) } {
                least = (0, place);
                break;
            }
            if worth < least.0 {
                least = (worth, place);
            }
        }
        let place = least.1;
        line[place] = hash[0];
        line[place + 1] = u64::from(value.0) << 33 | u64::from(won) << 32 | work.max(1);
    }
}
