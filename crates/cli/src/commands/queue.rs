//! `ply queue init`: the files of a queue with roles.

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use plyground_cluster::QueueSetup;
use serde_json::json;

use super::worker::computer_name;
use crate::store::typed;
use plyground_args::{Global, QueueAction, QueueInitArgs, QueueSetupArgs};
use plyground_terminal::print_json;

pub fn run(args: &QueueSetupArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    match &args.action {
        QueueAction::Init(args) => init(args, global, out),
    }
}

fn init(args: &QueueInitArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let hosts = match (args.hosts.is_empty(), computer_name()) {
        (false, _) => args.hosts.clone(),
        (true, Some(name)) => vec![name],
        (true, None) => bail!("the name of this computer is not known: say how workers reach the server with --host NAME"),
    };
    let files = QueueSetup { folder: args.folder.clone(), hosts, port: args.port, workers: args.workers }.write()?;
    if global.json {
        let shown = |file: &PathBuf| file.display().to_string();
        let workers: Vec<String> = files.workers.iter().map(shown).collect();
        return print_json(
            out,
            &json!({"configuration": shown(&files.configuration), "coordinator": shown(&files.coordinator), "workers": workers,
                "onlooker": shown(&files.onlooker)}),
        );
    }
    if global.quiet {
        return Ok(());
    }
    let worker = match files.workers.as_slice() {
        [] => String::new(),
        [one] => format!("ply worker {}   (on every worker)", typed(one)),
        [first, ..] => format!("ply worker {}   (another of the {} on every worker)", typed(first), files.workers.len()),
    };
    let [configuration, coordinator, onlooker] =
        [&files.configuration, &files.coordinator, &files.onlooker].map(|file| typed(file));
    writeln!(out, "1. start the server:  nats-server -c {configuration}")?;
    writeln!(out, "2. hand out the secret files and start workers:  {worker}")?;
    writeln!(
        out,
        "3. give them work:  ply match GAME AGENT AGENT --queue {coordinator}   (and watch: ply serve --queue {onlooker})"
    )?;
    Ok(())
}
