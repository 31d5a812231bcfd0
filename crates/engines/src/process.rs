//! A program that runs: lines go in, lines come out, and nothing that it does holds us up or fills our memory.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command as Process, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use plyground_session::sync::lock;
use plyground_session::{Seed, quoted};

use crate::command::Command;

/// The longest line; what is behind that is dropped.
const LINE: usize = 64 * 1024;
/// Lines that wait to be read. After that the program waits.
const WAITING: usize = 256;
/// What is kept of all that a program writes to stderr.
const COMPLAINTS: u64 = 1024 * 1024;
/// How long a program that is told to quit has for it.
const FAREWELL: Duration = Duration::from_millis(300);
/// How often it is looked whether a program is still there, or has ended.
const LOOK: Duration = Duration::from_millis(5);

/// Where programs are started.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// The program that sets limits for itself and then becomes another one (`ply run-engine`); without it there are no limits.
    pub guard: Option<PathBuf>,
    /// Where what programs write to stderr is kept; without it, it is lost.
    pub logs: Option<PathBuf>,
}

/// What was heard of a program.
pub(crate) enum Heard {
    Line(String),
    /// Nothing yet.
    Silence,
    /// It has ended, or will say nothing more.
    Gone,
}

pub(crate) struct Program {
    child: Child,
    /// To whoever writes to it: it might not read, and nobody is to wait for that.
    said: Option<Sender<String>>,
    lines: Receiver<String>,
    /// How many bytes it has written.
    written: Arc<AtomicU64>,
    last_words: Arc<Mutex<String>>,
    complaints: Option<JoinHandle<()>>,
    log: Option<PathBuf>,
}

impl Program {
    pub fn start(command: &Command, setting: &Setting) -> io::Result<Self> {
        let log = setting.logs.as_ref().map(|folder| folder.join(log_name(command)));
        // Who cannot keep what is said there can still play.
        let (log, file) = log.and_then(|path| open_log(&path, command).ok().map(|file| (path, file))).unzip();
        let mut child = launch(process(command, setting))?;
        let (said, to_say) = mpsc::channel();
        let (heard, lines) = mpsc::sync_channel(WAITING);
        let (written, last_words) = (Arc::<AtomicU64>::default(), Arc::<Mutex<String>>::default());
        let missing = || io::Error::other("its standard input and output are not there");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        thread::spawn(move || say(stdin, &to_say));
        let counter = Arc::clone(&written);
        thread::spawn(move || listen(stdout, &heard, &counter));
        let words = Arc::clone(&last_words);
        let complaints = Some(thread::spawn(move || note(stderr, file, &words)));
        Ok(Self { child, said: Some(said), lines, written, last_words, complaints, log })
    }

    /// Says a line. Whether it is read is another question.
    pub fn say(&self, line: &str) {
        if let Some(said) = &self.said {
            // One that has ended is noticed by whoever waits for an answer.
            let _ = said.send(format!("{line}\n"));
        }
    }

    /// The next line, if there is one within this time.
    pub fn hear(&mut self, wait: Duration) -> Heard {
        match self.lines.recv_timeout(wait) {
            Ok(line) => Heard::Line(line),
            Err(RecvTimeoutError::Disconnected) => Heard::Gone,
            Err(RecvTimeoutError::Timeout) => {
                if !matches!(self.child.try_wait(), Ok(None)) {
                    // It has ended, but something that it started may still hold its output. What it said itself is here by now.
                    return self.lines.recv_timeout(LOOK).map_or(Heard::Gone, Heard::Line);
                }
                Heard::Silence
            }
        }
    }

    /// How many bytes it has written since it was started.
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// How it ended, in words.
    pub fn end(&mut self) -> String {
        let status = self.wait(Duration::from_secs(1));
        self.kill();
        let begin = Instant::now();
        while self.complaints.as_ref().is_some_and(|thread| !thread.is_finished()) && begin.elapsed() < FAREWELL {
            thread::sleep(LOOK);
        }
        let mut words = status.map_or_else(|| "it closed its output".to_owned(), ended);
        let last = lock(&self.last_words);
        if !last.is_empty() {
            words += &format!("; it said {}", quoted(&last));
        }
        if let Some(log) = self.log.as_ref().filter(|_| !last.is_empty()) {
            words += &format!(" (all of it: {})", log.display());
        }
        words
    }

    fn wait(&mut self, longest: Duration) -> Option<ExitStatus> {
        let begin = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(None) if begin.elapsed() < longest => thread::sleep(LOOK),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }

    /// Ends it, and all that it has started and not put elsewhere.
    fn kill(&mut self) {
        #[cfg(unix)]
        {
            use nix::sys::signal::{Signal, killpg};
            use nix::unistd::Pid;
            // The number of a group is not given to anybody else as long as somebody is in it.
            let _ = killpg(Pid::from_raw(self.child.id() as i32), Signal::SIGKILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.say("quit");
        }
        // Nothing more will come.
        self.said = None;
        self.wait(FAREWELL);
        self.kill();
    }
}

fn process(command: &Command, setting: &Setting) -> Process {
    let mut process = match &setting.guard {
        Some(guard) => {
            let mut process = Process::new(guard);
            process.arg("run-engine").arg("--cpu").arg(command.cpu.as_secs().max(1).to_string());
            process.arg("--memory").arg(command.memory.to_string()).arg("--").arg(&command.program);
            process
        }
        None => Process::new(&command.program),
    };
    process.args(&command.words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        // Ctrl-C is meant for us; and all that it starts can be ended with it.
        process.process_group(0);
    }
    process
}

type Launch = (Process, Sender<io::Result<Child>>);

/// Starts a process from a thread that never ends: a program that is to end with us (`guard`) ends with the thread that started it.
fn launch(process: Process) -> io::Result<Child> {
    static LAUNCHER: OnceLock<Mutex<Sender<Launch>>> = OnceLock::new();
    let launcher = LAUNCHER.get_or_init(|| {
        let (sender, receiver) = mpsc::channel::<Launch>();
        thread::spawn(move || {
            for (mut process, reply) in receiver {
                let _ = reply.send(process.spawn());
            }
        });
        Mutex::new(sender)
    });
    let (reply, child) = mpsc::channel();
    let gone = || io::Error::other("nobody starts programs any more");
    lock(launcher).send((process, reply)).map_err(|_| gone())?;
    child.recv().map_err(|_| gone())?
}

/// Writes to a program until it ends or nobody has anything more to say.
fn say(mut stdin: ChildStdin, to_say: &Receiver<String>) {
    for line in to_say {
        if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            break;
        }
    }
}

/// Reads lines until the end; whatever they are made of.
fn listen(stdout: impl Read, heard: &SyncSender<String>, written: &AtomicU64) {
    let mut stdout = BufReader::new(stdout);
    let mut line = Vec::new();
    let tell = |line: &mut Vec<u8>| {
        let text = String::from_utf8_lossy(line).trim().to_owned();
        line.clear();
        heard.send(text).is_ok()
    };
    loop {
        let buffer = match stdout.fill_buf() {
            Ok([]) => break,
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        line.extend_from_slice(&part[..part.len().min(LINE - line.len())]);
        let read = end.map_or(buffer.len(), |end| end + 1);
        stdout.consume(read);
        written.fetch_add(read as u64, Ordering::Relaxed);
        if end.is_some() && !tell(&mut line) {
            return;
        }
    }
    if !line.is_empty() {
        tell(&mut line);
    }
}

/// Keeps the beginning of what a program writes to stderr, and remembers its last line.
fn note(mut stderr: impl Read, mut file: Option<File>, last_words: &Mutex<String>) {
    let mut buffer = [0; 8 * 1024];
    let (mut kept, mut line) = (0, Vec::new());
    while let Ok(read @ 1..) = stderr.read(&mut buffer) {
        let part = &buffer[..read];
        kept += read as u64;
        if let Some(log) = &mut file {
            let written = log.write_all(part);
            if written.is_err() || kept >= COMPLAINTS {
                let _ = log.write_all(b"\n(more was not kept)\n");
                file = None;
            }
        }
        for piece in part.split_inclusive(|&byte| byte == b'\n') {
            line.extend_from_slice(&piece[..piece.len().min(LINE - line.len())]);
            if !line.trim_ascii().is_empty() {
                *lock(last_words) = String::from_utf8_lossy(line.trim_ascii()).into_owned();
            }
            if piece.ends_with(b"\n") {
                line.clear();
            }
        }
    }
}

/// A name that tells people what it is, and that no other command has.
fn log_name(command: &Command) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = command.words[0].rsplit('/').next().unwrap_or_default().chars().map(plain).collect();
    format!("{name}-{:08x}.log", Seed(0).named(&command.text).0 >> 32)
}

/// The log of a command, to be added to; a long one begins anew.
fn open_log(path: &Path, command: &Command) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut log = File::options().create(true).append(true).open(path)?;
    if log.metadata()?.len() > COMPLAINTS {
        log.set_len(0)?;
    }
    writeln!(log, "--- {}", quoted(&command.text))?;
    Ok(log)
}

fn ended(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        if let Some(signal) = status.signal() {
            let why = match signal {
                6 => " (it gave up, perhaps for lack of memory)",
                9 => " (from outside)",
                11 => " (a mistake with memory, or no more of it, see the key memory)",
                24 => " (its processor time is used up, see the key cpu)",
                _ => "",
            };
            return format!("it was killed by signal {signal}{why}");
        }
    }
    status.code().map_or_else(|| "it ended".to_owned(), |code| format!("it ended with exit code {code}"))
}
