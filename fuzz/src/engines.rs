//! Lines from and to other programs: the output of an engine, UGI commands to ours, commands that start an engine.

use std::io::Cursor;
use std::str::from_utf8;

use plyground_engines::fuzzing::{command_words, engine_lines, engine_report, uci_position};
use plyground_engines::{UgiOptions, serve_ugi};
use plyground_session::{NoResources, infos, open};

use crate::{choice, chosen};

/// The longest line of an engine that is kept, and the bounds of what it may say.
const LINE: usize = 64 << 10;
const LONGEST_OPTION: usize = 200;
const LONGEST_PV: usize = 256;

/// The output of an engine, whatever it is, becomes lines, options and an expectation within their bounds.
pub fn output(input: &[u8]) -> bool {
    let lines = engine_lines(input);
    // A byte that is no text becomes a mark of three bytes.
    assert!(lines.iter().all(|line| line.len() <= 3 * LINE && !line.contains('\n')));
    assert!(lines.len() <= input.len());
    let (options, info) = engine_report(&lines);
    assert!(options.iter().all(|name| (1..=LONGEST_OPTION).contains(&name.len())));
    assert!(info.value.is_none_or(|value| (-1.0..=1.0).contains(&value)) && info.line.len() <= LONGEST_PV, "{info:?}");
    !options.is_empty() || info.value.is_some()
}

pub fn output_seeds() -> Vec<Vec<u8>> {
    let text = "id name Bot\noption name Skill Level type spin default 20\nugiok\nreadyok\n\
        info depth 3 seldepth 4 score cp 31 nodes 77 nps 9 time 1 pv a1a2 b1b2\ninfo score mate -4 string done\nbestmove a1a2\n";
    vec![text.into()]
}

/// The longest time, and the most simulations, that the commands of an input may ask for.
const MOST: u64 = 20;

/// The commands of an input, without the long searches that would be asked for rightly.
fn commands_of(text: &str) -> String {
    let short = |line: &str| -> String {
        let word = |word: &str| word.parse::<u64>().map_or_else(|_| word.to_owned(), |number| number.min(MOST).to_string());
        if line.trim_start().starts_with("go") {
            line.split(' ').map(word).collect::<Vec<_>>().join(" ")
        } else {
            line.to_owned()
        }
    };
    let is_short = |line: &&str| !line.to_ascii_lowercase().contains("agent");
    text.lines().filter(is_short).take(40).map(short).collect::<Vec<_>>().join("\n")
}

/// Commands to our engine are answered line by line, until the input ends: as many moves as searches, and each of them legal or none.
pub fn ugi(input: &[u8]) -> bool {
    let infos = infos();
    let Some((number, rest)) = choice(input, infos.len()) else { return false };
    let Ok(text) = from_utf8(rest) else { return false };
    let options = UgiOptions { game: infos[number].name, agent: "mcts:sims=5", seed: 1, resources: &NoResources };
    let mut answers = Vec::new();
    let commands = commands_of(text);
    serve_ugi(&options, Cursor::new(commands.clone().into_bytes()), &mut answers).expect("memory can be written to");
    let answers = String::from_utf8(answers).expect("answers are text");
    let count = |word: &str| commands.lines().filter(|line| line.trim().split(' ').next() == Some(word)).count();
    let moves: Vec<&str> = answers.lines().filter(|line| line.starts_with("bestmove ")).collect();
    assert!(moves.len() == count("go") || moves.len() < count("go") && count("quit") > 0, "{commands}\n{answers}");
    moves.iter().any(|line| *line != "bestmove none")
}

pub fn ugi_seeds() -> Vec<Vec<u8>> {
    let infos = infos();
    let line = |game: &str| {
        let session = open(game, None).expect("a game opens with its defaults");
        let (position, moves) = (session.position(), session.moves());
        let first = moves.first().map_or("", |mv| mv.text.as_str());
        format!(
            "ugi\nsetoption name Seed value 7\nisready\nuginewgame\nposition startpos moves {first}\nquery fen\nquery moves\n\
             position fen {position}\ngo movetime 5\nstop\nquery p1turn\ngo infinite\nstop\ngo nodes 9 depth 2\nquit"
        )
    };
    infos.iter().enumerate().map(|(number, info)| chosen(number, line(info.name))).collect()
}

/// A command of an engine is refused with an error, or its words are those that were typed; positions are told in UCI or not at all.
pub fn commands(input: &[u8]) -> bool {
    let Ok(text) = from_utf8(input) else { return false };
    let words = command_words(text);
    assert!(words.as_ref().is_none_or(|words| !words.is_empty()));
    let (game, position) = text.split_once('\n').unwrap_or((text, "xo3/5/5/5/5/1x2o o"));
    let fen = uci_position(game, position);
    assert!(fen.as_ref().is_none_or(|fen| fen.ends_with(" - - 0 1")));
    words.is_some() || fen.is_some()
}

pub fn command_seeds() -> Vec<Vec<u8>> {
    [
        "sh -c 'echo a, b=c'",
        "protocol=uci,variant=clobber,depth=4,memory=64,option.Hash=8 sh a=b",
        "clobber:size=5x6\nxo3/5/5/5/5/1x2o o",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
