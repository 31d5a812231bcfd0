//! What programs start does not outlive the match, nor us.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::{Directory, endings, err, play_match, ply, root};

/// Nothing here takes so long.
const FOR_EVER: Duration = Duration::from_secs(30);

/// A program that starts others when it is started: one in its group, one that leaves it by `setsid`, and one that leaves it and whose
/// parent ends at once. Each of them is known by a mark in its command line.
fn spec(data: &Directory, way: &str) -> (String, String) {
    let mark = data.0.join("mark").display().to_string();
    let script = data.0.join("bot.sh");
    fs::write(
        &script,
        "mark=$1\n\
         linger='trap \"\" TERM HUP INT; for i in 1 2 3 4 5 6 7 8 9; do sleep 10; done'\n\
         sh -c \"$linger\" $mark-child >/dev/null 2>&1 </dev/null &\n\
         setsid sh -c \"$linger\" $mark-session >/dev/null 2>&1 </dev/null &\n\
         (setsid sh -c \"$linger\" $mark-orphan >/dev/null 2>&1 </dev/null &)\n\
         shift\nexec sh crates/cli/tests/engines/mock.sh \"$@\"\n",
    )
    .unwrap();
    (format!("cmd:time=10min sh {} {mark} {way}", script.display()), mark)
}

/// The numbers and command lines of the processes that have this mark, without `ply` commands, which name it in a spec.
fn marked(mark: &str) -> Vec<String> {
    let own = |line: &str| line.contains("cmd:");
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let lines = processes.filter_map(|path: PathBuf| Some((path.clone(), fs::read(path.join("cmdline")).ok()?)));
    let lines = lines.map(|(path, line)| format!("{} {}", path.display(), String::from_utf8_lossy(&line).replace('\0', " ")));
    lines.filter(|line| line.contains(mark) && !own(line)).collect()
}

fn await_that(what: &str, mark: &str, is_so: impl Fn(&[String]) -> bool) {
    let begin = Instant::now();
    loop {
        let found = marked(mark);
        if is_so(&found) {
            return;
        }
        assert!(begin.elapsed() < FOR_EVER, "{what}: {found:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Are all three there that the program has started?
fn all_three(found: &[String]) -> bool {
    ["-child", "-session", "-orphan"].iter().all(|kind| found.iter().any(|line| line.contains(kind)))
}

fn has_setsid() -> bool {
    let there = ["/usr/bin/setsid", "/bin/setsid"].iter().any(|path| Path::new(path).exists());
    if !there {
        eprintln!("skipped: there is no setsid here");
    }
    there
}

#[test]
fn what_a_program_has_started_ends_with_the_match() {
    if !has_setsid() {
        return;
    }
    for way in ["good", "crash", "killed"] {
        let data = Directory::new(&format!("descendants-{way}"));
        let (spec, mark) = spec(&data, way);
        let games = play_match(&data, "tictactoe", [&spec, "random"], &["--pairs", "1"]);
        assert_eq!(games.len(), 2, "{:?}", endings(&games));
        assert_eq!(marked(&mark), Vec::<String>::new(), "{way}");
    }
}

fn thinking(data: &Directory, spec: &str) -> Child {
    let mut command = ply(data);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.args(["think", "tictactoe", "--quiet", "--agent", spec]).spawn().unwrap()
}

#[test]
fn what_a_program_has_started_ends_when_ply_is_killed() {
    if !has_setsid() {
        return;
    }
    let data = Directory::new("descendants-kill");
    let (spec, mark) = spec(&data, "stall");
    let mut child = thinking(&data, &spec);
    await_that("the program has not started the others", &mark, all_three);
    child.kill().unwrap();
    child.wait().unwrap();
    await_that("something is alive", &mark, <[String]>::is_empty);
}

#[test]
fn a_program_that_signals_its_group_ends_itself_alone() {
    // `kill 0` is how shell scripts end everything that they have started.
    let data = Directory::new("descendants-group");
    let script = data.0.join("bot.sh");
    fs::write(&script, "sh crates/cli/tests/engines/mock.sh good\ntrap '' TERM\nkill 0\nexit 0\n").unwrap();
    let spec = format!("cmd:sh {}", script.display());
    let games = play_match(&data, "tictactoe", [&spec, "random"], &["--pairs", "2"]);
    assert_eq!(games.len(), 4);
    assert!(games.iter().all(|game| game["fault"].is_null()), "{:?}", endings(&games));
}

#[test]
fn a_program_that_closes_its_output_and_lives_on_is_noticed() {
    let data = Directory::new("descendants-closed");
    let script = data.0.join("bot.sh");
    fs::write(&script, "printf 'ugiok\\nreadyok\\n'\nexec >/dev/null 2>&1\nsleep 600\n").unwrap();
    let spec = format!("cmd:time=10min sh {}", script.display());
    let begin = Instant::now();
    let output = ply(&data).args(["think", "tictactoe", "--quiet", "--agent", &spec]).current_dir(root()).output().unwrap();
    assert!(err(&output).contains("it closed its output"), "{}", err(&output));
    assert!(begin.elapsed() < FOR_EVER);
}
