//! Runs that are killed, shared between processes, kept in files that are no store, or followed by a program.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use plyground_session::Seed;
use serde_json::Value;

const PAIRS: usize = 500;

/// A directory of its own for a test, gone when the test is over.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("plyground-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn ply(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ply"));
    command.arg("--data").arg(data).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn start(data: &Path, words: &str) -> Child {
    ply(data).args(words.split(' ')).args(["--seed", "7", "--threads", "2", "--json"]).spawn().unwrap()
}

/// A match of a few seconds without time limits.
fn start_match(data: &Path) -> Child {
    start(data, &format!("match clobber:size=5x4 random mcts:sims=1000 --pairs {PAIRS}"))
}

/// Starts a command again and again and kills it at random moments, so early that all of them together are less than the `whole` time
/// that it takes; how often it had not ended by itself before that.
fn kill(times: u32, whole: Duration, mut start: impl FnMut() -> Child) -> u32 {
    let longest = (whole.as_millis() as u32 * 4 / 5 / times).max(2);
    let mut rng = Seed(1).rng();
    let mut killed = 0;
    for _ in 0..times {
        let mut child = start();
        std::thread::sleep(Duration::from_millis(u64::from(rng.below(longest))));
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
    }
    killed
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The last line of what a command printed.
fn result(output: &Output) -> Value {
    serde_json::from_str(text(output).lines().last().unwrap()).unwrap()
}

fn runs(data: &Path) -> Vec<Value> {
    let runs = result(&ply(data).args(["runs", "--json"]).output().unwrap());
    runs.as_array().unwrap().clone()
}

/// All games of the only run, without their times.
fn games(data: &Path) -> Vec<String> {
    let [run] = &runs(data)[..] else { panic!("expected one run") };
    let table = text(&ply(data).args(["runs", "games", run["run"].as_str().unwrap(), "--csv"]).output().unwrap());
    let without_times = |line: &str| line.rsplitn(4, ',').nth(3).unwrap().to_owned();
    table.lines().skip(1).map(without_times).collect()
}

/// Every pair is there, and each of its games once.
fn each_game_once(games: &[String]) {
    let keys: HashSet<Vec<&str>> = games.iter().map(|line| line.split(',').take(3).collect()).collect();
    assert_eq!((games.len(), keys.len()), (2 * PAIRS, 2 * PAIRS));
    let jobs: HashSet<&str> = games.iter().map(|line| line.split(',').next().unwrap()).collect();
    let pairs: HashSet<&str> = games.iter().map(|line| line.split(',').nth(1).unwrap()).collect();
    assert_eq!((jobs.len(), pairs.len()), (PAIRS, PAIRS));
}

#[test]
fn killed_twenty_times_it_ends_with_the_same_games() {
    let (killed, whole) = (Directory::new("killed"), Directory::new("whole"));
    let begin = Instant::now();
    let straight = result(&start_match(&whole.0).wait_with_output().unwrap());
    let interrupted = kill(20, begin.elapsed(), || start_match(&killed.0));
    let resumed = result(&start_match(&killed.0).wait_with_output().unwrap());
    assert!(interrupted >= 15, "it had ended by itself before it was killed {interrupted} times");
    let games = games(&killed.0);
    each_game_once(&games);
    assert_eq!(games, self::games(&whole.0));
    assert_eq!(resumed, straight);
    assert_eq!(resumed["games"], 2 * PAIRS);
}

#[test]
fn a_tuning_that_is_killed_takes_the_same_way() {
    for method in ["spsa", "grid"] {
        let (killed, whole) = (Directory::new(&format!("{method}-killed")), Directory::new(&format!("{method}-whole")));
        let words = format!(
            "tune clobber:size=4x4 mcts:sims=200,c=5 --method {method} --param c=0.1..5.0:log --pairs 160 --batch 8 --verify 40"
        );
        let begin = Instant::now();
        let straight = result(&start(&whole.0, &words).wait_with_output().unwrap());
        let interrupted = kill(8, begin.elapsed(), || start(&killed.0, &words));
        let resumed = result(&start(&killed.0, &words).wait_with_output().unwrap());
        assert!(interrupted >= 5, "it had ended by itself before it was killed {interrupted} times");
        assert_eq!(resumed, straight);
        assert_eq!(resumed["match"]["games"], 80);
    }
}

#[test]
fn a_swiss_tournament_that_is_killed_ends_with_the_same_rounds() {
    let (killed, whole) = (Directory::new("swiss-killed"), Directory::new("swiss-whole"));
    let words =
        "tournament connect-four random mcts:sims=5 mcts:sims=20 mcts:sims=60 mc:playouts=4 --swiss --rounds 4 --pairs 40";
    let begin = Instant::now();
    let straight = result(&start(&whole.0, words).wait_with_output().unwrap());
    let interrupted = kill(6, begin.elapsed(), || start(&killed.0, words));
    let resumed = result(&start(&killed.0, words).wait_with_output().unwrap());
    assert!(interrupted >= 4, "it had ended by itself before it was killed {interrupted} times");
    assert_eq!(resumed, straight);
    assert_eq!(resumed["matches"].as_array().unwrap().len(), 4 * 2);
}

#[test]
fn a_report_on_a_game_that_is_killed_ends_with_the_same_figures() {
    let (killed, whole) = (Directory::new("balance-killed"), Directory::new("balance-whole"));
    let words = "balance clobber --size 3x4..5x6 --agents random mcts:sims=300 --games 150 --judged 5";
    let begin = Instant::now();
    let straight = result(&start(&whole.0, words).wait_with_output().unwrap());
    let interrupted = kill(6, begin.elapsed(), || start(&killed.0, words));
    let resumed = result(&start(&killed.0, words).wait_with_output().unwrap());
    assert!(interrupted >= 4, "it had ended by itself before it was killed {interrupted} times");
    assert_eq!(resumed, straight);
    let cells = resumed["cells"].as_array().unwrap();
    assert!(cells.len() == 3 * 2 && cells.iter().all(|cell| cell["games"] == 150), "{resumed}");
    positions_of(&killed.0, cells[0]["run"].as_str().unwrap());
}

/// The positions of a run can be written, and the command says how many there are.
fn positions_of(data: &Path, run: &str) {
    let file = data.join("positions.npz");
    let told = result(&ply(data).args(["runs", "positions", run, "--json", "-o"]).arg(&file).output().unwrap());
    let count =
        |what: &str| ["train", "validation", "test"].iter().map(|part| told["parts"][part][what].as_u64().unwrap()).sum::<u64>();
    assert_eq!(count("games"), 300);
    assert!(count("positions") > 300 && fs::read(&file).unwrap().starts_with(b"PK"));
    let again = text(&ply(data).args(["runs", "positions", run, "-o"]).arg(data.join("positions")).output().unwrap());
    assert!(again.contains(": positions for train ") && data.join("positions/about.json").exists(), "{again}");
}

#[test]
fn two_processes_share_a_run() {
    let directory = Directory::new("shared");
    let children = [start_match(&directory.0), start_match(&directory.0)];
    let results = children.map(|child| result(&child.wait_with_output().unwrap()));
    assert_eq!(results[0], results[1]);
    each_game_once(&games(&directory.0));
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_a_run_that_can_go_on() {
    let directory = Directory::new("stopped");
    let child = start_match(&directory.0);
    // As soon as something is kept: a run that was stopped before it began would prove nothing.
    while runs(&directory.0).first().is_none_or(|run| run["games"] == 0) {}
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(notes.contains("stopped; the same command goes on with run"), "{notes}");
    let played = result(&output)["games"].as_u64().unwrap();
    assert!(played > 0 && played < 2 * PAIRS as u64, "{played}");
    let rest = result(&start_match(&directory.0).wait_with_output().unwrap());
    assert_eq!(rest["games"], 2 * PAIRS);
    each_game_once(&games(&directory.0));
}

#[test]
fn a_file_that_is_no_store_is_refused_and_left_alone() {
    let directory = Directory::new("foreign");
    let file = directory.0.join("runs.sqlite");
    fs::write(&file, b"SQLite format 3\0 and then something else").unwrap();
    let commands: [&[&str]; 5] = [
        &["runs"],
        &["runs", "show", "12"],
        &["ratings", "12"],
        &["match", "tictactoe", "random", "mcts:sims=10"],
        &["sprt", "tictactoe", "random", "mcts:sims=10"],
    ];
    for words in commands {
        let output = ply(&directory.0).args(words).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("expected a store of ply (SQLite), found something else"), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    assert_eq!(fs::read(&file).unwrap(), b"SQLite format 3\0 and then something else");
    assert_eq!(fs::read_dir(&directory.0).unwrap().count(), 1, "no files beside it");
}

#[test]
fn every_game_and_every_move_is_written_down() {
    let directory = Directory::new("events");
    let file = directory.0.join("events.jsonl");
    let played = ply(&directory.0)
        .args(["match", "pawn:size=4x4", "random", "mcts:sims=5", "--pairs", "6", "--quiet", "--events"])
        .arg(&file)
        .output()
        .unwrap();
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
    let lines: Vec<Value> =
        fs::read_to_string(&file).unwrap().lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    let of_kind = |kind: &str| lines.iter().filter(|line| line["event"] == kind).collect::<Vec<_>>();
    let name = |line: &Value| (line["job"].to_string(), line["game"].to_string());
    let mut expected_moves: HashMap<(String, String), i64> = HashMap::new();
    for started in of_kind("game-started") {
        expected_moves.insert(name(started), -(started["opening"].as_array().unwrap().len() as i64));
    }
    assert_eq!(expected_moves.len(), 12, "each game begins once");
    for finished in of_kind("game-finished") {
        let before = expected_moves.get_mut(&name(finished)).expect("it began before it ended");
        *before += finished["plies"].as_i64().unwrap();
    }
    for made in of_kind("move-made") {
        *expected_moves.get_mut(&name(made)).expect("a move is made in a game") -= 1;
    }
    assert!(expected_moves.values().all(|missing| *missing == 0), "{expected_moves:?}");
    assert_eq!(of_kind("game-finished").len(), 12);
    let last = of_kind("progress").last().map(|line| (line["done"].clone(), line["of"].clone()));
    assert_eq!(last, Some((6.into(), 6.into())));
    assert_eq!(lines.last().unwrap()["event"], "verdict");
    assert_eq!(lines.last().unwrap()["complete"], true);
}

#[test]
fn a_tablebase_of_another_game_is_never_replaced() {
    let place = Directory::new("save");
    let file = place.0.join("base.plytb");
    let solve = |game: &str| ply(&place.0).args(["solve", game, "--save"]).arg(&file).output().unwrap();
    text(&solve("tictactoe"));
    let before = fs::read(&file).unwrap();
    let refused = solve("pawn");
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{told}");
    assert!(told.contains("expected a tablebase of pawn:size=4x4 or no file, found one of mnk:size=3x3,k=3"), "{told}");
    assert_eq!(fs::read(&file).unwrap(), before);
    text(&solve("tictactoe"));
    fs::write(&file, "a letter").unwrap();
    let refused = solve("pawn");
    assert_eq!((refused.status.code(), fs::read(&file).unwrap()), (Some(2), b"a letter".to_vec()));
}

#[test]
fn a_file_that_is_too_large_is_refused_before_it_is_read() {
    let place = Directory::new("large");
    let file = place.0.join("large.toml");
    // Without a byte on the disk.
    fs::File::create(&file).unwrap().set_len(1 << 33).unwrap();
    for command in ["study", "compete", "replay"] {
        let refused = ply(&place.0).arg(command).arg(&file).output().unwrap();
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{command}: {told}");
        assert!(told.contains("expected at most") && told.contains("large.toml"), "{command}: {told}");
    }
}

#[test]
fn a_damaged_store_is_told_checked_and_repaired() {
    let place = Directory::new("damaged");
    let play =
        || ply(&place.0).args(["match", "tictactoe", "random", "mcts:sims=5", "--pairs", "30", "--json"]).output().unwrap();
    let before = result(&play());
    let file = place.0.join("runs.sqlite");
    let mut bytes = fs::read(&file).unwrap();
    // The reasons of games, and what is left of rows that were moved.
    let reasons: Vec<usize> = (0..bytes.len() - 9).filter(|&at| bytes[at..].starts_with(b" in a row")).collect();
    assert!(!reasons.is_empty());
    for at in reasons {
        bytes[at + 1] ^= 1;
    }
    fs::write(&file, bytes).unwrap();
    let check = |words: &[&str]| ply(&place.0).args(["runs", "check"]).args(words).output().unwrap();
    let found = check(&[]);
    let told = String::from_utf8_lossy(&found.stdout).into_owned();
    assert_eq!(found.status.code(), Some(2), "{told}");
    assert!(told.contains("a game does not have its checksum"), "{told}");
    assert!(text(&check(&["--repair"])).contains("repaired"));
    assert!(text(&check(&[])).contains("nothing is damaged"));
    assert_eq!(result(&play()), before);
}

/// Killed in the middle of a line, it goes on; two do not work in one folder, and a folder is for one game and depth.
#[test]
fn a_campaign_that_is_killed_goes_on() {
    let place = Directory::new("campaign");
    let folder = place.0.join("folder");
    let list = folder.join("openings.jsonl");
    let campaign = |game: &str, depth: &str| {
        let mut command = ply(&place.0);
        command.args(["campaign", game, "--depth", depth, "--threads", "2", "--memory", "40", "--json", "--folder"]).arg(&folder);
        command
    };
    let lines = || fs::read_to_string(&list).unwrap_or_default().lines().map(str::to_owned).collect::<Vec<_>>();
    let mut child = campaign("pawn:size=6x6", "3").spawn().unwrap();
    while lines().len() < 4 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    if child.try_wait().unwrap().is_none() {
        let second = campaign("pawn:size=6x6", "3").output().unwrap();
        // The first one may have come to its end meanwhile.
        let told = String::from_utf8_lossy(&second.stderr).into_owned();
        assert!(second.status.success() || told.contains("another campaign is at work on it"), "{told}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = lines();
    fs::OpenOptions::new().append(true).open(&list).unwrap().write_all(b"{\"opening\": \"6/6").unwrap();
    let page: Value = serde_json::from_str(&text(&campaign("pawn:size=6x6", "3").output().unwrap())).unwrap();
    assert_eq!((page["value"].as_str(), page["at_most"].as_u64()), (Some("loss"), Some(0)), "{page}");
    let after = lines();
    assert_eq!(after[..before.len()], before);
    let openings: HashSet<String> =
        after[1..].iter().map(|line| serde_json::from_str::<Value>(line).unwrap()["opening"].to_string()).collect();
    assert_eq!(openings.len(), after.len() - 1, "an opening was solved twice");
    // All is known: nothing is solved again.
    let again: Value = serde_json::from_str(&text(&campaign("pawn:size=6x6", "3").output().unwrap())).unwrap();
    assert_eq!((again["value"].as_str(), lines()), (Some("loss"), after.clone()));
    for (game, depth, why) in [("pawn:size=6x6", "2", r#""depth":3"#), ("pawn:size=5x6", "3", "pawn:size=6x6")] {
        let refused = campaign(game, depth).output().unwrap();
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(2) && told.contains(why), "{told}");
    }
    fs::write(&list, format!("{}\n{{\"opening\":\"6/6\",\"value\":\"perhaps\"}}\n", after[0])).unwrap();
    let refused = campaign("pawn:size=6x6", "3").output().unwrap();
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && told.contains("line 2: expected an opening with the value"), "{told}");
}
