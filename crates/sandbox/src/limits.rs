//! Limits of the system for a process and all that it starts, and the users that they count by.

use std::io;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::Confinement;

/// The most open files.
const FILES: u64 = 256;

/// Users of confined programs, where the host may choose: no account has such numbers.
pub const FIRST_USER: u32 = 1_000_000;
/// Nobody.
pub const NOBODY: u32 = 65_534;

/// Sets the limits that may be set before there are namespaces.
pub fn set(confinement: &Confinement) -> io::Result<()> {
    // A soft limit of processor time sends a signal, which the first process of a namespace does not feel; the hard one kills.
    limit(Resource::RLIMIT_CPU, confinement.cpu, confinement.cpu + 1)?;
    let bytes = megabytes(confinement.memory);
    limit(Resource::RLIMIT_DATA, bytes, bytes)?;
    limit(Resource::RLIMIT_CORE, 0, 0)?;
    limit(Resource::RLIMIT_NOFILE, FILES, FILES)?;
    limit(Resource::RLIMIT_MEMLOCK, 0, 0)?;
    limit(Resource::RLIMIT_MSGQUEUE, 0, 0)?;
    let room = megabytes(confinement.tmp);
    limit(Resource::RLIMIT_FSIZE, room, room)
}

/// Sets the limit of processes. It counts those of a user in a namespace, so it is set inside.
pub fn set_processes(most: u64) -> io::Result<()> {
    limit(Resource::RLIMIT_NPROC, most, most)
}

pub fn megabytes(number: u64) -> u64 {
    number.saturating_mul(1024 * 1024)
}

fn limit(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    // A hard limit that is there cannot be raised.
    let hard = hard.min(getrlimit(resource)?.1);
    setrlimit(resource, soft.min(hard), hard).map_err(io::Error::from)
}
