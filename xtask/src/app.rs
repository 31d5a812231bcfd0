//! The app as static files: whatever is in `app/`, the engine as WebAssembly, and the list of files that the service worker keeps.

use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::process;
use crate::wasm;
use crate::workspace::Workspace;

/// What a phone may have to download in order to play, in bytes, compressed as servers usually do.
const MOST: usize = 1_650_000;
/// The same without the engine: what has to come before anything is seen.
const MOST_SEEN: usize = 200_000;
/// The same with the languages and puzzles, which are kept for times without a network.
const MOST_KEPT: usize = 1_800_000;

/// The engine among the files.
const ENGINE: &str = "engine.wasm";

pub fn run() -> Result<()> {
    let workspace = Workspace::load()?;
    let folder = build(&workspace)?;
    println!("the app is in {}: put it on any web server", folder.strip_prefix(&workspace.root).unwrap_or(&folder).display());
    Ok(())
}

/// Builds it and gives the folder.
pub fn build(workspace: &Workspace) -> Result<PathBuf> {
    let engine = engine(workspace)?;
    let (source, dist) = (workspace.root.join("app"), workspace.root.join("dist"));
    if dist.exists() {
        fs::remove_dir_all(&dist).context("the old dist/ cannot be removed")?;
    }
    copy(&source, &dist, &is_served)?;
    fs::copy(engine, dist.join(ENGINE))?;
    let files = files_in_order(&dist)?;
    let (mut hasher, mut bytes, mut kept, mut played, mut seen) = (DefaultHasher::new(), 0, 0, 0, 0);
    for file in &files {
        let content = fs::read(dist.join(file))?;
        (file, &content).hash(&mut hasher);
        bytes += content.len();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&content)?;
        let length = encoder.finish()?.len();
        kept += length;
        played += if is_wanted_later(file) { 0 } else { length };
        seen += if is_wanted_later(file) || file == ENGINE { 0 } else { length };
    }
    // Networks are fetched by those who play against one, and only then: they are no part of the first visit. New ones make a new version.
    let networks = dist.join("nets");
    copy(&workspace.root.join("nets"), &networks, &|name| Path::new(name).extension() == Some(OsStr::new("safetensors")))?;
    for file in files_in_order(&networks)? {
        fs::read(networks.join(file))?.hash(&mut hasher);
    }
    let worker = dist.join("sw.js");
    let listed: Vec<String> = files.iter().filter(|file| *file != "sw.js" && *file != "index.html").cloned().collect();
    let text = fs::read_to_string(&worker)?;
    let (version, list) = ("const VERSION = \"unbuilt\";", "const FILES = [];");
    ensure!(text.contains(version) && text.contains(list), "app/sw.js lacks the lines that are to be filled in");
    let text = text
        .replace(version, &format!("const VERSION = \"{:016x}\";", hasher.finish()))
        .replace(list, &format!("const FILES = {};", serde_json::to_string(&[vec!["./".to_owned()], listed].concat())?));
    fs::write(&worker, text)?;
    process::say(&format!(
        "{} files, {bytes} bytes; compressed: {kept}, without other languages and puzzles {played}, without the engine {seen}",
        files.len()
    ));
    ensure!(seen <= MOST_SEEN, "the app is {seen} bytes compressed without the engine, more than {MOST_SEEN}");
    ensure!(played <= MOST, "the app is {played} bytes compressed, more than {MOST}");
    ensure!(kept <= MOST_KEPT, "the app is {kept} bytes compressed with languages and puzzles, more than {MOST_KEPT}");
    Ok(dist)
}

/// Is a file fetched when it is wanted, or when all else is there? So are languages and puzzles.
fn is_wanted_later(file: &str) -> bool {
    file.starts_with("puzzles/") || (file.starts_with("js/i18n/") && !SPOKEN.iter().any(|name| file.ends_with(name)))
}

/// The words of the page that are always fetched: those of the language that every other falls back to.
const SPOKEN: [&str; 2] = ["/index.js", "/en.js"];

/// Is a file of `app/` for browsers? Types and their settings are for `tsc` and for editors.
fn is_served(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    !name.ends_with(".d.ts") && !name.starts_with("tsconfig.")
}

/// How the engine is compiled. The compiler inlines less than it would by itself: the engine is a seventh smaller, and as fast where
/// the functions that matter are marked `#[inline]` (decision 85).
const FLAGS: &str = "-C target-feature=+simd128 -C llvm-args=--inline-threshold=100";

/// The engine for the browser.
fn engine(workspace: &Workspace) -> Result<PathBuf> {
    let target = workspace.target.join("wasm");
    process::run(
        wasm::compiler()?
            .args(["build", "--profile", "browser", "--package", "plyground-wasm", "--target", wasm::TARGET, "--target-dir"])
            .arg(&target)
            .env("RUSTFLAGS", FLAGS),
    )?;
    Ok(target.join(wasm::TARGET).join("browser/plyground_wasm.wasm"))
}

/// Copies a folder with all that is in it, as far as its names are wanted.
pub fn copy(from: &Path, to: &Path, wanted: &dyn Fn(&OsStr) -> bool) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if !wanted(&entry.file_name()) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target, wanted)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Everything in a folder, in the same order on every machine.
fn files_in_order(folder: &Path) -> Result<Vec<String>> {
    let mut files = files(folder, folder)?;
    files.sort();
    Ok(files)
}

/// All files below a folder, by their names from `root`, with slashes.
fn files(folder: &Path, root: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            names.extend(files(&path, root)?);
        } else {
            names.push(path.strip_prefix(root)?.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(names)
}
