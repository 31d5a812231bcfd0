//! The doors: the app and its engine behind a web server.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod door;
mod engine;
mod files;
mod limits;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware;
use axum::response::Response;
use axum::routing::{any, get};
use tokio::net::TcpListener;

pub use limits::Limits;

use engine::Engines;

/// Why the server could not be started or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address could not be had.
    #[error("cannot listen on {address}: {source}")]
    Address {
        /// Which.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// Something else that the system does not allow.
    #[error("the server stopped: {0}")]
    System(#[from] std::io::Error),
}

/// A server that has its address, and answers as soon as it runs.
pub struct Server {
    listener: TcpListener,
    limits: Limits,
}

impl Server {
    /// Takes an address; port 0 is any that is free.
    pub async fn bind(address: SocketAddr, limits: Limits) -> Result<Self, ServeError> {
        let listener = TcpListener::bind(address).await.map_err(|source| ServeError::Address { address, source })?;
        Ok(Self { listener, limits })
    }

    /// Where it is.
    pub fn address(&self) -> Result<SocketAddr, ServeError> {
        Ok(self.listener.local_addr()?)
    }

    /// Answers until `stop` is over; whoever is thinking then is told to answer at once.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let engines = Arc::new(Engines::new(self.limits));
        door::open(self.listener, router(Arc::clone(&engines)), &self.limits, stop, || engines.stop()).await;
    }
}

fn router(engines: Arc<Engines>) -> Router {
    Router::new()
        .route("/server.json", get(engine::about))
        .route("/engine", any(engine::connect))
        .fallback(get(files::file))
        .layer(middleware::map_response(guarded))
        .with_state(engines)
}

/// Everything that a page of ours needs, and nothing else: no other site's scripts, no frames, no guessing of types.
const HEADERS: [(HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; \
        worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

async fn guarded(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
