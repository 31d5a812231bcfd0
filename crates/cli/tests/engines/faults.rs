//! Programs that crash, stall, cheat, overrun, talk nonsense and take what is not theirs: each loses its games, and the run goes on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::{Directory, endings, err, mock, play_match, ply, root};

/// A match of a mock engine against `random`; all its games, each lost by the mock.
fn lost(way: &str, keys: &str, more: &[&str]) -> Vec<String> {
    let data = Directory::new(way);
    let spec = mock(keys, way);
    let games = play_match(&data, "tictactoe", [&spec, "random"], more);
    assert_eq!(games.len(), 2, "{way}: {games:?}");
    for game in &games {
        let mock = if game["agents"][0] == spec.as_str() { 1 } else { 2 };
        assert_eq!(game["winner"], 3 - mock, "{way}: {game}");
    }
    endings(&games)
}

/// Both games end by this fault, with these words.
fn ends_with(way: &str, keys: &str, more: &[&str], fault: &str, words: &str) {
    let options: Vec<&str> = ["--pairs", "1"].into_iter().chain(more.iter().copied()).collect();
    for ending in lost(way, keys, &options) {
        assert!(ending.starts_with(&format!("\"{fault}\"")) && ending.contains(words), "{way}: {ending}");
    }
}

#[test]
fn a_crash_is_noticed_by_the_end_of_the_program() {
    // Nothing is waited for: the patience is longer than any test.
    let patient = ["--patience", "60min"];
    ends_with("crash", "time=10min", &patient, "crashed", "it ended with exit code 7; it said 'division by zero' (all of it: ");
    ends_with("killed", "time=10min", &patient, "crashed", "it was killed by signal 9");
    ends_with("orphan", "time=10min", &patient, "crashed", "it ended with exit code 5");
}

#[test]
fn stalling_overrunning_and_cheating_are_told_apart() {
    let quick = ["--move-time", "50ms", "--patience", "200ms"];
    ends_with("stall", "", &quick, "stalled", "no answer within");
    // It gives its move when it is told to stop, but that is too late.
    ends_with("patient", "", &quick, "stalled", "no answer within");
    ends_with("late", "", &["--move-time", "50ms"], "overran", "for a move, 0.050 s were allowed");
    ends_with("cheat", "", &[], "cheated", "malformed square 'z9': the board has the squares a1 to c3");
    ends_with("nothing", "", &[], "cheated", "malformed square ''");
}

#[test]
fn nothing_that_a_program_prints_breaks_the_runner() {
    ends_with("garbage", "", &[], "cheated", r"\0\u{1b}[2J': expected a file letter");
    ends_with("flood", "time=10min", &["--patience", "60min"], "crashed", "it wrote more than 16 MB instead of an answer");
    ends_with("long-line", "time=10min", &["--patience", "60min"], "crashed", "it wrote more than 16 MB instead of an answer");
    for way in ["noise", "complain"] {
        let data = Directory::new(way);
        let games = play_match(&data, "tictactoe", [&mock("", way), "random"], &["--pairs", "2"]);
        assert_eq!(games.len(), 4);
        assert!(games.iter().all(|game| game["fault"].is_null()), "{way}: {games:?}");
        for log in fs::read_dir(data.0.join("engines")).unwrap() {
            let size = log.unwrap().metadata().unwrap().len();
            assert!(size < 1_100_000 * 2, "{way}: {size} bytes");
        }
    }
}

#[test]
fn memory_and_processor_time_are_limited() {
    let patient = ["--patience", "60min"];
    ends_with("memory", "time=10min,memory=64", &patient, "crashed", "it");
    ends_with("cpu", "time=10min,cpu=1s", &patient, "crashed", "its processor time is used up");
}

#[test]
fn a_program_that_never_gets_ready_is_refused_before_anything_is_played() {
    let data = Directory::new("never-ready");
    for (way, keys, words) in [
        ("crash-at-start", "", "the engine crashed: it ended with exit code 3; it said 'I cannot find my opening book'"),
        ("leave", "", "the engine crashed: it ended with exit code 0"),
        ("mute", "start=200ms", "the engine stalled: expected ugiok within 0.2 s"),
        ("good", "option.Hash=3", "it has no option 'Hash'; 'it has LegalMoves, Level'"),
        ("good", "protocol=uci,start=200ms", "the engine stalled: expected uciok within 0.2 s"),
    ] {
        for command in
            [&["match", "tictactoe", "random"][..], &["think", "tictactoe", "--agent"], &["compare", "tictactoe", "random"]]
        {
            let output = ply(&data).args(command).arg(mock(keys, way)).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{way}: {}", err(&output));
            assert!(err(&output).contains(words) && err(&output).contains("cannot play"), "{way}: {}", err(&output));
        }
    }
    let runs = ply(&data).args(["runs", "--json"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&runs.stdout).trim(), "[]");
}

#[test]
fn what_a_program_does_once_does_not_end_the_match() {
    // It crashes in its second move of every process: the next game has a new one, and games of one move are played to their end.
    let data = Directory::new("goes-on");
    let games = play_match(&data, "mnk:size=2x1,k=1", [&mock("", "crash"), "random"], &["--pairs", "3"]);
    assert_eq!(games.len(), 6);
    let faults = games.iter().filter(|game| !game["fault"].is_null()).count();
    assert!((1..6).contains(&faults), "{:?}", endings(&games));
}

#[test]
fn a_program_that_cannot_be_started_again_loses_its_games_and_the_run_ends() {
    let data = Directory::new("once");
    let spec = mock("", &format!("once {}", data.0.join("mark").display()));
    let games = play_match(&data, "tictactoe", [&spec, "random"], &["--pairs", "2", "--threads", "1"]);
    let endings = endings(&games);
    assert_eq!(endings.len(), 4, "{endings:?}");
    assert!(endings.iter().all(|ending| ending.starts_with("\"crashed\"")), "{endings:?}");
    let codes = |code: &str| endings.iter().filter(|ending| ending.contains(code)).count();
    assert_eq!((codes("exit code 6"), codes("exit code 4")), (1, 3), "{endings:?}");
}

#[test]
fn files_of_others_are_not_handed_on() {
    let data = Directory::new("handles");
    let script = format!(
        "exec 9</dev/null; exec '{}' --data '{}' think tictactoe --quiet --agent '{}'",
        env!("CARGO_BIN_EXE_ply"),
        data.0.display(),
        mock("", "handles"),
    );
    let output = Command::new("sh").current_dir(root()).args(["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{}", err(&output));
}

#[test]
fn a_program_ends_with_whoever_started_it() {
    let data = Directory::new("ends-with-us");
    let mark = data.0.join("mark").display().to_string();
    let spec = format!("cmd:time=10min sh crates/cli/tests/engines/mock.sh stall {mark}");
    if !Path::new("/proc/self/cmdline").exists() {
        eprintln!("skipped: there is no /proc here");
        return;
    }
    let mut child = ply(&data).args(["think", "tictactoe", "--quiet", "--agent", &spec]).spawn().unwrap();
    let own = PathBuf::from(format!("/proc/{}", child.id()));
    let running = || {
        let others = fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()).filter(|path| *path != own));
        let mut lines = others.filter_map(|path| fs::read(path.join("cmdline")).ok());
        lines.any(|line| String::from_utf8_lossy(&line).contains(&mark))
    };
    let wait_until = |wanted: bool| {
        (0..1_000).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            running() == wanted
        })
    };
    assert!(wait_until(true), "it never ran");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(wait_until(false), "it is still running");
}
