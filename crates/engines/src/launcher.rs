//! The launcher of a program: a process between us and the program, which ends everything that the program has started.
//!
//! A process group does not hold a process that calls `setsid`, and a signal at the death of the parent reaches one process only. So the
//! launcher makes itself the reaper of all processes below it (Linux: `PR_SET_CHILD_SUBREAPER`): what loses its parent becomes a child of
//! the launcher, and the launcher does not end before it has no children. It ends when the program ends, when it is told to
//! (`SIGTERM`), and when we have ended in any way, also by `SIGKILL`.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, exit};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::prctl::{set_child_subreaper, set_pdeathsig};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigSet, Signal, kill, raise};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, dup2_stderr, dup2_stdin, dup2_stdout, getpid, getppid};

use crate::process_limits::close_files;

/// The longest time for ending everything that a program has started.
pub(crate) const ENDING: Duration = Duration::from_secs(5);
/// The interval at which processes that were killed are waited for.
const POLL: Duration = Duration::from_millis(1);

/// Starts a program, and ends as it ends, with everything that it has started; also when the process `parent`, which must be our
/// parent, has ended. Returns only on failure.
pub fn launch_program(mut program: Command, parent: u32) -> io::Error {
    match watch(&mut program, parent) {
        Ok(status) => end_like(status),
        Err(error) => error,
    }
}

fn watch(program: &mut Command, parent: u32) -> io::Result<WaitStatus> {
    let signals: SigSet = [Signal::SIGCHLD, Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM].into_iter().collect();
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
    leave_pipes();
    let status = loop {
        if let Some(status) = reaped(program) {
            break status;
        }
        // Any other signal than that of a child is an order to end.
        if !matches!(signals.wait(), Ok(Signal::SIGCHLD)) {
            break WaitStatus::Signaled(program, Signal::SIGKILL, false);
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

/// The children of this process.
fn children() -> Vec<Pid> {
    let own = getpid();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.map(Pid::from_raw).filter(|pid| parent_of(*pid) == Some(own)).collect()
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
        assert_eq!(parent_of(getpid()), Some(getppid()));
    }
}
