//! `ply ugi GAME`: an agent as an engine that other programs can ask.

use std::io::{self, Write};

use plyground_engines::{UgiError, UgiOptions, serve_ugi};

use crate::engines::CommandResources;
use plyground_args::{Global, UgiArgs};

pub fn run(args: &UgiArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let first = UgiOptions { game: &args.game, agent: &args.agent, seed: global.seed_or_time(), resources: &CommandResources };
    let input = io::BufReader::new(io::stdin());
    match serve_ugi(&first, input, out) {
        Ok(()) => Ok(()),
        Err(UgiError::Input(error)) => Err(error.into()),
        Err(UgiError::Output(error)) => Err(error.into()),
    }
}
