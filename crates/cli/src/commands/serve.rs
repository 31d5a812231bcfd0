//! `ply serve`, and `ply` alone: the app in a browser, with the engine of this computer behind it.

use std::io::Write;
use std::net::SocketAddr;

use anyhow::Context;
use plyground_serve::{Limits, Server};
use tokio::runtime::Runtime;

use crate::args::{Global, Serve};

pub fn run(args: &Serve, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let runtime = Runtime::new().context("cannot start the server's threads")?;
    runtime.block_on(async {
        let address = SocketAddr::new(args.host, args.port);
        let server = Server::bind(address, Limits::default()).await.with_context(|| {
            format!("port {} is not to be had (is Plyground running already?); --port 0 takes any that is free", args.port)
        })?;
        let page = format!("http://{}", server.address()?);
        if !global.quiet {
            writeln!(out, "Plyground is at {page} (Ctrl-C ends it; to play in the terminal: ply play)")?;
            if !args.host.is_loopback() {
                writeln!(out, "Everybody who can reach this computer can play on it.")?;
            }
            out.flush()?;
        }
        if args.open && open::that_detached(&page).is_err() && !global.quiet {
            writeln!(out, "No browser could be started: please open that address yourself.")?;
            out.flush()?;
        }
        let stop = async {
            // Without a signal there is no other way to stop than from outside.
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        server.run(stop).await;
        anyhow::Ok(())
    })
}
