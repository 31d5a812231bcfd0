//! Lines on boards where they fit in some directions only.

use plyground_core::{Heuristics, Visitor};
use plyground_games::open;

struct ResultWord;

impl Visitor for ResultWord {
    type Output = &'static str;
    fn visit<G: Heuristics>(self, game: G, state: G::State) -> &'static str {
        game.turn(&state).result_word()
    }
}

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
        assert_eq!(open("mnk", Some(position), ResultWord), Ok(result), "{position}");
    }
}
