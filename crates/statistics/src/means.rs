//! The mean of a sample and how surely it is known.

use serde::Serialize;

use crate::{Interval, student_quantile};

/// A value computed from a sample, and the interval that the true one lies in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeanEstimate {
    /// The value in the sample.
    pub value: f64,
    /// The confidence interval.
    pub interval: Interval,
}

/// The mean with Student's interval (1908), for values that are roughly normal or many. `None` for fewer than two values, which say
/// nothing about their spread, and for values that are not finite.
pub fn mean(values: &[f64], confidence: f64) -> Option<MeanEstimate> {
    let value = plain_mean(values).filter(|_| values.len() > 1)?;
    let count = values.len() as f64;
    let variance = values.iter().map(|x| (x - value).powi(2)).sum::<f64>() / (count - 1.0);
    let error = student_quantile(0.5 + 0.5 * confidence.clamp(0.0, 1.0), count - 1.0) * (variance / count).sqrt();
    error.is_finite().then_some(MeanEstimate { value, interval: Interval { low: value - error, high: value + error } })
}

fn plain_mean(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    mean.is_finite().then_some(mean)
}

/// Any statistic of a sample with its percentile bootstrap interval (Efron 1979): the middle of what it comes to in `rounds` samples
/// that are drawn from this one; `draw` gives a random number below the one that it is told. For medians, ratios and skewed values;
/// needs some twenty values to be worth anything. `None` without values or rounds, and where the statistic is not finite.
pub fn bootstrap<T: Clone>(
    values: &[T],
    rounds: usize,
    confidence: f64,
    draw: &mut dyn FnMut(u32) -> u32,
    statistic: impl Fn(&[T]) -> f64,
) -> Option<MeanEstimate> {
    if values.is_empty() || rounds == 0 {
        return None;
    }
    let value = statistic(values);
    let mut drawn = values.to_vec();
    let mut results: Vec<f64> = (0..rounds)
        .map(|_| {
            drawn.fill_with(|| values[draw(values.len() as u32) as usize].clone());
            statistic(&drawn)
        })
        .collect();
    if !value.is_finite() || results.iter().any(|result| !result.is_finite()) {
        return None;
    }
    results.sort_by(f64::total_cmp);
    let outside = 0.5 * (1.0 - confidence.clamp(0.0, 1.0));
    let at = |share: f64| results[(share * (rounds - 1) as f64).round() as usize];
    Some(MeanEstimate { value, interval: Interval { low: at(outside), high: at(1.0 - outside) } })
}

#[cfg(test)]
mod tests {
    use plyground_core::Seed;

    use super::*;
    use crate::{CONFIDENCE, normal_quantile};

    /// Random numbers below the one that is asked for.
    fn drawn_by(seed: u64) -> impl FnMut(u32) -> u32 {
        let mut rng = Seed(seed).rng();
        move |below| rng.below(below)
    }

    #[test]
    fn a_worked_example() {
        // 1 to 5: mean 3, standard deviation sqrt 2.5, t with 4 degrees of freedom 2.776445.
        let found = mean(&[1.0, 2.0, 3.0, 4.0, 5.0], CONFIDENCE).unwrap();
        assert_eq!(found.value, 3.0);
        assert!((found.interval.high - 3.0 - 2.776_445_105 * 0.5_f64.sqrt()).abs() < 1e-8, "{found:?}");
        assert!((found.interval.low + found.interval.high - 6.0).abs() < 1e-12);
        assert_eq!(mean(&[2.0, 2.0], CONFIDENCE).unwrap().interval, Interval { low: 2.0, high: 2.0 });
    }

    #[test]
    fn what_says_nothing_gives_nothing() {
        for values in [&[][..], &[1.0], &[1.0, f64::NAN], &[1.0, f64::INFINITY], &[f64::MAX, f64::MAX], &[f64::MAX, -f64::MAX]] {
            assert_eq!(mean(values, CONFIDENCE), None, "{values:?}");
        }
        let median = |values: &[f64]| values[0];
        assert_eq!(bootstrap(&[], 100, CONFIDENCE, &mut drawn_by(1), median), None);
        assert_eq!(bootstrap(&[1.0], 0, CONFIDENCE, &mut drawn_by(1), median), None);
        assert_eq!(bootstrap(&[f64::NAN], 10, CONFIDENCE, &mut drawn_by(1), median), None);
        let one = bootstrap(&[1.0], 10, CONFIDENCE, &mut drawn_by(1), median).unwrap();
        assert_eq!(one.interval, Interval { low: 1.0, high: 1.0 });
    }

    #[test]
    fn both_intervals_cover_the_truth_as_often_as_they_say() {
        let mut rng = Seed(15).rng();
        let (mut student, mut bootstrapped) = (0, 0);
        for round in 0..2000 {
            let values: Vec<f64> = (0..40).map(|_| 7.0 + 3.0 * normal_quantile(rng.unit())).collect();
            student += u32::from(mean(&values[..5], CONFIDENCE).unwrap().interval.contains(7.0));
            let found = bootstrap(&values, 400, CONFIDENCE, &mut drawn_by(round), |drawn| plain_mean(drawn).unwrap()).unwrap();
            bootstrapped += u32::from(found.interval.contains(7.0));
        }
        assert!((1860..=1940).contains(&student), "{student} of 2000");
        // The percentile method is known to be a little bold at forty values.
        assert!((1840..=1940).contains(&bootstrapped), "{bootstrapped} of 2000");
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let values: Vec<f64> = (0..30).map(f64::from).collect();
        let run = |seed| bootstrap(&values, 200, CONFIDENCE, &mut drawn_by(seed), |drawn| plain_mean(drawn).unwrap());
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }
}
