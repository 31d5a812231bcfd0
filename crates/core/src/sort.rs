//! Putting moves into order.

use std::cmp::Ordering;

/// Sorts; equals keep their order. The sort of the standard library is some ten kilobytes of code for every type and every order, and
/// agents are compiled for every game: that was a fifth of what a browser had to download. This one (merge sort from the bottom up) is a few hundred
/// bytes, and as fast on lists as short as those of moves.
pub fn sort_moves<T: Copy>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let count = items.len();
    let mut before = items.to_vec();
    let mut width = 1;
    while width < count {
        for start in (0..count).step_by(2 * width) {
            let (middle, end) = ((start + width).min(count), (start + 2 * width).min(count));
            let (mut left, mut right) = (start, middle);
            for place in &mut items[start..end] {
                let from_right = right < end && (left == middle || compare(&before[right], &before[left]).is_lt());
                let next = if from_right { &mut right } else { &mut left };
                *place = before[*next];
                *next += 1;
            }
        }
        before.copy_from_slice(items);
        width *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn it_sorts_as_the_standard_library_does() {
        let mut rng = Seed(1).rng();
        for count in (0..70).chain([127, 128, 129, 400]) {
            // Few different keys, so that there are equals.
            let items: Vec<(u32, usize)> = (0..count).map(|number| (rng.below(10), number)).collect();
            let (mut ours, mut theirs) = (items.clone(), items);
            sort_moves(&mut ours, |a, b| b.0.cmp(&a.0));
            theirs.sort_by_key(|item| std::cmp::Reverse(item.0));
            assert_eq!(ours, theirs);
        }
    }
}
