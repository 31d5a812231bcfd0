//! Limits for a program that is not trusted: a process sets them for itself, and then becomes the program.

use std::ffi::OsString;
use std::io;

/// What a program may use.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Processor time, in seconds.
    pub cpu: u64,
    /// Memory, in megabytes.
    pub memory: u64,
}

/// Becomes another program within bounds, with no files open but standard input, output and error. Comes back only if that is not
/// possible.
#[cfg(unix)]
pub fn become_program(program: &OsString, arguments: &[OsString], bounds: Bounds) -> io::Error {
    use std::os::unix::process::CommandExt as _;
    if let Err(error) = bind(bounds) {
        return error;
    }
    std::process::Command::new(program).args(arguments).exec()
}

/// Elsewhere there are no such limits.
#[cfg(not(unix))]
pub fn become_program(_: &OsString, _: &[OsString], _: Bounds) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "limits for programs are known on Unix only")
}

#[cfg(unix)]
fn bind(bounds: Bounds) -> io::Result<()> {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let limit = |resource, most: u64, last: u64| {
        // Somebody may have set a limit for us, which cannot be raised again.
        let last = last.min(getrlimit(resource)?.1);
        setrlimit(resource, most.min(last), last).map_err(io::Error::from)
    };
    // The first signal says why; whoever goes on is ended without a word.
    limit(Resource::RLIMIT_CPU, bounds.cpu, bounds.cpu.saturating_add(1))?;
    // What a program really uses: virtual machines set aside many times as much address space. Elsewhere than on Linux this counts
    // less of it.
    let memory = bounds.memory.saturating_mul(1024 * 1024);
    limit(Resource::RLIMIT_DATA, memory, memory)?;
    limit(Resource::RLIMIT_CORE, 0, 0)?;
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?;
    close_files()
}

/// Closes everything but standard input, output and error. Our own files close by themselves, but somebody may have left us some.
#[cfg(unix)]
fn close_files() -> io::Result<()> {
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
