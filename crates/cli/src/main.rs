//! `ply`: parse, call, print. Each subcommand is a file under `commands/`.
#![forbid(unsafe_code)]

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser;

mod commands;
mod engines;
mod executor;
mod published;
mod runs;
mod store;
mod web;

use plyground_args::{Args, Command, ServeArgs, hints};

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return refuse(&error),
    };
    engines::prepare(&args.global);
    let ended = run(&args);
    engines::dismiss();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of our output has seen enough (`ply moves … | head`).
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Where not even this can be written, the exit code still says it.
            let _ = writeln!(io::stderr(), "ply: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// What clap has to say: help as it is, an error in one line like every other of ours.
fn refuse(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let typed: Vec<String> = std::env::args().skip(1).collect();
    let _ = writeln!(io::stderr(), "ply: {}", hints::message(error, &typed));
    ExitCode::from(2)
}

fn run(args: &Args) -> anyhow::Result<()> {
    let out = &mut anstream::stdout().lock();
    let global = &args.global;
    match &args.command {
        None => commands::serve::run(&ServeArgs::default(), global, out),
        Some(Command::Games) => commands::games::run(global, out),
        Some(Command::Rules(args)) => commands::rules::run(args, global, out),
        Some(Command::Agents(args)) => commands::agents::run(args, global, out),
        Some(Command::Show(args)) => commands::show::run(args, global, out),
        Some(Command::Moves(args)) => commands::moves::run(args, global, out),
        Some(Command::Apply(args)) => commands::apply::run(args, global, out),
        Some(Command::Perft(args)) => commands::perft::run(args, global, out),
        Some(Command::Certify(args)) => commands::certify::run(args, global, out),
        Some(Command::Campaign(args)) => commands::campaign::run(args, global, out),
        Some(Command::Solve(args)) => commands::solve::run(args, global, out),
        Some(Command::Puzzles(args)) => commands::puzzles::run(args, global, out),
        Some(Command::Think(args)) => commands::think::run(args, global, out),
        Some(Command::Compare(args)) => commands::compare::run(args, global, out),
        Some(Command::Eval(args)) => commands::eval::run(args, global, out),
        Some(Command::Watch(args)) => commands::watch::run(args, global, out),
        Some(Command::Judge(args)) => commands::judge::run(args, global, out),
        Some(Command::Train(args)) => commands::train::run(args, global, out),
        Some(Command::Nets(args)) => commands::nets::run(args, global, out),
        Some(Command::Learn(args)) => commands::learn::run(args, global, out),
        Some(Command::Regions(args)) => commands::regions::run(args, global, out),
        Some(Command::Match(args)) => commands::match_::run(args, global, out),
        Some(Command::Tournament(args)) => commands::tournament::run(args, global, out),
        Some(Command::Sprt(args)) => commands::sprt::run(args, global, out),
        Some(Command::Tune(args)) => commands::tune::run(args, global, out),
        Some(Command::Ratings(args)) => commands::ratings::run(args, global, out),
        Some(Command::Worker(args)) => commands::worker::run(args, global, out),
        Some(Command::Queue(args)) => commands::queue::run(args, global, out),
        Some(Command::Study(args)) => commands::study::run(args, global, out),
        Some(Command::Balance(args)) => commands::balance::run(args, global, out),
        Some(Command::Report(args)) => commands::report::run(args, global, out),
        Some(Command::Runs(args)) => commands::runs::run(args, global, out),
        Some(Command::Arena(args)) => commands::arena::run(args, global, out),
        Some(Command::Compete(args)) => commands::compete::run(args, global, out),
        Some(Command::Host(args)) => commands::host::run(args, global, out),
        Some(Command::Join(args)) => commands::join::run(args, global, out),
        Some(Command::Serve(args)) => commands::serve::run(args, global, out),
        Some(Command::Ugi(args)) => commands::ugi::run(args, global, out),
        Some(Command::RunEngine(args)) => commands::run_engine::run(args),
        Some(Command::Play(args)) => commands::play::run(args, global, out),
        Some(Command::Replay(args)) => commands::replay::run(args, global, out),
        Some(Command::Convert(args)) => commands::convert::run(args, global, out),
        Some(Command::Import(args)) => commands::import::run(args, global, out),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe))
}
