//! The rule that a promise has a test: every row of the tables in `docs/promises.md` ends with files and the tests in them, and each of
//! these tests exists and is run.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// The page with all promises.
pub const PAGE: &str = "docs/promises.md";
/// The head of the last column of its tables.
const TESTS: &str = "tests";

/// What is wrong on the page.
pub fn faults(root: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(root.join(PAGE)).with_context(|| format!("{PAGE} cannot be read"))?;
    let mut faults = Vec::new();
    for row in rows(&text) {
        let tests = named(row);
        if tests.is_empty() {
            faults.push(format!("{PAGE}: a promise without a test: {row}"));
        }
        for (file, name) in tests {
            let source = fs::read_to_string(root.join(file)).unwrap_or_default();
            if !has_test(&source, name) {
                faults.push(format!("{PAGE}: there is no test `{name}` in {file}"));
            }
        }
    }
    Ok(faults)
}

/// The rows of tables whose last column has the tests.
fn rows(text: &str) -> Vec<&str> {
    let mut rows = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let last = line.trim().strip_prefix('|').and_then(|line| line.strip_suffix('|')).and_then(|line| line.rsplit('|').next());
        match last.map(str::trim) {
            None => inside = false,
            Some(TESTS) => inside = true,
            Some(rule) if !rule.is_empty() && rule.chars().all(|c| c == '-') => {}
            Some(_) if inside => rows.push(line),
            Some(_) => {}
        }
    }
    rows
}

/// The tests of a row, each with its file: in its last column a file stands before the names of its tests.
fn named(row: &str) -> Vec<(&str, &str)> {
    let last = row.trim().trim_end_matches('|').rsplit('|').next().unwrap_or_default();
    let mut files = Vec::new();
    let mut tests = Vec::new();
    let mut follows_test = false;
    for code in last.split('`').skip(1).step_by(2) {
        if code.contains('/') {
            // Files in a row have the same tests.
            if follows_test {
                files.clear();
            }
            files.push(code);
        } else {
            tests.extend(files.iter().map(|file| (*file, code)));
        }
        follows_test = !code.contains('/');
    }
    tests
}

/// Is there a test of this name that is not left out? In Rust it is a function with an attribute, in JavaScript a call with its name.
fn has_test(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let declares = |line: &str| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        let rest = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
        rest.and_then(|rest| rest.strip_prefix(name)).is_some_and(|rest| rest.starts_with('('))
    };
    let is_test = |place: usize| {
        let attributes: Vec<&&str> = lines[..place].iter().rev().take_while(|line| line.starts_with(['#', '/'])).collect();
        let has = |word: &str| attributes.iter().any(|line| line.starts_with("#[") && line.contains(word));
        has("test") && !has("ignore")
    };
    let in_rust = lines.iter().enumerate().any(|(place, line)| declares(line) && is_test(place));
    // A list that a macro makes tests of has each name on a line of its own.
    let in_list = source.contains("macro_rules!") && lines.iter().any(|line| line.trim_end_matches(',') == name);
    in_rust || in_list || lines.iter().any(|line| line.starts_with(&format!("test(\"{name}\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_a_function_with_its_attribute() {
        let source = "#[test]\nfn real() {\n}\n#[tokio::test(flavor = \"x\")]\n/// Slow.\nasync fn slow() {}\nfn helper() {}\n\
            #[test]\n#[ignore = \"long\"]\nfn long() {}\n#[cfg(unix)]\n#[test]\nfn here() {}";
        for (name, expected) in
            [("real", true), ("slow", true), ("here", true), ("helper", false), ("long", false), ("rea", false)]
        {
            assert_eq!(has_test(source, name), expected, "{name}");
        }
        assert!(has_test("test(\"a page\", async () => {", "a page"));
    }

    #[test]
    fn rows_name_files_and_their_tests() {
        let page = "| a | b |\n|---|---|\n| x | `y` |\n\n| promise | tests |\n|---|---|\n| holds | `a/b.rs` `one`, `two`; `c/d.rs` `three` |\n\
            | holds | |\n";
        let rows = rows(page);
        assert_eq!(rows.len(), 2);
        assert_eq!(named(rows[0]), [("a/b.rs", "one"), ("a/b.rs", "two"), ("c/d.rs", "three")]);
        assert!(named(rows[1]).is_empty());
        assert_eq!(named("| x | `a/b.rs` and `c/d.rs` `one` |"), [("a/b.rs", "one"), ("c/d.rs", "one")]);
    }

    #[test]
    fn every_promise_of_this_repository_has_its_tests() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace");
        assert_eq!(faults(root).unwrap(), Vec::<String>::new());
    }
}
