//! Lines on boards where they fit in some directions only.

use crate::common::look;

#[test]
fn lines_count_where_they_fit() {
    for (position, result) in [
        ("xxxxx/oooo1 o 5", "first"),
        ("xxxx1/oooox o 5", "open"),
        ("xo/xo/x1 o 3", "first"),
        ("xo/xo/1x o 3", "open"),
        ("xxx/oox/xoo o 4", "draw"),
        ("x2/1xo/o1x o 3", "first"),
        ("xx1/1o1/3 o 2", "first"),
        ("15/xxxxxxxxxxxxxxx/oooooooooooooo1/15 o 15", "first"),
        ("1x o 1", "first"),
    ] {
        assert_eq!(look("mnk", Some(position)).result(), result, "{position}");
    }
}
