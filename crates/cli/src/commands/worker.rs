//! `ply worker --queue URL`: plays whatever the coordinators at a queue ask for.

use std::io::Write;
use std::sync::Arc;

use plyground_cluster::{Broker, Presence, WorkerOptions, run_worker};
use serde_json::json;

use crate::args::{Global, WorkerArgs};
use crate::runs::threads;
use crate::store::data_dir;
use plyground_terminal::interrupt;
use plyground_terminal::{count, print_json, print_notes};

pub fn run(args: &WorkerArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let access = args.door.access(&args.queue, None);
    print_notes(&access.warning().into_iter().collect::<Vec<_>>(), global.quiet);
    interrupt::catch()?;
    let broker = Arc::new(Broker::connect(&access)?);
    let begun = |presence: &Presence| {
        let note = format!(
            "{} works at {} (NATS {}) with {} at a time, {} simulations a second each; Ctrl-C ends it",
            presence.worker,
            access.shown(),
            broker.server_version(),
            if presence.cores == 1 { "one game".to_owned() } else { format!("{} games", presence.cores) },
            count(presence.speed as u64)
        );
        print_notes(&[note], global.quiet);
    };
    let last = run_worker(&WorkerOptions {
        broker: Arc::clone(&broker),
        name: name(args),
        cores: threads(args.cores),
        cache: data_dir(global)?.join("files"),
        cancel: interrupt::token(),
        begun: &begun,
        told: &|note| print_notes(&[note.to_owned()], global.quiet),
    })?;
    if global.json {
        return print_json(
            out,
            &json!({"worker": last.worker, "jobs": last.jobs, "retries": last.retries, "failed": last.failed}),
        );
    }
    if !global.quiet {
        writeln!(out, "{} jobs done, {} of them again, {} failed", count(last.jobs), count(last.retries), count(last.failed))?;
    }
    Ok(())
}

/// Several workers on one computer are told apart by the numbers of their processes.
fn name(args: &WorkerArgs) -> String {
    let computer = || {
        let kernel = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
        let name = std::env::var("HOSTNAME").ok().or(kernel).unwrap_or_default();
        let name = name.trim().to_owned();
        if name.is_empty() { "worker".to_owned() } else { name }
    };
    args.name.clone().unwrap_or_else(|| format!("{}-{}", computer(), std::process::id()))
}
