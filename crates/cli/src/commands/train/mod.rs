//! `ply train`: somebody learns a game by playing against itself.

mod dashboard;
mod network;
mod screen;
mod table;

use std::io::Write;

use crate::args::{Global, Train};

pub fn run(args: &Train, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    match &args.agent {
        Some(agent) => table::run(args, agent, global, out),
        None => network::run(args, global, out),
    }
}
