//! The rule that a game is known by its own file: no other code names one, unless [`ALLOWED`] says why it has to.
//!
//! Code that names a game is a place that has to be found and changed when a game is added. What others need to know about a game is data
//! of the game (`GameInfo`), or stands in a translation (`app/js/i18n`). Comments, tests and examples may name games.
//!
//! The other way round, the files of the games name no agent: which agents suit a game is said in the catalogue of the agents.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::workspace::Workspace;

/// Where the games are.
const GAMES: &str = "crates/games/src";

/// The folders that are looked through.
const FOLDERS: [&str; 3] = ["crates", "app", "xtask/src"];

/// The files, or folders with a slash at the end, that may name games, each with the reason.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/games/src/lib.rs", "the list of the games"),
    ("crates/games/src/tuc_chess.rs", "its pawns are pieces and not the game of that name"),
    ("crates/games/src/tuc_chess/", "its pawns are pieces and not the game of that name"),
    ("app/js/pieces.js", "it draws the piece that is called pawn"),
    ("crates/core/src/presentation.rs", "one of the shapes of pieces is called pawn"),
    ("crates/python/src/svg.rs", "one of the shapes of pieces is called pawn"),
    ("crates/nets/src/architecture.rs", "two published architectures are named after the games of their theses"),
    ("crates/agents/src/catalogue/", "the levels, presets and networks of each game"),
    ("crates/agents/src/learn/", "the agent of a thesis, whose architecture is named after its game"),
    ("crates/agents/src/mcts/options.rs", "`study=` names settings of published studies after their games"),
    ("crates/engines/src/uci.rs", "variants as a foreign protocol calls them"),
    ("crates/match/src/resources/networks.rs", "the networks that come with the program are named after their games"),
    ("crates/cluster/src/handshake.rs", "the speed of workers is compared in one position that never changes"),
    ("crates/simulation/src/experiments.rs", "the runs of simulations are of small games that are played in no time"),
    ("crates/studies/src/competition/file.rs", "clients over the network exist for one game only"),
    ("crates/cli/src/commands/host.rs", "the protocol of one competition"),
    ("crates/cli/src/commands/learn.rs", "a published architecture is named after the game of its thesis"),
    ("crates/cli/src/commands/nets.rs", "an example of a command, in a hint"),
    ("crates/cli/src/commands/runs.rs", "an example of a command, in a hint"),
    ("xtask/src/cluster.rs", "a measurement is repeated with one game that never changes"),
    ("xtask/src/game_names.rs", "this list"),
    ("xtask/src/wasm_speed.rs", "a measurement is repeated with games that never change"),
];

pub fn check(workspace: &Workspace) -> Result<()> {
    let mut files = Vec::new();
    for folder in FOLDERS {
        sources(&workspace.root.join(folder), &mut files)?;
    }
    let mut read = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).with_context(|| format!("{} could not be read", file.display()))?;
        let path = file.strip_prefix(&workspace.root)?.to_string_lossy().replace('\\', "/");
        read.push((path, text));
    }
    read.sort();
    let games: Vec<Names> = read.iter().filter_map(|(path, text)| Names::of(path, text)).collect();
    ensure!(!games.is_empty(), "{GAMES} has no game");
    let faults = faults(&games, &read, ALLOWED);
    if !faults.is_empty() {
        bail!(
            "games are named where they should not be (xtask/src/game_names.rs says where they may):\n  {}",
            faults.join("\n  ")
        );
    }
    println!("{} games, each named by its own file only, and by {} others with a reason", games.len(), ALLOWED.len());
    Ok(())
}

/// All source files below a folder, without tests, examples and what was built.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("{} could not be read", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if !["tests", "benches", "examples", "target", "node_modules", "i18n"].contains(&name.as_ref()) {
                sources(&path, files)?;
            }
        } else if name != "tests.rs" && [".rs", ".js", ".css", ".html"].iter().any(|ending| name.ends_with(ending)) {
            files.push(path);
        }
    }
    Ok(())
}

/// The words by which a game can be named.
struct Names {
    /// The name of its file, without the ending.
    module: String,
    words: Vec<String>,
}

impl Names {
    /// The names in the description of a game, if the file has one.
    fn of(path: &str, text: &str) -> Option<Self> {
        let module = path.strip_prefix(GAMES)?.strip_prefix('/')?.strip_suffix(".rs").filter(|module| !module.contains('/'))?;
        let (_, info) = text.split_once("const INFO: GameInfo = GameInfo {")?;
        let (info, _) = info.split_once("\n};")?;
        let quoted = |text: &str| Some(text.split_once('"')?.0.to_owned());
        let field = |name: &str| quoted(info.split_once(&format!("{name}: \""))?.1);
        let (name, title) = (field("name")?, field("title")?);
        let aliases = info.split("Alias { name: \"").skip(1).filter_map(quoted);
        let type_name: String = name.split('-').map(capitalised).collect();
        let words = [name.clone(), name.replace('-', "_"), title, type_name].into_iter().chain(aliases);
        Some(Self { module: module.to_owned(), words: words.collect() })
    }

    /// Is this a file of the game?
    fn own(&self, path: &str) -> bool {
        let inside = path.strip_prefix(GAMES).and_then(|path| path.strip_prefix('/'));
        let rest = inside.and_then(|path| path.strip_prefix(&self.module));
        rest.is_some_and(|rest| rest.starts_with(['.', '/']))
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The places that name a game without a reason, and the reasons that nothing needs.
fn faults(games: &[Names], files: &[(String, String)], allowed: &[(&str, &str)]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut needed = vec![false; allowed.len()];
    for (path, text) in files {
        let place = allowed.iter().position(|(place, _)| path == place || place.ends_with('/') && path.starts_with(place));
        for (number, line) in code(text) {
            let strangers = games.iter().filter(|game| !game.own(path));
            let Some(word) = strangers.flat_map(|game| &game.words).find(|word| has_word(line, word)) else { continue };
            match place {
                Some(place) => needed[place] = true,
                None => faults.push(format!("{path}:{number}: it names {word}: {}", line.trim())),
            }
        }
    }
    let idle = allowed.iter().zip(needed).filter(|(_, needed)| !needed);
    faults.extend(idle.map(|((place, _), _)| format!("{place}: it may name games and names none; take it off the list")));
    faults
}

/// The lines of a file with their numbers, without comments and without the tests at its end.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let end = ["#[cfg(test)]\nmod ", "#[cfg(test)]\n#["].iter().filter_map(|begin| text.find(begin)).min().unwrap_or(text.len());
    let lines = text[..end].lines().enumerate().map(|(index, line)| (index + 1, line.split(" // ").next().unwrap_or(line)));
    lines.filter(|(_, line)| !["//", "/*", "* "].iter().any(|comment| line.trim_start().starts_with(comment)))
}

/// Does a word stand in a line, not as a part of a longer one? `_` and `-` join words and are no letters.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHECKERS: &str = "const INFO: GameInfo = GameInfo {\n    name: \"big-checkers\",\n    title: \"Big Checkers\",\n    \
                            aliases: &[Alias { name: \"draughts\", params: \"size=10x10\" }],\n};\n";

    fn found(path: &str, text: &str, allowed: &[(&str, &str)]) -> Vec<String> {
        let game = ("crates/games/src/big_checkers.rs".to_owned(), CHECKERS.to_owned());
        let games = [Names::of(&game.0, &game.1).unwrap()];
        faults(&games, &[game, (path.to_owned(), text.to_owned())], allowed)
    }

    #[test]
    fn a_game_is_known_by_all_its_names() {
        let names = Names::of("crates/games/src/big_checkers.rs", CHECKERS).unwrap();
        assert_eq!(names.words, ["big-checkers", "big_checkers", "Big Checkers", "BigCheckers", "draughts"]);
        assert!(Names::of("crates/games/src/bits.rs", "pub struct Bits;").is_none());
        assert!(Names::of("crates/games/src/big_checkers/planes.rs", CHECKERS).is_none());
    }

    #[test]
    fn naming_a_game_is_a_fault_but_in_its_own_files() {
        let faults = found("app/js/play.js", "// big-checkers\nconst HEAVY = [\"big-checkers\"];\n", &[]);
        assert_eq!(faults, ["app/js/play.js:2: it names big-checkers: const HEAVY = [\"big-checkers\"];"]);
        assert_eq!(found("crates/games/src/big_checkers/planes.rs", "use super::BigCheckers;\n", &[]), Vec::<String>::new());
        assert_eq!(found("crates/games/src/big_checkers_2.rs", "use crate::big_checkers;\n", &[]).len(), 1);
        assert_eq!(found("crates/match/src/lib.rs", "networks![\"draughts-8x8\"];\n", &[]).len(), 1);
        assert_eq!(found("crates/match/src/lib.rs", "let draughtsman = 1;\n", &[]), Vec::<String>::new());
    }

    #[test]
    fn comments_and_tests_may_name_games() {
        let text = "/// Like draughts.\nfn f() {} // or draughts\n\n#[cfg(test)]\nmod tests {\n    const GAME: &str = \"draughts\";\n}\n";
        assert_eq!(found("crates/match/src/game.rs", text, &[]), Vec::<String>::new());
    }

    #[test]
    fn places_with_a_reason_may_name_games_and_have_to() {
        let allowed = [("crates/tuc/", "one game's protocol"), ("app/js/old.js", "no reason any more")];
        let faults = found("crates/tuc/src/wire.rs", "const GAME: &str = \"draughts\";\n", &allowed);
        assert_eq!(faults, ["app/js/old.js: it may name games and names none; take it off the list"]);
    }
}
