//! The weights.

use super::FEATURES;

/// For each feature what it counts with no piece on the board, and what is added with all of them.
pub(super) const WEIGHTS: [[f32; 2]; FEATURES] = {
    let mut weights = [[0.0; 2]; FEATURES];
    weights[0] = [1.0, 0.0];
    let mut rank = 0;
    while rank < 7 {
        if rank < 6 {
            weights[1 + rank] = [1.0, 0.0];
        }
        weights[13 + rank] = [5.0, 0.0];
        rank += 1;
    }
    weights
};
