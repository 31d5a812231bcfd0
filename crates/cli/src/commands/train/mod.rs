//! `ply train`: an agent or a network learns a game by playing against itself.

mod network;
mod sweep;
mod table;

use std::io::Write;

use plyground_args::{Global, TrainArgs};

pub fn run(args: &TrainArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    match &args.agent {
        Some(agent) if args.sweep.is_some() || args.seeds.is_some() => sweep::run(args, agent, global, out),
        Some(agent) => table::run(args, agent, global, out),
        None => network::run(args, global, out),
    }
}
