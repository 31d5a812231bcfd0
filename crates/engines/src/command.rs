//! The command of an external engine (`cmd:` in an agent spec): optional keys, then a program and its arguments.

use std::path::{Path, PathBuf};
use std::time::Duration;

use plyground_sandbox::Confinement;
use plyground_session::{EXTERNAL, InputError, Limits, Params};

/// The default time for a move.
const TIME: Duration = Duration::from_secs(1);
/// The folder of games on Debian, which is not in every search path.
const GAMES: &str = "/usr/games";

/// The protocol of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Ugi,
    Uci,
}

/// The command of an external engine with its limits and options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    /// As it was typed.
    pub text: String,
    pub protocol: Protocol,
    pub variant: Option<String>,
    pub limits: Limits,
    /// The longest time until it is ready.
    pub start: Duration,
    /// Megabytes.
    pub memory: u64,
    pub cpu: Duration,
    /// Options of the engine, by name.
    pub options: Vec<(String, String)>,
    /// The path of the program.
    pub program: PathBuf,
    /// The program as it was typed, and its arguments.
    pub words: Vec<String>,
    /// The sandbox of a program that was not typed by the user.
    pub confined: Option<Confined>,
}

/// What is different about a program in a sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Confined {
    pub confinement: Confinement,
    pub files: Vec<(String, PathBuf)>,
    pub log: Option<PathBuf>,
    pub freeze: bool,
}

/// A program of a stranger, which plays in a sandbox: it speaks UGI, and is started anew for every game.
#[derive(Clone, Debug)]
pub struct ConfinedProgram {
    /// Its name in messages.
    pub name: String,
    /// The program and its arguments, as they are called inside.
    pub words: Vec<String>,
    /// The sandbox.
    pub confinement: Confinement,
    /// The time until it must be ready.
    pub start: Duration,
    /// The files that it is made of: what each is called in the settings of a run, and where it is.
    pub files: Vec<(String, PathBuf)>,
    /// The file for what it writes to stderr.
    pub log: Option<PathBuf>,
    /// Are all its processes frozen while it is not asked for anything?
    pub freeze: bool,
}

impl From<&ConfinedProgram> for Command {
    fn from(program: &ConfinedProgram) -> Self {
        let ConfinedProgram { confinement, files, log, freeze, .. } = program.clone();
        Self {
            text: program.name.clone(),
            protocol: Protocol::Ugi,
            variant: None,
            limits: Limits { time: Some(TIME), ..Limits::default() },
            start: program.start,
            memory: confinement.memory,
            cpu: Duration::from_secs(confinement.cpu),
            options: Vec::new(),
            program: program.words.first().map(PathBuf::from).unwrap_or_default(),
            words: program.words.clone(),
            confined: Some(Confined { confinement, files, log, freeze }),
        }
    }
}

impl Command {
    /// Parses the text behind `cmd:`, and looks for the program.
    pub fn parse(text: &str) -> Result<Self, InputError> {
        let malformed = |detail: &str| InputError::malformed("command", text, detail);
        let mut words = shlex::split(text).ok_or_else(|| malformed("a quotation mark is not closed"))?;
        let keys = if words.first().is_some_and(|word| word.contains('=')) { words.remove(0) } else { String::new() };
        let name = words.first().ok_or_else(|| malformed("expected cmd:PROGRAM ARGUMENTS or cmd:KEY=VALUE PROGRAM ARGUMENTS"))?;
        let (options, keys): (Vec<&str>, Vec<&str>) =
            keys.split(',').filter(|part| !part.is_empty()).partition(|part| part.starts_with("option."));
        let params = Params::parse(&keys.join(","))?;
        params.check(EXTERNAL.name, EXTERNAL.keys)?;
        Ok(Self {
            text: text.to_owned(),
            protocol: [Protocol::Ugi, Protocol::Uci][params.choice("protocol", &["ugi", "uci"])?],
            variant: params.get("variant").map(str::to_owned),
            limits: limits(&params)?,
            start: params.duration("start")?.unwrap_or(Duration::from_secs(10)),
            memory: params.number("memory", 16..=1_000_000)?.unwrap_or(4096),
            cpu: params.duration("cpu")?.unwrap_or(Duration::from_hours(1)),
            options: options.into_iter().map(option).collect::<Result<_, _>>()?,
            program: find(name).ok_or_else(|| {
                InputError::malformed("program", name, "there is no such program, neither at this path nor in the search path")
            })?,
            words,
            confined: None,
        })
    }

    /// The program, and those of its arguments that are files: what the command calls each, and where it is.
    pub fn files(&self) -> Vec<(String, PathBuf)> {
        if let Some(confined) = &self.confined {
            return confined.files.clone();
        }
        let arguments = self.words[1..].iter().map(|word| (word.clone(), PathBuf::from(word)));
        let files = arguments.filter(|(_, path)| path.is_file());
        std::iter::once((self.words[0].clone(), self.program.clone())).chain(files).collect()
    }
}

fn limits(params: &Params) -> Result<Limits, InputError> {
    let limits = Limits {
        time: params.duration("time")?,
        nodes: params.number("nodes", 1..=u64::MAX)?,
        depth: params.number("depth", 1..=10_000)?,
        simulations: None,
    };
    Ok(if limits == Limits::default() { Limits { time: Some(TIME), ..limits } } else { limits })
}

/// `option.NAME=VALUE`.
fn option(text: &str) -> Result<(String, String), InputError> {
    let named = text.trim_start_matches("option.").split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = named.ok_or_else(|| InputError::malformed("key", text, "expected option.NAME=VALUE"))?;
    Ok((name.to_owned(), value.to_owned()))
}

/// The path of a program: itself if it is a path, otherwise by the search path.
fn find(name: &str) -> Option<PathBuf> {
    if name.contains(std::path::MAIN_SEPARATOR) {
        return Some(PathBuf::from(name)).filter(|path| path.is_file());
    }
    let search = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&search).chain([PathBuf::from(GAMES)]);
    let endings = ["", std::env::consts::EXE_SUFFIX];
    let mut places = folders.flat_map(|folder| endings.map(|ending| folder.join(format!("{name}{ending}"))));
    places.find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_a_program_and_its_arguments() {
        let command = Command::parse("sh -c 'echo a, b=c'").unwrap();
        assert_eq!(command.words, ["sh", "-c", "echo a, b=c"]);
        assert_eq!((command.protocol, command.limits.time), (Protocol::Ugi, Some(TIME)));
        assert!(command.program.is_absolute() && command.program.ends_with("sh"), "{command:?}");
        assert_eq!(command.files().len(), 1);
    }

    #[test]
    fn keys_are_the_first_word() {
        let command = Command::parse("protocol=uci,variant=clobber,depth=4,memory=64,option.Hash=8 /bin/sh a=b").unwrap();
        assert_eq!((command.protocol, command.variant.as_deref()), (Protocol::Uci, Some("clobber")));
        assert_eq!((command.limits.depth, command.limits.time, command.memory), (Some(4), None, 64));
        assert_eq!(command.options, [("Hash".to_owned(), "8".to_owned())]);
        assert_eq!(command.words, ["/bin/sh", "a=b"]);
        let quoted = Command::parse("'option.Skill Level=3' sh").unwrap();
        assert_eq!(quoted.options, [("Skill Level".to_owned(), "3".to_owned())]);
    }

    #[test]
    fn what_cannot_be_started_is_refused_with_what_was_expected() {
        for (text, words) in [
            ("", "expected cmd:PROGRAM ARGUMENTS"),
            ("protocol=ugi", "expected cmd:PROGRAM ARGUMENTS"),
            ("sh 'open", "a quotation mark is not closed"),
            ("no-such-program-anywhere", "there is no such program"),
            ("./no/such/program", "there is no such program"),
            ("protocol=cecp sh", "unknown value of 'protocol' 'cecp'"),
            ("protocoll=ugi sh", "did you mean 'protocol'?"),
            ("memory=1 sh", "expected memory from 16"),
            ("option.=3 sh", "expected option.NAME=VALUE"),
            ("time=soon sh", "malformed duration"),
        ] {
            let error = Command::parse(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
