//! The two functions of upper confidence bounds, sqrt(ln N) and 1/sqrt(n), from tables.

use std::sync::LazyLock;

/// Most nodes never have more visits than this.
const TABLED: usize = 1 << 13;

struct Tables {
    sqrt_ln: [f32; TABLED],
    inverse_sqrt: [f32; TABLED],
}

static TABLES: LazyLock<Box<Tables>> = LazyLock::new(|| {
    let mut tables = Box::new(Tables { sqrt_ln: [0.0; TABLED], inverse_sqrt: [f32::INFINITY; TABLED] });
    for visits in 1..TABLED as u32 {
        tables.sqrt_ln[visits as usize] = ln(visits).sqrt() as f32;
        tables.inverse_sqrt[visits as usize] = 1.0 / (visits as f32).sqrt();
    }
    tables
});

/// The tables, looked up once for a whole search.
#[derive(Clone, Copy)]
pub(crate) struct Lookup(&'static Tables);

impl Lookup {
    pub fn new() -> Self {
        Self(&TABLES)
    }

    /// sqrt(ln visits); 0 for none.
    #[inline]
    pub fn sqrt_ln(self, visits: u32) -> f32 {
        match self.0.sqrt_ln.get(visits as usize) {
            Some(&known) => known,
            None => ln(visits).sqrt() as f32,
        }
    }

    /// 1 / sqrt(visits).
    #[inline]
    pub fn inverse_sqrt(self, visits: u32) -> f32 {
        match self.0.inverse_sqrt.get(visits as usize) {
            Some(&known) => known,
            None => 1.0 / (visits as f32).sqrt(),
        }
    }
}

/// The natural logarithm by arithmetic that every machine does alike: the last digit of a system's own `ln` may differ from that of
/// another, and with it, now and then, a move.
fn ln(number: u32) -> f64 {
    use std::f64::consts::{LN_2, SQRT_2};
    let exponent = number.max(1).ilog2();
    let mut mantissa = f64::from(number.max(1)) / f64::from(1_u32 << exponent);
    let mut twos = f64::from(exponent);
    if mantissa > SQRT_2 {
        mantissa /= 2.0;
        twos += 1.0;
    }
    // ln m = 2 artanh((m - 1) / (m + 1)), and |(m - 1) / (m + 1)| < 0.172: eleven terms are all that a double can hold.
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let square = ratio * ratio;
    let series = (0..11).rev().fold(0.0, |sum, term| sum * square + 1.0 / f64::from(2 * term + 1));
    2.0 * ratio * series + twos * LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_the_logarithm() {
        for number in (1..100_000).chain((0..32).map(|power| 1 << power)).chain([u32::MAX, u32::MAX / 3]) {
            let expected = f64::from(number).ln();
            assert!((ln(number) - expected).abs() <= 1e-14 * expected.max(1.0), "{number}: {} {expected}", ln(number));
        }
    }

    #[test]
    fn what_is_not_in_the_tables_goes_on_smoothly() {
        let lookup = Lookup::new();
        let edge = TABLED as u32;
        assert_eq!(lookup.sqrt_ln(0), 0.0);
        assert!(lookup.sqrt_ln(edge) > lookup.sqrt_ln(edge - 1) && lookup.sqrt_ln(edge) < lookup.sqrt_ln(edge + 1));
        assert!(lookup.inverse_sqrt(edge) < lookup.inverse_sqrt(edge - 1) && lookup.inverse_sqrt(4) == 0.5);
    }
}
