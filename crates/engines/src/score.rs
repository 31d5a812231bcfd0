//! Conversion between expected results (-1 to +1) and centipawn scores of UCI and UGI.

/// The largest score of a result that is not certain.
const MOST: f32 = 10_000.0;
/// The score of odds of ten to one, as in the Elo scale.
const TEN_TO_ONE: f32 = 400.0;

/// The score in centipoints of an expected result.
pub(crate) fn centipoints(value: f32) -> i32 {
    let odds = (1.0 + value) / (1.0 - value).max(f32::MIN_POSITIVE);
    (TEN_TO_ONE * odds.max(f32::MIN_POSITIVE).log10()).clamp(-MOST, MOST).round() as i32
}

/// The expected result of a score in centipoints.
pub(crate) fn expectation(centipoints: f32) -> f32 {
    2.0 / (1.0 + 10_f32.powf(-centipoints / TEN_TO_ONE)) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_come_back_as_they_went() {
        assert_eq!([0.0, 1.0, -1.0].map(centipoints), [0, 10_000, -10_000]);
        for value in [-0.99, -0.5, -0.01, 0.0, 0.2, 0.9, 0.999] {
            let there_and_back = expectation(centipoints(value) as f32);
            assert!((there_and_back - value).abs() < 2e-3, "{value}: {there_and_back}");
        }
        assert_eq!((expectation(1e30), expectation(-1e30)), (1.0, -1.0));
    }
}
