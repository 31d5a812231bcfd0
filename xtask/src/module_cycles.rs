//! The rule that the modules of a crate form no cycle: a file can be read after those that it uses, and a part can be taken out.
//!
//! Modules are the files and folders directly below `src`; inside a folder everything may know everything. Uses are read from the
//! `use crate::…` lines, through the names that `lib.rs` or `main.rs` exports, and from `use super::…` lines of files below `src`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::workspace::{Workspace, rust_files};

/// The modules that each module uses, each with a file as evidence.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

pub fn check(workspace: &Workspace) -> Result<()> {
    let mut faults = Vec::new();
    let crates = fs::read_dir(workspace.root.join("crates")).context("the folder of the crates could not be read")?;
    let mut sources: Vec<_> = crates.map(|entry| Ok(entry?.path().join("src"))).collect::<std::io::Result<_>>()?;
    sources.sort();
    for source in sources.iter().filter(|source| source.is_dir()) {
        let mut files = Vec::new();
        for file in rust_files(source)? {
            let text = fs::read_to_string(&file).with_context(|| format!("{} could not be read", file.display()))?;
            let path = file.strip_prefix(source)?.to_string_lossy().replace('\\', "/");
            files.push((path, text));
        }
        let shown = source.strip_prefix(&workspace.root).unwrap_or(source);
        faults.extend(cycle(&uses(&files)).map(|cycle| format!("{}: {cycle}", Path::new(shown).display())));
    }
    if !faults.is_empty() {
        bail!("modules use each other in a circle:\n  {}", faults.join("\n  "));
    }
    println!("no modules form a cycle");
    Ok(())
}

/// The module that a file belongs to; `None` for the root of the crate.
fn module(path: &str) -> Option<&str> {
    let first = path.split('/').next()?;
    let name = first.strip_suffix(".rs").unwrap_or(first);
    (!["lib", "main"].contains(&name)).then_some(name)
}

fn uses(files: &[(String, String)]) -> Uses {
    let modules: BTreeSet<&str> = files.iter().filter_map(|(path, _)| module(path)).collect();
    let mut exports = BTreeMap::new();
    for (_, text) in files.iter().filter(|(path, _)| module(path).is_none()) {
        for path in use_paths(text) {
            let path: Vec<&str> = path.iter().map(String::as_str).filter(|&part| part != "crate" && part != "self").collect();
            if let [first, .., last] = path[..]
                && let Some(&module) = modules.get(first)
            {
                exports.insert(last.to_owned(), module);
            }
        }
    }
    let mut uses = Uses::new();
    for (path, text) in files {
        let Some(own) = module(path) else { continue };
        // Tests below the code may use everything.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for parts in use_paths(code) {
            let used = match parts.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                ["crate", first, ..] => modules.get(first).or_else(|| exports.get(first)),
                ["super", first, ..] if !path.contains('/') => modules.get(first).or_else(|| exports.get(first)),
                _ => None,
            };
            if let Some(&used) = used.filter(|&&used| used != own) {
                uses.entry(own.to_owned()).or_default().entry(used.to_owned()).or_insert_with(|| path.clone());
            }
        }
    }
    uses
}

/// The paths of all `use` lines of a file, with braces written out: `use a::{b, c::d}` is `a::b` and `a::c::d`.
fn use_paths(text: &str) -> Vec<Vec<String>> {
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let mut paths = Vec::new();
    for statement in code.split(';') {
        let start = statement.rfind("use ").filter(|&start| {
            let before = statement[..start].trim_end();
            before.is_empty() || before.ends_with(['}', '{', ')', ']']) || before.ends_with("pub")
        });
        if let Some(start) = start {
            expand(&[], statement[start + 4..].trim(), &mut paths);
        }
    }
    paths
}

fn expand(before: &[String], tree: &str, paths: &mut Vec<Vec<String>>) {
    if let Some(inner) = tree.strip_prefix('{').and_then(|tree| tree.strip_suffix('}')) {
        let (mut depth, mut start) = (0_usize, 0);
        for (place, letter) in inner.char_indices().chain([(inner.len(), ',')]) {
            match letter {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    expand(before, inner[start..place].trim(), paths);
                    start = (place + 1).min(inner.len());
                }
                _ => {}
            }
        }
    } else if let Some((first, rest)) = tree.split_once("::").filter(|(first, _)| !first.contains(['{', ' '])) {
        expand(&[before, &[first.to_owned()]].concat(), rest.trim(), paths);
    } else if !tree.is_empty() {
        let name = tree.split_whitespace().next().unwrap_or_default();
        paths.push([before, &[name.to_owned()]].concat());
    }
}

/// A cycle among the modules, with the files that close it; `None` if there is none.
fn cycle(uses: &Uses) -> Option<String> {
    // Modules that use none of those that are left cannot be in a cycle.
    let mut left: BTreeSet<&str> = uses.keys().map(String::as_str).collect();
    while let Some(free) = left.iter().copied().find(|&module| !uses[module].keys().any(|used| left.contains(used.as_str()))) {
        left.remove(free);
    }
    let mut path = vec![*left.first()?];
    loop {
        let last = path[path.len() - 1];
        let next = uses[last].keys().map(String::as_str).find(|used| left.contains(used))?;
        if let Some(start) = path.iter().position(|&module| module == next) {
            let steps = path[start..].iter().zip(path[start + 1..].iter().chain([&next]));
            let words: Vec<String> = steps.map(|(&from, &to)| format!("{from} uses {to} ({})", uses[from][to])).collect();
            return Some(words.join(", "));
        }
        path.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Option<String> {
        cycle(&uses(&files.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect::<Vec<_>>()))
    }

    #[test]
    fn modules_in_an_order_are_fine() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\npub use a::{A, inner::B};\npub use b::C;\n"),
            ("a/mod.rs", "use std::fmt;\nuse super::x;\n#[cfg(test)]\nmod tests { use crate::C; }\n"),
            ("a/inner.rs", "use super::Something; // use crate::C;\n"),
            ("b.rs", "use crate::{A, B};\n"),
        ];
        assert_eq!(found(&files), None);
    }

    #[test]
    fn a_circle_is_found_through_names_of_the_crate() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::A;\npub(crate) use b::deep::{C, D as E};\n"),
            ("a.rs", "use std::{fmt, io};\n\nuse crate::c::Other;\n"),
            ("b/deep.rs", "use crate::{\n    A,\n};\n"),
            ("c.rs", "use crate::b::deep::{self, C};\n"),
        ];
        assert_eq!(
            found(&files).as_deref(),
            Some("a uses c (a.rs), c uses b (c.rs), b uses a (b/deep.rs)"),
            "{:?}",
            uses(&files.map(|(path, text)| (path.to_owned(), text.to_owned())))
        );
    }
}
