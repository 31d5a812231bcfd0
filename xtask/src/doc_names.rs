//! The rule that pages name only what exists: types in inline code are declared somewhere, and paths lead to something.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::public_names::tokens;

/// The folders in which types are declared.
const SOURCES: [&str; 5] = ["crates", "bench", "xtask", "fuzz", "app/js"];

/// The folders of the repository that pages name.
const FOLDERS: [&str; 9] = ["crates/", "app/", "app-tests/", "bench/", "bots/", "docs/", "fuzz/", "studies/", "xtask/"];

/// Types of the standard library that pages name.
const STANDARD: [&str; 8] = ["Any", "Box", "Clone", "Copy", "Option", "Result", "String", "Vec"];

/// Other words that look like types of ours, each with what it is.
const FOREIGN: &[(&str, &str)] = &[
    ("Forwarded", "a header of HTTP"),
    ("LegalMoves", "an option that a bot may have"),
    ("VariantPath", "an option of Fairy-Stockfish"),
    ("MyGame", "a game of the reader"),
    ("False", "a value of Python"),
    ("ValueError", "an exception of Python"),
];

/// The names of all types of the repository.
pub struct Declared(HashSet<String>);

impl Declared {
    /// Reads the declarations of all source files.
    pub fn read(root: &Path) -> Result<Self> {
        let foreign = FOREIGN.iter().map(|(name, _)| *name);
        let mut names: HashSet<String> = STANDARD.into_iter().chain(foreign).map(str::to_owned).collect();
        let mut folders = SOURCES.map(|folder| root.join(folder)).to_vec();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).with_context(|| format!("{} cannot be read", folder.display()))? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let read = || fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()));
                match path.extension().and_then(|ending| ending.to_str()) {
                    Some("rs") => names.extend(rust_types(&read()?)),
                    Some("js" | "py") => names.extend(classes(&read()?)),
                    _ => {}
                }
            }
        }
        Ok(Self(names))
    }

    /// What a piece of inline code names and is not there.
    pub fn unknown(&self, root: &Path, code: &str) -> Vec<String> {
        let types = types(code).filter(|name| !self.0.contains(*name)).map(|name| format!("type `{name}`"));
        let paths = paths(code).filter(|path| !root.join(path).exists()).map(|path| format!("`{path}`"));
        types.chain(paths).collect()
    }
}

fn rust_types(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let declared = tokens.windows(2).filter(|pair| ["struct", "enum", "trait", "type", "union"].contains(&pair[0].0));
    declared.map(|pair| pair[1].0.to_owned()).collect()
}

/// The classes of JavaScript and of Python.
fn classes(text: &str) -> Vec<String> {
    let behind = text.lines().filter_map(|line| line.trim_start_matches("export ").strip_prefix("class "));
    behind.filter_map(|rest| rest.split([' ', '(', ':', '{']).next()).map(str::to_owned).collect()
}

/// The words in inline code that are names of types: in camel case, and no part of a file name, a setting or another name.
fn types(code: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = code.split(move |c: char| !is_part(c)).filter(|word| {
        word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.contains(|c: char| c.is_ascii_lowercase())
            && !word.contains('_')
    });
    words.filter(move |word| {
        let at = word.as_ptr() as usize - code.as_ptr() as usize;
        let (before, after) = (&code[..at], &code[at + word.len()..]);
        let owner = before.strip_suffix("::").map_or("", |before| before.rsplit(|c: char| !is_part(c)).next().unwrap_or(""));
        let is_member = owner.starts_with(|c: char| c.is_ascii_uppercase());
        !is_member && !before.ends_with(['.', '-', '/']) && !after.starts_with(['.', '=', '-', '/'])
    })
}

/// The paths in inline code that stand for one file or folder.
fn paths(code: &str) -> impl Iterator<Item = &str> {
    let words = code.split_whitespace().map(|word| word.trim_end_matches([',', ';', ':', ')', '/']));
    let placeholder = |part: &str| part.split('.').next().is_some_and(|stem| stem.chars().all(|c| c.is_ascii_uppercase()));
    words.filter(move |word| {
        FOLDERS.iter().any(|folder| word.starts_with(folder))
            && !word.contains(['*', '<', '{', '…'])
            && !word.split('/').any(placeholder)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_from_files_settings_variants_and_placeholders() {
        let found = |code: &'static str| types(code).collect::<Vec<_>>();
        assert_eq!(found("Box<dyn Session>"), ["Box", "Session"]);
        assert_eq!(found("plyground_core::Family"), ["Family"]);
        assert_eq!(found("Format::Games"), ["Format"]);
        for code in
            ["Cargo.toml", "bots/RandomBot.java", "option.Skill Level=3", "ply match GAME SPEC", "nn.Sequential", "KV_name"]
        {
            assert_eq!(found(code), Vec::<&str>::new(), "{code}");
        }
    }

    #[test]
    fn paths_are_told_from_patterns() {
        let found = |code: &'static str| paths(code).collect::<Vec<_>>();
        assert_eq!(found("ply compete docs/competition.toml --check"), ["docs/competition.toml"]);
        assert_eq!(found("crates/cli/tests/"), ["crates/cli/tests"]);
        for code in ["crates/games/src/GAME.rs", "crates/cli/tests/cmd/*.trycmd", "crates/games/tests/games/<game>.rs", "a/b"] {
            assert_eq!(found(code), Vec::<&str>::new(), "{code}");
        }
    }

    #[test]
    fn what_is_not_declared_is_unknown() {
        let declared = Declared(rust_types("pub struct Known;\n// struct Gone;\n").into_iter().collect());
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace");
        assert_eq!(declared.unknown(root, "Known"), Vec::<String>::new());
        assert_eq!(declared.unknown(root, "Gone in xtask/src/gone.rs"), ["type `Gone`", "`xtask/src/gone.rs`"]);
        assert_eq!(classes("export class Board extends Base {\n  class: 1\nclass Lane {"), ["Board", "Lane"]);
        assert_eq!(classes("class Score:\n    pass\nclass Match(Score):"), ["Score", "Match"]);
    }
}
