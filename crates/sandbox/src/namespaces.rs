//! Namespaces of our own, without `bwrap`. Two processes: the first makes the namespaces, the second is the first process in that of
//! processes, sets up the file system and becomes the program.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::{set_no_new_privs, set_pdeathsig};
use nix::sys::signal::Signal;
use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::{Gid, Uid, getegid, geteuid, getpid, pivot_root, setgroups, sethostname, setresgid, setresuid, setsid};

use crate::limits::{FIRST_USER, NOBODY};
use crate::root::{DEVICES, ENVIRONMENT, Visible, parents, visible};
use crate::{Confinement, limits, system_calls};

/// A folder to mount things on while the file system is set up.
const BASE: &str = "/tmp";
const OLD: &str = "/old";
const NEW: &str = "/new";

/// Says which step failed.
fn step<T>(what: impl std::fmt::Display, done: Result<T, impl Into<io::Error>>) -> io::Result<T> {
    done.map_err(|error| {
        let error: io::Error = error.into();
        io::Error::new(error.kind(), format!("{what}: {error}"))
    })
}

/// Makes the namespaces, runs the second process in them, and ends as it ends.
pub fn enter(confinement: &Confinement, program: &OsStr, arguments: &[OsString]) -> io::Result<Infallible> {
    limits::set(confinement)?;
    set_pdeathsig(Signal::SIGKILL)?;
    let (uid, gid) = (geteuid(), getegid());
    let all = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS
        | CloneFlags::CLONE_NEWCGROUP;
    let user = if uid.is_root() {
        step("namespaces", unshare(all))?;
        FIRST_USER + getpid().as_raw().cast_unsigned()
    } else {
        step("namespaces of a user without rights", unshare(all | CloneFlags::CLONE_NEWUSER))?;
        map_users(0, uid.as_raw(), gid.as_raw())?;
        NOBODY
    };
    let inside = Confinement { stage_uid: Some(user), ..confinement.clone() };
    let mut second = Command::new("/proc/self/exe");
    let [cpu, memory] = [inside.cpu, inside.memory].map(|number| number.to_string());
    second.args(["run-engine", "--cpu", &cpu, "--memory", &memory, "--sandbox", &inside.to_word(), "--"]);
    let status = step("the first process inside", second.arg(program).args(arguments).status())?;
    exit(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default()));
}

/// Gives the user `outer` the number `inner` in a new namespace of users.
fn map_users(inner: u32, outer: u32, outer_group: u32) -> io::Result<()> {
    step("setgroups", fs::write("/proc/self/setgroups", "deny"))?;
    step("the map of users", fs::write("/proc/self/uid_map", format!("{inner} {outer} 1")))?;
    step("the map of groups", fs::write("/proc/self/gid_map", format!("{inner} {outer_group} 1")))
}

/// Inside: sets up the file system, gives up all rights, and becomes the program.
pub fn become_confined(confinement: &Confinement, user: u32, program: &OsStr, arguments: &[OsString]) -> io::Result<Infallible> {
    build_root(confinement)?;
    step("the name of the computer", sethostname("bot"))?;
    step("a session", setsid())?;
    if user == NOBODY {
        // Once more a namespace of users, in which this one is nobody: what was mounted belongs to the one before.
        step("a user without rights", unshare(CloneFlags::CLONE_NEWUSER))?;
        map_users(NOBODY, 0, 0)?;
    } else {
        let (uid, gid) = (Uid::from_raw(user), Gid::from_raw(user));
        step("groups", setgroups(&[]))?;
        step("a group without rights", setresgid(gid, gid, gid))?;
        step("a user without rights", setresuid(uid, uid, uid))?;
    }
    limits::set_processes(confinement.processes)?;
    // Changing the user has cleared it.
    set_pdeathsig(Signal::SIGKILL)?;
    set_no_new_privs()?;
    system_calls::apply()?;
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(ENVIRONMENT);
    Err(command.exec())
}

/// A new root: what is visible, and nothing of the old one.
fn build_root(confinement: &Confinement) -> io::Result<()> {
    let none: Option<&str> = None;
    // As long as the old root is the root.
    let parts = visible(&confinement.visible);
    step("private mounts", mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none))?;
    tmpfs(Path::new(BASE), "mode=755,size=1m")?;
    for name in [OLD, NEW] {
        make_folder(&PathBuf::from(format!("{BASE}{name}")))?;
    }
    // The old root moves below the new one, so that all of it can be seen, also what is in its /tmp.
    step("the root", pivot_root(BASE, &*format!("{BASE}{OLD}")))?;
    std::env::set_current_dir("/")?;
    let new = Path::new(NEW);
    tmpfs(new, "mode=755,size=1m")?;
    for part in parts {
        match part {
            Visible::Same(path) => bind_read_only(&path, &path)?,
            Visible::Link { place, target } => step(place.display(), symlink(target, below(new, &place)))?,
        }
    }
    match &confinement.folder {
        Some(folder) => bind_read_only(folder, Path::new("/bot"))?,
        None => make_folder(&new.join("bot"))?,
    }
    for name in ["proc", "dev", "tmp"] {
        make_folder(&new.join(name))?;
    }
    let plain = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    step("/proc", mount(Some("proc"), &new.join("proc"), Some("proc"), plain, none))?;
    for device in DEVICES {
        let place = below(new, Path::new(device));
        File::create(&place)?;
        let old = below(Path::new(OLD), Path::new(device));
        step(device, mount(Some(&old), &place, none, MsFlags::MS_BIND, none))?;
    }
    for (name, target) in [("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")] {
        symlink(format!("/proc/self/{target}"), new.join("dev").join(name))?;
    }
    tmpfs(&new.join("tmp"), &format!("mode=1777,size={}m", confinement.tmp))?;
    std::env::set_current_dir(new)?;
    step("the new root", pivot_root(".", "."))?;
    // The old root lies on top of the new one now.
    step("the old root", umount2(".", MntFlags::MNT_DETACH))?;
    std::env::set_current_dir("/")?;
    let read_only = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    step("the read-only root", mount(none, "/", none, read_only, none))?;
    std::env::set_current_dir("/bot")
}

fn tmpfs(place: &Path, options: &str) -> io::Result<()> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    step(place.display(), mount(Some("tmpfs"), place, Some("tmpfs"), flags, Some(options)))
}

/// A path as it is called below another one.
fn below(top: &Path, path: &Path) -> PathBuf {
    top.join(path.strip_prefix("/").unwrap_or(path))
}

/// A folder that all may enter, with those above it.
fn make_folder(path: &Path) -> io::Result<()> {
    for part in parents(path).into_iter().chain([path.to_owned()]) {
        if !part.exists() {
            step(part.display(), fs::create_dir(&part))?;
            fs::set_permissions(&part, Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

/// Shows a file or folder of the old root in the new one.
fn bind_read_only(path: &Path, place: &Path) -> io::Result<()> {
    let none: Option<&str> = None;
    let (old, new) = (below(Path::new(OLD), path), below(Path::new(NEW), place));
    if old.is_dir() {
        make_folder(&new)?;
    } else {
        new.parent().map_or(Ok(()), make_folder)?;
        File::create(&new)?;
    }
    step(path.display(), mount(Some(&old), &new, none, MsFlags::MS_BIND | MsFlags::MS_REC, none))?;
    // A mount of a user without rights keeps what was forbidden on it before.
    let before = step(path.display(), statvfs(&new))?.flags();
    let mut flags = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    for (was, stays) in [
        (FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
        (FsFlags::ST_NOATIME, MsFlags::MS_NOATIME),
        (FsFlags::ST_NODIRATIME, MsFlags::MS_NODIRATIME),
        (FsFlags::ST_RELATIME, MsFlags::MS_RELATIME),
    ] {
        if before.contains(was) {
            flags |= stays;
        }
    }
    step(path.display(), mount(none, &new, none, flags, none))
}
