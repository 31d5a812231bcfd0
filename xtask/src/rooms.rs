//! The order of the crates (rooms): each may use only those above it; and one table of lints holds in all of them.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::workspace::{Member, Workspace, rust_files};

/// From top to bottom.
const ROOMS: [&str; 24] = [
    "plyground-core",
    "plyground-games",
    "plyground-nets",
    "plyground-agents",
    "plyground-session",
    "plyground-statistics",
    "plyground-match",
    "plyground-train",
    "plyground-judge",
    "plyground-studies",
    "plyground-cluster",
    "plyground-simulation",
    "plyground-sandbox",
    "plyground-engines",
    "plyground-api",
    "plyground-serve",
    "plyground-arena",
    "plyground-tuc",
    "plyground-wasm",
    "plyground",
    "plyground-python",
    "plyground-terminal",
    "plyground-args",
    "plyground-cli",
];

/// The workshop stands outside: it may use every room, and no room may use it.
const OUTSIDE: [&str; 4] = ["plyground-bench", "plyground-fuzz", "plyground-verify", "xtask"];

pub fn check(workspace: &Workspace) -> Result<()> {
    let mut faults = order_faults(&workspace.members);
    for member in &workspace.members {
        let manifest =
            fs::read_to_string(&member.manifest).with_context(|| format!("{} could not be read", member.manifest.display()))?;
        if !inherits_lints(&manifest) {
            let fault = "its Cargo.toml lacks `workspace = true` under [lints]";
            faults.push(format!("{}: {fault}", member.name));
        }
        if !member.doctest {
            for file in rust_files(&member.manifest.with_file_name("src"))? {
                let text = fs::read_to_string(&file).with_context(|| format!("{} could not be read", file.display()))?;
                if let Some(line) = line_of_example(&text) {
                    let fault = "an example that is no test: its Cargo.toml says `doctest = false`";
                    faults.push(format!("{}:{line}: {fault}", file.display()));
                }
            }
        }
        for own in ["rustfmt.toml", ".rustfmt.toml", "clippy.toml", ".clippy.toml"] {
            if member.manifest.with_file_name(own).exists() {
                faults.push(format!("{}: it has a {own} of its own; the style is set in the root", member.name));
            }
        }
    }
    if !faults.is_empty() {
        bail!("the rooms are not in order:\n  {}", faults.join("\n  "));
    }
    println!("{} crates, each uses only rooms above it", workspace.members.len());
    Ok(())
}

/// Who uses a room that is not above it. Dependencies of tests count too: what only compiles together is one room.
fn order_faults(members: &[Member]) -> Vec<String> {
    let floor = |name: &str| ROOMS.iter().position(|&room| room == name);
    let mut faults = Vec::new();
    for member in members.iter().filter(|member| !OUTSIDE.contains(&member.name.as_str())) {
        let name = &member.name;
        let Some(own) = floor(name) else {
            faults.push(format!("{name}: it has no place in the list of rooms (xtask/src/rooms.rs)"));
            continue;
        };
        for used in &member.dependencies {
            if OUTSIDE.contains(&used.as_str()) || floor(used).is_some_and(|used| used >= own) {
                let above = if own == 0 { "none".to_owned() } else { ROOMS[..own].join(", ") };
                faults.push(format!("{name}: it uses {used}, but may use only the rooms above it: {above}"));
            }
        }
    }
    faults
}

/// The number of the line with which the first code block of the documentation begins. (A crate without one says `doctest = false`:
/// `cargo test` would read all of it once more to find nothing.)
fn line_of_example(text: &str) -> Option<usize> {
    let mut inside = false;
    let fences = text.lines().enumerate().filter_map(|(number, line)| {
        let words = line.trim_start().strip_prefix("///").or_else(|| line.trim_start().strip_prefix("//!"))?;
        Some((number + 1, words.trim().strip_prefix("```")?))
    });
    for (number, language) in fences {
        if !inside && language != "text" {
            return Some(number);
        }
        inside = !inside;
    }
    None
}

fn inherits_lints(manifest: &str) -> bool {
    let mut section = "";
    for line in manifest.lines().map(|line| line.split('#').next().unwrap_or("").trim()) {
        if line.starts_with('[') {
            section = line;
        } else if section == "[lints]" && line.split_whitespace().collect::<String>() == "workspace=true" {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, dependencies: &[&str]) -> Member {
        Member {
            name: name.to_owned(),
            dependencies: dependencies.iter().map(|&name| name.to_owned()).collect(),
            ..Member::default()
        }
    }

    #[test]
    fn using_rooms_above_is_fine() {
        let members = [
            member("plyground-core", &["serde"]),
            member("plyground-games", &["plyground-core", "divan"]),
            member("plyground-cli", &["plyground-core", "plyground-session", "clap"]),
            member("xtask", &["plyground-cli", "plyground-games"]),
        ];
        assert_eq!(order_faults(&members), Vec::<String>::new());
    }

    #[test]
    fn using_a_room_below_or_itself_is_a_fault() {
        let members = [
            member("plyground-core", &["plyground-games"]),
            member("plyground-agents", &["plyground-core", "plyground-session", "plyground-agents"]),
        ];
        assert_eq!(
            order_faults(&members),
            [
                "plyground-core: it uses plyground-games, but may use only the rooms above it: none",
                "plyground-agents: it uses plyground-session, but may use only the rooms above it: plyground-core, \
                 plyground-games, plyground-nets",
                "plyground-agents: it uses plyground-agents, but may use only the rooms above it: plyground-core, \
                 plyground-games, plyground-nets",
            ]
        );
    }

    #[test]
    fn no_crate_uses_the_workshop_and_new_crates_need_a_place() {
        let members = [member("plyground-cli", &["xtask"]), member("plyground-attic", &[])];
        let faults = order_faults(&members);
        assert!(faults[0].starts_with("plyground-cli: it uses xtask"), "{faults:?}");
        assert!(faults[1].starts_with("plyground-attic: it has no place"), "{faults:?}");
        assert_eq!(faults.len(), 2);
    }

    #[test]
    fn examples_are_found() {
        assert_eq!(line_of_example("//! A file:\n//! ```text\n//! a\n//! ```\nfn f() {}\n"), None);
        assert_eq!(line_of_example("//! ```text\n//! ```\n    /// ```\n    /// f();\n    /// ```\n"), Some(3));
        assert_eq!(line_of_example("//! ```rust\n//! ```\n"), Some(1));
        assert_eq!(line_of_example("// ```\n"), None);
    }

    #[test]
    fn inherited_lints_are_recognised() {
        assert!(inherits_lints("[package]\nname = \"a\"\n\n[lints]\nworkspace = true # one table for all\n"));
        assert!(inherits_lints("[lints]\nworkspace=true"));
        assert!(!inherits_lints("[package]\nversion.workspace = true\n"));
        assert!(!inherits_lints("[lints]\n[dependencies]\nworkspace = true\n"));
        assert!(!inherits_lints("[lints]\n# workspace = true\n"));
    }
}
