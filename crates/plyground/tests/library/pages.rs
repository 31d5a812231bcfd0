//! The Rust code in the README and in the book is part of the examples.

use std::fs;
use std::path::Path;

const PAGES: [&str; 2] = ["README.md", "docs/library.md"];

const EXAMPLES: [&str; 4] = [
    include_str!("../../examples/play.rs"),
    include_str!("../../examples/match.rs"),
    include_str!("../../examples/own_game.rs"),
    include_str!("../../examples/train.rs"),
];

/// The lines of a piece of code that are not empty, without their indentation.
fn lines(code: &str) -> Vec<&str> {
    code.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

#[test]
fn code_on_pages_is_part_of_the_examples() {
    for page in PAGES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
        let text = fs::read_to_string(path).expect("the page can be read");
        let mut excerpts = 0;
        // Every second part between fences is inside of one.
        for block in text.split("```").skip(1).step_by(2) {
            let Some(excerpt) = block.strip_prefix("rust\n").map(lines) else { continue };
            let is_part = |example: &str| lines(example).windows(excerpt.len()).any(|part| part == excerpt);
            assert!(EXAMPLES.iter().any(|example| is_part(example)), "{page}: not in the examples:\n{}", excerpt.join("\n"));
            excerpts += 1;
        }
        assert!(excerpts > 0, "{page} has no code");
    }
}

#[test]
fn the_rules_of_the_own_game_are_short() {
    let (rules, _) = EXAMPLES[2].split_once("fn main()").expect("it is a program");
    assert!(rules.lines().count() <= 80, "{} lines", rules.lines().count());
}
