//! Scores: what is expected, from -1 to +1, as other programs write it.

/// The largest score that is written for something that is not certain.
const MOST: f32 = 10_000.0;
/// So many points are ten to one, as in the Elo scale.
const TEN_TO_ONE: f32 = 400.0;

/// An expectation in centipoints.
pub(crate) fn centipoints(value: f32) -> i32 {
    let odds = (1.0 + value) / (1.0 - value).max(f32::MIN_POSITIVE);
    (TEN_TO_ONE * odds.max(f32::MIN_POSITIVE).log10()).clamp(-MOST, MOST).round() as i32
}

/// The expectation that a number of centipoints stands for.
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
