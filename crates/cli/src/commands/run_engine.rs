//! `ply run-engine`: another program with limits. Called by ourselves only.
//!
//! With `--parent` this process is the launcher of the program, and the program is run by a second `ply run-engine` below it, which
//! sets limits for itself and becomes the program, or confines itself to a sandbox before that.

use anyhow::Context;
use plyground_engines::{ProcessLimits, become_program};
use plyground_sandbox::{Confinement, enter};

use plyground_args::RunEngineArgs;

pub fn run(args: &RunEngineArgs) -> anyhow::Result<()> {
    let sandbox = args.sandbox.as_deref().map(Confinement::from_word).transpose().map_err(anyhow::Error::msg)?;
    let error = match (args.parent, &sandbox) {
        #[cfg(target_os = "linux")]
        (Some(parent), _) => {
            plyground_engines::launch_program(limited(args), parent, sandbox.as_ref().map(|sandbox| sandbox.memory))
        }
        (_, Some(sandbox)) => enter(sandbox, &args.program, &args.arguments),
        _ => become_program(&args.program, &args.arguments, ProcessLimits { cpu: args.cpu, memory: args.memory }),
    };
    Err(error).with_context(|| format!("cannot start {}", args.program.display()))
}

/// The command of the program with its limits.
#[cfg(target_os = "linux")]
fn limited(args: &RunEngineArgs) -> std::process::Command {
    // This very program, also when another one has been installed in its place meanwhile.
    let mut command = std::process::Command::new("/proc/self/exe");
    command.args(["run-engine", "--cpu", &args.cpu.to_string(), "--memory", &args.memory.to_string()]);
    if let Some(sandbox) = &args.sandbox {
        command.args(["--sandbox", sandbox]);
    }
    command.arg("--").arg(&args.program).args(&args.arguments);
    command
}
