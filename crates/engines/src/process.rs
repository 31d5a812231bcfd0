//! A running engine process: lines in, lines out, with bounded buffers and no blocking.

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

/// The longest line in bytes; the rest is dropped.
const LINE: usize = 64 * 1024;
/// The most lines that are buffered; then the process blocks.
const WAITING: usize = 256;
/// The most bytes of stderr that are kept.
const STDERR_KEPT: u64 = 1024 * 1024;
/// The time that a process has to answer `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_millis(300);
/// The interval at which the end of a process is polled.
const POLL: Duration = Duration::from_millis(5);
/// The interval at which a launcher is asked whether it has taken its last order.
#[cfg(target_os = "linux")]
const ORDER_POLL: Duration = Duration::from_micros(200);

/// Is there a launcher on this system?
const HAS_LAUNCHER: bool = cfg!(target_os = "linux");

/// The options for starting engine processes.
#[derive(Clone, Debug, Default)]
pub struct ProcessOptions {
    /// The program that sets limits and runs the engine (`ply run-engine`); without it there are no limits. On Linux it also ends
    /// everything that the engine has started.
    pub guard: Option<PathBuf>,
    /// The folder for logs of stderr; without it, stderr is dropped.
    pub logs: Option<PathBuf>,
}

/// The result of reading from a process.
pub(crate) enum Received {
    Line(String),
    /// Nothing yet.
    Silence,
    /// It has ended, or will say nothing more.
    Gone,
}

/// A running process with its pipes.
pub(crate) struct Program {
    /// The program, or its launcher.
    child: Child,
    /// Is it a launcher, which ends everything below it?
    is_launcher: bool,
    /// To the thread that writes to its stdin: the process might not read, and sending must not block.
    input: Option<Sender<String>>,
    lines: Receiver<String>,
    /// The number of bytes that it has written.
    written: Arc<AtomicU64>,
    last_words: Arc<Mutex<String>>,
    stderr: Option<JoinHandle<()>>,
    log: Option<PathBuf>,
}

impl Program {
    pub fn start(command: &Command, options: &ProcessOptions) -> io::Result<Self> {
        let log = match &command.confined {
            Some(confined) => confined.log.clone(),
            None => options.logs.as_ref().map(|folder| folder.join(log_name(command))),
        };
        // A log that cannot be opened does not keep the engine from playing.
        let (log, file) = log.and_then(|path| open_log(&path, command).ok().map(|file| (path, file))).unzip();
        let mut child = launch(process(command, options))?;
        let (input, to_write) = mpsc::channel();
        let (sender, lines) = mpsc::sync_channel(WAITING);
        let (written, last_words) = (Arc::<AtomicU64>::default(), Arc::<Mutex<String>>::default());
        let missing = || io::Error::other("its standard input and output are not there");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        thread::spawn(move || write_lines(stdin, &to_write));
        let counter = Arc::clone(&written);
        thread::spawn(move || read_lines(stdout, &sender, &counter));
        let words = Arc::clone(&last_words);
        let stderr = Some(thread::spawn(move || log_stderr(stderr, file, &words)));
        let is_launcher = HAS_LAUNCHER && options.guard.is_some();
        // Where logs of strangers are is nothing for those who read the reasons of losses.
        let log = log.filter(|_| command.confined.is_none());
        Ok(Self { child, is_launcher, input: Some(input), lines, written, last_words, stderr, log })
    }

    /// Sends a line; it may never be read.
    pub fn send(&self, line: &str) {
        if let Some(input) = &self.input {
            // The end of the process is noticed when its answer is read.
            let _ = input.send(format!("{line}\n"));
        }
    }

    /// The next line, if there is one within this time.
    pub fn receive(&mut self, wait: Duration) -> Received {
        match self.lines.recv_timeout(wait) {
            Ok(line) => Received::Line(line),
            Err(RecvTimeoutError::Disconnected) => Received::Gone,
            Err(RecvTimeoutError::Timeout) => {
                if !matches!(self.child.try_wait(), Ok(None)) {
                    // It has ended, but a process that it started may still hold its output. Its own lines are here by now.
                    return self.lines.recv_timeout(POLL).map_or(Received::Gone, Received::Line);
                }
                Received::Silence
            }
        }
    }

    /// The number of bytes that it has written since it was started.
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Has the launcher stop all processes of the program. Without a launcher nothing happens.
    #[cfg(target_os = "linux")]
    pub fn freeze(&self) {
        self.signal(crate::launcher::FREEZE);
    }

    /// Has the launcher let all processes go on.
    #[cfg(target_os = "linux")]
    pub fn thaw(&self) {
        self.signal(crate::launcher::THAW);
    }

    /// Signals that wait together are not delivered in the order in which they were sent: the last one has to be taken before the next.
    #[cfg(target_os = "linux")]
    fn signal(&self, signal: nix::sys::signal::Signal) {
        if !self.is_launcher {
            return;
        }
        let begin = Instant::now();
        while crate::launcher::has_orders(self.child.id()) && begin.elapsed() < QUIT_TIMEOUT {
            thread::sleep(ORDER_POLL);
        }
        // One that has ended is noticed when its answer is read: its number is not used again before it is waited for.
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(self.child.id().cast_signed()), signal);
    }

    /// Nothing: there is no launcher on this system.
    #[cfg(not(target_os = "linux"))]
    pub fn freeze(&self) {}

    /// Nothing, likewise.
    #[cfg(not(target_os = "linux"))]
    pub fn thaw(&self) {}

    /// A sentence on how it ended.
    pub fn end(&mut self) -> String {
        let status = self.wait(Duration::from_secs(1));
        self.kill();
        let begin = Instant::now();
        while self.stderr.as_ref().is_some_and(|thread| !thread.is_finished()) && begin.elapsed() < QUIT_TIMEOUT {
            thread::sleep(POLL);
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
                Ok(None) if begin.elapsed() < longest => thread::sleep(POLL),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }

    /// Kills it with everything that it has started: all of it where there is a launcher, otherwise its process group.
    fn kill(&mut self) {
        #[cfg(target_os = "linux")]
        if self.is_launcher {
            return self.end_launcher();
        }
        #[cfg(unix)]
        {
            use nix::sys::signal::{Signal, killpg};
            use nix::unistd::Pid;
            // The number of a process group is not used again while a process is in it.
            let _ = killpg(Pid::from_raw(self.child.id() as i32), Signal::SIGKILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Has the launcher end everything below it, and waits for that. One that has ended has done so already.
    #[cfg(target_os = "linux")]
    fn end_launcher(&mut self) {
        use nix::sys::signal::{Signal, kill};
        use nix::unistd::Pid;
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill(Pid::from_raw(self.child.id().cast_signed()), Signal::SIGTERM);
            self.wait(crate::launcher::ENDING + Duration::from_secs(1));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.thaw();
            self.send("quit");
        }
        // Closes its stdin.
        self.input = None;
        self.wait(QUIT_TIMEOUT);
        self.kill();
    }
}

fn process(command: &Command, options: &ProcessOptions) -> Process {
    let mut process = match &options.guard {
        Some(guard) => {
            let mut process = Process::new(guard);
            process.arg("run-engine");
            if HAS_LAUNCHER {
                process.arg("--parent").arg(std::process::id().to_string());
            }
            process.arg("--cpu").arg(command.cpu.as_secs().max(1).to_string());
            process.arg("--memory").arg(command.memory.to_string());
            if let Some(confined) = &command.confined {
                process.arg("--sandbox").arg(confined.confinement.to_word());
            }
            process.arg("--").arg(&command.program);
            process
        }
        None => Process::new(&command.program),
    };
    process.args(&command.words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        // A group of its own: Ctrl-C does not reach it, and its children can be killed with it.
        process.process_group(0);
    }
    process
}

type Launch = (Process, Sender<io::Result<Child>>);

/// Starts a process from a thread that never ends: the death signal of a guarded program is bound to the thread that started it.
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
    let gone = || io::Error::other("the thread that starts programs has ended");
    lock(launcher).send((process, reply)).map_err(|_| gone())?;
    child.recv().map_err(|_| gone())?
}

/// Writes lines to a process until it ends or the sender is dropped.
fn write_lines(mut stdin: ChildStdin, to_write: &Receiver<String>) {
    for line in to_write {
        if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            break;
        }
    }
}

/// Reads lines until the end of the output; bytes that are no UTF-8 are replaced.
pub(crate) fn read_lines(stdout: impl Read, sender: &SyncSender<String>, written: &AtomicU64) {
    let mut stdout = BufReader::new(stdout);
    let mut line = Vec::new();
    let tell = |line: &mut Vec<u8>| {
        let text = String::from_utf8_lossy(line).trim().to_owned();
        line.clear();
        sender.send(text).is_ok()
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

/// Writes the beginning of stderr to a file, and remembers its last line.
fn log_stderr(mut stderr: impl Read, mut file: Option<File>, last_words: &Mutex<String>) {
    let mut buffer = [0; 8 * 1024];
    let (mut kept, mut line) = (0, Vec::new());
    while let Ok(read @ 1..) = stderr.read(&mut buffer) {
        let part = &buffer[..read];
        kept += read as u64;
        if let Some(log) = &mut file {
            let written = log.write_all(part);
            if written.is_err() || kept >= STDERR_KEPT {
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

/// The log file of a command: a readable name with a hash.
fn log_name(command: &Command) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = command.words[0].rsplit('/').next().unwrap_or_default().chars().map(plain).collect();
    format!("{name}-{:08x}.log", Seed(0).named(&command.text).0 >> 32)
}

/// Opens the log of a command for appending; a long one is truncated.
fn open_log(path: &Path, command: &Command) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut log = File::options().create(true).append(true).open(path)?;
    if log.metadata()?.len() > STDERR_KEPT {
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
