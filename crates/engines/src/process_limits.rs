//! Resource limits for untrusted programs: a process sets them for itself, and then becomes the program by `exec`.

use std::ffi::OsString;
use std::io;

/// The limits of a process on processor time and memory.
#[derive(Clone, Copy, Debug)]
pub struct ProcessLimits {
    /// Processor time, in seconds.
    pub cpu: u64,
    /// Memory, in megabytes.
    pub memory: u64,
}

/// Replaces this process by a program within limits, with no files open but standard input, output and error. Returns only on failure.
#[cfg(unix)]
pub fn become_program(program: &OsString, arguments: &[OsString], limits: ProcessLimits) -> io::Error {
    use std::os::unix::process::CommandExt as _;
    if let Err(error) = set_limits(limits) {
        return error;
    }
    std::process::Command::new(program).args(arguments).exec()
}

/// An error: such limits exist on Unix only.
#[cfg(not(unix))]
pub fn become_program(_: &OsString, _: &[OsString], _: ProcessLimits) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "limits for programs are known on Unix only")
}

#[cfg(unix)]
fn set_limits(limits: ProcessLimits) -> io::Result<()> {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let limit = |resource, most: u64, last: u64| {
        // The parent process may have set a hard limit, which cannot be raised.
        let last = last.min(getrlimit(resource)?.1);
        setrlimit(resource, most.min(last), last).map_err(io::Error::from)
    };
    // The soft limit sends SIGXCPU; a program that goes on is killed at the hard limit.
    limit(Resource::RLIMIT_CPU, limits.cpu, limits.cpu.saturating_add(1))?;
    // The memory in use: virtual machines reserve many times as much address space. Other systems than Linux count less of it.
    let memory = limits.memory.saturating_mul(1024 * 1024);
    limit(Resource::RLIMIT_DATA, memory, memory)?;
    limit(Resource::RLIMIT_CORE, 0, 0)?;
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?;
    close_files()
}

/// Closes all files but standard input, output and error. Our own files are closed by `exec`; files inherited from the parent are not.
#[cfg(unix)]
pub(crate) fn close_files() -> io::Result<()> {
    const STANDARD: i32 = 3;
    let mut open = Vec::new();
    for entry in std::fs::read_dir("/dev/fd")? {
        let name = entry?.file_name();
        open.extend(name.to_str().and_then(|name| name.parse::<i32>().ok()).filter(|number| *number >= STANDARD));
    }
    for number in open {
        // The listing itself was one of them, and is closed already.
        let _ = nix::unistd::close(number);
    }
    Ok(())
}
