//! What is answered to a command line that is not understood: what was found, what was expected, and what may have been meant.

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use plyground_core::nearest;
use plyground_session::{AGENTS, InputError, quoted};

use crate::{Args, VariedKeys};

/// Options that people expect under another name: words with one meaning, of which each command has at most one or two, the best first.
const OPTIONS: &[&[&str]] = &[
    &["games", "pairs", "most-pairs", "count", "number", "matches"],
    &["out", "save", "output", "file", "write", "export", "onnx"],
    &["against", "opponent", "vs", "versus", "enemy"],
    &["as", "side", "colour", "color", "player", "play-as"],
    &["seats", "fixed", "swap", "no-swap", "swapped", "first"],
    &["budget", "move-time", "time"],
    &["budget", "sims", "rollouts", "iterations", "simulations", "playouts"],
    &["budget", "nodes", "depth", "limit", "limits"],
    &["position", "fen", "start", "state"],
    &["openings", "book"],
    &["clock", "game-time", "time-control", "tc"],
    &["threads", "jobs", "cores", "parallel", "concurrency"],
    &["listen", "host", "server", "web", "address", "port", "bind", "url"],
    &["pace", "delay", "speed", "sleep"],
    &["to", "format"],
    &["agent", "agents", "who"],
    &["seed", "random-seed", "rng"],
    &["hours", "time", "duration"],
];

/// Commands that people expect under another name.
const COMMANDS: &[(&str, &str)] = &[
    ("analyse", "think"),
    ("analyze", "think"),
    ("evaluate", "eval"),
    ("list", "games"),
    ("selfplay", "balance"),
    ("self-play", "balance"),
    ("server", "serve"),
    ("simulate", "match"),
    ("studies", "study"),
    ("view", "replay"),
];

/// Words that ask for boards.
const BOARDS: &[&str] = &["show", "watch", "boards", "board", "view", "print", "verbose"];

/// Words that ask for a file, for commands that keep their games in the store.
const FILES: &[&str] = &["o", "out", "output", "save", "file", "write", "export", "md", "html", "csv", "pgn", "report"];

/// Commands that play a run, and write no file themselves.
const PLAY_RUNS: &[&str] = &["ply match", "ply tournament", "ply sprt", "ply host"];

/// The error of the command line in one line.
pub fn message(error: &clap::Error, typed: &[String]) -> String {
    let (command, path) = command_of(typed);
    match (error.kind(), error.get(ContextKind::InvalidSubcommand), error.get(ContextKind::InvalidArg)) {
        (_, Some(ContextValue::String(found)), _) => unknown_command(found, &command, &path),
        (ErrorKind::UnknownArgument, _, Some(ContextValue::String(found))) if is_below_zero(found) => {
            format!("unexpected word {}: {path} takes no numbers below 0 here", quoted(found))
        }
        (ErrorKind::UnknownArgument, _, Some(ContextValue::String(found))) if found.starts_with('-') => {
            unknown_option(found, &command, &path)
        }
        (ErrorKind::UnknownArgument, _, Some(ContextValue::String(found))) => unexpected_word(found, &command, &path, typed),
        _ => in_one_line(&error.render().to_string()),
    }
}

fn is_below_zero(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The command that was typed, with its name as it was typed: `ply runs games`.
fn command_of(typed: &[String]) -> (clap::Command, String) {
    let mut command = Args::command();
    command.build();
    let mut path = "ply".to_owned();
    let mut words = typed.iter();
    while let Some(word) = words.next() {
        match command.find_subcommand(word) {
            Some(found) => {
                path = format!("{path} {word}");
                command = found.clone();
            }
            // Options of every command that take a value.
            None if ["--data", "--seed"].contains(&word.as_str()) => drop(words.next()),
            None if word.starts_with('-') => {}
            None => break,
        }
    }
    (command, path)
}

fn unknown_command(found: &str, command: &clap::Command, path: &str) -> String {
    let what = if path == "ply" { "command".to_owned() } else { format!("command of {path}") };
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name);
    let known: Vec<&str> = shown.filter(|name| *name != "help").collect();
    match COMMANDS.iter().find(|(word, meant)| *word == found && known.contains(meant)) {
        Some((_, meant)) => unknown(&what, found, &format!("did you mean '{meant}'?"), &known),
        None => InputError::unknown(&what, found, known).to_string(),
    }
}

fn unknown_option(found: &str, command: &clap::Command, path: &str) -> String {
    let options: Vec<&str> = command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(clap::Arg::get_long).collect();
    let word = found.trim_start_matches('-').split('=').next().unwrap_or_default();
    let meant = |option: &str| format!("did you mean '--{option}'?");
    let hint = same_meaning(word, &options).map(meant).or_else(|| elsewhere(word, command, path));
    let hint = hint.or_else(|| nearest(word, options.iter().copied()).map(meant));
    let shown: Vec<String> = options.iter().map(|option| format!("--{option}")).collect();
    let what = format!("option of {path}");
    unknown(&what, found, &hint.unwrap_or_default(), &shown)
}

/// The option of the command that means the same.
fn same_meaning<'a>(word: &str, options: &[&'a str]) -> Option<&'a str> {
    let of_group = |group: &&[&str]| group.iter().find_map(|same| options.iter().find(|option| *option == same).copied());
    OPTIONS.iter().filter(|group| group.contains(&word)).find_map(of_group)
}

/// Where else something like this can be said.
fn elsewhere(word: &str, command: &clap::Command, path: &str) -> Option<String> {
    let takes_game = command.get_positionals().any(|arg| arg.get_id() == "game");
    let takes_agents = command
        .get_positionals()
        .chain(command.get_arguments())
        .any(|arg| arg.get_value_names().is_some_and(|names| names.iter().any(|name| name.as_str() == "SPEC")));
    if BOARDS.contains(&word) && takes_agents {
        return Some("`ply watch GAME SPEC SPEC` draws the boards".to_owned());
    }
    if FILES.contains(&word) && PLAY_RUNS.contains(&path) {
        return Some("`ply report RUN -o FILE` writes a page about the run, `ply runs games RUN -o FILE` its games".to_owned());
    }
    if takes_game && VariedKeys::is_key(word) {
        return Some(format!("a parameter stands behind the name of its game: GAME:{word}=…"));
    }
    let of_agents = |key: &str| AGENTS.iter().flat_map(|agent| agent.keys).any(|known| known.key == key);
    if takes_agents && of_agents(word) {
        return Some(format!("a key stands behind the name of its agent: NAME:{word}=…"));
    }
    (path == "ply").then(|| "options stand behind the command".to_owned())
}

/// A word behind all that the command takes.
fn unexpected_word(found: &str, command: &clap::Command, path: &str, typed: &[String]) -> String {
    let takes: Vec<String> = command.get_positionals().map(ToString::to_string).collect();
    let takes = if takes.is_empty() { "no words".to_owned() } else { takes.join(" ") };
    let hint = if expanded_by_shell(typed) {
        "; the shell has made several words of one with braces: put it in quotes, as in 'mcts:sims={50..100}'"
    } else if path == "ply match" {
        "; `ply tournament` lets more than two agents play"
    } else {
        ""
    };
    format!("unexpected word {}: {path} takes {takes}{hint}", quoted(found))
}

/// Are there two specs beside each other that differ only in digits, as a shell makes them of a range in braces?
fn expanded_by_shell(typed: &[String]) -> bool {
    let without_digits = |word: &String| word.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    typed.windows(2).any(|two| two[0] != two[1] && two[0].contains('=') && without_digits(&two[0]) == without_digits(&two[1]))
}

/// An unknown word in the words of every such error, with a hint of our own.
fn unknown(what: &str, found: &str, hint: &str, known: &[impl AsRef<str>]) -> String {
    let hint = if hint.is_empty() { String::new() } else { format!(" ({hint})") };
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    format!("unknown {what} {}{hint}; expected one of {}", quoted(found), known.join(", "))
}

/// The error of clap's message, without its usage lines, and without its tips about `--`: nothing here takes a word that begins like an
/// option.
fn in_one_line(message: &str) -> String {
    let paragraphs = message.split("\n\n").map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
    let is_told =
        |part: &String| !part.is_empty() && !["Usage:", "For more", "tip: to pass"].iter().any(|begin| part.starts_with(begin));
    let told: Vec<String> = paragraphs.filter(is_told).collect();
    told.join("; ").trim_start_matches("error: ").to_owned()
}
