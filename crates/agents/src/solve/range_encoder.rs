//! The entropy encoder of certificates: an adaptive binary range coder (Martin 1979; the variant of LZMA). The decoder is written
//! again in `verify/`, from docs/certificates.md.

/// The number of bits of a probability, and how fast it follows what is seen.
const PRECISION: u32 = 11;
const SHIFT: u32 = 5;

/// An encoder with a table of adaptive probabilities.
pub(crate) struct RangeEncoder {
    low: u64,
    range: u32,
    /// The last byte that a carry can still change, and how many bytes of ones follow it.
    held: u8,
    ones: usize,
    probabilities: Vec<u16>,
    bytes: Vec<u8>,
}

impl RangeEncoder {
    /// With so many contexts, in each of which a bit has a probability of its own.
    pub fn new(contexts: usize) -> Self {
        let probabilities = vec![1 << (PRECISION - 1); contexts];
        Self { low: 0, range: u32::MAX, held: 0, ones: 0, probabilities, bytes: Vec::new() }
    }

    /// Writes a bit in a context.
    pub fn bit(&mut self, context: usize, bit: bool) {
        if self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
        let probability = &mut self.probabilities[context];
        let bound = (self.range >> PRECISION) * u32::from(*probability);
        if bit {
            self.low += u64::from(bound);
            self.range -= bound;
            *probability -= *probability >> SHIFT;
        } else {
            self.range = bound;
            *probability += ((1 << PRECISION) - *probability) >> SHIFT;
        }
    }

    /// Writes the lowest `bits` bits of a number, the highest first; each has a context of its own for what came before it. `tree` is
    /// the first of `1 << bits` contexts.
    pub fn number(&mut self, tree: usize, bits: u32, number: usize) {
        let mut node = 1;
        for place in (0..bits).rev() {
            let bit = number >> place & 1;
            self.bit(tree + node, bit == 1);
            node = node << 1 | bit;
        }
    }

    /// Moves the highest byte of `low` out, as soon as no carry can reach it any more.
    fn shift(&mut self) {
        if self.low < 0xff00_0000 || self.low > u64::from(u32::MAX) {
            let carry = (self.low >> 32) as u8;
            self.bytes.push(self.held.wrapping_add(carry));
            self.bytes.extend(std::iter::repeat_n(0xff_u8.wrapping_add(carry), self.ones));
            self.ones = 0;
            self.held = (self.low >> 24) as u8;
        } else {
            self.ones += 1;
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    /// The bytes of everything that was written.
    pub fn finish(mut self) -> Vec<u8> {
        (0..5).for_each(|_| self.shift());
        // The first byte is the zero that was held before anything was written.
        self.bytes.remove(0);
        self.bytes
    }
}
