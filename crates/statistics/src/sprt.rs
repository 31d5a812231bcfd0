//! The sequential test: play until it is decided which of two hypotheses about the strength holds (Wald 1945), generalised to
//! pairs of games whose five probabilities are otherwise unknown (the GSPRT in the form of Van den Bergh and fishtest, 2016-2021).

use std::fmt;

use serde::Serialize;
use thiserror::Error;

use crate::elo::NORMALISED_PER_SIGMA;
use crate::{Pairs, score_of_elo};

/// What counts are taken to be where there are none: the value of fishtest. The logarithms need one.
const EMPTY: f64 = 1e-3;

/// The largest hypothesis, either way. Who expects more has no need of a test.
const LARGEST: f64 = 1000.0;

/// The scale on which the hypotheses are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// By the lead in standard deviations of a game: the games needed do not depend on the share of draws (Van den Bergh 2021).
    Normalised,
    /// By the expected score.
    Logistic,
}

impl fmt::Display for EloModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Normalised => "normalised Elo",
            Self::Logistic => "Elo",
        })
    }
}

/// Settings that make no test.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SprtError {
    /// The hypotheses are not in order.
    #[error("expected elo0 below elo1, found {elo0} and {elo1}")]
    Order {
        /// The lower hypothesis as given.
        elo0: f64,
        /// The upper hypothesis as given.
        elo1: f64,
    },
    /// A hypothesis is not on the scale.
    #[error("expected hypotheses from -{LARGEST} to {LARGEST} Elo, found {0}")]
    Range(f64),
    /// An error rate is none.
    #[error("expected error rates above 0 and below 0.5, found {0}")]
    Rate(f64),
}

/// A sequential test of "the new agent is better by `elo0` only" against "by `elo1`".
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    model: EloModel,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// The decision of a sequential test so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SprtDecision {
    /// The improvement is real: it is nearer to `elo1`.
    AcceptH1,
    /// There is no such improvement: it is nearer to `elo0`.
    AcceptH0,
    /// Not decided; more games are needed.
    Continue,
}

/// The state of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtStatus {
    /// Pairs counted.
    pub pairs: u64,
    /// The logarithm of the likelihood ratio of the hypotheses.
    pub llr: f64,
    /// At this value `elo0` is accepted.
    pub lower: f64,
    /// At this value `elo1` is accepted.
    pub upper: f64,
    /// The bound that was reached.
    pub verdict: SprtDecision,
}

impl Sprt {
    /// A test that is wrong in 5 % of the cases either way.
    pub fn new(model: EloModel, elo0: f64, elo1: f64) -> Result<Self, SprtError> {
        Self::with_error_rates(model, elo0, elo1, 0.05, 0.05)
    }

    /// A test that accepts `elo1` with probability `alpha` when `elo0` is true, and `elo0` with probability `beta` when `elo1` is.
    pub fn with_error_rates(model: EloModel, elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        for elo in [elo0, elo1] {
            if !(-LARGEST..=LARGEST).contains(&elo) {
                return Err(SprtError::Range(elo));
            }
        }
        if elo0 >= elo1 {
            return Err(SprtError::Order { elo0, elo1 });
        }
        for rate in [alpha, beta] {
            if !(rate > 0.0 && rate < 0.5) {
                return Err(SprtError::Rate(rate));
            }
        }
        Ok(Self { model, elo0, elo1, alpha, beta })
    }

    /// The scale of the hypotheses.
    pub fn model(&self) -> EloModel {
        self.model
    }

    /// The two hypotheses, `elo0` and `elo1`.
    pub fn hypotheses(&self) -> [f64; 2] {
        [self.elo0, self.elo1]
    }

    /// The logarithm of the likelihood ratio: how much likelier these pairs are under the distribution that fits them best and has
    /// `elo1`, than under the one that fits them best and has `elo0`.
    pub fn llr(&self, pairs: &Pairs) -> f64 {
        if pairs.count() == 0 {
            return 0.0;
        }
        let counts = pairs.0.map(|count| if count == 0 { EMPTY } else { count as f64 });
        let total: f64 = counts.iter().sum();
        let observed = counts.map(|count| count / total);
        let [under_0, under_1] = self.hypotheses().map(|elo| match self.model {
            EloModel::Normalised => with_lead(&observed, elo * std::f64::consts::SQRT_2 / NORMALISED_PER_SIGMA),
            EloModel::Logistic => with_mean(&observed, score_of_elo(elo)),
        });
        (0..5).map(|cell| counts[cell] * (under_1[cell] / under_0[cell]).ln()).sum()
    }

    /// The decision by these pairs. The bounds are Wald's, ln(beta / (1 - alpha)) and ln((1 - beta) / alpha).
    pub fn status(&self, pairs: &Pairs) -> SprtStatus {
        let llr = self.llr(pairs);
        let (lower, upper) = ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln());
        let verdict = if llr >= upper {
            SprtDecision::AcceptH1
        } else if llr <= lower {
            SprtDecision::AcceptH0
        } else {
            SprtDecision::Continue
        };
        SprtStatus { pairs: pairs.count(), llr, lower, upper, verdict }
    }
}

/// The probabilities of the scores 0, ¼, ½, ¾ and 1 of a pair.
type Distribution = [f64; 5];

const SCORES: Distribution = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The distribution with this mean under which what was observed is likeliest (the empirical likelihood of Owen 1988).
fn with_mean(observed: &Distribution, mean: f64) -> Distribution {
    tilted(observed, &SCORES.map(|score| score - mean))
}

/// The distribution whose mean is `lead` standard deviations above one half, and under which what was observed is likeliest. The
/// constraint is not linear in the probabilities, so it is replaced by its tangent at the last solution until that stands still
/// (Van den Bergh, "Normalized Elo", 2021, section 4.1). The start is the one distribution of
/// nothing but double wins and double losses that has the lead: from equal chances a large lead is out of reach of the tangent.
fn with_lead(observed: &Distribution, lead: f64) -> Distribution {
    let surplus = lead / (1.0 + lead * lead).sqrt();
    let mut fitted = [0.5 - 0.5 * surplus, 0.0, 0.0, 0.0, 0.5 + 0.5 * surplus];
    for _ in 0..100 {
        let (mean, sigma) = mean_and_sigma(&fitted);
        let tangent = SCORES.map(|score| score - 0.5 - 0.5 * lead * sigma * (1.0 + ((score - mean) / sigma).powi(2)));
        let last = fitted;
        fitted = tilted(observed, &tangent);
        if (0..5).all(|cell| (fitted[cell] - last[cell]).abs() < 1e-12) {
            break;
        }
    }
    fitted
}

fn mean_and_sigma(distribution: &Distribution) -> (f64, f64) {
    let mean: f64 = (0..5).map(|cell| distribution[cell] * SCORES[cell]).sum();
    let variance: f64 = (0..5).map(|cell| distribution[cell] * (SCORES[cell] - mean).powi(2)).sum();
    (mean, variance.sqrt())
}

/// The distribution with expectation 0 of `values` under which `observed` is likeliest: p / (1 + x value), where x solves
/// sum p value / (1 + x value) = 0. Some value must be negative and some positive; then x lies between the poles next to 0, where the
/// sum falls from plus to minus infinity.
fn tilted(observed: &Distribution, values: &Distribution) -> Distribution {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let (mut low, mut high) = (-1.0 / largest, -1.0 / smallest);
    let mut x = 0.0;
    for _ in 0..200 {
        let (mut sum, mut slope) = (0.0, 0.0);
        for cell in 0..5 {
            let quotient = values[cell] / (1.0 + x * values[cell]);
            sum += observed[cell] * quotient;
            slope -= observed[cell] * quotient * quotient;
        }
        if sum > 0.0 {
            low = x;
        } else {
            high = x;
        }
        // Newton's step, unless it leaves the bracket.
        let next = x - sum / slope;
        let next = if next > low && next < high { next } else { f64::midpoint(low, high) };
        if (next - x).abs() <= 1e-15 * (1.0 + x.abs()) {
            break;
        }
        x = next;
    }
    std::array::from_fn(|cell| observed[cell] / (1.0 + x * values[cell]))
}

#[cfg(test)]
mod tests {
    use plyground_core::{Rng, Seed};

    use super::*;

    const ROWS: [Pairs; 4] = [
        Pairs([379, 10_170, 21_828, 10_640, 343]),
        Pairs([184, 15, 508, 17, 290]),
        Pairs([0, 3, 20, 9, 1]),
        Pairs([0, 0, 0, 0, 12]),
    ];

    fn normalised(elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(EloModel::Normalised, elo0, elo1).unwrap()
    }

    #[test]
    fn the_figures_of_public_tests_come_out() {
        for (pairs, elo1, expected) in [(ROWS[0], 2.0, 2.946), (ROWS[1], 5.0, 2.950)] {
            let status = normalised(0.0, elo1).status(&pairs);
            assert!((status.llr - expected).abs() < 0.001, "{pairs:?}: {}", status.llr);
            assert_eq!(status.verdict, SprtDecision::AcceptH1);
            assert!((status.upper - 2.944_439).abs() < 1e-6 && (status.lower + 2.944_439).abs() < 1e-6);
        }
    }

    #[test]
    fn the_verdict_turns_with_the_view() {
        for sprt in [normalised(-5.0, 5.0), Sprt::new(EloModel::Logistic, -5.0, 5.0).unwrap()] {
            for pairs in ROWS {
                let turned = Pairs(std::array::from_fn(|cell| pairs.0[4 - cell]));
                assert!((sprt.llr(&pairs) + sprt.llr(&turned)).abs() < 1e-6, "{pairs:?}");
            }
        }
        let status = normalised(0.0, 10.0).status(&Pairs([343, 10_640, 21_828, 10_170, 379]));
        assert_eq!(status.verdict, SprtDecision::AcceptH0);
        assert_eq!(normalised(0.0, 10.0).status(&Pairs::default()).verdict, SprtDecision::Continue);
        assert_eq!(normalised(0.0, 10.0).llr(&Pairs::default()), 0.0);
    }

    #[test]
    fn without_draws_and_pairs_of_one_kind_the_logistic_ratio_is_walds() {
        // Only LL and WW: a coin. Its likelihood ratio has a closed form.
        let (wins, losses) = (70_u64, 50_u64);
        let found = Sprt::new(EloModel::Logistic, 0.0, 50.0).unwrap().llr(&Pairs([losses, 0, 0, 0, wins]));
        let p1 = score_of_elo(50.0);
        let coin = wins as f64 * (p1 / 0.5).ln() + losses as f64 * ((1.0 - p1) / 0.5).ln();
        // The three empty cells hold a thousandth of a pair each.
        assert!((found - coin).abs() < 1e-3, "{found} {coin}");
    }

    #[test]
    fn for_many_pairs_the_ratio_is_near_its_normal_approximation() {
        // Van den Bergh 2016: N (s1 - s0) (2 s - s0 - s1) / (2 variance) for scores close to the hypotheses.
        for pairs in &ROWS[..2] {
            let observed = pairs.sample();
            let (s0, s1) = (score_of_elo(0.0), score_of_elo(3.0));
            let expected = (s1 - s0) * (2.0 * observed.mean - s0 - s1) / (2.0 * observed.variance);
            let found = Sprt::new(EloModel::Logistic, 0.0, 3.0).unwrap().llr(pairs);
            assert!((found - expected).abs() < 0.03 * expected.abs(), "{found} {expected}");
        }
    }

    /// Some other distribution with the same lead: a random one, leant to one side until it has it.
    fn random_with_lead(near: &Distribution, scale: f64, lead: f64, rng: &mut Rng) -> Option<Distribution> {
        let start = near.map(|p| p * ((2.0 * rng.unit() - 1.0) * scale).exp());
        let leant = |by: f64| {
            let raw: Distribution = std::array::from_fn(|cell| start[cell] * (by * SCORES[cell]).exp());
            raw.map(|p| p / raw.iter().sum::<f64>())
        };
        let excess = |by: f64| {
            let (mean, sigma) = mean_and_sigma(&leant(by));
            mean - 0.5 - lead * sigma
        };
        let (mut low, mut high) = (-9.0, 9.0);
        (excess(low) < 0.0 && excess(high) > 0.0).then(|| {
            for _ in 0..100 {
                let middle = f64::midpoint(low, high);
                *if excess(middle) < 0.0 { &mut low } else { &mut high } = middle;
            }
            leant(low)
        })
    }

    #[test]
    fn no_other_distribution_with_the_same_lead_fits_better() {
        let mut rng = Seed(3).rng();
        let mut compared = 0;
        for pairs in ROWS {
            let counts = pairs.0.map(|count| if count == 0 { EMPTY } else { count as f64 });
            let observed = counts.map(|count| count / counts.iter().sum::<f64>());
            let likelihood = |p: &Distribution| (0..5).map(|cell| observed[cell] * p[cell].ln()).sum::<f64>();
            for lead in [-4.0, -0.8, -0.4, -0.01, 0.0, 0.02, 0.1, 0.5, 2.0, 4.0] {
                let best = with_lead(&observed, lead);
                let (mean, sigma) = mean_and_sigma(&best);
                assert!((best.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{pairs:?} {lead}: {best:?}");
                assert!((mean - 0.5 - lead * sigma).abs() < 1e-9, "{pairs:?} {lead}: {best:?}");
                for scale in [0.001, 0.01, 0.1, 1.0] {
                    for _ in 0..200 {
                        if let Some(other) = random_with_lead(&best, scale, lead, &mut rng) {
                            compared += 1;
                            assert!(likelihood(&other) <= likelihood(&best) + 1e-12, "{pairs:?} {lead}: {best:?} {other:?}");
                        }
                    }
                }
            }
        }
        assert!(compared > 10_000, "{compared}");
    }

    #[test]
    fn all_counts_and_bounds_give_a_finite_ratio() {
        let bounds = [-1000.0, -50.0, -1.0, 0.0, 5.0, 200.0, 1000.0];
        for code in 0..4_u64.pow(5) {
            let pairs = Pairs(std::array::from_fn(|cell| [0, 1, 30, 1_000_000][(code / 4_u64.pow(cell as u32) % 4) as usize]));
            for window in bounds.windows(2) {
                for model in [EloModel::Normalised, EloModel::Logistic] {
                    let llr = Sprt::new(model, window[0], window[1]).unwrap().llr(&pairs);
                    assert!(llr.is_finite(), "{pairs:?} {window:?} {model:?}: {llr}");
                }
            }
        }
    }

    #[test]
    fn settings_that_make_no_test_are_refused() {
        let refused =
            |elo0, elo1, alpha| Sprt::with_error_rates(EloModel::Normalised, elo0, elo1, alpha, 0.05).unwrap_err().to_string();
        assert_eq!(refused(5.0, 0.0, 0.05), "expected elo0 below elo1, found 5 and 0");
        assert_eq!(refused(0.0, 3000.0, 0.05), "expected hypotheses from -1000 to 1000 Elo, found 3000");
        assert_eq!(refused(f64::NAN, 5.0, 0.05), "expected hypotheses from -1000 to 1000 Elo, found NaN");
        assert_eq!(refused(0.0, 5.0, 0.5), "expected error rates above 0 and below 0.5, found 0.5");
    }

    /// A distribution of pairs that is this much better than even, and otherwise like `shape`.
    fn truth(shape: Distribution, elo: f64) -> Distribution {
        with_lead(&shape, elo * std::f64::consts::SQRT_2 / NORMALISED_PER_SIGMA)
    }

    /// How many of `matches` accept H1.
    fn accepted(sprt: &Sprt, truth: &Distribution, matches: u32, rng: &mut Rng) -> u32 {
        (0..matches)
            .map(|_| {
                let mut pairs = Pairs::default();
                loop {
                    let mut left = rng.unit();
                    let cell = truth.iter().position(|&p| {
                        left -= p;
                        left < 0.0
                    });
                    pairs.0[cell.unwrap_or(4)] += 1;
                    match sprt.status(&pairs).verdict {
                        SprtDecision::AcceptH1 => return 1,
                        SprtDecision::AcceptH0 => return 0,
                        SprtDecision::Continue => {}
                    }
                }
            })
            .sum()
    }

    #[test]
    fn the_test_errs_as_often_as_it_says() {
        let mut rng = Seed(4).rng();
        let sprt = normalised(0.0, 50.0);
        for shape in [[0.05, 0.2, 0.45, 0.23, 0.07], [0.2, 0.01, 0.55, 0.01, 0.23]] {
            let wrong_1 = accepted(&sprt, &truth(shape, 0.0), 3000, &mut rng);
            let wrong_0 = 3000 - accepted(&sprt, &truth(shape, 50.0), 3000, &mut rng);
            // 5 % of 3000 are 150; the step past the bound with the last pair makes both a little rarer.
            for wrong in [wrong_1, wrong_0] {
                assert!((90..=180).contains(&wrong), "{shape:?}: {wrong_1} and {wrong_0} of 3000");
            }
        }
    }
}
