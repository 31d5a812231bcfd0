//! The catalogue's entries for every game and size, against a listing.

use plyground_agents::catalogue;
use plyground_core::{PlayableGame, Visitor};

const LISTING: &str = include_str!("../data/catalogue.txt");

struct Row;

impl Visitor for Row {
    type Output = (String, String);
    fn visit<G: PlayableGame>(self, game: G, _: G::State) -> (String, String) {
        let entry = catalogue::entry(&game.spec());
        let preset = |preset: &catalogue::Preset| format!("preset {} | {} | {}\n", preset.name, preset.summary, preset.spec);
        let presets: String = entry.presets.iter().map(preset).collect();
        let network = entry.network.unwrap_or("-");
        let text = format!("levels {}\nbest {}\nnetwork {network}\n{presets}", entry.levels.join(" "), entry.best);
        (game.spec(), text)
    }
}

/// Specs of every game: its samples, and every combination of sizes and parameters that an entry could depend on.
fn specs() -> Vec<String> {
    let mut specs: Vec<String> = Vec::new();
    for info in plyground_games::infos() {
        specs.push(info.name.to_owned());
        specs.extend(info.samples.iter().map(|&sample| sample.to_owned()));
    }
    for (files, ranks) in (1..=26_u8).flat_map(|files| (1..=26_u8).map(move |ranks| (files, ranks))) {
        specs.extend(["", ",own", ",random=7"].map(|more| format!("clobber:size={files}x{ranks}{more}")));
        specs.extend(["", ",double"].map(|more| format!("pawn:size={files}x{ranks}{more}")));
        specs.extend((3..=5).map(|k| format!("mnk:size={files}x{ranks},k={k}")));
        specs.extend([3, 4].map(|k| format!("connect-four:size={files}x{ranks},k={k}")));
        specs.extend([0, 5].map(|strong| format!("crosphere:size={files}x{ranks},strong={strong}")));
    }
    specs
}

/// The listing of all entries, each with the specs that have it. `entry` gives the canonical spec and the entry as text, or nothing
/// where the game has no such size.
fn listing(entry: impl Fn(&str) -> Option<(String, String)>) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for (spec, text) in specs().iter().filter_map(|spec| entry(spec)) {
        let game = spec.split(':').next().unwrap_or_default();
        let key = format!("{game}\n{text}");
        let number = groups.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        if !groups[number].1.contains(&spec) {
            groups[number].1.push(spec);
        }
    }
    let block = |(key, specs): &(String, Vec<String>)| {
        let lines: Vec<String> = specs.chunks(8).map(|line| format!("  {}\n", line.join(" "))).collect();
        format!("{key}{}\n", lines.concat())
    };
    groups.iter().map(block).collect()
}

#[test]
fn entries_are_those_of_the_listing() {
    let listing = listing(|spec| plyground_games::open(spec, None, Row).ok());
    for (number, (found, expected)) in listing.lines().zip(LISTING.lines()).enumerate() {
        assert_eq!(found, expected, "line {}", number + 1);
    }
    assert_eq!(listing.len(), LISTING.len());
}
