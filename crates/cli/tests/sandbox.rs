//! Hostile programs in the sandbox: what they try, and what is left of them. Each way in which a sandbox can be made here is tried; on
//! other systems than Linux, and where none can be made, the tests say so and are skipped.
#![cfg(target_os = "linux")]

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use plyground_core::{AgentError, Engine, EngineInfo, Limits, SearchQuery, Seed};
use plyground_engines::{ConfinedProgram, EnginePool, ProcessOptions};
use plyground_sandbox::{Confinement, Detection, Isolation, detect};

/// The program with the subcommand `run-engine`.
const GUARD: &str = env!("CARGO_BIN_EXE_ply");
/// Nothing here takes so long.
const FOR_EVER: Duration = Duration::from_secs(30);
/// The most processes of a bot.
const PROCESSES: u64 = 24;

/// What works here. Said once.
fn detection() -> &'static Detection {
    static DETECTED: OnceLock<Detection> = OnceLock::new();
    DETECTED.get_or_init(|| {
        let detection = detect(Path::new(GUARD));
        for reason in &detection.reasons {
            eprintln!("skipped: {reason}");
        }
        detection
    })
}

fn has_python() -> bool {
    let there = Path::new("/usr/bin/python3").exists();
    if !there {
        eprintln!("skipped: there is no /usr/bin/python3 here");
    }
    there
}

/// A bot whose `go` does what a test wants, in a folder of its own.
struct Bot {
    folder: PathBuf,
    isolation: Isolation,
    memory: u64,
    freeze: bool,
}

/// A bot that answers with what the function `act` returns, one word.
const FRAME: &str = "
import os, sys, time, signal, socket, subprocess
def say(line):
    print(line, flush=True)
def main():
    for line in sys.stdin:
        words = line.split()
        if words[0] == 'ugi':
            say('ugiok')
        elif words[0] == 'isready':
            say('readyok')
        elif words[0] == 'go':
            say('bestmove ' + str(act()).replace(' ', '_'))
        elif words[0] == 'quit':
            break
if __name__ == '__main__':
    main()
";

impl Bot {
    fn new(name: &str, isolation: Isolation, act: &str) -> Self {
        let word = if isolation == Isolation::Bubblewrap { "bwrap" } else { "own" };
        let folder = std::env::temp_dir().join(format!("plyground-sandbox-{name}-{word}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("run")).unwrap();
        fs::write(folder.join("run/bot.py"), format!("{act}\n{FRAME}")).unwrap();
        Self { folder, isolation, memory: 256, freeze: false }
    }

    /// A word in the command lines of all processes of the bot.
    fn mark(&self) -> String {
        self.folder.file_name().unwrap().to_string_lossy().into_owned()
    }

    fn start(&self) -> Box<dyn Engine> {
        let pool = EnginePool::new(ProcessOptions { guard: Some(GUARD.into()), logs: None });
        let confinement = Confinement {
            folder: Some(self.folder.join("run")),
            memory: self.memory,
            processes: PROCESSES,
            tmp: 4,
            ..Confinement::new(self.isolation)
        };
        let words = ["/usr/bin/python3", "-u", "/bot/bot.py", &self.mark()].map(str::to_owned).to_vec();
        let program = ConfinedProgram {
            name: "bot".to_owned(),
            words,
            confinement,
            start: FOR_EVER,
            files: Vec::new(),
            log: Some(self.folder.join("stderr")),
            freeze: self.freeze,
        };
        let mut engine = pool.confined(&program).unwrap();
        engine.begin("tictactoe", Seed(0)).unwrap();
        engine
    }

    /// The answer to a question, and no process left afterwards.
    fn answer(&self) -> Result<String, AgentError> {
        let mut engine = self.start();
        let answer = ask(engine.as_mut(), FOR_EVER);
        drop(engine);
        assert_eq!(processes(&self.mark()), Vec::<u32>::new(), "something has survived");
        answer
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Asks for a move, and to stop after some time.
fn ask(engine: &mut dyn Engine, patience: Duration) -> Result<String, AgentError> {
    let legal = ["a1".to_owned()];
    let limits = Limits { time: Some(FOR_EVER), ..Limits::default() };
    let query = SearchQuery { game: "tictactoe", start: None, moves: &[], position: "", legal: &legal, limits };
    let begin = Instant::now();
    let mut listener =
        |_: &EngineInfo| if begin.elapsed() > patience { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    engine.ask(&query, &mut listener).map(|(answer, _)| answer)
}

/// The processes of this computer whose command line has this word in it, but for those that set up the sandbox.
fn processes(mark: &str) -> Vec<u32> {
    let numbers = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_ours = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(mark) && line.starts_with("/usr/bin/python3")
    };
    numbers.filter(is_ours).collect()
}

/// Runs a test in every way that works here.
fn in_every_sandbox(name: &str, act: &str, test: impl Fn(&mut Bot)) {
    if !has_python() {
        return;
    }
    for &isolation in &detection().works {
        test(&mut Bot::new(name, isolation, act));
    }
}

#[test]
fn what_cannot_be_confined_is_told_with_the_reason() {
    let detection = detection();
    assert_eq!(detection.works.len() + detection.reasons.len(), 2);
    let nowhere = detect(Path::new("/no/such/program"));
    assert!(nowhere.works.is_empty() && nowhere.reasons[0].starts_with("bubblewrap: "), "{nowhere:?}");
}

#[test]
fn files_of_the_host_and_of_others_are_not_there() {
    let act = "
def act():
    found = [path for path in ['/etc/passwd', '/etc/shadow', '/root', '/home', '/work', '/var', '/usr/local', '/usr/games', SECRET]
             if os.path.exists(path)]
    for path in ['/bot/x', '/usr/bin/x', '/x', '/etc/x', '/dev/shm/x', '/dev/x', '/proc/sys/kernel/hostname']:
        try:
            open(path, 'w').write('x')
            found.append('wrote ' + path)
        except OSError:
            pass
    for pid in [name for name in os.listdir('/proc') if name.isdigit()]:
        if b'plyground-sandbox' in open('/proc/' + pid + '/cmdline', 'rb').read().split(b'/bot/bot.py')[0]:
            found.append('process ' + pid)
    try:
        open('/proc/1/root/etc/passwd')
        found.append('/proc/1/root')
    except OSError:
        pass
    try:
        with open('/tmp/big', 'wb') as big:
            for _ in range(64):
                big.write(bytes(1 << 20))
        found.append('a large /tmp')
    except OSError:
        pass
    return found or 'nothing'
";
    in_every_sandbox("files", act, |bot| {
        let secret = bot.folder.join("secret");
        fs::write(&secret, "the bot of another").unwrap();
        let file = bot.folder.join("run/bot.py");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("SECRET = '{}'\n{text}", secret.display())).unwrap();
        assert_eq!(bot.answer().as_deref(), Ok("nothing"));
    });
}

#[test]
fn there_is_no_network_and_no_way_to_more_rights() {
    let act = "
def act():
    import ctypes
    found = []
    for family in [socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK]:
        try:
            listener = socket.socket(family, socket.SOCK_STREAM)
            found.append('a socket of family %d' % family)
        except OSError:
            pass
    libc = ctypes.CDLL(None, use_errno=True)
    for name, arguments in [('unshare', [0x10000000]), ('ptrace', [0, 0, 0, 0]), ('mount', [b'none', b'/tmp', b'tmpfs', 0, 0]),
                            ('chroot', [b'/tmp']), ('setuid', [0]), ('sethostname', [b'x', 1]), ('keyctl', [0, 0, 0, 0, 0])]:
        function = getattr(libc, name, None)
        if function is not None and function(*arguments) == 0:
            found.append(name)
    status = open('/proc/self/status').read()
    for line in ['CapEff:\\t0000000000000000', 'CapPrm:\\t0000000000000000', 'NoNewPrivs:\\t1', 'Seccomp:\\t2']:
        if line not in status:
            found.append('not ' + line)
    if os.environ.keys() - {'PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_CTYPE', 'PWD'}:
        found.append(str(os.environ))
    return found or 'nothing'
";
    in_every_sandbox("rights", act, |bot| assert_eq!(bot.answer().as_deref(), Ok("nothing")));
}

#[test]
fn a_fork_bomb_has_few_processes_and_none_of_them_survives() {
    let act = "
def act():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    count = 0
    while count < 1000:
        try:
            child = os.fork()
        except OSError:
            return count
        if child == 0:
            os.setsid()
            if os.fork() == 0:
                while True:
                    time.sleep(100)
            os._exit(0)
        count += 1
    return count
";
    in_every_sandbox("forks", act, |bot| {
        let count: u64 = bot.answer().unwrap().parse().unwrap();
        assert!((1..=PROCESSES).contains(&count), "{count}");
    });
}

#[test]
fn floods_silence_and_ignored_signals_cost_the_game_and_nothing_else() {
    let flood = "
def act():
    while True:
        sys.stdout.write('x' * 100000 + '\\n')
";
    in_every_sandbox("flood", flood, |bot| {
        let fault = bot.answer().unwrap_err();
        assert!(matches!(&fault, AgentError::Crashed(why) if why.contains("more than 16 MB")), "{fault}");
    });
    let deaf = "
def act():
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)', sys.argv[1]], start_new_session=True)
    sys.stdout.close()
    while True:
        time.sleep(100)
";
    in_every_sandbox("deaf", deaf, |bot| {
        let mut engine = bot.start();
        let fault = ask(engine.as_mut(), Duration::from_millis(500)).unwrap_err();
        assert!(matches!(fault, AgentError::Crashed(_) | AgentError::Stalled(_)), "{fault}");
        drop(engine);
        assert_eq!(processes(&bot.mark()), Vec::<u32>::new());
    });
}

#[test]
fn memory_is_bounded_for_a_process_and_for_all_together() {
    let alone = "
def act():
    try:
        return len(bytearray(1 << 30))
    except MemoryError:
        return 'none'
";
    in_every_sandbox("memory", alone, |bot| assert_eq!(bot.answer().as_deref(), Ok("none")));
    let together = "
def act():
    kept = bytearray(os.urandom(1 << 20) * 60)
    for _ in range(8):
        if os.fork() == 0:
            kept = bytearray(os.urandom(1 << 20) * 60)
            time.sleep(1000)
    time.sleep(1000)
";
    in_every_sandbox("memories", together, |bot| {
        bot.memory = 192;
        let fault = bot.answer().unwrap_err().to_string();
        assert!(fault.contains("192 MB were allowed"), "{fault}");
    });
}

/// The processor time that processes have used, and whether all of them are stopped.
fn used(pids: &[u32]) -> (u64, bool) {
    let stats: Vec<String> = pids.iter().filter_map(|pid| fs::read_to_string(format!("/proc/{pid}/stat")).ok()).collect();
    let fields =
        |stat: &String| -> Vec<String> { stat.rsplit_once(')').unwrap().1.split_whitespace().map(str::to_owned).collect() };
    let times = stats.iter().map(|stat| fields(stat)[11..13].iter().map(|ticks| ticks.parse::<u64>().unwrap()).sum::<u64>());
    (times.sum(), stats.iter().all(|stat| fields(stat)[0] == "T"))
}

#[test]
fn a_bot_does_not_think_on_the_time_of_its_opponent() {
    let act = "
children = []
def act():
    if not children:
        code = 'while True: pass'
        children.append(subprocess.Popen([sys.executable, '-c', code, sys.argv[1]], start_new_session=True))
    return 'a1'
";
    in_every_sandbox("thinker", act, |bot| {
        bot.freeze = true;
        let mut engine = bot.start();
        for _ in 0..2 {
            assert_eq!(ask(engine.as_mut(), FOR_EVER).as_deref(), Ok("a1"));
            // The order to stop may take a moment; a bot that thinks on uses processor time in every moment.
            let begin = Instant::now();
            loop {
                let pids = processes(&bot.mark());
                let before = used(&pids);
                std::thread::sleep(Duration::from_millis(300));
                if pids.len() >= 2 && before.1 && used(&pids) == before {
                    break;
                }
                assert!(begin.elapsed() < FOR_EVER, "it thinks while it is not asked: {pids:?}");
            }
        }
        drop(engine);
        assert_eq!(processes(&bot.mark()), Vec::<u32>::new());
    });
}
