//! The accept loop: connections up to a limit, with a timeout for reading the request header, and graceful shutdown.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ConnectInfo;
use axum::{Extension, Router};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::ServerLimits;

/// The longest wait for open requests when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// The pause after an error of the system, such as too many open files.
const ERROR_PAUSE: Duration = Duration::from_millis(200);

/// Serves connections until `stop` is over, calls `closing`, and waits for open requests.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: &ServerLimits,
    stop: impl Future<Output = ()>,
    closing: impl FnOnce(),
) {
    let mut http = auto::Builder::new(TokioExecutor::new()).http1_only();
    http.http1().timer(TokioTimer::new()).header_read_timeout(limits.header_timeout);
    let (permits, connections) = (Arc::new(Semaphore::new(limits.http_connections)), GracefulShutdown::new());
    tokio::pin!(stop);
    loop {
        let (stream, peer, permit) = tokio::select! {
            accepted = accept(&listener, &permits) => accepted,
            () = &mut stop => break,
        };
        let service = TowerToHyperService::new(router.clone().layer(Extension(ConnectInfo(peer))));
        // A connection that becomes a WebSocket is no longer counted here, but by the engine.
        let connection = connections.watch(http.serve_connection_with_upgrades(TokioIo::new(stream), service).into_owned());
        tokio::spawn(async move {
            // An error means that the connection is closed.
            let _ = connection.await;
            drop(permit);
        });
    }
    closing();
    let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, connections.shutdown()).await;
}

/// The next connection, as soon as there is a permit.
async fn accept(listener: &TcpListener, permits: &Arc<Semaphore>) -> (TcpStream, SocketAddr, Option<OwnedSemaphorePermit>) {
    // The semaphore is never closed.
    let permit = Arc::clone(permits).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer, permit),
            Err(error) if closed_by_peer(&error) => {}
            Err(_) => tokio::time::sleep(ERROR_PAUSE).await,
        }
    }
}

/// Was the connection closed by the peer before it was accepted?
fn closed_by_peer(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
