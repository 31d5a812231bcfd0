//! The highest upper confidence bound among many, eight at a time.

const LANES: usize = 8;

/// Where sign * mean + weight * spread is greatest (of equals the first), and that bound.
///
/// First how great, then where: looking for both at once keeps compilers from using vector instructions, and so do other ways of
/// writing this down that look simpler.
#[inline]
pub(crate) fn greatest(mean: &[f32], spread: &[f32], sign: f32, weight: f32) -> (usize, f32) {
    let bound = |mean: f32, spread: f32| sign * mean + weight * spread;
    let (means, last_means) = mean.as_chunks::<LANES>();
    let (spreads, last_spreads) = spread.as_chunks::<LANES>();
    let mut best = [f32::NEG_INFINITY; LANES];
    for (mean, spread) in means.iter().zip(spreads) {
        for lane in 0..LANES {
            let bound = bound(mean[lane], spread[lane]);
            best[lane] = if bound > best[lane] { bound } else { best[lane] };
        }
    }
    let mut greatest = best.into_iter().fold(f32::NEG_INFINITY, |a, b| if b > a { b } else { a });
    for (&mean, &spread) in last_means.iter().zip(last_spreads) {
        let bound = bound(mean, spread);
        greatest = if bound > greatest { bound } else { greatest };
    }
    for (number, (mean, spread)) in means.iter().zip(spreads).enumerate() {
        let mut equal = [0; LANES];
        for lane in 0..LANES {
            equal[lane] = if bound(mean[lane], spread[lane]) == greatest { -1 } else { 0 };
        }
        if equal != [0; LANES] {
            let lane = equal.iter().position(|&equal| equal != 0).unwrap_or(0);
            return (number * LANES + lane, greatest);
        }
    }
    let last = last_means.iter().zip(last_spreads).position(|(&mean, &spread)| bound(mean, spread) == greatest);
    (means.len() * LANES + last.unwrap_or(0), greatest)
}

#[cfg(test)]
mod tests {
    use plyground_core::Seed;

    #[test]
    fn the_first_of_the_greatest_is_found_at_every_length() {
        let mut rng = Seed(1).rng();
        for length in 1..70 {
            for _ in 0..50 {
                // Few different values, so that there are equals.
                let mut draw = |most| (0..length).map(|_| rng.below(most) as f32 / 4.0).collect::<Vec<_>>();
                let (mean, spread) = (draw(5), draw(3));
                let (sign, weight) = (if length % 2 == 0 { 1.0 } else { -1.0 }, 0.5);
                let bound = |index: usize| sign * mean[index] + weight * spread[index];
                let first = (0..length).fold(0, |best, index| if bound(index) > bound(best) { index } else { best });
                assert_eq!(super::greatest(&mean, &spread, sign, weight), (first, bound(first)));
            }
        }
    }
}
