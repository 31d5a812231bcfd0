//! As much linear algebra as the ratings need: systems of equations with a symmetric, positive definite matrix.

/// A symmetric matrix; only the lower triangle is stored.
#[derive(Clone, Debug)]
pub(super) struct Symmetric {
    size: usize,
    lower: Vec<f64>,
}

impl Symmetric {
    pub fn zero(size: usize) -> Self {
        Self { size, lower: vec![0.0; size * (size + 1) / 2] }
    }

    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.lower[place(row, column)]
    }

    /// Adds to the entry and, what is the same, to its mirror image.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        self.lower[place(row, column)] += value;
    }

    /// The factor L of L Lᵀ (Cholesky); `None` if the matrix is not positive definite.
    pub fn factor(&self) -> Option<Factor> {
        let mut lower = self.lower.clone();
        for row in 0..self.size {
            for column in 0..=row {
                let known: f64 = (0..column).map(|k| lower[place(row, k)] * lower[place(column, k)]).sum();
                let rest = lower[place(row, column)] - known;
                lower[place(row, column)] = if row > column {
                    rest / lower[place(column, column)]
                } else if rest > 0.0 {
                    rest.sqrt()
                } else {
                    return None;
                };
            }
        }
        Some(Factor { size: self.size, lower })
    }
}

/// The weights by which the sums of these values come nearest to the results (Legendre 1805). `ridge` is what a weight costs (Hoerl and
/// Kennard 1970): a little of it keeps weights small that nothing is known about. `None` if they are not determined.
pub fn least_squares(observations: &[(Vec<f64>, f64)], ridge: f64) -> Option<Vec<f64>> {
    let size = observations.first()?.0.len();
    let mut matrix = Symmetric::zero(size);
    let mut right = vec![0.0; size];
    for (values, result) in observations {
        for row in 0..size {
            right[row] += values[row] * result;
            (0..=row).for_each(|column| matrix.add(row, column, values[row] * values[column]));
        }
    }
    (0..size).for_each(|number| matrix.add(number, number, ridge));
    Some(matrix.factor()?.solve(&right))
}

/// The lower triangular factor of a symmetric, positive definite matrix.
#[derive(Clone, Debug)]
pub(super) struct Factor {
    size: usize,
    lower: Vec<f64>,
}

impl Factor {
    /// The solution x of A x = b, where A is the matrix that was factored.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        for row in 0..self.size {
            let known: f64 = (0..row).map(|k| self.lower[place(row, k)] * x[k]).sum();
            x[row] = (x[row] - known) / self.lower[place(row, row)];
        }
        for row in (0..self.size).rev() {
            let known: f64 = (row + 1..self.size).map(|k| self.lower[place(k, row)] * x[k]).sum();
            x[row] = (x[row] - known) / self.lower[place(row, row)];
        }
        x
    }

    /// The inverse of the matrix that was factored.
    pub fn inverse(&self) -> Symmetric {
        let mut inverse = Symmetric::zero(self.size);
        for column in 0..self.size {
            let mut unit = vec![0.0; self.size];
            unit[column] = 1.0;
            for (row, value) in self.solve(&unit).into_iter().enumerate().skip(column) {
                inverse.add(row, column, value);
            }
        }
        inverse
    }
}

fn place(row: usize, column: usize) -> usize {
    let (row, column) = (row.max(column), row.min(column));
    row * (row + 1) / 2 + column
}

#[cfg(test)]
mod tests {
    use plyground_core::Seed;

    use super::*;

    #[test]
    fn the_matrix_times_its_inverse_is_one() {
        let mut rng = Seed(5).rng();
        for size in 1..12 {
            // B Bᵀ plus a little is positive definite.
            let b: Vec<Vec<f64>> = (0..size).map(|_| (0..size).map(|_| rng.unit() - 0.5).collect()).collect();
            let mut matrix = Symmetric::zero(size);
            for row in 0..size {
                for column in 0..=row {
                    matrix.add(row, column, (0..size).map(|k| b[row][k] * b[column][k]).sum());
                }
                matrix.add(row, row, 0.1);
            }
            let inverse = matrix.factor().unwrap().inverse();
            for row in 0..size {
                for column in 0..size {
                    let found: f64 = (0..size).map(|k| matrix.get(row, k) * inverse.get(k, column)).sum();
                    assert!((found - f64::from(u8::from(row == column))).abs() < 1e-10, "{size}: {row} {column} {found}");
                }
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_has_no_factor() {
        let mut matrix = Symmetric::zero(2);
        matrix.add(0, 0, 1.0);
        matrix.add(1, 0, 2.0);
        matrix.add(1, 1, 1.0);
        assert!(matrix.factor().is_none());
    }

    #[test]
    fn least_squares_of_a_line_are_its_slope_and_height() {
        // 2 x - 1 with errors that cancel: +1, -2, +1 at 0, 1, 2 have no slope and no mean.
        let points = [(0.0, 0.0), (1.0, -1.0), (2.0, 4.0)].map(|(x, y)| (vec![x, 1.0], y));
        let found = least_squares(&points, 0.0).unwrap();
        assert!((found[0] - 2.0).abs() < 1e-12 && (found[1] + 1.0).abs() < 1e-12, "{found:?}");
        assert_eq!(least_squares(&[(vec![1.0, 1.0], 1.0)], 0.0), None);
        assert!(least_squares(&[(vec![1.0, 1.0], 1.0)], 0.1).unwrap()[0] < 0.5);
        assert_eq!(least_squares(&[], 0.1), None);
    }
}
