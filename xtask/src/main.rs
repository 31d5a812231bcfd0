//! The workshop around the code: `cargo xtask test` and whatever else is run on the repository as a whole.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};

mod app;
mod bench;
mod book;
mod browser;
mod cluster;
mod doc_names;
mod fuzz;
mod game_names;
mod js;
mod module_cycles;
mod nats;
mod process;
mod promises;
mod public_names;
mod python;
mod rooms;
mod test;
mod test_programs;
mod wasm;
mod wasm_speed;
mod workspace;

#[derive(Parser)]
#[command(bin_name = "cargo xtask", about = "The workshop around Plyground", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Run every check there is, cheap ones first, and stop at the first that fails
    Test(TestArgs),
    /// Build the app that needs no server: static files in dist/, with the engine as WebAssembly
    App,
    /// Build the book in docs/ as web pages with mdBook (installed into the target folder where it is missing)
    Book,
    /// Play one run on several machines (network namespaces where allowed), kill, freeze and cut off what plays, and compare the result
    Cluster,
    /// Fuzz everything that comes from outside: run the targets of fuzz/ with libFuzzer, one after the other
    Fuzz(FuzzArgs),
    /// Play 500 games at once on a server and measure how long requests wait that take no thinking, beside a server that does nothing
    Load,
    /// Measure random playouts a second beside OpenSpiel, both in this run, and hold them to their bars
    Peers(PeersArgs),
    /// Build the Python package into dist/: a wheel for this kind of computer, with the command ply in it
    Python,
    /// Simulate histories of a cluster from seeds, in which everything goes wrong that can, and compare what the run came to
    Simulate(SimulateArgs),
    /// Measure the engine in Chromium beside the native one, both in this run, and hold it to its bars
    WasmSpeed,
}

#[derive(Args)]
struct TestArgs {
    /// Run only this step (may be given several times)
    #[arg(long, value_name = "STEP", value_parser = test::step)]
    only: Vec<&'static test::Step>,
    /// List the steps and run none
    #[arg(long)]
    list: bool,
}

#[derive(Args)]
struct FuzzArgs {
    /// The targets (all if none is named)
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
    /// Seconds for each target
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// Keep some inputs with coverage of their own in fuzz/corpus
    #[arg(long)]
    keep: bool,
}

#[derive(Args)]
struct PeersArgs {
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Measure the Python package beside OpenSpiel's
    #[arg(long)]
    python: bool,
}

#[derive(Args)]
#[command(disable_help_flag = true)]
struct SimulateArgs {
    /// Options of the program that simulates, which explains them itself (--help)
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<String>,
}

/// 0: all is well. 1: a check failed or a bar was missed. 2: it could not be run.
fn main() -> ExitCode {
    let result = match Cli::parse().command {
        None => Cli::command().print_help().map(|()| true).map_err(Into::into),
        Some(Command::Test(args)) if args.list => {
            print!("{}", test::list());
            Ok(true)
        }
        Some(Command::Test(args)) => test::run(&args.only),
        Some(Command::App) => app::run().map(|()| true),
        Some(Command::Book) => book::run().map(|()| true),
        Some(Command::Cluster) => cluster::run(),
        Some(Command::Fuzz(args)) => {
            fuzz::run(&fuzz::Campaign { targets: &args.targets, seconds: args.seconds, keep: args.keep })
        }
        Some(Command::Load) => bench::run("load", &[]),
        Some(Command::Peers(args)) if args.python => python::peers(args.json),
        Some(Command::Peers(args)) => bench::run("peers", if args.json { &["--json"] } else { &[] }),
        Some(Command::Python) => python::run().map(|(_, fits)| fits),
        Some(Command::Simulate(args)) => bench::run("simulate", &args.options.iter().map(String::as_str).collect::<Vec<_>>()),
        Some(Command::WasmSpeed) => wasm_speed::run(),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
