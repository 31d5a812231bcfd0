//! The normal distribution and Student's, accurate to about fourteen digits and finite for every argument.

use std::f64::consts::PI;

/// The probability that a standard normal variable is at most `x`.
pub fn normal_cdf(x: f64) -> f64 {
    if x < 0.0 { normal_tail(-x) } else { 1.0 - normal_tail(x) }
}

/// The probability that a standard normal variable exceeds `x`, which is not negative. Near the middle the Taylor series of
/// Marsaglia (2004), all of whose terms are positive; further out the continued fraction of Laplace (1805), which keeps its
/// relative accuracy where the probability is tiny.
fn normal_tail(x: f64) -> f64 {
    if x < 2.0 {
        let (mut term, mut sum, mut odd) = (x, x, 1.0);
        while term > sum * f64::EPSILON / 4.0 {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        0.5 - normal_density(x) * sum
    } else {
        // Sixty levels are enough at 2, where it converges most slowly.
        normal_density(x) / (1..=60).rev().fold(x, |below, level| x + f64::from(level) / below)
    }
}

fn normal_density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

/// The value that a standard normal variable stays below with probability `p`: the inverse of [`normal_cdf`]. A start by Hastings
/// (Abramowitz and Stegun 1964, 26.2.23; off by less than 0.00045), then Halley's method. 0 and 1 are taken as the nearest
/// numbers that have a finite answer.
pub fn normal_quantile(p: f64) -> f64 {
    let p = p.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0);
    let tail = p.min(1.0 - p);
    let t = (-2.0 * tail.ln()).sqrt();
    let numerator = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let denominator = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let mut x = t - numerator / denominator;
    for _ in 0..3 {
        // The start may lie a little below 0.
        let excess = if x < 0.0 { 1.0 - normal_tail(-x) } else { normal_tail(x) } - tail;
        let step = excess / normal_density(x);
        x += step / (1.0 - 0.5 * x * step);
    }
    if p < 0.5 { -x } else { x }
}

/// The value that Student's t with `freedom` degrees of freedom (more than 0) stays below with probability `p` (Student 1908).
pub fn student_quantile(p: f64, freedom: f64) -> f64 {
    let p = p.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0);
    let tail = p.min(1.0 - p);
    if tail >= 0.5 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while student_tail(high, freedom) > tail && high < 1e300 {
        low = high;
        high *= 2.0;
    }
    // Bisection, because nothing about the shape at few degrees of freedom needs to be assumed.
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if student_tail(middle, freedom) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    let x = f64::midpoint(low, high);
    if p < 0.5 { -x } else { x }
}

/// The probability that Student's t exceeds `t`, which is not negative.
fn student_tail(t: f64, freedom: f64) -> f64 {
    // Written so that a large t does not overflow and a small one does not cancel.
    let ratio = t / freedom.sqrt();
    let within = 1.0 / (1.0 + ratio * ratio);
    let beyond = 1.0 / (1.0 + 1.0 / (ratio * ratio));
    0.5 * incomplete_beta(freedom / 2.0, 0.5, within, beyond)
}

/// The regularised incomplete beta function `I_x(a, b)`, given both `x` and `1 - x`: its continued fraction (Abramowitz and Stegun
/// 1964, 26.5.8), evaluated by Lentz's method (1976).
fn incomplete_beta(a: f64, b: f64, x: f64, other: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if other <= 0.0 {
        return 1.0;
    }
    // The fraction converges quickly only on this side.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, other, x);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * other.ln()).exp() / a;
    let tiny = f64::MIN_POSITIVE / f64::EPSILON;
    let guarded = |value: f64| if value.abs() < tiny { tiny } else { value };
    let (mut c, mut d) = (1.0, 1.0 / guarded(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for level in 1..10_000 {
        let m = f64::from(level);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for coefficient in [even, odd] {
            d = 1.0 / guarded(1.0 + coefficient * d);
            c = guarded(1.0 + coefficient / c);
            change = c * d;
            fraction *= change;
        }
        if (change - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    front * fraction
}

/// The logarithm of the gamma function for `x` above 0: Stirling's series after the argument has been raised to 10.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut product) = (x, 1.0_f64);
    while x < 10.0 {
        product *= x;
        x += 1.0;
    }
    let squared = x * x;
    let series =
        1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / (1188.0 * squared)) / squared) / squared) / squared;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series / x - product.ln()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_1_SQRT_2;

    use super::*;

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found} is not within {tolerance} of {expected}");
    }

    /// Simpson's rule on the density: knows nothing of series and fractions.
    fn integral(density: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
        let steps = 20_000;
        let width = (to - from) / f64::from(steps);
        let inner: f64 = (1..steps).map(|k| if k % 2 == 0 { 2.0 } else { 4.0 } * density(from + f64::from(k) * width)).sum();
        (density(from) + inner + density(to)) * width / 3.0
    }

    #[test]
    fn the_normal_distribution_is_the_integral_of_its_density() {
        for step in -60..=60 {
            let x = f64::from(step) / 10.0;
            close(normal_cdf(x), 0.5 + integral(normal_density, 0.0, x), 1e-13);
        }
        // Tails where an absolute tolerance would prove nothing.
        for x in [1.99, 2.0, 2.01, 3.0, 5.0, 8.0, 12.0] {
            let expected = integral(normal_density, x, x + 12.0);
            close(normal_cdf(-x) / expected, 1.0, 1e-10);
        }
    }

    #[test]
    fn quantiles_of_the_normal_distribution_known_from_tables() {
        let table = [
            (0.5, 0.0),
            (0.6, 0.253_347_103_135_799_8),
            (0.75, 0.674_489_750_196_081_7),
            (0.841_344_746_068_542_9, 1.0),
            (0.9, 1.281_551_565_544_600_4),
            (0.95, 1.644_853_626_951_472_7),
            (0.975, 1.959_963_984_540_054),
            (0.99, 2.326_347_874_040_841),
            (0.995, 2.575_829_303_548_901),
            (0.999, 3.090_232_306_167_813_5),
            (0.999_999_9, 5.199_337_582_192_817),
        ];
        for (p, z) in table {
            // One unit in the last place of p moves z by that over the density; it matters only in the last row.
            close(normal_quantile(p), z, 1e-13 + f64::EPSILON / normal_density(z));
            close(normal_quantile(1.0 - p), -z, 1e-13 + f64::EPSILON / normal_density(z));
        }
        close(normal_quantile(1e-10), -6.361_340_902_404_056, 1e-12);
        close(normal_quantile(1e-300), -37.047_096_299_361_2, 1e-12);
    }

    #[test]
    fn the_normal_quantile_undoes_the_distribution_and_is_finite_everywhere() {
        for k in 1..2000 {
            let p = f64::from(k) / 2000.0;
            close(normal_cdf(normal_quantile(p)), p, 1e-15);
        }
        for k in 3..300 {
            let p = 10_f64.powi(-k);
            close(normal_cdf(normal_quantile(p)) / p, 1.0, 1e-10);
        }
        for p in [0.0, 1.0, -1.0, 2.0, f64::MIN_POSITIVE, 1.0 - f64::EPSILON] {
            assert!(normal_quantile(p).is_finite(), "{p}");
        }
        assert_eq!((normal_cdf(f64::INFINITY), normal_cdf(f64::NEG_INFINITY)), (1.0, 0.0));
    }

    #[test]
    fn factorials_and_half_integers_are_gamma_values() {
        let mut factorial = 1.0_f64;
        for n in 1..30 {
            close(ln_gamma(f64::from(n)), factorial.ln(), 1e-12);
            factorial *= f64::from(n);
        }
        close(ln_gamma(0.5), PI.sqrt().ln(), 1e-14);
    }

    #[test]
    fn students_quantiles_have_closed_forms_for_one_and_two_degrees() {
        for k in 1..100 {
            let p = f64::from(k) / 100.0;
            let cauchy = (PI * (p - 0.5)).tan();
            close(student_quantile(p, 1.0), cauchy, 1e-12 * (1.0 + cauchy.abs()));
            let two = (2.0 * p - 1.0) * FRAC_1_SQRT_2 / (p * (1.0 - p)).sqrt();
            close(student_quantile(p, 2.0), two, 1e-12 * (1.0 + two.abs()));
        }
    }

    #[test]
    fn students_quantiles_known_from_tables() {
        let table = [(3.0, 3.182_446_305_283_71), (9.0, 2.262_157_162_798_206), (29.0, 2.045_229_642_132_704)];
        for (freedom, t) in table {
            close(student_quantile(0.975, freedom), t, 1e-13);
            close(student_quantile(0.025, freedom), -t, 1e-13);
        }
        close(student_quantile(0.975, 1e7), normal_quantile(0.975), 1e-6);
        for p in [0.0, 1.0, 0.5] {
            assert!(student_quantile(p, 0.5).is_finite() && student_quantile(p, 3.0).is_finite());
        }
    }

    #[test]
    fn students_tail_is_the_integral_of_its_density() {
        for freedom in [1.5, 4.0, 7.0, 40.0] {
            let constant = (ln_gamma(0.5 * freedom + 0.5) - ln_gamma(freedom / 2.0)).exp() / (freedom * PI).sqrt();
            let density = |t: f64| constant * (1.0 + t * t / freedom).powf(-(freedom + 1.0) / 2.0);
            for t in [0.1, 0.5, 1.0, 2.0, 3.5] {
                close(student_tail(t, freedom), 0.5 - integral(density, 0.0, t), 1e-12);
            }
        }
    }
}
