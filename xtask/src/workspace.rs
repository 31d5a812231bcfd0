//! The workspace as `cargo metadata` describes it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process;

/// What the checks need to know.
pub struct Workspace {
    pub root: PathBuf,
    pub target: PathBuf,
    pub members: Vec<Member>,
}

/// A crate of the workspace.
#[derive(Debug, Default)]
pub struct Member {
    pub name: String,
    pub manifest: PathBuf,
    /// The names of the packages it depends on, be it to run, to build or to test.
    pub dependencies: Vec<String>,
    /// Are the examples in its documentation tests?
    pub doctest: bool,
}

impl Workspace {
    pub fn load() -> Result<Self> {
        let text = process::output(process::cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
        Self::parse(&text).context("`cargo metadata` printed something unexpected")
    }

    fn parse(metadata: &str) -> Result<Self> {
        let metadata: Value = serde_json::from_str(metadata)?;
        Ok(Self {
            root: PathBuf::from(text(&metadata, "workspace_root")?),
            target: PathBuf::from(text(&metadata, "target_directory")?),
            members: list(&metadata, "packages")?.iter().map(member).collect::<Result<_>>()?,
        })
    }
}

/// All Rust files below a folder in the order of their paths, without those of tests.
pub fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{} could not be read", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if name != "tests" {
                files.extend(rust_files(&path)?);
            }
        } else if name != "tests.rs" && name.ends_with(".rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn member(package: &Value) -> Result<Member> {
    Ok(Member {
        name: text(package, "name")?.to_owned(),
        manifest: PathBuf::from(text(package, "manifest_path")?),
        dependencies: list(package, "dependencies")?
            .iter()
            .map(|dependency| Ok(text(dependency, "name")?.to_owned()))
            .collect::<Result<_>>()?,
        doctest: list(package, "targets")?.iter().any(|target| target["doctest"] == true),
    })
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str> {
    value[key].as_str().with_context(|| format!("no text under \"{key}\""))
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>> {
    value[key].as_array().with_context(|| format!("no list under \"{key}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_read() {
        let metadata = r#"{"workspace_root": "/w", "target_directory": "/t", "packages": [{"name": "a", "manifest_path":
            "/w/a/Cargo.toml", "dependencies": [{"name": "b", "kind": null}, {"name": "c", "kind": "dev"}],
            "targets": [{"doctest": false}, {"doctest": true}]}]}"#;
        let workspace = Workspace::parse(metadata).unwrap();
        assert_eq!(workspace.root, PathBuf::from("/w"));
        assert_eq!(workspace.target, PathBuf::from("/t"));
        let [member] = &workspace.members[..] else { panic!("one package") };
        assert_eq!((member.name.as_str(), &member.dependencies[..]), ("a", &["b".to_owned(), "c".to_owned()][..]));
        assert!(member.doctest);
    }

    #[test]
    fn other_metadata_is_refused() {
        let error = Workspace::parse(r#"{"workspace_root": "/w", "target_directory": 1}"#).err().unwrap();
        assert_eq!(error.to_string(), "no text under \"target_directory\"");
    }
}
