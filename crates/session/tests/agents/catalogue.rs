//! The catalogue's entries for every game and size, against a listing; and that nothing but the catalogue chooses agents for a game.

use std::fs;
use std::path::Path;

use plyground_agents::{INFOS, catalogue};
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
        specs.push(format!("breakthrough:size={files}x{ranks}"));
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

/// With `CATALOGUE=overwrite` in the environment the listing is written anew.
#[test]
fn entries_are_those_of_the_listing() {
    let listing = listing(|spec| plyground_games::open(spec, None, Row).ok());
    if std::env::var("CATALOGUE").is_ok_and(|wish| wish == "overwrite") {
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/catalogue.txt"), &listing).unwrap();
        return;
    }
    for (number, (found, expected)) in listing.lines().zip(LISTING.lines()).enumerate() {
        assert_eq!(found, expected, "line {}", number + 1);
    }
    assert_eq!(listing.len(), LISTING.len());
}

/// Names begin with the kind of the work that they come from, and none is there twice.
#[test]
fn presets_are_named_after_their_works() {
    let mut seen = 0;
    for spec in specs() {
        let Ok((spec, _)) = plyground_games::open(&spec, None, Row) else { continue };
        let presets = catalogue::entry(&spec).presets;
        for (number, preset) in presets.iter().enumerate() {
            let kind = preset.name.split('-').next().unwrap_or_default();
            assert!(["thesis", "report", "study"].contains(&kind), "{}", preset.name);
            let work = catalogue::work(&spec).unwrap();
            assert!(work.contains(&format!("{kind} ")), "{} is not from {work}", preset.name);
            assert!(presets[..number].iter().all(|other| other.name != preset.name), "{} twice", preset.name);
            seen += 1;
        }
    }
    assert!(seen > 0);
}

/// The words in a line of code by which an agent is named: a spec with keys (`mcts:sims=100`), a level, or a literal that is its name.
/// A key of a game may have the name of an agent.
fn agents_named(line: &str, keys: &[&str]) -> Vec<String> {
    let follows = |at: usize| line[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
    let with_keys = |name: &str| {
        let start = format!("{name}:");
        let mut found = line.match_indices(&start).filter(|(at, _)| follows(*at));
        found.any(|(at, start)| line[at + start.len()..].starts_with(|next: char| next.is_ascii_lowercase()))
    };
    let alone = |name: &str| !keys.contains(&name) && line.contains(&format!("\"{name}\""));
    let agents = INFOS.iter().map(|info| info.name).filter(|name| with_keys(name) || alone(name)).map(str::to_owned);
    agents.chain(line.contains("level=").then(|| "level=".to_owned())).collect()
}

#[test]
fn rules_name_no_agent() {
    let infos = plyground_games::infos();
    let keys: Vec<&str> = infos.iter().flat_map(|info| info.keys).map(|key| key.key).collect();
    assert_eq!(agents_named("best: \"mcts:sims=5\",", &keys), ["mcts"]);
    assert_eq!(agents_named("[\"alphabeta\", \"level=3\"]", &keys), ["alphabeta", "level="]);
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../games/src")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
                let named = agents_named(line, &keys);
                assert!(named.is_empty(), "{}: {named:?} belongs into the catalogue: {line}", path.display());
            }
            files += 1;
        }
    }
    assert!(files > infos.len());
}
