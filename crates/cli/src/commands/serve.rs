//! `ply serve`: the app in a browser, with the engine of this computer behind it.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};

use anyhow::Context;
use plyground_serve::{Limits, Server};
use tokio::runtime::Runtime;

use crate::args::{Global, Serve};

pub fn run(args: &Serve, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let host: IpAddr = args.host.parse().with_context(|| format!("expected an address like 127.0.0.1, found '{}'", args.host))?;
    let runtime = Runtime::new().context("cannot start the server's threads")?;
    runtime.block_on(async {
        let server = Server::bind(SocketAddr::new(host, args.port), Limits::default()).await?;
        if !global.quiet {
            writeln!(out, "Plyground is at http://{} (Ctrl-C ends it)", server.address()?)?;
            if !host.is_loopback() {
                writeln!(out, "Everybody who can reach this computer can play on it.")?;
            }
            out.flush()?;
        }
        let stop = async {
            // Without a signal there is no other way to stop than from outside.
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        server.run(stop).await?;
        anyhow::Ok(())
    })
}
