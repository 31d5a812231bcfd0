//! `ply worker FILE`, `ply worker --queue URL`: plays whatever the coordinators at a queue ask for.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plyground_cluster::{Access, Broker, Presence, WorkerOptions, run_worker};
use serde_json::json;

use crate::runs::threads;
use crate::store::data_dir;
use plyground_args::{Global, WorkerArgs};
use plyground_terminal::interrupt;
use plyground_terminal::{count, print_json, print_notes};

/// The interval at which a server without a queue is asked again, and the one at which an interrupt is noticed.
const ASK_AGAIN: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(50);

pub fn run(args: &WorkerArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let access = args.access()?;
    interrupt::catch()?;
    let Some(broker) = connect(&access, global.quiet)? else { return Ok(()) };
    let broker = Arc::new(broker);
    print_notes(&broker.warning().into_iter().collect::<Vec<_>>(), global.quiet);
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

/// A connection, once there is a queue: that is made by the first coordinator. `None` if this is interrupted before.
fn connect(access: &Access, quiet: bool) -> anyhow::Result<Option<Broker>> {
    let mut told = false;
    while !interrupt::token().is_cancelled() {
        if let Some(broker) = Broker::try_connect(access)? {
            return Ok(Some(broker));
        }
        if !told {
            print_notes(&[format!("at {}; waiting for the first coordinator, which prepares the queue", access.shown())], quiet);
            told = true;
        }
        let again = Instant::now() + ASK_AGAIN;
        while Instant::now() < again && !interrupt::token().is_cancelled() {
            std::thread::sleep(TICK);
        }
    }
    Ok(None)
}

/// Several workers on one computer are told apart by the numbers of their processes.
fn name(args: &WorkerArgs) -> String {
    let computer = || computer_name().unwrap_or_else(|| "worker".to_owned());
    args.name.clone().unwrap_or_else(|| format!("{}-{}", computer(), std::process::id()))
}

/// The name of this computer.
pub fn computer_name() -> Option<String> {
    let kernel = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = std::env::var("HOSTNAME").ok().or(kernel)?.trim().to_owned();
    (!name.is_empty()).then_some(name)
}
