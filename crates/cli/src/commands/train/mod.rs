//! `ply train`: an agent or a network learns a game by playing against itself.

mod network;
mod sweep;
mod table;

use std::io::Write;

use anyhow::bail;
use plyground_args::{Global, TrainArgs};
use plyground_session::split_spec;

pub fn run(args: &TrainArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    if let Some(agent) = &args.agent {
        check_opponent(agent)?;
    }
    match &args.agent {
        Some(agent) if args.sweep.is_some() || args.seeds.is_some() => sweep::run(args, agent, global, out),
        Some(agent) => table::run(args, agent, global, out),
        None => network::run(args, global, out),
    }
}

/// Keys under which people look for the opponent of training games.
const OPPONENT_KEYS: [&str; 3] = ["opponent", "against", "vs"];

fn check_opponent(agent: &str) -> anyhow::Result<()> {
    let (name, keys) = split_spec(agent);
    let key = keys.split(',').filter_map(|pair| pair.split('=').next()).find(|key| OPPONENT_KEYS.contains(key));
    match key {
        Some(key) => bail!("unknown key of {name} '{key}'; the opponent of training games is an option: --against SPEC"),
        None => Ok(()),
    }
}
