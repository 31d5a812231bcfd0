//! A sandbox for programs of strangers, on Linux.
//!
//! A program in it sees a file system of its own (the runtimes of languages and its folder, both read-only, and a small `/tmp`), no
//! network, no process but its own, and gets a bounded amount of memory, processor time and processes. Namespaces do that, made by
//! `bwrap` where it is there and by ourselves otherwise, with limits of the system and a filter of system calls on top.
//! [`detect`] finds out what works on this computer; [`enter`] turns the calling process into a confined program.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

#[cfg(target_os = "linux")]
mod bubblewrap;
mod confinement;
mod detection;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod root;
#[cfg(target_os = "linux")]
mod system_calls;
#[cfg(target_os = "linux")]
mod unconfined;

pub use confinement::{Confinement, Isolation};
pub use detection::{Detection, detect};

use std::ffi::OsString;
use std::io;

/// Replaces this process by a program in a sandbox. Returns only on failure. The process must have one thread only.
#[cfg(target_os = "linux")]
pub fn enter(confinement: &Confinement, program: &OsString, arguments: &[OsString]) -> io::Error {
    let entered = match (confinement.isolation, confinement.stage_uid) {
        (Isolation::Bubblewrap, _) => bubblewrap::enter(confinement, program, arguments),
        (Isolation::Unconfined, _) => unconfined::enter(confinement, program, arguments),
        (Isolation::Namespaces, None) => namespaces::enter(confinement, program, arguments),
        (Isolation::Namespaces, Some(uid)) => namespaces::become_confined(confinement, uid, program, arguments),
    };
    match entered {
        Ok(never) => match never {},
        Err(error) => error,
    }
}

/// An error: there is no sandbox on other systems than Linux.
#[cfg(not(target_os = "linux"))]
pub fn enter(_: &Confinement, _: &OsString, _: &[OsString]) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "programs can be confined on Linux only")
}
