//! The launcher of a program: a process between us and the program, which ends everything that the program has started.
//!
//! A process group does not hold a process that calls `setsid`, and a signal at the death of the parent reaches one process only. So the
//! launcher makes itself the reaper of all processes below it (Linux: `PR_SET_CHILD_SUBREAPER`): what loses its parent becomes a child of
//! the launcher, and the launcher does not end before it has no children. It ends when the program ends, when it is told to
//! (`SIGTERM`), and when we have ended in any way, also by `SIGKILL`.
//!
//! It also freezes all processes of the program and lets them go on (`SIGUSR1`, `SIGUSR2`), and ends a program in a sandbox whose
//! processes take too much memory together.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, exit};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::prctl::{set_child_subreaper, set_pdeathsig};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigSet, Signal, kill, raise};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, SysconfVar, dup, dup2_stderr, dup2_stdin, dup2_stdout, getpid, getppid, sysconf};

use crate::process_limits::close_files;

/// The longest time for ending everything that a program has started.
pub(crate) const ENDING: Duration = Duration::from_secs(5);
/// The interval at which processes that were killed are waited for.
const POLL: Duration = Duration::from_millis(1);
/// The interval at which the memory of a program is looked at.
const MEMORY_INTERVAL: Duration = Duration::from_millis(250);
/// The longest time for stopping all processes of a program.
const FREEZING: Duration = Duration::from_millis(500);
/// Tells the launcher to stop all processes of the program, and to let them go on.
pub(crate) const FREEZE: Signal = Signal::SIGUSR1;
pub(crate) const THAW: Signal = Signal::SIGUSR2;

/// Starts a program, and ends as it ends, with everything that it has started; also when the process `parent`, which must be our
/// parent, has ended, and when its processes take more than `memory` megabytes together. Returns only on failure.
pub fn launch_program(mut program: Command, parent: u32, memory: Option<u64>) -> io::Error {
    match watch(&mut program, parent, memory) {
        Ok(status) => end_like(status),
        Err(error) => error,
    }
}

fn watch(program: &mut Command, parent: u32, memory: Option<u64>) -> io::Result<WaitStatus> {
    let signals = [Signal::SIGCHLD, Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM, FREEZE, THAW];
    let signals: SigSet = signals.into_iter().collect();
    signals.thread_block()?;
    close_files()?;
    // We end by the signal that has ended the program, which is no reason to write our memory to a file.
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    set_child_subreaper(true)?;
    set_pdeathsig(Signal::SIGTERM)?;
    if getppid().as_raw().cast_unsigned() != parent {
        return Err(io::Error::other("the process that asked for it has ended"));
    }
    // A group of its own: a program that signals its whole group does not reach the launcher.
    let program = Pid::from_raw(program.process_group(0).spawn()?.id().cast_signed());
    if let Some(memory) = memory {
        let told = File::from(dup(io::stderr())?);
        thread::spawn(move || watch_memory(memory, told));
    }
    leave_pipes();
    let status = loop {
        if let Some(status) = reaped(program) {
            break status;
        }
        match signals.wait() {
            Ok(Signal::SIGCHLD) => {}
            Ok(FREEZE) => freeze(),
            Ok(THAW) => thaw(),
            // Any other signal is an order to end.
            _ => break WaitStatus::Signaled(program, Signal::SIGKILL, false),
        }
    };
    end_descendants();
    Ok(status)
}

/// Lets go of standard input, output and error: where the program closes its own, that must be seen at the other end.
fn leave_pipes() {
    // Without `/dev/null` the end of the program is still seen, by its exit.
    let Ok(null) = File::options().read(true).write(true).open("/dev/null") else { return };
    let _ = dup2_stdin(&null);
    let _ = dup2_stdout(&null);
    let _ = dup2_stderr(&null);
}

/// Reaps all children that have ended; the status of the program, if it is one of them.
fn reaped(program: Pid) -> Option<WaitStatus> {
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => return None,
            Ok(status) if status.pid() == Some(program) => return Some(status),
            Ok(_) | Err(Errno::EINTR) => {}
            // Ended by a signal that has no name here.
            Err(_) if kill(program, None).is_err() => return Some(WaitStatus::Exited(program, 1)),
            Err(Errno::ECHILD) => return None,
            Err(_) => {}
        }
    }
}

/// Kills all processes below this one. Only children are killed: their numbers are not used again before they are reaped here, and
/// the children of those that have ended are the next.
fn end_descendants() {
    let begin = Instant::now();
    while begin.elapsed() < ENDING {
        for child in children() {
            // One that has ended meanwhile is reaped below.
            let _ = kill(child, Signal::SIGKILL);
        }
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Err(Errno::ECHILD) => return,
                Ok(WaitStatus::StillAlive) => break,
                Ok(_) | Err(_) => {}
            }
        }
        sleep(POLL);
    }
}

/// All processes of this computer that can be seen.
fn processes() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).map(Pid::from_raw)
}

/// The children of this process.
fn children() -> Vec<Pid> {
    let own = getpid();
    processes().filter(|pid| parent_of(*pid) == Some(own)).collect()
}

/// All processes below this one, in whatever namespace they are.
fn descendants() -> Vec<Pid> {
    let mut below: HashMap<Pid, Vec<Pid>> = HashMap::new();
    for pid in processes() {
        if let Some(parent) = parent_of(pid) {
            below.entry(parent).or_default().push(pid);
        }
    }
    let mut all = below.remove(&getpid()).unwrap_or_default();
    let mut next = 0;
    while let Some(pid) = all.get(next) {
        all.extend(below.remove(pid).unwrap_or_default());
        next += 1;
    }
    all
}

/// Stops all processes below this one. A process may start another one before the signal has reached it: what runs is looked for until
/// there is nothing, but not for ever.
fn freeze() {
    let begin = Instant::now();
    while begin.elapsed() < FREEZING {
        let running: Vec<Pid> = descendants().into_iter().filter(|pid| is_running(*pid)).collect();
        if running.is_empty() {
            return;
        }
        for pid in running {
            // One that has ended meanwhile needs no stopping.
            let _ = kill(pid, Signal::SIGSTOP);
        }
        sleep(POLL);
    }
}

/// Lets all processes below this one go on.
fn thaw() {
    for pid in descendants() {
        // One that has ended meanwhile needs no help.
        let _ = kill(pid, Signal::SIGCONT);
    }
}

/// Has a launcher orders to freeze or to thaw that it has not taken yet?
pub(crate) fn has_orders(launcher: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{launcher}/status")).unwrap_or_default();
    waiting_in(&status).is_some_and(|waiting| waiting & (bit(FREEZE) | bit(THAW)) != 0)
}

/// The signals that wait for a process, in the text of `/proc/PID/status`.
fn waiting_in(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("ShdPnd:"))?;
    u64::from_str_radix(line.trim(), 16).ok()
}

fn bit(signal: Signal) -> u64 {
    1 << (signal as i32 - 1)
}

/// Is a process neither stopped nor ended?
fn is_running(pid: Pid) -> bool {
    let stat = fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
    state_in(&String::from_utf8_lossy(&stat)).is_some_and(|state| !"TtZX".contains(state))
}

/// Orders this launcher to end, with a word, when the processes below it take more than so many megabytes together.
fn watch_memory(most: u64, mut told: File) {
    let page = sysconf(SysconfVar::PAGE_SIZE).ok().flatten().unwrap_or(4096).cast_unsigned();
    loop {
        sleep(MEMORY_INTERVAL);
        let pages: u64 = descendants().into_iter().filter_map(resident).sum();
        let megabytes = pages.saturating_mul(page) >> 20;
        if megabytes > most {
            let _ = writeln!(told, "\nended: its processes took {megabytes} MB of memory, {most} MB were allowed");
            let _ = kill(getpid(), Signal::SIGTERM);
            return;
        }
    }
}

/// The pages of a process that are in memory.
fn resident(pid: Pid) -> Option<u64> {
    fs::read_to_string(format!("/proc/{pid}/statm")).ok()?.split_whitespace().nth(1)?.parse().ok()
}

/// The parent of a process; `None` if it has ended.
fn parent_of(pid: Pid) -> Option<Pid> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    parent_in(&String::from_utf8_lossy(&stat)).map(Pid::from_raw)
}

/// The parent in a line of `/proc/PID/stat`. The name of the program is in parentheses, and may have any characters in it.
fn parent_in(stat: &str) -> Option<i32> {
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

/// The state in such a line: `R`, `S`, `T` and so on.
fn state_in(stat: &str) -> Option<char> {
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

/// Ends this process as another one has ended.
fn end_like(status: WaitStatus) -> ! {
    match status {
        WaitStatus::Exited(_, code) => exit(code),
        WaitStatus::Signaled(_, signal, _) => {
            let _ = SigSet::all().thread_unblock();
            // The first one of some signals only ends the handler of Rust for them.
            let _ = raise(signal);
            let _ = raise(signal);
            exit(128 + signal as i32)
        }
        _ => exit(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_of_a_process_is_known_whatever_its_name() {
        assert_eq!(parent_in("17 (sh) S 5 17 17 0"), Some(5));
        assert_eq!(parent_in("17 (a) S 99 (b) R 6 17 17 0"), Some(6));
        assert_eq!(parent_in("17 (sh"), None);
        assert_eq!(waiting_in("Name:\tply\nShdPnd:\t0000000000000a00\n"), Some(bit(FREEZE) | bit(THAW)));
        assert_eq!((state_in("17 (a) R) T 6 17"), state_in("17 (sh")), (Some('T'), None));
        assert_eq!(parent_of(getpid()), Some(getppid()));
    }
}
