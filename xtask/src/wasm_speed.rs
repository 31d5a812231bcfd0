//! `cargo xtask wasm-speed`: the engine in Chromium and the native one, side by side in one run on one machine.
//!
//! Both sides take turns on one core, and the best round of each counts. Of an opponent's answers the slowest counts, because that is the
//! one that a player waits for.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::app;
use crate::browser::Browser;
use crate::js::prepare;
use crate::process::{self, cargo};
use crate::workspace::Workspace;

/// The games on which simulations are counted.
const GAMES: [&str; 3] = ["clobber:size=5x6", "crosphere:size=8x8,strong=5", "connect-four"];
const ROUNDS: u64 = 5;
const SIMULATIONS: u64 = 200_000;
/// The part of the native rate that the browser has to reach.
const LEAST_SHARE: f64 = 1.0 / 3.0;

/// The opponent that has to answer in time, and how long it may take in milliseconds.
const OPPONENT: &str = "level=4";
const LONGEST: f64 = 1_000.0;
const ANSWERS: u64 = 3;

/// Measures and prints. True if no bar was missed.
pub fn run() -> Result<bool> {
    let workspace = Workspace::load()?;
    let browser = Browser::find()?;
    let dist = app::build(&workspace)?;
    process::run(cargo().args(["build", "--release", "--package", "plyground-cli"]))?;
    let ply = workspace.target.join("release/ply");
    let mut page = Page::open(&browser, &prepare(&workspace)?, &dist)?;
    let rates = GAMES.iter().map(|game| rates(game, &ply, &mut page)).collect::<Result<Vec<_>>>()?;
    let waits = waits(&mut page)?;
    print!("{}", table(&page.version, &rates, &waits));
    Ok(rates.iter().all(Rates::passed) && waits.iter().all(Wait::passed))
}

/// Simulations a second, the best round of each side.
struct Rates {
    game: &'static str,
    browser: f64,
    native: f64,
}

impl Rates {
    fn share(&self) -> f64 {
        self.browser / self.native
    }

    fn passed(&self) -> bool {
        self.share() >= LEAST_SHARE
    }
}

/// How long the opponent's slowest answer from the start position took, in milliseconds.
struct Wait {
    game: String,
    milliseconds: f64,
}

impl Wait {
    fn passed(&self) -> bool {
        self.milliseconds <= LONGEST
    }
}

fn rates(game: &'static str, ply: &Path, page: &mut Page) -> Result<Rates> {
    eprintln!("{game}: {ROUNDS} rounds of {SIMULATIONS} simulations a side");
    let agent = format!("mcts:sims={SIMULATIONS}");
    let mut best = Rates { game, browser: 0.0, native: 0.0 };
    for seed in 0..ROUNDS {
        let seeded = seed.to_string();
        let text =
            process::output(Command::new(ply).args(["think", game, "--agent", &agent, "--seed", &seeded, "--json", "--quiet"]))?;
        best.native = best.native.max(rate(&serde_json::from_str(&text)?)?);
        let request = json!({"do": "think", "game": game, "agent": agent, "seed": seed});
        best.browser = best.browser.max(rate(&page.ask(&request)?["answer"])?);
    }
    Ok(best)
}

/// The rate of an answer that says how much was simulated in which time.
fn rate(answer: &Value) -> Result<f64> {
    let number = |key: &str| answer[key].as_f64().with_context(|| format!("no number under \"{key}\" in {answer}"));
    Ok(number("simulations")? / number("seconds")?)
}

fn waits(page: &mut Page) -> Result<Vec<Wait>> {
    let games = page.ask(&json!({"do": "games"}))?;
    let names = games["answer"].as_array().context("the engine did not list its games")?;
    names
        .iter()
        .map(|info| {
            let game = info["name"].as_str().context("a game without a name")?.to_owned();
            eprintln!("{game}: {ANSWERS} answers of {OPPONENT}");
            let mut milliseconds = 0.0;
            for seed in 0..ANSWERS {
                let answer = page.ask(&json!({"do": "think", "game": game, "agent": OPPONENT, "seed": seed}))?;
                milliseconds =
                    f64::max(milliseconds, answer["milliseconds"].as_f64().context("the page did not say how long it waited")?);
            }
            Ok(Wait { game, milliseconds })
        })
        .collect()
}

/// A page of the app, waiting for requests to its engine.
struct Page {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    version: String,
}

impl Page {
    fn open(browser: &Browser, folder: &Path, dist: &Path) -> Result<Self> {
        let mut child = browser
            .node(folder)
            .arg("speed.mjs")
            .env("PLYGROUND_DIST", dist)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("Node.js could not be started")?;
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().context("no way to hear from the browser")?);
        let mut page = Self { child, questions, answers, version: String::new() };
        page.answer()?["browser"].as_str().context("the browser did not name its version")?.clone_into(&mut page.version);
        Ok(page)
    }

    fn ask(&mut self, request: &Value) -> Result<Value> {
        let questions = self.questions.as_mut().context("no way to talk to the browser")?;
        writeln!(questions, "{request}").context("the browser has gone")?;
        self.answer()
    }

    fn answer(&mut self) -> Result<Value> {
        let mut line = String::new();
        ensure!(self.answers.read_line(&mut line)? > 0, "the browser stopped; its reason is above");
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // At the end of its input it closes the browser and ends.
        self.questions = None;
        let _ = self.child.wait();
    }
}

fn table(version: &str, rates: &[Rates], waits: &[Wait]) -> String {
    let word = |passed| if passed { "passed" } else { "MISSED" };
    let mut text = format!(
        "Chromium {version}\n\n{:32}{:>12}{:>12}{:>8}{:>8}\n",
        "mcts, simulations a second", "browser", "native", "share", "bar"
    );
    for rates in rates {
        let (browser, native, share) = (rates.browser, rates.native, rates.share());
        let _ = writeln!(
            text,
            "{:32}{browser:>12.0}{native:>12.0}{share:>8.2}{LEAST_SHARE:>8.2}  {}",
            rates.game,
            word(rates.passed())
        );
    }
    let _ = writeln!(text, "\n{:32}{:>12}{:>12}", format!("{OPPONENT}, slowest of {ANSWERS} answers"), "ms", "bar");
    for wait in waits {
        let _ = writeln!(text, "{:32}{:>12.0}{LONGEST:>12.0}  {}", wait.game, wait.milliseconds, word(wait.passed()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_held() {
        let rates = |browser| Rates { game: "connect-four", browser, native: 3.0 };
        assert!(rates(1.0).passed() && !rates(0.99).passed());
        let wait = |milliseconds| Wait { game: "pawn".to_owned(), milliseconds };
        assert!(wait(1_000.0).passed() && !wait(1_001.0).passed());
        let text = table("1.2", &[rates(0.5)], &[wait(7.4)]);
        assert!(
            text.contains("0.17    0.33  MISSED") && text.contains("pawn") && text.contains("7        1000  passed"),
            "{text}"
        );
    }

    #[test]
    fn a_rate_needs_both_numbers() {
        assert!((rate(&json!({"simulations": 6, "seconds": 2.0})).unwrap() - 3.0).abs() < 1e-9);
        assert!(rate(&json!({"simulations": 6})).unwrap_err().to_string().contains("seconds"));
    }
}
