//! `ply ugi`: a conversation as it stands in the documentation of the protocol.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Stdio};

use crate::{Directory, err, out, ply, run};

/// What an engine answers to these lines, without what depends on the machine.
fn answers(game: &str, agent: &str, lines: &str) -> Vec<String> {
    let data = Directory::new("ugi");
    let mut command = ply(&data);
    command.args(["ugi", game, "--agent", agent]);
    let output = run(command, lines);
    assert!(output.status.success(), "{}", err(&output));
    out(&output).lines().map(without_times).collect()
}

/// A line without rates and times.
fn without_times(line: &str) -> String {
    let mut words = Vec::new();
    let mut rest = line.split(' ');
    while let Some(word) = rest.next() {
        if line.starts_with("info ") && ["nps", "time"].contains(&word) {
            rest.next();
        } else {
            words.push(word);
        }
    }
    words.join(" ")
}

#[test]
fn it_introduces_itself_with_the_game_and_its_keys_as_options() {
    assert_eq!(
        answers("clobber:size=4x5", "random", "ugi\nisready\nquit\n"),
        [
            concat!("id name Plyground ", env!("CARGO_PKG_VERSION")),
            "id author the Plyground maintainers",
            "option name Game type string default clobber:size=4x5",
            "option name Agent type string default random",
            "option name Seed type spin default 5 min 0 max 18446744073709551615",
            "option name size type string default 4x5",
            "option name own type check default false",
            "option name random type string default off",
            "ugiok",
            "readyok",
        ]
    );
}

#[test]
fn positions_are_set_up_and_asked_about() {
    let lines = "position startpos moves a1 b1 a2 b2\nquery p1turn\nquery gameover\nquery result\nquery fen\nquery moves\n\
                 position startpos moves a1 b1 a2 b2 a3\nquery p1turn\nquery gameover\nquery result\nquery moves\n\
                 position fen 3/3/xo1 x 3 moves a2 b2 a3\nquery result\nposition fen xox/oxx/oxo o 3\nquery result\n";
    let expected = [
        "response true",
        "response false",
        "response none",
        "response 3/xo1/xo1 x 3",
        "response a3 b3 c1 c2 c3",
        "response false",
        "response true",
        "response p1win",
        "response none",
        "response p1win",
        "response draw",
    ];
    assert_eq!(answers("tictactoe", "random", lines), expected);
}

#[test]
fn certain_results_are_counted_in_plies() {
    let lines =
        "uginewgame\nisready\nposition startpos moves a1 b1 a2 b2\ngo depth 5\nposition startpos moves a1 b1 a2 b2 c1\ngo\n";
    let answers = answers("tictactoe", "solve", lines);
    let best: Vec<&String> = answers.iter().filter(|line| line.starts_with("bestmove")).collect();
    assert_eq!(best, ["bestmove a3", "bestmove b3"]);
    assert!(answers.iter().any(|line| line.contains("score mate 1 ") && line.ends_with("pv a3")), "{answers:?}");
    let lost = self::answers("tictactoe", "solve", "position fen x1o/3/xox o 3\ngo\n");
    assert!(lost.iter().any(|line| line.contains("score mate -2 ")), "{lost:?}");
}

#[test]
fn chance_stands_in_the_list_of_moves() {
    let lines = "position startpos moves 5444\nquery chance\nquery p1turn\nquery moves\ngo nodes 5\nposition startpos moves 5444 @- 1323 @- 5343 @42\n\
                 query chance\nquery p1turn\ngo nodes 5\n";
    let answers = answers("tuc-chess", "random", lines);
    assert_eq!(answers[..2], ["response true", "response false"]);
    assert!(answers[2].starts_with("response @- @20"), "{answers:?}");
    assert!(answers[3].starts_with("info string error: a chance outcome is needed here"), "{answers:?}");
    assert_eq!(answers[4..7], ["bestmove none", "response false", "response false"]);
    let best = answers.last().unwrap().strip_prefix("bestmove ").unwrap();
    assert!(["0313", "1020", "1121", "1222", "1424", "2333"].contains(&best), "{answers:?}");
}

#[test]
fn options_change_the_game_and_the_agent() {
    let lines = "setoption name Game value pawn:size=4x4\nposition startpos\nquery fen\nsetoption name size value 5x5\nposition startpos\nquery fen\n\
                 setoption name Game value clobber\nsetoption name own value true\nsetoption name Size value 3x1\nsetoption name random value off\nposition startpos\nquery moves\n\
                 setoption name Agent value solve\nsetoption name Seed value 9\ngo\n";
    let answers = answers("tictactoe", "random", lines);
    assert_eq!(answers[..2], ["response pppp/4/4/PPPP w", "response ppppp/5/5/5/PPPPP w"]);
    assert_eq!(answers[2], "response a1b1 c1b1");
    assert!(answers.last().unwrap().starts_with("bestmove "), "{answers:?}");
}

#[test]
fn nonsense_is_answered_in_words_and_changes_nothing() {
    let lines = "hello\nsetoption\nsetoption name Gme value x\nsetoption name size value huge\nsetoption name Agent value mtcs\nposition\nposition fen x\n\
                 go\nposition startpos moves z9\ngo fast\nquery\nquery who\ngo depth many\n\nposition startpos moves a1\nquery fen\n";
    let answers = answers("tictactoe", "random", lines);
    assert_eq!(answers.last().unwrap(), "response 3/3/x2 o 3");
    let (errors, rest): (Vec<&String>, Vec<&String>) = answers.iter().partition(|line| line.starts_with("info string error: "));
    assert_eq!(errors.len(), 13, "{answers:?}");
    assert_eq!(rest[..3], ["bestmove none"; 3], "{answers:?}");
    for words in ["did you mean 'Game'", "did you mean 'mcts'", "expected setoption name NAME value VALUE", "illegal move"] {
        let said = errors.iter().any(|error| error.contains(words) || words == "illegal move" && error.contains("z9"));
        assert!(said, "{words}: {answers:?}");
    }
}

#[test]
fn what_cannot_be_played_is_refused_at_once() {
    let data = Directory::new("ugi-refused");
    for (words, expected) in [(["clober", "random"], "did you mean 'clobber'"), (["clobber", "randm"], "did you mean 'random'")] {
        let output = ply(&data).args(["ugi", words[0], "--agent", words[1]]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains(expected), "{}", err(&output));
    }
}

struct Talk {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Talk {
    fn say(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The lines up to the first that begins like this.
    fn until(&mut self, start: &str) -> Vec<String> {
        let mut heard = Vec::new();
        for line in self.lines.by_ref() {
            heard.push(line.unwrap());
            if heard.last().unwrap().starts_with(start) {
                return heard;
            }
        }
        panic!("expected {start}, found {heard:?}");
    }
}

#[test]
fn it_listens_while_it_thinks() {
    let data = Directory::new("ugi-listens");
    let mut child = ply(&data).args(["ugi", "clobber:size=8x8", "--agent", "mcts"]).stdin(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut talk = Talk { child, lines };
    talk.say("position startpos");
    talk.say("go infinite");
    talk.say("isready");
    talk.until("readyok");
    talk.until("info depth");
    talk.say("stop");
    let heard = talk.until("bestmove");
    assert!(heard.iter().any(|line| line.contains("score cp") && line.contains(" pv ")), "{heard:?}");
    // An agent that has thought to the end still waits for the word.
    talk.say("setoption name Agent value random");
    talk.say("go infinite");
    talk.say("isready");
    let heard = talk.until("readyok");
    assert!(!heard.iter().any(|line| line.starts_with("bestmove")), "{heard:?}");
    talk.say("stop");
    talk.until("bestmove");
    // A search that nobody stops ends with the program.
    talk.say("setoption name Agent value mcts");
    talk.say("go movetime 600000");
    talk.say("quit");
    talk.until("bestmove");
    assert!(talk.child.wait().unwrap().success());
}

#[test]
fn endless_lines_and_floods_of_commands_are_refused() {
    let long = format!("position startpos moves {}\n", "a1 ".repeat(700_000));
    let said = answers("tictactoe", "random", &format!("{long}go\nposition startpos\ngo depth 1\nquit\n"));
    assert_eq!(said[0], "info string error: a command may have 1048576 bytes, and this one was longer", "{said:?}");
    // What was not read may have been the position.
    assert_eq!(said.iter().filter(|line| *line == "bestmove none").count(), 1, "{said:?}");
    assert!(said.iter().any(|line| line.starts_with("bestmove") && line != "bestmove none"), "{said:?}");
    let flood = format!("go movetime 3000\n{}quit\n", "query moves\n".repeat(1_500));
    let said = answers("clobber:size=8x8", "mcts", &flood);
    let place = said.iter().position(|line| line == "info string error: more than 1000 commands came during a search");
    assert_eq!(place, Some(said.len() - 1), "{said:?}");
    assert!((1_000..1_200).contains(&said.len()), "{said:?}");
}
