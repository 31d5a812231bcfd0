//! Strength as a number.

use std::f64::consts::LN_10;
use std::fmt;

use serde::Serialize;

use crate::intervals::two_sided;
use crate::{CONFIDENCE, Sample, normal_cdf};

/// Normalised Elo per standard deviation of a game's score, so that both kinds of Elo agree for equal players without draws (Van
/// den Bergh 2021).
pub(super) const NORMALISED_PER_SIGMA: f64 = 800.0 / LN_10;

/// The difference in Elo at which a player expects this share of the points (Elo 1978). Beyond a score of one in 10^12 it stays
/// at 4800, so that it is always finite.
pub fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(1e-12, 1.0 - 1e-12);
    400.0 * (score / (1.0 - score)).log10()
}

/// The share of the points that a player expects who is this much stronger: the inverse of [`elo_of_score`].
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// A difference in strength with what is known of its size. It reads `+79 ± 31`, `at least +220`, `at most -220` or `unknown`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EloEstimate {
    /// There were no games.
    Unknown,
    /// All results were equally good: the difference has no upper end.
    AtLeast(f64),
    /// All results were equally bad: the difference has no lower end.
    AtMost(f64),
    /// The difference, and the 95 % interval about it.
    About {
        /// The likeliest difference.
        value: f64,
        /// The lower end of the interval.
        low: f64,
        /// The upper end of the interval.
        high: f64,
    },
}

impl EloEstimate {
    /// The likeliest difference, or the bound; `None` without games.
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Unknown => None,
            Self::AtLeast(value) | Self::AtMost(value) | Self::About { value, .. } => Some(value),
        }
    }

    /// Half the width of the 95 % interval; `None` where only a bound is known.
    pub fn error(self) -> Option<f64> {
        match self {
            Self::About { low, high, .. } => Some((high - low) / 2.0),
            Self::Unknown | Self::AtLeast(_) | Self::AtMost(_) => None,
        }
    }
}

/// With as many decimals as the format asks for: `{:.1}`.
impl fmt::Display for EloEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = f.precision().unwrap_or(0);
        match *self {
            Self::Unknown => f.write_str("unknown"),
            Self::AtLeast(bound) => write!(f, "at least {}", signed(bound, places)),
            Self::AtMost(bound) => write!(f, "at most {}", signed(bound, places)),
            Self::About { value, low, high } => write!(f, "{} ± {:.places$}", signed(value, places), (high - low) / 2.0),
        }
    }
}

/// A number with its sign, and with that of a plus if all that can be read of it is zero.
pub(super) fn signed(value: f64, places: usize) -> String {
    let text = format!("{value:+.places$}");
    if text.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) { text } else { text.replace('-', "+") }
}

/// Elo on the logistic scale (Elo 1978). The ends of the interval are those of the score, so that both say the same.
pub fn logistic_elo(sample: &Sample) -> EloEstimate {
    let ends = sample.interval(CONFIDENCE);
    if sample.units == 0.0 {
        EloEstimate::Unknown
    } else if sample.mean >= 1.0 {
        EloEstimate::AtLeast(elo_of_score(ends.low))
    } else if sample.mean <= 0.0 {
        EloEstimate::AtMost(elo_of_score(ends.high))
    } else {
        let [low, high] = [ends.low, ends.high].map(elo_of_score);
        EloEstimate::About { value: elo_of_score(sample.mean), low, high }
    }
}

/// Elo by how clearly the better player shows (Van den Bergh 2021): the lead over one half in standard deviations of a game. Unlike
/// logistic Elo it hardly changes with the share of draws, and the games that a test needs depend on it alone.
pub fn normalised_elo(sample: &Sample) -> EloEstimate {
    if sample.units == 0.0 {
        return EloEstimate::Unknown;
    }
    let z = two_sided(CONFIDENCE);
    let error = NORMALISED_PER_SIGMA * z / sample.games.sqrt();
    let lead = sample.mean - 0.5;
    if lead == 0.0 {
        return EloEstimate::About { value: 0.0, low: -error, high: error };
    }
    if sample.variance > 0.0 {
        let value = NORMALISED_PER_SIGMA * lead / (sample.variance * sample.games).sqrt();
        return EloEstimate::About { value, low: value - error, high: value + error };
    }
    // Equal results show no spread. What they bound is the score, and the spread that goes with that bound.
    let ends = sample.interval(CONFIDENCE);
    let bound = if lead > 0.0 { ends.low } else { ends.high };
    let variance = sample.relative_variance() * bound * (1.0 - bound) * sample.games / sample.units;
    let value = NORMALISED_PER_SIGMA * (bound - 0.5) / variance.sqrt();
    if lead > 0.0 { EloEstimate::AtLeast(value) } else { EloEstimate::AtMost(value) }
}

/// The probability that the first-named agent is the stronger one, if nothing was known before (the measure of Coulom's Bayeselo, 2005). The spread is taken
/// about one half, where the question is decided, so that it is not zero after wins alone.
pub fn likelihood_of_superiority(sample: &Sample) -> f64 {
    let lead = sample.mean - 0.5;
    if lead == 0.0 {
        return 0.5;
    }
    normal_cdf(lead / (sample.variance + lead * lead / sample.units).sqrt())
}

#[cfg(test)]
mod tests {
    use plyground_core::Seed;

    use super::*;
    use crate::{Pairs, Tally};

    fn rounded(estimate: EloEstimate) -> (f64, f64) {
        let round = |value: f64| (100.0 * value).round() / 100.0;
        (round(estimate.value().unwrap()), round(estimate.error().unwrap()))
    }

    #[test]
    fn the_figures_of_public_tests_come_out() {
        let stockfish = Pairs([379, 10_170, 21_828, 10_640, 343]).sample();
        assert_eq!(rounded(normalised_elo(&stockfish)), (3.05, 2.31));
        let second = Pairs([18, 1850, 25_507, 2580, 45]).sample();
        assert_eq!(rounded(logistic_elo(&second)), (4.54, 0.78));
        assert_eq!(rounded(normalised_elo(&second)), (16.29, 2.78));
        let third = Pairs([96, 6835, 16_121, 6851, 97]).sample();
        assert_eq!(rounded(logistic_elo(&third)), (0.10, 1.36));
        assert_eq!(rounded(normalised_elo(&third)), (0.21, 2.78));
        let fourth = Pairs([184, 15, 508, 17, 290]).sample();
        assert_eq!(rounded(normalised_elo(&fourth)), (38.05, 15.12));
    }

    #[test]
    fn scores_and_elo_are_inverse() {
        assert_eq!(elo_of_score(0.5), 0.0);
        assert!((elo_of_score(10.0 / 11.0) - 400.0).abs() < 1e-9);
        for elo in [-800.0, -3.0, 0.0, 79.0, 400.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9);
        }
        assert!(elo_of_score(0.0).is_finite() && elo_of_score(1.0).is_finite());
    }

    #[test]
    fn equal_results_give_a_bound() {
        let all_won = Pairs([0, 0, 0, 0, 10]).sample();
        // Wilson: 10 / (10 + 1.96²) = 72.2 %.
        let EloEstimate::AtLeast(bound) = logistic_elo(&all_won) else { panic!("{:?}", logistic_elo(&all_won)) };
        assert!((bound - elo_of_score(10.0 / (10.0 + 1.959_964_f64.powi(2)))).abs() < 1e-4);
        assert_eq!(logistic_elo(&all_won).to_string(), "at least +166");
        assert_eq!(logistic_elo(&Pairs([10, 0, 0, 0, 0]).sample()).to_string(), "at most -166");
        assert_eq!(logistic_elo(&Pairs([10, 0, 0, 0, 0]).sample()).error(), None);
        assert!(matches!(normalised_elo(&all_won), EloEstimate::AtLeast(bound) if bound > 50.0));
        assert!(matches!(normalised_elo(&Pairs([0, 9, 0, 0, 0]).sample()), EloEstimate::AtMost(bound) if bound < 0.0));
        assert_eq!(logistic_elo(&Pairs::default().sample()).to_string(), "unknown");
        assert_eq!(normalised_elo(&Pairs::default().sample()).value(), None);
    }

    #[test]
    fn texts_have_a_sign_and_the_decimals_asked_for() {
        let about = EloEstimate::About { value: 78.6, low: 50.0, high: 112.0 };
        assert_eq!(format!("{about} | {about:.1}"), "+79 ± 31 | +78.6 ± 31.0");
        assert_eq!(EloEstimate::About { value: -0.2, low: -5.0, high: 5.0 }.to_string(), "+0 ± 5");
        assert_eq!(EloEstimate::AtLeast(-0.7).to_string(), "at least -1");
    }

    #[test]
    fn no_counts_give_an_infinity() {
        for code in 0..4_u64.pow(5) {
            let pairs = Pairs(std::array::from_fn(|cell| [0, 1, 3, 1_000_000][(code / 4_u64.pow(cell as u32) % 4) as usize]));
            let sample = pairs.sample();
            for estimate in [logistic_elo(&sample), normalised_elo(&sample)] {
                let text = estimate.to_string();
                assert!(!text.contains("inf") && !text.contains("NaN"), "{pairs:?}: {text}");
                assert!(estimate.value().is_none_or(f64::is_finite) && estimate.error().is_none_or(f64::is_finite));
                assert_eq!(estimate == EloEstimate::Unknown, code == 0);
                if let EloEstimate::About { value, low, high } = estimate {
                    assert!(low <= value && value <= high, "{pairs:?}: {estimate:?}");
                }
            }
            assert!((0.0..=1.0).contains(&likelihood_of_superiority(&sample)), "{pairs:?}");
        }
    }

    #[test]
    fn superiority_is_near_the_exact_posterior_of_wins_and_losses() {
        // With a uniform prior on the share p of wins: the integral of p^w (1 - p)^l over p > 1/2, by the midpoint rule.
        for (wins, losses) in [(6, 4), (30, 20), (10, 25), (50, 50), (9, 0)] {
            let (mut above, mut all) = (0.0, 0.0);
            for k in 0..20_000 {
                let p = (f64::from(k) + 0.5) / 20_000.0;
                let density = p.powi(wins) * (1.0 - p).powi(losses);
                all += density;
                above += if p > 0.5 { density } else { 0.0 };
            }
            let tally = Tally { wins: wins as u64, draws: 0, losses: losses as u64 };
            let found = likelihood_of_superiority(&tally.sample());
            assert!((found - above / all).abs() < 0.015, "+{wins} -{losses}: {found}, exactly {}", above / all);
        }
        assert_eq!(likelihood_of_superiority(&Tally::default().sample()), 0.5);
        // Draws say nothing about who is better.
        let few = likelihood_of_superiority(&Tally { wins: 30, draws: 0, losses: 20 }.sample());
        let many = likelihood_of_superiority(&Tally { wins: 30, draws: 5000, losses: 20 }.sample());
        assert!((few - many).abs() < 0.002, "{few} {many}");
    }

    #[test]
    fn both_kinds_of_elo_cover_the_truth_as_often_as_they_say() {
        // Probabilities of the five results of a pair in thousandths, and 400 pairs.
        let mut rng = Seed(12).rng();
        for chances in [[50, 200, 400, 250, 100], [180, 15, 500, 15, 290], [10, 60, 800, 100, 30]] {
            let pair = |points: usize| (f64::from(chances[points]) / 1000.0, points as f64 / 4.0);
            let mean: f64 = (0..5).map(|points| pair(points).0 * pair(points).1).sum();
            let variance: f64 = (0..5).map(|points| pair(points).0 * (pair(points).1 - mean).powi(2)).sum();
            let truths = [elo_of_score(mean), NORMALISED_PER_SIGMA * (mean - 0.5) / (2.0 * variance).sqrt()];
            let mut covered = [0; 2];
            for _ in 0..4000 {
                let mut pairs = Pairs::default();
                for _ in 0..400 {
                    let mut left = rng.below(1000);
                    let points = chances.iter().position(|&chance| {
                        let here = left < chance;
                        left = left.saturating_sub(chance);
                        here
                    });
                    pairs.0[points.unwrap()] += 1;
                }
                let sample = pairs.sample();
                for ((estimate, truth), covered) in
                    [logistic_elo(&sample), normalised_elo(&sample)].into_iter().zip(truths).zip(&mut covered)
                {
                    let EloEstimate::About { low, high, .. } = estimate else { panic!("{estimate:?}") };
                    *covered += u32::from(low <= truth && truth <= high);
                }
            }
            for covered in covered {
                assert!((3720..=3880).contains(&covered), "{chances:?}: {covered} of 4000");
            }
        }
    }
}
