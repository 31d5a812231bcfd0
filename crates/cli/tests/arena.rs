//! The arena as players, the host and people with bad intentions meet it.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Nothing here takes so long.
const FOR_EVER: Duration = Duration::from_mins(2);

/// A bot that plays the first legal move.
const BOT: &str = "
import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == 'ugi':
        print('option name LegalMoves type check default false\\nugiok', flush=True)
    elif words[0] == 'isready':
        print('readyok', flush=True)
    elif words[0] == 'go':
        print('bestmove', words[words.index('searchmoves') + 1], flush=True)
    elif words[0] == 'quit':
        break
";

/// An arena in a folder of its own, ended with the test.
struct Running {
    folder: PathBuf,
    child: Child,
    address: String,
    host: String,
    code: String,
}

/// Can bots be confined here, and is there Python? Said once for each test.
fn is_possible() -> bool {
    if !Path::new("/usr/bin/python3").exists() {
        eprintln!("skipped: there is no /usr/bin/python3 here");
        return false;
    }
    let works = !plyground_sandbox::detect(Path::new(env!("CARGO_BIN_EXE_ply"))).works.is_empty();
    if !works {
        eprintln!("skipped: bots cannot be confined here");
    }
    works
}

impl Running {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("plyground-arena-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        // A generous time for moves: other tests run beside this one.
        let file = "title = 'Test'\ngame = 'tictactoe'\nmove_time = '10s'\nboards = 1\nupload = 1\nlevels = ['level=1', 'level=2', \
                    'level=3']\nbosses = ['level=1', 'level=2', 'level=3']\nversions = 4\n";
        fs::write(folder.join("arena.toml"), file).unwrap();
        Self::start(folder)
    }

    fn start(folder: PathBuf) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ply"));
        command
            .args(["arena", "--json", "--web", "127.0.0.1:0", "--folder"])
            .arg(folder.join("data"))
            .arg(folder.join("arena.toml"));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let mut told = String::new();
        let mut stdout = child.stdout.take().unwrap();
        while !told.trim_end().ends_with('}') {
            let mut byte = [0];
            assert_eq!(stdout.read(&mut byte).unwrap(), 1, "it has ended: {told}");
            told.push(char::from(byte[0]));
        }
        let told: Value = serde_json::from_str(&told).unwrap();
        let text = |key: &str| told[key].as_str().unwrap().to_owned();
        let address = text("url").trim_start_matches("http://").to_owned();
        let host = text("host").split(&address).nth(1).unwrap().to_owned();
        Self { folder, child, address, host, code: text("code") }
    }

    /// Ends it by `kill -9`, and starts it again.
    fn kill_and_start(mut self) -> Self {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        Self::start(std::mem::take(&mut self.folder))
    }

    fn ask(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(FOR_EVER)).unwrap();
        // An upload that is refused early is not read to its end.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.ask(format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address).as_bytes())
    }

    fn post(&self, path: &str, fields: &[(&str, &str)], file: Option<(&str, &[u8])>) -> String {
        let mut body = Vec::new();
        for (name, value) in fields {
            write!(body, "--edge\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").unwrap();
        }
        if let Some((name, contents)) = file {
            write!(body, "--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n").unwrap();
            body.extend_from_slice(contents);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(b"--edge--\r\n");
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=edge\r\n\
             Content-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        self.ask(&[head.as_bytes(), &body].concat())
    }

    /// Joins; the path of the player's page.
    fn join(&self, name: &str) -> String {
        let answer = self.post("/join", &[("code", &self.code), ("name", name)], None);
        let place = answer.lines().find_map(|line| line.strip_prefix("location: "));
        place.unwrap_or_else(|| panic!("{answer}")).trim().to_owned()
    }

    fn upload(&self, player: &str, name: &str, contents: &[u8]) -> String {
        self.post(&format!("{player}/upload"), &[], Some((name, contents)))
    }

    /// Waits until a page has these words.
    fn await_words(&self, path: &str, words: &str) -> String {
        let begin = Instant::now();
        loop {
            let page = self.get(path);
            if page.contains(words) {
                return page;
            }
            assert!(begin.elapsed() < FOR_EVER, "expected '{words}' on {path}: {page}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// The number of games that the host reads of.
    fn games(&self) -> u64 {
        let page = self.get(&self.host);
        let cell = page.split("Games played</td><td>").nth(1).unwrap_or_else(|| panic!("{page}"));
        cell.split('<').next().unwrap().parse().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if !self.folder.as_os_str().is_empty() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

#[test]
fn a_bot_is_uploaded_checked_plays_on_after_a_kill_and_gives_way_to_a_new_version() {
    if !is_possible() {
        return;
    }
    let arena = Running::new("ladder");
    let ada = arena.join("Ada");
    let answer = arena.upload(&ada, "bot.py", BOT.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    arena.await_words(&ada, "passed: it is on the ladder");
    // A version with a mistake is refused with the reason and stderr, and the one before it plays on.
    let answer = arena.upload(&ada, "broken.py", b"import sys\nprint('no <b>idea</b>', file=sys.stderr)\nsys.exit(3)\n");
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    let page = arena.await_words(&ada, "exit code 3");
    assert!(page.contains("no &lt;b&gt;idea&lt;/b&gt;") && page.contains("passed: it is on the ladder"), "{page}");
    assert!(arena.get(&format!("{ada}/log/2")).contains("no <b>idea</b>"), "as text, not as a page");
    let before = arena.games();
    let arena = arena.kill_and_start();
    assert!(arena.games() >= before, "games were lost");
    arena.await_words(&ada, "passed: it is on the ladder");
    let begin = Instant::now();
    while arena.games() < before + 4 {
        assert!(begin.elapsed() < FOR_EVER, "the ladder has stopped");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(arena.upload(&ada, "better.py", BOT.as_bytes()).starts_with("HTTP/1.1 303"));
    arena.await_words("/", "Ada v3");
    let page = arena.get("/bot/1");
    assert!(page.contains("<td>v1</td>") && page.contains("<td>v3</td>") && !page.contains("<td>v2</td>"), "{page}");
    // The host ends the semester: the final is played, and nothing is taken any more.
    let bob = arena.join("Bob");
    assert!(arena.upload(&bob, "bot.py", BOT.as_bytes()).starts_with("HTTP/1.1 303"));
    arena.await_words(&bob, "passed: it is on the ladder");
    assert!(arena.get("/final").starts_with("HTTP/1.1 404"));
    assert!(arena.post(&arena.host, &[("act", "final")], None).starts_with("HTTP/1.1 303"));
    let page = arena.await_words("/final", "Who has beaten whom");
    assert!(page.contains("Ada v3") && page.contains("Bob v1"), "{page}");
    assert!(arena.upload(&bob, "bot.py", BOT.as_bytes()).contains("no more uploads"));
    assert!(arena.get(&format!("{}/games.jsonl", arena.host)).contains("cmd:bot-1-v3"));
}

#[test]
fn strangers_have_no_door_and_the_host_has_one() {
    if !is_possible() {
        return;
    }
    let arena = Running::new("doors");
    let wrong = arena.post("/join", &[("code", "aaaaaa"), ("name", "Eve")], None);
    assert!(wrong.starts_with("HTTP/1.1 400") && wrong.contains("not the code of the arena"), "{wrong}");
    let markup = arena.post("/join", &[("code", &arena.code), ("name", "<script>x</script>")], None);
    assert!(markup.starts_with("HTTP/1.1 400") && markup.contains("Expected a name"), "{markup}");
    let ada = arena.join("Ada");
    let twice = arena.post("/join", &[("code", &arena.code), ("name", "ADA")], None);
    assert!(twice.contains("already"), "{twice}");
    for path in [
        "/p/aaaaaaaaaaaaaaaaaaaaaaaaaa",
        "/host/x",
        "/host/x/marks.csv",
        "/host/x/games.jsonl",
        "/p/",
        "/bot/99",
        "/record/x/0/0",
    ] {
        assert!(arena.get(path).starts_with("HTTP/1.1 404"), "{path}");
    }
    assert!(arena.post("/host/x", &[("act", "pause")], None).starts_with("HTTP/1.1 404"));
    assert!(arena.upload("/p/aaaaaaaaaaaaaaaaaaaaaaaaaa", "bot.py", BOT.as_bytes()).starts_with("HTTP/1.1 404"));
    // The pages that players see have no key in them, and the files of the arena are not served.
    for path in ["/", "/rules", "/projector", "/live.json", "/bot/1"] {
        let page = arena.get(path);
        assert!(page.starts_with("HTTP/1.1 200") && !page.contains(&arena.host) && !page.contains(&ada), "{path}: {page}");
    }
    for path in ["/journal.jsonl", "/host.key", "/runs.sqlite", "/../arena.toml"] {
        assert!(arena.get(path).starts_with("HTTP/1.1 404"), "{path}");
    }
    // A stolen link is revoked by a new one.
    let page = arena.post(&arena.host, &[("act", "rekey"), ("player", "1")], None);
    let fresh = page.split("<a href=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(arena.get(&ada).starts_with("HTTP/1.1 404") && arena.get(fresh).contains("<h1>Ada</h1>"));
    assert!(arena.post(&arena.host, &[("act", "ban"), ("player", "1")], None).starts_with("HTTP/1.1 303"));
    assert!(arena.upload(fresh, "bot.py", BOT.as_bytes()).contains("has banned"));
    assert!(arena.get(&format!("{}/marks.csv", arena.host)).contains("player,name,league"));
    let secret = fs::metadata(arena.folder.join("data/host.key")).unwrap();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&secret.permissions()) & 0o777, 0o600);
}

#[test]
fn uploads_that_are_no_bots_are_answered_and_change_nothing() {
    if !is_possible() {
        return;
    }
    let arena = Running::new("uploads");
    let ada = arena.join("Ada");
    for (name, contents, words) in [
        ("notes.txt", &b"hello"[..], "expected a bot in Python"),
        ("bot.py", b"", "an empty one"),
        ("bot.zip", b"PK\x03\x04rubbish", "the zip cannot be read"),
    ] {
        let answer = arena.upload(&ada, name, contents);
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains(words), "{name}: {answer}");
    }
    // A gigabyte is refused by what its head says, and a large one without a length where the limit is reached.
    let head = format!(
        "POST {ada}/upload HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=edge\r\n\
         Content-Length: 1073741824\r\n\r\n--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.py\"\r\n\r\n",
        arena.address
    );
    let answer = arena.ask(&[head.as_bytes(), &vec![b'x'; 3 << 20]].concat());
    assert!(answer.starts_with("HTTP/1.1 413") || answer.is_empty(), "{answer}");
    assert!(arena.get(&ada).contains("None yet."));
    // Many uploads at once: one is checked, and the others are told to wait.
    let slow = b"import time\ntime.sleep(3)\n";
    assert!(arena.upload(&ada, "bot.py", slow).starts_with("HTTP/1.1 303"));
    for _ in 0..5 {
        assert!(arena.upload(&ada, "bot.py", slow).contains("is being checked"));
    }
    let refused = arena.await_words(&ada, "ended with exit code 0").contains("v2");
    assert!(!refused, "a second version");
    let folders = fs::read_dir(arena.folder.join("data/bots/1")).unwrap().count();
    assert_eq!(folders, 1);
}

#[test]
fn a_bot_is_tried_at_home_with_the_same_checks() {
    if !is_possible() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("plyground-arena-try-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("arena.toml"), "game = 'tictactoe'\nmove_time = '10s'\n").unwrap();
    let attempt = |text: &str| {
        fs::write(folder.join("bot.py"), text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_ply"));
        command.args(["arena", "try"]).arg(folder.join("bot.py")).arg("--arena").arg(folder.join("arena.toml"));
        command.stdin(Stdio::null()).output().unwrap()
    };
    let good = attempt(BOT);
    let told = String::from_utf8_lossy(&good.stdout).into_owned();
    assert!(
        good.status.success() && told.contains("The arena would take it.") && told.contains("as the second player"),
        "{told}"
    );
    let cheat = attempt(&BOT.replace("words[words.index('searchmoves') + 1]", "'z99'"));
    let told = String::from_utf8_lossy(&cheat.stderr).into_owned();
    assert!(!cheat.status.success() && told.contains("the arena would not take it") && told.contains("cheated"), "{told}");
    let _ = fs::remove_dir_all(folder);
}
