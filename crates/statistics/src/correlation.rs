//! Whether two orders agree.

/// Kendall's rank correlation with correction for ties, tau-b (Kendall 1945), in n log n steps (Knight 1966): 1 for the same
/// order, -1 for the opposite one. `None` if one side has no two different values, or a value is not a number.
pub fn kendall_tau_b(points: &[(f64, f64)]) -> Option<f64> {
    if points.iter().any(|(x, y)| x.is_nan() || y.is_nan()) {
        return None;
    }
    // Adding zero makes one value of the two zeros, which the order of all floats tells apart.
    let mut points: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x + 0.0, y + 0.0)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let all = pairs_of(points.len());
    let tied_x = tied_pairs(points.iter().map(|point| point.0));
    let tied_both = tied_pairs(points.iter().copied());
    let mut ys: Vec<f64> = points.iter().map(|point| point.1).collect();
    let discordant = sort_and_count(&mut ys);
    let tied_y = tied_pairs(ys.iter().copied());
    let (differ_x, differ_y) = (all - tied_x, all - tied_y);
    // Of the pairs that are tied in neither, those that are not discordant are concordant.
    let concordant_less_discordant = all - tied_x - tied_y + tied_both - 2.0 * discordant;
    (differ_x > 0.0 && differ_y > 0.0).then(|| concordant_less_discordant / (differ_x * differ_y).sqrt())
}

fn pairs_of(count: usize) -> f64 {
    let count = count as f64;
    count * (count - 1.0) / 2.0
}

/// The number of pairs of equal values, which stand next to each other.
fn tied_pairs<T: PartialEq>(sorted: impl Iterator<Item = T>) -> f64 {
    let (mut last, mut run, mut tied) = (None, 0, 0.0);
    for value in sorted {
        if last.as_ref() == Some(&value) {
            run += 1;
        } else {
            run = 1;
        }
        tied += f64::from(run - 1);
        last = Some(value);
    }
    tied
}

/// Merge sort; returns how many pairs stood in the wrong order.
fn sort_and_count(values: &mut [f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let (left, right) = values.split_at_mut(values.len() / 2);
    let mut swapped = sort_and_count(left) + sort_and_count(right);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let mut rest = left.iter().copied().peekable();
    for &value in right.iter() {
        while let Some(earlier) = rest.next_if(|&earlier| earlier <= value) {
            merged.push(earlier);
        }
        swapped += rest.len() as f64;
        merged.push(value);
    }
    merged.extend(rest);
    values.copy_from_slice(&merged);
    swapped
}

/// Spearman's rank correlation (Spearman 1904): the ordinary correlation of the ranks, equal values sharing their mean rank. `None`
/// if one side has no two different values, or a value is not a number.
pub fn spearman(points: &[(f64, f64)]) -> Option<f64> {
    if points.iter().any(|(x, y)| x.is_nan() || y.is_nan()) {
        return None;
    }
    let xs = ranks(&points.iter().map(|point| point.0).collect::<Vec<_>>());
    let ys = ranks(&points.iter().map(|point| point.1).collect::<Vec<_>>());
    // The mean of the ranks is known.
    let middle = (points.len() as f64 - 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum::<f64>();
    let (of_xs, of_ys) = (product(&xs, &xs), product(&ys, &ys));
    (of_xs > 0.0 && of_ys > 0.0).then(|| product(&xs, &ys) / (of_xs.sqrt() * of_ys.sqrt()))
}

/// The rank of each value from 0; equal ones share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for tied in order.chunk_by(|&a, &b| values[a] == values[b]) {
        for &index in tied {
            ranks[index] = start as f64 + (tied.len() as f64 - 1.0) / 2.0;
        }
        start += tied.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use plyground_core::Seed;

    use super::*;

    /// By comparing every point with every other.
    fn naive_tau_b(points: &[(f64, f64)]) -> f64 {
        let (mut sum, mut differ_x, mut differ_y) = (0.0, 0.0, 0.0);
        let order = |a: f64, b: f64| f64::from(i8::from(a > b) - i8::from(a < b));
        for (index, a) in points.iter().enumerate() {
            for b in &points[..index] {
                let (x, y) = (order(a.0, b.0), order(a.1, b.1));
                sum += x * y;
                differ_x += x * x;
                differ_y += y * y;
            }
        }
        sum / (differ_x * differ_y).sqrt()
    }

    #[test]
    fn tau_agrees_with_the_comparison_of_all_points() {
        let mut rng = Seed(13).rng();
        for size in 2..60 {
            for values in [3, 10, 1_000_000] {
                // Zero has two signs and is still one value.
                let mut value = || f64::from(rng.below(values)) * if rng.below(2) == 0 { 1.0 } else { -1.0 };
                let points: Vec<(f64, f64)> = (0..size).map(|_| (value(), value())).collect();
                let expected = naive_tau_b(&points);
                match kendall_tau_b(&points) {
                    Some(found) => assert!((found - expected).abs() < 1e-12, "{points:?}: {found} {expected}"),
                    None => assert!(expected.is_nan(), "{points:?}: {expected}"),
                }
            }
        }
    }

    #[test]
    fn spearman_without_ties_is_the_formula_of_squared_differences() {
        let mut rng = Seed(14).rng();
        for size in 2..40_u32 {
            let mut order: Vec<u32> = (0..size).collect();
            rng.shuffle(&mut order);
            let points: Vec<(f64, f64)> =
                (0..size).map(|k| (f64::from(k), f64::from(order[k as usize]).exp().min(1e300))).collect();
            let squares: f64 = (0..size).map(|k| (f64::from(k) - f64::from(order[k as usize])).powi(2)).sum();
            let n = f64::from(size);
            let found = spearman(&points).unwrap();
            assert!((found - (1.0 - 6.0 * squares / (n * (n * n - 1.0)))).abs() < 1e-12, "{order:?}: {found}");
        }
    }

    #[test]
    fn equal_values_share_their_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), [3.0, 0.0, 3.0, 1.0, 3.0]);
        assert_eq!(ranks(&[0.0, -0.0]), [0.5, 0.5]);
        // Worked by hand: ranks 0.5 0.5 2 3 against 0 1 2.5 2.5.
        let found = spearman(&[(1.0, 1.0), (1.0, 2.0), (2.0, 5.0), (3.0, 5.0)]).unwrap();
        assert!((found - 4.0 / (4.5_f64 * 4.5).sqrt()).abs() < 1e-12, "{found}");
    }

    #[test]
    fn without_an_order_there_is_no_correlation() {
        for points in [&[][..], &[(1.0, 1.0)], &[(1.0, 2.0), (1.0, 3.0)], &[(1.0, f64::NAN), (2.0, 3.0)]] {
            assert_eq!((kendall_tau_b(points), spearman(points)), (None, None), "{points:?}");
        }
        let same = [(1.0, 10.0), (2.0, 20.0), (f64::INFINITY, 30.0)];
        assert_eq!(kendall_tau_b(&same), Some(1.0));
        assert!((spearman(&same).unwrap() - 1.0).abs() < 1e-12);
    }
}
