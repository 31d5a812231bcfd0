//! A fast hash for small keys of our own making.

use std::hash::{BuildHasherDefault, Hasher};

/// A word whose bits all depend on all bits of the given one: two rounds of multiplying by an odd number and folding the halves.
#[inline]
pub fn mixed(word: u64) -> u64 {
    let word = (word ^ (word >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word ^ (word >> 32)
}

/// Mixes word after word.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mixing(u64);

impl Hasher for Mixing {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    #[inline]
    fn write_u8(&mut self, byte: u8) {
        self.write_u64(u64::from(byte));
    }
    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }
    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 = mixed(self.0.rotate_left(23) ^ word);
    }
    #[inline]
    fn write_u128(&mut self, word: u128) {
        self.write_u64(word as u64);
        self.write_u64((word >> 64) as u64);
    }
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

/// The hasher for hash maps.
pub type MixingState = BuildHasherDefault<Mixing>;
