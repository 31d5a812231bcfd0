//! `ply ugi GAME`: an agent as an engine that other programs can ask.

use std::io::{self, Write};

use plyground_engines::{Broken, Converser, converse};

use crate::args::{Global, Ugi};
use crate::store::Files;

pub fn run(args: &Ugi, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let first = Converser { game: &args.game, agent: &args.agent, seed: global.seed_or_time(), shelf: &Files };
    let input = io::BufReader::new(io::stdin());
    match converse(&first, input, out) {
        Ok(()) => Ok(()),
        Err(Broken::Input(error)) => Err(error.into()),
        Err(Broken::Output(error)) => Err(error.into()),
    }
}
