//! Engines: ours for others, others' for us.

use std::ffi::OsString;

#[derive(clap::Args)]
pub struct UgiArgs {
    /// The game, e.g. clobber or clobber:size=8x8 (see `ply games`); the option Game changes it
    pub game: String,
    /// Who thinks, e.g. mcts:sims=5000 or level=4 (see `ply agents`); the option Agent changes it
    #[arg(long, value_name = "SPEC", default_value = "best")]
    pub agent: String,
}

#[derive(clap::Args)]
pub struct RunEngineArgs {
    /// The process that asks for it: the program is then run by this process, and ends with that one, with everything that it has
    /// started
    #[arg(long, value_name = "PID")]
    pub parent: Option<u32>,
    /// Processor time, in seconds
    #[arg(long, value_name = "S")]
    pub cpu: u64,
    /// Memory, in megabytes
    #[arg(long, value_name = "MB")]
    pub memory: u64,
    /// The sandbox in which it runs, as the arena describes it
    #[arg(long, value_name = "JSON")]
    pub sandbox: Option<String>,
    /// What to run
    pub program: OsString,
    /// Its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}

/// A program that everybody who can see the page may play against.
#[derive(Clone, Debug)]
pub struct NamedEngine {
    pub name: String,
    /// What stands behind `cmd:`.
    pub command: String,
}

/// `NAME=cmd:COMMAND`.
pub fn named_engine(text: &str) -> Result<NamedEngine, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let (name, command) = text
        .split_once("=cmd:")
        .filter(|(name, _)| !name.is_empty() && name.chars().all(plain))
        .ok_or("expected NAME=cmd:PROGRAM ARGUMENTS, with a name of letters, digits, - _ and .")?;
    Ok(NamedEngine { name: name.to_owned(), command: command.trim().to_owned() })
}
