//! Numbers in two bytes (IEEE 754 half precision).

/// 2^24: the smallest number above 0 is one over it.
const FINEST: f32 = 16_777_216.0;
/// What the exponents of both kinds differ by, in its place in a single.
const EXPONENTS: u32 = (127 - 15) << 23;
/// Bits that a single has and a half has not.
const CUT: u32 = 13;

/// The nearest half, of two equally near ones the even one; `None` for what is too large, or no number.
pub fn from_single(number: f32) -> Option<u16> {
    let bits = number.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let size = number.abs();
    // From halfway between the largest half and the next one there would be.
    if size.is_nan() || size >= 65_520.0 {
        return None;
    }
    if size < 2.0_f32.powi(-14) {
        return Some(sign | (size * FINEST).round_ties_even() as u16);
    }
    let bits = size.to_bits();
    let rounded = bits + (1 << (CUT - 1)) - 1 + ((bits >> CUT) & 1);
    Some(sign | ((rounded - EXPONENTS) >> CUT) as u16)
}

/// Exactly this number.
pub fn to_single(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let size = half & 0x7fff;
    let bits = match size {
        0..0x0400 => (f32::from(size) / FINEST).to_bits(),
        0x0400..0x7c00 => (u32::from(size) << CUT) + EXPONENTS,
        0x7c00 => f32::INFINITY.to_bits(),
        _ => f32::NAN.to_bits(),
    };
    f32::from_bits(sign | bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_comes_back_and_others_go_to_the_nearest() {
        for half in 0..=u16::MAX {
            let single = to_single(half);
            if single.is_finite() {
                assert_eq!(from_single(single), Some(half), "{single}");
            } else {
                assert_eq!(from_single(single), None);
            }
        }
        // Of the standard: one, the largest, the smallest normal one, the smallest, a third, and a tie to the even one.
        let known = [(1.0, 0x3c00), (65_504.0, 0x7bff), (6.103_515_6e-5, 0x0400), (5.960_464_5e-8, 1), (1.0 / 3.0, 0x3555)];
        for (single, half) in known {
            assert_eq!(from_single(single), Some(half));
            assert_eq!(from_single(-single), Some(half | 0x8000));
        }
        assert_eq!(from_single(2_049.0), from_single(2_048.0));
        assert_eq!(from_single(2_051.0), from_single(2_052.0));
        assert_eq!(from_single(1e-9), Some(0));
        assert_eq!(from_single(65_519.9), Some(0x7bff));
    }
}
