//! The filter of system calls (seccomp): what a program that plays a game never needs, and what bugs of kernels were found in.
//!
//! It is a list of what is refused. A list of what is allowed would have to follow three language runtimes; namespaces without
//! privileges are the wall, and this is the wall behind it.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, apply_filter,
    sock_filter,
};

/// Refused with "operation not permitted".
const REFUSED: &[i64] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Namespaces and mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_quotactl,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    // The kernel.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_personality,
    // Keys.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Clocks and names of the computer.
    libc::SYS_clock_settime,
    libc::SYS_settimeofday,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    // Memory that outlives processes, and priorities.
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
    libc::SYS_setpriority,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setattr,
    libc::SYS_ioprio_set,
];

/// Flags of `clone` that make namespaces: all `CLONE_NEW…` but that of time, which shares its bit with a signal.
const NAMESPACES: u64 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u64;

/// The numbers of system calls of the x32 ABI, which is another way to the same calls.
const X32: u32 = 0x4000_0000;

/// The filters, all of which are in force together.
pub fn filters() -> io::Result<Vec<BpfProgram>> {
    let wrong = |error: seccompiler::BackendError| io::Error::other(format!("the filter of system calls: {error}"));
    let arch = std::env::consts::ARCH.try_into().map_err(wrong)?;
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = REFUSED.iter().map(|&call| (call, Vec::new())).collect();
    let namespace = |flag: u64| {
        let set = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(flag), flag)?;
        SeccompRule::new(vec![set])
    };
    let flags = (0..u64::BITS).map(|bit| 1 << bit).filter(|bit| NAMESPACES & bit != 0);
    rules.insert(libc::SYS_clone, flags.map(namespace).collect::<Result<_, _>>().map_err(wrong)?);
    // Of sockets, those inside the sandbox (UNIX) only.
    let family = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, libc::AF_UNIX as u64).map_err(wrong)?;
    rules.insert(libc::SYS_socket, vec![SeccompRule::new(vec![family]).map_err(wrong)?]);
    // Input pushed into a terminal.
    let push = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, libc::TIOCSTI).map_err(wrong)?;
    rules.insert(libc::SYS_ioctl, vec![SeccompRule::new(vec![push]).map_err(wrong)?]);
    let filter = |rules, errno: i32| {
        SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(errno as u32), arch).and_then(BpfProgram::try_from)
    };
    let refused = filter(rules, libc::EPERM).map_err(wrong)?;
    // Its flags are behind a pointer, where no filter can look: "no such call" makes libraries use `clone`.
    let unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let unknown = filter(unknown, libc::ENOSYS).map_err(wrong)?;
    Ok(vec![refused, unknown, other_abi()])
}

/// Refuses the calls of the x32 ABI.
fn other_abi() -> BpfProgram {
    let op = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    let answer = |value| op(libc::BPF_RET | libc::BPF_K, 0, 0, value);
    let mut program = Vec::new();
    if cfg!(target_arch = "x86_64") {
        program.push(op(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0));
        program.push(op(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, X32));
        program.push(answer(libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32));
    }
    program.push(answer(libc::SECCOMP_RET_ALLOW));
    program
}

/// Filters the calls of this process and all that it starts, for good.
pub fn apply() -> io::Result<()> {
    for filter in filters()? {
        apply_filter(&filter).map_err(|error| io::Error::other(format!("the filter of system calls: {error}")))?;
    }
    Ok(())
}

/// A filter as the system reads it from a file.
pub fn to_bytes(filter: &[sock_filter]) -> Vec<u8> {
    let one = |op: &sock_filter| {
        let mut bytes = [0; 8];
        bytes[..2].copy_from_slice(&op.code.to_ne_bytes());
        (bytes[2], bytes[3]) = (op.jt, op.jf);
        bytes[4..].copy_from_slice(&op.k.to_ne_bytes());
        bytes
    };
    filter.iter().flat_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_can_be_made_and_are_short_enough() {
        let filters = filters().unwrap();
        assert_eq!(filters.len(), 3);
        // https://man7.org/linux/man-pages/man2/seccomp.2.html: at most 4096 instructions.
        assert!(filters.iter().all(|filter| (1..4096).contains(&filter.len())));
        assert_eq!(to_bytes(&filters[0]).len(), 8 * filters[0].len());
    }
}
