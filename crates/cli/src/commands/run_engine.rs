//! `ply run-engine`: another program with limits. Called by ourselves only.
//!
//! With `--parent` this process is the launcher of the program, and the program is run by a second `ply run-engine` below it, which
//! sets limits for itself and becomes the program.

use anyhow::Context;
use plyground_engines::{ProcessLimits, become_program};

use plyground_args::RunEngineArgs;

pub fn run(args: &RunEngineArgs) -> anyhow::Result<()> {
    let error = match args.parent {
        #[cfg(target_os = "linux")]
        Some(parent) => plyground_engines::launch_program(limited(args), parent),
        _ => become_program(&args.program, &args.arguments, ProcessLimits { cpu: args.cpu, memory: args.memory }),
    };
    Err(error).with_context(|| format!("cannot start {}", args.program.display()))
}

/// The command of the program with its limits.
#[cfg(target_os = "linux")]
fn limited(args: &RunEngineArgs) -> std::process::Command {
    // This very program, also when another one has been installed in its place meanwhile.
    let mut command = std::process::Command::new("/proc/self/exe");
    command.args(["run-engine", "--cpu", &args.cpu.to_string(), "--memory", &args.memory.to_string(), "--"]);
    command.arg(&args.program).args(&args.arguments);
    command
}
