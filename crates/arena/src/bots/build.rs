//! From an upload to a program that can be started: compiled in the sandbox where its language needs that.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use plyground_engines::ConfinedProgram;
use plyground_sandbox::{Confinement, Isolation};
use serde::{Deserialize, Serialize};

use super::upload::{Language, Source};
use crate::settings::ArenaSettings;

/// A compiler may take so long, and so much memory.
const COMPILING: Duration = Duration::from_mins(1);
const COMPILER_MEMORY: u64 = 2_048;
/// The most bytes of a compiled bot, and of what a compiler says.
const LARGEST: u64 = 64 * 1024 * 1024;
const WORDS: u64 = 16 * 1024;
/// A bot must be ready after this time.
const START: Duration = Duration::from_secs(10);
/// Processor time of a bot in a game, in seconds.
const CPU: u64 = 1_200;

/// The compilers and interpreters of this computer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runtimes {
    /// The folder of Rust, which is often not under `/usr`.
    pub rust: Option<PathBuf>,
}

impl Runtimes {
    /// Looks for them.
    pub fn find() -> Self {
        let output = Command::new("rustc").args(["--print", "sysroot"]).stdin(Stdio::null()).stderr(Stdio::null()).output();
        let folder = output.ok().filter(|output| output.status.success());
        let folder = folder.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
        Self { rust: folder.filter(|folder| folder.join("bin/rustc").is_file() && has("cc")) }
    }

    /// Can bots in this language be played here?
    pub fn know(&self, language: Language) -> bool {
        match language {
            Language::Python => has("python3"),
            Language::Java => has("java") && has("javac") && has("jar"),
            Language::Rust => self.rust.is_some(),
            Language::Cpp => has("g++"),
            Language::Program => true,
        }
    }
}

/// Is a program where confined programs find it?
fn has(program: &str) -> bool {
    Path::new("/usr/bin").join(program).exists()
}

/// What it takes to start a bot: kept beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Built {
    /// The program and its arguments, as they are called inside.
    pub words: Vec<String>,
}

/// The name of the file with it.
const BUILT: &str = "program.json";
/// The folder that a bot sees.
const RUN: &str = "run";
/// What was uploaded.
const UPLOADED: &str = "upload";
/// What it writes to stderr.
const LOG: &str = "stderr.log";

/// The folder of a version of a bot.
#[derive(Clone, Debug)]
pub struct BotFolder(pub PathBuf);

impl BotFolder {
    /// The file for what it writes to stderr.
    pub fn log(&self) -> PathBuf {
        self.0.join(LOG)
    }

    /// Keeps an upload as it came.
    pub fn keep(&self, contents: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.0)?;
        fs::write(self.0.join(UPLOADED), contents)
    }

    /// What was uploaded.
    pub fn uploaded(&self) -> io::Result<Vec<u8>> {
        fs::read(self.0.join(UPLOADED))
    }

    /// The bot in its sandbox, under a name.
    pub fn program(&self, name: &str, isolation: Isolation, settings: &ArenaSettings) -> io::Result<ConfinedProgram> {
        let built: Built = serde_json::from_slice(&fs::read(self.0.join(BUILT))?)?;
        Ok(ConfinedProgram {
            name: name.to_owned(),
            words: built.words,
            confinement: Confinement {
                folder: Some(self.0.join(RUN)),
                memory: settings.memory,
                cpu: CPU,
                processes: settings.processes,
                tmp: settings.tmp,
                ..Confinement::new(isolation)
            },
            start: START,
            files: vec![(name.to_owned(), self.0.join(UPLOADED))],
            log: Some(self.log()),
            freeze: settings.freeze,
        })
    }
}

/// What a build needs beside the upload.
pub struct Builder<'a> {
    /// The program that sets up the sandbox.
    pub guard: &'a Path,
    /// How it is made.
    pub isolation: Isolation,
    /// The compilers.
    pub runtimes: &'a Runtimes,
    /// Memory of a bot, in megabytes.
    pub memory: u64,
}

impl Builder<'_> {
    /// Unpacks and compiles a bot in its folder. The error is for its author: what the compiler said.
    pub fn build(&self, folder: &BotFolder, source: &Source) -> Result<(), String> {
        let language = source.language;
        if !self.runtimes.know(language) {
            return Err(format!("{} is not installed where the arena runs", language.title()));
        }
        let run = folder.0.join(RUN);
        let system = |error: io::Error| format!("the server could not keep it: {error}");
        let _ = fs::remove_dir_all(&run);
        fs::create_dir_all(&run).map_err(system)?;
        let words = match language {
            Language::Python => {
                write_files(&run, source).map_err(system)?;
                vec!["/usr/bin/python3".to_owned(), "-u".to_owned(), format!("/bot/{}", source.main)]
            }
            Language::Program => {
                write_files(&run, source).map_err(system)?;
                make_executable(&run.join(&source.main)).map_err(system)?;
                vec![format!("/bot/{}", source.main)]
            }
            Language::Java | Language::Rust | Language::Cpp => {
                let name = if language == Language::Java { "bot.jar" } else { "bot" };
                let compiled = self.compile(&folder.0.join("source"), source)?;
                fs::write(run.join(name), compiled).map_err(system)?;
                make_executable(&run.join(name)).map_err(system)?;
                if language == Language::Java {
                    let heap = format!("-Xmx{}m", self.memory / 2);
                    let words = ["/usr/bin/java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", &heap, "-cp", "/bot/bot.jar"];
                    words.into_iter().map(str::to_owned).chain([main_class(source)]).collect()
                } else {
                    vec!["/bot/bot".to_owned()]
                }
            }
        };
        let built = serde_json::to_vec(&Built { words }).map_err(|error| error.to_string())?;
        fs::write(folder.0.join(BUILT), built).map_err(system)
    }

    /// Compiles in the sandbox to one file, which comes out through a pipe: nothing of the host can be written to.
    fn compile(&self, place: &Path, source: &Source) -> Result<Vec<u8>, String> {
        let system = |error: io::Error| format!("the compiler could not be started: {error}");
        let _ = fs::remove_dir_all(place);
        fs::create_dir_all(place).and_then(|()| write_files(place, source)).map_err(system)?;
        let files = source.names().join(" ");
        let main = &source.main;
        let rust = self.runtimes.rust.clone().unwrap_or_default();
        // Names have no characters that a shell knows.
        let script = match source.language {
            Language::Java => {
                format!("javac -nowarn -proc:none -d $place/out {files} >&2 && jar cf $place/bot -C $place/out . >&2")
            }
            Language::Rust => format!("'{}/bin/rustc' -O --edition 2021 -o $place/bot {main} >&2", rust.display()),
            _ => format!("g++ -O2 -std=c++20 -pthread -o $place/bot {files} >&2"),
        };
        let script = format!("place=$(mktemp -d) && mkdir $place/out && {script} && cat $place/bot && rm -r $place");
        let sandbox = Confinement {
            folder: Some(place.to_owned()),
            visible: self.runtimes.rust.iter().filter(|_| source.language == Language::Rust).cloned().collect(),
            memory: COMPILER_MEMORY,
            cpu: COMPILING.as_secs(),
            processes: 256,
            tmp: 256,
            ..Confinement::new(self.isolation)
        };
        let mut command = Command::new(self.guard);
        command.args(["run-engine", "--parent", &std::process::id().to_string(), "--cpu", "60", "--memory", "2048", "--sandbox"]);
        command.arg(sandbox.to_word()).args(["--", "/usr/bin/sh", "-c"]).arg(script);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(system)?;
        let (compiled, words) = await_output(child);
        let _ = fs::remove_dir_all(place);
        match compiled {
            Ok(compiled) if !compiled.is_empty() => Ok(compiled),
            Ok(_) => Err(format!("the compiler refused it:\n{words}")),
            Err(why) => Err(format!("{why}\n{words}")),
        }
    }
}

/// What a process writes, with what it says on stderr, unless it takes too long or writes too much.
fn await_output(mut child: Child) -> (Result<Vec<u8>, String>, String) {
    let bounded = |pipe: Option<Box<dyn Read + Send>>, most: u64| {
        thread::spawn(move || {
            let mut kept = Vec::new();
            if let Some(mut pipe) = pipe {
                // An error is the end of the pipe.
                let _ = pipe.by_ref().take(most + 1).read_to_end(&mut kept);
            }
            kept
        })
    };
    let output = bounded(child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>), LARGEST);
    let words = bounded(child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>), WORDS);
    let begin = Instant::now();
    let mut late = false;
    let success = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.success(),
            Err(_) => break false,
            Ok(None) => late = begin.elapsed() > COMPILING,
        }
        if late {
            // With the launcher ends all that it has started.
            let _ = child.kill();
            let _ = child.wait();
            break false;
        }
        thread::sleep(Duration::from_millis(10));
    };
    let [output, words] = [output, words].map(|thread| thread.join().unwrap_or_default());
    let mut words = String::from_utf8_lossy(&words).into_owned();
    words.truncate(words.floor_char_boundary(WORDS as usize));
    let result = match (late, output.len() as u64 > LARGEST, success) {
        (true, ..) => Err(format!("the compiler was ended after {} s", COMPILING.as_secs())),
        (_, true, _) => Err(format!("expected a program of at most {} MB, found more", LARGEST >> 20)),
        (.., false) => Ok(Vec::new()),
        (.., true) => Ok(output),
    };
    (result, words)
}

fn write_files(folder: &Path, source: &Source) -> io::Result<()> {
    for file in &source.files {
        let place = folder.join(&file.name);
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(place, &file.contents)?;
    }
    open_to_all(folder)
}

/// Lets the user that a bot runs as read its files.
#[cfg(unix)]
fn open_to_all(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_to_all(&entry.path())?;
        } else {
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o644))?;
        }
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn open_to_all(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn make_executable(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The class that a program in Java begins with: the name of its file, behind its package.
fn main_class(source: &Source) -> String {
    let name = source.main.rsplit('/').next().unwrap_or_default().trim_end_matches(".java").to_owned();
    let text = source.main_file().map(|file| String::from_utf8_lossy(&file.contents).into_owned()).unwrap_or_default();
    let package = text.lines().find_map(|line| line.trim().strip_prefix("package ")?.split(';').next());
    let is_name = |package: &&str| package.chars().all(|c| c.is_ascii_alphanumeric() || "._".contains(c));
    package.map(str::trim).filter(is_name).map_or(name.clone(), |package| format!("{package}.{name}"))
}
