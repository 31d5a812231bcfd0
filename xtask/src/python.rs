//! Plyground for Python: the wheel (`cargo xtask python`), and everything that is checked with it (the step `python`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::process::{self, cargo};
use crate::test::Outcome;
use crate::workspace::Workspace;
use crate::{app, browser};

/// The folder of the package.
const PACKAGE: &str = "crates/python";
/// The oldest Python that it is for; `crates/python/tests/manifest.rs` holds the manifests to it.
const OLDEST: (u32, u32) = (3, 10);
/// The newest that is looked for.
const NEWEST: u32 = 15;
/// The most bytes of a wheel.
const LARGEST: u64 = 20_000_000;
/// What makes wheels.
const TOOLS: &str = "maturin>=1.8,<2 wheel>=0.45";
/// The processors of the last ten years, for which a second core is built.
const FAST: &str = "x86-64-v3";
/// The module as Cargo names it.
const LIBRARY: &str = "plyground_core_py";

/// Builds the wheel into `dist/`: a core for every processor of this kind, on x86-64 one for newer processors, too, and `ply`.
/// The wheel, and whether it is as small as it has to be.
pub fn run() -> Result<(PathBuf, bool)> {
    let workspace = Workspace::load()?;
    let python = find().context("a wheel is made by Python")?;
    let tools = venv(&python, &workspace.target.join("python/tools"), TOOLS)?;
    let folder = workspace.target.join("python/wheel");
    clear(&folder)?;
    let manifest = workspace.root.join(PACKAGE).join("Cargo.toml");
    let mut maturin = Command::new(tools.with_file_name("maturin"));
    maturin.args(["build", "--release", "--strip", "--manifest-path"]).arg(manifest).arg("--interpreter").arg(&python);
    process::run(maturin.arg("--out").arg(&folder))?;
    let plain = only_file(&folder, "whl")?;
    process::run(wheel(&tools).args(["unpack", "--dest"]).arg(&folder).arg(&plain))?;
    let unpacked = only_folder(&folder)?;
    if cfg!(target_arch = "x86_64") {
        let target = workspace.target.join(FAST);
        let mut build = cargo();
        build.args(["build", "--release", "--package", "plyground-python", "--target-dir"]).arg(&target);
        process::run(build.env("RUSTFLAGS", format!("-C target-cpu={FAST}")))?;
        stripped(&library(&target.join("release")), &unpacked.join("plyground/_core_v3.abi3.so"))?;
    }
    process::run(cargo().args(["build", "--release", "--package", "plyground-cli"]))?;
    stripped(&workspace.target.join("release/ply"), &unpacked.join("plyground/bin/ply"))?;
    let dist = workspace.root.join("dist");
    fs::create_dir_all(&dist)?;
    process::run(wheel(&tools).args(["pack", "--dest"]).arg(&dist).arg(&unpacked))?;
    let name = plain.file_name().context("a wheel has a name")?;
    let made = dist.join(name);
    let bytes = fs::metadata(&made).with_context(|| format!("{} is not there", made.display()))?.len();
    let fits = bytes <= LARGEST;
    let verdict = if fits { "" } else { ", MISSED: it may have 20.0 MB" };
    println!("{}: {:.1} MB{verdict}", made.display(), bytes as f64 / 1e6);
    Ok((made, fits))
}

/// The step `python`: the wheel of what the tests have built, installed into an environment of its own, with everything that looks at it.
pub fn check(workspace: &Workspace) -> Result<Outcome> {
    let python = match find() {
        Ok(python) => python,
        Err(why) if std::env::var_os("CI").is_some() => return Err(why),
        Err(why) => return Ok(Outcome::Skipped(format!("{why:#}"))),
    };
    let ply = browser::ply(workspace)?;
    let tests = workspace.root.join(PACKAGE).join("tests");
    let wanted = fs::read_to_string(tests.join("requirements.txt")).context("the list of packages cannot be read")?;
    let wanted: Vec<&str> =
        wanted.lines().map(|line| line.split('#').next().unwrap_or("").trim()).filter(|line| !line.is_empty()).collect();
    let folder = workspace.target.join("python");
    let own = match venv(&python, &folder.join("venv"), &wanted.join(" ")) {
        Ok(own) => own,
        Err(why) if std::env::var_os("CI").is_some() => return Err(why),
        Err(why) => return Ok(Outcome::Skipped(format!("the packages for it cannot be installed: {why:#}"))),
    };
    let made = test_wheel(workspace, &own, &folder.join("test-wheel"), &ply)?;
    install(&own, &made)?;
    let package = workspace.root.join(PACKAGE);
    let config = package.join("pyproject.toml");
    let mypy = |paths: &[PathBuf]| {
        let mut mypy = Command::new(&own);
        mypy.current_dir(&folder).args(["-m", "mypy", "--strict", "--no-error-summary", "--config-file"]).arg(&config);
        process::run(mypy.args(paths))
    };
    mypy(&[package.join("python/plyground"), package.join("examples"), tests.clone()])?;
    let mut stubs = Command::new(&own);
    process::run(stubs.current_dir(&folder).args(["-m", "mypy.stubtest", "plyground._core", "--concise"]))?;
    let mut pytest = Command::new(&own);
    pytest.current_dir(&folder).args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--durations=5"]).arg(&tests);
    process::run(pytest.env("PLYGROUND_ROOT", &workspace.root).env("PYTHONDONTWRITEBYTECODE", "1"))?;
    // What the tests of the networks skip where they find no onnxruntime; chosen like this, nothing is built anew.
    let mut peers = cargo();
    peers.args(["test", "--workspace", "--quiet", "--test", "nets", "onnxruntime"]);
    process::run(peers.env("PLYGROUND_PYTHON", &own))?;
    check_others(workspace, &folder, &made, &tests)
}

/// The tests of the games in the oldest and the newest Python that are here.
fn check_others(workspace: &Workspace, folder: &Path, wheel: &Path, tests: &Path) -> Result<Outcome> {
    let works = |minor: u32| {
        let python = process::find(&format!("python3.{minor}"))?;
        process::output(Command::new(&python).args(["-c", "import venv, ensurepip"])).is_ok().then_some(python)
    };
    // Not the one that all tests have run with.
    let usual = process::output(Command::new("python3").args(["-c", "import sys; print(sys.version_info[1])"]))?;
    let newest = (OLDEST.1 + 1..=NEWEST).rev().find(|&minor| works(minor).is_some() && minor.to_string() != usual.trim());
    for minor in [Some(OLDEST.1), newest].into_iter().flatten() {
        let Some(python) = works(minor) else {
            process::say(&format!("SKIPPED: there is no Python 3.{minor}, and nothing was tried with it"));
            continue;
        };
        let own = venv(&python, &folder.join(format!("venv-3.{minor}")), "numpy>=1.24 pytest>=8 hypothesis>=6")?;
        install(&own, wheel)?;
        let mut pytest = Command::new(own);
        pytest.current_dir(folder).args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
        pytest.args(["test_states.py", "test_own_games.py"].map(|file| tests.join(file)));
        process::run(pytest.env("PLYGROUND_ROOT", &workspace.root).env("PYTHONDONTWRITEBYTECODE", "1"))?;
    }
    Ok(Outcome::Passed)
}

/// Installs a wheel, whose packages are there.
fn install(python: &Path, wheel: &Path) -> Result<()> {
    let mut install = Command::new(python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall"]);
    process::run(install.arg(wheel))
}

/// Measures the wheel beside that of OpenSpiel, both in one environment. True if no bar was missed.
pub fn peers(json: bool) -> Result<bool> {
    let workspace = Workspace::load()?;
    let (made, fits) = run()?;
    let python = venv(&find()?, &workspace.target.join("python/peers"), "numpy open_spiel==2.0.2")?;
    install(&python, &made)?;
    let mut script = Command::new(python);
    script.arg(workspace.root.join("bench/src/python_peers.py")).arg("--wheel").arg(made);
    let status = script.args(json.then_some("--json")).status().context("the measurement cannot be started")?;
    match status.code() {
        Some(0) => Ok(fits),
        Some(1) => Ok(false),
        _ => bail!("the measurement failed ({status})"),
    }
}

/// A wheel of what the tests of the workspace have built, which is not optimised and the same otherwise.
fn test_wheel(workspace: &Workspace, python: &Path, folder: &Path, ply: &Path) -> Result<PathBuf> {
    clear(folder)?;
    let unpacked = folder.join("unpacked");
    let root = workspace.root.join(PACKAGE);
    let mut maturin = Command::new(python.with_file_name("maturin"));
    maturin.args(["pep517", "write-dist-info", "--metadata-directory"]).arg(&unpacked);
    process::run(maturin.arg("--manifest-path").arg(root.join("Cargo.toml")).arg("--interpreter").arg(python))?;
    app::copy(&root.join("python"), &unpacked, &|name| name != "__pycache__")?;
    // Cargo leaves a library that only tests ask for beside them.
    stripped(&library(&workspace.target.join("debug/deps")), &unpacked.join("plyground/_core.abi3.so"))?;
    stripped(ply, &unpacked.join("plyground/bin/ply"))?;
    process::run(wheel(python).args(["pack", "--dest"]).arg(folder).arg(&unpacked))?;
    only_file(folder, "whl")
}

/// Python, if it is new enough and can make environments.
fn find() -> Result<PathBuf> {
    let python = process::find("python3").context("`python3` is not there")?;
    let version = "import sys, venv, ensurepip; print(*sys.version_info[:2])";
    let said = process::output(Command::new(&python).args(["-c", version]))?;
    let mut numbers = said.split_whitespace().filter_map(|number| number.parse().ok());
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    ensure!(found >= OLDEST, "Python {}.{} or newer is needed, found {}.{}", OLDEST.0, OLDEST.1, found.0, found.1);
    Ok(python)
}

/// An environment with these packages, which is made again when they change; its Python.
fn venv(python: &Path, folder: &Path, packages: &str) -> Result<PathBuf> {
    let (own, list) = (folder.join("bin/python"), folder.join("packages.txt"));
    if fs::read_to_string(&list).is_ok_and(|made| made == packages) && own.is_file() {
        return Ok(own);
    }
    process::run(Command::new(python).args(["-m", "venv", "--clear"]).arg(folder))?;
    let mut pip = Command::new(&own);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    process::run(pip.args(packages.split(' ')))?;
    fs::write(list, packages)?;
    Ok(own)
}

/// The tool that packs and unpacks wheels.
fn wheel(python: &Path) -> Command {
    let mut wheel = Command::new(python);
    wheel.args(["-m", "wheel"]);
    wheel
}

/// The module in a folder of Cargo.
fn library(folder: &Path) -> PathBuf {
    folder.join(format!("{}{LIBRARY}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX))
}

/// Copies a program or a library without what only debuggers read.
fn stripped(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to.parent().context("a file is in a folder")?)?;
    fs::copy(from, to).with_context(|| format!("{} is not there", from.display()))?;
    process::run(Command::new("strip").arg(if cfg!(target_os = "macos") { "-x" } else { "--strip-unneeded" }).arg(to))
}

fn clear(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(fs::create_dir_all(folder)?)
}

fn only_file(folder: &Path, ending: &str) -> Result<PathBuf> {
    let files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let found = files.into_iter().find(|file| file.extension().is_some_and(|found| found == ending));
    found.with_context(|| format!("{} has no file of the kind {ending}", folder.display()))
}

fn only_folder(folder: &Path) -> Result<PathBuf> {
    let files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    files.into_iter().find(|file| file.is_dir()).with_context(|| format!("{} has no folder", folder.display()))
}
