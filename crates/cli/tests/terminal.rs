//! Whole games in the terminal, typed by a test.

use std::fs;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A directory of its own for each test, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("plyground-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn ply(data: &Path, args: &[&str], typed: &str) -> Output {
    ply_bytes(data, args, typed.as_bytes())
}

fn ply_bytes(data: &Path, args: &[&str], typed: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ply"))
        .args(args)
        .arg("--data")
        .arg(data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that has stopped reading is not an error of the test.
    let _ = child.stdin.take().unwrap().write_all(typed);
    child.wait_with_output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

const TIC_TAC_TOE: &[&str] = &["play", "tictactoe", "--against", "random", "--seed", "1"];

#[test]
fn a_game_is_played_to_its_end_and_kept() {
    let dir = Scratch::new("whole-game");
    // Every square is tried in turn: what is occupied is refused, and the game goes on.
    let squares = "a1\na1\na2\na3\nb1\nb2\nb3\nc1\nc2\nc3\n";
    let out = stdout(&ply(&dir.0, TIC_TAC_TOE, squares));
    assert!(out.contains("You win: the game is over, Crosses (first) wins: Crosses has 3 in a row."), "{out}");
    assert!(out.contains("is occupied (? lists the legal moves)"), "{out}");
    let games = fs::read_to_string(dir.file("games.jsonl")).unwrap();
    assert!(games.contains("\"plyground\":1") && games.contains("\"result\":\"first\""), "{games}");
    assert!(!Path::new(&dir.file("unfinished-1.jsonl")).exists());
    let again = stdout(&ply(&Scratch::new("whole-game-again").0, TIC_TAC_TOE, squares));
    let moves = |text: &str| text.lines().filter(|line| line.contains("plays")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(moves(&out), moves(&again), "same seed, same game");
}

#[test]
fn the_commands_of_a_game() {
    let dir = Scratch::new("commands");
    let file = dir.file("saved.jsonl");
    let typed = format!("?\nhelp\nhint\nundo\nb2\nundo\nb2\nsave\nsave {file}\nsave {file}\nzz\nresign\n");
    let out = stdout(&ply(&dir.0, TIC_TAC_TOE, &typed));
    for expected in [
        "9 legal moves:",
        "1: a1",
        "Try ",
        "You have not made a move yet.",
        "expected a file name: save FILE",
        "Saved. Look at it with: ply replay",
        "malformed square 'zz'",
        "You resign; Noughts wins.",
    ] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
    assert_eq!(out.matches("Saved.").count(), 2, "the file of this game may be written again");
    let kept = fs::read_to_string(dir.file("games.jsonl")).unwrap();
    assert!(kept.contains("\"result\":\"second\"") && kept.contains("Crosses resigned"), "{kept}");

    let replayed = stdout(&ply(&dir.0, &["replay", &file], ""));
    assert!(replayed.contains("\n1. b2") && replayed.contains("\n2. "), "{replayed}");
    let other = stdout(&ply(&dir.0, TIC_TAC_TOE, &format!("save {file}\n")));
    assert!(other.contains("is there already: choose another name"), "another game's file is not overwritten: {other}");
}

#[test]
fn moves_are_played_by_their_numbers_and_in_the_notation_of_the_report() {
    let dir = Scratch::new("numbers");
    let out = stdout(&ply(&dir.0, TIC_TAC_TOE, "1 1\n?\n99\n0\n1\nquit\n"));
    assert!(out.contains("7 legal moves:\n  1: a1"), "the centre is taken, and a reply was made: {out}");
    for refused in ["malformed square '99'", "malformed square '0'"] {
        assert!(out.contains(refused), "{refused}: {out}");
    }
    let game = fs::read_to_string(dir.file("unfinished-1.jsonl")).unwrap();
    let played = |text: &str| game.contains(&format!("\"{text}\""));
    assert!(played("b2") && played("a1"), "kept in the usual notation: {game}");
    // The report prints its moves with brackets; a number that is a move is that move.
    let out = stdout(&ply(&dir.0, TIC_TAC_TOE, "(0, 2)\n(3, 0)\nquit\n"));
    assert!(out.contains("malformed square '(3, 0)': expected a row from 0 to 2, then a column from 0 to 2"), "{out}");
    assert!(fs::read_to_string(dir.file("unfinished-2.jsonl")).unwrap().contains("\"c3\""));
    let args = ["play", "tuc-chess", "--against", "random", "--seed", "5"];
    let out = stdout(&ply(&dir.0, &args, "5242\nquit\n"));
    assert!(!out.contains("malformed") && out.contains("Chance: @"), "four digits are a move: {out}");
}

#[test]
fn two_people_play_at_one_terminal() {
    let dir = Scratch::new("two-people");
    let args = ["play", "tictactoe", "--against", "human", "--seed", "1"];
    let out = stdout(&ply(&dir.0, &args, "undo\na1\nb1\nundo\nb2\na2\nb3\na3\n"));
    assert!(out.contains("mnk:size=3x3,k=3: Crosses (first) against Noughts (second), seed 1"), "{out}");
    assert!(out.contains("Crosses > ") && out.contains("Noughts > ") && !out.contains("(you)"), "{out}");
    assert!(out.contains("Neither of you has made a move yet."), "{out}");
    assert!(out.contains("Crosses wins: the game is over"), "{out}");
    let kept = fs::read_to_string(dir.file("games.jsonl")).unwrap();
    assert!(kept.matches("\"human\"").count() == 2 && kept.contains("\"result\":\"first\""), "{kept}");

    let left = stdout(&ply(&dir.0, &args, "b2\n"));
    assert!(left.contains("go on with"), "{left}");
    let unfinished = dir.file("unfinished-1.jsonl");
    let out = stdout(&ply(&dir.0, &["play", "--resume", &unfinished], "resign\n"));
    assert!(out.contains("Noughts resigns; Crosses wins."), "{out}");
    let refused = ply(&dir.0, &["play", "tictactoe", "--against", "human", "--as", "first"], "");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("both sides are theirs"));
}

#[test]
fn a_side_is_known_by_what_the_game_calls_it() {
    let dir = Scratch::new("sides");
    for (game, side, words) in [
        ("crosphere", "pink", "you (second)"),
        ("crosphere", "Green", "you (first)"),
        ("pawn", "b", "you (second)"),
        ("tictactoe", "cross", "you (first)"),
        ("clobber", "white", "you (second)"),
        ("clobber", "second", "you (second)"),
    ] {
        let out = stdout(&ply(&dir.0, &["play", game, "--against", "random", "--as", side, "--seed", "1"], "quit\n"));
        assert!(out.contains(words), "{game} {side}: {out}");
    }
    let refused = ply(&dir.0, &["play", "crosphere", "--against", "random", "--as", "blue"], "");
    let error = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2));
    assert!(error.contains("unknown side 'blue'; expected one of first, second, green, pink"), "{error}");
}

#[test]
fn a_game_that_was_left_goes_on_where_it_stopped() {
    let dir = Scratch::new("resume");
    let args = ["play", "tictactoe", "--against", "mc:playouts=3", "--as", "second", "--seed", "1"];
    let out = stdout(&ply(&dir.0, &args, ""));
    let unfinished = dir.file("unfinished-1.jsonl");
    assert!(out.contains(&format!("go on with: ply play --resume {unfinished}")), "{out}");
    let mut before: serde_json::Value = serde_json::from_str(&fs::read_to_string(&unfinished).unwrap()).unwrap();
    before["date"] = "2024-03-13T10:48:22Z".into();
    before["tags"]["Device"] = "a laptop of long ago".into();
    fs::write(&unfinished, format!("{before}\n")).unwrap();

    let other = stdout(&ply(&dir.0, TIC_TAC_TOE, "b2\n"));
    assert!(other.contains("unfinished-2.jsonl"), "another game has a file of its own: {other}");

    let again = stdout(&ply(&dir.0, &["play", "--resume", &unfinished], "quit\n"));
    assert!(again.contains("mc:playouts=3 (first) against you (second), seed 1"), "the same players: {again}");
    assert!(again.contains('✕'), "the board is as it was left: {again}");
    let kept: serde_json::Value = serde_json::from_str(&fs::read_to_string(&unfinished).unwrap()).unwrap();
    assert_eq!(kept, before, "nothing is lost, nor when and where it began");

    let squares = "a1\na2\na3\nb1\nb2\nb3\nc1\nc2\nc3\n";
    stdout(&ply(&dir.0, &["play", "--resume", &unfinished], squares));
    assert!(!Path::new(&unfinished).exists() && Path::new(&dir.file("unfinished-2.jsonl")).exists());
    let over = dir.file("games.jsonl");
    let refused = ply(&dir.0, &["play", "--resume", &over], "");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("there is nothing to resume"));
}

#[test]
fn a_killed_game_loses_no_move() {
    let dir = Scratch::new("killed");
    let mut child = Command::new(env!("CARGO_BIN_EXE_ply"))
        .args(TIC_TAC_TOE)
        .arg("--data")
        .arg(&dir.0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut typed = child.stdin.take().unwrap();
    typed.write_all(b"b2\n").unwrap();
    typed.flush().unwrap();
    // The second prompt says that the opponent has answered.
    let mut printed = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut seen = Vec::new();
    while String::from_utf8_lossy(&seen).matches("(you) >").count() < 2 {
        assert!(printed.read_until(b'>', &mut seen).unwrap() > 0, "{}", String::from_utf8_lossy(&seen));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let replayed = stdout(&ply(&dir.0, &["replay", &dir.file("unfinished-1.jsonl")], ""));
    assert!(replayed.contains("\n1. b2") && replayed.contains("\n2. "), "{replayed}");
}

#[test]
fn chance_is_drawn_from_the_seed_and_cannot_be_undone() {
    let dir = Scratch::new("chance");
    let args = ["play", "tuc-chess", "--against", "random", "--seed", "5"];
    let out = stdout(&ply(&dir.0, &args, "c2c3\nundo\nquit\n"));
    assert!(out.contains("Chance: @"), "{out}");
    assert!(out.contains("That cannot be undone: you have seen what chance did"), "{out}");
    let again = stdout(&ply(&Scratch::new("chance-again").0, &args, "5242\nundo\nquit\n"));
    let luck = |text: &str| text.lines().filter(|line| line.starts_with("Chance")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(luck(&out), luck(&again), "same seed, same luck");
}

#[test]
fn play_alone_asks_and_enter_is_enough() {
    let dir = Scratch::new("start");
    let out = stdout(&ply(&dir.0, &["play", "--seed", "2"], "\n\n\nquit\n"));
    assert!(out.contains("game [1]:") && out.contains("you (first) against"), "{out}");
    let out = stdout(&ply(&dir.0, &["play", "--seed", "2"], "checkers\ntictactoe\nmtcs\n1\nthird\nsecond\nquit\n"));
    for expected in ["unknown game 'checkers'", "did you mean 'mcts'?", "unknown side 'third'", "you (second)"] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
    // However wide the columns are.
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in ["1 level=1 first day", "8 level=8 as strong as we can", "9 best", "from the course report", "[4]: "] {
        assert!(words.contains(expected), "{expected}: {out}");
    }
    let out = stdout(&ply(&dir.0, &["play", "--seed", "2"], "tictactoe\n\n\nquit\n"));
    assert!(out.contains("against level=4, club player (second)"), "{out}");
    stdout(&ply(&dir.0, &["play"], ""));
    let out = stdout(&ply(&dir.0, &["play", "--against", "random", "--as", "second", "--seed", "2"], "tictactoe\nquit\n"));
    assert!(out.contains("random (first)") && out.contains("you (second)") && !out.contains("do you play"), "{out}");
}

#[test]
fn training_is_kept_goes_on_and_plays() {
    let dir = Scratch::new("train");
    let file = dir.file("tictactoe.q");
    let first = stdout(&ply(&dir.0, &["train", "tictactoe", "--agent", "q", "--out", &file, "--games", "1500"], ""));
    for expected in ["q has played 1,500 training games of mnk:size=3x3,k=3", "764 positions from 1,500 games", "lost 0)"] {
        assert!(first.contains(expected), "{expected}: {first}");
    }
    assert!(first.contains(&format!("ply play mnk:size=3x3,k=3 --against q:table={file}")), "{first}");
    let more = stdout(&ply(&dir.0, &["train", "tictactoe", "--agent", "q", "--out", &file, "--games", "500", "--json"], ""));
    assert!(more.contains("\"games\":500") && more.contains("\"total_games\":2000"), "{more}");
    let at_once = dir.file("at-once.q");
    stdout(&ply(&dir.0, &["train", "tictactoe", "--agent", "q", "--out", &at_once, "--games", "2000"], ""));
    assert_eq!(fs::read(&file).unwrap(), fs::read(&at_once).unwrap(), "in two sittings or in one, the same table");

    let agent = format!("q:table={file}");
    let json = stdout(&ply(&dir.0, &["think", "tictactoe", "--agent", &agent, "--json"], ""));
    assert!(json.contains("\"simulations\":0") && json.contains("\"training games\":2000.0"), "{json}");
    let text = fs::read(&file).unwrap();
    for (args, message) in [
        (
            vec!["train", "clobber", "--agent", "q", "--out", &file],
            "it was learnt for 'mnk:size=3x3,k=3', not for clobber:size=5x6",
        ),
        (vec!["think", "clobber", "--agent", &agent], "it was learnt for 'mnk:size=3x3,k=3', not for clobber:size=5x6"),
        (vec!["train", "clobber", "--agent", "q", "--out", &dir.file("no/such/file")], "there is no directory"),
        (vec!["train", "clobber", "--agent", "q", "--out", dir.0.to_str().unwrap()], "cannot read"),
    ] {
        let output = ply(&dir.0, &args, "");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(message) && error.lines().count() == 1, "{args:?}: {error}");
    }
    assert_eq!(fs::read(&file).unwrap(), text, "what was learnt stays as it is");
}

/// Starts `ply`, waits until it tells on standard error that it is at work, in a line with these words, and interrupts it.
#[cfg(unix)]
fn interrupted(data: &Path, args: &[&str], words: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ply"))
        .args(args)
        .arg("--data")
        .arg(data)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = String::new();
    let mut errors = std::io::BufReader::new(child.stderr.take().unwrap());
    while !told.contains(words) {
        told.clear();
        let length = errors.read_line(&mut told).unwrap();
        assert!(length > 0, "{args:?}: it has ended by itself");
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let mut output = child.wait_with_output().unwrap();
    output.stderr = told.into_bytes();
    output
}

#[cfg(unix)]
#[test]
fn who_is_interrupted_answers_with_what_there_is() {
    let dir = Scratch::new("interrupted");
    let args = ["think", "clobber", "--agent", "mcts:time=60min", "--json"];
    let thought = stdout(&interrupted(&dir.0, &args, "mcts"));
    assert!(thought.contains("\"move\":\"") && thought.lines().count() == 1, "{thought}");
    let args = ["compare", "tictactoe", "random", "mcts", "mc", "--budget", "time=60min"];
    let compared = stdout(&interrupted(&dir.0, &args, "mcts thinks"));
    assert!(compared.contains("\nrandom ") && compared.contains("\nmcts "), "{compared}");
    assert!(!compared.contains("\nmc "), "nobody else is asked: {compared}");
    let file = dir.file("clobber.q");
    let trained =
        stdout(&interrupted(&dir.0, &["train", "clobber", "--agent", "q", "--out", &file, "--games", "1000000000"], "games"));
    assert!(trained.contains("training games of clobber") && !trained.contains("against random"), "{trained}");
    let agent = format!("q:table={file}");
    stdout(&ply(&dir.0, &["think", "clobber", "--agent", &agent], ""));
}

#[test]
fn nothing_that_is_there_gets_lost() {
    let dir = Scratch::new("kept");
    // A file of games whose last line was cut off by a crash.
    fs::write(dir.file("games.jsonl"), "{\"plyground\":1,\"game\":\"mnk\"").unwrap();
    stdout(&ply(&dir.0, TIC_TAC_TOE, "b2\nresign\n"));
    let games = fs::read_to_string(dir.file("games.jsonl")).unwrap();
    assert_eq!(games.lines().count(), 2, "the new game has a line of its own: {games}");
    assert!(games.ends_with('\n') && games.lines().last().unwrap().contains("Crosses resigned"));

    // Bytes that are no text are refused like any other nonsense.
    let bytes = ply_bytes(&dir.0, TIC_TAC_TOE, b"b2\n\xff\xfe\nquit\n");
    assert!(stdout(&bytes).contains("go on with"));

    // A file of several games is resumed from, and stays as it is, wherever it lies.
    let game = fs::read_to_string(dir.file("unfinished-1.jsonl")).unwrap();
    let several = dir.file("several.jsonl");
    fs::write(&several, game.repeat(2)).unwrap();
    stdout(&ply(&dir.0, &["play", "--resume", &several], "undo\na1\nquit\n"));
    assert_eq!(fs::read_to_string(&several).unwrap(), game.repeat(2));

    // Taking everything back does not throw the game away.
    let unfinished = dir.file("unfinished-1.jsonl");
    stdout(&ply(&dir.0, &["play", "--resume", &unfinished], "undo\nquit\n"));
    assert!(Path::new(&unfinished).exists());
}

#[cfg(unix)]
#[test]
fn a_converted_file_goes_where_it_was_sent() {
    let dir = Scratch::new("links");
    let game = dir.file("game.jsonl");
    stdout(&ply(&dir.0, TIC_TAC_TOE, &format!("b2\nsave {game}\nquit\n")));
    let (target, link) = (dir.file("target.jsonl"), dir.file("link.jsonl"));
    fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    stdout(&ply(&dir.0, &["convert", &game, &link], ""));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "a link stays a link");
    assert_eq!(fs::read_to_string(&target).unwrap(), fs::read_to_string(&game).unwrap());
    let full = ply(&dir.0, &["convert", &game, "/dev/full", "--to", "jsonl"], "");
    assert_eq!(full.status.code(), Some(2), "a device is written to, not replaced");
    let ending = ply(&dir.0, &["convert", &game, &dir.file("game.pgn")], "");
    assert!(String::from_utf8_lossy(&ending.stderr).contains("expected one of jsonl, txt"));
}

#[test]
fn a_bad_opponent_or_file_is_refused_before_the_game() {
    let dir = Scratch::new("refused");
    let broken = dir.file("broken.jsonl");
    fs::write(&broken, "{\"plyground\":1,\"game\":\"mnk\"").unwrap();
    let newer = dir.file("newer.jsonl");
    fs::write(&newer, "{\"plyground\":99}").unwrap();
    let binary = dir.file("binary");
    fs::write(&binary, [0xff, 0xfe, 0x00]).unwrap();
    for (args, message) in [
        (vec!["play", "tictactoe", "--against", "mtcs"], "did you mean 'mcts'?"),
        (vec!["play", "tictactoe", "--against", "mcts:sims=x"], "expected sims from 1"),
        (vec!["play", "--resume", &broken], "line 1: it is cut off"),
        (vec!["replay", &newer], "from a newer Plyground"),
        (vec!["replay", &binary], "expected text (UTF-8)"),
        (vec!["replay", "no-such-file"], "cannot read no-such-file"),
        (vec!["convert", &broken], "it is cut off"),
        (vec!["convert", &newer, "--to", "pgn"], "unknown format 'pgn'"),
    ] {
        let output = ply(&dir.0, &args, "");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(message) && error.lines().count() == 1, "{args:?}: {error}");
    }
}

#[test]
fn ply_alone_serves_the_app() {
    let dir = Scratch::new("serve");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ply"));
    let mut child = command.arg("--data").arg(&dir.0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    std::io::BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
    if said.is_empty() {
        // Somebody else has the port, and it says so.
        let output = child.wait_with_output().unwrap();
        let refused = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && refused.contains("port 7777") && refused.contains("--port 0"), "{refused}");
    } else {
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(said.starts_with("Plyground is at http://127.0.0.1:7777"), "{said}");
    }
}
