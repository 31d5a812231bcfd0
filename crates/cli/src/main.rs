//! `ply`: parse, call, print. Each subcommand is a file under `commands/`.
#![forbid(unsafe_code)]

use std::io;
use std::process::ExitCode;

use clap::Parser;

mod args;
mod commands;
mod store;
mod terminal;
mod thinking;

use args::{Args, Command};

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads our output has seen enough (`ply moves … | head`).
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("ply: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> anyhow::Result<()> {
    let out = &mut anstream::stdout().lock();
    let global = &args.global;
    match &args.command {
        None => commands::start::run(global, out),
        Some(Command::Games) => commands::games::run(global, out),
        Some(Command::Rules(args)) => commands::rules::run(args, global, out),
        Some(Command::Agents(args)) => commands::agents::run(args, global, out),
        Some(Command::Show(args)) => commands::show::run(args, global, out),
        Some(Command::Moves(args)) => commands::moves::run(args, global, out),
        Some(Command::Apply(args)) => commands::apply::run(args, global, out),
        Some(Command::Perft(args)) => commands::perft::run(args, global, out),
        Some(Command::Play(args)) => commands::play::run(args, global, out),
        Some(Command::Replay(args)) => commands::replay::run(args, global, out),
        Some(Command::Convert(args)) => commands::convert::run(args, global, out),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe))
}
