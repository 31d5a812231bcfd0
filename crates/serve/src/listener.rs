//! The door: whoever comes is let in while there is room, and shown out when nothing is asked in time.

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

use crate::Limits;

/// How long visitors who are being answered when the server stops may keep it waiting.
const FAREWELL: Duration = Duration::from_secs(10);

/// After an error that is ours (no more files may be opened) it takes some time until things get better.
const BREATH: Duration = Duration::from_millis(200);

/// Lets visitors in until `stop` is over, calls `closing`, and waits for those who are being answered.
pub async fn open(
    listener: TcpListener,
    router: Router,
    limits: &Limits,
    stop: impl Future<Output = ()>,
    closing: impl FnOnce(),
) {
    let mut http = auto::Builder::new(TokioExecutor::new()).http1_only();
    http.http1().timer(TokioTimer::new()).header_read_timeout(limits.dawdling);
    let (room, visitors) = (Arc::new(Semaphore::new(limits.visitors)), GracefulShutdown::new());
    tokio::pin!(stop);
    loop {
        let (stream, peer, place) = tokio::select! {
            visitor = admit(&listener, &room) => visitor,
            () = &mut stop => break,
        };
        let service = TowerToHyperService::new(router.clone().layer(Extension(ConnectInfo(peer))));
        // A connection that becomes a socket leaves this room; those are counted where they go to.
        let visit = visitors.watch(http.serve_connection_with_upgrades(TokioIo::new(stream), service).into_owned());
        tokio::spawn(async move {
            // Whatever went wrong, the visitor has gone.
            let _ = visit.await;
            drop(place);
        });
    }
    closing();
    let _ = tokio::time::timeout(FAREWELL, visitors.shutdown()).await;
}

/// The next visitor, as soon as there is a place.
async fn admit(listener: &TcpListener, room: &Arc<Semaphore>) -> (TcpStream, SocketAddr, Option<OwnedSemaphorePermit>) {
    // The room is never closed.
    let place = Arc::clone(room).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer, place),
            Err(error) if gave_up(&error) => {}
            Err(_) => tokio::time::sleep(BREATH).await,
        }
    }
}

/// The visitor had gone before the door was open.
fn gave_up(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
