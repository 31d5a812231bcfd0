//! The fuzz targets: `cargo xtask fuzz` runs them with libFuzzer.
//!
//! The instrumentation needs no nightly compiler: its flags are stable ones that pass options to LLVM.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::{self, cargo};
use crate::workspace::Workspace;

/// What has the fuzzer compiled beside the targets.
pub const FUZZER: &str = "plyground-fuzz/libfuzzer";

/// The kept inputs, a folder for each target.
const CORPUS: &str = "fuzz/corpus";
/// The words that inputs are made of.
const WORDS: &str = "fuzz/tokens.dict";
/// The longest input of any target, in bytes; most take less.
const LONGEST: usize = 64 << 10;
/// The most memory of a fuzzer in megabytes, and the longest time of an input in seconds.
const MEMORY: u32 = 3_000;
const PATIENCE: u32 = 20;
/// The most inputs that are kept for a target, and the most bytes of each.
const MOST_KEPT: usize = 24;
const MOST_BYTES: u64 = 2 << 10;

/// Coverage of every edge, with comparisons, for libFuzzer; overflows are findings.
const INSTRUMENTATION: &str = "--cfg fuzzing -Cdebug-assertions=on -Coverflow-checks=on -Ccodegen-units=1 -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Sees to a compiler of C++, which libFuzzer is written in.
fn compiler() -> Result<()> {
    if process::output(Command::new("c++").arg("--version")).is_err() {
        process::apt_install(&["g++"]).context("a C++ compiler is needed and could not be installed")?;
    }
    Ok(())
}

/// The settings of a campaign.
pub struct Campaign<'a> {
    /// The targets; all if there are none.
    pub targets: &'a [String],
    /// Seconds for each target.
    pub seconds: u64,
    /// Are inputs with new coverage kept in the repository?
    pub keep: bool,
}

/// Runs targets one after the other; false if there was a finding.
pub fn run(campaign: &Campaign<'_>) -> Result<bool> {
    let workspace = Workspace::load()?;
    let known = targets(&workspace.root)?;
    let chosen: Vec<String> = if campaign.targets.is_empty() { known.clone() } else { campaign.targets.to_vec() };
    for target in &chosen {
        ensure!(known.contains(target), "expected one of {}, found {target}", known.join(", "));
    }
    compiler()?;
    let program = build(&workspace)?;
    let mut findings = Vec::new();
    for target in &chosen {
        let fuzzer = Fuzzer { program: &program, target, root: &workspace.root, folder: workspace.target.join("fuzz") };
        println!("== {target}");
        if campaign.seconds > 0 && fuzzer.run(campaign.seconds).is_err() {
            findings.push(target.as_str());
        }
        if campaign.keep {
            fuzzer.keep()?;
        }
    }
    if findings.is_empty() {
        println!("no findings in {} targets", chosen.len());
    } else {
        println!("findings in {}: the inputs are in {}", findings.join(", "), workspace.target.join("fuzz/findings").display());
    }
    Ok(findings.is_empty())
}

/// The names of all targets: each has a folder in the corpus, which a test sees to.
fn targets(root: &Path) -> Result<Vec<String>> {
    let folders = fs::read_dir(root.join(CORPUS)).with_context(|| format!("{CORPUS} cannot be read"))?;
    let mut names = folders.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect::<Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

/// Builds the fuzzer with its instrumentation; its path. With a target named, programs of the build are not instrumented.
fn build(workspace: &Workspace) -> Result<PathBuf> {
    let version = process::output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    let folder = workspace.target.join("fuzz");
    process::run(
        cargo()
            .args(["build", "--release", "--package", "plyground-fuzz", "--features", FUZZER, "--bin", "fuzz", "--target", host])
            .arg("--target-dir")
            .arg(&folder)
            .env("RUSTFLAGS", INSTRUMENTATION),
    )?;
    Ok(folder.join(host).join("release/fuzz"))
}

/// The fuzzer on one target.
struct Fuzzer<'a> {
    program: &'a Path,
    target: &'a str,
    root: &'a Path,
    /// The folder of what is not in the repository.
    folder: PathBuf,
}

impl Fuzzer<'_> {
    fn command(&self) -> Command {
        let mut command = Command::new(self.program);
        command.env("PLYGROUND_FUZZ_TARGET", self.target);
        command.arg(format!("-rss_limit_mb={MEMORY}")).arg(format!("-timeout={PATIENCE}")).arg(format!("-max_len={LONGEST}"));
        command
    }

    /// The corpus that grows.
    fn corpus(&self) -> Result<PathBuf> {
        let corpus = self.folder.join("corpus").join(self.target);
        fs::create_dir_all(&corpus).with_context(|| format!("{} cannot be made", corpus.display()))?;
        Ok(corpus)
    }

    fn run(&self, seconds: u64) -> Result<()> {
        let corpus = self.corpus()?;
        let findings = self.folder.join("findings").join(self.target);
        fs::create_dir_all(&findings).with_context(|| format!("{} cannot be made", findings.display()))?;
        let mut command = self.command();
        command
            .env("PLYGROUND_FUZZ_SEEDS", &corpus)
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-dict={}", self.root.join(WORDS).display()))
            .arg(format!("-artifact_prefix={}/", findings.display()))
            .arg("-print_final_stats=1")
            .arg(&corpus)
            .arg(self.root.join(CORPUS).join(self.target));
        process::run(&mut command)
    }

    /// Keeps some of the inputs that have coverage of their own in the repository, short and long ones. Those that were findings stay.
    fn keep(&self) -> Result<()> {
        let (kept, merged) = (self.root.join(CORPUS).join(self.target), self.folder.join("merged").join(self.target));
        if merged.exists() {
            fs::remove_dir_all(&merged)?;
        }
        fs::create_dir_all(&merged)?;
        process::run(self.command().arg("-merge=1").arg(&merged).arg(&kept).arg(self.corpus()?))?;
        for file in files(&kept)? {
            if !file.1.starts_with(FINDING) {
                fs::remove_file(kept.join(&file.1))?;
            }
        }
        let mut found = files(&merged)?;
        found.retain(|(length, _)| *length <= MOST_BYTES);
        let step = found.len().div_ceil(MOST_KEPT).max(1);
        for (_, name) in found.iter().rev().step_by(step) {
            fs::copy(merged.join(name), kept.join(name))?;
        }
        Ok(())
    }
}

/// The beginning of the names of inputs that were findings.
const FINDING: &str = "finding-";

/// The files of a folder with their lengths, the shortest first.
fn files(folder: &Path) -> Result<Vec<(u64, String)>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let file = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry?;
        Ok((entry.metadata()?.len(), entry.file_name().to_string_lossy().into_owned()))
    };
    let mut files = entries.map(file).collect::<Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_folder_and_the_corpus_is_small() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace");
        let targets = targets(root).unwrap();
        assert!(targets.contains(&"results".to_owned()) && targets.len() >= 20, "{targets:?}");
        let bytes: u64 =
            targets.iter().flat_map(|target| files(&root.join(CORPUS).join(target)).unwrap()).map(|file| file.0).sum();
        assert!(bytes < 1 << 20, "{bytes} bytes");
    }
}
