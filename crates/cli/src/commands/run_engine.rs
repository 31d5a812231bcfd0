//! `ply run-engine`: sets limits for this process, which then becomes another program. Called by ourselves only.

use anyhow::Context;
use plyground_engines::{ProcessLimits, become_program};

use crate::args::RunEngineArgs;

pub fn run(args: &RunEngineArgs) -> anyhow::Result<()> {
    let bounds = ProcessLimits { cpu: args.cpu, memory: args.memory };
    let error = become_program(&args.program, &args.arguments, bounds);
    Err(error).with_context(|| format!("cannot start {}", args.program.display()))
}
