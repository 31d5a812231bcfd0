//! Numbers of an agent that are drawn anew for every game: `mcts:sims={500..2500}`.

use plyground_core::{InputError, Rng, Seed};

/// A range as it was typed. Both ends belong to it, and what is drawn has as many decimals as the more precise end.
struct Range {
    /// The ends in units of the last decimal.
    low: i64,
    high: i64,
    decimals: usize,
}

/// A part of a spec.
enum Part<'a> {
    Text(&'a str),
    Range(Range),
}

/// The specs with the lowest and with the highest number of every range; one where there is none. If an agent can be made from
/// both, it is taken for granted that it can from all between.
pub(crate) fn ends(spec: &str) -> Result<Vec<String>, InputError> {
    let parts = parts(spec)?;
    let mut ends = vec![written(&parts, |range| range.low), written(&parts, |range| range.high)];
    ends.dedup();
    Ok(ends)
}

/// The spec with a number for every range.
pub(crate) fn drawn(spec: &str, seed: Seed) -> String {
    let mut rng = seed.rng();
    // A spec that is not understood was refused when the experiment was made; in one made by hand, the agent reports the error.
    parts(spec).map_or_else(|_| spec.to_owned(), |parts| written(&parts, |range| range.draw(&mut rng)))
}

fn parts(spec: &str) -> Result<Vec<Part<'_>>, InputError> {
    let wrong = |text: &str| InputError::malformed("range", text, "expected two numbers, the lower one first, as in {500..2500}");
    let mut parts = Vec::new();
    let mut rest = spec;
    while let Some((text, behind)) = rest.split_once('{') {
        let (range, behind) = behind.split_once('}').ok_or_else(|| wrong(&rest[text.len()..]))?;
        parts.push(Part::Text(text));
        parts.push(Part::Range(Range::parse(range).ok_or_else(|| wrong(range))?));
        rest = behind;
    }
    parts.push(Part::Text(rest));
    Ok(parts)
}

fn written(parts: &[Part<'_>], mut number: impl FnMut(&Range) -> i64) -> String {
    let text = |part: &Part<'_>| match part {
        Part::Text(text) => (*text).to_owned(),
        Part::Range(range) => {
            let drawn = number(range) as f64 / 10_f64.powi(range.decimals as i32);
            format!("{drawn:.*}", range.decimals)
        }
    };
    parts.iter().map(text).collect()
}

impl Range {
    fn parse(text: &str) -> Option<Self> {
        let (low, high) = text.split_once("..")?;
        let decimals = [low, high].map(|end| end.split_once('.').map_or(0, |(_, behind)| behind.len())).into_iter().max()?;
        let units = |end: &str| {
            let units = end.parse::<f64>().ok()? * 10_f64.powi(decimals as i32);
            // Numbers up to here are whole in 64 bits, and their difference can be drawn.
            (units.abs() < 1e9).then_some(units.round() as i64)
        };
        let range = Self { low: units(low)?, high: units(high)?, decimals };
        (range.low <= range.high).then_some(range)
    }

    fn draw(&self, rng: &mut Rng) -> i64 {
        let width = u32::try_from(self.high - self.low + 1).expect("ends are below a thousand million");
        self.low + i64::from(rng.below(width))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn counts(spec: &str) -> BTreeMap<String, u32> {
        let mut counts = BTreeMap::new();
        for number in 0..4000 {
            *counts.entry(drawn(spec, Seed(number))).or_insert(0) += 1;
        }
        counts
    }

    #[test]
    fn every_number_is_drawn_about_as_often() {
        let whole = counts("mcts:sims={8..11}");
        assert_eq!(whole.keys().collect::<Vec<_>>(), ["mcts:sims=10", "mcts:sims=11", "mcts:sims=8", "mcts:sims=9"]);
        assert!(whole.values().all(|count| (880..1120).contains(count)), "{whole:?}");
        let parts = counts("mcts:c={0.44..0.5},sims=3");
        let expected = [44, 45, 46, 47, 48, 49, 50].map(|c| format!("mcts:c=0.{c},sims=3"));
        assert_eq!(parts.keys().collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>());
        assert!(parts.values().all(|count| (480..660).contains(count)), "{parts:?}");
    }

    #[test]
    fn two_ranges_are_drawn_apart() {
        assert_eq!(counts("{1..2} {1..2}").len(), 4);
    }

    #[test]
    fn a_spec_without_ranges_stays_as_it_is() {
        assert_eq!(drawn("mcts:sims=100", Seed(3)), "mcts:sims=100");
        assert_eq!(ends("mcts:sims=100").unwrap(), ["mcts:sims=100"]);
    }

    #[test]
    fn the_ends_are_those_that_were_typed() {
        assert_eq!(ends("a={-1..2.50},b={3..4}").unwrap(), ["a=-1.00,b=3", "a=2.50,b=4"]);
    }

    #[test]
    fn what_is_no_range_is_refused_in_words() {
        for wrong in ["sims={5}", "sims={9..5}", "sims={a..5}", "sims={5..6", "sims={5..9999999999}", "sims={nan..5}"] {
            let error = ends(wrong).unwrap_err().to_string();
            assert!(error.contains("expected two numbers, the lower one first"), "{wrong}: {error}");
        }
    }
}
