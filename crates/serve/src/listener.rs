//! The accept loop: connections up to a limit, deadlines for their requests and answers, and graceful shutdown.
//!
//! Connections are accepted at once, so that none waits in the kernel behind idle ones: one that there is no slot for is refused.

use std::future::Future;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::Next;
use axum::response::Response;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::ServerLimits;
use crate::connections::{ConnectionSlot, ConnectionTable};
use crate::deadlines::{AnswerBody, BodyDeadline, WriteDeadline};

/// The longest wait for open requests when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// The pause after an error of the system, such as too many open files.
const ERROR_PAUSE: Duration = Duration::from_millis(200);

/// The answer to a connection that there is no slot for.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: 44\r\nConnection: close\r\n\r\n\
    Too many connections; try again in a minute\n";

/// The connection that a request came over.
#[derive(Clone)]
pub struct HttpConnection {
    slot: Arc<ConnectionSlot>,
    body_timeout: Duration,
}

/// Serves connections until `stop` is over, calls `closing`, and waits for open requests.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: &ServerLimits,
    stop: impl Future<Output = ()>,
    closing: impl FnOnce(),
) {
    let mut http = http1::Builder::new();
    // It begins with the connection, and again with every answer.
    http.timer(TokioTimer::new()).header_read_timeout(limits.header_timeout);
    let (table, stopping) = (ConnectionTable::new(limits.http_connections), watch::Sender::new(false));
    tokio::pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = accept(&listener) => accepted,
            () = &mut stop => break,
        };
        let Some(slot) = table.admit(peer.ip().into()).map(Arc::new) else {
            refuse(stream);
            continue;
        };
        let connection = HttpConnection { slot, body_timeout: limits.body_timeout };
        let stream = WriteDeadline::new(stream, limits.write_timeout);
        tokio::spawn(connection.serve(http.clone(), stream, peer, router.clone(), stopping.subscribe()));
    }
    closing();
    stopping.send_replace(true);
    let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, stopping.closed()).await;
}

impl HttpConnection {
    /// Answers requests until the connection is closed, becomes a WebSocket (which the engine counts), or is displaced. When the server
    /// stops, it closes after the request that is being answered.
    async fn serve(
        self,
        http: http1::Builder,
        stream: WriteDeadline<TcpStream>,
        peer: SocketAddr,
        router: Router,
        mut stopping: watch::Receiver<bool>,
    ) {
        let slot = Arc::clone(&self.slot);
        let router = router.layer(Extension(self)).layer(Extension(ConnectInfo(peer)));
        let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router)).with_upgrades();
        tokio::pin!(connection);
        tokio::select! {
            // An error means that the connection is closed.
            _ = connection.as_mut() => return,
            () = slot.displaced() => return,
            _ = stopping.wait_for(|stopping| *stopping) => {}
        }
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}

/// Marks the connection of a request as busy until its answer is written, and gives its body a deadline.
pub async fn track(Extension(connection): Extension<HttpConnection>, request: Request, next: Next) -> Response {
    let busy = connection.slot.busy();
    let request = request.map(|body| BodyDeadline::wrap(body, connection.body_timeout));
    next.run(request).await.map(|body| Body::new(AnswerBody::new(body, busy)))
}

/// The next connection.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) if closed_by_peer(&error) => {}
            Err(_) => tokio::time::sleep(ERROR_PAUSE).await,
        }
    }
}

/// Closes a connection with a word, if it can be sent without waiting.
fn refuse(stream: TcpStream) {
    if let Ok(mut stream) = stream.into_std() {
        // It may be closed already.
        let _ = stream.write(FULL);
    }
}

/// Was the connection closed by the peer before it was accepted?
fn closed_by_peer(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refusal_is_as_long_as_it_says() {
        let text = std::str::from_utf8(FULL).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{text}");
    }
}
