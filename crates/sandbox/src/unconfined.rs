//! No sandbox: the program runs with the rights of the user, within limits.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;

use crate::root::ENVIRONMENT;
use crate::{Confinement, limits};

/// The folder of a program, as it is called inside of a sandbox.
const INSIDE: &str = "/bot";

/// Becomes the program.
pub fn enter(confinement: &Confinement, program: &OsStr, arguments: &[OsString]) -> io::Result<Infallible> {
    limits::set(confinement)?;
    set_pdeathsig(Signal::SIGKILL)?;
    let outside = |word: &OsStr| match (&confinement.folder, Path::new(word).strip_prefix(INSIDE)) {
        (Some(folder), Ok(rest)) => folder.join(rest),
        _ => PathBuf::from(word),
    };
    let mut command = Command::new(outside(program));
    command.args(arguments.iter().map(|word| outside(word))).env_clear().envs(ENVIRONMENT);
    if let Some(folder) = &confinement.folder {
        command.current_dir(folder);
    }
    Err(command.exec())
}
