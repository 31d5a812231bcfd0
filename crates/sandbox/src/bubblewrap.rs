//! Namespaces made by `bwrap` (<https://github.com/containers/bubblewrap>).

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::{geteuid, getpid};

use crate::limits::{FIRST_USER, NOBODY};
use crate::root::{ENVIRONMENT, Visible, parents, visible};
use crate::{Confinement, limits, system_calls};

/// Becomes `bwrap`, which becomes the program.
pub fn enter(confinement: &Confinement, program: &OsStr, arguments: &[OsString]) -> io::Result<Infallible> {
    limits::set(confinement)?;
    // The death of the parent, which `bwrap` passes on (--die-with-parent).
    set_pdeathsig(Signal::SIGKILL)?;
    // They stay open until `bwrap` has read them.
    let filters = system_calls::filters()?;
    let filters: Vec<File> = filters.iter().map(|filter| readable(&system_calls::to_bytes(filter))).collect::<io::Result<_>>()?;
    let mut command = Options::default();
    command.args(["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]);
    command.args(["--die-with-parent", "--new-session", "--hostname", "bot", "--clearenv"]);
    for (name, value) in ENVIRONMENT {
        command.args(["--setenv", name, value]);
    }
    let mut made: Vec<std::path::PathBuf> = Vec::new();
    let mut folder = |command: &mut Options, path: &Path| {
        for part in parents(path) {
            if !made.contains(&part) {
                // What it makes by itself is for its owner only.
                command.args(["--perms", "0755", "--dir"]).arg(&part);
                made.push(part);
            }
        }
    };
    for part in visible(&confinement.visible) {
        match part {
            Visible::Same(path) => {
                folder(&mut command, &path);
                command.arg("--ro-bind").arg(&path).arg(&path);
            }
            Visible::Link { place, target } => {
                command.arg("--symlink").arg(target).arg(place);
            }
        }
    }
    command.args(["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]);
    let room = limits::megabytes(confinement.tmp).to_string();
    command.args(["--perms", "1777", "--size", &room, "--tmpfs", "/tmp"]);
    match &confinement.folder {
        Some(folder) => command.arg("--ro-bind").arg(folder).arg("/bot"),
        None => command.args(["--perms", "0755", "--dir", "/bot"]),
    };
    command.args(["--remount-ro", "/", "--chdir", "/bot"]);
    for filter in &filters {
        command.args(["--add-seccomp-fd", &filter.as_raw_fd().to_string()]);
    }
    let processes = format!("--nproc={}", confinement.processes);
    let mut inside: Vec<String> = ["/usr/bin/prlimit", &processes, "--"].map(str::to_owned).to_vec();
    if geteuid().is_root() {
        // A user of its own: the limit of processes counts by user.
        let user = (FIRST_USER + getpid().as_raw().cast_unsigned()).to_string();
        let words = ["/usr/bin/setpriv", "--reuid", &user, "--regid", &user, "--clear-groups", "--no-new-privs"];
        inside.extend(words.map(str::to_owned));
        inside.extend(["--bounding-set=-all", "--inh-caps=-all", "--"].map(str::to_owned));
    } else {
        let nobody = NOBODY.to_string();
        command.args(["--unshare-user", "--uid", &nobody, "--gid", &nobody, "--cap-drop", "ALL"]);
    }
    // Options in a command line could be read inside, with the places of files.
    let options = readable(&command.0)?;
    let mut bwrap = Command::new("bwrap");
    bwrap.arg("--args").arg(options.as_raw_fd().to_string()).arg("--").args(inside);
    Err(bwrap.arg(program).args(arguments).exec())
}

/// Options as `bwrap` reads them from a file: each with a zero byte behind it.
#[derive(Default)]
struct Options(Vec<u8>);

impl Options {
    fn arg(&mut self, word: impl AsRef<OsStr>) -> &mut Self {
        self.0.extend_from_slice(word.as_ref().as_bytes());
        self.0.push(0);
        self
    }

    fn args<W: AsRef<OsStr>>(&mut self, words: impl IntoIterator<Item = W>) -> &mut Self {
        for word in words {
            self.arg(word);
        }
        self
    }
}

/// Bytes in a file without a name, which stays open in the next program.
fn readable(bytes: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create(c"options", MFdFlags::empty())?);
    file.write_all(bytes)?;
    file.rewind()?;
    fcntl(&file, FcntlArg::F_SETFD(FdFlag::empty()))?;
    Ok(file)
}
