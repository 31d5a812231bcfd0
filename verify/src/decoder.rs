//! The entropy decoder of certificates: an adaptive binary range decoder (Martin 1979; the variant of LZMA).

/// The number of bits of a probability, and how fast it follows what is seen.
const PRECISION: u32 = 11;
const SHIFT: u32 = 5;

/// A decoder with a table of adaptive probabilities.
pub struct Decoder<'a> {
    /// The bytes that are not read yet.
    pub rest: &'a [u8],
    range: u32,
    code: u32,
    probabilities: Vec<u16>,
}

impl<'a> Decoder<'a> {
    /// With so many contexts, in each of which a bit has a probability of its own.
    pub fn new(bytes: &'a [u8], contexts: usize) -> Result<Self, String> {
        let (code, rest) = bytes.split_first_chunk::<4>().ok_or("a part of the proof is shorter than four bytes")?;
        Ok(Self { rest, range: u32::MAX, code: u32::from_be_bytes(*code), probabilities: vec![1 << (PRECISION - 1); contexts] })
    }

    /// The next bit in a context.
    pub fn bit(&mut self, context: usize) -> Result<bool, String> {
        if self.range < 1 << 24 {
            let (&byte, rest) = self.rest.split_first().ok_or("the proof ends too early")?;
            (self.rest, self.range, self.code) = (rest, self.range << 8, self.code << 8 | u32::from(byte));
        }
        let probability = &mut self.probabilities[context];
        let bound = (self.range >> PRECISION) * u32::from(*probability);
        let bit = self.code >= bound;
        if bit {
            (self.range, self.code) = (self.range - bound, self.code - bound);
            *probability -= *probability >> SHIFT;
        } else {
            self.range = bound;
            *probability += ((1 << PRECISION) - *probability) >> SHIFT;
        }
        Ok(bit)
    }
}
