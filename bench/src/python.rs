//! A peer that lives in Python: set up on first use, asked line by line.

use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};

/// A Python script that answers each line with a line.
pub struct Script {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Script {
    /// Starts a script in an environment of its own under the target folder that has this package (`name==version`); it is made on first
    /// use.
    pub fn start(package: &str, script: &str) -> Result<Self> {
        let python = python(package)?;
        let mut child = Command::new(python)
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("Python could not be started")?;
        let questions = child.stdin.take().context("no way to talk to Python")?;
        let answers = BufReader::new(child.stdout.take().context("no way to hear from Python")?);
        Ok(Self { child, questions, answers })
    }

    /// What the script answers.
    pub fn ask(&mut self, question: &str) -> Result<String> {
        writeln!(self.questions, "{question}").context("the script has gone")?;
        let mut line = String::new();
        ensure!(self.answers.read_line(&mut line)? > 0, "the script stopped; its reason is above");
        Ok(line.trim().to_owned())
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        // It only ever waits for the next question, and has nothing to save; if it is gone already, so much the better.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn python(package: &str) -> Result<PathBuf> {
    let name = package.split('=').next().unwrap_or(package);
    let program = std::env::current_exe().context("this program does not know where it is")?;
    // target/release/nets
    let target = program.ancestors().nth(2).context("this program is not in a target folder")?;
    let venv = target.join(format!("{name}-venv"));
    let python = venv.join("bin/python");
    let ready = || {
        output(&python, &["-m", "pip", "freeze"])
            .is_ok_and(|list| list.lines().any(|line| line.replace('-', "_") == package.replace('-', "_")))
    };
    if !ready() {
        eprintln!("making a Python environment with {package} in {}", venv.display());
        output(Path::new("python3"), &["-m", "venv", "--clear", &venv.to_string_lossy()])?;
        output(&python, &["-m", "pip", "install", "--quiet", package])?;
        ensure!(ready(), "pip did not install {package}");
    }
    Ok(python)
}

fn output(python: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new(python).args(arguments).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("{} could not be started", python.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{} {} failed: {}", python.display(), arguments.join(" "), said.trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
