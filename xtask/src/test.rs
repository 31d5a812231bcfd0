//! `cargo xtask test`: one command that checks everything, here and in continuous integration.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::process::{self, cargo};
use crate::workspace::Workspace;
use crate::{app, book, browser, fuzz, game_names, js, module_cycles, nats, public_names, python, rooms, test_programs, wasm};

/// One check.
pub struct Step {
    name: &'static str,
    summary: &'static str,
    run: fn(&Workspace) -> Result<Outcome>,
}

/// How a step ended that did not fail.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    /// With the reason.
    Skipped(String),
    /// Some tests passed only when they were run once more, alone; with their names.
    Unsteady(String),
}

/// In the order of the [`PHASES`].
static STEPS: [Step; 11] = [
    Step { name: "fmt", summary: "the layout of the code is what rustfmt makes of it", run: fmt },
    Step {
        name: "rooms",
        summary: "each crate uses only the rooms above it and inherits the lints; no file names a game without need; no two public types share a name; no modules form a cycle",
        run: rooms,
    },
    Step { name: "deny", summary: "dependencies have licences that we allow, and come from where they should", run: deny },
    Step { name: "js", summary: "no finding of ESLint or of tsc in the JavaScript of the app", run: js::check },
    Step { name: "clippy", summary: "no warning from the compiler or from clippy, nor in the fuzz targets", run: clippy },
    Step {
        name: "docs",
        summary: "pages link to and name only what exists, every promise has a test, and the documentation builds without a warning",
        run: docs,
    },
    Step { name: "build", summary: "all tests and programs compile", run: build },
    Step { name: "wasm", summary: "the engine compiles for browsers, and is no larger than it may be", run: wasm },
    Step { name: "test", summary: "all tests of all crates, with the examples in the documentation", run: test },
    Step {
        name: "python",
        summary: "the wheel installs, its types are right, and its tests, notebooks and adapters work",
        run: python::check,
    },
    Step {
        name: "browser",
        summary: "the app in Chromium: every game, every screen, on a phone and on a desktop",
        run: browser::check,
    },
];

/// Steps that run one after the other, and others beside them.
struct Phase {
    main: &'static [&'static str],
    /// They work in folders of their own. What they print is shown at the end of the phase.
    beside: &'static [&'static str],
}

/// One after the other: what takes seconds, so that a slip is told at once; what compiles; what runs, and waits much of its time.
static PHASES: [Phase; 3] = [
    Phase { main: &["fmt", "rooms", "deny", "js"], beside: &[] },
    Phase { main: &["clippy", "docs", "build"], beside: &["wasm"] },
    Phase { main: &["test", "python"], beside: &["browser"] },
];

/// The end of a step: its outcome and the time it took; `None` if it was not run.
type Ended = Option<(Result<Outcome>, Duration)>;

/// The step with this name.
pub fn step(name: &str) -> Result<&'static Step, String> {
    let names = STEPS.each_ref().map(|step| step.name).join(", ");
    STEPS.iter().find(|step| step.name == name).ok_or_else(|| format!("expected one of {names}"))
}

/// The steps for people to read.
pub fn list() -> String {
    STEPS.iter().fold(String::new(), |mut list, step| {
        let _ = writeln!(list, "{:8}{}", step.name, step.summary);
        list
    })
}

/// Runs the steps (all of them if `only` is empty) up to the first that fails. True if none did.
pub fn run(only: &[&'static Step]) -> Result<bool> {
    let workspace = Workspace::load()?;
    std::env::set_current_dir(&workspace.root).context("the root of the workspace cannot be entered")?;
    let chosen: Vec<&Step> =
        STEPS.iter().filter(|step| only.is_empty() || only.iter().any(|only| only.name == step.name)).collect();
    let begin = Instant::now();
    let failed = |ended: &[Ended]| ended.iter().any(|ended| !matches!(ended, Some((Ok(_), _))));
    let mut ended = Vec::new();
    for phase in &PHASES {
        let named = |names: &[&str]| chosen.iter().copied().filter(|step| names.contains(&step.name)).collect::<Vec<_>>();
        let (main, beside) = (named(phase.main), named(phase.beside));
        ended.extend(match (failed(&ended), main.is_empty() || beside.is_empty()) {
            (true, _) => main.iter().chain(&beside).map(|_| None).collect(),
            (false, true) => run_in_turn(&workspace, &[main, beside].concat()),
            (false, false) => run_together(&workspace, &main, &beside),
        });
    }
    print!("{}", summary(&chosen, &ended, begin.elapsed()));
    Ok(!failed(&ended))
}

/// Runs steps one after the other, up to the first that fails.
fn run_in_turn(workspace: &Workspace, steps: &[&Step]) -> Vec<Ended> {
    let mut failed = false;
    let run = |step: &&Step| {
        (!failed).then(|| {
            let ended = run_step(workspace, step);
            failed = ended.0.is_err();
            ended
        })
    };
    steps.iter().map(run).collect()
}

/// Runs the steps of a phase.
fn run_together(workspace: &Workspace, main: &[&Step], beside: &[&Step]) -> Vec<Ended> {
    let log = workspace.target.join("beside.log");
    let names = beside.iter().map(|step| step.name).collect::<Vec<_>>().join(" and ");
    println!("\n== {names}: beside what follows; the output comes after it, and is in {} until then", log.display());
    let (main, others) = thread::scope(|scope| {
        let others = scope.spawn(|| process::with_log(&log, || run_in_turn(workspace, beside)));
        (run_in_turn(workspace, main), others.join().expect("a step returns its errors"))
    });
    if let Ok(text) = std::fs::read_to_string(&log) {
        print!("{text}");
    }
    // Without the log nothing was run.
    let others = others.unwrap_or_else(|error| vec![Some((Err(error), Duration::ZERO))]);
    main.into_iter().chain(others).collect()
}

/// Runs one step, with a heading and its end in words.
fn run_step(workspace: &Workspace, step: &Step) -> (Result<Outcome>, Duration) {
    process::say(&format!("\n== {}: {}", step.name, step.summary));
    let begin = Instant::now();
    let result = (step.run)(workspace);
    let took = begin.elapsed();
    process::say(&match &result {
        Ok(Outcome::Passed) => format!("== {}: passed in {}", step.name, span(took)),
        Ok(Outcome::Skipped(why)) => format!("== {}: SKIPPED, {why}", step.name),
        Ok(Outcome::Unsteady(what)) => format!("== {}: UNSTEADY in {}, {what}", step.name, span(took)),
        Err(error) => format!("== {}: FAILED after {}: {error:#}", step.name, span(took)),
    });
    (result, took)
}

fn summary(chosen: &[&Step], ended: &[Ended], total: Duration) -> String {
    let mut text = String::from("\nSummary\n");
    let mut verdict = String::from("all passed");
    for (index, step) in chosen.iter().enumerate() {
        let name = step.name;
        let _ = match ended.get(index).and_then(Option::as_ref) {
            Some((Ok(Outcome::Passed), took)) => writeln!(text, "  {name:8}passed   {:>11}", span(*took)),
            Some((Ok(Outcome::Skipped(why)), _)) => {
                "passed, but not everything was run".clone_into(&mut verdict);
                writeln!(text, "  {name:8}SKIPPED  {why}")
            }
            Some((Ok(Outcome::Unsteady(what)), took)) => {
                "passed, but not everything at once; what is unsteady wants mending".clone_into(&mut verdict);
                writeln!(text, "  {name:8}UNSTEADY {:>11}  {what}", span(*took))
            }
            Some((Err(_), took)) => {
                verdict = format!("FAILED in {name}; to run it alone: cargo xtask test --only {name}");
                writeln!(text, "  {name:8}FAILED   {:>11}", span(*took))
            }
            None => writeln!(text, "  {name:8}not run"),
        };
    }
    let _ = writeln!(text, "{verdict} ({} in all)", span(total));
    text
}

/// A duration as people say it.
pub fn span(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 59.95 {
        format!("{seconds:.1} s")
    } else {
        let seconds = seconds.round() as u64;
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

/// Sees to a cargo subcommand that a minimal toolchain lacks.
fn component(subcommand: &str, component: &str) -> Result<()> {
    if process::output(cargo().args([subcommand, "--version"])).is_ok() {
        return Ok(());
    }
    process::run(Command::new("rustup").args(["component", "add", component]))
        .with_context(|| format!("`cargo {subcommand}` is needed and could not be installed"))
}

fn fmt(workspace: &Workspace) -> Result<Outcome> {
    component("fmt", "rustfmt")?;
    process::run(cargo().args(["fmt", "--all", "--check"]))?;
    // The modules of the games are declared by a macro, where `cargo fmt` does not find them.
    let games = std::fs::read_dir(workspace.root.join("crates/games/src")).context("crates/games/src cannot be read")?;
    let mut files = games.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "rs"));
    files.sort();
    process::run(Command::new("rustfmt").args(["--check", "--edition", "2024"]).args(files))?;
    Ok(Outcome::Passed)
}

fn rooms(workspace: &Workspace) -> Result<Outcome> {
    rooms::check(workspace)?;
    game_names::check(workspace)?;
    public_names::check(workspace)?;
    module_cycles::check(workspace)?;
    Ok(Outcome::Passed)
}

/// Advisories are left out: they need a download, and change without a change here.
fn deny(_: &Workspace) -> Result<Outcome> {
    if process::output(cargo().args(["deny", "--version"])).is_err() {
        return Ok(Outcome::Skipped("cargo-deny is not installed (cargo install cargo-deny --locked)".to_owned()));
    }
    process::run(cargo().args(["deny", "--workspace", "check", "licenses", "bans", "sources"]))?;
    Ok(Outcome::Passed)
}

fn clippy(workspace: &Workspace) -> Result<Outcome> {
    component("clippy", "clippy")?;
    let clippy = |options: &[&str]| {
        let mut clippy = cargo();
        clippy.arg("clippy").args(options).args(["--", "-D", "warnings"]);
        // The fuzzer is looked at and not linked, so its part in C++ need not be compiled.
        process::run(clippy.env("CUSTOM_LIBFUZZER_PATH", workspace.target.join("libfuzzer.a")))
    };
    clippy(&["--workspace", "--all-targets", "--features", fuzz::FUZZER])?;
    // The library without matches and training. Alone, since other crates of the workspace want them.
    clippy(&["--package", "plyground", "--all-targets", "--no-default-features"])?;
    Ok(Outcome::Passed)
}

fn docs(workspace: &Workspace) -> Result<Outcome> {
    book::check_pages(&workspace.root)?;
    let mut doc = cargo();
    // With the examples, as that chooses the same features of dependencies as tests and clippy have: they are checked already.
    doc.args(["doc", "--workspace", "--no-deps", "--lib", "--bins", "--examples"]).env("RUSTDOCFLAGS", "-D warnings");
    if let Some(driver) = clippy_driver() {
        // What `cargo clippy -- -D warnings` sets: so what it has checked is not checked again. (If it sets something else one day,
        // only time is lost.)
        doc.env("RUSTC_WORKSPACE_WRAPPER", driver).env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
    }
    process::run(&mut doc)?;
    Ok(Outcome::Passed)
}

/// The compiler that `cargo clippy` uses for the crates of the workspace.
fn clippy_driver() -> Option<PathBuf> {
    let sysroot = process::output(Command::new("rustc").args(["--print", "sysroot"])).ok()?;
    let driver = Path::new(sysroot.trim()).join("bin").join(format!("clippy-driver{}", std::env::consts::EXE_SUFFIX));
    driver.is_file().then_some(driver)
}

fn build(_: &Workspace) -> Result<Outcome> {
    process::run(cargo().args(["test", "--workspace", "--no-run"]))?;
    Ok(Outcome::Passed)
}

/// With the engine, all crates below it are built for browsers, where there is no clock, thread or file.
fn wasm(workspace: &Workspace) -> Result<Outcome> {
    if let Err(why) = wasm::compiler() {
        return if std::env::var_os("CI").is_some() { Err(why) } else { Ok(Outcome::Skipped(format!("{why:#}"))) };
    }
    app::build(workspace)?;
    Ok(Outcome::Passed)
}

/// The tests of the queue on the network start servers of their own on free ports of this computer, and stop them.
fn test(workspace: &Workspace) -> Result<Outcome> {
    second_opinion();
    sandbox();
    let server = nats::server(workspace);
    let outcome = match &server {
        Err(why) if std::env::var_os("CI").is_some() => anyhow::bail!("{why:#}"),
        Err(why) => Outcome::Skipped(format!("what needs a nats-server; the rest has passed ({why:#})")),
        Ok(_) => Outcome::Passed,
    };
    let environment: Vec<(&str, &Path)> = server.iter().map(|server| ("PLYGROUND_NATS_SERVER", server.as_path())).collect();
    let unsteady = test_programs::run(&environment)?;
    process::run(cargo().args(["test", "--workspace", "--doc"]))?;
    let what = || format!("failed beside others and passed alone: {}", unsteady.join("; "));
    Ok(if unsteady.is_empty() { outcome } else { Outcome::Unsteady(what()) })
}

/// Sees to the program that our legal moves are compared with. Tests that need it are skipped where it cannot be had, and say so.
fn second_opinion() {
    const PROGRAM: &str = "fairy-stockfish";
    // Debian puts games in a folder that is not in every search path.
    let here = process::find(PROGRAM).is_some() || Path::new("/usr/games").join(PROGRAM).is_file();
    if !here && let Err(error) = process::apt_install(&[PROGRAM]) {
        println!("{PROGRAM} is not here and could not be installed ({error:#}): the tests that ask it are skipped");
    }
}

/// Sees to the program that confines bots. Without it, namespaces of our own are tested alone, and the tests say so.
fn sandbox() {
    const PROGRAM: &str = "bwrap";
    if cfg!(target_os = "linux")
        && process::find(PROGRAM).is_none()
        && let Err(error) = process::apt_install(&["bubblewrap"])
    {
        println!("{PROGRAM} is not here and could not be installed ({error:#}): what needs it is skipped");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        let texts = [0.04, 59.9, 59.96, 61.4, 1234.0].map(|seconds| span(Duration::from_secs_f64(seconds)));
        assert_eq!(texts, ["0.0 s", "59.9 s", "1 min 00 s", "1 min 01 s", "20 min 34 s"]);
    }

    #[test]
    fn an_unknown_step_is_answered_with_the_known_ones() {
        assert_eq!(step("rooms").map(|step| step.name), Ok("rooms"));
        assert_eq!(
            step("lint").err().as_deref(),
            Some("expected one of fmt, rooms, deny, js, clippy, docs, build, wasm, test, python, browser")
        );
    }

    #[test]
    fn the_summary_tells_what_failed_and_what_was_not_run() {
        let chosen: Vec<&Step> = ["fmt", "rooms", "clippy", "docs"].iter().flat_map(|name| step(name)).collect();
        let second = Duration::from_secs(1);
        let unsteady = [Some((Ok(Outcome::Unsteady("a, b".to_owned())), second))];
        assert_eq!(
            summary(&chosen[..1], &unsteady, second),
            "\nSummary\n  fmt     UNSTEADY       1.0 s  a, b\npassed, but not everything at once; what is unsteady wants mending (1.0 s in all)\n"
        );
        let ended = vec![
            Some((Ok(Outcome::Passed), second)),
            Some((Ok(Outcome::Skipped("no reason".to_owned())), second)),
            Some((Err(anyhow::anyhow!("broken")), second)),
            None,
        ];
        assert_eq!(
            summary(&chosen, &ended, 3 * second),
            "\nSummary\n  fmt     passed         1.0 s\n  rooms   SKIPPED  no reason\n  clippy  FAILED         1.0 s\n  \
             docs    not run\nFAILED in clippy; to run it alone: cargo xtask test --only clippy (3.0 s in all)\n"
        );
    }

    #[test]
    fn steps_are_in_the_order_in_which_they_run() {
        let phases = PHASES.iter().flat_map(|phase| phase.main.iter().chain(phase.beside).copied());
        assert!(phases.eq(STEPS.iter().map(|step| step.name)));
    }

    #[test]
    fn a_skipped_step_is_never_hidden() {
        let chosen: Vec<&Step> = STEPS[..1].iter().collect();
        let ended = vec![Some((Ok(Outcome::Skipped("offline".to_owned())), Duration::ZERO))];
        let text = summary(&chosen, &ended, Duration::ZERO);
        assert!(text.ends_with("passed, but not everything was run (0.0 s in all)\n"), "{text}");
    }
}
