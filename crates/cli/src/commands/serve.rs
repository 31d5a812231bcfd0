//! `ply serve`: the app in a browser, with the engine and the lab of this computer behind it.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};

use anyhow::Context;
use plyground_serve::{Limits, Server};
use tokio::runtime::Runtime;

use crate::args::{Global, Serve};
use crate::experiments::store_file;
use crate::terminal::print_notes;

pub fn run(args: &Serve, global: &Global, out: &mut impl Write) -> anyhow::Result<()> {
    let host: IpAddr = args.host.parse().with_context(|| format!("expected an address like 127.0.0.1, found '{}'", args.host))?;
    let runtime = Runtime::new().context("cannot start the server's threads")?;
    runtime.block_on(async {
        let mut server = Server::bind(SocketAddr::new(host, args.port), Limits::default()).await?;
        // The lab needs a place for its runs; without one, the games are still there.
        if let Err(error) = store_file(global).and_then(|file| Ok(server.open_lab(&file)?)) {
            print_notes(&[format!("without a lab: {error:#}")], global.quiet);
        }
        if !global.quiet {
            writeln!(out, "Plyground is at http://{} (Ctrl-C ends it)", server.address()?)?;
            if !host.is_loopback() {
                writeln!(out, "Everybody who can reach this computer can play on it; the lab is for this computer alone.")?;
            }
            out.flush()?;
        }
        server.run(asked_to_stop()).await?;
        anyhow::Ok(())
    })
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
