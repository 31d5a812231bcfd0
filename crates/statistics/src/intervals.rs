//! Intervals that a share or a score lies in.

use std::fmt;

use serde::Serialize;

use crate::{Sample, normal_quantile};

/// The confidence of the intervals in reports: 95 %.
pub const CONFIDENCE: f64 = 0.95;

/// An interval with its ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether a value lies in it; its ends do.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// In per cent, as `[57.0, 65.2]`.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{:.1}, {:.1}]", 100.0 * self.low, 100.0 * self.high)
    }
}

/// The confidence that each of several intervals needs so that all of them together hold with 95 % (Bonferroni; Dunn 1961): a reader who
/// looks at a hundred intervals of 95 % finds five that miss.
pub fn simultaneous(intervals: usize) -> f64 {
    1.0 - (1.0 - CONFIDENCE) / intervals.max(1) as f64
}

/// The interval of a share of which `successes` in `trials` are known (Wilson 1927): all the shares that a two-sided test would
/// not reject. It keeps its coverage at few trials and near 0 and 1, where the textbook interval shrinks to a point.
pub fn wilson(successes: u64, trials: u64, confidence: f64) -> Interval {
    if trials == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    around(successes as f64 / trials as f64, trials as f64, two_sided(confidence))
}

/// The interval of the difference between two shares, each with its own interval (Newcombe 1998, his method 10, from two of
/// Wilson's).
pub fn difference((one, of_one): (f64, Interval), (other, of_other): (f64, Interval)) -> Interval {
    let difference = one - other;
    Interval {
        low: difference - (one - of_one.low).hypot(of_other.high - other),
        high: difference + (of_one.high - one).hypot(other - of_other.low),
    }
}

/// How many standard errors lie on each side.
pub(super) fn two_sided(confidence: f64) -> f64 {
    normal_quantile(0.5 + 0.5 * confidence.clamp(0.0, 1.0))
}

impl Sample {
    /// The interval of the score: Wilson's, for as many trials as would make a plain share vary as much as this score does.
    ///
    /// A score of given mean m varies most when it is all or nothing, by m (1 - m) a unit; draws and swapped seats make it vary
    /// less, and so one unit is worth more than one trial. How much less, the sample tells, together with one imagined unit of all
    /// or nothing: a few equal results in a row are no proof that all are equal.
    pub fn interval(&self, confidence: f64) -> Interval {
        if self.units == 0.0 {
            return Interval { low: 0.0, high: 1.0 };
        }
        let z = two_sided(confidence);
        around(self.mean, self.units / self.relative_variance(), z)
    }

    /// The variance of a unit as a share of the largest that its mean allows, in (0, 1].
    pub(super) fn relative_variance(&self) -> f64 {
        let largest = self.mean * (1.0 - self.mean);
        let observed = if largest > 0.0 { (self.variance * self.units / largest).min(1.0) } else { 1.0 };
        (self.units * observed + 1.0) / (self.units + 1.0)
    }
}

fn around(share: f64, trials: f64, z: f64) -> Interval {
    let shrunk = 1.0 + z * z / trials;
    let middle = share + z * z / (2.0 * trials);
    let half = z * (share * (1.0 - share) / trials + z * z / (4.0 * trials * trials)).sqrt();
    // Rounding must not push the ends of 0 % and 100 % off them.
    let low = if share == 0.0 { 0.0 } else { (middle - half) / shrunk };
    let high = if share == 1.0 { 1.0 } else { (middle + half) / shrunk };
    Interval { low: low.clamp(0.0, 1.0), high: high.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use plyground_core::Seed;

    use super::*;
    use crate::{GameResult, MatchResult, Tally};

    #[test]
    fn wilson_is_the_set_of_shares_that_the_score_test_keeps() {
        let z = two_sided(CONFIDENCE);
        for (successes, trials) in [(0, 1), (1, 1), (0, 10), (3, 10), (5, 10), (10, 10), (61, 100), (999, 1000)] {
            let found = wilson(successes, trials, CONFIDENCE);
            let share = successes as f64 / trials as f64;
            let kept: Vec<f64> = (0..=100_000)
                .map(|k| f64::from(k) / 100_000.0)
                .filter(|p| (share - p).powi(2) <= z * z * p * (1.0 - p) / trials as f64 + 1e-15)
                .collect();
            assert!((found.low - kept[0]).abs() <= 1e-5, "{successes}/{trials}: {found:?}, {}", kept[0]);
            assert!((found.high - kept[kept.len() - 1]).abs() <= 1e-5, "{successes}/{trials}: {found:?}");
        }
    }

    #[test]
    fn differences_are_those_of_newcombes_table() {
        // Newcombe, Interval estimation for the difference between independent proportions, 1998, table II, method 10.
        let table = [
            ((56, 70), (48, 80), 0.0524, 0.3339),
            ((9, 10), (3, 10), 0.1705, 0.8090),
            ((6, 7), (2, 7), 0.0582, 0.8062),
            ((5, 56), (0, 29), -0.0381, 0.1926),
            ((0, 10), (0, 20), -0.1611, 0.2775),
            ((10, 10), (0, 20), 0.6791, 1.0),
        ];
        for ((one, of_one), (other, of_other), low, high) in table {
            let share = |successes: u64, trials: u64| (successes as f64 / trials as f64, wilson(successes, trials, CONFIDENCE));
            let found = difference(share(one, of_one), share(other, of_other));
            assert!((found.low - low).abs() < 5e-5 && (found.high - high).abs() < 5e-5, "{one}/{of_one}: {found:?}");
        }
    }

    #[test]
    fn the_ends_are_finite_and_in_order_for_all_counts() {
        for trials in 0..30 {
            for successes in 0..=trials {
                let interval = wilson(successes, trials, CONFIDENCE);
                let share = if trials == 0 { 0.5 } else { successes as f64 / trials as f64 };
                assert!(0.0 <= interval.low && interval.high <= 1.0 && interval.contains(share), "{successes}/{trials}");
            }
        }
        assert_eq!(wilson(0, 0, CONFIDENCE), Interval { low: 0.0, high: 1.0 });
        assert_eq!(wilson(7, 7, CONFIDENCE).high, 1.0);
        assert_eq!(wilson(0, 7, CONFIDENCE).low, 0.0);
    }

    #[test]
    fn without_draws_and_pairs_the_score_interval_is_wilsons() {
        for (wins, losses) in [(0, 5), (3, 4), (61, 39), (12, 0)] {
            let tally = Tally { wins, draws: 0, losses };
            let (found, expected) = (tally.sample().interval(CONFIDENCE), wilson(wins, wins + losses, CONFIDENCE));
            assert!((found.low - expected.low).abs() < 1e-12 && (found.high - expected.high).abs() < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn nothing_but_draws_leaves_room_for_other_results() {
        let drawn = Tally { draws: 100, ..Tally::default() }.sample().interval(CONFIDENCE);
        assert!(drawn.low > 0.485 && drawn.low < 0.495, "{drawn:?}");
        assert!((drawn.low + drawn.high - 1.0).abs() < 1e-12);
        let one = Tally { draws: 1, ..Tally::default() }.sample().interval(CONFIDENCE);
        assert!(one.low < 0.15, "{one:?}");
    }

    #[test]
    fn the_interval_of_the_score_covers_the_truth_as_often_as_it_says() {
        let mut rng = Seed(11).rng();
        // Wins and draws in a hundred, as first and as second player: even, lopsided, mostly drawn, decided by the seat.
        for seats in [[(50, 0), (50, 0)], [(70, 10), (60, 20)], [(5, 90), (3, 90)], [(90, 4), (8, 4)], [(97, 2), (95, 1)]] {
            for pairs in [20, 200] {
                let truth: f64 = seats.iter().map(|&(win, draw)| (f64::from(win) + 0.5 * f64::from(draw)) / 200.0).sum();
                let covered = (0..4000)
                    .filter(|_| {
                        let mut result = MatchResult::default();
                        for _ in 0..pairs {
                            result.add_pair(seats.map(|(win, draw)| match rng.below(100) {
                                n if n < win => GameResult::Win,
                                n if n < win + draw => GameResult::Draw,
                                _ => GameResult::Loss,
                            }));
                        }
                        result.sample().interval(CONFIDENCE).contains(truth)
                    })
                    .count();
                // With few pairs it may be too careful, never too bold.
                let highest = if pairs < 100 { 4000 } else { 3880 };
                assert!((3720..=highest).contains(&covered), "{seats:?} x {pairs}: {covered} of 4000");
            }
        }
    }
}
