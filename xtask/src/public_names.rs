//! The rule of one name for one public type: no two `pub` types of the crates have the same name, unless [`ALLOWED`] says why.
//!
//! A reader who searches for a name finds one thing. Types of the games are an exception by design: each game's module declares its
//! own
//! `Rules`, `State` and moves, and a name in two games stands for the same role. Such names count once for the whole crate of games,
//! and no other crate may use them.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::workspace::{Workspace, rust_files};

/// The folder of the games.
const GAMES: &str = "crates/games/src/";

/// Names that two types may have, each with the reason.
const ALLOWED: &[(&str, &str)] = &[];

pub fn check(workspace: &Workspace) -> Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(workspace.root.join("crates")).context("the folder of the crates could not be read")? {
        let source = entry?.path().join("src");
        if source.is_dir() {
            files.extend(rust_files(&source)?);
        }
    }
    files.sort();
    let mut types = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).with_context(|| format!("{} could not be read", file.display()))?;
        let path = file.strip_prefix(&workspace.root)?.to_string_lossy().replace('\\', "/");
        types.extend(public_types(&text).into_iter().map(|(name, line)| PublicType { name, path: path.clone(), line }));
    }
    let allowed: Vec<&str> = ALLOWED.iter().map(|(name, _)| *name).collect();
    let faults = faults(&types, &allowed);
    if !faults.is_empty() {
        bail!("one name stands for two public types (xtask/src/public_names.rs):\n  {}", faults.join("\n  "));
    }
    println!("{} public types, each with a name of its own but for {} with a reason", types.len(), allowed.len());
    Ok(())
}

/// A public type and the place of its declaration.
#[derive(Debug)]
struct PublicType {
    name: String,
    path: String,
    line: usize,
}

/// The module of a game that a file belongs to.
fn game_module(path: &str) -> Option<&str> {
    path.strip_prefix(GAMES)?.split(['/', '.']).next()
}

/// The names of two or more types, and the allowed names that need no exception.
fn faults(types: &[PublicType], allowed: &[&str]) -> Vec<String> {
    let mut by_name: BTreeMap<&str, Vec<&PublicType>> = BTreeMap::new();
    for one in types {
        let same_name = by_name.entry(&one.name).or_default();
        let same_role =
            |other: &&PublicType| matches!((game_module(&one.path), game_module(&other.path)), (Some(a), Some(b)) if a != b);
        if !same_name.iter().any(same_role) {
            same_name.push(one);
        }
    }
    by_name.retain(|_, same_name| same_name.len() > 1);
    let twice = by_name.iter().filter(|(name, _)| !allowed.contains(name)).map(|(name, same_name)| {
        let places: Vec<String> = same_name.iter().map(|one| format!("{}:{}", one.path, one.line)).collect();
        format!("{name}: {}", places.join(", "))
    });
    let idle = allowed.iter().filter(|name| !by_name.contains_key(*name));
    twice.chain(idle.map(|name| format!("{name}: it may stand for two types and does not; take it off the list"))).collect()
}

/// The names of the `pub` types of a source file with their lines. Types of modules called `tests` and types that are public only
/// inside of their crate (`pub(crate)`) do not count.
fn public_types(text: &str) -> Vec<(String, usize)> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        let word = |ahead: usize| tokens.get(index + ahead).map_or("", |(token, _)| *token);
        if (word(0), word(1), word(2)) == ("mod", "tests", "{") {
            index = block_end(&tokens, index + 2);
            continue;
        }
        if word(0) == "pub" {
            let kind = if word(1) == "unsafe" { 2 } else { 1 };
            let name = word(kind + 1);
            if ["struct", "enum", "trait", "type", "union"].contains(&word(kind)) && name.starts_with(char::is_alphabetic) {
                found.push((name.to_owned(), tokens[index].1));
            }
        }
        index += 1;
    }
    found
}

/// The index behind the brace that closes the one at `open`.
fn block_end(tokens: &[(&str, usize)], open: usize) -> usize {
    let mut depth = 0;
    for (index, (token, _)) in tokens.iter().enumerate().skip(open) {
        match *token {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// The words and signs of Rust source with their lines, without comments and without literals.
pub fn tokens(text: &str) -> Vec<(&str, usize)> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let length = skipped(rest).unwrap_or_else(|| {
            let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let length = word.max(first.len_utf8());
            if !first.is_whitespace() {
                tokens.push((&rest[..length], line));
            }
            length
        });
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

/// The length of the comment or literal that a text begins with, if it does.
fn skipped(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if text.starts_with("/*") {
        return Some(comment_length(text));
    }
    let plain = text.trim_start_matches(['b', 'c']);
    let prefix = text.len() - plain.len();
    if prefix <= 1 && plain.starts_with('"') {
        return Some(prefix + string_length(plain));
    }
    if prefix <= 1 && plain.starts_with('r') {
        let hashes = plain[1..].chars().take_while(|&c| c == '#').count();
        if plain[1 + hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let body = 1 + hashes + 1;
            return Some(prefix + plain[body..].find(&end).map_or(plain.len(), |at| body + at + end.len()));
        }
    }
    text.strip_prefix('\'').and_then(character_length)
}

/// The length of a block comment; such comments may be nested.
fn comment_length(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of a string literal with its quotation marks.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == '"' && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// The length of a character literal, of which the first quotation mark is gone; `None` for a lifetime.
fn character_length(text: &str) -> Option<usize> {
    let mut letters = text.char_indices();
    let end = match letters.next()?.1 {
        '\\' => 2 + text.get(2..)?.find('\'')?,
        _ => letters.next()?.0,
    };
    text[end..].starts_with('\'').then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        public_types(text).into_iter().map(|(name, _)| name).collect()
    }

    fn found(files: &[(&str, &str)], allowed: &[&str]) -> Vec<String> {
        let types = files.iter().flat_map(|(path, text)| {
            public_types(text).into_iter().map(|(name, line)| PublicType { name, path: (*path).to_owned(), line })
        });
        faults(&types.collect::<Vec<_>>(), allowed)
    }

    #[test]
    fn all_kinds_of_public_types_are_found_with_their_lines() {
        let text = "pub struct A<T>(T);\n#[derive(Debug)]\npub\n  enum B {}\npub unsafe trait C {}\npub trait D: Sized {}\n\
                    pub type E = u8;\npub union F { a: u8 }\nmod inner {\n    pub struct G;\n}\n";
        assert_eq!(names(text), ["A", "B", "C", "D", "E", "F", "G"]);
        assert_eq!(public_types(text).into_iter().map(|(_, line)| line).collect::<Vec<_>>(), [1, 3, 5, 6, 7, 8, 10]);
    }

    #[test]
    fn what_is_not_public_or_no_type_does_not_count() {
        for text in [
            "struct A;",
            "pub(crate) struct A;",
            "pub(super) enum A {}",
            "pub fn structure() {}",
            "pub use other::Type;",
            "pub const TYPE: u8 = 1;",
            "macro_rules! m { ($name:ident) => { pub struct $name; } }",
            "#[cfg(test)]\nmod tests {\n    pub struct A;\n    fn f() { loop {} }\n    pub enum B {}\n}\n",
        ] {
            assert_eq!(names(text), Vec::<String>::new(), "{text}");
        }
        assert_eq!(names("mod tests { pub struct A; mod more { } }\npub struct B;"), ["B"]);
    }

    #[test]
    fn comments_and_literals_are_passed_over() {
        for text in [
            "// pub struct A;\n/// pub struct A;\n",
            "/* pub struct A; /* pub enum B {} */ pub trait C {} */",
            "const T: &str = \"pub struct A; \\\" pub enum B {}\";",
            "const T: &str = \"\";",
            "const T: &str = r#\"pub struct A; \" pub enum B {}\"#;",
            "const U: &[u8] = b\"pub struct C;\"; const V: &[u8] = br\"pub type D\";",
        ] {
            assert_eq!(names(text), Vec::<String>::new(), "{text}");
        }
        let tricky = "fn f<'a>(x: &'a str) -> char { let _ = ['\"', '\\'', '\\u{22}', 'é', b'\"' as char]; '{' }\n\
                      pub struct A;\nfn brace() {}";
        assert_eq!(names(tricky), ["A"]);
        assert_eq!(names("let byte = r; let b = c; pub struct A; // \"\npub struct B;"), ["A", "B"]);
    }

    #[test]
    fn a_name_of_two_types_is_a_fault_unless_it_is_allowed_with_need() {
        let files =
            [("crates/a/src/x.rs", "pub struct Plan;\n"), ("crates/b/src/y.rs", "\npub enum Plan {}\npub struct Other;\n")];
        assert_eq!(found(&files, &[]), ["Plan: crates/a/src/x.rs:1, crates/b/src/y.rs:2"]);
        assert_eq!(found(&files, &["Plan"]), Vec::<String>::new());
        assert_eq!(found(&files, &["Plan", "Other"]), ["Other: it may stand for two types and does not; take it off the list"]);
        let twice = [("crates/a/src/x.rs", "pub mod one { pub struct Plan; }\npub mod two { pub struct Plan; }\n")];
        assert_eq!(found(&twice, &[]), ["Plan: crates/a/src/x.rs:1, crates/a/src/x.rs:2"]);
    }

    #[test]
    fn games_share_names_of_roles_with_each_other_and_with_no_other_crate() {
        let (one, other) = ("crates/games/src/chess.rs", "crates/games/src/go/board.rs");
        assert_eq!(found(&[(one, "pub struct State;"), (other, "pub struct State;")], &[]), Vec::<String>::new());
        assert_eq!(found(&[(one, "pub struct State;"), ("crates/games/src/chess/more.rs", "pub struct State;")], &[]).len(), 1);
        let outside =
            [(one, "pub struct State;"), (other, "pub struct State;"), ("crates/match/src/run.rs", "pub struct State;")];
        assert_eq!(found(&outside, &[]), ["State: crates/games/src/chess.rs:1, crates/match/src/run.rs:1"]);
    }
}
