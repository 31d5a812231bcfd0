//! The word for a published figure beside ours: agrees, cannot be told, differs, or new.
//!
//! An interval that holds zero does not say that two figures are equal: with few games it holds nearly everything. So a figure
//! agrees only where the whole interval of the difference is so near zero that it does not matter, as in a test of equivalence
//! (Schuirmann 1987), and where it is too wide for that, the word says so.

use plyground_statistics::{CONFIDENCE, MeanEstimate, difference};

use crate::measure::StudyMeasure;

/// The rule of the words, as it stands below tables.
pub const LEGEND: &str = "agrees: the 95 % interval of the difference (ours less the published figure, Newcombe 1998) holds zero \
                          and lies within 10 percentage points of it (plies and points: within 10 % of the published figure); \
                          cannot be told: it holds zero, and reaches further; differs: it does not hold zero; new: nothing was \
                          published.";

/// The comparison of a published number with ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The interval of the difference holds zero and lies within the margin.
    Agrees,
    /// The interval holds zero and reaches beyond the margin: there are too few games to tell.
    CannotTell(MeanEstimate),
    /// Ours is higher or lower by this much.
    Differs(MeanEstimate),
    /// There is nothing to compare: it was not published, or not played here.
    New,
}

impl Verdict {
    /// The comparison of two numbers by the interval of their difference.
    pub(crate) fn on(measure: StudyMeasure, ours: MeanEstimate, published: MeanEstimate) -> Self {
        let interval = difference((ours.value, ours.interval), (published.value, published.interval));
        let by = MeanEstimate { value: ours.value - published.value, interval };
        let margin = measure.margin(published.value);
        if !interval.contains(0.0) {
            Self::Differs(by)
        } else if -margin <= interval.low && interval.high <= margin {
            Self::Agrees
        } else {
            Self::CannotTell(by)
        }
    }
}

/// A sentence about all verdicts: how many figures agree, cannot be told and differ, and how many would differ by chance alone.
pub fn verdict_on_all(verdicts: impl Iterator<Item = Verdict>) -> String {
    let verdicts: Vec<Verdict> = verdicts.collect();
    let count = |is: fn(&Verdict) -> bool| verdicts.iter().filter(|verdict| is(verdict)).count();
    let compared = count(|verdict| *verdict != Verdict::New);
    if compared == 0 {
        return "Nothing was published to compare with.".to_owned();
    }
    format!(
        "Ours agree with {} of {compared} published figures and differ from {}; of {} it cannot be told. With the same agents about \
         {:.1} would differ by chance.",
        count(|verdict| *verdict == Verdict::Agrees),
        count(|verdict| matches!(verdict, Verdict::Differs(_))),
        count(|verdict| matches!(verdict, Verdict::CannotTell(_))),
        compared as f64 * (1.0 - CONFIDENCE)
    )
}

#[cfg(test)]
mod tests {
    use plyground_statistics::{Interval, wilson};

    use super::*;

    fn share(successes: u64, trials: u64) -> MeanEstimate {
        MeanEstimate { value: successes as f64 / trials as f64, interval: wilson(successes, trials, CONFIDENCE) }
    }

    fn on_shares(ours: MeanEstimate, published: MeanEstimate) -> Verdict {
        Verdict::on(StudyMeasure::Score, ours, published)
    }

    #[test]
    fn figures_differ_where_the_interval_of_the_difference_does_not_hold_zero() {
        // Newcombe 1998, table II: 0.0524 to 0.3339 and -0.0381 to 0.1926.
        let Verdict::Differs(by) = on_shares(share(56, 70), share(48, 80)) else { panic!("0 is not in it") };
        assert!((by.value - 0.2).abs() < 1e-12 && (by.interval.low - 0.0524).abs() < 5e-5, "{by:?}");
        let Verdict::Differs(by) = on_shares(share(48, 80), share(56, 70)) else { panic!("0 is not in it") };
        assert!((by.value + 0.2).abs() < 1e-12 && (by.interval.high + 0.0524).abs() < 5e-5, "{by:?}");
        let Verdict::CannotTell(by) = on_shares(share(5, 56), share(0, 29)) else { panic!("0 is in it, and 0.1926") };
        assert!((by.interval.low + 0.0381).abs() < 5e-5 && (by.interval.high - 0.1926).abs() < 5e-5, "{by:?}");
        // So far apart that they differ, though by less than matters.
        assert!(matches!(on_shares(share(33_000, 60_000), share(34_000, 60_000)), Verdict::Differs(_)));
    }

    #[test]
    fn figures_agree_only_where_the_interval_is_narrow() {
        assert!(matches!(on_shares(share(1, 2), share(50, 100)), Verdict::CannotTell(_)));
        // At one half, 199 games on each side reach 9.8 points to both sides: 10 with the slightest difference more.
        assert_eq!(on_shares(share(100, 199), share(100, 199)), Verdict::Agrees);
        assert!(matches!(on_shares(share(101, 199), share(100, 199)), Verdict::CannotTell(_)));
        assert!(matches!(on_shares(share(100, 199), share(101, 199)), Verdict::CannotTell(_)));
        assert_eq!(on_shares(share(196, 199), share(199, 199)), Verdict::Agrees);
        assert_eq!(on_shares(share(520, 1000), share(513, 1000)), Verdict::Agrees);
    }

    #[test]
    fn the_margin_of_plies_is_a_tenth_of_the_published_figure() {
        let plies = |value: f64, off: f64| MeanEstimate { value, interval: Interval { low: value - off, high: value + off } };
        let verdict = |ours, published| Verdict::on(StudyMeasure::Plies, ours, published);
        assert_eq!(verdict(plies(27.0, 2.0), plies(27.5, 0.05)), Verdict::Agrees);
        assert!(matches!(verdict(plies(27.0, 2.5), plies(27.5, 0.05)), Verdict::CannotTell(_)));
        assert!(matches!(verdict(plies(27.0, 0.3), plies(27.5, 0.05)), Verdict::Differs(_)));
    }
}
