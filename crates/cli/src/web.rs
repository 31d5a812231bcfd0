//! A live page on a web server of its own, beside whatever else goes on.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use anyhow::Context;
use plyground_serve::{LivePage, Server, ServerLimits};
use tokio::runtime::Builder;
use tokio::sync::oneshot;

use plyground_args::WebAddress;

/// Visitors of a live page at the same time, and those of them who follow what happens: a lecture hall full of phones.
const VISITORS: usize = 500;
const LISTENERS: usize = 400;

/// A page that is served until this is dropped.
pub struct LiveServer {
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl LiveServer {
    /// Serves a live page at this address, if there is one.
    pub fn open(page: &Arc<LivePage>, web: WebAddress) -> anyhow::Result<Option<Self>> {
        let WebAddress::At(address) = web else { return Ok(None) };
        let runtime =
            Builder::new_multi_thread().worker_threads(1).enable_all().build().context("cannot start the server's threads")?;
        let limits = ServerLimits { http_connections: VISITORS, listeners: LISTENERS, ..ServerLimits::default() };
        let mut server = runtime.block_on(Server::bind(address, limits)).with_context(|| {
            format!(
                "port {} is not to be had (is Plyground running already?); --web 0 takes any that is free, --web off none",
                address.port()
            )
        })?;
        server.show_live_page(Arc::clone(page));
        let address = server.address()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || runtime.block_on(server.run(async { drop(stopped.await) })));
        Ok(Some(Self { address, stop: Some(stop), thread: Some(thread) }))
    }
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // Its end is all that is waited for.
            let _ = thread.join();
        }
    }
}
