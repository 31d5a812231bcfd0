//! Competitions that are killed, and those whose players come over the network.

use std::collections::HashSet;
use std::fs;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A directory of its own for a test, gone when the test is over.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("plyground-compete-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, text: &str) -> PathBuf {
        let file = self.0.join("competition.toml");
        fs::write(&file, text).unwrap();
        file
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

fn start(directory: &Directory, file: &Path) -> Child {
    ply(&directory.0).args(["compete", "--web", "off", "--json"]).arg(file).spawn().unwrap()
}

fn result(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The games of a run, without what differs from time to time.
fn games(directory: &Directory, run: &str) -> Vec<String> {
    let table = ply(&directory.0).args(["runs", "games", run, "--csv"]).output().unwrap();
    assert!(table.status.success(), "{}", String::from_utf8_lossy(&table.stderr));
    let table = String::from_utf8(table.stdout).unwrap();
    let mut lines: Vec<String> = table.lines().skip(1).map(|line| line.rsplitn(4, ',').nth(3).unwrap().to_owned()).collect();
    lines.sort();
    lines
}

const ROUND_ROBIN: &str = r#"
title = "Killed"
game = "clobber:size=5x4"
double = true
boards = 2
[[entrant]]
agent = "random"
[[entrant]]
agent = "mcts:sims=3000"
[[entrant]]
agent = "mcts:sims=2000"
[[entrant]]
agent = "mcts:sims=4000"
"#;

#[test]
fn a_competition_that_is_killed_goes_on_and_ends_with_the_same_games() {
    let swiss = ROUND_ROBIN.replace("double = true", "format = 'swiss'\nrounds = 3");
    for (name, text, expected) in [("round-robin", ROUND_ROBIN, 12), ("swiss", &swiss, 6)] {
        let (killed, whole) = (Directory::new(&format!("{name}-killed")), Directory::new(&format!("{name}-whole")));
        let (killed_file, whole_file) = (killed.write(text), whole.write(text));
        let begin = Instant::now();
        let straight = result(&start(&whole, &whole_file).wait_with_output().unwrap());
        let each = begin.elapsed() / 5;
        let mut interrupted = 0;
        for _ in 0..4 {
            let mut child = start(&killed, &killed_file);
            std::thread::sleep(each);
            child.kill().unwrap();
            interrupted += u32::from(!child.wait().unwrap().success());
        }
        assert!(interrupted >= 2, "it had ended by itself before it was killed {interrupted} times");
        let resumed = result(&start(&killed, &killed_file).wait_with_output().unwrap());
        assert_eq!(resumed, straight, "{name}");
        assert_eq!((&resumed["complete"], &resumed["games"]), (&true.into(), &expected.into()));
        let run = resumed["run"].as_str().unwrap();
        let played = games(&killed, run);
        assert_eq!(played, games(&whole, run));
        assert_eq!(played.iter().collect::<HashSet<_>>().len(), expected);
        // Asked once more, it plays nothing and says the same.
        assert_eq!(result(&start(&killed, &killed_file).wait_with_output().unwrap()), straight);
        let page = fs::read_to_string(killed.0.join("competition.html")).unwrap();
        assert!(page.contains("Killed") && page.contains(&format!("{expected} games so far")));
    }
}

#[test]
fn the_example_of_the_documentation_can_be_played() {
    let directory = Directory::new("example");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/competition.toml");
    let output = ply(&directory.0).args(["compete", "--check", "--json"]).arg(&file).output().unwrap();
    let checked = result(&output);
    assert_eq!((&checked["games"], checked["entrants"].as_array().unwrap().len()), (&12.into(), 4));
    assert!(!file.with_extension("html").exists(), "nothing was played");
}

#[test]
fn a_class_comes_over_the_network_and_one_does_not_come() {
    // The port is free again as soon as this is over; nobody else takes it in between but by a great accident.
    let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let directory = Directory::new("network");
    let file = directory.write(&format!(
        "title = 'Class'\ngame = 'tuc-chess'\nmove_time = '20s'\nlisten = '127.0.0.1:{port}'\nbegin_delay = '10ms'\nwait = '3s'\n\
        [[entrant]]\nagent = 'random'\n[[entrant]]\nname = 'Group A'\nudp = 'a'\n[[entrant]]\nname = 'Group B'\nudp = 'b'\n\
        [[entrant]]\nname = 'Asleep'\nudp = 'c'\n"
    ));
    let host = start(&directory, &file);
    let join = |name: &str| {
        let server = format!("127.0.0.1:{port}");
        let words = ["join", "tuc-chess", "--agent", "random", "--server", &server, "--name", name, "--games", "3", "--resend"];
        ply(&directory.0).args(words).spawn().unwrap()
    };
    let clients = [join("a"), join("b")];
    let begin = Instant::now();
    let output = host.wait_with_output().unwrap();
    assert!(begin.elapsed() < Duration::from_mins(5));
    let table = result(&output);
    assert_eq!((&table["complete"], &table["games"]), (&true.into(), &6.into()));
    let asleep = table["table"].as_array().unwrap().iter().find(|row| row["name"] == "Asleep").unwrap();
    assert_eq!((&asleep["points"], &asleep["lost"]), (&"0".into(), &"3".into()), "{table}");
    for client in clients {
        let output = client.wait_with_output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && said.lines().count() == 3, "{said} {}", String::from_utf8_lossy(&output.stderr));
    }
    let lines = games(&directory, table["run"].as_str().unwrap());
    assert_eq!(lines.iter().filter(|line| line.contains("it did not come within 3 s")).count(), 3, "{lines:?}");
}

#[test]
fn programs_are_entrants() {
    let directory = Directory::new("programs");
    let program = format!("cmd:{} ugi clobber:size=4x4 --agent mcts:sims=50", env!("CARGO_BIN_EXE_ply"));
    let file = directory.write(&format!(
        "title = 'Programs'\ngame = 'clobber:size=4x4'\ndouble = true\n[[entrant]]\nagent = 'random'\n\
         [[entrant]]\nname = 'a program'\nagent = '{program}'\n"
    ));
    let played = result(&start(&directory, &file).wait_with_output().unwrap());
    let games = games(&directory, played["run"].as_str().unwrap());
    assert_eq!(games.len(), 2);
    assert!(games.iter().all(|game| game.contains(&program) && !game.contains("crashed")), "{games:?}");
}

#[cfg(unix)]
#[test]
fn a_check_starts_no_program_unless_asked() {
    let directory = Directory::new("check");
    let mark = directory.0.join("started");
    let script = directory.0.join("bot.sh");
    fs::write(
        &script,
        format!(
            ": >>'{}'\nwhile read -r word rest; do case $word in ugi) echo ugiok;; isready) echo readyok;; quit) exit;; esac; done\n",
            mark.display()
        ),
    )
    .unwrap();
    let file = directory.write(&format!(
        "title = 'Unknown bots'\ngame = 'tictactoe'\n[[entrant]]\nagent = 'random'\n\
         [[entrant]]\nname = 'a bot'\nagent = 'cmd:sh {}'\n",
        script.display()
    ));
    let check = |more: &[&str]| ply(&directory.0).args(["compete", "--check", "--json"]).args(more).arg(&file).output().unwrap();
    let checked = result(&check(&[]));
    assert!(!mark.exists(), "the program was started");
    // Started or not, it is the same competition.
    assert_eq!(result(&check(&["--start-programs"])), checked);
    assert!(mark.exists(), "the program was not started");
    // What is mistyped is found without starting anything.
    let text = fs::read_to_string(&file).unwrap();
    directory.write(&text.replace("cmd:sh ", "cmd:no-such-program "));
    let refused = check(&[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("there is no such program"));
}
