//! The excerpts in CONTRIBUTING.md are what stands in the files.

const GUIDE: &str = include_str!("../../../CONTRIBUTING.md");

const SOURCES: [&str; 5] = [
    include_str!("../src/connect_four.rs"),
    include_str!("naive/connect_four.rs"),
    include_str!("data/perft.json"),
    include_str!("../../agents/src/catalogue/connect_four.rs"),
    include_str!("../../../app/js/i18n/cs.js"),
];

#[test]
fn excerpts_in_the_guide_are_true() {
    let mut excerpts = 0;
    // Every second part between fences is inside of one.
    for block in GUIDE.split("```").skip(1).step_by(2) {
        let (language, excerpt) = block.split_once('\n').expect("a fence ends its line");
        if language == "sh" {
            continue;
        }
        assert!(SOURCES.iter().any(|source| source.contains(excerpt.trim_end_matches('\n'))), "not in the files:\n{excerpt}");
        excerpts += 1;
    }
    assert!(excerpts >= 18, "{excerpts} excerpts found");
}
