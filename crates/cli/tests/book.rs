//! The commands in the README, in CONTRIBUTING and in the book: those below a comment `<!-- run -->` are run, and all others must at
//! least name subcommands and options that exist.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const PLY: &str = env!("CARGO_BIN_EXE_ply");
/// How long a command of the book may take.
const PATIENCE: Duration = Duration::from_mins(5);
/// Marks a block of commands that are run. Code hosts and mdBook do not show it.
const RUN: &str = "<!-- run -->";
/// What the commands read, copied to where they are run.
const FILES: [&str; 3] = ["bots", "crates/games/tests/data", "docs/competition.toml"];

/// A command of a page.
struct Documented {
    page: PathBuf,
    line: String,
    run: bool,
    /// The first words of what it prints, where the page shows that.
    printed: Option<String>,
}

#[test]
fn commands_that_are_marked_run() {
    let commands = documented();
    let folder = std::env::temp_dir().join(format!("plyground-book-{}", std::process::id()));
    // A process of an earlier time may have had our number.
    let _ = fs::remove_dir_all(&folder);
    for file in FILES {
        copy(&root().join(file), &folder.join(file));
    }
    let begin = Instant::now();
    let (run, rest): (Vec<_>, Vec<_>) = commands.iter().partition(|command| command.run);
    for command in &run {
        check_output(command, &folder);
    }
    println!("{} commands run in {:.1} s; {} not run, but parsed:", run.len(), begin.elapsed().as_secs_f64(), rest.len());
    for command in &rest {
        println!("  {}: {}", command.page.display(), command.line);
    }
    assert!(run.len() >= 30, "only {} commands are marked {RUN}", run.len());
    let _ = fs::remove_dir_all(&folder);
}

#[test]
fn commands_name_subcommands_and_options_that_exist() {
    let mut help = Help::default();
    let faults: Vec<String> = documented()
        .iter()
        .flat_map(|command| invocations(&command.line).into_iter().map(move |words| (command, words)))
        .filter_map(|(command, words)| Some(format!("{}: {}: {}", command.page.display(), command.line, help.fault(&words)?)))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a command and holds it to its exit code and to the words that the page shows.
fn check_output(command: &Documented, folder: &Path) {
    let name = format!("{}: {}", command.page.display(), command.line);
    for words in invocations(&command.line) {
        let data = folder.join("data").join(&command.page);
        let output = run(&words, folder, &data).unwrap_or_else(|| panic!("{name}: not done after {} s", PATIENCE.as_secs()));
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{name}: {}\n{said}{}", output.status, String::from_utf8_lossy(&output.stderr));
        if let Some(printed) = &command.printed {
            assert_eq!(first_words(&said).as_ref(), Some(printed), "{name}: the page shows another beginning");
        }
    }
}

/// The first three words of the first line with any.
fn first_words(text: &str) -> Option<String> {
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    Some(line.split_whitespace().take(3).collect::<Vec<_>>().join(" "))
}

/// Runs `ply` in a folder that is all it can write to; nothing if it does not end in time.
fn run(words: &[String], folder: &Path, data: &Path) -> Option<Output> {
    let file = |name: &str| fs::File::create(folder.join(name)).expect("the folder can be written to");
    let mut child = Command::new(PLY)
        .args(words)
        .current_dir(folder)
        .env("XDG_DATA_HOME", data)
        .stdin(Stdio::null())
        .stdout(file("stdout"))
        .stderr(file("stderr"))
        .spawn()
        .expect("ply can be started");
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            let read = |name: &str| fs::read(folder.join(name)).expect("what was written can be read");
            return Some(Output { status, stdout: read("stdout"), stderr: read("stderr") });
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("a child can be killed");
    child.wait().expect("a child can be waited for");
    None
}

/// The arguments of each `ply` in a line of a shell: `ply …`, or `cargo run … -- …` with no other package or program.
fn invocations(line: &str) -> Vec<Vec<String>> {
    let words = shlex::split(line).unwrap_or_default();
    let commands = words.split(|word| ["&&", "||", "|", ";"].contains(&word.as_str()));
    commands
        .filter_map(|words| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let (["ply", arguments @ ..] | ["cargo", "run", "--release", "--", arguments @ ..]) = words.as_slice() else {
                return None;
            };
            Some(arguments.iter().map(|&word| word.to_owned()).collect())
        })
        .collect()
}

/// All commands of all pages: those of blocks in `sh`, and those of inline code.
fn documented() -> Vec<Documented> {
    let mut pages = vec![PathBuf::from("README.md"), PathBuf::from("CONTRIBUTING.md")];
    for folder in ["docs", "docs/studies"] {
        let entries = fs::read_dir(root().join(folder)).expect("the book can be read");
        let names = entries.map(|entry| Path::new(folder).join(entry.expect("the book can be read").file_name()));
        pages.extend(names.filter(|name| name.extension().is_some_and(|ending| ending == "md")));
    }
    pages.sort();
    let read = |page: PathBuf| {
        let text = fs::read_to_string(root().join(&page)).expect("a page can be read");
        commands_of(&page, &text)
    };
    pages.into_iter().flat_map(read).collect()
}

/// The commands of a page. A block in `text` right behind a block that is run shows what its only command prints.
fn commands_of(page: &Path, text: &str) -> Vec<Documented> {
    let new = |line: &str, run| Documented { page: page.to_owned(), line: line.to_owned(), run, printed: None };
    let mut commands: Vec<Documented> = Vec::new();
    let (mut run, mut shown) = (false, None);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.is_empty() {
            continue;
        }
        let Some(language) = line.strip_prefix("```") else {
            // Inline code may go on in the next line of its paragraph.
            let mut paragraph = line.to_owned();
            while let Some(more) = lines.next_if(|line| !line.is_empty() && !line.starts_with("```")) {
                paragraph = paragraph + " " + more;
            }
            let code = paragraph.split('`').skip(1).step_by(2).filter(|code| code.starts_with("ply "));
            commands.extend(code.map(|code| new(code, false)));
            (run, shown) = (paragraph == RUN, None);
            continue;
        };
        let block = lines.by_ref().take_while(|line| !line.starts_with("```")).collect::<Vec<_>>().join("\n");
        match (language, shown.take()) {
            ("sh", _) => {
                let begin = commands.len();
                let block = block.replace("\\\n", " ");
                commands.extend(block.lines().filter(|line| !invocations(line).is_empty()).map(|line| new(line, run)));
                shown = (run && commands.len() == begin + 1).then_some(begin);
            }
            ("text", Some(command)) => commands[command].printed = first_words(&block),
            _ => {}
        }
        run = false;
    }
    commands
}

/// What `ply … --help` says, each asked for once.
#[derive(Default)]
struct Help(HashMap<Vec<String>, Option<String>>);

impl Help {
    /// Nothing for a subcommand that does not exist.
    fn of(&mut self, path: &[String]) -> Option<&str> {
        let help = self.0.entry(path.to_vec()).or_insert_with(|| {
            let output = Command::new(PLY).args(path).arg("--help").stdin(Stdio::null()).output().expect("ply can be started");
            output.status.success().then(|| String::from_utf8(output.stdout).expect("help is text"))
        });
        help.as_deref()
    }

    /// What is wrong with the arguments, if anything is: placeholders in capital letters and values are not looked at.
    fn fault(&mut self, words: &[String]) -> Option<String> {
        let mut path: Vec<String> = Vec::new();
        for word in words {
            let listed = subcommands(self.of(&path)?);
            let placeholder = word.starts_with('-') || !word.contains(char::is_lowercase);
            if listed.is_empty() || placeholder {
                break;
            }
            path.push(word.clone());
            // Some subcommands are not listed: those that programs call, not people.
            if self.of(&path).is_none() {
                return Some(format!("there is no subcommand {word}"));
            }
        }
        let help = self.of(&path)?;
        let options: Vec<&str> = help.split(|c: char| c.is_whitespace() || ",[]<>=.".contains(c)).collect();
        let given = words.iter().take_while(|word| *word != "--").filter(|word| is_option(word));
        let mut names = given.map(|word| word.split_once('=').map_or(word.as_str(), |(name, _)| name));
        let unknown = names.find(|name| !options.contains(name));
        unknown.map(|name| format!("`ply {}` has no option {name}", path.join(" ")))
    }
}

/// `-o` and `--pairs`, not `-1` or `-`.
fn is_option(word: &str) -> bool {
    word.trim_start_matches('-').len() < word.len() && word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic())
}

/// The subcommands that a help text lists.
fn subcommands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    lines
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| Some(line.split_whitespace().next()?.to_owned()))
        .collect()
}

/// Copies a file, or a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        for entry in fs::read_dir(from).expect("a folder of the repository can be read") {
            let name = entry.expect("a folder of the repository can be read").file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else {
        fs::create_dir_all(to.parent().expect("a file is in a folder")).expect("the temporary folder can be made");
        fs::copy(from, to).expect("a file of the repository can be copied");
    }
}

#[test]
fn commands_are_found_in_pages() {
    let text = "Say `ply games` or `cargo bench`.\n\n<!-- run -->\n```sh\nply moves mnk:size=3x3   # all\n```\n\n```text\na1 and more words\n```\n\n\
                ```sh\nsudo x && ply play pawn \\\n  --against level=2\nnats-server\n```\n";
    let found = commands_of(Path::new("page.md"), text);
    let lines: Vec<&str> = found.iter().map(|command| command.line.as_str()).collect();
    assert_eq!(lines, ["ply games", "ply moves mnk:size=3x3   # all", "sudo x && ply play pawn    --against level=2"]);
    assert_eq!(found.iter().map(|command| command.run).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(found[1].printed.as_deref(), Some("a1 and more"));
    assert_eq!(invocations(&found[1].line), [["moves", "mnk:size=3x3"]]);
    assert_eq!(invocations(&found[2].line), [["play", "pawn", "--against", "level=2"]]);
}

#[test]
fn what_does_not_exist_is_said() {
    let mut help = Help::default();
    let mut fault = |line: &str| help.fault(&invocations(line)[0]);
    assert_eq!(fault("ply match GAME A B --pairs 10"), None);
    assert_eq!(fault("ply runs games RUN --out FILE"), None);
    assert_eq!(fault("ply SUBCOMMAND --help"), None);
    assert_eq!(fault("ply mach pawn").as_deref(), Some("there is no subcommand mach"));
    assert_eq!(fault("ply match pawn random random --pears 3").as_deref(), Some("`ply match` has no option --pears"));
}
