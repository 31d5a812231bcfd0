//! `ply serve`, and `ply` alone: the app in a browser, with the engine and the lab of this computer behind it.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use anyhow::{Context, bail};
use plyground_cluster::{Access, Broker, FleetWatch, Role};
use plyground_core::sync::lock;
use plyground_serve::{EngineAllowList, Server, ServerLimits};
use plyground_session::Resources as _;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::engines::CommandResources;
use crate::runs::store_file;
use plyground_args::{Global, NamedEngine, ServeArgs};
use plyground_terminal::print_notes;

pub fn run(args: &ServeArgs, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let lookout = args
        .queue
        .as_ref()
        .map(|place| QueueWatch::new(args.connection.access(place, &[Role::Onlooker, Role::Coordinator])?, global));
    let lookout = lookout.transpose()?;
    let runtime = Runtime::new().context("cannot start the server's threads")?;
    runtime.block_on(async {
        let address = SocketAddr::new(args.host, args.port);
        let mut server = Server::bind(address, ServerLimits::default()).await.with_context(|| {
            format!("port {} is not to be had (is Plyground running already?); --port 0 takes any that is free", args.port)
        })?;
        server.allow_engines(offer(args)?);
        server.trust(&args.proxy, &args.name);
        // The lab needs a place for its runs; without one, the games are still there.
        if let Err(error) = store_file(global).and_then(|file| Ok(server.open_lab(&file)?)) {
            print_notes(&[format!("without a lab: {error:#}")], global.quiet);
        }
        if let Some(lookout) = lookout {
            server.show_fleet(move || lookout.page());
        }
        let page = format!("http://{}", server.address()?);
        if !global.quiet {
            writeln!(out, "Plyground is at {page} (Ctrl-C ends it; to play in the terminal: ply play)")?;
            if !args.host.is_loopback() {
                writeln!(out, "Everybody who can reach this computer can play on it; the lab is for this computer alone.")?;
            }
            out.flush()?;
        }
        if args.open && open::that_detached(&page).is_err() && !global.quiet {
            writeln!(out, "No browser could be started: please open that address yourself.")?;
            out.flush()?;
        }
        server.run(asked_to_stop()).await;
        anyhow::Ok(())
    })
}

/// The workers at a queue, as soon as there is one: an onlooker may come before the first coordinator, which makes it.
struct QueueWatch {
    access: Access,
    watch: Mutex<Option<FleetWatch>>,
}

impl QueueWatch {
    fn new(access: Access, global: &Global) -> anyhow::Result<Self> {
        let broker = Broker::try_connect(&access)?;
        print_notes(&broker.iter().filter_map(Broker::warning).collect::<Vec<_>>(), global.quiet);
        let watch = broker.map(|broker| FleetWatch::new(Arc::new(broker))).transpose()?;
        Ok(Self { access, watch: Mutex::new(watch) })
    }

    fn page(&self) -> Result<Value, String> {
        let mut watch = lock(&self.watch);
        let found = match watch.take() {
            Some(found) => Ok(found),
            None => Broker::connect(&self.access).and_then(|broker| FleetWatch::new(Arc::new(broker))),
        };
        let page = watch.insert(found.map_err(|error| error.to_string())?).page();
        page.map_err(|error| error.to_string())
    }
}

/// The programs that were named, each looked for.
fn offer(args: &ServeArgs) -> anyhow::Result<EngineAllowList> {
    let mut commands = BTreeMap::new();
    for NamedEngine { name, command } in &args.engine {
        CommandResources.engine(command)?;
        if commands.insert(name.clone(), command.clone()).is_some() {
            bail!("the engine {name} is named twice");
        }
    }
    Ok(EngineAllowList::new(commands, Arc::new(CommandResources)))
}

/// Ctrl-C, or a termination from outside.
async fn asked_to_stop() {
    let interrupted = async {
        // Without a signal there is no other way to stop than from outside.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                () = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    interrupted.await;
}
